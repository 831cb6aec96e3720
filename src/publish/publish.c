/*
 * publish.c
 *	  sitemap_publish, which makes the files of a section from a query and writes them
 *	  to the target, a user's table; and sitemap_publish_index, which makes the index
 *	  of all files of a site in the target.
 *
 * Given "changes", changes.c makes only some files of the set.
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
	const SmTarget *target;		/* as read before the query ran */
	int64		url_count;		/* of all files */
	int			nfiles;
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

/* Add a file to the result. */
static void
put_result(Outcome *result, Datum name, Datum kind, bool kind_isnull, const char *action,
		   Datum url_count, Datum byte_count)
{
	Datum		values[] = {name, kind, CStringGetTextDatum(action), url_count, byte_count};
	bool		nulls[] = {false, kind_isnull, false, false, false};

	result->written += strcmp(action, "unchanged") != 0;
	if (result->rows)
		tuplestore_putvalues(result->rows->setResult, result->rows->setDesc, values, nulls);
}

/* Is a row's text in a column equal to s?  NULL counts as "". */
static bool
is_text(const Datum *values, const bool *nulls, int column, const char *s)
{
	return strcmp(nulls[column] ? "" : TextDatumGetCString(values[column]), s) == 0;
}

/*
 * Does the target have the file of a row?  old: file in the target, or NULL.  The
 * compression may differ.
 */
static bool
is_unchanged(const SmPublished *old, const Datum *values, const bool *nulls)
{
	return old && old->has_content &&
		is_text(values, nulls, SM_FILE_SECTION, old->section) &&
		is_text(values, nulls, SM_FILE_KIND, old->kind) &&
		is_text(values, nulls, SM_FILE_LOC, old->loc) &&
		is_text(values, nulls, SM_FILE_DIGEST, old->digest) &&
		old->url_count == DatumGetInt32(values[SM_FILE_URL_COUNT]) &&
		old->byte_count == DatumGetInt64(values[SM_FILE_BYTE_COUNT]);
}

/* Make the row of a file; its content is NULL if the target has the same file. */
static void
make_row(const SmTarget *target, const SmFile *file, const char *section, Datum *values, bool *nulls)
{
	sm_file_values(file, section, values, nulls);
	nulls[SM_FILE_CONTENT] = is_unchanged(sm_target_find(target, file->name), values, nulls);
}

/* Put a file of the set into the tuplestore. */
static void
put_set_file(SmFileSink *self, const SmFile *file)
{
	SetSink    *set = (SetSink *) self;
	Datum		values[SM_FILE_NCOLUMNS];
	bool		nulls[SM_FILE_NCOLUMNS];

	set->url_count += file->url_count;
	set->nfiles++;
	make_row(set->target, file, set->options->section, values, nulls);
	sm_file_store_put(set->store, file->kind, values, nulls);
}

/*
 * Raise an error unless the row may replace old, a file of the same name: both are
 * indexes, or both are of one section, and no other program makes old.
 */
static void
check_owner(const SmTarget *target, const SmPublished *old, const Datum *values, const bool *nulls)
{
	bool		is_index = is_text(values, nulls, SM_FILE_KIND, SM_KIND_INDEX);

	if (old->is_index == is_index && old->digest[0] != '\0' &&
		(is_index || is_text(values, nulls, SM_FILE_SECTION, old->section)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DUPLICATE_OBJECT),
			 errmsg("section \"%s\" cannot have a file named \"%s\"",
					TextDatumGetCString(values[SM_FILE_SECTION]), old->name),
			 errdetail("In the target table \"%s\", section \"%s\" has a file of that name.",
					   target->name->relname, old->section),
			 errhint("Publish one of the sections under another name.")));
}

/*
 * Write a row of sitemap_file, unless the target has the same file.  The row has no
 * content if the target had the same file before the query ran.
 */
static void
write_row(SmTarget *target, Datum *values, bool *nulls, Outcome *result)
{
	SmPublished *old = sm_target_find(target, TextDatumGetCString(values[SM_FILE_NAME]));
	const char *action;
	bool		unchanged = is_unchanged(old, values, nulls);

	if (!unchanged && nulls[SM_FILE_CONTENT])
		sm_target_changed(target, TextDatumGetCString(values[SM_FILE_NAME]));
	if (old)
	{
		check_owner(target, old, values, nulls);
		old->kept = true;
	}
	if (unchanged)
	{
		action = "unchanged";
		/* without keys, a new recipe alone is not worth a write */
		if ((old->first_key && !is_text(values, nulls, SM_FILE_RECIPE, old->recipe)) ||
			nulls[SM_FILE_FIRST_KEY] != (old->first_key == NULL) ||
			(old->first_key && !is_text(values, nulls, SM_FILE_FIRST_KEY, old->first_key)))
			sm_target_update_key(target, values, nulls);
	}
	else
	{
		/* an unchanged document keeps its lastmod */
		bool		keep = old && is_text(values, nulls, SM_FILE_DIGEST, old->digest) &&
			!TIMESTAMP_NOT_FINITE(old->lastmod);
		TimestampTz lastmod = keep ? old->lastmod : sm_target_lastmod(target, old);

		values[SM_FILE_LASTMOD] = TimestampTzGetDatum(lastmod);
		nulls[SM_FILE_LASTMOD] = false;
		action = old ? "updated" : "inserted";
		if (old)
			sm_target_update(target, values, nulls);
		else
			sm_target_insert(target, values, nulls);
	}
	put_result(result, values[SM_FILE_NAME], values[SM_FILE_KIND], false, action,
			   values[SM_FILE_URL_COUNT], values[SM_FILE_BYTE_COUNT]);
}

/* Delete a file of the target. */
static void
delete_file(SmTarget *target, const SmPublished *file, Outcome *result)
{
	sm_target_delete(target, file);
	put_result(result, CStringGetTextDatum(file->name), CStringGetTextDatum(file->kind),
			   file->kind[0] == '\0', "deleted", Int32GetDatum(file->url_count),
			   Int64GetDatum(file->byte_count));
}

typedef void (*VisitRow) (void *arg, Datum *values, bool *nulls);

/* Call a function for each row in the tuplestore of the set. */
static void
visit_set(SetSink *set, VisitRow visit, void *arg)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(set->desc, &TTSOpsMinimalTuple);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish file",
												  ALLOCSET_DEFAULT_SIZES);

	tuplestore_rescan(set->files);
	while (tuplestore_gettupleslot(set->files, true, false, slot))
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(context);

		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(slot);
		visit(arg, slot->tts_values, slot->tts_isnull);
		MemoryContextSwitchTo(oldcontext);
		MemoryContextReset(context);
	}
	ExecDropSingleTupleTableSlot(slot);
	MemoryContextDelete(context);
}

/* Argument of the functions that visit_set calls. */
typedef struct Destination
{
	SmTarget   *target;
	SmFeed	   *feed;
	Outcome    *result;
} Destination;

/* Give a file to the feed, unless the target has the same document. */
static void
feed_file(void *arg, Datum *values, bool *nulls)
{
	Destination *to = arg;
	SmPublished *old = sm_target_find(to->target, TextDatumGetCString(values[SM_FILE_NAME]));

	if (old)
		old->kept = true;
	if (!nulls[SM_FILE_CONTENT] && !(old && is_text(values, nulls, SM_FILE_DIGEST, old->digest)))
		sm_feed_put(to->feed, to->target, old, values[SM_FILE_CONTENT],
					DatumGetInt64(values[SM_FILE_BYTE_COUNT]));
}

/* Give the feed all files that will be written or deleted, while the target still has the old contents. */
static void
feed_set(SetSink *set, SmTarget *target, SmFeed *feed)
{
	Destination to = {target, feed, NULL};

	visit_set(set, feed_file, &to);
	for (int i = 0; i < target->nfiles; i++)
		if (!target->files[i].kept &&
			sm_published_is_own(&target->files[i], set->options->section))
			sm_feed_put(feed, target, &target->files[i], (Datum) 0, 0);
	sm_feed_flush(feed, target);
}

static void
write_visited(void *arg, Datum *values, bool *nulls)
{
	Destination *to = arg;

	write_row(to->target, values, nulls, to->result);
}

/*
 * Warn if most files of a stable split get new names although the number of URLs is
 * nearly the same: the rows probably come in a different order in each run.  With a
 * column key, that is an error.
 */
static void
warn_of_order(const SetSink *set, const SmTarget *target)
{
	const char *section = set->options->section;
	int64		url_count = 0;
	int			nfiles = 0;
	int			ngone = 0;
	int64		change;

	if (set->recipe == NULL)
		return;
	for (int i = 0; i < target->nfiles; i++)
	{
		const SmPublished *file = &target->files[i];

		if (!sm_published_is_own(file, section))
			continue;
		if (!file->kept && strcmp(file->recipe, set->recipe) != 0)
			return;
		url_count += file->url_count;
		nfiles++;
		ngone += !file->kept;
	}
	change = set->url_count - url_count;
	if (ngone <= nfiles / 2 || Max(change, -change) * 10 >= url_count)
		return;
	ereport(WARNING,
			(errmsg("%d of %d files of section \"%s\" get other names", ngone, nfiles, section),
			 errdetail("The section had " INT64_FORMAT " URLs and has " INT64_FORMAT ". In a stable split, a file keeps its name as long as the rows come in the same order.",
					   url_count, set->url_count),
			 errhint("End the query with ORDER BY and a column that does not change, such as a primary key.")));
}

/* Write the files of the set to the target, and delete the section's other files. */
static void
write_set(SetSink *set, SmTarget *target, Outcome *result)
{
	Destination to = {target, NULL, result};

	visit_set(set, write_visited, &to);
	warn_of_order(set, target);
	for (int i = 0; i < target->nfiles; i++)
		if (!target->files[i].kept &&
			sm_published_is_own(&target->files[i], set->options->section))
			delete_file(target, &target->files[i], result);
}

/* Write a file of the index. */
static void
put_index_file(SmFileSink *self, const SmFile *file)
{
	IndexSink  *index = (IndexSink *) self;
	Datum		values[SM_FILE_NCOLUMNS];
	bool		nulls[SM_FILE_NCOLUMNS];

	make_row(index->target, file, SM_INDEX_SECTION, values, nulls);
	write_row(index->target, values, nulls, index->result);
}

/* The order of files in an index: by section, then by name, -9 before -10. */
static int
compare_for_index(const void *a, const void *b)
{
	const SmPublished *left = *(SmPublished *const *) a;
	const SmPublished *right = *(SmPublished *const *) b;
	size_t		left_len = strlen(left->name);
	size_t		right_len = strlen(right->name);
	int			result = strcmp(left->section, right->section);

	if (result == 0)
		result = (left_len > right_len) - (left_len < right_len);
	return result ? result : strcmp(left->name, right->name);
}

/*
 * The loc of a file in UTF-8.  A loc that cannot be converted is returned as it is,
 * for the index to refuse.
 */
static const char *
in_utf8(const char *loc)
{
	SmSpan		span;

	if (!sm_to_utf8(loc, strlen(loc), &span))
		return loc;
	return pnstrdup(span.s, span.len);
}

/*
 * Raise an error unless the index can list a file: it must be on the site, and a file
 * that another program makes must not be an index.  loc: its URL, UTF-8.
 */
static void
check_listed(const SmPublished *file, const char *loc, const SmUrlBase *site)
{
	SmUrlCache *cache = palloc0_object(SmUrlCache);
	size_t		len = strlen(loc);
	char	   *url = palloc(sm_url_bound(len, site, SM_URL_MAX));

	if (file->is_index && file->digest[0] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an index cannot list another index"),
				 errdetail("In the target, file \"%s\" is of kind \"index\" and has no digest.",
						   file->name),
				 errhint("Add the sitemaps of that index one by one.")));
	if (sm_url_encode(loc, len, site, cache, SM_FORM_PLAIN, SM_URL_MAX, url, &len) == SM_URL_OTHER_SITE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an index cannot list a sitemap of another host"),
				 errdetail("In the target, file \"%s\" of the site \"%.*s\" has the loc \"%s\".",
						   file->name, (int) site->len[SM_FORM_PLAIN], site->url[SM_FORM_PLAIN],
						   sm_clip(file->loc)),
				 errhint("Scheme, host and port of loc and base_url must be the same.")));
	pfree(cache);
	pfree(url);
}

/*
 * Write the index of all files of the site.  Without files there is no
 * index.
 */
static void
publish_index(SmTarget *target, const SmOptions *options, Outcome *result)
{
	IndexSink	sink = {{put_index_file}, target, result};
	SmUrlBase  *site = palloc_object(SmUrlBase);
	SmIndex    *index = sm_index_create(options->protocol, options->stylesheet);
	SmPublished **files = palloc_extended(target->nfiles * sizeof(SmPublished *),
										  MCXT_ALLOC_HUGE);

	*site = options->base;
	site->scope = SM_SCOPE_HOST;
	for (int i = 0; i < target->nfiles; i++)
		files[i] = &target->files[i];
	qsort(files, target->nfiles, sizeof(SmPublished *), compare_for_index);
	for (int i = 0; i < target->nfiles; i++)
	{
		const SmPublished *file = files[i];
		const char *loc = in_utf8(file->loc);

		CHECK_FOR_INTERRUPTS();
		check_listed(file, loc, site);
		if (!file->is_index && loc[0] != '\0')
			sm_index_add(index, loc, TIMESTAMP_IS_NOBEGIN(file->lastmod) ? NULL : &file->lastmod);
	}

	sm_index_put(index, &options->base, &sink.sink);
	for (int i = 0; i < target->nfiles; i++)
		if (target->files[i].is_index && !target->files[i].kept)
			delete_file(target, &target->files[i], result);
}

/*
 * Is this the first run of the section?  Then every URL would be new, so the run
 * writes nothing to the feed.  A section that was emptied has no file either, but its
 * URLs are in the feed.
 */
static bool
is_first_run(SmFeed *feed, const SmTarget *target, const SmOptions *options)
{
	for (int i = 0; i < target->nfiles; i++)
		if (sm_published_is_own(&target->files[i], options->section))
			return false;
	return !sm_feed_has_section(feed, target, options->section);
}

/* Raise an error if the set lost too many URLs. */
static void
check_shrink(const SmTarget *target, const SmOptions *options, int64 after, double max_shrink)
{
	int64		before = 0;

	for (int i = 0; i < target->nfiles; i++)
		if (sm_published_is_own(&target->files[i], options->section))
			before += target->files[i].url_count;
	if (before - after <= sm_decimal_share(before, max_shrink))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("section \"%s\" would shrink from " INT64_FORMAT " %s to " INT64_FORMAT,
					options->section, before, before == 1 ? "URL" : "URLs", after),
			 errdetail("max_shrink allows it to lose %g%%. Nothing was changed in the target table \"%s\".",
					   max_shrink * 100.0, target->name->relname),
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
init_set_sink(SetSink *set, const SmOptions *options, const SmTarget *target)
{
	set->sink.put = put_set_file;
	set->options = options;
	set->target = target;
	set->files = tuplestore_begin_heap(true, false, work_mem);
	set->desc = CreateTemplateTupleDesc(SM_FILE_NCOLUMNS);
	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
		TupleDescInitEntry(set->desc, i + 1, sm_file_columns[i].name,
						   sm_file_columns[i].type, -1, 0);
	TupleDescFinalize(set->desc);
	set->store = sm_file_store_create(set->files, set->desc, options->compression);
}

/* Reset the sink, to make the set from its beginning. */
static void
reset_set_sink(SetSink *sink)
{
	sink->url_count = 0;
	sink->nfiles = 0;
	sm_file_store_finish(sink->store);
	tuplestore_clear(sink->files);
}

/*
 * Make the files of the set, and put them into the sink's tuplestore.  statement:
 * argument "changes", or NULL.  If only some files were made, the result says which
 * files stay; it is NULL if all files were made.  Sets reason, to NULL unless a run with
 * changes has to make all files.
 */
static SmChanges *
make_set(SetSink *sink, const char *statement, const char **reason)
{
	SmSet	   *set = sm_set_begin(sink->options, &sink->sink);
	SmChanges  *changes = NULL;

	if (statement)
		changes = sm_changes_read(statement, set, sink->target, sink->options);

	/*
	 * At READ COMMITTED, take a new snapshot under the section's lock: it
	 * sees all that the section's last run saw.
	 */
	PushActiveSnapshot(GetTransactionSnapshot());
	*reason = changes ? sm_changes_make(changes, set) : NULL;
	if (*reason)
	{
		changes = NULL;
		sm_set_end(set, NULL);
		reset_set_sink(sink);
		set = sm_set_begin(sink->options, &sink->sink);
	}
	if (changes == NULL)
		sm_set_make_all(set, true);
	sm_file_store_finish(sink->store);
	PopActiveSnapshot();
	if (sink->options->stable && sm_set_key_type(set) == NULL)
		sink->recipe = pstrdup(sm_set_recipe(set));
	sm_set_end(set, "sitemap_publish");
	return changes;
}

/* Publish a section, in the current memory context. */
static void
publish(FunctionCallInfo fcinfo, Outcome *result)
{
	static const SmOptionDefaults defaults = {.compression = 6,.stable = true};
	SmOptions  *options;
	SmTarget   *target;
	SetSink		set = {0};
	SmChanges  *changes;
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
	sm_target_peek(target);

	init_set_sink(&set, options, target);
	changes = make_set(&set, statement, &result->reason);

	sm_target_lock(target);
	if (changes)
		sm_changes_keep(changes, target, &set.url_count, &set.nfiles);
	check_shrink(target, options, set.url_count, max_shrink);
	if (feed && is_first_run(feed, target, options))
		feed = NULL;
	if (feed)
		feed_set(&set, target, feed);
	write_set(&set, target, result);
	if (options->index != SM_INDEX_NEVER)
	{
		sm_target_read(target);
		publish_index(target, options, result);
	}
	if (feed)
		sm_feed_write(feed, target, options->section);
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
	MemoryContext context;
	MemoryContext oldcontext;
	SmOptions  *options;
	SmTarget   *target;
	Outcome		result = {.rows = (ReturnSetInfo *) fcinfo->resultinfo};

	sm_require_argument(fcinfo, ARG_TARGET, "target");
	InitMaterializedSRF(fcinfo, 0);

	context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish_index",
									ALLOCSET_DEFAULT_SIZES);
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
