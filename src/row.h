/*
 * row.h
 *	  SQL values become a row: detoasted, in UTF-8, not yet checked.
 */
#ifndef SM_ROW_H
#define SM_ROW_H

#include "fmgr.h"
#include "problem.h"
#include "sitemap.h"

/*
 * Read a text or xml value as UTF-8.  It may point into the value or into the
 * current memory context.  If it cannot be read that is the problem of this
 * name, and what names the value in it; *result.s is NULL then.  Returns whether
 * the row may go on.
 */
extern bool sm_read_text(Datum value, SmSpan *result, SmProblems *problems,
						 SmProblemName name, const char *what);

/* Read a lastmod of the given type. */
extern void sm_read_lastmod(Datum value, SmLastmodType type, SmRow *row,
							SmProblems *problems);

/* Read an array of xml as the row's extensions; NULLs in it are left out. */
extern void sm_read_extensions(Datum array, SmRow *row, SmProblems *problems);

/*
 * Read the arguments (loc, lastmod, changefreq, priority, extensions) of a
 * function that begin with argument first; it may have fewer.  The loc is not
 * NULL.  An error if a text cannot be read.
 */
extern void sm_read_arguments(FunctionCallInfo fcinfo, int first,
							  SmLastmodType lastmod_type, SmRow *row,
							  SmProblems *problems);

#endif
