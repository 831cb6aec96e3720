/*
 * pages.h
 *	  Pages as URLs in canonical form, equal for all spellings of a URL, and problems
 *	  between the pages of a set: duplicates, pages that differ in a final slash or
 *	  index.html, http among https, and alternates that do not link back.
 */
#ifndef SM_PAGES_H
#define SM_PAGES_H

#include "audit/finding.h"
#include "web/url.h"

/* The canonical form of a URL that sm_url_encode wrote, in the current memory context. */
extern SmSpan sm_page(SmSpan url);

/* Are two pages equal if the scheme, a "www." and a final slash of the path do not count? */
extern bool sm_page_is_similar(SmSpan a, SmSpan b);

typedef struct SmPages SmPages;

/* Begin.  origin: of base_url.  Problems go to findings. */
extern SmPages *sm_pages_begin(SmSpan origin, SmFindings *findings);

/* Add the page of a row, as a URL in canonical form. */
extern void sm_pages_add(SmPages *pages, int64 row_number, SmSpan page);

/* Add a link from the page of a row to the same page in another language. */
extern void sm_pages_link(SmPages *pages, int64 row_number, SmSpan page, SmSpan other);

/* Compare the pages, after the last one, and end. */
extern void sm_pages_compare(SmPages *pages);

#endif
