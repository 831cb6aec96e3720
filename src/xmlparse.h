/*
 * xmlparse.h
 *	  XML sitemaps and indexes, taken apart by libxml2.
 */
#ifndef SM_XMLPARSE_H
#define SM_XMLPARSE_H

#include "fault.h"

typedef struct SmXmlParser SmXmlParser;

/*
 * Begin to parse a document in the current memory context; it is freed with
 * that, after an error too.  If it is known to be UTF-8, an encoding that its
 * declaration names is passed over.  An error where the build has no libxml2.
 */
extern SmXmlParser *sm_xml_parser_create(bool is_utf8, SmFault *fault);

/* Take the next bytes of the document. */
extern void sm_xml_parser_push(SmXmlParser *parser, SmSpan piece);

/* The document ends here, or is at fault. */
extern void sm_xml_parser_finish(SmXmlParser *parser);

/*
 * The next entry that was parsed to its end, and the line where it begins; false
 * if there is none yet.  It is good until the next push.
 */
extern bool sm_xml_parser_next(SmXmlParser *parser, SmRow *row, int64 *line);

#endif
