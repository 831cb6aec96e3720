/*
 * table.c
 *	  The table of jobs: its columns, and the statements on it.
 *
 * A job's row is locked while the job runs, so other sessions pass it over.  The UPDATE
 * that writes a status does not change the primary key.  So it is a HOT update if the heap
 * page has room.
 */
#include "postgres.h"

#include "jobs/table.h"

#include "catalog/pg_type.h"
#include "core/url.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "server/query.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

static const SmTableColumn columns[] = {
	{.name = "target",.type = REGCLASSOID},
	{.name = "query",.type = TEXTOID},
	{.name = "base_url",.type = TEXTOID},
	{.name = "section",.type = TEXTOID},
	{.name = "format",.type = TEXTOID},
	{.name = "compression",.type = INT4OID},
	{.name = "max_urls",.type = INT4OID},
	{.name = "max_bytes",.type = INT8OID},
	{.name = "split",.type = TEXTOID},
	{.name = "index",.type = TEXTOID},
	{.name = "on_invalid",.type = TEXTOID},
	{.name = "scope",.type = TEXTOID},
	{.name = "stylesheet",.type = TEXTOID},
	{.name = "protocol",.type = TEXTOID},
	{.name = "max_shrink",.type = FLOAT8OID},
	[SM_JOB_CHANGES] = {.name = "changes",.type = TEXTOID},
	{.name = "feed",.type = REGCLASSOID},
	{.name = "directory",.type = TEXTOID},
	{.name = "every",.type = INTERVALOID},
	{.name = "full_every",.type = INTERVALOID},
	{.name = "started",.type = TIMESTAMPTZOID},
	{.name = "finished",.type = TIMESTAMPTZOID},
	{.name = "full_at",.type = TIMESTAMPTZOID},
	{.name = "exported",.type = TIMESTAMPTZOID},
	{.name = "urls",.type = INT8OID},
	{.name = "files",.type = INT4OID},
	{.name = "written",.type = INT4OID},
	{.name = "seconds",.type = FLOAT8OID},
	{.name = "reason",.type = TEXTOID},
	{.name = "error",.type = TEXTOID},
	{.name = "failures",.type = INT4OID},
};

const SmTable sm_jobs_table = {
	.what = "table of jobs",
	.columns = columns,
	.ncolumns = lengthof(columns),
	.hint = "Create the table with CREATE TABLE ... OF sitemap_job (PRIMARY KEY (base_url, section))."
};

/*
 * Has an interval passed since a time?  Yes, if one of them is NULL, or if the time is
 * in the future: the clock was set back.  An interval too long to be added to a
 * timestamptz never passes.
 */
#define PASSED(time, interval, now) \
	"CASE WHEN " time " IS NULL OR " interval " IS NULL" \
	" OR " time " OPERATOR(pg_catalog.>) " now \
	" OR " interval " OPERATOR(pg_catalog.<=) '0'::pg_catalog.interval THEN true" \
	" WHEN " interval " OPERATOR(pg_catalog.>) '1000 years'::pg_catalog.interval THEN false" \
	" ELSE " time " OPERATOR(pg_catalog.+) " interval " OPERATOR(pg_catalog.<=) " now " END"

/* $1: now */
#define DUE \
	"(failures OPERATOR(pg_catalog.>) 0 OR " PASSED("finished", "every", "$1") ")"
#define FULL_DUE \
	PASSED("full_at", "coalesce(full_every, '1 day'::pg_catalog.interval)", "$1")

#define NAMED \
	"base_url OPERATOR(pg_catalog.=) $2 AND section OPERATOR(pg_catalog.=) $3"

/* Must the job's site be exported?  $4: how many files the run has written. */
#define EXPORTS \
	"directory IS NOT NULL AND ($4 OPERATOR(pg_catalog.>) 0 OR exported IS NULL)"

/* A directory without the slashes at its end: "/a" and "/a/" are one. */
#define PATH(directory)	"pg_catalog.rtrim(" directory ", '/')"

/* Is an index the primary key (base_url, section), in either order? */
static bool
is_primary_key(Relation index)
{
	Form_pg_index form = index->rd_index;
	AttrNumber	base_url = get_attnum(form->indrelid, "base_url");
	AttrNumber	section = get_attnum(form->indrelid, "section");
	const int16 *key = form->indkey.values;

	return form->indisprimary && form->indnkeyatts == 2 &&
		((key[0] == base_url && key[1] == section) ||
		 (key[0] == section && key[1] == base_url));
}

void
sm_jobs_check(const SmTable *table)
{
	sm_table_check_kind(table);
	sm_table_check_columns(table);
	if (!OidIsValid(sm_find_index(table->rel, is_primary_key)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the table of jobs \"%s\" has no primary key of base_url and section",
						table->name->relname),
				 errhint("%s", table->hint)));
}

static void
free_plans(void *arg)
{
	SmJobTable *table = arg;

	for (int i = 0; i < SM_JOB_NSTATEMENTS; i++)
	{
		if (table->plans[i])
			SPI_freeplan(table->plans[i]);
		table->plans[i] = NULL;
	}
}

void
sm_jobs_init(SmJobTable *table, const char *schema, MemoryContext context)
{
	table->name = MemoryContextStrdup(context, "");
	table->schema = schema;
	table->context = context;
	table->callback.func = free_plans;
	table->callback.arg = table;
	MemoryContextRegisterResetCallback(context, &table->callback);
}

void
sm_jobs_set_name(SmJobTable *table, const char *name)
{
	if (strcmp(table->name, name) == 0)
		return;
	free_plans(table);
	table->name = MemoryContextStrdup(table->context, name);
}

/*
 * The text of a statement.  Parameter $1 is a time.  $2 and $3 are a job's name, in
 * statements with NAMED.  parameter_types has the types of $4 and up.
 */
static char *
statement_text(const SmJobTable *table, SmJobStatement statement)
{
	const char *name = table->name;
	StringInfoData list;

	initStringInfo(&list);
	switch (statement)
	{
		case SM_JOBS_DUE:
			return psprintf("SELECT base_url, section FROM %s WHERE " DUE
							" ORDER BY CASE WHEN started OPERATOR(pg_catalog.<=) $1 THEN started END NULLS FIRST,"
							" base_url, section", name);
		case SM_JOB_START:
			return psprintf("UPDATE %s SET started = $1 WHERE " NAMED
							" AND EXISTS (SELECT FROM %s WHERE " NAMED " AND " DUE
							" AND (started IS NULL OR started OPERATOR(pg_catalog.<) $4"
							" OR started OPERATOR(pg_catalog.>) $1)"
							" FOR UPDATE SKIP LOCKED) RETURNING started", name, name);
		case SM_JOB_LOCK:
			for (int i = 0; i < SM_JOB_NOPTIONS; i++)
				appendStringInfo(&list, "%s, ", columns[i].name);
			return psprintf("SELECT %s" FULL_DUE " FROM %s WHERE " NAMED
							" AND started OPERATOR(pg_catalog.=) $4 FOR UPDATE SKIP LOCKED",
							list.data, name);
		case SM_JOB_PUBLISH:
			for (int i = 0; i < SM_JOB_NOPTIONS; i++)
				appendStringInfo(&list, "%s%s => $%d", i > 0 ? ", " : "", columns[i].name, i + 4);
			return psprintf("SELECT written, urls, files, reason FROM %s._sitemap_publish(%s)",
							table->schema, list.data);
		case SM_JOB_SUCCEEDED:
			return psprintf("UPDATE %s SET finished = $1, written = $4, urls = $5, files = $6, reason = $7,"
							" seconds = EXTRACT(epoch FROM $1 OPERATOR(pg_catalog.-) started),"
							" full_at = CASE WHEN $8 OR changes IS NULL OR $7 IS NOT NULL THEN $1 ELSE full_at END,"
							" exported = CASE WHEN " EXPORTS " THEN NULL ELSE exported END,"
							" error = CASE WHEN " EXPORTS " THEN error END,"
							" failures = CASE WHEN " EXPORTS " THEN coalesce(failures, 0) ELSE 0 END"
							" WHERE " NAMED, name);
		case SM_JOB_FAILED:
			return psprintf("UPDATE %s SET error = $4,"
							" failures = CASE WHEN failures OPERATOR(pg_catalog.>) 0 AND failures OPERATOR(pg_catalog.<) 2147483647"
							" THEN failures OPERATOR(pg_catalog.+) 1 ELSE 1 END"
							" WHERE " NAMED, name);
		case SM_JOBS_TO_EXPORT:
			return psprintf("SELECT base_url, section, target::pg_catalog.oid, directory, finished,"
							" started OPERATOR(pg_catalog.>) finished FROM %s"
							" WHERE directory IS NOT NULL AND exported IS NULL AND target IS NOT NULL"
							" AND finished IS NOT NULL AND (files OPERATOR(pg_catalog.>) 0"
							" OR written OPERATOR(pg_catalog.>) 0 OR failures OPERATOR(pg_catalog.>) 0)"
							" ORDER BY directory, 3, base_url, section", name);
		case SM_JOBS_OF_OTHER_SITE:
			return psprintf("SELECT target::pg_catalog.oid, base_url FROM %s"
							" WHERE " PATH("directory") " OPERATOR(pg_catalog.=) " PATH("$5")
							" AND target IS NOT NULL AND NOT (target::pg_catalog.oid OPERATOR(pg_catalog.=) $4"
							" AND base_url OPERATOR(pg_catalog.=) ANY ($6)) LIMIT 1", name);
		case SM_JOB_LOCK_EXPORTED:
			return psprintf("SELECT FROM %s WHERE " NAMED
							" AND finished OPERATOR(pg_catalog.=) $1"
							" AND target::pg_catalog.oid OPERATOR(pg_catalog.=) $4"
							" AND directory OPERATOR(pg_catalog.=) $5 FOR UPDATE SKIP LOCKED", name);
		case SM_JOB_SET_EXPORTED:
			return psprintf("UPDATE %s SET exported = $1,"
							" error = CASE WHEN started OPERATOR(pg_catalog.>) finished THEN error END,"
							" failures = CASE WHEN started OPERATOR(pg_catalog.>) finished THEN failures ELSE 0 END"
							" WHERE " NAMED, name);
		case SM_JOB_NSTATEMENTS:
			break;
	}
	elog(ERROR, "unexpected statement of sitemap_run: %d", statement);
}

/* Types of the parameters $4 and up.  SM_JOB_PUBLISH has the options as parameters. */
static const Oid parameter_types[SM_JOB_NSTATEMENTS][5] = {
	[SM_JOB_START] = {TIMESTAMPTZOID},
	[SM_JOB_LOCK] = {TIMESTAMPTZOID},
	[SM_JOB_SUCCEEDED] = {INT4OID, INT8OID, INT4OID, TEXTOID, BOOLOID},
	[SM_JOB_FAILED] = {TEXTOID},
	[SM_JOBS_OF_OTHER_SITE] = {OIDOID, TEXTOID, TEXTARRAYOID},
	[SM_JOB_LOCK_EXPORTED] = {OIDOID, TEXTOID},
};

static SPIPlanPtr
prepare(const SmJobTable *table, SmJobStatement statement, int nmore)
{
	Oid			types[3 + SM_JOB_NOPTIONS] = {TIMESTAMPTZOID, TEXTOID, TEXTOID};
	SPIPlanPtr	plan;

	for (int i = 0; i < nmore; i++)
		types[3 + i] = statement == SM_JOB_PUBLISH ? columns[i].type :
			parameter_types[statement][i];
	plan = sm_prepare(statement_text(table, statement), 3 + nmore, types, 0);
	SPI_keepplan(plan);
	return plan;
}

/*
 * Run a statement.  name: NULL for a statement without NAMED; more: the nmore values of $4
 * and up; more_nulls: 'n' for each of them that is NULL, or NULL if none is.  Returns how
 * many rows the statement returned or changed.  Rows are in SPI_tuptable, which has to be
 * freed: SPI would keep it until the end of the call.
 */
static uint64
execute(SmJobTable *table, SmJobStatement statement, TimestampTz time, const SmJobName *name,
		int nmore, const Datum *more, const char *more_nulls)
{
	Datum		values[3 + SM_JOB_NOPTIONS] = {TimestampTzGetDatum(time)};
	char		nulls[3 + SM_JOB_NOPTIONS] = {' ', 'n', 'n'};
	SPIPlanPtr *plan = &table->plans[statement];

	if (*plan == NULL)
		*plan = prepare(table, statement, nmore);
	if (name)
	{
		values[1] = CStringGetTextDatum(name->base_url);
		values[2] = CStringGetTextDatum(name->section);
		nulls[1] = nulls[2] = ' ';
	}
	for (int i = 0; i < nmore; i++)
	{
		values[3 + i] = more[i];
		nulls[3 + i] = more_nulls ? more_nulls[i] : ' ';
	}
	return sm_execute(*plan, values, nulls);
}

/* Read the first n columns of a result's first row, as values and nulls for a statement. */
static void
get_values(const SPITupleTable *rows, int n, Datum *values, char *nulls)
{
	for (int i = 0; i < n; i++)
	{
		bool		isnull;

		values[i] = SPI_getbinval(rows->vals[0], rows->tupdesc, i + 1, &isnull);
		nulls[i] = isnull ? 'n' : ' ';
	}
}

static bool
get_bool(HeapTuple row, int column)
{
	bool		isnull;
	Datum		value = SPI_getbinval(row, SPI_tuptable->tupdesc, column, &isnull);

	return !isnull && DatumGetBool(value);
}

static char *
get_text(uint64 row, int column)
{
	return SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column);
}

int
sm_jobs_due(SmJobTable *table, TimestampTz began, SmJobName **jobs)
{
	uint64		count = execute(table, SM_JOBS_DUE, began, NULL, 0, NULL, NULL);

	*jobs = palloc_extended(Max(count, 1) * sizeof(SmJobName), MCXT_ALLOC_HUGE);
	for (uint64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		(*jobs)[i].base_url = get_text(i, 1);
		(*jobs)[i].section = get_text(i, 2);
	}
	SPI_freetuptable(SPI_tuptable);
	return (int) Min(count, INT_MAX);
}

/*
 * The row tells the time by which the call knows the job as its own: a column of type
 * timestamptz(0) rounds it, and a trigger can set another.
 */
bool
sm_job_start(SmJobTable *table, const SmJobName *name, TimestampTz began, TimestampTz *started)
{
	Datum		argument = TimestampTzGetDatum(began);
	bool		found = execute(table, SM_JOB_START, GetCurrentTimestamp(), name, 1, &argument, NULL) == 1;
	bool		isnull;

	if (found)
		*started = DatumGetTimestampTz(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1,
													 &isnull));
	SPI_freetuptable(SPI_tuptable);
	return found;
}

bool
sm_job_lock(SmJobTable *table, const SmJobName *name, TimestampTz started, SmJob *job)
{
	Datum		ours = TimestampTzGetDatum(started);
	bool		found = execute(table, SM_JOB_LOCK, GetCurrentTimestamp(), name, 1, &ours, NULL) > 0;

	job->rows = SPI_tuptable;
	if (!found)
		return false;
	job->name = *name;
	get_values(job->rows, SM_JOB_NOPTIONS, job->options, job->nulls);
	job->full = get_bool(job->rows->vals[0], SM_JOB_NOPTIONS + 1);
	return true;
}

void
sm_job_publish(SmJobTable *table, SmJob *job)
{
	if (execute(table, SM_JOB_PUBLISH, 0, NULL, SM_JOB_NOPTIONS, job->options,
				job->nulls) != 1)
		elog(ERROR, "_sitemap_publish did not return one row");
	job->result = SPI_tuptable;
}

/*
 * A job that still has to be exported keeps its error and its failures, which the export
 * may have caused.
 */
void
sm_job_succeeded(SmJobTable *table, SmJob *job)
{
	Datum		values[] = {0, 0, 0, 0, BoolGetDatum(job->full)};
	char		nulls[] = {' ', ' ', ' ', ' ', ' '};

	get_values(job->result, 4, values, nulls);
	execute(table, SM_JOB_SUCCEEDED, GetCurrentTimestamp(), &job->name,
			lengthof(values), values, nulls);
	SPI_freetuptable(job->result);
}

void
sm_job_failed(SmJobTable *table, const SmJobName *name, const char *error)
{
	Datum		value = CStringGetTextDatum(error);

	execute(table, SM_JOB_FAILED, GetCurrentTimestamp(), name, 1, &value, NULL);
}

int
sm_jobs_to_export(SmJobTable *table, SmJobExport **exports)
{
	uint64		count = execute(table, SM_JOBS_TO_EXPORT, 0, NULL, 0, NULL, NULL);

	*exports = palloc_extended(Max(count, 1) * sizeof(SmJobExport), MCXT_ALLOC_HUGE);
	for (uint64 i = 0; i < count; i++)
	{
		SmJobExport *due = &(*exports)[i];
		HeapTuple	row = SPI_tuptable->vals[i];
		bool		isnull;

		CHECK_FOR_INTERRUPTS();
		due->name.base_url = get_text(i, 1);
		due->name.section = get_text(i, 2);
		due->target = DatumGetObjectId(SPI_getbinval(row, SPI_tuptable->tupdesc, 3, &isnull));
		due->directory = get_text(i, 4);
		due->finished = DatumGetTimestampTz(SPI_getbinval(row, SPI_tuptable->tupdesc, 5, &isnull));
		due->failed = get_bool(row, 6);
	}
	SPI_freetuptable(SPI_tuptable);
	return (int) Min(count, INT_MAX);
}

char *
sm_job_site(char *base_url)
{
	SmUrlBase  *base = palloc_object(SmUrlBase);
	SmSpan text;

	if (!sm_to_utf8(base_url, strlen(base_url), &text) ||
		sm_url_base_init(base, text.s, text.len, SM_SCOPE_HOST) != SM_URL_OK)
		return base_url;
	return pnstrdup(base->url[SM_FORM_PLAIN], base->len[SM_FORM_PLAIN]);
}

/*
 * Jobs can spell a site in several ways.  Each turn finds a job of another site, or one
 * more spelling of this one, which the next turn leaves out.
 */
bool
sm_jobs_share_site(SmJobTable *table, const SmJobExport *due)
{
	const char *site = sm_job_site(due->name.base_url);
	char	   *spelling = due->name.base_url;
	Oid			target = due->target;
	Datum		values[] = {ObjectIdGetDatum(target), CStringGetTextDatum(due->directory), 0};
	ArrayBuildState *spellings = initArrayResult(TEXTOID, CurrentMemoryContext, false);

	while (target == due->target && strcmp(sm_job_site(spelling), site) == 0)
	{
		bool		found;
		bool		isnull;

		CHECK_FOR_INTERRUPTS();
		accumArrayResult(spellings, CStringGetTextDatum(spelling), false, TEXTOID,
						 CurrentMemoryContext);
		values[2] = makeArrayResult(spellings, CurrentMemoryContext);
		found = execute(table, SM_JOBS_OF_OTHER_SITE, 0, NULL,
						lengthof(values), values, NULL) > 0;
		if (found)
		{
			target = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[0],
													SPI_tuptable->tupdesc, 1, &isnull));
			spelling = get_text(0, 2);
		}
		SPI_freetuptable(SPI_tuptable);
		if (!found)
			return true;
	}
	return false;
}

bool
sm_job_lock_exported(SmJobTable *table, const SmJobExport *due)
{
	Datum		values[] = {ObjectIdGetDatum(due->target), CStringGetTextDatum(due->directory)};
	bool		found = execute(table, SM_JOB_LOCK_EXPORTED, due->finished, &due->name,
								lengthof(values), values, NULL) > 0;

	SPI_freetuptable(SPI_tuptable);
	return found;
}

/* A run that failed after the last success keeps its error and its failures. */
void
sm_job_exported(SmJobTable *table, const SmJobName *name)
{
	execute(table, SM_JOB_SET_EXPORTED, GetCurrentTimestamp(), name, 0, NULL, NULL);
}
