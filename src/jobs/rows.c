/*
 * rows.c
 *	  Each SELECT lists the columns that it returns, in the order of SmJobColumn.
 */
#include "postgres.h"

#include "jobs/rows.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* A set of columns. */
#define COLUMN(column)	(UINT64CONST(1) << (column))

StaticAssertDecl(SM_JOB_NCOLUMNS < 64, "the columns of a job must fit into a word");

#define ALL_COLUMNS		(COLUMN(SM_JOB_NCOLUMNS) - 1)

#define LIST_COLUMNS \
	(COLUMN(SM_JOB_TARGET) | COLUMN(SM_JOB_BASE_URL) | COLUMN(SM_JOB_SECTION) | \
	 COLUMN(SM_JOB_EVERY) | COLUMN(SM_JOB_REQUESTED) | COLUMN(SM_JOB_STARTED) | \
	 COLUMN(SM_JOB_FINISHED) | COLUMN(SM_JOB_FAILURES))

/* those of the schedule, and those that sitemap_run writes */
#define LOCKED_COLUMNS \
	(LIST_COLUMNS | (ALL_COLUMNS & ~(COLUMN(SM_JOB_EVERY) - 1)))

#define SITE_COLUMNS \
	(COLUMN(SM_JOB_TARGET) | COLUMN(SM_JOB_SECTION) | COLUMN(SM_JOB_DIRECTORY) | \
	 COLUMN(SM_JOB_STARTED) | COLUMN(SM_JOB_FILES))

static const uint64 step_columns[SM_JOB_NSTEPS] = {
	[SM_JOB_STARTS] = COLUMN(SM_JOB_REQUESTED) | COLUMN(SM_JOB_STARTED) |
	COLUMN(SM_JOB_FINISHED) | COLUMN(SM_JOB_ERROR) | COLUMN(SM_JOB_FAILURES),
#define RESULTS \
	(COLUMN(SM_JOB_SINCE) | COLUMN(SM_JOB_FULL_AT) | COLUMN(SM_JOB_URLS) | COLUMN(SM_JOB_FILES) | \
	 COLUMN(SM_JOB_WRITTEN) | COLUMN(SM_JOB_MISSED) | COLUMN(SM_JOB_SKIPPED) | COLUMN(SM_JOB_REASON))
#define SUCCESS \
	(COLUMN(SM_JOB_FINISHED) | COLUMN(SM_JOB_SECONDS) | COLUMN(SM_JOB_ERROR) | COLUMN(SM_JOB_FAILURES))
	[SM_JOB_IS_PUBLISHED] = RESULTS,
	[SM_JOB_SUCCEEDS] = SUCCESS,
	[SM_JOB_IS_PUBLISHED_AND_SUCCEEDS] = RESULTS | SUCCESS,
	[SM_JOB_FAILS] = COLUMN(SM_JOB_ERROR) | COLUMN(SM_JOB_FAILURES)
};

#define STARTED		"COALESCE(job.started, '-infinity'::pg_catalog.timestamptz)"

/* Conditions on the parameters $1, the base_url, $2, the section, and $3, the start. */
#define OF_SITE		"job.base_url OPERATOR(pg_catalog.=) $1"
#define OF_JOB		OF_SITE " AND job.section OPERATOR(pg_catalog.=) $2"
#define OF_START	OF_JOB " AND " STARTED " OPERATOR(pg_catalog.=) $3"

/* Does the table have a column of the set? */
static bool
has_column(const SmJobRows *rows, uint64 columns, int column)
{
	return (columns & COLUMN(column)) != 0 && rows->jobs.numbers[column] > 0;
}

/* The names of columns, for a SELECT. */
static char *
column_names(const SmJobRows *rows, uint64 columns)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < SM_JOB_NCOLUMNS; i++)
		if (has_column(rows, columns, i))
			appendStringInfo(&names, "%sjob.%s", names.len > 0 ? ", " : "", sm_job_columns[i].name);
	return names.data;
}

/* Number columns from first on, and the others 0.  Returns the number after the last. */
static AttrNumber
number_columns(const SmJobRows *rows, uint64 columns, AttrNumber first, AttrNumber *numbers)
{
	for (int i = 0; i < SM_JOB_NCOLUMNS; i++)
		numbers[i] = has_column(rows, columns, i) ? first++ : 0;
	return first;
}

/* The text of a statement. */
static char *
statement_text(const SmJobRows *rows, int which)
{
	AttrNumber	numbers[SM_JOB_NCOLUMNS];
	StringInfoData text;

	switch (which)
	{
		case SM_ROWS_FIRST:

			/*
			 * one row, in the order of the keys: without ORDER BY, which
			 * would lock them all
			 */
			return pstrdup("SELECT listed.n"
						   " FROM unnest($1, $2, $3) WITH ORDINALITY AS listed (base_url, section, started, n),"
						   " LATERAL (SELECT FROM @table AS job"
						   " WHERE job.base_url OPERATOR(pg_catalog.=) listed.base_url"
						   " AND job.section OPERATOR(pg_catalog.=) listed.section"
						   " AND " STARTED " OPERATOR(pg_catalog.=) listed.started"
						   " LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS job LIMIT 1");
		case SM_ROWS_FREE:
		case SM_ROWS_LOCKED:
			return psprintf("SELECT %s FROM @table AS job WHERE " OF_START " FOR NO KEY UPDATE%s",
							column_names(rows, LOCKED_COLUMNS),
							which == SM_ROWS_FREE ? " SKIP LOCKED" : "");
		case SM_ROWS_ANY:
			return pstrdup("SELECT FROM @table AS job WHERE " OF_START);
		case SM_ROWS_SITE:
			return psprintf("SELECT %s FROM @table AS job WHERE " OF_SITE, column_names(rows, SITE_COLUMNS));
	}
	number_columns(rows, step_columns[which - SM_ROWS_STEPS], 3, numbers);
	initStringInfo(&text);
	for (int i = 0; i < SM_JOB_NCOLUMNS; i++)
		if (numbers[i] > 0)
			appendStringInfo(&text, "%s %s = $%d", text.len > 0 ? "," : "UPDATE @table AS job SET",
							 sm_job_columns[i].name, numbers[i]);
	appendStringInfoString(&text, " WHERE " OF_JOB);
	if (which == SM_ROWS_STEPS + SM_JOB_STARTS)
		appendStringInfo(&text, " RETURNING %s", column_names(rows, ALL_COLUMNS));
	return text.data;
}

/* Run a statement, which is prepared when it is run for the first time. */
static SmResult
execute_prepared(SmJobRows *rows, int which, ParamListInfo params)
{
	if (rows->statements[which] == NULL)
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(rows->context);

		/* no call adds jobs, so a generic plan stays good */
		rows->statements[which] = sm_table_prepare(&rows->jobs.table, statement_text(rows, which),
												   CURSOR_OPT_GENERIC_PLAN);
		MemoryContextSwitchTo(oldcontext);
	}
	return sm_statement_execute(rows->statements[which], params, SM_WRITE);
}

/* Read a row of a result that has these columns. */
static void
read_row(const SmJobRows *rows, SPITupleTable *result, uint64 row, uint64 columns, SmJob *job)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(result->tupdesc, &TTSOpsHeapTuple);
	AttrNumber	numbers[SM_JOB_NCOLUMNS];

	number_columns(rows, columns, 1, numbers);
	ExecStoreHeapTuple(result->vals[row], slot, false);
	sm_job_read(job, numbers, slot);
	ExecDropSingleTupleTableSlot(slot);
}

void
sm_rows_list(SmJobRows *rows, AttrNumber *numbers, SmReceiver *receiver)
{
	number_columns(rows, LIST_COLUMNS, 1, numbers);
	sm_table_execute(&rows->jobs.table,
					 psprintf("SELECT %s FROM @table AS job", column_names(rows, LIST_COLUMNS)),
					 makeParamList(0), SM_READ_NEWEST, &receiver->dest);
}

/* The parameters that find a row, and more. */
static ParamListInfo
key_parameters(const SmJobKey *key, int n)
{
	ParamListInfo params = makeParamList(n);

	sm_set_parameter(params, 1, TEXTOID, CStringGetTextDatum(key->base_url), false);
	sm_set_parameter(params, 2, TEXTOID, CStringGetTextDatum(key->section), false);
	return params;
}

static ParamListInfo
start_parameters(const SmJobKey *key)
{
	ParamListInfo params = key_parameters(key, 3);

	sm_set_parameter(params, 3, TIMESTAMPTZOID, TimestampTzGetDatum(key->started), false);
	return params;
}

/* Lock a row of a key.  Returns whether it is there. */
static bool
lock_row(SmJobRows *rows, int which, const SmJobKey *key, SmJob *job)
{
	SmResult	result = execute_prepared(rows, which, start_parameters(key));

	if (result.count > 0)
		read_row(rows, result.rows, 0, LOCKED_COLUMNS, job);
	return result.count > 0;
}

bool
sm_rows_lock_free(SmJobRows *rows, const SmJobKey *key, SmJob *job)
{
	return lock_row(rows, SM_ROWS_FREE, key, job);
}

bool
sm_rows_lock(SmJobRows *rows, const SmJobKey *key, SmJob *job)
{
	return lock_row(rows, SM_ROWS_LOCKED, key, job);
}

int
sm_rows_lock_first(SmJobRows *rows, const SmJobKey *keys, int n)
{
	ParamListInfo params = makeParamList(3);
	Datum	   *base_urls = palloc_array(Datum, n);
	Datum	   *sections = palloc_array(Datum, n);
	Datum	   *starts = palloc_array(Datum, n);
	SmResult	result;
	bool		isnull;

	for (int i = 0; i < n; i++)
	{
		base_urls[i] = CStringGetTextDatum(keys[i].base_url);
		sections[i] = CStringGetTextDatum(keys[i].section);
		starts[i] = TimestampTzGetDatum(keys[i].started);
	}
	sm_set_parameter(params, 1, TEXTARRAYOID,
					 PointerGetDatum(construct_array(base_urls, n, TEXTOID, -1, false, TYPALIGN_INT)), false);
	sm_set_parameter(params, 2, TEXTARRAYOID,
					 PointerGetDatum(construct_array(sections, n, TEXTOID, -1, false, TYPALIGN_INT)), false);
	sm_set_parameter(params, 3, TIMESTAMPTZARRAYOID,
					 PointerGetDatum(construct_array(starts, n, TIMESTAMPTZOID, sizeof(TimestampTz),
													 FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)), false);
	result = execute_prepared(rows, SM_ROWS_FIRST, params);
	if (result.count == 0)
		return -1;
	return DatumGetInt64(SPI_getbinval(result.rows->vals[0], result.rows->tupdesc, 1, &isnull)) - 1;
}

bool
sm_rows_has(SmJobRows *rows, const SmJobKey *key)
{
	return execute_prepared(rows, SM_ROWS_ANY, start_parameters(key)).count > 0;
}

SmJob *
sm_rows_site(SmJobRows *rows, char *base_url, int *n)
{
	const char *values[] = {base_url};
	SmResult	result = execute_prepared(rows, SM_ROWS_SITE, sm_text_parameters(1, values));
	SmJob	   *jobs = palloc_array(SmJob, result.count);

	for (uint64 i = 0; i < result.count; i++)
		read_row(rows, result.rows, i, SITE_COLUMNS, &jobs[i]);
	*n = (int) result.count;
	return jobs;
}

void
sm_rows_write(SmJobRows *rows, const SmJobKey *key, SmJobStep step, SmJob *job)
{
	AttrNumber	numbers[SM_JOB_NCOLUMNS];
	int			end = number_columns(rows, step_columns[step], 3, numbers);
	ParamListInfo params = key_parameters(key, end - 1);
	SmResult	result;

	for (int i = 0; i < SM_JOB_NCOLUMNS; i++)
		if (numbers[i] > 0)
			sm_set_parameter(params, numbers[i], sm_job_columns[i].type, job->values[i].value,
							 job->values[i].isnull);
	result = execute_prepared(rows, SM_ROWS_STEPS + step, params);
	if (result.count != 1)
		ereport(ERROR,
				(errcode(ERRCODE_TRIGGERED_ACTION_EXCEPTION),
				 errmsg("the row of the job was not updated"),
				 errdetail("A trigger or a rule of the table of jobs prevents that.")));
	if (step == SM_JOB_STARTS)
		read_row(rows, result.rows, 0, ALL_COLUMNS, job);
}
