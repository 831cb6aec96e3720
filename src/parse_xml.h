/*
 * parse_xml.h
 *	  XML that lists pages: sitemaps, indexes, RSS and Atom, entry by entry.
 */
#ifndef SM_PARSE_XML_H
#define SM_PARSE_XML_H

#include "parse_extension.h"
#include "parse_input.h"
#include "xmlentry.h"

/* Reads an entry that has just begun, up to its end. */
typedef bool (*SmReadEntry) (SmEntryReader *e, SmRow *row);

/* A kind of document, known by its root element. */
typedef struct SmXmlKind
{
	const char *kind;			/* as sitemap_kind says it */
	const char *root;
	const char *entry;
	bool		is_feed;
	SmReadEntry read_entry;
} SmXmlKind;

/* A document that is being parsed. */
typedef struct SmXmlParser
{
	SmXmlReader reader;
	SmEntryReader entries;
	SmExtensionCopies copies;
	SmProblems *problems;
	bool		is_cut;			/* the input is not the whole document */
	const SmXmlKind *kind;		/* NULL before the root element */
	const char *wrapper;		/* element that entries were found in, where
								 * there should be none */
} SmXmlParser;

/* Begin to parse in the current memory context. */
extern void sm_xml_parser_init(SmXmlParser *p, const SmInput *input, SmProblems *problems);

/*
 * Read the next entry, with values that are trimmed, into a row whose spans are in
 * the input or in the current memory context.  That is for one entry: it is reset
 * where an entry is left out.  False at the end of the document, or of what can be
 * read of it.
 */
extern bool sm_xml_parser_next(SmXmlParser *p, SmRow *row);

/* The kind of the document that an input begins; NULL if it has none of ours. */
extern const char *sm_xml_kind(const SmInput *input);

#endif
