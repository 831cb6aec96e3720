/*
 * reader.h
 *	  Reads entries of a sitemap in XML into rows, and the text of their elements.
 */
#ifndef SM_READER_H
#define SM_READER_H

#include "entry/entry.h"
#include "entry/problem.h"
#include "web/xmlreader.h"

#define SM_DECLARE_HINT \
	"Declare the namespace on the element itself, as in xmlelement(name \"x:y\", xmlattributes('http://example.com/ns' AS \"xmlns:x\"))."

/*
 * Reads an extension element that has just begun, up to its end; unchanged *element: to be left
 * out.  Returns false if the entry cannot be read.
 */
typedef bool (*SmReadElement) (void *arg, SmSpan *element);

/*
 * How entries are read.  A strict reader, for the values of a query, accepts
 * only elements that the protocol knows.  A reader that is not strict, for
 * documents that others wrote, skips unknown elements.
 */
typedef struct SmEntryReader
{
	SmXmlReader *reader;
	SmProblems *problems;
	bool		strict;
	SmSpan		entry_name;		/* name of the element, such as "url" */
	SmSpan		own_uri;		/* one more namespace of sitemaps */
	SmReadElement read_element;
	void	   *read_element_arg;
	bool		has_entry_inside;	/* in the entry just read; if not strict */
	uint64		nunknown;		/* elements unknown, or in a wrong namespace */
	SmSpan		unknown;		/* name and prefix of the first of them */
} SmEntryReader;

/*
 * Read the entry that has just begun into a row.  Its spans are in the document or in
 * the current memory context.  Returns false if the entry is skipped for a problem, or is
 * not well-formed; then reader->message says why.  In sitemap_audit the row can lack its
 * loc, which has then been reported.
 */
extern bool sm_entry_read(SmEntryReader *e, SmRow *row);

/* Is the element that has just begun in a namespace of sitemaps, or in none? */
extern bool sm_entry_is_own(const SmEntryReader *e);

/*
 * Read a <url> element into a row.  Spans of the row point into xml or into
 * the current memory context.  Returns false if the row cannot go on.  In sitemap_audit
 * the row can lack its loc.
 */
extern bool sm_read_url(SmSpan xml, SmRow *row, SmProblems *problems);

/* The namespace that the element that has just begun is meant for; see sm_namespace_meant. */
extern const SmSpan *sm_xml_meant(const SmXmlReader *r);

/* Report an undeclared prefix of the tag just read from a document.  Returns false. */
extern bool sm_xml_undeclared(SmProblems *problems, const SmXmlReader *r, SmProblemName name);

/* Report that XML cannot be read; the reader's message says why.  Returns false. */
extern bool sm_xml_malformed(SmProblems *problems, SmProblemName name, const SmXmlReader *r,
							 const char *what);

#endif
