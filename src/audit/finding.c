/*
 * finding.c
 *	  Sorts the problems of an audit by row, and finds the loc of each in a copy of all
 *	  locs, which is in the order of the rows.
 *
 * Example: the locs /x, ftp://a/ and http://A/x of rows 1 to 3; the problems
 * "2 loc_invalid" and, after the last row, "3 loc_duplicate".  The result is
 *
 *	  2 ftp://a/ loc_invalid,  3 http://A/x loc_duplicate
 *
 * The sort uses up to work_mem, and beyond that temporary files.  The copy is a temporary
 * file: for each row the length of its loc, or NO_LOC, and the loc.
 */
#include "postgres.h"

#include "audit/finding.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#define NO_LOC	(-1)

/* Columns of the sort of problems. */
enum
{
	PROBLEM_ROW,
	PROBLEM_NAME,
	PROBLEM_DETAIL,
	PROBLEM_NCOLUMNS
};

/* Columns of the result. */
enum
{
	RESULT_ROW,
	RESULT_LOC,
	RESULT_PROBLEM,
	RESULT_DETAIL,
	RESULT_NCOLUMNS
};

void
sm_findings_begin(SmFindings *findings)
{
	static const Oid problem_types[] = {
		[PROBLEM_ROW] = INT8OID,[PROBLEM_NAME] = INT8OID,[PROBLEM_DETAIL] = TEXTOID
	};

	sm_sort_begin(&findings->problems, PROBLEM_NCOLUMNS, problem_types, PROBLEM_NCOLUMNS);
	findings->locs = BufFileCreateTemp(false);
}

void
sm_findings_add_detail(SmFindings *findings, int64 row_number, SmProblemName name, char *detail)
{
	Datum	   *values = sm_sort_row(&findings->problems);
	text	   *detail_text = cstring_to_text(detail);

	values[PROBLEM_ROW] = Int64GetDatum(row_number);
	values[PROBLEM_NAME] = Int64GetDatum(name);
	values[PROBLEM_DETAIL] = PointerGetDatum(detail_text);
	sm_sort_put(&findings->problems);
	/* a row can have many problems */
	pfree(detail_text);
	pfree(detail);
}

void
sm_findings_add_loc(SmFindings *findings, SmSpan loc)
{
	int64		len = loc.s ? (int64) loc.len : NO_LOC;

	BufFileWrite(findings->locs, &len, sizeof(len));
	if (len > 0)
		BufFileWrite(findings->locs, unconstify(char *, loc.s), loc.len);
}

static void
read_exactly(BufFile *file, void *data, size_t len)
{
	if (BufFileRead(file, data, len) != len)
		elog(ERROR, "unexpected end of the copy of locs");
}

/* Read the next loc.  Returns false if the row has none. */
static bool
read_loc(SmFindings *findings, StringInfo loc)
{
	int64		len;

	read_exactly(findings->locs, &len, sizeof(len));
	resetStringInfo(loc);
	if (len == NO_LOC)
		return false;
	enlargeStringInfo(loc, (int) len);
	read_exactly(findings->locs, loc->data, len);
	loc->len = (int) len;
	return true;
}

void
sm_findings_put(SmFindings *findings, Tuplestorestate *result, TupleDesc desc)
{
	MemoryContext row_context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_audit row",
													  ALLOCSET_DEFAULT_SIZES);
	int64		nread = 0;		/* locs read */
	StringInfoData last;		/* the last of them */
	bool		has_loc = false;
	const Datum *problem;

	initStringInfo(&last);
	if (BufFileSeek(findings->locs, 0, 0, SEEK_SET) != 0)
		elog(ERROR, "could not go to the start of the copy of locs");
	while ((problem = sm_sort_next(&findings->problems)) != NULL)
	{
		int64		row_number = DatumGetInt64(problem[PROBLEM_ROW]);
		text	   *loc = NULL;
		Datum		values[RESULT_NCOLUMNS];
		bool		nulls[RESULT_NCOLUMNS] = {false};
		MemoryContext oldcontext;

		if (DatumGetInt64(problem[PROBLEM_NAME]) == findings->left_out)
			continue;

		/* several problems can have the same row */
		for (; row_number != SM_WHOLE_SET && nread < row_number; nread++)
		{
			CHECK_FOR_INTERRUPTS();
			has_loc = read_loc(findings, &last);
		}

		MemoryContextReset(row_context);
		oldcontext = MemoryContextSwitchTo(row_context);
		if (row_number != SM_WHOLE_SET && has_loc)
			loc = sm_to_text(sm_without_secret(sm_span(last.data, last.len)));
		values[RESULT_ROW] = problem[PROBLEM_ROW];
		nulls[RESULT_ROW] = row_number == SM_WHOLE_SET;
		values[RESULT_LOC] = PointerGetDatum(loc);
		nulls[RESULT_LOC] = loc == NULL;
		values[RESULT_PROBLEM] =
			CStringGetTextDatum(sm_problem_names[DatumGetInt64(problem[PROBLEM_NAME])]);
		values[RESULT_DETAIL] = problem[PROBLEM_DETAIL];
		tuplestore_putvalues(result, desc, values, nulls);
		MemoryContextSwitchTo(oldcontext);
	}
	BufFileClose(findings->locs);
	sm_sort_end(&findings->problems);
}
