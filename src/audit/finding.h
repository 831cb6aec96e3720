/*
 * finding.h
 *	  Takes the problems of an audit in any order, and returns them in the order of
 *	  the rows, each with the loc of its row.
 */
#ifndef SM_FINDING_H
#define SM_FINDING_H

#include "entry/problem.h"
#include "server/sort.h"
#include "storage/buffile.h"
#include "utils/hsearch.h"
#include "utils/tuplestore.h"

/* The row number of problems of the set as a whole. */
#define SM_WHOLE_SET	PG_INT64_MAX

/* Stands for the number of a cause. */
#define SM_NO_CAUSE		PG_UINT64_MAX

typedef struct SmFindings
{
	SmSort		problems;
	BufFile    *locs;			/* of all rows, in UTF-8 */
	int64		nrows;
	HTAB	   *causes;
} SmFindings;

/* Begin, in the current memory context. */
extern void sm_findings_begin(SmFindings *findings);

/*
 * Add a problem of a row, or of the set.  detail: a sentence, which is freed.  number: of
 * the cause, among those of problems with this name, or SM_NO_CAUSE.  Only the first problem with a
 * cause is returned, with the number of all, if the cause lies in no page, or if it has more
 * than half as many problems as there are rows, so many that nobody reads them.
 */
extern void sm_findings_add_detail(SmFindings *findings, int64 row_number, SmProblemName name,
								   uint64 number, char *detail);

/* The same with a format and its values for the sentence. */
#define sm_findings_add_caused(findings, row_number, name, cause, ...) \
	sm_findings_add_detail(findings, row_number, name, cause, psprintf(__VA_ARGS__))
#define sm_findings_add(findings, row_number, name, ...) \
	sm_findings_add_caused(findings, row_number, name, SM_NO_CAUSE, __VA_ARGS__)

/* Leave out all problems with a cause. */
extern void sm_findings_leave_out(SmFindings *findings, SmProblemName name, uint64 number);

/* Add the loc of the next row; s is NULL for none. */
extern void sm_findings_add_loc(SmFindings *findings, SmSpan loc);

/* Put all problems into the result of sitemap_audit, and end. */
extern void sm_findings_put(SmFindings *findings, Tuplestorestate *result, TupleDesc desc);

#endif
