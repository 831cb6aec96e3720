/*
 * problem.h
 *	  What is wrong with a row, or with an entry of a document that is read:
 *	  raised at once, or left out and counted, or reported.
 */
#ifndef SM_PROBLEM_H
#define SM_PROBLEM_H

#include "lib/stringinfo.h"
#include "sitemap.h"

/*
 * What can be wrong with a row.  sitemap_audit names problems so, and has those
 * of a row in this order; the names themselves are in problem.c.
 */
typedef enum SmProblemName
{
	/* these cost the row */
	SM_URL_ELEMENT_INVALID,
	SM_LOC_INVALID,
	SM_LOC_TOO_LONG,
	SM_LOC_OUTSIDE,
	SM_ENTRY_TOO_LARGE,

	/* these cost one optional element */
	SM_LASTMOD_INVALID,
	SM_CHANGEFREQ_INVALID,
	SM_PRIORITY_INVALID,
	SM_EXTENSION_INVALID,

	/* these cost nothing, and nobody but sitemap_audit looks for them */
	SM_LOC_CONTROL_CHARACTER,
	SM_LOC_SUSPICIOUS,
	SM_LOC_DUPLICATE,
	SM_SCHEME_MIXED,
	SM_LASTMOD_IN_FUTURE,
	SM_NEWS_TOO_OLD,
	SM_HREFLANG_LACKS_ITSELF,
	SM_HREFLANG_NOT_RECIPROCAL,
	SM_ROBOTS_DISALLOWED,

	/* these are not of a row, but of the set */
	SM_LASTMOD_UNIFORM,
	SM_ROBOTS_BLOCKS_SITEMAP,
	SM_ROBOTS_LACKS_SITEMAP,
	SM_NPROBLEMS,

	/* of a document that is read, not of one entry; costs nothing by itself */
	SM_DOCUMENT_INVALID = SM_NPROBLEMS
} SmProblemName;

extern const char *const sm_problem_names[SM_NPROBLEMS];

/* Takes a problem.  The message is as in an error; hint is NULL for none. */
typedef void (*SmReport) (void *arg, SmProblemName name, const char *message,
						  const char *hint);

typedef struct SmProblems
{
	bool		skip;			/* count and go on, instead of an error */
	SmReport	report;			/* or pass on each problem of a row, the first
								 * and all others; NULL if not */
	void	   *report_arg;
	uint64		row_number;		/* of the current row, 0 where there are no
								 * rows */
	bool		grouped;		/* it counts the rows of a group */
	SmSpan		loc;			/* of the current row, UTF-8; s is NULL if
								 * unknown */

	/* while a document is read, where rows are entries */
	bool		in_document;
	const char *place;			/* what is wrong; NULL for no place in
								 * particular */
	const char *counted;		/* lines are counted up to here */
	int64		line;			/* that counted is in */
	bool		rest_lost;		/* what follows cannot be read */

	/* when skip: what was left out so far, and the first few reasons */
	uint64		nproblems;
	uint64		nrows;
	uint64		nelements;
	int			nreasons;
	StringInfoData reasons;
} SmProblems;

/* Prepare to collect, in the current memory context. */
extern void sm_problems_init_skip(SmProblems *problems);

/*
 * A problem of the current row, with a message, an SQLSTATE and a hint (NULL for
 * none): raised, counted or reported.  Returns whether the row may go on, without
 * its invalid element: not if the problem costs the row and is counted.
 */
extern bool sm_problem(SmProblems *problems, SmProblemName name, int sqlerrcode,
					   const char *hint, const char *format,...) pg_attribute_printf(5, 6);

/* End with one WARNING if anything was left out. */
extern void sm_problems_warn(const SmProblems *problems, const char *function);

#endif
