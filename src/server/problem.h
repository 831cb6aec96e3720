/*
 * problem.h
 *	  Problems of rows, and of entries of a document that is read, in three modes:
 *	  raised at once, skipped and counted, or reported one by one.
 */
#ifndef SM_PROBLEM_H
#define SM_PROBLEM_H

#include "compat.h"
#include "core/span.h"
#include "lib/stringinfo.h"

/*
 * Problems, in the order in which sitemap_audit lists those of one row.  Their
 * names are in problem.c.
 */
typedef enum SmProblemName
{
	/* the row is skipped for these */
	SM_URL_ELEMENT_INVALID,
	SM_LOC_NULL,
	SM_LOC_INVALID,
	SM_LOC_TOO_LONG,
	SM_LOC_OUTSIDE,
	SM_ENTRY_TOO_LARGE,

	/* an optional element is skipped for these */
	SM_LASTMOD_INVALID,
	SM_CHANGEFREQ_INVALID,
	SM_PRIORITY_INVALID,
	SM_IMAGE_INVALID,
	SM_VIDEO_INVALID,
	SM_NEWS_INVALID,
	SM_EXTENSION_INVALID,

	/* nothing is skipped for these: only sitemap_audit looks for them */
	SM_LOC_CONTROL_CHARACTER,
	SM_LOC_SUSPICIOUS,
	SM_LOC_FRAGMENT,
	SM_LOC_DUPLICATE,
	SM_SCHEME_MIXED,
	SM_LASTMOD_IN_FUTURE,
	SM_NEWS_TOO_OLD,
	SM_HREFLANG_LACKS_ITSELF,
	SM_HREFLANG_NOT_RECIPROCAL,
	SM_ROBOTS_DISALLOWED,

	/* these are problems of the set as a whole */
	SM_LASTMOD_UNIFORM,
	SM_ORDER_MISSING,
	SM_ROBOTS_INVALID,
	SM_ROBOTS_BLOCKS_SITEMAP,
	SM_ROBOTS_LACKS_SITEMAP,
	SM_NPROBLEMS,

	/*
	 * a problem of a whole document that is read; the reader decides what is
	 * lost
	 */
	SM_DOCUMENT_INVALID = SM_NPROBLEMS
} SmProblemName;

extern const char *const sm_problem_names[SM_NPROBLEMS];

typedef struct SmProblem
{
	SmProblemName name;
	int			sqlerrcode;
	const char *message;		/* as in an error */
	const char *detail;			/* a sentence for an error, NULL for none */
	const char *hint;			/* NULL for none */
	bool		goes_on;		/* may the row go on without its invalid
								 * element? */
} SmProblem;

/* Called for a problem in report mode. */
typedef void (*SmReport) (void *arg, const SmProblem *problem);

typedef struct SmProblems
{
	bool		skip;			/* skip mode: count problems and go on */
	bool		grouped;		/* row_number counts the rows of a group */
	SmReport	report;			/* report mode: called for every problem of a
								 * row; else NULL */
	void	   *report_arg;
	uint64		row_number;		/* of the current row, or of the last entry
								 * read; 0 if unknown */
	SmSpan		loc;			/* of the current row, UTF-8; s is NULL if
								 * unknown */
	const char *(*describe_key) (void *arg);	/* the key of the current row;
												 * NULL if rows have none */
	void	   *describe_key_arg;

	/* for a document that is read: its entries count as rows */
	bool		in_document;
	bool		rest_lost;		/* the rest of the document cannot be read */
	const char *place;			/* position of the problem in the document, or
								 * NULL */
	const char *counted;		/* lines are counted up to here */
	int64		line;			/* line number of counted */

	/*
	 * skip mode: number of skipped rows and elements, and the first few
	 * reasons
	 */
	uint64		nproblems;
	uint64		nrows;
	uint64		nelements;
	int			nreasons;
	StringInfoData reasons;
} SmProblems;

/* Begin skip mode, in the current memory context. */
extern void sm_problems_init_skip(SmProblems *problems);

/* Are hints shown?  If not, a hint that takes time to find may be NULL. */
static inline bool
sm_problems_use_hints(const SmProblems *problems)
{
	return !problems->skip;
}

/*
 * Raise, count or report a problem of the current row, with an SQLSTATE, a
 * hint (NULL for none) and a message.  Returns whether the row may go on
 * without its invalid element.  In skip mode the result is false if the whole
 * row is skipped; in report mode it is always true.
 */
extern bool sm_problem(SmProblems *problems, SmProblemName name, int sqlerrcode,
					   const char *hint, const char *format,...) pg_attribute_printf(5, 6);

/* The same, but always false: for a caller that cannot go on with the element. */
#define sm_refuse(...)	(sm_problem(__VA_ARGS__), false)

/* The same as sm_problem, for a problem with a detail, a sentence. */
extern bool sm_problem_with_detail(SmProblems *problems, SmProblemName name, int sqlerrcode,
								   const char *detail, const char *message);

/*
 * Raise one WARNING if anything was skipped.  function: SQL function to name
 * in it.
 */
extern void sm_problems_warn(const SmProblems *problems, const char *function);

#endif
