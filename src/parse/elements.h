/*
 * elements.h
 *	  The entries of a sitemap or an index in XML, as rows.
 */
#ifndef SM_PARSE_ELEMENTS_H
#define SM_PARSE_ELEMENTS_H

#include "entry/entry.h"
#include "parse/input.h"

/* A document that is being parsed. */
typedef struct SmXmlParser SmXmlParser;

/*
 * Begin to parse in the current memory context.  entry_context: the current one of each
 * call of sm_xml_parser_next, which resets it when it skips an entry.
 */
extern SmXmlParser *sm_xml_parser_create(const SmInput *input, MemoryContext entry_context,
										 SmProblems *problems);

/*
 * Read the next entry into a row, with trimmed values.  Its spans are in the input or in
 * entry_context.  Returns false at the end of the document, or of its readable part.
 */
extern bool sm_xml_parser_next(SmXmlParser *p, SmRow *row);

/* The number of elements so far that are unknown or in a wrong namespace, and the first. */
extern uint64 sm_xml_parser_unknown(const SmXmlParser *p, SmSpan *first);

/* The kind of a document, by its root element; NULL if that is unknown. */
extern const char *sm_xml_kind(const SmInput *input);

#endif
