/*
 * xmlentry.h
 *	  Entries of a sitemap as XML, read into rows.
 */
#ifndef SM_XMLENTRY_H
#define SM_XMLENTRY_H

#include "core/xmlreader.h"
#include "lib/stringinfo.h"
#include "problem.h"
#include "sitemap.h"

#define SM_DECLARE_HINT \
	"Declare the namespace on the element itself, as in xmlelement(name \"x:y\", xmlattributes('http://example.com/ns' AS \"xmlns:x\"))."

/* Reads an extension that has just begun, up to its end; see SmEntryReader. */
typedef bool (*SmReadExtension) (void *arg, SmSpan *extension);

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
	const char *prefix;			/* prefix of messages, such as "invalid url: " */
	int			sqlerrcode;		/* SQLSTATE for invalid entries */
	SmSpan		entry_name;		/* name of the element, such as "url" */
	SmSpan		own_uri;		/* URI that counts as a namespace of sitemaps */
	SmReadExtension read_extension;
	void	   *read_extension_arg;
	bool		has_entry_inside;	/* the entry just read had another one in
									 * it, which is lost; never set if strict */
} SmEntryReader;

/*
 * Read the entry that has just begun into a row.  Its spans are in the
 * document or in the current memory context.  Returns true at the end of the
 * entry; if a missing loc is a problem that is skipped or reported, the row
 * can lack its loc.  Returns false if the entry is not well-formed, with the
 * reason in reader->message, or is skipped for a problem.
 */
extern bool sm_entry_read(SmEntryReader *e, SmRow *row);

/* Is the element that has just begun in a namespace of sitemaps, or in none? */
extern bool sm_entry_is_own(const SmEntryReader *e);

/* The next token inside of an entry. */
extern SmXmlToken sm_entry_next(SmEntryReader *e);

/* Read the text of an element, or skip an element. */
extern bool sm_entry_read_text(SmEntryReader *e, SmSpan *text);
extern bool sm_entry_skip(SmEntryReader *e);

/*
 * Read a <url> element into a row.  Spans of the row point into xml or into
 * the current memory context.  Returns false if the row cannot go on.  In
 * report mode it does so only if the element could not be read to its end, and
 * a row can lack its loc.
 */
extern bool sm_read_url(SmSpan xml, SmRow *row, SmProblems *problems);

/* Append the text of a token, SM_XML_TEXT or SM_XML_CDATA, to buf. */
extern void sm_xml_append_content(StringInfo buf, const SmXmlReader *r, SmXmlToken token);

/* The value of a raw attribute: references resolved, no blanks around it. */
extern SmSpan sm_xml_attribute_value(SmSpan raw);

/*
 * Report that XML cannot be read, and why, as the reader says.  Returns false.
 */
extern bool sm_xml_malformed(SmProblems *problems, SmProblemName name, const SmXmlReader *r,
							 const char *what);

#endif
