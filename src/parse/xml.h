/*
 * xml.h
 *	  Reads sitemaps, indexes, RSS and Atom, entry by entry.
 */
#ifndef SM_PARSE_XML_H
#define SM_PARSE_XML_H

#include "entry/reader.h"
#include "parse/extension.h"
#include "parse/input.h"

/* Reads an entry that has just begun, up to its end. */
typedef bool (*SmReadEntry) (SmEntryReader *e, SmRow *row);

/* A kind of document, known by its root element. */
typedef struct SmXmlKind
{
	const char *kind;			/* the result of sitemap_kind */
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
	const char *wrapper;		/* element that wrongly contains entries, or
								 * NULL */
} SmXmlParser;

/* Begin to parse in the current memory context. */
extern void sm_xml_parser_init(SmXmlParser *p, const SmInput *input, SmProblems *problems);

/*
 * Read the next entry into a row, with trimmed values.  Its spans are in the
 * input or in the current memory context, which is reset when an entry is
 * skipped.  Returns false at the end of the document, or of its readable part.
 */
extern bool sm_xml_parser_next(SmXmlParser *p, SmRow *row);

/* The kind of a document, by its root element; NULL if that is unknown. */
extern const char *sm_xml_kind(const SmInput *input);

#endif
