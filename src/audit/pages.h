/*
 * pages.h
 *	  Problems between the pages of a set: duplicates, pages that differ in a final slash
 *	  or index.html, http among https, and alternates that do not link back or are not
 *	  listed.
 *
 * Pages are URLs in canonical form, as sm_page makes it.
 */
#ifndef SM_PAGES_H
#define SM_PAGES_H

#include "audit/robots.h"
#include "entry/element.h"

typedef struct SmPages SmPages;

/* Begin.  Problems go to findings.  robots: for alternates that no row lists; NULL for none. */
extern SmPages *sm_pages_begin(const SmUrlBase *base, SmFindings *findings, SmAuditRobots *robots);

/* Add the page of a row. */
extern void sm_pages_add(SmPages *pages, int64 row_number, SmSpan page);

/*
 * Add the links from the page of a row to the same page in other languages, and to itself.
 * Returns false if none is to itself.
 */
extern bool sm_pages_link(SmPages *pages, int64 row_number, SmSpan page, const SmLink *links,
						  int nlinks);

/* Compare the pages, after the last one, and end. */
extern void sm_pages_compare(SmPages *pages);

#endif
