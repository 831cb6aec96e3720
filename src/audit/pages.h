/*
 * pages.h
 *	  Pages as URLs in canonical form, equal for all spellings of a URL, and problems
 *	  between the pages of a set: duplicates, pages that differ in a final slash or
 *	  index.html, http among https, and alternates that do not link back or are not
 *	  listed.
 */
#ifndef SM_PAGES_H
#define SM_PAGES_H

#include "audit/finding.h"
#include "entry/alternate.h"
#include "web/url.h"

/* The canonical form of a URL that sm_url_encode wrote, in the current memory context. */
extern SmSpan sm_page(SmSpan url);

typedef struct SmPages SmPages;

/* Called for each alternate that no row lists, with the first row that has it. */
typedef void (*SmUnlistedCallback) (void *arg, int64 row_number, SmSpan page);

/* Begin.  Problems go to findings. */
extern SmPages *sm_pages_begin(const SmUrlBase *base, SmFindings *findings,
							   SmUnlistedCallback callback, void *callback_arg);

/* Add the page of a row, as a URL in canonical form. */
extern void sm_pages_add(SmPages *pages, int64 row_number, SmSpan page);

/* Add the links from the page of a row to the same page in other languages, and to itself. */
extern void sm_pages_link(SmPages *pages, int64 row_number, SmSpan page, const SmLink *links,
						  int nlinks);

/* Compare the pages, after the last one, and end. */
extern void sm_pages_compare(SmPages *pages);

#endif
