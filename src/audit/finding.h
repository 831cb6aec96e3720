/*
 * finding.h
 *	  Takes the problems of an audit in any order, and returns them in the order of
 *	  the rows, each with the loc of its row.
 */
#ifndef SM_FINDING_H
#define SM_FINDING_H

#include "entry/problem.h"
#include "nodes/bitmapset.h"
#include "server/sort.h"
#include "storage/buffile.h"
#include "utils/tuplestore.h"

/* The row number of problems of the set as a whole. */
#define SM_WHOLE_SET	PG_INT64_MAX

/* The cause of some problems, which may be told once in their place.  Begins as zeros. */
typedef struct SmCause
{
	int			number;			/* 0 if it has no problem yet */
	int64		nrows;			/* rows with the problem */
	int64		last_row;
} SmCause;

/* A problem that is told once, for the first of its rows. */
typedef struct SmTold
{
	uint64		hash;			/* of its name and detail; 0 for none */
	SmProblemName name;
	SmCause		cause;
	int64		first_row;
	char	   *detail;
} SmTold;

/* Problems that are told once are remembered as long as no newer one needs their place. */
#define SM_NTOLD	256

typedef struct SmFindings
{
	SmSort		problems;
	BufFile    *locs;			/* of all rows, in UTF-8 */
	int			ncauses;
	Bitmapset  *left_out;		/* numbers of causes */
	SmTold		told[SM_NTOLD];
	MemoryContext context;
} SmFindings;

/* Begin, in the current memory context. */
extern void sm_findings_begin(SmFindings *findings);

/* Add a problem of a row, or of the set.  detail: a sentence, which is freed. */
extern void sm_findings_add_detail(SmFindings *findings, int64 row_number, SmProblemName name,
								   char *detail);

/* The same with a format and its values for the sentence. */
#define sm_findings_add(findings, row_number, name, ...) \
	sm_findings_add_detail(findings, row_number, name, psprintf(__VA_ARGS__))

/* The same for a problem with a cause. */
extern void sm_findings_add_caused(SmFindings *findings, int64 row_number, SmProblemName name,
								   SmCause *cause, char *detail);

/*
 * The same for a problem that is told once, for the first of its rows and with the number of
 * rows: all rows with this detail have it for the same reason.
 */
extern void sm_findings_add_once(SmFindings *findings, int64 row_number, SmProblemName name,
								 char *detail);

/* Leave out all problems with a cause. */
extern void sm_findings_leave_out(SmFindings *findings, const SmCause *cause);

/*
 * Does more than half of a set of npages pages have problems with this cause, so many that
 * nobody reads them?  Then they are left out, and the caller adds one for the set.
 */
extern bool sm_findings_are_one(SmFindings *findings, const SmCause *cause, int64 npages);

/* Add the loc of the next row; s is NULL for none. */
extern void sm_findings_add_loc(SmFindings *findings, SmSpan loc);

/* Put all problems into the result of sitemap_audit, and end. */
extern void sm_findings_put(SmFindings *findings, Tuplestorestate *result, TupleDesc desc);

#endif
