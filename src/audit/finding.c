/*
 * finding.c
 *	  Takes the problems of an audit in any order, and returns them in the order of
 *	  the rows, each with the loc of its row.
 *
 * Problems between rows are found after the last row, so all problems are sorted by row.
 * Each then gets its loc from a copy of all locs, which is in the order of the rows.
 *
 * Example: the locs /x, ftp://a/ and http://A/x of rows 1 to 3; the problems
 * "2 loc_invalid" and, after the last row, "3 loc_duplicate".  The result is
 *
 *	  2 ftp://a/ loc_invalid,  3 http://A/x loc_duplicate
 *
 * The sort and the copy each use up to work_mem, and beyond that a temporary file.
 */
#include "postgres.h"

#include "audit/finding.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

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
	static const Oid loc_types[] = {TEXTOID};

	sm_sort_begin(&findings->problems, PROBLEM_NCOLUMNS, problem_types, PROBLEM_NCOLUMNS);
	findings->loc_desc = sm_sort_desc(lengthof(loc_types), loc_types);
	findings->locs = tuplestore_begin_heap(false, false, work_mem);
}

void
sm_findings_add(SmFindings *findings, int64 row_number, SmProblemName name, const char *detail)
{
	Datum	   *values = sm_sort_row(&findings->problems);
	text	   *detail_text = cstring_to_text(detail);

	values[PROBLEM_ROW] = Int64GetDatum(row_number);
	values[PROBLEM_NAME] = Int64GetDatum(name);
	values[PROBLEM_DETAIL] = PointerGetDatum(detail_text);
	sm_sort_put(&findings->problems);
	pfree(detail_text);			/* a row can have many problems */
}

void
sm_findings_add_loc(SmFindings *findings, SmSpan loc)
{
	Datum		value = (Datum) 0;
	bool		is_null = loc.s == NULL;

	if (!is_null)
		value = PointerGetDatum(cstring_to_text_with_len(loc.s, (int) loc.len));
	tuplestore_putvalues(findings->locs, findings->loc_desc, &value, &is_null);
}

/* The loc in a row of locs, in the encoding of the database; NULL for none. */
static text *
slot_loc(TupleTableSlot *slot)
{
	text	   *loc;

	if (slot_attisnull(slot, 1))
		return NULL;
	loc = (text *) DatumGetPointer(slot->tts_values[0]);
	return sm_to_text(sm_span(VARDATA_ANY(loc), VARSIZE_ANY_EXHDR(loc)));
}

void
sm_findings_put(SmFindings *findings, Tuplestorestate *result, TupleDesc desc)
{
	MemoryContext row_context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_audit row",
													  ALLOCSET_DEFAULT_SIZES);
	TupleTableSlot *slot = MakeSingleTupleTableSlot(findings->loc_desc, &TTSOpsMinimalTuple);
	int64		nread = 0;		/* locs read; the slot has the last one */
	const Datum *problem;

	sm_sort_perform(&findings->problems);
	while ((problem = sm_sort_next(&findings->problems)) != NULL)
	{
		int64		row_number = DatumGetInt64(problem[PROBLEM_ROW]);
		text	   *loc = NULL;
		Datum		values[RESULT_NCOLUMNS];
		bool		nulls[RESULT_NCOLUMNS] = {false};
		MemoryContext oldcontext;

		/* several problems can have the same row */
		for (; row_number != SM_WHOLE_SET && nread < row_number; nread++)
		{
			CHECK_FOR_INTERRUPTS();
			tuplestore_gettupleslot(findings->locs, true, false, slot);
		}

		MemoryContextReset(row_context);
		oldcontext = MemoryContextSwitchTo(row_context);
		if (row_number != SM_WHOLE_SET)
			loc = slot_loc(slot);
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
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_end(findings->locs);
	sm_sort_end(&findings->problems);
}
