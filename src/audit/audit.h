/*
 * audit.h
 *	  What the parts of sitemap_audit share.
 */
#ifndef SM_AUDIT_H
#define SM_AUDIT_H

#include "entry/element.h"
#include "entry/page.h"
#include "files/document.h"
#include "files/options.h"
#include "server/problem.h"
#include "server/query.h"
#include "server/sort.h"
#include "utils/tuplestore.h"

/* The row number of problems of the set as a whole. */
#define SM_AUDIT_SET	PG_INT64_MAX

typedef struct SmAudit
{
	SmReceiver	receiver;		/* must be first */
	const SmOptions *options;
	SmQuery		query;
	SmElementWriter writer;
	SmPage		page;			/* what the extensions of a row say */
	SmUrlCache	cache;			/* for URLs other than locs */
	SmSpan		origin;			/* scheme, host and port of base_url, in
								 * canonical form */
	SmDocument	doc;			/* holds the current entry only */
	int64		now;			/* seconds since 1970-01-01 UTC */
	int64		nrows;

	int64		npages;			/* number of rows that could be read */
	bool		is_uniform;		/* do all of them have the same lastmod? */
	int64		lastmod;		/* that lastmod */

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
 * Bring a URL that a user gave into canonical form, in the current memory
 * context.  Returns false if the text is not a valid URL.
 */
extern bool sm_audit_canonical_url(SmAudit *audit, SmSpan text, SmSpan *page);

/* Does a URL, in canonical form, have the scheme, host and port of base_url? */
static inline bool
sm_audit_is_local(const SmAudit *audit, SmSpan url)
{
	return url.len > audit->origin.len && url.s[audit->origin.len] == '/' &&
		memcmp(url.s, audit->origin.s, audit->origin.len) == 0;
}

/* Is the scheme of a page https? */
static inline bool
sm_audit_is_https(SmSpan page)
{
	return page.s[4] == 's';
}

/* pages.c: begin to compare the pages of a set with each other */
extern struct SmAuditPages *sm_audit_pages_create(void);

/* Add the page of the current row. */
extern void sm_audit_pages_add(SmAudit *audit, SmSpan page);

/*
 * Add a link from the page of the current row to the same page in another
 * language.
 */
extern void sm_audit_pages_link(SmAudit *audit, SmSpan page, SmSpan other);

/* After the last page: report duplicates, mixed schemes and one-way links. */
extern void sm_audit_pages_compare(SmAudit *audit);

/*
 * robots.c: compile a robots.txt (NULL for none) for the agents, an
 * array of text.  Raises an error if it is too long, or if an agent is no
 * product token.
 */
extern struct SmAuditRobots *sm_audit_robots_create(const text *robots, Datum agents);

/*
 * Report a problem if robots.txt forbids a URL of the current row.  url: in
 * canonical form.  what: noun phrase for the URL, NULL for the page itself.
 */
extern void sm_audit_robots_check(SmAudit *audit, const char *what, SmSpan url);

/* Add the problems of the set as a whole: its files and the Sitemap lines. */
extern void sm_audit_robots_check_set(SmAudit *audit);

#endif
