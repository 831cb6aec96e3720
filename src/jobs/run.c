/*
 * run.c
 *	  sitemap_run: publish, and export, the jobs of a table that are due.
 *
 * A call lists the jobs that are due (sm_job_next_run says when), and runs one after the
 * other, the one with the oldest start first.  A job is two transactions, or three:
 *
 *	start	set "started" and clear "requested" and "error".  If the attempt before left no
 *			result, because its session was killed, count a failure.
 *	run		publish the section, and write the results; without a directory, also the success.
 *	finish	export the site, and write the success.
 *
 * Several calls share the jobs.  "run" and "finish" hold the lock of the section, but lock the
 * row only for the moment of an UPDATE, so users can change it while the job runs.  "start"
 * passes over a row that is locked or that another call has started since the list was made,
 * and over a section whose lock is held.  "run" and "finish" do nothing if "started" is no
 * longer what this call has set: then the row is gone, or another call has taken the job over
 * between two transactions, when the lock is free.  It counts a failure, which its success
 * clears.
 *
 * At the end of "run", the lock of the site is held, too.  So nothing may wait there for
 * somebody who can wait for that lock: if the row or the table of jobs is locked, or a trigger
 * of the table raises an error, the pages are committed, and "finish" writes the results.  Until
 * the query has ended, the table has the lock of a SELECT.  Its indexes have none then, or
 * REINDEX would lock the table, wait for an index, and make "run" wait for the table.
 *
 * An error undoes the step, and the whole transaction is rolled back: after a lost connection
 * to a foreign server it could not be committed.  Then the failure is recorded in the row, in
 * "error" and "failures", and the call goes on with the next job.  Only a cancel request or a
 * timeout of this session ends the call, and a change of the role or the owner.
 *
 * The jobs run with the rights of the caller, who owns the table, and with its search_path.
 * All transactions are READ COMMITTED: other levels would raise errors when several calls
 * share the jobs.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "commands/trigger.h"
#include "compat.h"
#include "export/export.h"
#include "jobs/rows.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/parsenodes.h"
#include "publish/publish.h"
#include "publish/target.h"
#include "server/encoding.h"
#include "server/error.h"
#include "server/scan.h"
#include "storage/lmgr.h"
#include "tcop/pquery.h"
#include "tcop/utility.h"
#include "text/digest.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(sitemap_run);

/* The last export of a site by this call, if it has written nothing of the site since. */
typedef struct Exported
{
	uint64		site;			/* digest of base_url */
	uint64		directory;		/* digest of directory and target */
} Exported;

/* Jobs passed over in a row, after which a call lists anew what the others have left. */
#define PASSED_MAX	16

typedef struct Call
{
	TimestampTz begun;			/* when the first list was made; 0 before */
	TimestampTz now;			/* when the list is made */
	Oid			relid;
	SmJobRows	rows;
	char	   *search_path;	/* when the call began */
	char	   *session_path;	/* the same without a SET LOCAL */
	MemoryContext context;		/* of the call */
	MemoryContext job_context;
	MemoryContext list_context;
	List	   *listed;			/* SmJobKeys of the jobs that were due then */
	HTAB	   *exported;		/* of Exported */
	int			npassed;		/* jobs passed over since the last that ran */
	int			nwaiting;		/* jobs that wait after failures */
	int			nfailed;

	/* the job */
	SmJobKey	key;			/* of its row, as listed, then as this call
								 * has started it */
	SmJob		job;			/* as it was started */
	TimestampTz started;
	SmPublished published;
	void		(*step) (struct Call *call);	/* what is done with it */
	bool		is_mine;		/* still */
	bool		is_published;	/* in a transaction that is committed */
	bool		is_recorded;	/* are the results in the row? */
	bool		has_succeeded;	/* is the success in the row? */
	char	   *error;			/* to record */
} Call;

static uint64
digest_of(const char *name, uint64 seed)
{
	return sm_digest(name, strlen(name), seed);
}

static void
set_value(SmJob *job, SmJobColumn column, Datum value)
{
	job->values[column] = (NullableDatum)
	{
		.value = value
	};
}

static void
set_null(SmJob *job, SmJobColumn column)
{
	job->values[column].isnull = true;
}

/* Count a failure. */
static void
count_failure(SmJob *job)
{
	int64		failures = Max(sm_job_integer(job, SM_JOB_FAILURES, 0), 0);

	set_value(job, SM_JOB_FAILURES, Int32GetDatum(Min(failures, PG_INT32_MAX - 1) + 1));
}

/* Raise an error unless the current user owns the table of jobs. */
static void
check_owner(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		return;					/* to open it is an error */
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	if (owner != GetUserId())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of table %s", sm_qualified_name(relid)),
				 errdetail("Jobs run with the rights of the caller. The current user is %s, the owner is %s.",
						   quote_identifier(GetUserNameFromId(GetUserId(), false)),
						   quote_identifier(GetUserNameFromId(owner, false))),
				 errhint("Schedule the call as the owner, as with pg_cron's schedule_in_database(..., username => %s). For an owner that cannot log in: ALTER ROLE scheduler SET role = %s.",
						 quote_literal_cstr(GetUserNameFromId(owner, false)),
						 quote_identifier(GetUserNameFromId(owner, false)))));
}

/*
 * Open the table of jobs, which the current user must own.  A job can have changed the role, and
 * others the owner, also while this call waits for the lock.  lock_timeout is for the jobs; here,
 * it would end the call.
 */
static void
open_own_jobs(Call *call, LOCKMODE lockmode)
{
	int			level;

	check_owner(call->relid);
	level = NewGUCNestLevel();
	(void) set_config_option("lock_timeout", "0", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	sm_jobs_open(&call->rows.table, call->relid, lockmode);
	AtEOXact_GUC(true, level);
	check_owner(call->relid);
}

static void
set_search_path(char *path, GucAction action)
{
	if (strcmp(namespace_search_path, path) != 0)
		(void) set_config_option("search_path", path, PGC_USERSET, PGC_S_SESSION, action, true, 0, false);
}

/* Begin to use a transaction that has just begun. */
static void
prepare_transaction(Call *call)
{
	/* a job can have made its transaction read-only, and so this one */
	if (XactReadOnly)
		(void) set_config_option("transaction_read_only", "off", PGC_USERSET, PGC_S_SESSION,
								 GUC_ACTION_LOCAL, true, 0, false);
	/* a query can have set it for the session */
	if (strcmp(namespace_search_path, call->session_path) != 0)
	{
		set_search_path(call->session_path, GUC_ACTION_SET);
		SPI_commit_and_chain();
	}
	set_search_path(call->search_path, GUC_ACTION_LOCAL);
	EnsurePortalSnapshotExists();
}

/* Returns an error that the commit raised, after which the transaction is rolled back. */
static ErrorData *
commit(Call *call)
{
	ErrorData  *volatile error = NULL;

	PG_TRY();
	{
		SPI_commit_and_chain();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(call->job_context);
		error = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	prepare_transaction(call);
	return error;
}

/* Fire deferred triggers now: an error at the commit would undo more. */
static void
fire_deferred_triggers(void)
{
	AfterTriggerSetState(makeNode(ConstraintsSetStmt));
}

/* Do the step in its subtransaction, with SPI, in the memory context of the job. */
static void
run_step(void *arg)
{
	Call	   *call = arg;

	SPI_connect();
	MemoryContextSwitchTo(call->job_context);
	call->step(call);
	SPI_finish();
}

/* Do a step in a transaction of its own.  Returns its error, or NULL. */
static ErrorData *
do_step(Call *call, void (*step) (Call *call), LOCKMODE lockmode)
{
	ErrorData  *error;

	open_own_jobs(call, lockmode);
	call->step = step;
	error = sm_try(run_step, call, true);
	relation_close(call->rows.table.rel, NoLock);
	if (error == NULL && call->is_mine)
		return commit(call);
	SPI_rollback_and_chain();
	prepare_transaction(call);
	return error;
}

/*
 * Lock the section of the job to the end of the transaction.  Returns false if it is not free.
 * Nobody can lock a section without the right to publish it; the run will say that the right
 * is missing, or the target.
 */
static bool
lock_section(const SmJob *job, bool wait)
{
	LOCKTAG		lock;

	if (!sm_job_has(job, SM_JOB_TARGET) ||
		!sm_may_publish(DatumGetObjectId(job->values[SM_JOB_TARGET].value)))
		return true;
	lock = sm_job_lock_tag(job);
	return LockAcquire(&lock, ExclusiveLock, false, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

static void
start(Call *call)
{
	SmJob	   *job = &call->job;

	call->started = GetCurrentTimestamp();
	call->is_mine = sm_rows_find(&call->rows, &call->key, SM_ROW_LOCK_FREE, job) &&
		sm_job_next_run(job, call->started) <= call->started && lock_section(job, false);
	if (!call->is_mine)
		return;
	/* an attempt that left no result */
	if (sm_job_is_unfinished(job) && !sm_job_has(job, SM_JOB_ERROR))
		count_failure(job);
	/* else the clock went back */
	if (sm_job_time(job, SM_JOB_FINISHED) >= call->started)
		set_null(job, SM_JOB_FINISHED);
	if (sm_job_time(job, SM_JOB_SINCE) > call->started)
		set_null(job, SM_JOB_SINCE);
	set_value(job, SM_JOB_STARTED, TimestampTzGetDatum(call->started));
	set_null(job, SM_JOB_REQUESTED);
	set_null(job, SM_JOB_ERROR);
	sm_rows_write(&call->rows, &call->key, job);
	fire_deferred_triggers();
	sm_job_copy(job);
}

/* Look whether the job is still that of this call. */
static void
look(void *arg)
{
	Call	   *call = arg;
	SmJob		row;

	call->is_mine = sm_rows_find(&call->rows, &call->key, SM_ROW_READ, &row);
}

/* Has a user set a time, or asked for a run, while the job ran? */
static bool
is_set_meanwhile(const Call *call, const SmJob *row, SmJobColumn column)
{
	return sm_job_has(row, column) != sm_job_has(&call->job, column) ||
		sm_job_time(row, column) != sm_job_time(&call->job, column) ||
		(!sm_job_has(row, column) && sm_job_has(row, SM_JOB_REQUESTED));
}

/* Put the results of the publication into the row. */
static void
set_results(const Call *call, SmJob *row)
{
	const SmPublished *published = &call->published;

	if (!is_set_meanwhile(call, row, SM_JOB_SINCE))
		set_value(row, SM_JOB_SINCE, TimestampTzGetDatum(call->started));
	set_value(row, SM_JOB_URLS, Int64GetDatum(published->url_count));
	set_value(row, SM_JOB_FILES, Int32GetDatum(published->nfiles));
	set_value(row, SM_JOB_WRITTEN, Int32GetDatum(published->written));
	if (published->reason)
		set_value(row, SM_JOB_REASON, CStringGetTextDatum(published->reason));
	else
		set_null(row, SM_JOB_REASON);
	if (!published->is_full)
		return;
	if (!is_set_meanwhile(call, row, SM_JOB_FULL_AT))
		set_value(row, SM_JOB_FULL_AT, TimestampTzGetDatum(GetCurrentTimestamp()));
	set_value(row, SM_JOB_SKIPPED, Int64GetDatum(published->skipped));
	set_value(row, SM_JOB_MISSED, Int64GetDatum(published->missed));
	row->values[SM_JOB_MISSED].isnull = published->missed < 0;
}

static void
set_success(const Call *call, SmJob *row)
{
	TimestampTz now = Max(GetCurrentTimestamp(), call->started);

	set_value(row, SM_JOB_FINISHED, TimestampTzGetDatum(now));
	set_value(row, SM_JOB_SECONDS, Float8GetDatum((now - call->started) / (double) USECS_PER_SEC));
	set_value(row, SM_JOB_FAILURES, Int32GetDatum(0));
	set_null(row, SM_JOB_ERROR);
}

/* Write the results to the locked row, and also the success. */
static void
write_results(Call *call, SmJob *row, bool succeeds)
{
	if (!call->is_recorded)
		set_results(call, row);
	if (succeeds)
		set_success(call, row);
	sm_rows_write(&call->rows, &call->key, row);
	fire_deferred_triggers();
	call->is_recorded = true;
	call->has_succeeded = succeeds;
}

/* Write the results, and the success unless the site has a directory, if the row is free. */
static void
record(void *arg)
{
	Call	   *call = arg;
	SmJob		row;
	SmJob	   *site;
	int			n;
	bool		has_directory = false;

	if (!sm_rows_find(&call->rows, &call->key, SM_ROW_LOCK_FREE, &row))
		return;
	site = sm_rows_site(&call->rows, call->key.base_url, &n);
	for (int i = 0; i < n; i++)
		has_directory |= sm_job_has(&site[i], SM_JOB_DIRECTORY);
	write_results(call, &row, !has_directory);
}

/*
 * May the row be written now?  The lock of the table must be free: it is then granted before
 * those who wait for the lock that this transaction has.  ConditionalLockRelationOid() does so
 * only from 17 on.
 */
static bool
lock_to_record(const Call *call)
{
	LOCKTAG		lock;
	int			nholders;

	SET_LOCKTAG_RELATION(lock, MyDatabaseId, call->relid);
	(void) GetLockConflicts(&lock, RowExclusiveLock, &nholders);
	if (nholders > 0 || call->rows.table.rel->rd_rel->relowner != GetUserId())
		return false;
	LockRelationOid(call->relid, RowExclusiveLock);
	return true;
}

static void
publish_job(Call *call)
{
	const SmJob *job = &call->job;
	char	   *names[SM_JOB_NCOLUMNS];
	Oid			types[SM_JOB_NCOLUMNS];
	SmArguments args = {.count = SM_JOB_NCOLUMNS,.names = names,.types = types,.values = call->job.values};

	for (int i = 0; i < SM_JOB_NCOLUMNS; i++)
	{
		names[i] = unconstify(char *, sm_job_columns[i].name);
		types[i] = sm_job_columns[i].type;
	}
	/* whoever sets full_at to NULL knows of changes that nobody announces */
	sm_publish_job(sm_qualified_name(call->relid), &args, sm_job_is_full_due(job, GetCurrentTimestamp()),
				   sm_job_has(job, SM_JOB_FULL_AT), &call->published);
	set_search_path(call->search_path, GUC_ACTION_LOCAL);
}

static void
publish_section(Call *call)
{
	ErrorData  *error;

	(void) lock_section(&call->job, true);
	error = sm_try(look, call, false);
	if (error)
		ReThrowError(error);
	if (!call->is_mine)
		return;
	publish_job(call);
	if (call->published.written > 0)
	{
		uint64		site = digest_of(call->key.base_url, 0);

		(void) hash_search(call->exported, &site, HASH_REMOVE, NULL);
	}
	fire_deferred_triggers();
	if (!lock_to_record(call))
		return;
	error = sm_try(record, call, true);
	if (error && sm_is_cancel(error))
		ReThrowError(error);
}

/* The directory of a site; NULL for none.  Raises an error if it cannot be exported to one. */
static char *
find_directory(const SmJob *site, int n, Oid target)
{
	const SmJob *first = NULL;
	char	   *directory = NULL;

	for (int i = 0; i < n; i++)
	{
		char	   *other = sm_job_text(&site[i], SM_JOB_DIRECTORY);
		Oid			other_target = DatumGetObjectId(site[i].values[SM_JOB_TARGET].value);

		if (other == NULL)
			continue;
		canonicalize_path(other);
		if (first == NULL)
		{
			first = &site[i];
			directory = other;
		}
		if (strcmp(directory, other) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the site has two directories"),
					 errdetail("The job of section \"%s\" has \"%s\", the job of section \"%s\" has \"%s\".",
							   sm_job_text(first, SM_JOB_SECTION), directory,
							   sm_job_text(&site[i], SM_JOB_SECTION), other),
					 errhint("Give the jobs of the site the same directory, or only one of them a directory.")));
		if (sm_job_has(&site[i], SM_JOB_TARGET) && other_target != target &&
			get_rel_name(other_target) != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the site has several targets for one directory"),
					 errdetail("The export of a target would remove the files of the others."),
					 errhint("Give the jobs of the site the same target.")));
	}
	return directory;
}

/* Export the site of the job, unless this call has done so and has written nothing since. */
static void
export_site(const Call *call, const SmJob *jobs, int n)
{
	Oid			target = DatumGetObjectId(call->job.values[SM_JOB_TARGET].value);
	char	   *directory = find_directory(jobs, n, target);
	uint64		site = digest_of(call->key.base_url, 0);
	Exported   *exported = hash_search(call->exported, &site, HASH_FIND, NULL);
	bool		is_empty = true;

	if (directory == NULL || (exported && exported->directory == digest_of(directory, target)))
		return;

	/*
	 * a job that has not published yet has no files, and this one may not
	 * have recorded its own
	 */
	for (int i = 0; i < n; i++)
		is_empty &= strcmp(sm_job_text(&jobs[i], SM_JOB_SECTION), call->key.section) == 0 ?
			call->published.nfiles == 0 : sm_job_integer(&jobs[i], SM_JOB_FILES, 0) == 0;
	sm_export_site(directory, target, call->key.base_url, is_empty);
	exported = hash_search(call->exported, &site, HASH_ENTER, NULL);
	exported->directory = digest_of(directory, target);
}

static void
finish(Call *call)
{
	SmJob	   *site;
	int			n;
	SmJob		row;

	(void) lock_section(&call->job, true);
	call->is_mine = sm_rows_find(&call->rows, &call->key, SM_ROW_READ, &row);
	if (!call->is_mine)
		return;
	site = sm_rows_site(&call->rows, call->key.base_url, &n);
	export_site(call, site, n);
	call->is_mine = sm_rows_find(&call->rows, &call->key, SM_ROW_LOCK, &row);
	if (call->is_mine)
		write_results(call, &row, true);
}

static void
write_failure(Call *call)
{
	SmJob		row;

	call->is_mine = sm_rows_find(&call->rows, &call->key, SM_ROW_LOCK, &row);
	if (!call->is_mine)
		return;
	if (call->is_published && !call->is_recorded)
		set_results(call, &row);
	count_failure(&row);
	set_value(&row, SM_JOB_ERROR, CStringGetTextDatum(call->error));
	sm_rows_write(&call->rows, &call->key, &row);
	fire_deferred_triggers();
}

/* Does a line of an error's context say where in the job the error arose? */
static bool
says_where(text *line)
{
	/* patterns as of LIKE */
	static const char *const places[] = {
		"after % row of the query", "after % rows of the query", "in the query",
		"in the statement of changes", "in the target \"%\"", "in the feed \"%\"",
		"in the export to directory \"%\""
	};

	for (size_t i = 0; i < lengthof(places); i++)
		if (DatumGetBool(DirectFunctionCall2Coll(textlike, C_COLLATION_OID, PointerGetDatum(line),
												 CStringGetTextDatum(places[i]))))
			return true;
	return false;
}

/* What an error says, for the row of the job. */
static char *
describe(const ErrorData *error)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, error->message ? error->message : "");
	if (error->detail)
		appendStringInfo(&text, "\n%s", error->detail);
	if (error->hint)
		appendStringInfo(&text, "\n%s", error->hint);
	for (const char *line = error->context, *end; line; line = *end ? end + 1 : NULL)
	{
		end = line + strcspn(line, "\n");
		if (says_where(cstring_to_text_with_len(line, end - line)))
		{
			appendStringInfo(&text, "\n%.*s", (int) (end - line), line);
			break;
		}
	}
	return text.data;
}

/* Record the failure of the job.  Ends the call after a cancel request. */
static void
record_failure(Call *call, const ErrorData *error)
{
	ErrorData  *other;
	const ErrorData *cancel;

	call->nfailed++;
	call->error = describe(error);
	ereport(WARNING,
			(errcode(error->sqlerrcode),
			 errmsg("job of section \"%s\" of %s failed: %s", call->key.section,
					sm_for_message(sm_without_secret(sm_span_of(call->key.base_url))), call->error)));
	other = do_step(call, write_failure, RowExclusiveLock);
	if (other)
		ereport(WARNING,
				(errcode(other->sqlerrcode),
				 errmsg("could not record this failure: %s", other->message)));
	cancel = sm_is_cancel(error) ? error : other && sm_is_cancel(other) ? other : NULL;
	if (cancel)
		ereport(ERROR,
				(errcode(ERRCODE_QUERY_CANCELED),
				 errmsg("%s", cancel->message),
				 errdetail("The jobs that were due after this one have not run.")));
}

/* Run a job, or pass over it. */
static void
run_job(Call *call)
{
	ErrorData  *error;

	call->is_published = call->is_recorded = call->has_succeeded = false;
	error = do_step(call, start, RowExclusiveLock);
	call->npassed = error || call->is_mine ? 0 : call->npassed + 1;
	if (error == NULL && call->is_mine)
	{
		call->key = sm_rows_key(&call->job);
		error = do_step(call, publish_section, AccessShareLock);
	}
	if (error == NULL && call->is_mine && !call->has_succeeded)
	{
		call->is_published = true;
		error = do_step(call, finish, RowExclusiveLock);
	}
	if (error)
		record_failure(call, error);
	else if (call->has_succeeded && call->published.url_count == 0 &&
			 !sm_job_has(&call->job, SM_JOB_FINISHED))
		ereport(NOTICE,
				(errmsg("section \"%s\" of %s has no URLs: %s", call->key.section,
						call->key.base_url, call->published.reason)));
}

/* Add a row to the list if its job is due, and nobody has started it since the call began. */
static void
list_job(void *arg, const NullableDatum *values)
{
	Call	   *call = arg;
	const SmJob *job = (const SmJob *) values;
	MemoryContext oldcontext;
	SmJobKey   *key;

	if (call->begun != 0 && sm_job_time(job, SM_JOB_STARTED) >= call->begun)
		return;
	if (sm_job_next_run(job, call->now) > call->now)
	{
		call->nwaiting += sm_job_integer(job, SM_JOB_FAILURES, 0) > 2 &&
			sm_job_publisher(job) == 0;
		return;
	}
	oldcontext = MemoryContextSwitchTo(call->list_context);
	key = palloc_object(SmJobKey);
	*key = sm_rows_key(job);
	call->listed = lappend(call->listed, key);
	MemoryContextSwitchTo(oldcontext);
}

/* The oldest start first. */
static int
compare_starts(const ListCell *a, const ListCell *b)
{
	const SmJobKey *one = lfirst(a);
	const SmJobKey *other = lfirst(b);
	int			order = strcmp(one->base_url, other->base_url);

	if (one->started != other->started)
		return one->started < other->started ? -1 : 1;
	return order != 0 ? order : strcmp(one->section, other->section);
}

/* List the jobs that are due, in the order in which they run. */
static void
list_jobs(Call *call)
{
	Snapshot	snapshot;

	MemoryContextReset(call->list_context);
	call->listed = NIL;
	call->nwaiting = 0;
	open_own_jobs(call, RowExclusiveLock);
	snapshot = RegisterSnapshot(GetLatestSnapshot());
	call->now = GetCurrentTimestamp();
	sm_scan(&call->rows.table, snapshot, list_job, call);
	relation_close(call->rows.table.rel, NoLock);
	UnregisterSnapshot(snapshot);
	list_sort(call->listed, compare_starts);
	if (call->begun == 0)
		call->begun = call->now;
}

/*
 * Run the jobs that are due.  Where other calls run, the list ages: after jobs passed over in a
 * row, list the rest, and go on at another place of it than the others.
 */
static void
run_jobs(Call *call)
{
	int			limit = PASSED_MAX;
	uint32		offset = 0;

	list_jobs(call);
	for (int i = 0; i < list_length(call->listed); i++)
	{
		CHECK_FOR_INTERRUPTS();
		call->key = *(SmJobKey *) list_nth(call->listed, (i + offset) % list_length(call->listed));
		MemoryContextReset(call->job_context);
		MemoryContextSwitchTo(call->job_context);
		run_job(call);
		if (call->npassed < limit)
			continue;
		list_jobs(call);
		offset = MyProcPid * UINT32_C(2654435769) % PG_INT32_MAX;
		limit *= 2;				/* so a list is made few times */
		call->npassed = 0;
		i = -1;
	}
}

/* Raise an error unless the columns base_url and section are the primary key of the open table. */
static void
check_primary_key(const SmTable *jobs)
{
	Bitmapset  *key = RelationGetIndexAttrBitmap(jobs->rel, INDEX_ATTR_BITMAP_PRIMARY_KEY);
	TupleDesc	desc = RelationGetDescr(jobs->rel);

	if (bms_num_members(key) != 2 ||
		!bms_is_member(SPI_fnumber(desc, "base_url") - FirstLowInvalidHeapAttributeNumber, key) ||
		!bms_is_member(SPI_fnumber(desc, "section") - FirstLowInvalidHeapAttributeNumber, key))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the table of jobs %s has no primary key of base_url and section",
						sm_qualified_name(jobs->relid)),
				 errhint("%s", jobs->hint)));
}

/* Refuse what cannot work, before anything is done. */
static void
check_call(Call *call, FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("jobs must not be null")));
	call->relid = PG_GETARG_OID(0);
	open_own_jobs(call, AccessShareLock);
	sm_table_check_row_security(&call->rows.table);
	check_primary_key(&call->rows.table);
	relation_close(call->rows.table.rel, NoLock);
	PreventCommandIfReadOnly("sitemap_run()");
	if (fcinfo->context == NULL || !IsA(fcinfo->context, CallContext) ||
		castNode(CallContext, fcinfo->context)->atomic)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_TERMINATION),
				 errmsg("sitemap_run() cannot run inside a transaction block or a function"),
				 errdetail("It commits after each job."),
				 errhint("Send CALL as a statement of its own, with autocommit.")));
}

/* Say which jobs did not run. */
static void
report(const Call *call)
{
	if (call->nwaiting > 0)
		ereport(NOTICE,
				(errmsg_plural("%d job is waiting after failures", "%d jobs are waiting after failures",
							   call->nwaiting, call->nwaiting),
				 errhint("To run them at the next call: UPDATE %s SET requested = now() WHERE failures > 2",
						 sm_qualified_name(call->relid))));
	if (call->nfailed > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg_plural("%d job failed", "%d jobs failed", call->nfailed, call->nfailed),
				 errdetail("All other jobs that were due have run."),
				 errhint("The columns \"error\" and \"failures\" of the table %s say more.",
						 sm_qualified_name(call->relid))));
}

Datum
sitemap_run(PG_FUNCTION_ARGS)
{
	HASHCTL		control = {.keysize = sizeof(uint64),.entrysize = sizeof(Exported)};
	Call	   *call;

	SPI_connect_ext(SPI_OPT_NONATOMIC);
	call = palloc0_object(Call);
	call->context = call->rows.context = CurrentMemoryContext;
	check_call(call, fcinfo);
	call->job_context = AllocSetContextCreate(call->context, "sitemap job", ALLOCSET_DEFAULT_SIZES);
	call->list_context = AllocSetContextCreate(call->context, "sitemap jobs", ALLOCSET_DEFAULT_SIZES);
	call->search_path = pstrdup(namespace_search_path);
	control.hcxt = call->context;
	call->exported = hash_create("exported sites", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);

	SPI_commit();
	(void) set_config_option("transaction_isolation", "read committed", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
	call->session_path = pstrdup(namespace_search_path);
	prepare_transaction(call);
	run_jobs(call);
	report(call);
	SPI_finish();
	PG_RETURN_VOID();
}
