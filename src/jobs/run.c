/*
 * run.c
 *	  sitemap_run, a procedure that runs the jobs of a table.
 *
 * Transactions of a call:
 *
 *	1. List the due jobs; the job that has waited longest comes first.  Start the first
 *	   job: set started, so that other sessions see that the job runs.
 *	2. For each job, lock its row.  Publish and record the success in a subtransaction.
 *	   If that fails, record the failure in another subtransaction.  Start the next job,
 *	   again in a subtransaction.
 *	3. List the due exports.
 *	4. For each site, export in a subtransaction.  For each of its jobs, record success
 *	   or failure in another subtransaction.
 *
 * Locks: a job's row is locked when the job starts, while it runs, and after an export.  A
 * session never waits for that lock (SKIP LOCKED), so concurrent calls share the jobs.  A
 * call runs a job only if started still has the value that the call wrote.
 *
 * Security: statements of a job, and those on the table of jobs, run as the owner of
 * the table.  Unless the owner is the current user and the session's user, the statements
 * are a security-restricted operation, as in REFRESH MATERIALIZED VIEW: they can neither
 * change the role, nor leave temporary objects, prepared statements or open cursors
 * behind, nor defer a trigger to the commit.  The operation ends before each commit, and
 * settings are restored.  After each commit the table and its owner are checked again.
 *
 * PostgreSQL itself enforces these limits, with two gaps.  The function
 * leave_nothing_behind closes them: it refuses objects in pg_temp, such as functions and
 * types, where the session looks for types first; and it reads to their end the cursors
 * that a procedural language keeps open, which the commit would otherwise read, as the
 * caller.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "jobs/table.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "server/argument.h"
#include "server/query.h"
#include "server/subtransaction.h"
#include "tcop/dest.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/rls.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(sitemap_run);

typedef struct Run
{
	Oid			relid;			/* the table of jobs */
	SmJobTable	table;			/* with its name in this transaction */
	MemoryContext context;		/* to the end of the call */
	MemoryContext job_context;	/* of one transaction */
	TimestampTz began;			/* when the call began */
	int			failures;

	/* in a transaction */
	bool		is_owner;		/* has the owner's rights now */
	Oid			user;
	int			sec_context;
	int			guc_level;
} Run;

/* Work to do in a subtransaction. */
typedef struct Work Work;
struct Work
{
	void		(*function) (Work *work);
	bool		undo;			/* set by the function: roll back */
	Run		   *run;
	const SmJobName *name;		/* of a job to start, or to record */
	TimestampTz started;
	SmJob	   *job;			/* to publish */
	const SmJobExport *due;		/* to export */
	const char *error;			/* to record */
};

/* SET CONSTRAINTS ALL IMMEDIATE */
static void
check_constraints(void)
{
	AfterTriggerSetState(makeNode(ConstraintsSetStmt));
}

/* Check the table and become its owner. */
static void
become_owner(Run *run)
{
	SmTable		table = sm_jobs_table;
	Oid			owner;

	table.relid = run->relid;
	sm_table_open(&table, RowExclusiveLock);
	owner = table.rel->rd_rel->relowner;
	if (!has_privs_of_role(GetUserId(), owner))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, table.name->relname);
	sm_jobs_check(&table);
	if (check_enable_rls(run->relid, owner, true) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("row security applies to the owner of the table of jobs \"%s\"",
						table.name->relname)));
	sm_jobs_set_name(&run->table, table.sql_name);
	relation_close(table.rel, NoLock);

	GetUserIdAndSecContext(&run->user, &run->sec_context);
	run->guc_level = NewGUCNestLevel();
	run->is_owner = true;
	if (owner == run->user && owner == GetSessionUserId())
		return;
	/* a trigger that waits for the commit would run without the restrictions */
	check_constraints();
	SetUserIdAndSecContext(owner, run->sec_context | SECURITY_RESTRICTED_OPERATION);
}

/*
 * Raise an error if the transaction has created an object in pg_temp.  Each such object
 * depends on that schema.
 */
static void
refuse_temporary_objects(void)
{
	Oid			schema;
	Oid			toast_schema;
	Relation	rel;
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	GetTempNamespaceState(&schema, &toast_schema);
	if (!OidIsValid(schema))
		return;
	CommandCounterIncrement();
	rel = table_open(DependRelationId, AccessShareLock);
	ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(NamespaceRelationId));
	ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(schema));
	scan = systable_beginscan(rel, DependReferenceIndexId, true, NULL, lengthof(keys), keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		if (TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data)))
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("cannot create temporary objects within security-restricted operation")));
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
}

/*
 * In a security-restricted operation, leave nothing behind by which the owner could act as
 * the caller.  The operation goes on.
 */
static void
leave_nothing_behind(void)
{
	if (!InSecurityRestrictedOperation())
		return;
	HoldPinnedPortals();
	refuse_temporary_objects();
}

/* Become the caller again. */
static void
become_caller(Run *run)
{
	if (!run->is_owner)
		return;
	leave_nothing_behind();
	run->is_owner = false;
	AtEOXact_GUC(false, run->guc_level);
	SetUserIdAndSecContext(run->user, run->sec_context);
}

/* Commit, and begin a transaction as the owner of the table. */
static void
next_transaction(Run *run)
{
	become_caller(run);
	SPI_commit();
	MemoryContextReset(run->job_context);
	MemoryContextSwitchTo(run->job_context);

	/*
	 * another isolation level would raise errors if other sessions run jobs,
	 * too
	 */
	if (XactIsoLevel != XACT_READ_COMMITTED)
		(void) set_config_option("transaction_isolation", "read committed", PGC_USERSET,
								 PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
	become_owner(run);
}

/* Work for sm_try.  Deferred constraints are checked here: the commit would be too late. */
static bool
do_work(void *arg)
{
	Work	   *work = arg;

	work->function(work);
	check_constraints();
	leave_nothing_behind();
	return !work->undo;
}

/*
 * Do work in a subtransaction.  Returns the error, NULL for none.  A cancel request or a
 * timeout ends the call.
 */
static ErrorData *
try_work(void (*function) (Work *work), Work *work)
{
	ErrorData  *error;

	work->function = function;
	error = sm_try(do_work, work);
	if (error && error->sqlerrcode == ERRCODE_QUERY_CANCELED)
		ReThrowError(error);
	return error;
}

/* The name of a target. */
static char *
target_name(Oid target)
{
	char	   *name = get_rel_name(target);

	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the target table does not exist")));
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(target)), name);
}

/* Publish, and record the success. */
static void
publish(Work *work)
{
	SmJobTable *table = &work->run->table;
	SmJob	   *job = work->job;

	if (job->full && job->nulls[SM_JOB_CHANGES] == ' ')
	{
		/* a full run needs no keys: the statement only empties the queue */
		sm_run_changes(TextDatumGetCString(job->options[SM_JOB_CHANGES]), None_Receiver);
		job->nulls[SM_JOB_CHANGES] = 'n';
	}
	sm_job_publish(table, job);
	/* the job can have deferred constraints, also of the table of jobs */
	check_constraints();
	sm_job_succeeded(table, job);
}

/* Count a failure, and warn about it. */
static void
warn_of_failure(Run *run, const SmJobName *name, const ErrorData *error)
{
	run->failures++;
	ereport(WARNING,
			(errcode(error->sqlerrcode),
			 errmsg("job of section \"%s\" of %s failed: %s", name->section, name->base_url,
					error->message),
			 error->detail ? errdetail_internal("%s", error->detail) : 0,
			 error->hint ? errhint("%s", error->hint) : 0));
}

static void
set_failed(Work *work)
{
	sm_job_failed(&work->run->table, work->name, work->error);
}

static void
set_exported(Work *work)
{
	sm_job_exported(&work->run->table, work->name);
}

/* Record a failure. */
static void
fail(Run *run, const SmJobName *name, const ErrorData *error)
{
	Work		work = {.run = run,.name = name};
	StringInfoData text;
	ErrorData  *refusal;

	initStringInfo(&text);
	appendStringInfoString(&text, error->message);
	if (error->detail)
		appendStringInfo(&text, "\n%s", error->detail);
	if (error->hint)
		appendStringInfo(&text, "\n%s", error->hint);
	work.error = text.data;

	refusal = try_work(set_failed, &work);
	warn_of_failure(run, name, error);
	if (refusal)
		ereport(WARNING,
				(errcode(refusal->sqlerrcode),
				 errmsg("could not record this failure: %s", refusal->message)));
}

static void
set_started(Work *work)
{
	work->undo = !sm_job_start(&work->run->table, work->name, work->run->began, &work->started);
}

/*
 * Start a job, in the transaction of the previous job.  Returns false if the job is not to
 * be run.  A trigger of the table can raise an error here, which must not undo the previous
 * job.  If the job is not started, the subtransaction is rolled back, because it can have
 * locked the row: another session that has just started the job could then not lock the
 * row, and would skip the job.
 */
static bool
start_job(Run *run, const SmJobName *name, TimestampTz *started)
{
	Work		work = {.run = run,.name = name};
	ErrorData  *error = try_work(set_started, &work);

	if (error)
		warn_of_failure(run, name, error);
	*started = work.started;
	return error == NULL && !work.undo;
}

static void
run_job(Run *run, const SmJobName *name, TimestampTz started)
{
	SmJob		job;
	Work		work = {.run = run,.job = &job};

	if (sm_job_lock(&run->table, name, started, &job))
	{
		ErrorData  *error = try_work(publish, &work);

		if (error)
			fail(run, name, error);
	}
	SPI_freetuptable(job.rows);
}

static void
export_site(Work *work)
{
	const SmJobExport *due = work->due;
	Oid			types[] = {TEXTOID, TEXTOID};
	Datum		values[2];

	if (!sm_jobs_share_site(&work->run->table, due))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("directory \"%s\" is that of two sites", due->directory),
				 errdetail("An export of one site removes the files of the other.")));
	values[0] = CStringGetTextDatum(due->directory);
	values[1] = CStringGetTextDatum(psprintf("SELECT * FROM %s WHERE base_url OPERATOR(pg_catalog.=) %s",
											 target_name(due->target),
											 quote_literal_cstr(sm_job_site(due->name.base_url))));
	if (SPI_execute_with_args(psprintf("SELECT pg_catalog.count(*) FROM %s.sitemap_export($1, $2)",
									   work->run->table.schema),
							  lengthof(types), types, values, NULL, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not call sitemap_export");
	SPI_freetuptable(SPI_tuptable);
}

/* Export a site, and record the result for its jobs. */
static void
run_export(Run *run, const SmJobExport *exports, int count)
{
	Work		work = {.run = run,.due = exports};
	ErrorData  *error;

	next_transaction(run);
	error = try_work(export_site, &work);
	/* another session exports there: the export is left to the next call */
	if (error && error->sqlerrcode == ERRCODE_OBJECT_IN_USE)
		return;
	for (int i = 0; i < count; i++)
	{
		ErrorData  *failure = error;

		if (!sm_job_lock_exported(&run->table, &exports[i]))
			continue;
		work.name = &exports[i].name;
		if (failure == NULL)
			failure = try_work(set_exported, &work);
		/* a job whose run failed keeps its error, and is counted once */
		if (failure && !exports[i].failed)
			fail(run, work.name, failure);
	}
}

/* Are two exports the same, of one site to one directory? */
static bool
is_same(const SmJobExport *a, const SmJobExport *b)
{
	return a->target == b->target && strcmp(a->directory, b->directory) == 0 &&
		strcmp(a->name.base_url, b->name.base_url) == 0;
}

static void
run_exports(Run *run)
{
	SmJobExport *exports;
	int			count;
	int			end;

	next_transaction(run);
	MemoryContextSwitchTo(run->context);
	count = sm_jobs_to_export(&run->table, &exports);
	for (int i = 0; i < count; i = end)
	{
		for (end = i + 1; end < count && is_same(&exports[i], &exports[end]); end++)
			;
		run_export(run, &exports[i], end - i);
	}
}

static void
run_jobs(Run *run)
{
	SmJobName  *jobs;
	int			count;

	next_transaction(run);
	MemoryContextSwitchTo(run->context);
	run->began = GetCurrentTimestamp();
	count = sm_jobs_due(&run->table, run->began, &jobs);
	for (int i = 0; i < count; i++)
	{
		TimestampTz started;

		CHECK_FOR_INTERRUPTS();
		if (!start_job(run, &jobs[i], &started))
			continue;
		next_transaction(run);
		run_job(run, &jobs[i], started);
	}
}

Datum
sitemap_run(PG_FUNCTION_ARGS)
{
	MemoryContext oldcontext = CurrentMemoryContext;
	MemoryContext context;
	Run		   *run;
	char	   *table;
	int			failures;

	if (fcinfo->context == NULL || !IsA(fcinfo->context, CallContext) ||
		castNode(CallContext, fcinfo->context)->atomic)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_TERMINATION),
				 errmsg("sitemap_run() cannot run inside a transaction block or a function"),
				 errdetail("It commits after each job."),
				 errhint("CALL it as a statement of its own.")));
	sm_require_argument(fcinfo, 0, "jobs");
	PreventCommandDuringRecovery("sitemap_run()");
	PreventCommandIfReadOnly("sitemap_run()");

	/*
	 * this context also frees the plans, even after an error
	 */
	context = AllocSetContextCreate(PortalContext, "sitemap_run", ALLOCSET_DEFAULT_SIZES);
	run = MemoryContextAllocZero(context, sizeof(Run));
	run->relid = PG_GETARG_OID(0);
	run->context = context;
	run->job_context = AllocSetContextCreate(run->context, "sitemap_run job", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(run->context);
	sm_jobs_init(&run->table,
				 quote_identifier(get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid))),
				 run->context);
	SPI_connect_ext(SPI_OPT_NONATOMIC);
	MemoryContextSwitchTo(run->context);

	run_jobs(run);
	run_exports(run);
	become_caller(run);
	SPI_commit();

	MemoryContextSwitchTo(run->context);
	SPI_finish();
	MemoryContextSwitchTo(oldcontext);
	failures = run->failures;
	table = pstrdup(run->table.name);
	MemoryContextDelete(context);
	if (failures > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg_plural("%d job failed", "%d jobs failed", failures, failures),
				 errdetail("All other jobs that were due have run."),
				 errhint("The columns \"error\" and \"failures\" of the table %s say more.", table)));
	return (Datum) 0;
}
