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
#include "text/digest.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#define NO_LOC	(-1)

/* As many problems with one cause are listed. */
#define LISTED_MAX	20

/* Columns of the sort of problems. */
enum
{
	PROBLEM_ROW,
	PROBLEM_NAME,
	PROBLEM_DETAIL,
	PROBLEM_CAUSE,				/* its number, or 0 */
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
		[PROBLEM_ROW] = INT8OID,[PROBLEM_NAME] = INT8OID,[PROBLEM_DETAIL] = TEXTOID,
		[PROBLEM_CAUSE] = INT8OID
	};

	sm_sort_begin(&findings->problems, PROBLEM_NCOLUMNS, problem_types, PROBLEM_NCOLUMNS);
	findings->locs = BufFileCreateTemp(false);
	findings->context = CurrentMemoryContext;
}

static void
put_problem(SmFindings *findings, int64 row_number, SmProblemName name, int cause, char *detail)
{
	Datum	   *values = sm_sort_row(&findings->problems);
	text	   *detail_text = cstring_to_text(detail);

	values[PROBLEM_ROW] = Int64GetDatum(row_number);
	values[PROBLEM_NAME] = Int64GetDatum(name);
	values[PROBLEM_DETAIL] = PointerGetDatum(detail_text);
	values[PROBLEM_CAUSE] = Int64GetDatum(cause);
	sm_sort_put(&findings->problems);
	/* a row can have many problems */
	pfree(detail_text);
	pfree(detail);
}

void
sm_findings_add_detail(SmFindings *findings, int64 row_number, SmProblemName name, char *detail)
{
	put_problem(findings, row_number, name, 0, detail);
}

/* Count a row that has a problem with the cause.  Problems of one row follow each other. */
static void
count_row(SmCause *cause, int64 row_number)
{
	cause->nrows += cause->nrows == 0 || cause->last_row != row_number;
	cause->last_row = row_number;
}

void
sm_findings_add_caused(SmFindings *findings, int64 row_number, SmProblemName name, SmCause *cause,
					   char *detail)
{
	if (cause->number == 0)
		cause->number = ++findings->ncauses;
	count_row(cause, row_number);
	put_problem(findings, row_number, name, cause->number, detail);
}

void
sm_findings_leave_out(SmFindings *findings, const SmCause *cause)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(findings->context);

	if (cause->number > 0)
		findings->left_out = bms_add_member(findings->left_out, cause->number);
	MemoryContextSwitchTo(oldcontext);
}

bool
sm_findings_are_one(SmFindings *findings, const SmCause *cause, int64 npages)
{
	if (cause->nrows <= LISTED_MAX || cause->nrows <= npages / 2)
		return false;
	sm_findings_leave_out(findings, cause);
	return true;
}

/* Add a problem that is told once, with the number of its rows. */
static void
tell(SmFindings *findings, SmTold *told)
{
	if (told->hash == 0)
		return;
	sm_findings_add_detail(findings, told->first_row, told->name,
						   told->cause.nrows == 1 ? pstrdup(told->detail) :
						   psprintf("%s The same is in " INT64_FORMAT " rows.", told->detail, told->cause.nrows));
	pfree(told->detail);
	memset(told, 0, sizeof(*told));
}

void
sm_findings_add_once(SmFindings *findings, int64 row_number, SmProblemName name, char *detail)
{
	uint64		hash = sm_digest(detail, strlen(detail), name) | 1;
	SmTold	   *told = &findings->told[hash / 2 % SM_NTOLD];

	if (told->hash != hash)
	{
		tell(findings, told);
		told->hash = hash;
		told->name = name;
		told->first_row = row_number;
		told->detail = MemoryContextStrdup(findings->context, detail);
	}
	count_row(&told->cause, row_number);
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

	for (int i = 0; i < SM_NTOLD; i++)
		tell(findings, &findings->told[i]);
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

		if (bms_is_member((int) DatumGetInt64(problem[PROBLEM_CAUSE]), findings->left_out))
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
