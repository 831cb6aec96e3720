/*
 * status.c
 *	  sitemap_status: the state of each job, sections without a job, and watches that lose
 *	  changes.
 *
 * The caller need not own the table of jobs, so no statement is run on it or on its targets:
 * server/scan.c says why.  The state of a job follows from its row, from the lock of its
 * section, and from the clock.  These cannot be read at one moment, and between two of its
 * transactions a job has neither a result nor a lock, as a job whose session was killed.  So
 * there are two looks: a job without both is dead if it has the same "started" in both looks.
 * On a standby, where locks are not to be seen, no job is called dead.
 *
 * The second look reads jobs and targets in one snapshot.  Somebody who rewrites a target holds
 * its lock, and a snapshot from before that would find it empty.  So the first look waits for
 * the locks of all targets.  It keeps none of them: there can be more targets than the server
 * has room for locks.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "fmgr.h"
#include "funcapi.h"
#include "jobs/job.h"
#include "miscadmin.h"
#include "server/scan.h"
#include "text/digest.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"
#include "watch/watch.h"

PG_FUNCTION_INFO_V1(sitemap_status);

/* How long a moment is: between the looks, in seconds. */
#define MOMENT		0.1

/* From when on a job that is due is late. */
#define LATE		(15 * USECS_PER_MINUTE)

/* From which "every" on a job counts as paused, in years. */
#define PAUSE		10

/* A section, or a site: its job, and its files in a target. */
typedef struct Section
{
	uint64		key;			/* must be first */
	char	   *base_url;
	char	   *section;		/* NULL for the whole site */
	Oid			target;
	SmJob	   *job;			/* without texts that the status does not need */
	int			publisher;		/* as sm_job_publisher says */
	bool		is_silent;		/* neither a result nor a lock */
	bool		is_running;
	TimestampTz next_run;
	int64		files;
	int64		urls;
} Section;

typedef struct Status
{
	ReturnSetInfo *result;
	const char *jobs;			/* name of the table */
	const char *schema;			/* of the extension, quoted */
	MemoryContext context;		/* of all sections */
	HTAB	   *sections;		/* of jobs and of targets, and their sites */
	HTAB	   *before;			/* what the first look found; NULL in that */
	List	   *targets;		/* of the jobs of both looks */
	TimestampTz now;			/* when the look began */
	const Section *called;		/* the job that a call of sitemap_run has been
								 * running for the longest time, NULL for none */
	bool		is_unclear;		/* can a job look different in a moment? */
} Status;

/* The columns of a target that say which files are of this extension, and of which section. */
enum
{
	FILE_BASE_URL, FILE_SECTION, FILE_KIND, FILE_DIGEST, FILE_URL_COUNT
};

static const SmTableColumn file_columns[] = {
	[FILE_BASE_URL] = {.name = "base_url",.type = TEXTOID},
	[FILE_SECTION] = {.name = "section",.type = TEXTOID},
	[FILE_KIND] = {.name = "kind",.type = TEXTOID},
	[FILE_DIGEST] = {.name = "digest",.type = TEXTOID},
	[FILE_URL_COUNT] = {.name = "url_count",.type = INT4OID}
};

/* A scan of a target, and what it has of sites without a job. */
typedef struct TargetScan
{
	Status	   *status;
	Oid			target;
	int64		sites;
	int64		sections;
	int64		files;
} TargetScan;

/* The key of a section in a target, or of a site. */
static uint64
section_key(Oid target, const char *base_url, const char *section)
{
	uint64		site = sm_digest(base_url, strlen(base_url), target);

	return section ? sm_digest(section, strlen(section), site) : site;
}

/* Find a section, or add it with copies of its names.  is_new: set to whether it was added. */
static Section *
add_section(const Status *status, Oid target, const char *base_url, const char *section, bool *is_new)
{
	uint64		key = section_key(target, base_url, section);
	bool		found;
	Section    *result = hash_search(status->sections, &key, HASH_ENTER, &found);

	*is_new = !found;
	if (!found)
		*result = (Section)
	{
		.key = key,.target = target,
			.base_url = MemoryContextStrdup(status->context, base_url),
			.section = section ? MemoryContextStrdup(status->context, section) : NULL
	};
	return result;
}

/* Has a job neither failed nor succeeded, nor been started? */
static bool
is_new(const SmJob *job)
{
	return sm_job_integer(job, SM_JOB_FAILURES, 0) <= 0 && !sm_job_is_unfinished(job) &&
		!sm_job_has(job, SM_JOB_FINISHED);
}

/* Add the job of a row, and its site. */
static void
add_job(void *arg, const NullableDatum *values)
{
	Status	   *status = arg;
	Section    *section;
	const Section *before;
	SmJob	   *job;
	Oid			target;
	bool		added;
	bool		is_dead;
	TimestampTz started;
	MemoryContext oldcontext;

	/* sitemap_run refuses such a table */
	if (values[SM_JOB_BASE_URL].isnull || values[SM_JOB_SECTION].isnull)
		return;
	oldcontext = MemoryContextSwitchTo(status->context);
	job = palloc_object(SmJob);
	memcpy(job->values, values, sizeof(job->values));
	job->values[SM_JOB_QUERY].isnull = job->values[SM_JOB_CHANGES].isnull = true;
	sm_job_copy(job);
	target = sm_job_has(job, SM_JOB_TARGET) ?
		DatumGetObjectId(job->values[SM_JOB_TARGET].value) : InvalidOid;
	if (OidIsValid(target))
		status->targets = lappend_oid(status->targets, target);
	MemoryContextSwitchTo(oldcontext);

	(void) add_section(status, InvalidOid, sm_job_text(job, SM_JOB_BASE_URL), NULL, &added);
	section = add_section(status, target, sm_job_text(job, SM_JOB_BASE_URL),
						  sm_job_text(job, SM_JOB_SECTION), &added);
	section->job = job;
	section->publisher = sm_job_publisher(job);
	section->is_silent = sm_job_is_unfinished(job) && !sm_job_has(job, SM_JOB_ERROR) &&
		section->publisher == 0;
	section->next_run = sm_job_next_run(job, status->now);

	started = sm_job_time(job, SM_JOB_STARTED);
	before = status->before ? hash_search(status->before, &section->key, HASH_FIND, NULL) : NULL;
	is_dead = before && before->is_silent && started == sm_job_time(before->job, SM_JOB_STARTED) &&
		!RecoveryInProgress();
	section->is_running = section->publisher != 0 || (status->before && section->is_silent && !is_dead);
	if (section->is_running && sm_job_is_unfinished(job) &&
		(status->called == NULL || started < sm_job_time(status->called->job, SM_JOB_STARTED)))
		status->called = section;
	if (section->is_silent || is_new(job))
		status->is_unclear = true;
}

static const char *
job_state(const Section *section, const Status *status)
{
	const SmJob *job = section->job;
	int64		failures = sm_job_integer(job, SM_JOB_FAILURES, 0);

	if (section->is_running)
		return "running";
	if (failures > 2 && section->next_run > status->now)
		return "waiting";
	if (failures > 0 || sm_job_is_unfinished(job))
		return "failing";
	if (is_new(job))
		return status->called ? "due" : "never ran";
	if (section->next_run < status->now - LATE)
		return "late";
	if (sm_job_integer(job, SM_JOB_MISSED, 0) > 0)
		return "unwatched";
	if (sm_job_has(job, SM_JOB_REQUESTED) || (sm_job_has(job, SM_JOB_EVERY) && section->next_run <= status->now))
		return "due";
	return "ok";
}

/* "1 file", "2 files" */
static char *
count_of(int64 n, const char *noun)
{
	return psprintf(INT64_FORMAT " %s%s", n, noun, n == 1 ? "" : "s");
}

/* Add a line to a detail. */
static void
add_detail(StringInfo detail, const char *line)
{
	appendStringInfo(detail, "%s%s", detail->len > 0 ? "\n" : "", line);
}

/* What to say of a job that was due long ago, or of one that nothing has run. */
static char *
describe_schedule(const Status *status)
{
	const SmJob *called = status->called ? status->called->job : NULL;
	char	   *call = psprintf("CALL %s.sitemap_run(%s)", status->schema, quote_literal_cstr(status->jobs));

	if (called == NULL)
		return psprintf("Nothing runs it. Schedule %s. If it is scheduled, look for its warnings and for locks of the row.", call);
	return psprintf("A call has been running section \"%s\" of %s since %s. A second schedule entry serves the other jobs meanwhile: %s",
					sm_job_text(called, SM_JOB_SECTION), sm_job_text(called, SM_JOB_BASE_URL),
					timestamptz_to_str(sm_job_time(called, SM_JOB_STARTED)), call);
}

/* Why a job has its state, and what to do. */
static char *
describe_job(const Status *status, const Section *section, const char *state)
{
	const SmJob *job = section->job;
	char	   *reason = sm_job_text(job, SM_JOB_REASON);
	int64		skipped = sm_job_integer(job, SM_JOB_SKIPPED, 0);
	bool		is_failure = strcmp(state, "failing") == 0 || strcmp(state, "waiting") == 0;
	StringInfoData detail;

	initStringInfo(&detail);
	if (is_failure)
	{
		add_detail(&detail, sm_job_has(job, SM_JOB_ERROR) ? sm_job_text(job, SM_JOB_ERROR) :
				   "The last run ended without a result. See the server log.");
		if (strcmp(state, "waiting") == 0)
			add_detail(&detail, psprintf("To run it at the next call: UPDATE %s SET requested = now() WHERE (base_url, section) = (%s, %s)",
										 status->jobs, quote_literal_cstr(sm_job_text(job, SM_JOB_BASE_URL)),
										 quote_literal_cstr(sm_job_text(job, SM_JOB_SECTION))));
	}
	else if (strcmp(state, "late") == 0 || strcmp(state, "never ran") == 0)
		add_detail(&detail, describe_schedule(status));
	else if (strcmp(state, "unwatched") == 0)
		add_detail(&detail, psprintf("The last full run changed %s that \"changes\" missed. Watch every table that the query reads.",
									 count_of(sm_job_integer(job, SM_JOB_MISSED, 0), "file")));
	else if (!section->is_running && sm_job_integer(job, SM_JOB_URLS, 1) == 0)
		add_detail(&detail, reason ? psprintf("No URLs: %s", reason) : "No URLs");
	else if (!section->is_running && reason)
		add_detail(&detail, psprintf("The last run read all rows: %s", reason));

	if (!is_failure && skipped > 0)
		add_detail(&detail, psprintf("The last full run left out %s. sitemap_audit() says why.", count_of(skipped, "row")));
	if (strcmp(state, "ok") == 0 && sm_job_has(job, SM_JOB_EVERY) &&
		DatumGetIntervalP(job->values[SM_JOB_EVERY].value)->month >= PAUSE * MONTHS_PER_YEAR)
		add_detail(&detail, psprintf("The job is paused: \"every\" is %s.",
									 DatumGetCString(DirectFunctionCall1(interval_out, job->values[SM_JOB_EVERY].value))));
	if (sm_job_has(job, SM_JOB_MAX_SHRINK) && DatumGetFloat8(job->values[SM_JOB_MAX_SHRINK].value) == 1.0)
		add_detail(&detail, "max_shrink is 1, so a run may remove all URLs.");
	return detail.len > 0 ? detail.data : NULL;
}

/* Add a row to the result, for a section, or for none if section is NULL. */
static void
add_state(const Status *status, const Section *section, const char *state, const char *detail)
{
	const SmJob *job = section ? section->job : NULL;
	TimestampTz finished = job ? sm_job_time(job, SM_JOB_FINISHED) : DT_NOBEGIN;
	Datum		values[] = {
		section ? CStringGetTextDatum(section->base_url) : (Datum) 0,
		section ? CStringGetTextDatum(section->section) : (Datum) 0,
		CStringGetTextDatum(state),
		job ? job->values[SM_JOB_URLS].value : Int64GetDatum(section ? section->urls : 0),
		DirectFunctionCall2(timestamp_mi, TimestampTzGetDatum(status->now),
							TimestampTzGetDatum(TIMESTAMP_NOT_FINITE(finished) ? status->now : finished)),
		TimestampTzGetDatum(job ? section->next_run : 0),
		Int32GetDatum(job ? section->publisher : 0),
		detail ? CStringGetTextDatum(detail) : (Datum) 0
	};
	bool		nulls[] = {
		section == NULL, section == NULL, false,
		job ? !sm_job_has(job, SM_JOB_URLS) : section == NULL, TIMESTAMP_NOT_FINITE(finished),
		job == NULL, job == NULL || section->publisher == 0, detail == NULL
	};

	tuplestore_putvalues(status->result->setResult, status->result->setDesc, values, nulls);
}

/* May the caller read all of a table that exists? */
static bool
may_read(Oid relid)
{
	bool		is_missing = false;

	return pg_class_aclcheck_ext(relid, GetUserId(), ACL_SELECT, &is_missing) == ACLCHECK_OK && !is_missing;
}

/* Raise an error unless the caller may read a table that exists. */
static void
check_may_read(Oid relid)
{
	char	   *name = get_rel_name(relid);

	if (name && !may_read(relid))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for table %s", name),
				 errhint("Its owner can grant the right: GRANT SELECT ON %s TO %s;",
						 sm_qualified_name(relid),
						 quote_identifier(GetUserNameFromId(GetUserId(), false)))));
}

/* Open the table of jobs.  The right is checked before the lock, which others can wait for, and after. */
static void
open_jobs(SmTable *jobs, Oid relid)
{
	check_may_read(relid);
	sm_jobs_open(jobs, relid, AccessShareLock);
	check_may_read(relid);
	sm_table_check_row_security(jobs);
}

/* Read the jobs in the newest snapshot, which is registered and returned. */
static Snapshot
look_at_jobs(Status *status, const SmTable *jobs)
{
	HASHCTL		control = {
		.keysize = sizeof(uint64),.entrysize = sizeof(Section),.hcxt = status->context
	};
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	const Section *called = status->called;

	status->before = status->sections;
	status->sections = hash_create("sections", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	status->now = GetCurrentTimestamp();
	status->called = NULL;
	sm_scan(jobs, snapshot, add_job, status);
	if (status->called == NULL)
		status->called = called;
	list_sort(status->targets, list_oid_cmp);
	list_deduplicate_oid(status->targets);
	return snapshot;
}

/* Count a file for its section.  Files of other programs have no digest. */
static void
add_file(void *arg, const NullableDatum *values)
{
	TargetScan *scan = arg;
	const Status *status = scan->status;
	const char *base_url;
	uint64		site;
	Section    *section;
	bool		added;

	for (int i = 0; i < FILE_URL_COUNT; i++)
		if (values[i].isnull)
			return;
	if (strcmp(TextDatumGetCString(values[FILE_KIND].value), "index") == 0)
		return;
	base_url = TextDatumGetCString(values[FILE_BASE_URL].value);
	site = section_key(InvalidOid, base_url, NULL);
	if (hash_search(status->sections, &site, HASH_FIND, NULL) == NULL)
	{
		(void) add_section(status, scan->target, base_url, NULL, &added);
		scan->sites += added;
		(void) add_section(status, scan->target, base_url,
						   TextDatumGetCString(values[FILE_SECTION].value), &added);
		scan->sections += added;
		scan->files++;
		return;
	}
	section = add_section(status, scan->target, base_url,
						  TextDatumGetCString(values[FILE_SECTION].value), &added);
	section->files++;
	if (!values[FILE_URL_COUNT].isnull)
		section->urls += DatumGetInt32(values[FILE_URL_COUNT].value);
}

/*
 * Read a target, unless the caller may not read all of it.  Returns what it has of other sites,
 * or NULL.  Without a snapshot, only wait for its lock.
 */
static char *
look_at_target(Status *status, Oid relid, Snapshot snapshot)
{
	TargetScan	scan = {.status = status,.target = relid};
	SmTable		table = {.relid = relid,.columns = file_columns,.ncolumns = lengthof(file_columns)};
	Relation	rel = may_read(relid) ? try_relation_open(relid, AccessShareLock) : NULL;
	char	   *name;

	if (rel == NULL)
		return NULL;
	if (check_enable_rls(relid, InvalidOid, true) != RLS_ENABLED)
		sm_scan(&table, snapshot, add_file, &scan);
	name = sm_qualified_name(relid);
	relation_close(rel, AccessShareLock);
	if (scan.files == 0)
		return NULL;
	return psprintf("The target %s has %s (%s, %s) that no job of this table publishes.", name,
					count_of(scan.sites, "other site"), count_of(scan.sections, "section"),
					count_of(scan.files, "file"));
}

/* The order of the result. */
static int
compare_sections(const ListCell *a, const ListCell *b)
{
	const Section *left = lfirst(a);
	const Section *right = lfirst(b);
	int			order = strcmp(left->base_url, right->base_url);

	if (order == 0)
		order = strcmp(left->section, right->section);
	if (order == 0)
		order = (left->job != NULL) - (right->job != NULL);
	return order != 0 ? order : left->target < right->target ? -1 : left->target > right->target;
}

/* Add the rows of the jobs, and of sections of their sites that have files and no job. */
static void
add_section_rows(const Status *status)
{
	List	   *sections = NIL;
	HASH_SEQ_STATUS all;
	Section    *section;
	ListCell   *lc;

	hash_seq_init(&all, status->sections);
	while ((section = hash_seq_search(&all)) != NULL)
		if (section->files > 0 || section->job)
			sections = lappend(sections, section);
	list_sort(sections, compare_sections);
	foreach(lc, sections)
	{
		const char *state;

		CHECK_FOR_INTERRUPTS();
		section = lfirst(lc);
		state = section->job ? job_state(section, status) : "no job";
		add_state(status, section, state,
				  section->job ? describe_job(status, section, state) :
				  psprintf("No job of this table publishes it. Unless a job of another table or a call does, insert its job again, "
						   "or remove it by the steps of the guide's \"Rename or remove a section\", which end with SELECT FROM %s.sitemap_publish_index(%s, %s)",
						   status->schema, quote_literal_cstr(sm_qualified_name(section->target)),
						   quote_literal_cstr(section->base_url)));
	}
}

static void
add_broken_watch(void *arg, const char *problem, const char *hint)
{
	add_state(arg, NULL, "broken watch", psprintf("%s\n%s", problem, hint));
}

Datum
sitemap_status(PG_FUNCTION_ARGS)
{
	Oid			schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	Status		status = {.result = (ReturnSetInfo *) fcinfo->resultinfo,.context = CurrentMemoryContext};
	SmTable		jobs = {0};
	Snapshot	snapshot;
	List	   *other_sites = NIL;
	ListCell   *lc;

	InitMaterializedSRF(fcinfo, 0);
	open_jobs(&jobs, PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0));
	status.jobs = sm_qualified_name(jobs.relid);
	status.schema = quote_identifier(get_namespace_name(schema));

	snapshot = look_at_jobs(&status, &jobs);
	UnregisterSnapshot(snapshot);
	foreach(lc, status.targets)
		(void) look_at_target(&status, lfirst_oid(lc), InvalidSnapshot);
	if (status.is_unclear && !RecoveryInProgress())
		DirectFunctionCall1(pg_sleep, Float8GetDatum(MOMENT));

	snapshot = look_at_jobs(&status, &jobs);
	foreach(lc, status.targets)
	{
		char	   *detail = look_at_target(&status, lfirst_oid(lc), snapshot);

		if (detail)
			other_sites = lappend(other_sites, detail);
	}
	UnregisterSnapshot(snapshot);
	add_section_rows(&status);
	sm_watch_find_broken(schema, jobs.rel->rd_rel->relowner, add_broken_watch, &status);
	foreach(lc, other_sites)
		add_state(&status, NULL, "other sites", lfirst(lc));
	relation_close(jobs.rel, NoLock);
	return (Datum) 0;
}
