/*
 * rows.c
 *	  Each statement returns all columns, in the order of SmJobColumn.
 */
#include "postgres.h"

#include "jobs/rows.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"

/* The first of the columns that sitemap_run writes; they are the last of a job. */
#define FIRST_WRITTEN	SM_JOB_REQUESTED

/* Conditions on a base_url, a section and a start. */
#define OF_SITE(base_url)	"job.base_url OPERATOR(pg_catalog.=) " base_url
#define OF_JOB(base_url, section) \
	OF_SITE(base_url) " AND job.section OPERATOR(pg_catalog.=) " section
#define OF_START(base_url, section, started) \
	OF_JOB(base_url, section) \
	" AND COALESCE(job.started, '-infinity'::pg_catalog.timestamptz) OPERATOR(pg_catalog.=) " started

/* The text of a statement.  A column that the table lacks is NULL. */
static char *
statement_text(const SmJobRows *rows, int which)
{
	StringInfoData columns;
	StringInfoData set;

	initStringInfo(&columns);
	initStringInfo(&set);
	for (int i = 0; i < SM_JOB_NCOLUMNS; i++)
	{
		const char *name = sm_job_columns[i].name;
		bool		is_there = sm_table_has_column(&rows->table, i);

		appendStringInfoString(&columns, i > 0 ? ", " : "");
		if (is_there)
			appendStringInfo(&columns, "job.%s", name);
		else
			appendStringInfo(&columns, "NULL::%s", format_type_extended(sm_job_columns[i].type, -1, FORMAT_TYPE_FORCE_QUALIFY));
		if (i >= FIRST_WRITTEN && is_there)
			appendStringInfo(&set, "%s%s = $%d", set.len > 0 ? ", " : "", name, i - FIRST_WRITTEN + 3);
	}
	switch (which)
	{
		case SM_ROWS_FIND:
		case SM_ROWS_LOCK:
			return psprintf("SELECT %s FROM @table AS job WHERE " OF_START("$1", "$2", "$3") "%s",
							columns.data, which == SM_ROWS_LOCK ? " FOR NO KEY UPDATE" : "");
		case SM_ROWS_LOCK_FIRST:

			/*
			 * one row, in the order of the keys: without ORDER BY, which
			 * would lock them all
			 */
			return psprintf("SELECT job.*, listed.n"
							" FROM unnest($1, $2, $3) WITH ORDINALITY AS listed (base_url, section, started, n),"
							" LATERAL (SELECT %s FROM @table AS job"
							" WHERE " OF_START("listed.base_url", "listed.section", "listed.started")
							" LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS job LIMIT 1", columns.data);
		case SM_ROWS_SITE:
			return psprintf("SELECT %s FROM @table AS job WHERE " OF_SITE("$1"), columns.data);
		default:
			return psprintf("UPDATE @table AS job SET %s WHERE " OF_JOB("$1", "$2") " RETURNING %s",
							set.data, columns.data);
	}
}

/* Run a statement, which is prepared when it is run for the first time. */
static SmResult
execute_prepared(SmJobRows *rows, int which, ParamListInfo params)
{
	if (rows->statements[which] == NULL)
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(rows->context);

		/* no call adds jobs, so a generic plan stays good */
		rows->statements[which] = sm_table_prepare(&rows->table, statement_text(rows, which),
												   CURSOR_OPT_GENERIC_PLAN);
		MemoryContextSwitchTo(oldcontext);
	}
	return sm_statement_execute(rows->statements[which], params, SM_WRITE);
}

/* Read a row of a result. */
static void
read_row(SmResult result, uint64 row, SmJob *job)
{
	TupleDesc	desc = result.rows->tupdesc;
	Datum	   *values = palloc_array(Datum, desc->natts);
	bool	   *nulls = palloc_array(bool, desc->natts);

	heap_deform_tuple(result.rows->vals[row], desc, values, nulls);
	for (int i = 0; i < SM_JOB_NCOLUMNS; i++)
		job->values[i] = (NullableDatum)
	{
		values[i], nulls[i]
	};
	pfree(values);
	pfree(nulls);
}

SmJobKey
sm_rows_key(const SmJob *job)
{
	return (SmJobKey)
	{
		sm_job_text(job, SM_JOB_BASE_URL), sm_job_text(job, SM_JOB_SECTION),
			sm_job_time(job, SM_JOB_STARTED)
	};
}

/* The parameters $1 and $2, a base_url and a section, and more. */
static ParamListInfo
key_parameters(const SmJobKey *key, int n)
{
	ParamListInfo params = makeParamList(n);

	sm_set_parameter(params, 1, TEXTOID, CStringGetTextDatum(key->base_url), false);
	sm_set_parameter(params, 2, TEXTOID, CStringGetTextDatum(key->section), false);
	return params;
}

static bool
find_row(SmJobRows *rows, int which, const SmJobKey *key, SmJob *job)
{
	ParamListInfo params = key_parameters(key, 3);
	SmResult	result;

	sm_set_parameter(params, 3, TIMESTAMPTZOID, TimestampTzGetDatum(key->started), false);
	result = execute_prepared(rows, which, params);
	if (result.count > 0)
		read_row(result, 0, job);
	return result.count > 0;
}

bool
sm_rows_find(SmJobRows *rows, const SmJobKey *key, SmJob *job)
{
	return find_row(rows, SM_ROWS_FIND, key, job);
}

bool
sm_rows_lock(SmJobRows *rows, const SmJobKey *key, SmJob *job)
{
	return find_row(rows, SM_ROWS_LOCK, key, job);
}

int
sm_rows_lock_first(SmJobRows *rows, const SmJobKey *keys, int n, SmJob *job)
{
	ParamListInfo params = makeParamList(3);
	Datum	   *base_urls = palloc_array(Datum, n);
	Datum	   *sections = palloc_array(Datum, n);
	Datum	   *starts = palloc_array(Datum, n);
	SmResult	result;
	int			level;
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

	/*
	 * PostgreSQL 18 crashes when it prunes partitions by the values of a
	 * join, and looks again at a row that was updated meanwhile
	 */
	level = NewGUCNestLevel();
	(void) set_config_option("enable_partition_pruning", "off", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	result = execute_prepared(rows, SM_ROWS_LOCK_FIRST, params);
	AtEOXact_GUC(true, level);
	if (result.count == 0)
		return -1;
	read_row(result, 0, job);
	return DatumGetInt64(SPI_getbinval(result.rows->vals[0], result.rows->tupdesc,
									   SM_JOB_NCOLUMNS + 1, &isnull)) - 1;
}

SmJob *
sm_rows_site(SmJobRows *rows, char *base_url, int *n)
{
	const char *values[] = {base_url};
	SmResult	result = execute_prepared(rows, SM_ROWS_SITE, sm_text_parameters(1, values));
	SmJob	   *jobs = palloc_array(SmJob, result.count);

	for (uint64 i = 0; i < result.count; i++)
		read_row(result, i, &jobs[i]);
	*n = (int) result.count;
	return jobs;
}

void
sm_rows_write(SmJobRows *rows, const SmJobKey *key, SmJob *job)
{
	ParamListInfo params = key_parameters(key, SM_JOB_NCOLUMNS - FIRST_WRITTEN + 2);
	SmResult	result;

	for (int i = FIRST_WRITTEN; i < SM_JOB_NCOLUMNS; i++)
		sm_set_parameter(params, i - FIRST_WRITTEN + 3, sm_job_columns[i].type, job->values[i].value,
						 job->values[i].isnull);
	result = execute_prepared(rows, SM_ROWS_WRITE, params);
	if (result.count != 1)
		ereport(ERROR,
				(errcode(ERRCODE_TRIGGERED_ACTION_EXCEPTION),
				 errmsg("the row of the job was not updated"),
				 errdetail("A trigger or a rule of the table of jobs prevents that.")));
	read_row(result, 0, job);
}
