/*
 * problem.h
 *	  Problems of rows, and of entries of a document that is read.  A function takes
 *	  them: they are raised as errors, skipped and counted, or reported one by one.
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

	/* only sitemap_audit looks for these */
	SM_LOC_CONTROL_CHARACTER,
	SM_LOC_SUSPICIOUS,
	SM_LOC_FRAGMENT,
	SM_LOC_DUPLICATE,
	SM_SCHEME_MIXED,
	SM_LASTMOD_IN_FUTURE,
	SM_NEWS_TOO_OLD,
	SM_NAMESPACE_UNKNOWN,
	SM_HREFLANG_LACKS_ITSELF,
	SM_HREFLANG_NOT_RECIPROCAL,
	SM_ROBOTS_DISALLOWED,

	/* these are problems of the set as a whole */
	SM_LASTMOD_UNIFORM,
	SM_ORDER_MISSING,
	SM_XML_UNCHECKED,
	SM_ROBOTS_INVALID,
	SM_ROBOTS_BLOCKS_SITEMAP,
	SM_ROBOTS_LACKS_SITEMAP,

	/* sitemap_parse: the reader of the document decides what is lost */
	SM_DOCUMENT_INVALID
} SmProblemName;

#define SM_NPROBLEMS	(SM_DOCUMENT_INVALID + 1)

extern const char *const sm_problem_names[SM_NPROBLEMS];

typedef struct SmProblem
{
	SmProblemName name;
	int			sqlerrcode;
	const char *message;		/* as in an error */
	const char *detail;			/* a sentence for an error, NULL for none */
	const char *hint;			/* NULL for none */
} SmProblem;

/* the WARNING about what was skipped gives this many reasons at most */
#define SM_MAX_REASONS	5

typedef struct SmProblems SmProblems;

/* Takes a problem.  Returns whether the row may go on without its invalid element. */
typedef bool (*SmTakeProblem) (SmProblems *problems, const SmProblem *problem);

struct SmProblems
{
	SmTakeProblem take;			/* NULL: problems are raised as errors */
	void	   *take_arg;
	bool		grouped;		/* row_number counts the rows of a group */
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
	const char *begin;			/* of the document */
	const char *place;			/* position of the problem in the document, or
								 * NULL */

	/* sm_problems_init_skip: what was skipped, and the first few reasons */
	uint64		nproblems;
	uint64		nrows;
	uint64		nelements;
	int			nreasons;
	StringInfoData reasons;
};

/* Begin to skip rows and elements with problems, in the current memory context. */
extern void sm_problems_init_skip(SmProblems *problems);

/* Are problems described?  After the last reason that is shown, they are only counted. */
static inline bool
sm_problems_are_described(const SmProblems *problems)
{
	return problems->nreasons < SM_MAX_REASONS;
}

/*
 * Report a problem of the current row, with an SQLSTATE, a hint and a detail, a sentence
 * (each NULL for none), and a message, which is freed.  Returns whether the row may go on
 * without its invalid element.
 */
extern bool sm_report_problem(SmProblems *problems, SmProblemName name, int sqlerrcode,
							  const char *hint, const char *detail, char *message);

/* The same with a format and its values for the message, without a detail. */
#define sm_problem(problems, name, sqlerrcode, hint, ...) \
	sm_report_problem(problems, name, sqlerrcode, hint, NULL, \
					  sm_problems_are_described(problems) ? psprintf(__VA_ARGS__) : NULL)

/* The same, but always false: for a caller that cannot go on with the element. */
#define sm_refuse(...)	(sm_problem(__VA_ARGS__), false)

/*
 * Raise one WARNING if anything was skipped.  function: SQL function to name
 * in it.
 */
extern void sm_problems_warn(const SmProblems *problems, const char *function);

#endif
