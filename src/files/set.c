/*
 * set.c
 *	  Runs a query, and makes the files of a set from its rows.
 *
 * The rows come one by one through a DestReceiver.  So only the file that is
 * being written is in memory, and the query may use parallel workers.
 *
 * The only file of a set and the first of several files have different names (names.c).  A
 * file is closed when the next entry does not fit or the query has ended, and only then is
 * its name known.
 */
#include "postgres.h"

#include "files/set.h"

#include "commands/progress.h"
#include "server/encoding.h"
#include "server/query.h"
#include "server/query_tree.h"
#include "utils/backend_progress.h"
#include "utils/backend_status.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* rows between two updates of the progress view */
#define PROGRESS_ROWS	1024

/*
 * The most that ranges may cost, by the planner's estimates, where all rows cost 1.
 * More than 1, since the planner does not know what it costs to make entries of rows,
 * and guesses badly without statistics.
 */
#define MAX_RANGES_COST 2.0

static void
report_progress(const SmSet *set)
{
	int64		skipped = set->writer.problems.nrows;

	if (!set->progress)
		return;
	pgstat_progress_update_param(PROGRESS_COPY_BYTES_PROCESSED, set->nbytes + set->doc.end - set->doc.begin);
	pgstat_progress_update_param(PROGRESS_COPY_TUPLES_PROCESSED, set->receiver.nrows - skipped);
	pgstat_progress_update_param(PROGRESS_COPY_TUPLES_EXCLUDED, skipped);
}

/*
 * Close the file that is being written, and pass it to the sink.  is_part: name it as
 * one of several files.
 */
static void
close_file(SmSet *set, bool is_part)
{
	const SmOptions *options = set->options;
	SmDocument *doc = &set->doc;
	SmFile		file = {.section = options->section,.recipe = set->recipe};

	file.name = is_part ? sm_names_next(&set->names, set->split.first_hash) : sm_only_name(options);
	if (set->query.key_type)
	{
		file.first_key = sm_key_to_text(set->query.key_type, set->split.first_key);
		file.shown = sm_document_shown(doc, set->query.key_type->family, &file.shown_checksum);
	}
	sm_put_document(doc, &options->base, &file, set->sink);
	set->nbytes += sm_document_size(doc);
	set->url_count += doc->totals.count;
	sm_document_reset(doc);
	report_progress(set);
}

pg_noreturn static void
key_is_too_large(SmSet *set)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("the rows of key %s do not fit into one file",
					sm_clip(sm_key_to_text(set->query.key_type, set->key))),
			 errdetail("Rows with the same key stay together. A file can have %d URLs, %d news items and " INT64_FORMAT " bytes.",
					   set->doc.max_entries, SM_MAX_NEWS, set->doc.max_bytes),
			 errhint("Choose a key that fewer pages have.")));
}

/* Does an old file that stays begin with this key?  The keys of the calls ascend. */
static bool
meets_old_file(SmSet *set, Datum key)
{
	const SmOldFiles *old = &set->old;

	for (; set->next < old->nfiles; set->next++)
	{
		int			order = sm_key_compare(set->query.key_type, old->files[set->next]->key, key);

		if (order == 0 && !old->rebuild[set->next].touched)
			return true;
		if (order >= 0)
			break;
	}
	return false;
}

/*
 * Close the file, since the entry does not fit, and begin the next.  Returns false
 * if the range ends here.
 */
static bool
cut_file(SmSet *set)
{
	StringInfoData rest;

	if (!sm_split_cut(&set->split, &set->doc, &rest))
		key_is_too_large(set);
	close_file(set, true);
	set->ended = meets_old_file(set, set->split.entries[0].key);
	if (set->ended)
		return false;
	sm_split_resume(&set->split, &set->doc, &rest);
	return true;
}

/* Add the entry at the end of the buffer to this file or to the next. */
static void
add_entry(SmSet *set, const SmEntry *entry)
{
	SmDocument *doc = &set->doc;
	bool		fits = sm_document_fits(doc, entry);

	if (!fits && !sm_document_fits_alone(doc, entry, &set->writer.problems))
		return;
	sm_split_consider(&set->split, doc, entry, set->starts_key, set->key);
	while (unlikely(!fits))
	{
		if (!cut_file(set))
			return;
		fits = sm_document_fits(doc, entry);
	}
	sm_document_add(doc, entry);
	set->starts_key = set->query.key_type == NULL;
}

static void
forget_key(SmSet *set)
{
	if (set->has_key)
		sm_key_free(set->query.key_type, set->key);
	set->has_key = false;
	set->starts_key = true;
}

/* Keep a copy of the newest row's key. */
static void
keep_key(SmSet *set, Datum key)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(set->context);

	forget_key(set);
	set->key = sm_key_copy(set->query.key_type, key);
	set->has_key = true;
	MemoryContextSwitchTo(oldcontext);
}

/*
 * Raise an error if a key is not in the range that the query was run for: the row
 * would be in two files.
 */
static void
check_range(SmSet *set, Datum key)
{
	if ((set->from == NULL || sm_key_compare(set->query.key_type, *set->from, key) <= 0) &&
		(set->to == NULL || sm_key_compare(set->query.key_type, key, *set->to) < 0))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("row " UINT64_FORMAT " is outside of the range of keys that the query was run for",
					set->receiver.nrows),
			 errdetail("Its key is %s.", sm_clip(sm_key_to_text(set->query.key_type, key))),
			 errhint("The query must return the rows whose keys are at least $1 and less than $2.")));
}

/*
 * Read the key of a row.  Raises an error if rows are not in the order of
 * their keys.
 */
static void
read_page_key(SmSet *set, const TupleTableSlot *slot)
{
	int			index = set->columns.column[SM_COLUMN_KEY].index;
	Datum		key = slot->tts_values[index];
	int			order;

	if (slot->tts_isnull[index])
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the key of row " UINT64_FORMAT " is NULL", set->receiver.nrows),
				 errhint("Column \"key\" must not be NULL in any row.")));
	check_range(set, key);
	order = set->has_key ? sm_key_compare(set->query.key_type, set->key, key) : -1;
	if (order > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("row " UINT64_FORMAT " is not in the order of column \"key\"", set->receiver.nrows),
				 errdetail("Its key %s is less than %s, the key of a row before it.",
						   sm_clip(sm_key_to_text(set->query.key_type, key)),
						   sm_clip(sm_key_to_text(set->query.key_type, set->key))),
				 errhint("End the query with ORDER BY key.%s",
						 type_is_collatable(set->query.key_type->type) ?
						 " If a foreign server sorts the rows, its column needs COLLATE \"C\"." : "")));
	if (order < 0)
		keep_key(set, key);
}

static bool
add_page(SmReceiver *self, TupleTableSlot *slot)
{
	SmSet	   *set = (SmSet *) self;
	SmRow		row;
	SmEntry		entry;
	bool		goes_on;

	set->writer.problems.row_number = set->receiver.nrows;
	goes_on = sm_read_slot(slot, &set->columns, &row, &set->writer.problems);
	if (set->query.key_type)
		read_page_key(set, slot);
	if (goes_on && sm_append_entry(&set->writer, &row, &set->doc.buf, &entry))
		add_entry(set, &entry);

	if (set->receiver.nrows % PROGRESS_ROWS == 0)
		report_progress(set);
	return !set->ended;
}

void
sm_begin_entries(const SmOptions *options, SmEntryWriter *writer, SmDocument *doc)
{
	SmUrlBase  *link_base = palloc_object(SmUrlBase);

	/* images and the like can be anywhere */
	*link_base = options->base;
	link_base->scope = SM_SCOPE_ANY;

	sm_entry_writer_init(writer, options->kind);
	writer->ascii = false;		/* files are UTF-8 in every database */
	writer->protocol = options->protocol;
	writer->base = &options->base;
	writer->link_base = link_base;

	sm_document_init(doc, options->kind, options->protocol, options->stylesheet);
	doc->max_entries = options->max_urls;
	doc->max_bytes = Min(doc->max_bytes, options->max_bytes);
}

void
sm_open_set_query(const SmOptions *options, SmQuery *query, SmColumns *columns)
{
	sm_query_open(query, options->query);
	sm_find_columns(query->desc, options->kind, columns);

	/*
	 * What a page shows must not depend on the settings of the session.  In
	 * another time zone, all pages would change.
	 */
	sm_query_prepare(query, columns->column[SM_COLUMN_KEY].index >= 0 ? &columns->key_type : NULL,
					 columns->column[SM_COLUMN_SHOWN].index >= 0);
}

/*
 * Make the recipe: a digest of the query's text, the definitions of the views that it reads, the
 * type of the key, and the options that shape files.  Sets with the same recipe and section make
 * the same files from the same rows.
 */
static char *
make_recipe(const SmOptions *options, const SmQuery *query)
{
	StringInfoData text;
	char	   *recipe = palloc0(SM_DIGEST_HEX_LEN + 1);

	/* URLs have no line feed, so each text has one meaning */
	initStringInfo(&text);
	appendStringInfo(&text, "%s %d %d %d %d " INT64_FORMAT " %d %d %d %d %u\n%s\n%s\n%s",
					 SITEMAP_VERSION, options->kind, options->compression > 0,
					 options->stable, options->max_urls, options->max_bytes,
					 options->skip_invalid, options->base.scope, options->protocol,
					 query->fixes_settings,
					 query->key_type ? query->key_type->type : InvalidOid,
					 options->base.url[SM_FORM_PLAIN],
					 options->stylesheet ? options->stylesheet : "",
					 options->query);
	sm_query_append_views(query, &text);
	sm_digest_hex(sm_digest(text.data, text.len, 0), recipe);
	return recipe;
}

SmSet *
sm_set_begin(const SmOptions *options, SmFileSink *sink)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "sitemap set",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	SmSet	   *set = palloc0_object(SmSet);

	sm_receiver_init(&set->receiver, NULL, add_page);
	set->options = options;
	set->sink = sink;
	set->context = context;
	sm_begin_entries(options, &set->writer, &set->doc);

	sm_open_set_query(options, &set->query, &set->columns);
	if (set->query.fixes_settings)
		sm_document_keep_shown(&set->doc);
	if (set->query.key_type || options->stable)
		set->recipe = make_recipe(options, &set->query);
	sm_split_init(&set->split, options->stable, set->query.key_type);

	MemoryContextSwitchTo(oldcontext);
	return set;
}

/*
 * Fill the progress view while rows are read.  A backend has one slot for all progress
 * views: leave it to a COPY of our result, which may have it.
 */
static void
start_progress(SmSet *set)
{
	if (MyBEEntry == NULL || MyBEEntry->st_progress_command != PROGRESS_COMMAND_INVALID)
		return;
	set->progress = true;
	pgstat_progress_start_command(PROGRESS_COMMAND_COPY, InvalidOid);
	pgstat_progress_update_param(PROGRESS_COPY_COMMAND, PROGRESS_COPY_COMMAND_TO);
	pgstat_progress_update_param(PROGRESS_COPY_TYPE, PROGRESS_COPY_TYPE_CALLBACK);
}

/*
 * Bound the next rows: from an old file's first key to before the first key of a later
 * file.  The first file has no lower bound, and the last file no upper bound.
 */
static void
set_bounds(SmSet *set, int from, int to)
{
	set->from = from > 0 ? &set->old.files[from]->key : NULL;
	set->to = to < set->old.nfiles ? &set->old.files[to]->key : NULL;
}

/* Read the rows of the old files [first, end). */
static void
read_rows(SmSet *set, int first, int end)
{
	set_bounds(set, first, end);
	start_progress(set);
	sm_query_run(&set->query, set->from, set->to, &set->receiver);
	if (set->progress)
		pgstat_progress_end_command();
	set->progress = false;
}

/*
 * Begin the set.  It begins a second time if it turns out that not only some files have
 * to be made.
 */
static void
begin_files(SmSet *set)
{
	SmProblems *problems = &set->writer.problems;

	sm_names_init(&set->names, set->options, set->context);
	set->url_count = 0;
	set->nbytes = 0;
	set->receiver.nrows = 0;
	memset(problems, 0, sizeof(*problems));
	if (set->options->skip_invalid)
		sm_problems_init_skip(problems);
}

/* Begin a range of files, which ends before old file next or a later one. */
static void
begin_range(SmSet *set, int next)
{
	set->next = next;
	set->ended = false;
	forget_key(set);
	sm_document_reset(&set->doc);
	sm_split_reset(&set->split);
}

void
sm_set_make_all(SmSet *set, bool name_as_part)
{
	begin_files(set);
	begin_range(set, set->old.nfiles);
	read_rows(set, 0, set->old.nfiles);
	if (set->doc.totals.count > 0)
		close_file(set, set->names.nparts > 0 || name_as_part);
}

void
sm_set_analyze_again(SmSet *set)
{
	sm_query_analyze_again(&set->query);
	set->recipe = make_recipe(set->options, &set->query);
}

/*
 * Should only the ranges of the touched files be read, and not all rows?  False if
 * the planner expects the ranges to cost much more, as they do without an index on
 * the key: each range then reads the whole table.
 *
 * To plan a range can cost more than to read it, so only the smallest is planned: at most
 * half of the files are touched, so what decides is what even a small range costs.
 */
static bool
prefers_ranges(SmSet *set)
{
	const SmOldFiles *old = &set->old;
	int			nranges = 0;
	int			smallest = 0;
	int			size = INT_MAX;
	double		cost_of_all;
	double		cost_of_range;

	for (int end, i = 0; i < old->nfiles; i = end)
	{
		end = sm_rebuild_piece(old->rebuild, old->nfiles, i);
		if (!old->rebuild[i].touched)
			continue;
		nranges++;
		if (end - i < size)
		{
			size = end - i;
			smallest = i;
		}
	}
	if (nranges <= 1)
		return true;
	set_bounds(set, smallest, smallest + size);
	cost_of_all = sm_query_cost(&set->query, NULL, NULL);
	cost_of_range = sm_query_cost(&set->query, set->from, set->to);

	/*
	 * Where the query passes $1 and $2 to a function, the planner knows
	 * nothing of the bounds.  Then trust that the function uses them.
	 */
	return (set->query.nparameters > 0 && cost_of_range == cost_of_all) ||
		cost_of_range * nranges <= MAX_RANGES_COST * cost_of_all;
}

/*
 * Make files, beginning where a touched old file begins, until a new file ends where an
 * old file that stays begins.  Returns the number of that old file, or the number of old
 * files at the end of the set.
 */
static int
rebuild_range(SmSet *set, int first)
{
	const SmOldFiles *old = &set->old;
	int			to;

	begin_range(set, first + 1);
	for (int from = first; !set->ended && from < old->nfiles; from = to)
	{
		to = sm_rebuild_piece(old->rebuild, old->nfiles, from);
		read_rows(set, from, to);
	}
	if (set->ended)
		return set->next;
	if (set->doc.totals.count > 0)
		close_file(set, true);
	return old->nfiles;
}

const char *
sm_set_rebuild(SmSet *set)
{
	const SmOldFiles *old = &set->old;
	const SmDocument *doc = &set->doc;
	int			ntouched = (int) sm_rebuild_touch(old->rebuild, old->nfiles, doc->max_entries, doc->max_bytes,
												  sm_document_overhead(doc, ~(uint32) 0));

	if (sm_query_has_limit(&set->query))
		return "the query has LIMIT or OFFSET";
	if (ntouched > old->nfiles / 2)
		return psprintf("%d of %d files would have to be rebuilt", ntouched, old->nfiles);
	if (!prefers_ranges(set))
		return "to read the changed ranges of keys would cost more than to read all rows";
	begin_files(set);
	for (int i = 0; i < old->nfiles;)
	{
		SmOldFile  *file = old->files[i];

		if (old->rebuild[i].touched)
		{
			i = rebuild_range(set, i);
			continue;
		}
		if (!sm_names_keep(&set->names, file->name))
			return psprintf("file \"%s\" gets another name", file->name);
		file->fate = SM_OLD_SAME_ROW;
		set->url_count += file->url_count;
		i++;
	}
	return NULL;
}

void
sm_set_end(SmSet *set, const char *function)
{
	sm_query_close(&set->query);
	sm_problems_warn(&set->writer.problems, function);
	MemoryContextDelete(set->context);
}
