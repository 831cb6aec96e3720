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

/*
 * Take a <url> element apart into a row.  Its spans point into xml or into the
 * current memory context.  Where problems are reported, false means that it could
 * not be read to its end; and a row can lack a loc.
 */
extern bool sm_read_url(SmSpan xml, SmRow *row, SmProblems *problems);

/* Add what a token of text or a CDATA section says. */
extern void sm_xml_append_content(StringInfo buf, const SmXmlReader *r, SmXmlToken token);

/* Report that XML cannot be read, with the reader's reason; false. */
extern bool sm_xml_malformed(SmProblems *problems, SmProblemName name, const SmXmlReader *r,
							 const char *what);

#endif
