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

/* More causes than a set has; problems with others are listed. */
#define MAX_CAUSES	1000

/* Why rows have problems with one name. */
typedef struct Cause
{
	uint64		key;			/* a hash of the name and the cause's number */
	SmProblemName name;
	bool		is_once;		/* is it told once, whatever n? */
	bool		is_left_out;
	int64		n;				/* problems */
	int64		first_row;
	char	   *detail;			/* of the first row */
} Cause;

/* Columns of the sort of problems. */
enum
{
	PROBLEM_ROW,
	PROBLEM_NAME,
	PROBLEM_DETAIL,
	PROBLEM_CAUSE,				/* its key, or 0 */
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

	HASHCTL		control = {.keysize = sizeof(uint64),.entrysize = sizeof(Cause),.hcxt = CurrentMemoryContext};

	sm_sort_begin(&findings->problems, PROBLEM_NCOLUMNS, problem_types, PROBLEM_NCOLUMNS);
	findings->locs = BufFileCreateTemp(false);
	findings->nrows = 0;
	findings->causes = hash_create("sitemap_audit causes", MAX_CAUSES, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	findings->context = CurrentMemoryContext;
}

static void
put_problem(SmFindings *findings, int64 row_number, SmProblemName name, uint64 cause, char *detail)
{
	Datum	   *values = sm_sort_row(&findings->problems);
	text	   *detail_text = cstring_to_text(detail);

	values[PROBLEM_ROW] = Int64GetDatum(row_number);
	values[PROBLEM_NAME] = Int64GetDatum(name);
	values[PROBLEM_DETAIL] = PointerGetDatum(detail_text);
	values[PROBLEM_CAUSE] = Int64GetDatum((int64) cause);
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

/* The key of a cause, which is not 0. */
static uint64
cause_key(SmProblemName name, uint64 cause)
{
	return sm_digest((char *) &cause, sizeof(cause), name) | 1;
}

/* Count a problem with a cause.  Returns NULL if there are too many causes. */
static Cause *
count_problem(SmFindings *findings, int64 row_number, SmProblemName name, uint64 number,
			  const char *detail)
{
	uint64		key = cause_key(name, number);
	bool		is_full = hash_get_num_entries(findings->causes) == MAX_CAUSES;
	bool		found;
	Cause	   *cause = hash_search(findings->causes, &key, is_full ? HASH_FIND : HASH_ENTER, &found);

	if (cause == NULL)
		return NULL;
	if (!found)
		*cause = (Cause)
	{
		.key = key,.name = name,.first_row = SM_WHOLE_SET
	};
	if (row_number < cause->first_row)
	{
		if (cause->detail)
			pfree(cause->detail);
		cause->first_row = row_number;
		cause->detail = MemoryContextStrdup(findings->context, detail);
	}
	cause->n++;
	return cause;
}

void
sm_findings_add_caused(SmFindings *findings, int64 row_number, SmProblemName name, uint64 number,
					   char *detail)
{
	const Cause *cause = count_problem(findings, row_number, name, number, detail);

	put_problem(findings, row_number, name, cause ? cause->key : 0, detail);
}

void
sm_findings_add_once(SmFindings *findings, int64 row_number, SmProblemName name, uint64 number,
					 char *detail)
{
	Cause	   *cause = count_problem(findings, row_number, name, number, detail);

	if (cause == NULL)
	{
		put_problem(findings, row_number, name, 0, detail);
		return;
	}
	cause->is_once = true;
	pfree(detail);
}

void
sm_findings_leave_out(SmFindings *findings, SmProblemName name, uint64 number)
{
	uint64		key = cause_key(name, number);
	Cause	   *cause = hash_search(findings->causes, &key, HASH_FIND, NULL);

	if (cause)
		cause->is_left_out = true;
}

/* Add the problems that are told once, and leave out the others with their causes. */
static void
tell_causes(SmFindings *findings)
{
	HASH_SEQ_STATUS status;
	Cause	   *cause;

	hash_seq_init(&status, findings->causes);
	while ((cause = hash_seq_search(&status)) != NULL)
	{
		if (cause->is_left_out ||
			!(cause->is_once || (cause->n > LISTED_MAX && cause->n > findings->nrows / 2)))
			continue;
		cause->is_left_out = true;
		put_problem(findings, cause->first_row, cause->name, 0,
					cause->n == 1 ? pstrdup(cause->detail) :
					psprintf("%s This is found " INT64_FORMAT " times.", cause->detail, cause->n));
	}
}

void
sm_findings_add_loc(SmFindings *findings, SmSpan loc)
{
	int64		len = loc.s ? (int64) loc.len : NO_LOC;

	findings->nrows++;
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

	tell_causes(findings);
	initStringInfo(&last);
	if (BufFileSeek(findings->locs, 0, 0, SEEK_SET) != 0)
		elog(ERROR, "could not go to the start of the copy of locs");
	while ((problem = sm_sort_next(&findings->problems)) != NULL)
	{
		int64		row_number = DatumGetInt64(problem[PROBLEM_ROW]);
		int64		key = DatumGetInt64(problem[PROBLEM_CAUSE]);
		const Cause *cause = hash_search(findings->causes, &key, HASH_FIND, NULL);
		text	   *loc = NULL;
		Datum		values[RESULT_NCOLUMNS];
		bool		nulls[RESULT_NCOLUMNS] = {false};
		MemoryContext oldcontext;

		if (cause && cause->is_left_out)
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
