/*
 * audit.h
 *	  What the parts of sitemap_audit share.
 */
#ifndef SM_AUDIT_H
#define SM_AUDIT_H

#include "document.h"
#include "element.h"
#include "options.h"
#include "page.h"
#include "problem.h"
#include "query.h"
#include "sort.h"
#include "utils/tuplestore.h"

/* Stands for the row number of a problem that the set has as a whole. */
#define SM_AUDIT_SET	PG_INT64_MAX

typedef struct SmAudit
{
	SmReceiver	receiver;		/* must be first */
	const SmOptions *options;
	SmQuery		query;
	SmElementWriter writer;
	SmPage		page;			/* what the row's extensions say */
	SmUrlCache	cache;			/* of URLs other than locs */
	SmDocument	doc;			/* no entry stays in it */
	int64		now;			/* seconds since 1970-01-01 UTC */
	int64		nrows;

	int64		npages;			/* rows that have a page */
	bool		is_uniform;		/* have all these one lastmod? */
	int64		lastmod;		/* which is it? */

	struct SmAuditPages *pages;
	struct SmAuditRobots *robots;	/* NULL for no robots.txt */
	SmSort		problems;
	TupleDesc	loc_desc;
	Tuplestorestate *locs;		/* row number and loc in UTF-8, of all rows
								 * that have one */
} SmAudit;

/* Add a problem of a row, or of the set.  detail is a sentence. */
extern void sm_audit_problem(SmAudit *audit, int64 row_number, SmProblemName name,
							 const char *detail);

/*
 * Find the one spelling of all URLs of a page, from a URL as people write it.
 * False if it is no URL that a page can have.
 */
extern bool sm_audit_spell(SmAudit *audit, SmSpan url, SmSpan *page);

/* Is the scheme of a page https? */
static inline bool
sm_audit_is_https(SmSpan page)
{
	return page.s[4] == 's';
}

/* audit_pages.c: begin to compare the pages of a set with each other */
extern struct SmAuditPages *sm_audit_pages_create(void);

/* Add the page of the current row. */
extern void sm_audit_pages_add(SmAudit *audit, SmSpan page);

/* Add a link from it to the same page in another language. */
extern void sm_audit_pages_link(SmAudit *audit, SmSpan page, SmSpan other);

/* All pages are there: add the problems that they have together. */
extern void sm_audit_pages_compare(SmAudit *audit);

/*
 * audit_robots.c: compile a robots.txt for the agents, an array of text.  An error
 * if it cannot be, or if they are no product tokens.  robots may be NULL.
 */
extern struct SmAuditRobots *sm_audit_robots_create(const SmOptions *options,
													const text *robots, Datum agents);

/*
 * Add a problem if a URL of the current row is forbidden.  url has the one
 * spelling; what says what it is, NULL if it is the page.
 */
extern void sm_audit_robots_check(SmAudit *audit, const char *what, SmSpan url);

/* Add the problems of the set as a whole: its files and the Sitemap lines. */
extern void sm_audit_robots_check_set(SmAudit *audit);

#endif
