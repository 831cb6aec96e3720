/*
 * xmlcopy.h
 *	  An element of a document that libxml2 parses, as XML that stands alone.
 *
 * It is written in one way, that of our own elements, with all declarations that
 * it needs.  Comments and processing instructions are not in it, nor blanks with
 * a line break in them between two tags, unless they are all that an element has.
 *
 * Nothing here raises an error, as libxml2 calls.
 */
#ifndef SM_XMLCOPY_H
#define SM_XMLCOPY_H

#include <libxml/xmlstring.h>

#include "buffer.h"
#include "core/xmlreader.h"

/* A declaration of a namespace. */
typedef struct SmXmlDeclaration
{
	const xmlChar *prefix;		/* NULL for xmlns="…" */
	const xmlChar *uri;			/* NULL for xmlns="" */
	int			depth;			/* of the element that has it */
} SmXmlDeclaration;

/* A start tag, as libxml2's startElementNs has it. */
typedef struct SmXmlTag
{
	const xmlChar *name;
	const xmlChar *prefix;
	const xmlChar *uri;
	int			nnamespaces;
	const xmlChar **namespaces; /* each a prefix and a URI */
	int			nattributes;
	const xmlChar **attributes; /* each a name, a prefix, a URI, and the two
								 * ends of its value */
} SmXmlTag;

typedef struct SmXmlCopy
{
	SmBuffer	out;			/* the element, complete at depth 0 */
	int			depth;			/* elements open */
	bool		tag_open;		/* its ">" is not yet written */
	SmBuffer	blanks;			/* after a tag, and perhaps only indentation */
	bool		only_blanks;	/* nothing else came after that tag */
	size_t		name_end;		/* of the outermost element: where outer
								 * declarations go */
	int			ndeclared;
	SmXmlDeclaration declared[SM_XML_BINDINGS_MAX]; /* in it, and in scope */
	int			nouter;
	SmXmlDeclaration outer[SM_XML_BINDINGS_MAX];	/* used, and declared
													 * around it */
} SmXmlCopy;

/* Prepare for elements, one after the other. */
extern void sm_xml_copy_init(SmXmlCopy *copy, MemoryContext context);

/*
 * A tag starts; at depth 0 another element, and the one before is forgotten.
 * What it points to outlives the element.  Returns NULL, or what is wrong with
 * it.
 */
extern const char *sm_xml_copy_start(SmXmlCopy *copy, const SmXmlTag *tag);

extern void sm_xml_copy_text(SmXmlCopy *copy, const xmlChar *s, size_t len);

extern void sm_xml_copy_end(SmXmlCopy *copy, const xmlChar *name, const xmlChar *prefix);

#endif
