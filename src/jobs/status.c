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
 * The first look also finds the targets, which are locked before the second look takes its
 * snapshot, so that all tables are read as they are at that moment.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "fmgr.h"
#include "funcapi.h"
#include "jobs/job.h"
#include "miscadmin.h"
#include "server/scan.h"
#include "text/digest.h"
#include "text/span.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/tuplesort.h"
#include "utils/tuplestore.h"
#include "watch/watch.h"

PG_FUNCTION_INFO_V1(sitemap_status);

/* How long a moment is: between the looks, in seconds. */
#define MOMENT		0.1

/* From when on a job that is due is late. */
#define LATE		(15 * USECS_PER_MINUTE)

/* From which "every" on a job counts as paused, in years. */
#define PAUSE		10

/* A section, or a site if section is empty. */
typedef struct SectionKey
{
	Oid			target;			/* InvalidOid for any */
	SmSpan		base_url;
	SmSpan		section;
} SectionKey;

/* A job of a look. */
typedef struct Job
{
	SmJob		row;			/* without texts that the status does not need */
	int			publisher;		/* as sm_job_publisher says */
	bool		is_silent;		/* neither a result nor a lock */
	bool		is_running;
	TimestampTz next_run;
} Job;

/* What is known of a section: its job, or its files in a target. */
typedef struct SectionEntry
{
	SectionKey	key;			/* must be first */
	const Job  *job;
	int64		files;
	int64		urls;
} SectionEntry;

/* The jobs at one moment. */
typedef struct Look
{
	List	   *jobs;
	HTAB	   *sections;		/* of the jobs */
	HTAB	   *sites;
	TimestampTz now;
	const Job  *called;			/* the job that a call of sitemap_run has been
								 * running for the longest time, NULL for none */
	bool		is_unclear;		/* can a job look different in a moment? */
	MemoryContext context;		/* of all that */
} Look;

/* The rows of the result. */
typedef struct Rows
{
	Tuplesortstate *sort;
	TupleTableSlot *slot;
	const char *jobs;			/* name of the table */
	const char *schema;			/* of the extension, quoted */
} Rows;

enum
{
	ROW_BASE_URL, ROW_SECTION, ROW_STATE, ROW_URLS, ROW_AGE, ROW_NEXT_RUN, ROW_PID, ROW_DETAIL
};

/* The columns of a target that say which files are of this extension, and of which section. */
enum
{
	FILE_BASE_URL, FILE_SECTION, FILE_KIND, FILE_DIGEST, FILE_URL_COUNT
};

static const SmTableColumn file_columns[] = {
	[FILE_BASE_URL] = {"base_url", TEXTOID},
	[FILE_SECTION] = {"section", TEXTOID},
	[FILE_KIND] = {"kind", TEXTOID},
	[FILE_DIGEST] = {"digest", TEXTOID},
	[FILE_URL_COUNT] = {"url_count", INT4OID}
};

/* A scan of a target: what its sections are. */
typedef struct TargetScan
{
	Oid			target;
	HTAB	   *sections;
	MemoryContext context;
} TargetScan;

static uint32
hash_section(const void *key, Size size)
{
	const SectionKey *section = key;
	uint64		digest = sm_digest(section->base_url.s, section->base_url.len, section->target);

	return (uint32) sm_digest(section->section.s, section->section.len, digest);
}

/* Returns 0 if the keys are equal. */
static int
match_sections(const void *a, const void *b, Size size)
{
	const SectionKey *left = a;
	const SectionKey *right = b;

	return !(left->target == right->target && sm_span_equal(left->base_url, right->base_url) &&
			 sm_span_equal(left->section, right->section));
}

static HTAB *
create_sections(MemoryContext context)
{
	HASHCTL		control = {
		.keysize = sizeof(SectionKey),
		.entrysize = sizeof(SectionEntry),
		.hash = hash_section,
		.match = match_sections,
		.hcxt = context
	};

	return hash_create("sections", 64, &control,
					   HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
}

static SmSpan
copy_span(MemoryContext context, SmSpan span)
{
	char	   *copy = MemoryContextAlloc(context, span.len + 1);

	sm_put(copy, span.s, span.len);
	return sm_span(copy, span.len);
}

/* Find a section, or add it with copies of its names.  Returns whether it is new. */
static bool
add_section(HTAB *sections, MemoryContext context, SectionKey key, SectionEntry **entry)
{
	bool		found;

	*entry = hash_search(sections, &key, HASH_ENTER, &found);
	if (found)
		return false;
	(*entry)->key.base_url = copy_span(context, key.base_url);
	(*entry)->key.section = copy_span(context, key.section);
	(*entry)->job = NULL;
	(*entry)->files = (*entry)->urls = 0;
	return true;
}

/* The bytes of a text, which stays where it is unless it is compressed or toasted. */
static SmSpan
text_span(NullableDatum value)
{
	text	   *data = DatumGetTextPP(value.value);

	return sm_span(VARDATA_ANY(data), VARSIZE_ANY_EXHDR(data));
}

static SectionKey
key_of_job(const SmJob *job)
{
	SectionKey	key = {.target = InvalidOid};

	if (sm_job_has(job, SM_JOB_TARGET))
		key.target = DatumGetObjectId(job->values[SM_JOB_TARGET].value);
	key.base_url = text_span(job->values[SM_JOB_BASE_URL]);
	key.section = text_span(job->values[SM_JOB_SECTION]);
	return key;
}

/* Add a job to a look. */
static void
add_job(void *arg, const NullableDatum *values)
{
	static const SmJobColumn not_needed[] = {
		SM_JOB_QUERY, SM_JOB_FORMAT, SM_JOB_SPLIT, SM_JOB_INDEX, SM_JOB_ON_INVALID, SM_JOB_SCOPE,
		SM_JOB_STYLESHEET, SM_JOB_PROTOCOL, SM_JOB_CHANGES, SM_JOB_DIRECTORY
	};
	Look	   *look = arg;
	Job		   *job;
	MemoryContext oldcontext;
	SectionEntry *entry;
	SectionKey	key;

	/* sitemap_run refuses such a table */
	if (values[SM_JOB_BASE_URL].isnull || values[SM_JOB_SECTION].isnull)
		return;
	job = MemoryContextAllocZero(look->context, sizeof(Job));
	memcpy(job->row.values, values, sizeof(job->row.values));
	for (size_t i = 0; i < lengthof(not_needed); i++)
		job->row.values[not_needed[i]].isnull = true;
	job->publisher = sm_job_publisher(&job->row);
	job->is_silent = sm_job_is_unfinished(&job->row) && !sm_job_has(&job->row, SM_JOB_ERROR) &&
		job->publisher <= 0;

	oldcontext = MemoryContextSwitchTo(look->context);
	sm_job_copy(&job->row);
	look->jobs = lappend(look->jobs, job);
	MemoryContextSwitchTo(oldcontext);
	key = key_of_job(&job->row);
	add_section(look->sections, look->context, key, &entry);
	entry->job = job;
	key.target = InvalidOid;
	key.section.len = 0;
	add_section(look->sites, look->context, key, &entry);
}

static Look *
look_at_jobs(const SmTable *jobs, Snapshot snapshot)
{
	Look	   *look = palloc0_object(Look);

	look->context = CurrentMemoryContext;
	look->sections = create_sections(look->context);
	look->sites = create_sections(look->context);
	sm_scan(jobs, snapshot, add_job, look);
	look->now = GetCurrentTimestamp();
	return look;
}

/* Has a job neither failed nor succeeded, nor been started? */
static bool
is_new(const SmJob *job)
{
	return sm_job_integer(job, SM_JOB_FAILURES, 0) <= 0 && !sm_job_is_unfinished(job) &&
		!sm_job_has(job, SM_JOB_FINISHED);
}

/* Find out which jobs run.  before: the look before, NULL for none. */
static void
find_running(Look *look, const Look *before)
{
	ListCell   *lc;

	foreach(lc, look->jobs)
	{
		Job		   *job = lfirst(lc);
		SectionKey	key = key_of_job(&job->row);
		const SectionEntry *entry = before ? hash_search(before->sections, &key, HASH_FIND, NULL) : NULL;
		bool		is_dead = entry && entry->job->is_silent && !RecoveryInProgress() &&
			sm_job_time(&entry->job->row, SM_JOB_STARTED) == sm_job_time(&job->row, SM_JOB_STARTED);

		job->next_run = sm_job_next_run(&job->row, look->now);
		job->is_running = job->publisher > 0 || (before && job->is_silent && !is_dead);
		if (job->is_running && sm_job_is_unfinished(&job->row) &&
			(look->called == NULL || sm_job_time(&job->row, SM_JOB_STARTED) < sm_job_time(&look->called->row, SM_JOB_STARTED)))
			look->called = job;
		if (job->is_silent || is_new(&job->row))
			look->is_unclear = true;
	}
	if (before && look->called == NULL)
		look->called = before->called;
}

static const char *
job_state(const Job *job, const Look *look)
{
	const SmJob *row = &job->row;
	int64		failures = sm_job_integer(row, SM_JOB_FAILURES, 0);

	if (job->is_running)
		return "running";
	if (failures > 2 && job->next_run > look->now)
		return "waiting";
	if (failures > 0 || sm_job_is_unfinished(row))
		return "failing";
	if (is_new(row))
		return look->called && job->publisher != 0 ? "due" : "never ran";
	if (job->next_run < look->now - LATE)
		return "late";
	if (sm_job_integer(row, SM_JOB_MISSED, 0) > 0)
		return "unwatched";
	if (sm_job_has(row, SM_JOB_REQUESTED) || (sm_job_has(row, SM_JOB_EVERY) && job->next_run <= look->now))
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

/* A condition, or the arguments of a function: literals of two names. */
static char *
quote_two(const char *first, const char *second)
{
	return psprintf("%s, %s", quote_literal_cstr(first), quote_literal_cstr(second));
}

/* What to say of a job that was due long ago, or of one that nothing has run. */
static char *
describe_schedule(const Rows *rows, const Look *look)
{
	const SmJob *called = look->called ? &look->called->row : NULL;
	char	   *call = psprintf("CALL %s.sitemap_run(%s)", rows->schema, quote_literal_cstr(rows->jobs));

	if (called == NULL)
		return psprintf("Nothing runs it. Schedule %s", call);
	return psprintf("A call has been running section \"%s\" of %s since %s. A second schedule entry serves the other jobs meanwhile: %s",
					sm_job_text(called, SM_JOB_SECTION), sm_job_text(called, SM_JOB_BASE_URL),
					timestamptz_to_str(sm_job_time(called, SM_JOB_STARTED)), call);
}

/* Why a job has its state, and what to do. */
static char *
describe_job(const Rows *rows, const Look *look, const Job *job, const char *state)
{
	const SmJob *row = &job->row;
	char	   *reason = sm_job_text(row, SM_JOB_REASON);
	int64		skipped = sm_job_integer(row, SM_JOB_SKIPPED, 0);
	bool		is_failure = strcmp(state, "failing") == 0 || strcmp(state, "waiting") == 0;
	StringInfoData detail;

	initStringInfo(&detail);
	if (job->publisher == 0)
		add_detail(&detail, "A prepared transaction holds the lock of the section. Commit it, or roll it back; pg_prepared_xacts has its name.");
	else if (is_failure)
	{
		add_detail(&detail, sm_job_has(row, SM_JOB_ERROR) ? sm_job_text(row, SM_JOB_ERROR) :
				 "The last run ended without a result.");
		if (strcmp(state, "waiting") == 0)
			add_detail(&detail, psprintf("To run it at the next call: UPDATE %s SET requested = now() WHERE (base_url, section) = (%s)",
									   rows->jobs, quote_two(sm_job_text(row, SM_JOB_BASE_URL), sm_job_text(row, SM_JOB_SECTION))));
	}
	else if (strcmp(state, "late") == 0 || strcmp(state, "never ran") == 0)
		add_detail(&detail, describe_schedule(rows, look));
	else if (strcmp(state, "unwatched") == 0)
		add_detail(&detail, psprintf("The last full run changed %s that \"changes\" missed. Watch every table that the query reads.",
								   count_of(sm_job_integer(row, SM_JOB_MISSED, 0), "file")));
	else if (!job->is_running && sm_job_integer(row, SM_JOB_URLS, 1) == 0)
		add_detail(&detail, reason ? psprintf("No URLs: %s", reason) : "No URLs");
	else if (!job->is_running && reason)
		add_detail(&detail, psprintf("The last run read all rows: %s", reason));

	if (!is_failure && skipped > 0)
		add_detail(&detail, psprintf("The last full run left out %s. sitemap_audit() says why.", count_of(skipped, "row")));
	if (strcmp(state, "ok") == 0 && sm_job_has(row, SM_JOB_EVERY) &&
		DatumGetIntervalP(row->values[SM_JOB_EVERY].value)->month >= PAUSE * MONTHS_PER_YEAR)
		add_detail(&detail, psprintf("The job is paused: \"every\" is %s.",
								   DatumGetCString(DirectFunctionCall1(interval_out, row->values[SM_JOB_EVERY].value))));
	if (sm_job_has(row, SM_JOB_MAX_SHRINK) && DatumGetFloat8(row->values[SM_JOB_MAX_SHRINK].value) == 1.0)
		add_detail(&detail, "max_shrink is 1, so a run may remove all URLs.");
	return detail.len > 0 ? detail.data : NULL;
}

/* Begin a row of the result.  NULL for texts is NULL.  Other columns are NULL until they are set. */
static void
begin_row(Rows *rows, const char *base_url, const char *section, const char *state, const char *detail)
{
	TupleTableSlot *slot = ExecClearTuple(rows->slot);
	const char *texts[] = {
		[ROW_BASE_URL] = base_url,[ROW_SECTION] = section,[ROW_STATE] = state,[ROW_DETAIL] = detail
	};

	for (size_t i = 0; i < lengthof(texts); i++)
	{
		slot->tts_isnull[i] = texts[i] == NULL;
		slot->tts_values[i] = texts[i] ? CStringGetTextDatum(texts[i]) : (Datum) 0;
	}
}

static void
set_cell(Rows *rows, int column, Datum value)
{
	rows->slot->tts_values[column] = value;
	rows->slot->tts_isnull[column] = false;
}

static void
end_row(Rows *rows)
{
	tuplesort_puttupleslot(rows->sort, ExecStoreVirtualTuple(rows->slot));
}

static void
add_job_row(Rows *rows, const Look *look, const Job *job)
{
	const SmJob *row = &job->row;
	TimestampTz finished = sm_job_time(row, SM_JOB_FINISHED);
	const char *state = job_state(job, look);

	begin_row(rows, sm_job_text(row, SM_JOB_BASE_URL), sm_job_text(row, SM_JOB_SECTION), state,
			  describe_job(rows, look, job, state));
	if (sm_job_has(row, SM_JOB_URLS))
		set_cell(rows, ROW_URLS, row->values[SM_JOB_URLS].value);
	if (!TIMESTAMP_NOT_FINITE(finished))
		set_cell(rows, ROW_AGE, DirectFunctionCall2(timestamp_mi, TimestampTzGetDatum(look->now),
													TimestampTzGetDatum(finished)));
	set_cell(rows, ROW_NEXT_RUN, TimestampTzGetDatum(job->next_run));
	if (job->publisher > 0)
		set_cell(rows, ROW_PID, Int32GetDatum(job->publisher));
	end_row(rows);
}

/* May the caller read all of a table that exists? */
static bool
may_read(Oid relid)
{
	bool		is_missing = false;

	return pg_class_aclcheck_ext(relid, GetUserId(), ACL_SELECT, &is_missing) == ACLCHECK_OK && !is_missing;
}

/* Raise an error unless the caller may read all of the table of jobs, which exists. */
static void
check_right(Oid relid, const char *name)
{
	if (!may_read(relid))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for table %s", name),
				 errhint("Its owner can grant the right: GRANT SELECT ON %s TO %s;",
						 sm_qualified_name(relid),
						 quote_identifier(GetUserNameFromId(GetUserId(), false)))));
}

static void
open_jobs(SmTable *jobs, Oid relid)
{
	char	   *name = get_rel_name(relid);

	/* before the lock, which needs the right, and with the lock */
	if (name)
		check_right(relid, name);
	sm_jobs_open(jobs, relid, AccessShareLock);
	check_right(relid, jobs->name);
	sm_table_check_row_security(jobs);
}

/* Open a target, if it is one and the caller may read all of it.  The lock stays. */
static bool
open_target(SmTable *table, Oid relid)
{
	*table = (SmTable)
	{
		.relid = relid,.what = "target table",.columns = file_columns,.ncolumns = lengthof(file_columns)
	};
	if (!may_read(relid))
		return false;
	table->rel = try_relation_open(relid, AccessShareLock);
	if (table->rel == NULL)
		return false;
	if ((table->rel->rd_rel->relkind == RELKIND_RELATION || table->rel->rd_rel->relkind == RELKIND_PARTITIONED_TABLE) &&
		may_read(relid) && check_enable_rls(relid, InvalidOid, true) != RLS_ENABLED && sm_scan_fits(table))
		return true;
	relation_close(table->rel, NoLock);
	return false;
}

/* The targets of jobs, each once. */
static List *
find_targets(const Look *look)
{
	List	   *targets = NIL;
	ListCell   *lc;

	foreach(lc, look->jobs)
	{
		const Job  *job = lfirst(lc);

		if (sm_job_has(&job->row, SM_JOB_TARGET))
			targets = lappend_oid(targets, DatumGetObjectId(job->row.values[SM_JOB_TARGET].value));
	}
	list_sort(targets, list_oid_cmp);
	list_deduplicate_oid(targets);
	return targets;
}

/* Lock the targets that add_target_rows will read. */
static void
lock_targets(const List *targets)
{
	ListCell   *lc;

	foreach(lc, targets)
	{
		SmTable		table;

		if (!open_target(&table, lfirst_oid(lc)))
			continue;
		sm_scan_lock(&table);
		relation_close(table.rel, NoLock);
	}
}

/* Count a file for its section.  Files of other programs have no digest. */
static void
add_file(void *arg, const NullableDatum *values)
{
	TargetScan *scan = arg;
	SectionEntry *entry;
	SectionKey	key = {.target = scan->target};

	for (int i = 0; i < FILE_URL_COUNT; i++)
		if (values[i].isnull)
			return;
	if (sm_span_is(text_span(values[FILE_KIND]), "index"))
		return;
	key.base_url = text_span(values[FILE_BASE_URL]);
	key.section = text_span(values[FILE_SECTION]);
	add_section(scan->sections, scan->context, key, &entry);
	entry->files++;
	if (!values[FILE_URL_COUNT].isnull)
		entry->urls += DatumGetInt32(values[FILE_URL_COUNT].value);
}

/* Add a row for a section of a site of these jobs that none of them publishes. */
static void
add_section_row(Rows *rows, const char *target, const SectionEntry *entry)
{
	char	   *base_url = pnstrdup(entry->key.base_url.s, entry->key.base_url.len);
	char	   *section = pnstrdup(entry->key.section.s, entry->key.section.len);

	begin_row(rows, base_url, section, "no job",
			  psprintf("No job of this table publishes it. Unless a job of another table or a call does, insert its job again, or remove it: "
					   "DELETE FROM %s WHERE (base_url, section) = (%s); "
					   "UPDATE %s SET requested = now() WHERE base_url = %s; SELECT FROM %s.sitemap_publish_index(%s)",
					   target, quote_two(base_url, section), rows->jobs, quote_literal_cstr(base_url),
					   rows->schema, quote_two(target, base_url)));
	set_cell(rows, ROW_URLS, Int64GetDatum(entry->urls));
	end_row(rows);
}

/* Add the rows of what a target has and no job publishes. */
static void
add_target_rows(Rows *rows, const Look *look, const SmTable *table, Snapshot snapshot)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "target of jobs",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	TargetScan	scan = {.target = table->relid,.sections = create_sections(context),.context = context};
	HTAB	   *other_sites = create_sections(context);
	const char *name = sm_qualified_name(table->relid);
	HASH_SEQ_STATUS status;
	const SectionEntry *entry;
	int64		sections = 0;
	int64		files = 0;

	sm_scan(table, snapshot, add_file, &scan);
	hash_seq_init(&status, scan.sections);
	while ((entry = hash_seq_search(&status)) != NULL)
	{
		SectionKey	site = {.target = InvalidOid,.base_url = entry->key.base_url};
		SectionEntry *other;

		if (hash_search(look->sites, &site, HASH_FIND, NULL) == NULL)
		{
			(void) add_section(other_sites, context, site, &other);
			sections++;
			files += entry->files;
		}
		else if (hash_search(look->sections, &entry->key, HASH_FIND, NULL) == NULL)
			add_section_row(rows, name, entry);
	}
	if (sections > 0)
	{
		begin_row(rows, NULL, NULL, "other sites",
				  psprintf("The target %s has %s (%s, %s) that no job of this table publishes.", name,
						   count_of(hash_get_num_entries(other_sites), "other site"),
						   count_of(sections, "section"), count_of(files, "file")));
		end_row(rows);
	}
	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
}

static void
add_broken_watch(void *arg, const char *problem, const char *hint)
{
	begin_row(arg, NULL, NULL, "broken watch", psprintf("%s\n%s", problem, hint));
	end_row(arg);
}

/* Rows are sorted as ORDER BY base_url, section sorts them. */
static Tuplesortstate *
begin_sort(TupleDesc desc)
{
	AttrNumber	columns[] = {ROW_BASE_URL + 1, ROW_SECTION + 1, ROW_STATE + 1, ROW_DETAIL + 1};
	Oid			operators[] = {TextLessOperator, TextLessOperator, TextLessOperator, TextLessOperator};
	Oid			collations[] = {DEFAULT_COLLATION_OID, DEFAULT_COLLATION_OID, DEFAULT_COLLATION_OID, DEFAULT_COLLATION_OID};
	bool		nulls_first[] = {false, false, false, false};

	return tuplesort_begin_heap(desc, lengthof(columns), columns, operators, collations, nulls_first,
								work_mem, NULL, TUPLESORT_NONE);
}

Datum
sitemap_status(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Oid			schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	SmTable		jobs;
	Rows		rows;
	TupleTableSlot *sorted;
	Look	   *before;
	Look	   *look;
	Snapshot	snapshot;
	ListCell   *lc;

	InitMaterializedSRF(fcinfo, 0);
	open_jobs(&jobs, PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0));
	snapshot = RegisterSnapshot(GetLatestSnapshot());
	before = look_at_jobs(&jobs, snapshot);
	UnregisterSnapshot(snapshot);
	find_running(before, NULL);
	lock_targets(find_targets(before));
	if (before->is_unclear && !RecoveryInProgress())
		DirectFunctionCall1(pg_sleep, Float8GetDatum(MOMENT));

	snapshot = RegisterSnapshot(GetLatestSnapshot());
	look = look_at_jobs(&jobs, snapshot);
	find_running(look, before);
	rows.sort = begin_sort(result->setDesc);
	rows.slot = MakeSingleTupleTableSlot(result->setDesc, &TTSOpsVirtual);
	rows.jobs = sm_qualified_name(jobs.relid);
	rows.schema = quote_identifier(get_namespace_name(schema));
	foreach(lc, look->jobs)
		add_job_row(&rows, look, lfirst(lc));
	foreach(lc, find_targets(look))
	{
		SmTable		target;

		if (!open_target(&target, lfirst_oid(lc)))
			continue;
		add_target_rows(&rows, look, &target, snapshot);
		relation_close(target.rel, NoLock);
	}
	UnregisterSnapshot(snapshot);
	sm_watch_find_broken(schema, jobs.rel->rd_rel->relowner, add_broken_watch, &rows);
	relation_close(jobs.rel, NoLock);

	tuplesort_performsort(rows.sort);
	sorted = MakeSingleTupleTableSlot(result->setDesc, &TTSOpsMinimalTuple);
	while (tuplesort_gettupleslot(rows.sort, true, false, sorted, NULL))
		tuplestore_puttupleslot(result->setResult, sorted);
	ExecDropSingleTupleTableSlot(sorted);
	ExecDropSingleTupleTableSlot(rows.slot);
	tuplesort_end(rows.sort);
	return (Datum) 0;
}
