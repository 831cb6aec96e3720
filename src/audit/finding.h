/*
 * finding.h
 *	  The problems that an audit finds, in any order, become its result, in the order
 *	  of the rows, each with the loc of its row.
 */
#ifndef SM_FINDING_H
#define SM_FINDING_H

#include "server/problem.h"
#include "server/sort.h"
#include "utils/tuplestore.h"

/* The row number of problems of the set as a whole. */
#define SM_WHOLE_SET	PG_INT64_MAX

typedef struct SmFindings
{
	SmSort		problems;
	TupleDesc	block_desc;
	Tuplestorestate *blocks;	/* locs in UTF-8 of all rows that have one,
								 * with their row numbers */
	StringInfoData block;		/* the last block so far */
} SmFindings;

/* Begin, in the current memory context. */
extern void sm_findings_begin(SmFindings *findings);

/* Add a problem of a row, or of the set.  detail is a sentence. */
extern void sm_findings_add(SmFindings *findings, int64 row_number, SmProblemName name,
							const char *detail);

/* Add the loc of a row, NULL for none.  Rows come in their order. */
extern void sm_findings_add_loc(SmFindings *findings, int64 row_number, SmSpan loc);

/* Put all problems into the result of sitemap_audit, and end. */
extern void sm_findings_put(SmFindings *findings, Tuplestorestate *result, TupleDesc desc);

#endif
