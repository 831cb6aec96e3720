/*
 * publish.c
 *	  sitemap_publish, which makes the files of a section from a query and writes them
 *	  to the target, a user's table; and sitemap_publish_index, which makes the index
 *	  of all files of a site in the target.
 *
 * Given "changes", changes.c makes only some files of the set.  For a query with a
 * column shown, past.c has what the target remembers of the pages.
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
#include "files/store.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "publish/changes.h"
#include "publish/feed.h"
#include "publish/past.h"
#include "publish/target.h"
#include "server/argument.h"
#include "server/encoding.h"
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

/* What a run did. */
typedef struct Outcome
{
	ReturnSetInfo *rows;		/* a row for each file; NULL for none */
	int			written;		/* files inserted, updated or deleted */
	int			nfiles;			/* of the section */
	int64		url_count;		/* of these files */
	const char *reason;			/* why a run with changes read all rows, or
								 * NULL */
} Outcome;

/* Sink that keeps the files of the set while the query runs. */
typedef struct SetSink
{
	SmFileSink	sink;			/* must be first */
	const SmOptions *options;
	SmFileList *before;			/* files of the target before the query ran */
	int64		url_count;		/* URLs of the new set */
	int			nfiles;			/* its files */
	int64		old_url_count;	/* URLs that the section has in the target */
	int			old_nfiles;		/* its files there */
	char	   *recipe;			/* of a stable split without keys, else NULL */
	Tuplestorestate *files;		/* rows of sitemap_file, without content where
								 * the target has the same */
	TupleDesc	desc;
	SmFileStore *store;			/* compresses contents on their way to the
								 * tuplestore */
} SetSink;

/* Sink that writes the files of the index. */
typedef struct IndexSink
{
	SmFileSink	sink;			/* must be first */
	SmTarget   *target;			/* locked */
	Outcome    *result;
} IndexSink;

/* Stands for the states that the file in the target has. */
static struct varlena *
no_states(void)
{
	struct varlena *empty = palloc(VARHDRSZ);

	SET_VARSIZE(empty, VARHDRSZ);
	return empty;
}

/* Put a file of the set into the tuplestore. */
static void
put_set_file(SmFileSink *self, const SmFile *file)
{
	SetSink    *set = (SetSink *) self;
	const SmFile *old = sm_file_list_find(set->before, file->name);
	SmFile		stored = *file;

	set->url_count += file->url_count;
	set->nfiles++;
	if (sm_file_is_unchanged(old, file))
	{
		stored.content = NULL;
		if (file->shown && file->shown_checksum == old->shown_checksum)
			stored.shown = no_states();
	}
	sm_file_store_put(set->store, &stored);
}

/* Add a file to the result. */
static void
put_result(Outcome *result, const SmFile *file, const char *action)
{
	Datum		values[] = {
		CStringGetTextDatum(file->name), CStringGetTextDatum(file->kind),
		CStringGetTextDatum(action), Int32GetDatum(file->url_count),
		Int64GetDatum(file->byte_count)
	};
	bool		nulls[] = {false, file->kind[0] == '\0', false, false, false};

	result->written += strcmp(action, "unchanged") != 0;
	if (result->rows)
		tuplestore_putvalues(result->rows->setResult, result->rows->setDesc, values, nulls);
}

/*
 * Raise an error unless a file may replace old, the file of that name: both are
 * indexes, or both are of one section, and no other program makes old.
 */
static void
check_owner(const SmTarget *target, const SmFile *old, const SmFile *file)
{
	if (sm_file_is_index(file) ? sm_file_is_index(old) && old->digest[0] != '\0' :
		sm_file_is_of_section(old, file->section))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DUPLICATE_OBJECT),
			 errmsg("section \"%s\" cannot have a file named \"%s\"", file->section, old->name),
			 errdetail("In the target table \"%s\", section \"%s\" has a file of that name.",
					   target->table.name->relname, old->section),
			 errhint("Publish one of the sections under another name.")));
}

/*
 * Write a file, unless the target has the same.  The file has no content if the target
 * had the same before the query ran.
 */
static void
write_file(SmTarget *target, SmFile *file, Outcome *result)
{
	SmFile	   *old = sm_file_list_find(target->list, file->name);
	bool		unchanged = sm_file_is_unchanged(old, file);

	if (!unchanged && file->content == NULL)
		sm_target_changed(target, file->name);
	if (old)
	{
		check_owner(target, old, file);
		old->kept = true;
	}
	if (unchanged)
	{
		file->content = NULL;
		file->lastmod = old->lastmod;
		if (!sm_file_has_same_key(old, file) ||
			(file->shown && VARSIZE_ANY_EXHDR(file->shown) > 0))
			sm_target_write(target, old, file);
	}
	else
	{
		/* an unchanged document keeps its lastmod */
		bool		keep = old && strcmp(old->digest, file->digest) == 0 &&
			!TIMESTAMP_NOT_FINITE(old->lastmod);

		file->lastmod = keep ? old->lastmod : sm_target_lastmod(target, old);
		sm_target_write(target, old, file);
	}
	put_result(result, file, unchanged ? "unchanged" : old ? "updated" : "inserted");
}

/* Delete a file of the target. */
static void
delete_file(SmTarget *target, SmFile *file, Outcome *result)
{
	sm_target_delete(target, file);
	put_result(result, file, "deleted");
}

/*
 * Warn if most files of a stable split get new names although the number of URLs is
 * nearly the same: the rows probably come in a different order in each run.  With a
 * column key, that is an error.  ndeleted: files of the section whose names are gone.
 */
static void
warn_of_order(const SetSink *set, int ndeleted)
{
	int64		change = set->url_count - set->old_url_count;

	if (ndeleted <= set->old_nfiles / 2 || Max(change, -change) * 10 >= set->old_url_count)
		return;
	ereport(WARNING,
			(errmsg("%d of %d files of section \"%s\" get other names", ndeleted,
					set->old_nfiles, set->options->section),
			 errdetail("The section had " INT64_FORMAT " URLs and has " INT64_FORMAT ". In a stable split, a file keeps its name as long as the rows come in the same order.",
					   set->old_url_count, set->url_count),
			 errhint("End the query with ORDER BY and a column that does not change, such as a primary key.")));
}

/* Write the files of the set to the target, and delete the section's other files. */
static void
write_set(SetSink *set, SmTarget *target, Outcome *result)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(set->desc, &TTSOpsMinimalTuple);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish file",
												  ALLOCSET_DEFAULT_SIZES);
	int			ndeleted = 0;
	bool		same_recipe = set->recipe != NULL;

	while (tuplestore_gettupleslot(set->files, true, false, slot))
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(context);
		SmFile		file;

		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(slot);
		sm_file_from_row(&file, slot->tts_values, slot->tts_isnull);
		write_file(target, &file, result);
		MemoryContextSwitchTo(oldcontext);
		MemoryContextReset(context);
	}
	ExecDropSingleTupleTableSlot(slot);
	MemoryContextDelete(context);

	for (int i = 0; i < target->list->nfiles; i++)
	{
		SmFile	   *file = &target->list->files[i];

		if (file->kept || !sm_file_is_of_section(file, set->options->section))
			continue;
		delete_file(target, file, result);
		ndeleted++;
		same_recipe = same_recipe && strcmp(file->recipe, set->recipe) == 0;
	}
	sm_target_flush(target);
	if (same_recipe)
		warn_of_order(set, ndeleted);
}

/* Write a file of the index. */
static void
put_index_file(SmFileSink *self, const SmFile *file)
{
	IndexSink  *index = (IndexSink *) self;
	SmFile		written = *file;

	write_file(index->target, &written, index->result);
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
publish_index(SmTarget *target, const SmOptions *options, Outcome *result)
{
	IndexSink	sink = {{put_index_file}, target, result};
	SmUrlBase	site = options->base;
	SmUrlCache *cache = palloc0_object(SmUrlCache);
	SmIndex    *index = sm_index_create(options->protocol, options->stylesheet);
	int			nfiles = target->list->nfiles;
	SmFile	  **files = palloc_extended(nfiles * sizeof(SmFile *), MCXT_ALLOC_HUGE);

	site.scope = SM_SCOPE_HOST;
	for (int i = 0; i < nfiles; i++)
		files[i] = &target->list->files[i];
	qsort(files, nfiles, sizeof(SmFile *), compare_for_index);
	for (int i = 0; i < nfiles; i++)
	{
		const char *text = files[i]->loc;
		SmSpan		loc;

		CHECK_FOR_INTERRUPTS();
		/* the index refuses a loc that cannot be converted */
		if (!sm_to_utf8(text, strlen(text), &loc))
			loc = sm_span(text, strlen(text));
		check_listed(files[i], loc, &site, cache);
		if (!sm_file_is_index(files[i]) && loc.len > 0)
			sm_index_add(index, loc, files[i]->lastmod);
	}

	sm_index_put(index, &options->base, SM_INDEX_SECTION, &sink.sink);
	for (int i = 0; i < nfiles; i++)
		if (sm_file_is_index(files[i]) && !files[i]->kept)
			delete_file(target, files[i], result);
}

/*
 * Count the files that a rebuild kept among those of the set.  Raises an error unless
 * the target has them as they were before the query ran.
 */
static void
keep_files(SetSink *set, const SmTarget *target)
{
	for (int i = 0; i < set->before->nfiles; i++)
	{
		const SmFile *file = &set->before->files[i];
		SmFile	   *now;

		if (!file->kept)
			continue;
		now = sm_file_list_find(target->list, file->name);
		if (now == NULL || !sm_file_is_same(now, file))
			sm_target_changed(target, file->name);
		now->kept = true;
		set->url_count += now->url_count;
		set->nfiles++;
	}
}

/* Count the files and URLs of the section in the target. */
static void
count_old_files(SetSink *set, const SmTarget *target)
{
	for (int i = 0; i < target->list->nfiles; i++)
	{
		const SmFile *file = &target->list->files[i];

		if (!sm_file_is_of_section(file, set->options->section))
			continue;
		set->old_url_count += file->url_count;
		set->old_nfiles++;
	}
}

/* Raise an error if the set lost too many URLs. */
static void
check_shrink(const SetSink *set, const SmTarget *target, double max_shrink)
{
	int64		before = set->old_url_count;
	int64		after = set->url_count;

	if (before - after <= sm_decimal_share(before, max_shrink))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("section \"%s\" would shrink from " INT64_FORMAT " %s to " INT64_FORMAT,
					set->options->section, before, before == 1 ? "URL" : "URLs", after),
			 errdetail("max_shrink allows it to lose %g%%. Nothing was changed in the target table \"%s\".",
					   max_shrink * 100.0, target->table.name->relname),
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

static void
init_set_sink(SetSink *set, const SmOptions *options, SmFileList *before)
{
	set->sink.put = put_set_file;
	set->options = options;
	set->before = before;
	set->files = tuplestore_begin_heap(false, false, work_mem);
	set->desc = CreateTemplateTupleDesc(SM_FILE_NCOLUMNS);
	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
		TupleDescInitEntry(set->desc, i + 1, sm_file_columns[i].name,
						   sm_file_columns[i].type, -1, 0);
	TupleDescFinalize(set->desc);
	set->store = sm_file_store_create(set->files, set->desc, options->compression);
}

/* Reset the sink, to make the set from its beginning. */
static void
reset_set_sink(SetSink *set)
{
	set->url_count = 0;
	set->nfiles = 0;
	sm_file_store_finish(set->store);
	tuplestore_clear(set->files);
	for (int i = 0; i < set->before->nfiles; i++)
		set->before->files[i].kept = false;
}

/*
 * Make the files of the set, and put them into the sink's tuplestore.  statement:
 * argument "changes", or NULL.  If only some files are made, the others are marked as
 * kept in the list.  Returns why a run with changes made all files, or NULL.
 */
static const char *
make_set(SetSink *sink, SmTarget *target, const char *statement)
{
	const char *section = sink->options->section;
	TimestampTz now = sm_past_now(sink->before, section);
	SmSet	   *set = sm_set_begin(sink->options, &sink->sink);
	SmChanges  *changes = NULL;
	SmPast	   *past = NULL;
	const char *reason = NULL;

	if (statement)
		changes = sm_changes_read(statement, set, sink->before, sink->options);

	/*
	 * At READ COMMITTED, take a new snapshot under the section's lock: it
	 * sees all that the section's last run saw.
	 */
	PushActiveSnapshot(GetTransactionSnapshot());
	if (sm_set_has_shown(set))
		past = sm_past_remember(set, target, sink->before, section, now);
	if (changes)
		reason = sm_changes_make(changes, set);
	if (reason)
	{
		sm_set_end(set, NULL);
		sm_past_end(past);
		reset_set_sink(sink);
		set = sm_set_begin(sink->options, &sink->sink);
		if (past)
			past = sm_past_remember(set, target, sink->before, section, now);
	}
	if (changes == NULL || reason)
		sm_set_make_all(set, true);
	sm_file_store_finish(sink->store);
	PopActiveSnapshot();
	if (sink->options->stable && sm_set_key_type(set) == NULL)
		sink->recipe = pstrdup(sm_set_recipe(set));
	sm_set_end(set, "sitemap_publish");
	sm_past_end(past);
	return reason;
}

/* Publish a section, in the current memory context. */
static void
publish(FunctionCallInfo fcinfo, Outcome *result)
{
	static const SmOptionDefaults defaults = {.compression = 6,.stable = true};
	SmOptions  *options;
	SmTarget   *target;
	SetSink		set = {0};
	SmFeed	   *feed = NULL;
	char	   *statement;
	double		max_shrink = max_shrink_argument(fcinfo);

	sm_require_argument(fcinfo, ARG_TARGET, "target");
	options = sm_read_options(fcinfo, ARG_QUERY, &defaults);
	statement = PG_ARGISNULL(ARG_CHANGES) ? NULL : sm_text_argument(fcinfo, ARG_CHANGES, "changes");
	target = sm_target_create(PG_GETARG_OID(ARG_TARGET), &options->base, "sitemap_publish()");
	if (!PG_ARGISNULL(ARG_FEED))
		feed = sm_feed_create(PG_GETARG_OID(ARG_FEED));
	sm_target_lock_section(target, options->section);

	init_set_sink(&set, options, sm_target_peek(target));
	result->reason = make_set(&set, target, statement);

	sm_target_lock(target);
	keep_files(&set, target);
	count_old_files(&set, target);
	check_shrink(&set, target, max_shrink);

	/*
	 * At the first run of the section every URL would be new, so the feed
	 * gets nothing.  A section that was emptied has no files either, but its
	 * URLs are in the feed.
	 */
	if (feed && (set.old_nfiles > 0 || sm_feed_has_section(feed, target->base_url, options->section)))
		target->feed = feed;
	write_set(&set, target, result);
	if (options->index != SM_INDEX_NEVER)
	{
		sm_target_read(target);
		publish_index(target, options, result);
	}
	if (target->feed)
		sm_feed_write(feed, target->base_url, options->section, target->run_at);
	sm_target_close(target);

	tuplestore_end(set.files);
	result->url_count = set.url_count;
	result->nfiles = set.nfiles;
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
	Outcome		result = {.rows = (ReturnSetInfo *) fcinfo->resultinfo};
	MemoryContext context = create_context();
	MemoryContext oldcontext;

	InitMaterializedSRF(fcinfo, 0);
	oldcontext = MemoryContextSwitchTo(context);
	publish(fcinfo, &result);
	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
	return (Datum) 0;
}

/* The same for sitemap_run, which wants a summary instead of the files. */
Datum
_sitemap_publish(PG_FUNCTION_ARGS)
{
	Outcome		result = {.rows = NULL};
	MemoryContext context = create_context();
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	Datum		values[4];
	bool		nulls[4] = {false};
	TupleDesc	desc;
	HeapTuple	tuple;

	publish(fcinfo, &result);
	MemoryContextSwitchTo(oldcontext);
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = Int32GetDatum(result.written);
	values[1] = Int64GetDatum(result.url_count);
	values[2] = Int32GetDatum(result.nfiles);
	values[3] = CStringGetTextDatum(result.reason ? result.reason : "");
	nulls[3] = result.reason == NULL;
	tuple = heap_form_tuple(desc, values, nulls);
	MemoryContextDelete(context);
	return HeapTupleGetDatum(tuple);
}

Datum
sitemap_publish_index(PG_FUNCTION_ARGS)
{
	Outcome		result = {.rows = (ReturnSetInfo *) fcinfo->resultinfo};
	MemoryContext context = create_context();
	MemoryContext oldcontext;
	SmOptions  *options;
	SmTarget   *target;

	sm_require_argument(fcinfo, ARG_TARGET, "target");
	InitMaterializedSRF(fcinfo, 0);

	oldcontext = MemoryContextSwitchTo(context);
	options = sm_read_index_options(fcinfo, ARG_TARGET + 1);
	target = sm_target_create(PG_GETARG_OID(ARG_TARGET), &options->base, "sitemap_publish_index()");
	sm_target_lock(target);
	publish_index(target, options, &result);
	sm_target_close(target);

	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
	return (Datum) 0;
}
