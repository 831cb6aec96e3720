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
 * in the new set are deleted, and the index is made from all files of the site, and
 * written in the same way.  Locks and statements are in target.c.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "core/decimal.h"
#include "executor/tuptable.h"
#include "files/index.h"
#include "files/set.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "publish/changes.h"
#include "publish/feed.h"
#include "publish/job.h"
#include "publish/past.h"
#include "publish/target.h"
#include "server/argument.h"
#include "server/encoding.h"
#include "server/query.h"
#include "server/query_tree.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(sitemap_publish);
PG_FUNCTION_INFO_V1(_sitemap_publish);
PG_FUNCTION_INFO_V1(sitemap_publish_index);

/* What a section may lose if max_shrink is not given: this share or this many URLs. */
#define DEFAULT_SHRINK	0.2
#define DEFAULT_LOSS	100

/* A run of sitemap_publish, or of sitemap_publish_index, which has no set. */
typedef struct Run
{
	SmFileSink	sink;			/* must be first; receives the files of the
								 * set and of the index */
	const SmOptions *options;
	SmTarget   *target;
	SmSet	   *set;			/* while it is being made */
	bool		reads_all;		/* execute "changes" only to empty the queue */

	/* files that wait to be written */
	Tuplestorestate *files;		/* rows of sitemap_file, without content where
								 * the target has the same */
	TupleDesc	desc;
	SmGzip	   *gzip;			/* compresses contents; NULL for no
								 * compression */

	/* the result */
	ReturnSetInfo *rows;		/* a row for each file; NULL for
								 * _sitemap_publish */
	int			written;		/* files inserted, updated or deleted */
	int			nfiles;			/* of the set */
	int64		url_count;		/* of the set */
	const char *recipe;			/* of a stable split without keys, or NULL */
	const char *reason;			/* why a run with changes read all rows, or
								 * NULL */
	int64		unannounced;	/* files that changed without a key that
								 * announced it; -1 for not counted */
} Run;

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

/* Receive a file of the set or of the index, which waits to be written. */
static void
put_file(SmFileSink *self, const SmFile *file)
{
	Run		   *run = (Run *) self;
	SmFile		copy = *file;
	SmFile	   *old = sm_file_list_find(run->target->list, file->name);

	if (old && sm_file_is_unchanged(old, file))
	{
		copy.content = NULL;
		old->stays = sm_file_has_same_key(old, file) &&
			file->shown_checksum == old->shown_checksum;
		if (old->stays)
			copy.shown = NULL;
	}
	sm_file_store(&copy, run->gzip, run->files, run->desc);
}

static void
prepare_to_store(Run *run)
{
	run->files = tuplestore_begin_heap(false, false, work_mem);
	run->desc = CreateTemplateTupleDesc(SM_FILE_NCOLUMNS);
	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
		TupleDescInitEntry(run->desc, i + 1, sm_file_columns[i].name,
						   sm_file_columns[i].type, -1, 0);
	TupleDescFinalize(run->desc);
	if (run->options->compression > 0)
		run->gzip = sm_gzip_create(run->options->compression);
}

/* Forget the files of the set, to make it from its beginning. */
static void
forget_files(Run *run)
{
	SmFileList *list = run->target->list;

	tuplestore_clear(run->files);
	for (int i = 0; i < list->nfiles; i++)
		list->files[i]->stays = false;
}

/*
 * Write the files that wait, which are a whole section or a whole index, and delete the
 * target's other files of that section, or other indexes.
 */
static void
write_files(Run *run, bool are_index)
{
	const SmFileList *list = run->target->list;
	TupleTableSlot *slot = MakeSingleTupleTableSlot(run->desc, &TTSOpsMinimalTuple);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish file",
												  ALLOCSET_DEFAULT_SIZES);

	while (tuplestore_gettupleslot(run->files, true, false, slot))
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(context);
		SmFile		file;

		CHECK_FOR_INTERRUPTS();
		sm_file_from_row(&file, slot);
		put_result(run, &file,
				   sm_target_write(run->target, &file, slot->tts_values, slot->tts_isnull));
		MemoryContextSwitchTo(oldcontext);
		MemoryContextReset(context);
	}
	ExecDropSingleTupleTableSlot(slot);
	MemoryContextDelete(context);
	tuplestore_clear(run->files);

	for (int i = 0; i < list->nfiles; i++)
	{
		const SmFile *file = list->files[i];

		if (file->stays || !(are_index ? sm_file_is_index(file) : file->of_section))
			continue;
		sm_target_delete(run->target, file);
		put_result(run, file, "deleted");
	}
	sm_target_flush(run->target);
}

/*
 * Warn if most files of a stable split get new names although the number of URLs is
 * nearly the same: the rows probably come in a different order in each run.  With a
 * column key, that is an error.
 */
static void
warn_of_order(const Run *run)
{
	const SmFileList *list = run->target->list;
	int64		change = run->url_count - list->section_urls;
	int			ndeleted = 0;

	for (int i = 0; i < list->nfiles; i++)
		if (list->files[i]->of_section && !list->files[i]->stays)
		{
			if (strcmp(list->files[i]->recipe, run->recipe) != 0)
				return;
			ndeleted++;
		}
	if (ndeleted <= list->section_nfiles / 2 || Max(change, -change) * 10 >= list->section_urls)
		return;
	/* a section that was renamed */
	if (sm_file_list_find(list, sm_first_name(run->options)) == NULL)
		return;
	ereport(WARNING,
			(errmsg("%d of %d files of section \"%s\" get other names", ndeleted,
					list->section_nfiles, list->section),
			 errdetail("The section had " INT64_FORMAT " URLs and has " INT64_FORMAT ". In a stable split, a file keeps its name as long as the rows come in the same order.",
					   list->section_urls, run->url_count),
			 errhint("End the query with ORDER BY and a column that does not change, such as a primary key.")));
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
	const SmFileList *list = sm_target_read(run->target);
	SmUrlBase	site = options->base;
	SmUrlCache *cache = palloc0_object(SmUrlCache);
	SmIndex    *index = sm_index_create(options);
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

	sm_index_put(index, SM_INDEX_SECTION, SM_INDEX_SECTION, &run->sink);
	write_files(run, true);
}

/* Raise an error if the set lost too many URLs.  max_shrink: negative if not given. */
static void
check_shrink(const Run *run, double max_shrink)
{
	int64		before = run->target->list->section_urls;
	int64		after = run->url_count;
	int64		allowed = max_shrink < 0 ?
		Max(DEFAULT_LOSS, sm_decimal_share(before, DEFAULT_SHRINK)) :
		sm_decimal_share(before, max_shrink);

	if (before - after <= allowed && (after > 0 || before == 0 || max_shrink == 1.0))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("section \"%s\" would shrink from " INT64_FORMAT " %s to " INT64_FORMAT,
					run->options->section, before, before == 1 ? "URL" : "URLs", after),
			 max_shrink < 0 ?
			 errdetail("Without max_shrink it may lose %g%% of its URLs, or %d, but not all. Nothing was changed in the target table \"%s\".",
					   DEFAULT_SHRINK * 100.0, DEFAULT_LOSS,
					   run->target->table.name->relname) :
			 errdetail("max_shrink allows it to lose %g%%. Nothing was changed in the target table \"%s\".",
					   max_shrink * 100.0, run->target->table.name->relname),
			 errhint("If the pages are really gone, set max_shrink to 1 for one run.")));
}

/* Read the argument max_shrink; -1 if it is not given. */
static double
max_shrink_argument(const SmArguments *args)
{
	double		max_shrink;

	if (!sm_has_argument(args, "max_shrink"))
		return -1.0;
	max_shrink = DatumGetFloat8(sm_argument(args, "max_shrink"));
	/* written so that NaN is refused, too */
	if (!(max_shrink >= 0.0 && max_shrink <= 1.0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid max_shrink %g", max_shrink),
				 errdetail("It must be from 0 to 1.")));
	return max_shrink;
}

/*
 * Raise an error unless base_url is written as it is published.  Jobs are told apart by it,
 * and two jobs of one section would take turns to overwrite each other's pages.
 */
static void
check_spelling(const SmArguments *args, const char *base_url)
{
	const char *written = sm_text_argument(args, "base_url");

	if (strcmp(written, base_url) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("base_url \"%s\" is not written as it is published", sm_clip(written)),
				 errhint("Write \"%s\".", base_url)));
}

/*
 * Make the files of the set, and store them.  statement: argument "changes", or NULL.
 * Files that stay as they are get marked in the target's list.
 */
static void
make_set(Run *run, const char *statement)
{
	SmTarget   *target = run->target;
	bool		has_changes = statement != NULL;
	SmPast	   *past = NULL;
	SmSet	   *set;

	if (statement && run->reads_all)
	{
		sm_changes_run(target, statement, None_Receiver);
		statement = NULL;
	}
	set = run->set = sm_set_begin(run->options, &run->sink);
	if (has_changes)
		sm_changes_check(set);
	if (statement)
		run->reason = sm_changes_read(target, statement, set);
	else if (set->has_shown)
		sm_file_list_order(target->list, set->key_type, &set->old);
	if (set->has_shown)
		past = sm_past_begin(set, target);

	/*
	 * At READ COMMITTED, take a new snapshot under the section's lock, so
	 * that the rows are not older than those of the section's last run.
	 */
	PushActiveSnapshot(GetTransactionSnapshot());
	if (statement && run->reason == NULL)
		run->reason = sm_set_rebuild(set);
	/* no notice for a first run, or a single file, which has few rows */
	if (run->reason && run->rows &&
		target->list->section_nfiles > (sm_query_has_limit(&set->query) ? 0 : 1))
		ereport(NOTICE,
				(errmsg("reading all rows, not only what changed: %s", run->reason)));
	if (statement == NULL || run->reason)
	{
		forget_files(run);
		sm_set_make_all(set, true);
	}
	PopActiveSnapshot();
	run->nfiles = set->nfiles;
	run->url_count = set->url_count;
	if (run->options->stable && set->key_type == NULL)
		run->recipe = pstrdup(set->recipe.text);
	run->set = NULL;
	sm_past_end(past);
	sm_set_end(set, "sitemap_publish");
}

/* Publish a section. */
static void
publish(const SmArguments *args, Run *run)
{
	double		max_shrink = max_shrink_argument(args);
	Oid			relid = DatumGetObjectId(sm_argument(args, "target"));
	char	   *statement;
	const SmOptions *options;
	SmTarget   *target;
	SmFeed	   *feed = NULL;

	options = run->options = sm_read_options(args, true);
	statement = sm_has_argument(args, "changes") ? sm_text_argument(args, "changes") : NULL;
	if (sm_has_argument(args, "feed"))
		feed = sm_feed_create(DatumGetObjectId(sm_argument(args, "feed")));
	target = sm_target_create(relid, &options->base, options->section,
							  "sitemap_publish()");
	if (run->rows == NULL)
		check_spelling(args, target->base_url);

	run->target = target;
	sm_target_lock_section(target);
	prepare_to_store(run);
	make_set(run, statement);

	sm_target_lock(target);
	check_shrink(run, max_shrink);

	/*
	 * At the first run of the section every URL would be new, so the feed
	 * gets nothing.  A section that was emptied has no files either, but its
	 * URLs are in the feed.
	 */
	if (feed && (target->list->section_nfiles > 0 ||
				 sm_feed_has_section(feed, target->base_url, options->section)))
		target->feed = feed;
	write_files(run, false);
	if (run->recipe)
		warn_of_order(run);
	if (options->index != SM_INDEX_NEVER)
		write_index(run);
	if (target->feed)
		sm_feed_write(feed, target->base_url, options->section, target->run_at);
}

/* Publish the index. */
static void
publish_index(const SmArguments *args, Run *run)
{
	Oid			relid = DatumGetObjectId(sm_argument(args, "target"));

	run->options = sm_read_index_options(args);
	run->target = sm_target_create(relid, &run->options->base, NULL,
								   "sitemap_publish_index()");
	sm_target_lock(run->target);
	prepare_to_store(run);
	write_index(run);
}

/* A hint for errors of the user's statements, whose names depend on the search_path. */
static void
hint_at_search_path(void)
{
	int			code = geterrcode();

	if (code == ERRCODE_UNDEFINED_TABLE || code == ERRCODE_UNDEFINED_FUNCTION)
		errhint("Give each name its schema%s. The search_path is %s.",
				code == ERRCODE_UNDEFINED_FUNCTION ? ", or cast arguments" : "",
				namespace_search_path);
}

/* Error context: what the run was doing. */
static void
add_context(void *arg)
{
	const Run  *run = arg;
	const SmTarget *target = run->target;
	const SmReceiver *receiver = run->set ? &run->set->receiver : NULL;

	if (target == NULL)
		return;
	if (target->activity != SM_IN_TARGET)
		hint_at_search_path();
	if (target->activity == SM_IN_CHANGES)
		errcontext("in the statement of changes");
	else if (target->activity == SM_IN_TARGET)
		errcontext("in the target \"%s\"", target->label);
	else if (receiver == NULL || !receiver->is_running || receiver->is_receiving)
		sm_query_context(receiver);
}

/* Do the work of a call in a memory context of its own. */
static void
run_call(const SmArguments *args, Run *run, void (*work) (const SmArguments *args, Run *run))
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	ErrorContextCallback callback = {.callback = add_context,.arg = run};

	run->sink.put = put_file;
	callback.previous = error_context_stack;
	error_context_stack = &callback;
	work(args, run);
	sm_target_close(run->target);
	tuplestore_end(run->files);
	error_context_stack = callback.previous;
	MemoryContextSwitchTo(oldcontext);
	if (run->reason)
		run->reason = pstrdup(run->reason);
	MemoryContextDelete(context);
}

Datum
sitemap_publish(PG_FUNCTION_ARGS)
{
	Run			run = {.rows = (ReturnSetInfo *) fcinfo->resultinfo};

	InitMaterializedSRF(fcinfo, 0);
	run_call(sm_call_arguments(fcinfo), &run, publish);
	return (Datum) 0;
}

/* The row of a job with the results of its run. */
static Datum
put_results(const Run *run, Datum job)
{
	bool		is_full = run->reads_all || run->reason;
	SmJobColumn columns[] = {
		{"urls", Int64GetDatum(run->url_count), false},
		{"files", Int32GetDatum(run->nfiles), false},
		{"written", Int32GetDatum(run->written), false},
		{"unannounced", Int64GetDatum(run->unannounced), run->unannounced < 0},
		{"reason", run->reason ? CStringGetTextDatum(run->reason) : (Datum) 0, run->reason == NULL},
		{"full_at", TimestampTzGetDatum(GetCurrentTimestamp()), !is_full}
	};

	return sm_job_with_columns(job, columns, lengthof(columns));
}

/*
 * The same as sitemap_publish for sitemap_run.  Its arguments are in the row of a job, which
 * returns with the results instead of the files.  The call has the search_path given.
 */
Datum
_sitemap_publish(PG_FUNCTION_ARGS)
{
	Run			run = {.reads_all = PG_GETARG_BOOL(1),.unannounced = -1};
	char	   *search_path = text_to_cstring(PG_GETARG_TEXT_PP(2));
	int			level = NewGUCNestLevel();

	(void) set_config_option("search_path", search_path, PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	run_call(sm_job_arguments(PG_GETARG_DATUM(0)), &run, publish);
	AtEOXact_GUC(true, level);
	PG_RETURN_DATUM(put_results(&run, PG_GETARG_DATUM(0)));
}

Datum
sitemap_publish_index(PG_FUNCTION_ARGS)
{
	Run			run = {.rows = (ReturnSetInfo *) fcinfo->resultinfo};

	InitMaterializedSRF(fcinfo, 0);
	run_call(sm_call_arguments(fcinfo), &run, publish_index);
	return (Datum) 0;
}
