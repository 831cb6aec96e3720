/*
 * problem.h
 *	  What is wrong with a row: raised at once, or left out and counted.
 */
#ifndef SM_PROBLEM_H
#define SM_PROBLEM_H

#include "lib/stringinfo.h"
#include "sitemap.h"

typedef struct SmProblems
{
	bool		skip;			/* count and go on, instead of an error */
	uint64		row_number;		/* of the current row, 0 where there are no
								 * rows */
	bool		grouped;		/* it counts the rows of a group */
	SmSpan		loc;			/* of the current row, UTF-8; s is NULL if
								 * unknown */

	/* when skip: what was left out so far, and the first few reasons */
	uint64		nrows;
	uint64		nelements;
	int			nreasons;
	StringInfoData reasons;
} SmProblems;

/* What a problem costs when it is skipped. */
typedef enum SmLoss
{
	SM_LOSES_ELEMENT,			/* one optional element */
	SM_LOSES_ROW
} SmLoss;

/* Prepare to collect, in the current memory context. */
extern void sm_problems_init_skip(SmProblems *problems);

/*
 * Report a problem with the current row: an error with this SQLSTATE, message
 * and hint (NULL for none), or an entry in the list.  If it returns, it
 * returns false, for callers that have to pass that on.
 */
extern bool sm_problem(SmProblems *problems, SmLoss loss, int sqlerrcode,
					   const char *hint, const char *format,...) pg_attribute_printf(5, 6);

/* End with one WARNING if anything was left out. */
extern void sm_problems_warn(const SmProblems *problems, const char *function);

#endif
