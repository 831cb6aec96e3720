/*
 * alternate.h
 *	  Links to a page in other languages.
 */
#ifndef SM_ALTERNATE_H
#define SM_ALTERNATE_H

#include "entry/element.h"

/* A link to the page in another language. */
typedef struct SmLink
{
	SmSpan		hreflang;
	SmSpan		href;
} SmLink;

/*
 * Read a JSON object of languages and URLs, and return the number of links; a
 * null or blank URL is left out.  what: noun phrase for the object in a problem.
 */
extern int	sm_read_alternates(Datum object, SmLink **links, SmProblems *problems,
							   const char *what);

/*
 * Append a link to w->buf.  Returns false for a problem; then w->buf and the counts of the page
 * are unchanged.
 */
extern bool sm_append_alternate(SmEntryWriter *w, const SmLink *link);

#endif
