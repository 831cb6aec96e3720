/*
 * text.h
 *	  Text sitemaps: a URL on each line.
 */
#ifndef SM_PARSE_TEXT_H
#define SM_PARSE_TEXT_H

#include "entry/entry.h"
#include "parse/input.h"

/* A text sitemap that is being parsed. */
typedef struct SmTextParser
{
	const char *s;				/* the part that has not been read */
	const char *end;
	bool		is_cut;			/* the input is not the whole document */
	SmProblems *problems;
} SmTextParser;

extern void sm_text_parser_init(SmTextParser *p, const SmInput *input, SmProblems *problems);

/*
 * Read the next line that is not blank into a row, which points into the input.
 * False at the end of the document.
 */
extern bool sm_text_parser_next(SmTextParser *p, SmRow *row);

/* Does an input begin like a text sitemap? */
extern bool sm_text_is_sitemap(const SmInput *input);

#endif
