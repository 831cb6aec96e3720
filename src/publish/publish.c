/*
 * publish.c
 *	  sitemap_publish, which makes the files of a section from a query and writes them
 *	  to the target, a user's table; and sitemap_publish_index, which makes the index
 *	  of all files of a site in the target.
 *
 * Given "changes", changes.c finds the files that hold a changed key, and set.c rebuilds
 * only these.  For a query with a column "shown", past.c has what the target remembers of
 * the pages.
 *
 * While the query runs, nothing is written and the target is not locked, so that the
 * query can use parallel workers.  The files of the set wait in a tuplestore; a file
 * that is already in the target waits without its content.  Then the site is locked
 * and read again.  Files that differ are written, files of the section that are not
 * in the new set are deleted, and the index is made from all files of the site.
 * Locks and statements are in target.c.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "core/decimal.h"
#include "executor/tuptable.h"
#include "files/index.h"
#include "files/set.h"
#include "files/queue.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "publish/changes.h"
#include "publish/feed.h"
#include "publish/past.h"
#include "publish/target.h"
#include "server/argument.h"
#include "server/cancel.h"
#include "server/encoding.h"
#include "server/query.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(sitemap_publish);
PG_FUNCTION_INFO_V1(_sitemap_publish);
PG_FUNCTION_INFO_V1(sitemap_publish_index);

/* Positions of the query, and of the arguments that sitemap_files does not have. */
#define ARG_TARGET		0
#define ARG_QUERY		1
#define ARG_MAX_SHRINK	14
#define ARG_CHANGES		15
#define ARG_FEED		16
#define ARG_READS_ALL	17		/* of _sitemap_publish */

/* A run of sitemap_publish, or of sitemap_publish_index, which has no set. */
typedef struct Run
{
	SmFileSink	sink;			/* must be first; receives the files of the
								 * set and of the index */
	const SmOptions *options;
	SmTarget   *target;

	/* the set, which waits in a tuplestore while the query runs */
	SmFileList *before;			/* files of the target before the query ran */
	Tuplestorestate *files;		/* rows of sitemap_file, without content where
								 * the target has the same */
	TupleDesc	desc;
	SmFileQueue *queue;			/* compresses contents on their way to the
								 * tuplestore */
	int			nfiles;
	int64		url_count;
	char	   *recipe;			/* of a stable split without keys, else NULL */

	/* the result */
	ReturnSetInfo *rows;		/* a row for each file; NULL for none */
	int			written;		/* files inserted, updated or deleted */
	const char *reason;			/* why a run with changes read all rows, or
								 * NULL */
} Run;

/* Empty states: the file in the target keeps its states, which are the same. */
static struct varlena *
same_states(void)
{
	struct varlena *empty = palloc(VARHDRSZ);

	SET_VARSIZE(empty, VARHDRSZ);
	return empty;
}

/* Add a file to the result. */
static void
put_result(Run *run, const SmFile *file, const char *action)
{
	Datum		values[] = {
		CStringGetTextDatum(file->name), CStringGetTextDatum(file->kind),
		CStringGetTextDatum(action), Int32GetDatum(file->url_count),
		Int64GetDatum(file->byte_count)
	};
	bool		nulls[] = {false, file->kind[0] == '\0', false, false, false};

	run->written += strcmp(action, "unchanged") != 0;
	if (run->rows)
		tuplestore_putvalues(run->rows->setResult, run->rows->setDesc, values, nulls);
}

/* Write a file to the target. */
static void
write_file(Run *run, SmFile *file)
{
	const char *action = sm_target_write(run->target, file);

	put_result(run, file, action);
}

/* Delete a file of the target. */
static void
delete_file(Run *run, const SmFile *file)
{
	sm_target_delete(run->target, file);
	put_result(run, file, "deleted");
}

/* Receive a file: of the index, which is written, or of the set, which waits. */
static void
put_file(SmFileSink *self, const SmFile *file)
{
	Run		   *run = (Run *) self;
	SmFile		copy = *file;
	const SmFile *old;

	if (sm_file_is_index(file))
	{
		write_file(run, &copy);
		return;
	}
	run->url_count += file->url_count;
	run->nfiles++;
	old = sm_file_list_find(run->before, file->name);
	if (old && sm_file_is_unchanged(old, file))
	{
		copy.content = NULL;
		if (file->shown && file->shown_checksum == old->shown_checksum)
			copy.shown = same_states();
	}
	sm_file_queue_put(run->queue, &copy);
}

/*
 * Warn if most files of a stable split get new names although the number of URLs is
 * nearly the same: the rows probably come in a different order in each run.  With a
 * column key, that is an error.  ndeleted: files of the section whose names are gone.
 */
static void
warn_of_order(const Run *run, int ndeleted)
{
	const SmFileList *list = run->target->list;
	int64		change = run->url_count - list->section_urls;

	if (ndeleted <= list->section_nfiles / 2 || Max(change, -change) * 10 >= list->section_urls)
		return;
	ereport(WARNING,
			(errmsg("%d of %d files of section \"%s\" get other names", ndeleted,
					list->section_nfiles, list->section),
			 errdetail("The section had " INT64_FORMAT " URLs and has " INT64_FORMAT ". In a stable split, a file keeps its name as long as the rows come in the same order.",
					   list->section_urls, run->url_count),
			 errhint("End the query with ORDER BY and a column that does not change, such as a primary key.")));
}

/* Write the files of the set to the target, and delete the section's other files. */
static void
write_set(Run *run)
{
	const SmFileList *list = run->target->list;
	TupleTableSlot *slot = MakeSingleTupleTableSlot(run->desc, &TTSOpsMinimalTuple);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish file",
												  ALLOCSET_DEFAULT_SIZES);
	int			ndeleted = 0;
	bool		same_recipe = run->recipe != NULL;

	while (tuplestore_gettupleslot(run->files, true, false, slot))
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(context);
		SmFile		file;

		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(slot);
		sm_file_from_row(&file, slot->tts_values, slot->tts_isnull);
		write_file(run, &file);
		MemoryContextSwitchTo(oldcontext);
		MemoryContextReset(context);
	}
	ExecDropSingleTupleTableSlot(slot);
	MemoryContextDelete(context);

	for (int i = 0; i < list->nfiles; i++)
	{
		const SmFile *file = list->files[i];

		if (file->kept || !file->of_section)
			continue;
		delete_file(run, file);
		ndeleted++;
		same_recipe = same_recipe && strcmp(file->recipe, run->recipe) == 0;
	}
	sm_target_flush(run->target);
	if (same_recipe)
		warn_of_order(run, ndeleted);
}

/* The order of files in an index: by section, then by name, -9 before -10. */
static int
compare_for_index(const void *a, const void *b)
{
	const SmFile *left = *(SmFile *const *) a;
	const SmFile *right = *(SmFile *const *) b;
	size_t		left_len = strlen(left->name);
	size_t		right_len = strlen(right->name);
	int			result = strcmp(left->section, right->section);

	if (result == 0)
		result = (left_len > right_len) - (left_len < right_len);
	return result ? result : strcmp(left->name, right->name);
}

/*
 * Raise an error unless the index can list a file: it must be on the site, and a file
 * that another program makes must not be an index.  loc: its URL, UTF-8.
 */
static void
check_listed(const SmFile *file, SmSpan loc, const SmUrlBase *site, SmUrlCache *cache)
{
	char	   *url = palloc(sm_url_bound(loc.len, site, SM_URL_MAX));
	size_t		len;

	if (sm_file_is_index(file) && file->digest[0] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an index cannot list another index"),
				 errdetail("In the target, file \"%s\" is of kind \"index\" and has no digest.",
						   file->name),
				 errhint("Add the sitemaps of that index one by one.")));
	if (sm_url_encode(loc.s, loc.len, site, cache, SM_FORM_PLAIN, SM_URL_MAX, url, &len) == SM_URL_OTHER_SITE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an index cannot list a sitemap of another host"),
				 errdetail("In the target, file \"%s\" of the site \"%.*s\" has the loc \"%s\".",
						   file->name, (int) site->len[SM_FORM_PLAIN], site->url[SM_FORM_PLAIN],
						   sm_clip(file->loc)),
				 errhint("Scheme, host and port of loc and base_url must be the same.")));
	pfree(url);
}

/* Write the index of all files of the site.  Without files there is no index. */
static void
write_index(Run *run)
{
	const SmOptions *options = run->options;
	const SmFileList *list = run->target->list;
	SmUrlBase	site = options->base;
	SmUrlCache *cache = palloc0_object(SmUrlCache);
	SmIndex    *index = sm_index_create(options->protocol, options->stylesheet);
	SmFile	  **files = palloc_extended(list->nfiles * sizeof(SmFile *), MCXT_ALLOC_HUGE);

	site.scope = SM_SCOPE_HOST;
	for (int i = 0; i < list->nfiles; i++)
		files[i] = list->files[i];
	qsort(files, list->nfiles, sizeof(SmFile *), compare_for_index);
	for (int i = 0; i < list->nfiles; i++)
	{
		const char *text = files[i]->loc;
		SmSpan		loc;

		CHECK_FOR_INTERRUPTS();
		/* the index refuses a loc that cannot be converted */
		if (!sm_to_utf8(text, strlen(text), &loc))
			loc = sm_span_of(text);
		check_listed(files[i], loc, &site, cache);
		if (!sm_file_is_index(files[i]) && loc.len > 0)
			sm_index_add(index, loc, files[i]->lastmod);
	}

	sm_index_put(index, &options->base, SM_INDEX_SECTION, &run->sink);
	for (int i = 0; i < list->nfiles; i++)
		if (sm_file_is_index(files[i]) && !files[i]->kept)
			delete_file(run, files[i]);
}

/*
 * Files that a rebuild kept belong to the set: count them, too.  Raises an error unless
 * the target has them as they were before the query ran.
 */
static void
keep_files(Run *run)
{
	for (int i = 0; i < run->before->nfiles; i++)
	{
		const SmFile *file = run->before->files[i];

		if (!file->kept)
			continue;
		sm_target_keep(run->target, file);
		run->url_count += file->url_count;
		run->nfiles++;
	}
}

/* Raise an error if the set lost too many URLs. */
static void
check_shrink(const Run *run, double max_shrink)
{
	int64		before = run->target->list->section_urls;
	int64		after = run->url_count;

	if (before - after <= sm_decimal_share(before, max_shrink))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("section \"%s\" would shrink from " INT64_FORMAT " %s to " INT64_FORMAT,
					run->options->section, before, before == 1 ? "URL" : "URLs", after),
			 errdetail("max_shrink allows it to lose %g%%. Nothing was changed in the target table \"%s\".",
					   max_shrink * 100.0, run->target->table.name->relname),
			 errhint("If the pages are really gone, publish with max_shrink => 1. A site with few pages can do so in every run.")));
}

static double
max_shrink_argument(FunctionCallInfo fcinfo)
{
	double		max_shrink;

	if (PG_ARGISNULL(ARG_MAX_SHRINK))
		return 0.5;
	max_shrink = PG_GETARG_FLOAT8(ARG_MAX_SHRINK);
	/* written so that NaN is refused, too */
	if (!(max_shrink >= 0.0 && max_shrink <= 1.0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid max_shrink %g", max_shrink),
				 errdetail("It must be from 0 to 1.")));
	return max_shrink;
}

/* Prepare to store the files of the set. */
static void
begin_files(Run *run)
{
	run->files = tuplestore_begin_heap(false, false, work_mem);
	run->desc = CreateTemplateTupleDesc(SM_FILE_NCOLUMNS);
	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
		TupleDescInitEntry(run->desc, i + 1, sm_file_columns[i].name,
						   sm_file_columns[i].type, -1, 0);
	TupleDescFinalize(run->desc);
	run->queue = sm_file_queue_create(run->files, run->desc, run->options->compression);
}

/* Forget the files of the set, to make it from its beginning. */
static void
forget_files(Run *run)
{
	run->url_count = 0;
	run->nfiles = 0;
	sm_file_queue_finish(run->queue);
	tuplestore_clear(run->files);
	for (int i = 0; i < run->before->nfiles; i++)
		run->before->files[i]->kept = false;
}

/*
 * Make the files of the set, and store them.  statement: argument "changes", or NULL;
 * reads_all: read all rows, and execute the statement only to empty the queue.  If only some
 * files are made, the others are marked as kept in the list.
 */
static void
make_set(Run *run, const char *statement, bool reads_all)
{
	TimestampTz now = sm_past_now(run->before);
	SmSet	   *set = sm_set_begin(run->options, &run->sink);
	SmOldFiles	old = {0};
	SmPast	   *past = NULL;

	if (statement && reads_all)
	{
		sm_run_changes(statement, None_Receiver);
		statement = NULL;
	}
	if (statement)
		run->reason = sm_changes_read(statement, set, run->before, &old);
	else if (set->has_shown)
		sm_file_list_order(run->before, set->key_type, &old);

	/*
	 * At READ COMMITTED, take a new snapshot under the section's lock, so
	 * that the rows are not older than those of the section's last run.
	 */
	PushActiveSnapshot(GetTransactionSnapshot());
	if (set->has_shown)
		past = sm_past_begin(set, run->target, run->before, &old, now);
	if (statement && run->reason == NULL)
		run->reason = sm_set_rebuild(set, &old);
	if (run->reason)
	{
		ereport(NOTICE,
				(errmsg("reading all rows, not only what changed: %s", run->reason)));
		sm_set_end(set, NULL);
		sm_past_end(past);
		forget_files(run);
		set = sm_set_begin(run->options, &run->sink);
		if (past)
			past = sm_past_begin(set, run->target, run->before, &old, now);
	}
	if (statement == NULL || run->reason)
		sm_set_make_all(set, true);
	sm_file_queue_finish(run->queue);
	PopActiveSnapshot();
	if (run->options->stable && set->key_type == NULL)
		run->recipe = pstrdup(set->recipe);
	sm_set_end(set, "sitemap_publish");
	sm_past_end(past);
}

/* Publish a section, in the current memory context. */
static void
publish(FunctionCallInfo fcinfo, Run *run, bool reads_all)
{
	static const SmOptionDefaults defaults = {.compression = 6,.stable = true};
	double		max_shrink = max_shrink_argument(fcinfo);
	char	   *statement;
	const SmOptions *options;
	SmTarget   *target;
	SmFeed	   *feed = NULL;

	sm_require_argument(fcinfo, ARG_TARGET, "target");
	options = run->options = sm_read_options(fcinfo, ARG_QUERY, &defaults);
	statement = PG_ARGISNULL(ARG_CHANGES) ? NULL : sm_text_argument(fcinfo, ARG_CHANGES, "changes");
	target = run->target = sm_target_create(PG_GETARG_OID(ARG_TARGET), &options->base,
											options->section, "sitemap_publish()");
	if (!PG_ARGISNULL(ARG_FEED))
		feed = sm_feed_create(PG_GETARG_OID(ARG_FEED));

	run->before = sm_target_lock_section(target);
	begin_files(run);
	make_set(run, statement, reads_all);

	sm_target_lock(target);
	keep_files(run);
	check_shrink(run, max_shrink);

	/*
	 * At the first run of the section every URL would be new, so the feed
	 * gets nothing.  A section that was emptied has no files either, but its
	 * URLs are in the feed.
	 */
	if (feed && (target->list->section_nfiles > 0 ||
				 sm_feed_has_section(feed, target->base_url, options->section)))
		target->feed = feed;
	write_set(run);
	if (options->index != SM_INDEX_NEVER)
	{
		sm_target_read(target);
		write_index(run);
	}
	if (target->feed)
		sm_feed_write(feed, target->base_url, options->section, target->run_at);
	sm_target_close(target);
	tuplestore_end(run->files);
}

static MemoryContext
create_context(void)
{
	return AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish",
								 ALLOCSET_DEFAULT_SIZES);
}

Datum
sitemap_publish(PG_FUNCTION_ARGS)
{
	Run			run = {.sink = {.put = put_file},.rows = (ReturnSetInfo *) fcinfo->resultinfo};
	MemoryContext context = create_context();
	MemoryContext oldcontext;

	InitMaterializedSRF(fcinfo, 0);
	oldcontext = MemoryContextSwitchTo(context);
	publish(fcinfo, &run, false);
	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
	return (Datum) 0;
}

static Datum
publish_summary(PG_FUNCTION_ARGS)
{
	Run			run = {.sink = {.put = put_file}};
	MemoryContext context = create_context();
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	Datum		values[4];
	bool		nulls[4] = {false};
	TupleDesc	desc;
	HeapTuple	tuple;

	publish(fcinfo, &run, !PG_ARGISNULL(ARG_READS_ALL) && PG_GETARG_BOOL(ARG_READS_ALL));
	MemoryContextSwitchTo(oldcontext);
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = Int32GetDatum(run.written);
	values[1] = Int64GetDatum(run.url_count);
	values[2] = Int32GetDatum(run.nfiles);
	values[3] = CStringGetTextDatum(run.reason ? run.reason : "");
	nulls[3] = run.reason == NULL;
	tuple = heap_form_tuple(desc, values, nulls);
	MemoryContextDelete(context);
	return HeapTupleGetDatum(tuple);
}

/* The same for sitemap_run, which wants a summary instead of the files. */
Datum
_sitemap_publish(PG_FUNCTION_ARGS)
{
	return sm_call_marking_cancels(publish_summary, fcinfo);
}

Datum
sitemap_publish_index(PG_FUNCTION_ARGS)
{
	Run			run = {.sink = {.put = put_file},.rows = (ReturnSetInfo *) fcinfo->resultinfo};
	MemoryContext context = create_context();
	MemoryContext oldcontext;

	sm_require_argument(fcinfo, ARG_TARGET, "target");
	InitMaterializedSRF(fcinfo, 0);

	oldcontext = MemoryContextSwitchTo(context);
	run.options = sm_read_index_options(fcinfo, ARG_TARGET + 1);
	run.target = sm_target_create(PG_GETARG_OID(ARG_TARGET), &run.options->base, NULL,
								  "sitemap_publish_index()");
	sm_target_lock(run.target);
	write_index(&run);
	sm_target_close(run.target);

	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
	return (Datum) 0;
}
