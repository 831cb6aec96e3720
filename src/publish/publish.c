/*
 * publish.c
 *	  sitemap_publish, which makes the files of a section from a query and writes them
 *	  to the target, a user's table; and sitemap_publish_index, which makes the index
 *	  of all files of a site in the target.
 *
 * The steps of a run, and the files that do them, are in src/README.
 *
 * The files of the set wait in a tuplestore until the query has ended; a file that the
 * target has already waits without its content.  Then, under the site's lock, each file
 * that differs is written by a statement of its own, and files of the section that are not
 * in the set are deleted.  Then the index is made of the site's files in the target, and
 * written in the same way.
 */
#include "postgres.h"

#include "executor/tuptable.h"
#include "files/index.h"
#include "files/set.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "publish/changes.h"
#include "publish/feed.h"
#include "publish/past.h"
#include "publish/publish.h"
#include "server/argument.h"
#include "server/encoding.h"
#include "server/query.h"
#include "server/query_tree.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(sitemap_publish);
PG_FUNCTION_INFO_V1(sitemap_publish_index);

/* What a section may lose if max_shrink is not given: this share or this many URLs. */
#define DEFAULT_SHRINK	0.2
#define DEFAULT_LOSS	100

/* Old contents that are read together: so many at most, or so many bytes uncompressed. */
#define READ_FILES	100
#define READ_BYTES	(1024 * 1024)

/* A run of sitemap_publish, or of sitemap_publish_index, which has no set. */
typedef struct Run
{
	SmFileSink	sink;			/* must be first; receives the files of the
								 * set and of the index */
	SmTarget	target;
	SmSet	   *set;

	/* the arguments of a call, or of a job */
	const SmOptions *options;
	double		max_shrink;		/* negative if not given */
	TimestampTz since;			/* parameter $1 of "changes" */
	const char *jobs;			/* table of jobs, NULL unless sitemap_run
								 * publishes */
	bool		reads_all;		/* read all rows, whatever "changes" returns */
	bool		counts_missed;	/* count missed changes then */

	/* files that wait to be written: of the set, then of the index */
	SmFileList *list;			/* those that the target has */
	SmOldFile  *last;			/* the last of them whose content changes */
	MemoryContext contents;		/* for old contents, if there is a feed */
	Tuplestorestate *files;		/* rows of sitemap_file, without content where
								 * the target has the same */
	TupleDesc	desc;

	SmFeed	   *feed;			/* NULL for none */
	const char *in_feed;		/* "in the feed", with its name */
	bool		writes_feed;	/* is there a feed, and not the section's
								 * first run? */
	TimestampTz run_at;			/* time of the run: not before any lastmod
								 * that it writes */

	/* the result */
	ReturnSetInfo *rows;		/* a row for each file; NULL for a job */
	SmPublished published;
} Run;

/* Add a file to the result. */
static void
report_file(Run *run, const char *name, const char *kind, const char *action,
			int url_count, int64 byte_count)
{
	Datum		values[] = {
		CStringGetTextDatum(name), kind ? CStringGetTextDatum(kind) : (Datum) 0,
		CStringGetTextDatum(action), Int32GetDatum(url_count),
		Int64GetDatum(byte_count)
	};
	bool		nulls[] = {false, kind == NULL, false, false, false};

	if (run->rows)
		tuplestore_putvalues(run->rows->setResult, run->rows->setDesc, values, nulls);
}

/*
 * The lastmod of a file that the run changes: the time of the run, but at least one
 * second after the old lastmod.  So lastmod does not go back when the clock does, and
 * the index always changes, although lastmod has no fractions of a second there.
 * old: the file as it was, or NULL.
 */
static TimestampTz
next_lastmod(Run *run, const SmOldFile *old)
{
	TimestampTz lastmod = run->target.now;

	if (old && !TIMESTAMP_NOT_FINITE(old->lastmod) &&
		IS_VALID_TIMESTAMP(old->lastmod + USECS_PER_SEC))
		lastmod = Max(lastmod, old->lastmod + USECS_PER_SEC);
	run->run_at = Max(run->run_at, lastmod);
	return lastmod;
}

/*
 * Raise an error if the target has a file of this name.  If it is a file of the section,
 * another transaction has inserted it, and our snapshot is older.
 */
static void
check_new_name(Run *run, const char *section, const char *name, bool is_index)
{
	const SmOldFile *old = sm_target_find(&run->target, name);

	if (old == NULL)
		return;
	if (old->digest && old->section && strcmp(old->section, section) == 0 &&
		sm_old_file_is_index(old) == is_index)
		sm_target_conflict(&run->target, name);
	ereport(ERROR,
			(errcode(ERRCODE_DUPLICATE_OBJECT),
			 errmsg("section \"%s\" cannot have a file named \"%s\"", section, name),
			 errdetail("In the target table \"%s\", %s has a file of that name.", run->target.table.name,
					   old->digest == NULL ? "another program" :
					   psprintf("section \"%s\"", old->section ? old->section : "")),
			 errhint("Publish the section under another name.")));
}

/* Read the old content of a file, and of the next files in the order of writing. */
static void
read_contents(Run *run, SmOldFile *old)
{
	SmOldFile  *files[READ_FILES];
	int			nfiles = 0;
	uint64		room = READ_BYTES;
	MemoryContext oldcontext;

	for (SmOldFile *file = old; file && room > 0 && nfiles < READ_FILES; file = file->next)
	{
		files[nfiles++] = file;
		room -= Min(room, (uint64) file->byte_count);
	}
	MemoryContextReset(run->contents);
	oldcontext = MemoryContextSwitchTo(run->contents);
	sm_target_read(&run->target, SM_FILE_CONTENT, files, nfiles);
	MemoryContextSwitchTo(oldcontext);
}

/* Give the feed the old and the new content of a file.  old: NULL if it is new. */
static void
compare_content(Run *run, const char *name, SmOldFile *old, struct varlena *content)
{
	if (!run->writes_feed)
		return;
	if (old && old->has_content && old->value == NULL)
		read_contents(run, old);
	sm_feed_compare(run->feed, name, old ? old->value : NULL, content);
}

/* Write a file.  values, isnull: its row, without content if the target has the same. */
static void
write_file(Run *run, const Datum *values, const bool *isnull)
{
	const char *section = TextDatumGetCString(values[SM_FILE_SECTION]);
	const char *name = TextDatumGetCString(values[SM_FILE_NAME]);
	const char *kind = TextDatumGetCString(values[SM_FILE_KIND]);
	bool		is_index = strcmp(kind, sm_file_kinds[SM_INDEX]) == 0;
	SmOldFile  *old = sm_file_list_find(run->list, section, name);
	bool		same_document = old && old->fate >= SM_OLD_SAME_DOCUMENT;
	bool		same_digest = old && old->digest &&
		strcmp(old->digest, TextDatumGetCString(values[SM_FILE_DIGEST])) == 0;

	if (old == NULL)
		check_new_name(run, section, name, is_index);
	if (old == NULL || old->fate != SM_OLD_SAME_ROW)
	{
		/* if only other columns of the row differ, lastmod stays */
		TimestampTz lastmod = same_document || (same_digest && !TIMESTAMP_NOT_FINITE(old->lastmod)) ?
			old->lastmod : next_lastmod(run, old);

		if (!is_index && !same_digest)
			compare_content(run, name, old,
							(struct varlena *) DatumGetPointer(values[SM_FILE_CONTENT]));
		sm_target_write(&run->target, old == NULL, values, isnull, lastmod);
	}
	run->published.written += !same_document;
	report_file(run, name, kind, same_document ? "unchanged" : old ? "updated" : "inserted",
				DatumGetInt32(values[SM_FILE_URL_COUNT]), DatumGetInt64(values[SM_FILE_BYTE_COUNT]));
}

static void
delete_file(Run *run, SmOldFile *old)
{
	if (!sm_old_file_is_index(old))
		compare_content(run, old->name, old, NULL);
	if (!sm_target_delete(&run->target, old))
		return;
	run->published.written++;
	report_file(run, old->name, old->kind, "deleted", old->url_count, old->byte_count);
}

/* Note that the content of an old file changes, after those noted before. */
static void
note_change(Run *run, SmOldFile *old)
{
	if (run->last)
		run->last->next = old;
	old->next = NULL;
	run->last = old;
}

/* Receive a file of the set or of the index, which waits to be written. */
static void
put_file(SmFileSink *self, const SmFile *file)
{
	Run		   *run = (Run *) self;
	SmOldFile  *old = sm_file_list_find(run->list, file->section, file->name);
	SmFile		copy = *file;
	Datum		values[SM_FILE_NCOLUMNS];
	bool		isnull[SM_FILE_NCOLUMNS];

	sm_old_file_compare(old, &copy);
	if (old && old->fate == SM_OLD_REWRITTEN)
		note_change(run, old);
	sm_file_to_row(&copy, run->options->compression, values, isnull);
	tuplestore_putvalues(run->files, run->desc, values, isnull);
}

/* Forget the files of the set, to make it from its beginning. */
static void
forget_files(Run *run)
{
	tuplestore_clear(run->files);
	run->last = NULL;
	for (int i = 0; i < run->list->nfiles; i++)
		run->list->files[i]->fate = SM_OLD_GONE;
}

/* Write the files that wait, and delete the files of the list that were not made. */
static void
write_list(Run *run)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(run->desc, &TTSOpsMinimalTuple);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish file",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext oldcontext = CurrentMemoryContext;

	for (int i = 0; i < run->list->nfiles; i++)
		if (run->list->files[i]->fate == SM_OLD_GONE)
			note_change(run, run->list->files[i]);
	while (tuplestore_gettupleslot(run->files, true, false, slot))
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(context);
		slot_getallattrs(slot);
		write_file(run, slot->tts_values, slot->tts_isnull);
		MemoryContextSwitchTo(oldcontext);
		MemoryContextReset(context);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_clear(run->files);

	MemoryContextSwitchTo(context);
	for (int i = 0; i < run->list->nfiles; i++)
	{
		SmOldFile  *old = run->list->files[i];

		CHECK_FOR_INTERRUPTS();
		if (old->fate == SM_OLD_GONE)
			delete_file(run, old);
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
}

/* The loc of a sitemap, in UTF-8.  Raises an error unless it is on the host of base. */
static SmSpan
loc_on_site(const SmOldFile *file, const SmUrlBase *base, SmUrlCache *cache)
{
	SmSpan		loc;
	char	   *url;
	size_t		len;

	/* the index refuses a loc that cannot be converted */
	if (!sm_to_utf8(file->loc, strlen(file->loc), &loc))
		loc = sm_span_of(file->loc);
	url = palloc(sm_url_bound(loc.len, base, SM_URL_MAX));
	if (sm_url_encode(loc.s, loc.len, base, cache, SM_FORM_PLAIN, SM_URL_MAX, url, &len) == SM_URL_OTHER_SITE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an index cannot list a sitemap of another host"),
				 errdetail("In the target, file \"%s\" of the site \"%s\" has the loc \"%s\".",
						   file->name, base->url[SM_FORM_PLAIN], sm_clip(file->loc)),
				 errhint("Scheme, host and port of loc and base_url must be the same.")));
	pfree(url);
	return loc;
}

/*
 * Make the index of a section, NULL for the site, from the URLs and times of the site's files.
 * There is no index of no files.
 */
static void
put_index(Run *run, const char *section)
{
	const SmFileList *files = run->target.site;
	const char *name = section ? section : SM_INDEX_SECTION;
	SmIndex    *index = sm_index_create(run->options);
	SmUrlCache *cache = palloc0_object(SmUrlCache);
	SmUrlBase	base = run->options->base;

	base.scope = SM_SCOPE_HOST;
	for (int i = 0; i < files->nfiles; i++)
	{
		const SmOldFile *file = files->files[i];
		bool		is_index = sm_old_file_is_index(file);

		CHECK_FOR_INTERRUPTS();
		if (is_index && file->digest == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("an index cannot list another index"),
					 errdetail("In the target, file \"%s\" is of kind \"index\" and has no digest.",
							   file->name),
					 errhint("Add the sitemaps of that index one by one.")));
		if (is_index || file->loc == NULL || *file->loc == '\0')
			continue;
		if (section == NULL ||
			(file->digest && file->section && strcmp(file->section, section) == 0))
			sm_index_add(index, loc_on_site(file, &base, cache), file->lastmod);
	}
	sm_index_put(index, name, name, &run->sink);
}

/*
 * Write the indexes, and delete the others.  With index => 'never' the site's stay, and those
 * of the section are deleted.
 */
static void
write_indexes(Run *run)
{
	const SmOptions *options = run->options;
	const char *section = options->section;
	bool		of_site = options->index != SM_INDEX_NEVER;

	run->list = sm_target_list_indexes(&run->target, of_site);
	if (section && options->index == SM_INDEX_OF_SECTION && strcmp(section, SM_INDEX_SECTION) != 0)
		put_index(run, section);
	if (of_site)
		put_index(run, NULL);
	write_list(run);
}

/* Raise an error if the set lost too many URLs. */
static void
check_shrink(Run *run)
{
	double		max_shrink = run->max_shrink;
	int64		before = run->target.sitemaps->url_count;
	int64		after = run->published.url_count;
	double		share = max_shrink < 0 ? DEFAULT_SHRINK : max_shrink;

	/* 0.29 of 100 is 29, although its double is a little less */
	int64		allowed = (int64) (before * share + 1e-6);

	if (max_shrink < 0)
		allowed = Max(DEFAULT_LOSS, allowed);
	if (before - after <= allowed && (after > 0 || before == 0 || max_shrink == 1.0))
		return;
	run->target.place = run->target.in_target;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("section \"%s\" would shrink from " INT64_FORMAT " %s to " INT64_FORMAT,
					run->options->section, before, before == 1 ? "URL" : "URLs", after),
			 errdetail("It may lose " INT64_FORMAT " URLs, but not all. Nothing was changed in the target table \"%s\".",
					   allowed, run->target.table.name),
			 run->jobs == NULL ? errhint("If the pages are really gone, set max_shrink to 1 for one run.") :
			 errhint("If the pages are really gone: UPDATE %s SET max_shrink = 1, requested = now() WHERE (base_url, section) = (%s, %s); after that run, set max_shrink back to %s.",
					 run->jobs, quote_literal_cstr(run->target.base_url), quote_literal_cstr(run->options->section),
					 max_shrink < 0 ? "NULL" : psprintf("%g", max_shrink))));
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
 * Raise an error unless the base_url of a job is written as it is published.  Jobs are told
 * apart by it, and two jobs of one section would take turns to overwrite each other's pages.
 */
static void
check_spelling(const SmArguments *args, const SmOptions *options)
{
	const char *written = sm_text_argument(args, "base_url");
	const char *base_url = options->base.url[SM_FORM_PLAIN];

	if (strcmp(written, base_url) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("base_url \"%s\" is not written as it is published", sm_clip(written)),
				 errhint("Write \"%s\".", base_url)));
}

/*
 * Make the files of the set that changed, or all files.  changes: NULL without the argument.
 */
static void
make_files(Run *run, SmChanges *changes)
{
	/* sets the time of the run, before the query's snapshot is taken */
	SmPast	   *past = run->set->query.fixes_settings ? sm_past_begin(run->set, &run->target) : NULL;
	const char *reason = NULL;

	/*
	 * At READ COMMITTED, take a new snapshot under the section's lock, so
	 * that the rows are not older than those of the section's last run.
	 */
	PushActiveSnapshot(GetTransactionSnapshot());
	if (changes && !run->reads_all)
		reason = sm_changes_rebuild(changes);
	/* no notice for a first run, or a single file, which has few rows */
	if (reason && !run->jobs &&
		run->target.sitemaps->nfiles > (sm_query_has_limit(&run->set->query) ? 0 : 1))
		ereport(NOTICE,
				(errmsg("reading all rows, not only what changed: %s", reason)));
	run->published.reason = reason;
	run->published.is_full = changes == NULL || run->reads_all || reason;
	if (run->published.is_full)
	{
		forget_files(run);
		if (past)
			sm_past_restart(past);
		sm_set_make_all(run->set, true);
	}
	PopActiveSnapshot();
}

/*
 * Warn at the first run of a stable split without ORDER BY, a mistake that shows when the
 * section is published again.
 */
static void
warn_of_order(const Run *run)
{
	if (run->options->stable && run->target.sitemaps->nfiles == 0 &&
		run->set->names.nparts > 0 && !sm_query_has_order(&run->set->query))
		ereport(WARNING,
				(errmsg("the query has no ORDER BY"),
				 errdetail("In a stable split, a file keeps its name as long as the rows come in the same order."),
				 errhint("End the query with ORDER BY and a column that does not change, such as a primary key.")));
}

/* Make the set, whose files wait to be written. */
static void
make_set(Run *run, const SmArguments *args)
{
	SmPublished *published = &run->published;
	SmSet	   *set = run->set = sm_set_begin(run->options, &run->sink);
	SmChanges  *changes = !sm_has_argument(args, "changes") ? NULL :
		sm_changes_read(&run->target, set, sm_text_argument(args, "changes"), run->since);

	make_files(run, changes);
	published->nfiles = set->names.nparts;
	published->url_count = set->url_count;
	published->skipped = set->writer.problems.nrows;
	if (published->url_count == 0)
		published->reason = published->skipped > 0 ?
			"all rows of the query were skipped as invalid" : "the query returned no rows";
	check_shrink(run);
	published->missed = changes && published->is_full && run->counts_missed ?
		sm_changes_count_missed(changes) : -1;
	warn_of_order(run);
	sm_set_end(set, "sitemap_publish");
}

/*
 * Is this the first run of the section, at which every URL would be new, so that the feed
 * hears nothing?  A section that was emptied has no files either: a job knows when it last
 * published, and in a call, the feed has its URLs.
 */
static bool
is_first_run(Run *run)
{
	SmTarget   *target = &run->target;
	bool		has_section;

	if (target->sitemaps->nfiles > 0)
		return false;
	if (run->jobs)
		return TIMESTAMP_IS_NOBEGIN(run->since);
	target->place = run->in_feed;
	has_section = run->published.nfiles > 0 &&
		sm_feed_has_section(run->feed, target->base_url, target->section);
	target->place = target->in_target;
	return !has_section;
}

/* Publish a section. */
static void
publish(const SmArguments *args, Run *run)
{
	Oid			relid = DatumGetObjectId(sm_argument(args, "target"));
	SmTarget   *target = &run->target;

	run->max_shrink = max_shrink_argument(args);
	run->options = sm_read_options(args, true);
	if (run->jobs)
		check_spelling(args, run->options);
	run->since = sm_has_argument(args, "since") ? DatumGetTimestampTz(sm_argument(args, "since")) : DT_NOBEGIN;
	if (sm_has_argument(args, "feed"))
	{
		Oid			feed = DatumGetObjectId(sm_argument(args, "feed"));

		run->in_feed = psprintf("in the feed \"%s\"", sm_table_label(feed));
		run->feed = sm_feed_open(feed);
		run->contents = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish contents",
											  ALLOCSET_DEFAULT_SIZES);
	}
	sm_target_open(target, relid, run->options);
	run->list = target->sitemaps;
	make_set(run, args);
	sm_target_lock_site(target);

	run->run_at = target->now;
	run->writes_feed = run->feed && !is_first_run(run);
	write_list(run);
	write_indexes(run);
	target->place = run->in_feed;
	if (run->writes_feed)
		sm_feed_write(run->feed, target->base_url, run->options->section, run->run_at);
	if (run->feed)
		sm_feed_close(run->feed);
}

/* Publish the index. */
static void
publish_index(const SmArguments *args, Run *run)
{
	Oid			relid = DatumGetObjectId(sm_argument(args, "target"));

	run->options = sm_read_index_options(args);
	sm_target_open(&run->target, relid, run->options);
	sm_target_lock_site(&run->target);
	write_indexes(run);
}

/* Error context: where the run was. */
static void
add_context(void *arg)
{
	const SmTarget *target = arg;

	if (target->place)
	{
		sm_hint_search_path();
		errcontext("%s", target->place);
	}
}

/* Do the work of a call. */
static void
run_call(const SmArguments *args, Run *run, void (*work) (const SmArguments *args, Run *run))
{
	ErrorContextCallback callback = {.previous = error_context_stack,.callback = add_context,
	.arg = &run->target};

	run->sink.put = put_file;
	run->files = tuplestore_begin_heap(false, false, work_mem);
	run->desc = CreateTemplateTupleDesc(SM_FILE_NCOLUMNS);
	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
		TupleDescInitEntry(run->desc, i + 1, sm_file_columns[i].name, sm_file_columns[i].type, -1, 0);
	TupleDescFinalize(run->desc);
	error_context_stack = &callback;
	work(args, run);
	tuplestore_end(run->files);
	sm_target_close(&run->target);
	error_context_stack = callback.previous;
}

Datum
sitemap_publish(PG_FUNCTION_ARGS)
{
	Run			run = {.rows = (ReturnSetInfo *) fcinfo->resultinfo,.counts_missed = true};

	InitMaterializedSRF(fcinfo, 0);
	run_call(sm_call_arguments(fcinfo), &run, publish);
	return (Datum) 0;
}

void
sm_publish_job(const char *jobs, const SmArguments *args, bool reads_all, bool counts_missed,
			   SmPublished *published)
{
	Run			run = {.jobs = jobs,.reads_all = reads_all,.counts_missed = counts_missed};

	run_call(args, &run, publish);
	*published = run.published;
}

Datum
sitemap_publish_index(PG_FUNCTION_ARGS)
{
	Run			run = {.rows = (ReturnSetInfo *) fcinfo->resultinfo};

	InitMaterializedSRF(fcinfo, 0);
	run_call(sm_call_arguments(fcinfo), &run, publish_index);
	return (Datum) 0;
}
