/*
 * rows.c
 *	  Each statement returns all columns, in the order of SmJobColumn.
 */
#include "postgres.h"

#include "jobs/rows.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"

/* The first of the columns that sitemap_run writes; they are the last of a job. */
#define FIRST_WRITTEN	SM_JOB_REQUESTED

/* Conditions on a base_url, and on a key. */
#define OF_SITE		"job.base_url OPERATOR(pg_catalog.=) $1"
#define OF_KEY		OF_SITE " AND job.section OPERATOR(pg_catalog.=) $2" \
	" AND COALESCE(job.started, '-infinity'::pg_catalog.timestamptz) OPERATOR(pg_catalog.=) $3"
#define KEY_LENGTH		3

/* The text of a statement.  A column that the table lacks is NULL. */
static char *
statement_text(const SmJobRows *rows, int which)
{
	static const char *const locks[] = {
		[SM_ROW_READ] = "",
		[SM_ROW_LOCK] = " FOR NO KEY UPDATE",
		[SM_ROW_LOCK_FREE] = " FOR NO KEY UPDATE SKIP LOCKED"
	};
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
			appendStringInfo(&set, "%s%s = $%d", set.len > 0 ? ", " : "", name,
							 i - FIRST_WRITTEN + KEY_LENGTH + 1);
	}
	if (which == SM_ROWS_SITE)
		return psprintf("SELECT %s FROM @table AS job WHERE " OF_SITE, columns.data);
	if (which == SM_ROWS_WRITE)
		return psprintf("UPDATE @table AS job SET %s WHERE " OF_KEY " RETURNING %s",
						set.data, columns.data);
	return psprintf("SELECT %s FROM @table AS job WHERE " OF_KEY "%s", columns.data, locks[which]);
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
	Datum		values[SM_JOB_NCOLUMNS];
	bool		nulls[SM_JOB_NCOLUMNS];

	heap_deform_tuple(result.rows->vals[row], result.rows->tupdesc, values, nulls);
	for (int i = 0; i < SM_JOB_NCOLUMNS; i++)
		job->values[i] = (NullableDatum)
	{
		values[i], nulls[i]
	};
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

/* Parameters for the key, with room for nmore others. */
static ParamListInfo
key_parameters(const SmJobKey *key, int nmore)
{
	ParamListInfo params = makeParamList(KEY_LENGTH + nmore);

	sm_set_parameter(params, 1, TEXTOID, CStringGetTextDatum(key->base_url), false);
	sm_set_parameter(params, 2, TEXTOID, CStringGetTextDatum(key->section), false);
	sm_set_parameter(params, 3, TIMESTAMPTZOID, TimestampTzGetDatum(key->started), false);
	return params;
}

bool
sm_rows_find(SmJobRows *rows, const SmJobKey *key, SmRowAccess access, SmJob *job)
{
	SmResult	result = execute_prepared(rows, access, key_parameters(key, 0));

	if (result.count > 0)
		read_row(result, 0, job);
	return result.count > 0;
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
	ParamListInfo params = key_parameters(key, SM_JOB_NCOLUMNS - FIRST_WRITTEN);
	SmResult	result;

	for (int i = FIRST_WRITTEN; i < SM_JOB_NCOLUMNS; i++)
		sm_set_parameter(params, i - FIRST_WRITTEN + KEY_LENGTH + 1, sm_job_columns[i].type,
						 job->values[i].value, job->values[i].isnull);
	result = execute_prepared(rows, SM_ROWS_WRITE, params);
	if (result.count != 1)
		ereport(ERROR,
				(errcode(ERRCODE_TRIGGERED_ACTION_EXCEPTION),
				 errmsg("the row of the job was not updated"),
				 errdetail("A trigger or a rule of the table of jobs prevents that.")));
	read_row(result, 0, job);
}
