/*
 * pages.h
 *	  Problems between the pages of a set: duplicates, http among https, and
 *	  alternates that do not link back.
 */
#ifndef SM_PAGES_H
#define SM_PAGES_H

#include "audit/finding.h"

typedef struct SmPages SmPages;

/* Begin.  is_https: is base_url https?  Problems go to findings. */
extern SmPages *sm_pages_begin(bool is_https, SmFindings *findings);

/* Add the page of a row, as a URL in canonical form. */
extern void sm_pages_add(SmPages *pages, int64 row_number, SmSpan page);

/* Add a link from the page of a row to the same page in another language. */
extern void sm_pages_link(SmPages *pages, int64 row_number, SmSpan page, SmSpan other);

/* Compare the pages, after the last one, and end. */
extern void sm_pages_compare(SmPages *pages);

#endif
