/*
 * xmlreader.h
 *	  A pull parser for XML 1.0 with namespaces, UTF-8: fragments and documents.
 *
 * Ready-made XML must not break the document that it goes into.  PostgreSQL's xml
 * type lets through control characters, undeclared entities and undeclared prefixes,
 * and a server built without libxml has no parser.  So the reader accepts what a
 * namespace-aware parser accepts as element content or as a document, up to the
 * limits below and with two exceptions.  A document type declaration is refused in a
 * fragment, and in a document if it has an internal subset, which could define entities.
 * A namespace name must not contain a line break, a tab, or a reference other than "&amp;".
 *
 * Nothing is allocated: tokens point into the input.
 */
#ifndef SM_XMLREADER_H
#define SM_XMLREADER_H

#include <stdint.h>

#include "text/span.h"

#define SM_XML_DEPTH_MAX		64	/* nested elements in a fragment */
#define SM_XML_DOCUMENT_DEPTH	2	/* elements around a fragment in a
									 * document */
#define SM_XML_ATTRIBUTES_MAX	64	/* on one element */
#define SM_XML_BINDINGS_MAX		64	/* namespaces in scope */
#define SM_XML_URI_MAX			256 /* bytes in a namespace name */

typedef struct SmXmlAttribute
{
	SmSpan		prefix;			/* empty where there is none */
	SmSpan		name;			/* local part */
	SmSpan		value;			/* raw, between the quotes */
} SmXmlAttribute;

typedef enum SmXmlToken
{
	SM_XML_END_OF_INPUT,
	SM_XML_START,				/* <a …>; <a/> is a start and an end */
	SM_XML_END,
	SM_XML_TEXT,				/* raw, with references */
	SM_XML_CDATA,				/* data: the inside */
	SM_XML_COMMENT,				/* or a document type declaration */
	SM_XML_PI,
	SM_XML_ERROR
} SmXmlToken;

/* A namespace prefix and what it stands for; uri is raw, as in the attribute. */
typedef struct SmXmlBinding
{
	SmSpan		prefix;			/* empty for xmlns="…" */
	SmSpan		uri;
} SmXmlBinding;

typedef struct SmXmlReader
{
	/* the token just read */
	SmSpan		raw;			/* the whole token; empty for the end of <a/> */
	SmSpan		data;			/* SM_XML_CDATA: the inside */
	SmSpan		prefix;			/* SM_XML_START */
	SmSpan		name;			/* SM_XML_START: local part */
	SmSpan		uri;			/* SM_XML_START: namespace, empty if none */
	int			depth;			/* number of elements around it */
	int			nattributes;	/* SM_XML_START; declarations of namespaces
								 * too */
	SmXmlAttribute attributes[SM_XML_ATTRIBUTES_MAX];

	/*
	 * SM_XML_START: an undeclared prefix of the tag, preferably the prefix of
	 * the element itself; s is NULL for none.  Such a prefix is an error in a
	 * fragment.  In a document its URI is the prefix itself, so that the
	 * caller can skip the element or attribute.
	 */
	SmSpan		undeclared;
	const char *message;		/* SM_XML_ERROR: what is wrong; else NULL */

	/*
	 * of a fragment: the namespaces, SM_NS_..., whose prefixes it uses and
	 * does not declare, since documents declare them
	 */
	uint32_t	namespaces;

	/* private */
	const char *p;
	const char *end;
	bool		is_document;
	bool		had_doctype;	/* of a document */
	bool		had_root;		/* of a document: its root element has begun */
	bool		pending_end;
	int			nopen;
	struct
	{
		SmSpan		qname;
		int			nbindings;	/* in scope around the element */
	}			open[SM_XML_DEPTH_MAX + SM_XML_DOCUMENT_DEPTH];
	int			nbindings;
	SmXmlBinding bindings[SM_XML_BINDINGS_MAX];
} SmXmlReader;

/* Begin to read a fragment.  An XML declaration at its start is skipped. */
extern void sm_xml_reader_init(SmXmlReader *r, const char *src, size_t len);

/*
 * Begin to read a document: one root element, without text around it.  The caller
 * checks each SM_XML_START for an undeclared prefix.
 */
extern void sm_xml_reader_init_document(SmXmlReader *r, const char *src, size_t len);

/* Read the next token.  SM_XML_ERROR and SM_XML_END_OF_INPUT repeat. */
extern SmXmlToken sm_xml_next(SmXmlReader *r);

/*
 * The length of the XML declaration that a text begins with; 0 for none.  *encoding: the
 * encoding that it names; s is NULL for none.
 */
extern size_t sm_xml_declaration(SmSpan text, SmSpan *encoding);

/* Does an attribute declare a namespace? */
static inline bool
sm_xml_is_declaration(const SmXmlAttribute *a)
{
	return sm_span_is(a->prefix, "xmlns") || (a->prefix.len == 0 && sm_span_is(a->name, "xmlns"));
}

/* Does text consist of blanks only, in the sense of XML? */
extern bool sm_xml_is_blank(SmSpan span);

#endif
