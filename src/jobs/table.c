/*
 * table.c
 *	  The table of jobs: its columns, and the statements on it.
 *
 * A job's row is locked while the job runs, so other sessions pass it over.  A status
 * is written by an UPDATE of columns that are not in the primary key.  If the heap
 * page has room, it is a HOT update.
 */
#include "postgres.h"

#include "jobs/table.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "server/query.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

const SmTableColumn sm_job_columns[SM_JOB_NCOLUMNS] = {
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
	{.name = "changes",.type = TEXTOID},
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
	.columns = sm_job_columns,
	.ncolumns = SM_JOB_NCOLUMNS,
	.hint = "Create the table with CREATE TABLE ... OF sitemap_job (PRIMARY KEY (base_url, section))."
};

/*
 * Has an interval passed since a time?  A time in the future does not count: the
 * clock was set back.  An interval too long to be added to a timestamptz never
 * passes.
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

/* Is an index the primary key (base_url, section), in either order? */
static bool
is_primary_key(Relation index)
{
	Form_pg_index form = index->rd_index;
	AttrNumber	base_url = get_attnum(form->indrelid, "base_url");
	AttrNumber	section = get_attnum(form->indrelid, "section");
	const int16 *columns = form->indkey.values;

	return form->indisprimary && form->indnkeyatts == 2 &&
		((columns[0] == base_url && columns[1] == section) ||
		 (columns[0] == section && columns[1] == base_url));
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
sm_jobs_init(SmJobTable *table, MemoryContext context)
{
	table->name = MemoryContextStrdup(context, "");
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

void
sm_jobs_prepare(SmJobTable *table, SmJobStatement statement, const char *text, int nargs,
				const Oid *types)
{
	table->plans[statement] = sm_prepare(text, nargs, types, 0);
	SPI_keepplan(table->plans[statement]);
}

/* The names of all columns, each with a comma after it. */
static char *
all_columns(void)
{
	StringInfoData columns;

	initStringInfo(&columns);
	for (int i = 0; i < SM_JOB_NCOLUMNS; i++)
		appendStringInfo(&columns, "%s, ", sm_job_columns[i].name);
	return columns.data;
}

/*
 * The text of a statement on the table.  Its parameters are: $1, a time; $2 and $3, a
 * job's name, for all statements but those on all jobs; $4 and up, see the callers of
 * execute.
 */
static char *
statement_text(SmJobStatement statement, const char *name)
{
	switch (statement)
	{
		case SM_JOBS_DUE:
			return psprintf("SELECT base_url, section FROM %s WHERE " DUE
							" ORDER BY CASE WHEN started OPERATOR(pg_catalog.<=) $1 THEN started END NULLS FIRST,"
							" base_url, section", name);
		case SM_JOB_IS_DUE:
			return psprintf("SELECT FROM %s WHERE " NAMED " AND " DUE
							" AND (started IS NULL OR started OPERATOR(pg_catalog.<) $4"
							" OR started OPERATOR(pg_catalog.>) $1)"
							" FOR UPDATE SKIP LOCKED", name);
		case SM_JOB_START:
			return psprintf("UPDATE %s SET started = $1 WHERE " NAMED, name);
		case SM_JOB_LOCK:
			return psprintf("SELECT %s" FULL_DUE " FROM %s WHERE " NAMED
							" AND started OPERATOR(pg_catalog.=) $4 FOR UPDATE SKIP LOCKED",
							all_columns(), name);
		case SM_JOB_SUCCEEDED:
			return psprintf("UPDATE %s SET finished = $1, urls = $4, files = $5, written = $6, seconds = $7,"
							" full_at = CASE WHEN $8 THEN $1 ELSE full_at END,"
							" exported = CASE WHEN $9 THEN NULL ELSE exported END,"
							" error = CASE WHEN $9 THEN error END,"
							" failures = CASE WHEN $9 THEN coalesce(failures, 0) ELSE 0 END,"
							" reason = CASE WHEN $10 OPERATOR(pg_catalog.<>) '' THEN $10 END"
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
							" AND finished IS NOT NULL"
							" AND (files OPERATOR(pg_catalog.>) 0 OR written OPERATOR(pg_catalog.>) 0)"
							" ORDER BY directory, 3, base_url, section", name);
		case SM_JOBS_OF_OTHER_SITE:
			return psprintf("SELECT FROM %s WHERE directory OPERATOR(pg_catalog.=) $5"
							" AND NOT (target::pg_catalog.oid OPERATOR(pg_catalog.=) $4"
							" AND base_url OPERATOR(pg_catalog.=) $2) LIMIT 1", name);
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
		case SM_JOB_PUBLISH:
		case SM_JOB_NSTATEMENTS:
			break;
	}
	elog(ERROR, "unexpected statement of sitemap_run: %d", statement);
}

/*
 * Run a statement.  name: NULL for a statement on all jobs; more: the values of $4 and
 * up.  Returns how many rows the statement returned or changed.  The rows are in
 * SPI_tuptable.  It has to be freed, since SPI would keep it until the end of the call.
 */
static uint64
execute(SmJobTable *table, SmJobStatement statement, TimestampTz time, const SmJobName *name,
		int nmore, const Oid *more_types, const Datum *more)
{
	Oid			types[12] = {TIMESTAMPTZOID, TEXTOID, TEXTOID};
	Datum		values[12] = {TimestampTzGetDatum(time)};

	Assert(nmore <= 9);
	if (name)
	{
		values[1] = CStringGetTextDatum(name->base_url);
		values[2] = CStringGetTextDatum(name->section);
	}
	for (int i = 0; i < nmore; i++)
	{
		types[3 + i] = more_types[i];
		values[3 + i] = more[i];
	}
	if (table->plans[statement] == NULL)
		sm_jobs_prepare(table, statement, statement_text(statement, table->name),
						name ? 3 + nmore : 1, types);
	return sm_execute(table->plans[statement], values, NULL);
}

static bool
get_bool(HeapTuple row, int column)
{
	bool		isnull;
	Datum		value = SPI_getbinval(row, SPI_tuptable->tupdesc, column, &isnull);

	return !isnull && DatumGetBool(value);
}

/* Text of a result, in the memory context. */
static char *
get_text(MemoryContext context, uint64 row, int column)
{
	return MemoryContextStrdup(context, SPI_getvalue(SPI_tuptable->vals[row],
													 SPI_tuptable->tupdesc, column));
}

int
sm_jobs_due(SmJobTable *table, TimestampTz call, SmJobName **jobs)
{
	MemoryContext context = CurrentMemoryContext;
	uint64		count;

	count = execute(table, SM_JOBS_DUE,
					call, NULL, 0, NULL, NULL);
	*jobs = MemoryContextAllocHuge(context, Max(count, 1) * sizeof(SmJobName));
	for (uint64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		(*jobs)[i].base_url = get_text(context, i, 1);
		(*jobs)[i].section = get_text(context, i, 2);
	}
	SPI_freetuptable(SPI_tuptable);
	return (int) Min(count, INT_MAX);
}

bool
sm_job_start(SmJobTable *table, const SmJobName *name, TimestampTz call, TimestampTz *started)
{
	Oid			type = TIMESTAMPTZOID;
	Datum		begun = TimestampTzGetDatum(call);
	uint64		found;

	*started = GetCurrentTimestamp();
	found = execute(table, SM_JOB_IS_DUE,
					*started, name, 1, &type, &begun);
	SPI_freetuptable(SPI_tuptable);
	if (found == 0)
		return false;
	return execute(table, SM_JOB_START,
				   *started, name, 0, NULL, NULL) == 1;
}

bool
sm_job_lock(SmJobTable *table, const SmJobName *name, TimestampTz started, SmJob *job)
{
	Oid			type = TIMESTAMPTZOID;
	Datum		now = TimestampTzGetDatum(started);
	HeapTuple	row;
	uint64		found;

	found = execute(table, SM_JOB_LOCK,
					GetCurrentTimestamp(), name, 1, &type, &now);
	job->rows = SPI_tuptable;
	if (found == 0)
		return false;
	job->name = *name;
	row = job->rows->vals[0];
	for (int i = 0; i < SM_JOB_NCOLUMNS; i++)
		job->values[i] = SPI_getbinval(row, SPI_tuptable->tupdesc, i + 1, &job->nulls[i]);
	job->full = get_bool(row, SM_JOB_NCOLUMNS + 1);
	return true;
}

/*
 * A job that still has to be exported keeps its error and its failures: they can be
 * those of the export.
 */
void
sm_job_succeeded(SmJobTable *table, const SmJob *job, const SmJobResult *result, double seconds)
{
	static const Oid types[] = {INT8OID, INT4OID, INT4OID, FLOAT8OID, BOOLOID, BOOLOID, TEXTOID};
	bool		has_directory = !job->nulls[SM_JOB_DIRECTORY];
	bool		exports = has_directory && (result->written > 0 || job->nulls[SM_JOB_EXPORTED]);
	Datum		values[] = {
		Int64GetDatum(result->urls),
		Int32GetDatum(result->files),
		Int32GetDatum(result->written),
		Float8GetDatum(seconds),
		BoolGetDatum(job->full || job->nulls[SM_JOB_CHANGES] || result->reason),
		BoolGetDatum(exports),
		CStringGetTextDatum(result->reason ? result->reason : ""),
	};

	execute(table, SM_JOB_SUCCEEDED,
			GetCurrentTimestamp(), &job->name, lengthof(values), types, values);
}

void
sm_job_failed(SmJobTable *table, const SmJobName *name, const char *error)
{
	Oid			type = TEXTOID;
	Datum		value = CStringGetTextDatum(error);

	execute(table, SM_JOB_FAILED,
			GetCurrentTimestamp(), name, 1, &type, &value);
}

int
sm_jobs_to_export(SmJobTable *table, SmJobExport **exports)
{
	MemoryContext context = CurrentMemoryContext;
	uint64		count;

	count = execute(table, SM_JOBS_TO_EXPORT,
					0, NULL, 0, NULL, NULL);
	*exports = MemoryContextAllocHuge(context, Max(count, 1) * sizeof(SmJobExport));
	for (uint64 i = 0; i < count; i++)
	{
		SmJobExport *export = &(*exports)[i];
		HeapTuple	row = SPI_tuptable->vals[i];
		bool		isnull;

		CHECK_FOR_INTERRUPTS();
		export->name.base_url = get_text(context, i, 1);
		export->name.section = get_text(context, i, 2);
		export->target = DatumGetObjectId(SPI_getbinval(row, SPI_tuptable->tupdesc, 3, &isnull));
		export->directory = get_text(context, i, 4);
		export->finished = DatumGetTimestampTz(SPI_getbinval(row, SPI_tuptable->tupdesc, 5, &isnull));
		export->failed = get_bool(row, 6);
	}
	SPI_freetuptable(SPI_tuptable);
	return (int) Min(count, INT_MAX);
}

bool
sm_jobs_share_site(SmJobTable *table, const SmJobExport *export)
{
	static const Oid types[] = {OIDOID, TEXTOID};
	Datum		values[] = {ObjectIdGetDatum(export->target),
	CStringGetTextDatum(export->directory)};
	uint64		found;

	found = execute(table, SM_JOBS_OF_OTHER_SITE,
					0, &export->name, lengthof(values), types, values);
	SPI_freetuptable(SPI_tuptable);
	return found == 0;
}

bool
sm_job_lock_exported(SmJobTable *table, const SmJobExport *export)
{
	static const Oid types[] = {OIDOID, TEXTOID};
	Datum		values[] = {ObjectIdGetDatum(export->target),
	CStringGetTextDatum(export->directory)};
	uint64		found;

	found = execute(table, SM_JOB_LOCK_EXPORTED,
					export->finished, &export->name, lengthof(values), types, values);
	SPI_freetuptable(SPI_tuptable);
	return found > 0;
}

/* The error and the failures can be those of a run that failed before the export. */
void
sm_job_exported(SmJobTable *table, const SmJobName *name)
{
	execute(table, SM_JOB_SET_EXPORTED,
			GetCurrentTimestamp(), name, 0, NULL, NULL);
}
