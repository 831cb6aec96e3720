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
 * The sort uses up to work_mem and beyond that temporary files; the copy is a temporary file.
 */
#include "postgres.h"

#include "audit/finding.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "text/digest.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Stands for the length of a loc that is NULL. */
#define NO_LOC		(-1)

/* Stands for the key of a cause. */
#define NO_CAUSE	0

/* As many problems with one cause are listed. */
#define LISTED_MAX	20

/* More causes than a set has; problems with others are listed. */
#define MAX_CAUSES	1000

/* How the problems with one name are told. */
typedef enum Telling
{
	EACH,						/* without a number, none has a cause */
	BY_COLUMN,					/* a column or expression is their cause */
	ONCE						/* the cause is not in a page */
} Telling;

/* No problem that a run refuses is BY_COLUMN: all such rows are listed. */
static const Telling tellings[SM_NPROBLEMS] = {
	[SM_NAMESPACE_UNKNOWN] = ONCE,
	[SM_HREFLANG_NOT_SUPPORTED] = ONCE,
	[SM_HREFLANG_SUSPICIOUS] = ONCE,
	[SM_HREFLANG_UNLISTED] = ONCE,
	[SM_LASTMOD_NOW] = ONCE,
	[SM_ROBOTS_BLOCKS_SITEMAP] = ONCE,
	[SM_ROBOTS_UNCHECKED] = ONCE,
	[SM_LOC_FRAGMENT] = BY_COLUMN,
	[SM_DATE_BEFORE_1970] = BY_COLUMN,
	[SM_LASTMOD_IN_FUTURE] = BY_COLUMN,
	[SM_NEWS_TOO_OLD] = BY_COLUMN,
	[SM_HREFLANG_SAME_URL] = BY_COLUMN,
	[SM_HREFLANG_NOT_RECIPROCAL] = BY_COLUMN
};

/* Why rows have problems with one name. */
typedef struct Cause
{
	uint64		key;			/* a hash of the name and the cause's number */
	int64		n;				/* problems */
	int64		nrows;			/* that have them */
	int64		last_row;		/* the last of these rows */
	bool		is_done;		/* are its problems, or the rest of them, left
								 * out? */
} Cause;

/* Columns of the sort of problems. */
enum
{
	PROBLEM_ROW,
	PROBLEM_NAME,
	PROBLEM_DETAIL,
	PROBLEM_CAUSE,				/* its key, or NO_CAUSE */
	PROBLEM_NCOLUMNS
};

void
sm_findings_begin(SmFindings *findings)
{
	static const Oid problem_types[] = {
		[PROBLEM_ROW] = INT8OID,[PROBLEM_NAME] = INT8OID,[PROBLEM_DETAIL] = TEXTOID,
		[PROBLEM_CAUSE] = INT8OID
	};

	HASHCTL		control = {.keysize = sizeof(uint64),.entrysize = sizeof(Cause)};

	findings->locs = BufFileCreateTemp(false);
	findings->nrows = 0;
	sm_sort_begin(&findings->problems, PROBLEM_NCOLUMNS, problem_types, PROBLEM_NCOLUMNS);
	control.hcxt = CurrentMemoryContext;
	findings->causes = hash_create("sitemap_audit causes", MAX_CAUSES, &control,
								   HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

/* Find a cause, or add it.  Returns NULL if there are too many. */
static Cause *
find_cause(SmFindings *findings, SmProblemName name, uint64 number)
{
	uint64		key = sm_digest(&number, sizeof(number), name) | 1; /* not NO_CAUSE */
	bool		is_full = hash_get_num_entries(findings->causes) == MAX_CAUSES;
	bool		found;
	Cause	   *cause = hash_search(findings->causes, &key, is_full ? HASH_FIND : HASH_ENTER,
									&found);

	if (cause && !found)
		*cause = (Cause)
	{
		.key = key
	};
	return cause;
}

void
sm_findings_add_detail(SmFindings *findings, int64 row_number, SmProblemName name, uint64 number,
					   char *detail)
{
	Cause	   *cause = number == SM_NO_CAUSE && tellings[name] != BY_COLUMN ? NULL :
		find_cause(findings, name, number);
	Datum	   *values = sm_sort_row(&findings->problems);
	text	   *detail_text = cstring_to_text(detail);

	if (cause)
	{
		cause->n++;
		cause->nrows += row_number != cause->last_row;
		cause->last_row = row_number;
	}
	values[PROBLEM_ROW] = Int64GetDatum(row_number);
	values[PROBLEM_NAME] = Int64GetDatum(name);
	values[PROBLEM_DETAIL] = PointerGetDatum(detail_text);
	values[PROBLEM_CAUSE] = Int64GetDatum(cause ? (int64) cause->key : NO_CAUSE);
	sm_sort_put(&findings->problems);
	/* a row can have many problems */
	pfree(detail_text);
	pfree(detail);
}

void
sm_findings_leave_out(SmFindings *findings, SmProblemName name, uint64 number)
{
	Cause	   *cause = find_cause(findings, name, number);

	if (cause)
		cause->is_done = true;
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

/* Read the next loc of the copy.  Returns false if the row has none. */
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

/*
 * Put a problem into the result.  If others with its cause are not told, its detail says how
 * many there are.
 */
static void
put_finding(const SmFindings *findings, const Datum *problem, Cause *cause, text *loc,
			Tuplestorestate *result, TupleDesc desc)
{
	SmProblemName name = DatumGetInt64(problem[PROBLEM_NAME]);

	/* row_number, loc, problem, detail */
	Datum		values[] = {
		problem[PROBLEM_ROW], PointerGetDatum(loc),
		CStringGetTextDatum(sm_problem_names[name]), problem[PROBLEM_DETAIL]
	};
	bool		nulls[] = {
		DatumGetInt64(problem[PROBLEM_ROW]) == SM_WHOLE_SET, loc == NULL, false, false
	};

	if (cause && cause->n > 1 &&
		(tellings[name] == ONCE || (cause->n > LISTED_MAX && cause->nrows > Max(1, findings->nrows / 2))))
	{
		values[3] = CStringGetTextDatum(psprintf("%s This is found " INT64_FORMAT " times.",
												 TextDatumGetCString(values[3]), cause->n));
		cause->is_done = true;
	}
	tuplestore_putvalues(result, desc, values, nulls);
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
		int64		key = DatumGetInt64(problem[PROBLEM_CAUSE]);
		Cause	   *cause = hash_search(findings->causes, &key, HASH_FIND, NULL);
		bool		is_row = row_number != SM_WHOLE_SET;
		text	   *loc = NULL;
		MemoryContext oldcontext;

		if (cause && cause->is_done)
			continue;

		/* several problems can have the same row */
		for (; is_row && nread < row_number; nread++)
		{
			CHECK_FOR_INTERRUPTS();
			has_loc = read_loc(findings, &last);
		}

		MemoryContextReset(row_context);
		oldcontext = MemoryContextSwitchTo(row_context);
		if (is_row && has_loc)
			loc = sm_to_text(sm_without_secret(sm_span(last.data, last.len)));
		put_finding(findings, problem, cause, loc, result, desc);
		MemoryContextSwitchTo(oldcontext);
	}
	BufFileClose(findings->locs);
	sm_sort_end(&findings->problems);
}
