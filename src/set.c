/*
 * set.c
 *	  A query → the files of a set, one after the other.
 *
 * The query's rows come through a DestReceiver, one after the other, so that
 * nothing but the file that is being written is held in memory, and the query
 * may use parallel workers.  A file is closed when the next entry does not fit,
 * and so we know at that time that there will be more than one.
 */
#include "postgres.h"

#include "set.h"

#include "commands/progress.h"
#include "element.h"
#include "miscadmin.h"
#include "query.h"
#include "split.h"
#include "utils/backend_progress.h"
#include "utils/backend_status.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* rows between two updates of the progress view */
#define PROGRESS_ROWS	1024

typedef struct KeyCount
{
	uint32		key;			/* half of an SmSplit's, must be first */
	int			count;			/* files that have it */
} KeyCount;

typedef struct SetState
{
	DestReceiver receiver;		/* must be first */
	const SmOptions *options;
	SmFileSink *sink;
	MemoryContext context;		/* for all of the call */
	MemoryContext row_context;	/* for one row */
	SmColumns	columns;
	SmElementWriter writer;
	SmDocument	doc;			/* the file being written */
	SmSplit		split;
	int			nfiles;			/* closed so far */
	HTAB	   *keys;			/* of files of a stable split, KeyCount */
	bool		progress;		/* the progress view is ours to fill */
	uint64		nrows;
	uint64		nbytes;			/* of closed files, uncompressed */
} SetState;

/* The name of a file: section, what tells it apart, endings. */
static char *
make_name(const SmOptions *options, const char *middle, const char *ending)
{
	return psprintf("%s%s%s%s", options->section, middle, ending,
					options->compression > 0 ? ".gz" : "");
}

char *
sm_index_name(const SmOptions *options, int number)
{
	return make_name(options, number > 1 ? psprintf("-index-%d", number) : "", ".xml");
}

/*
 * The name of a part of a set.  number counts the parts, or with a stable split
 * those of the same key, few as they are: the ones that begin with the same
 * loc, and collisions.  The low half of the key does, since the high bits of
 * hashes that were the highest are much alike.
 */
static char *
part_name(const SmOptions *options, uint64 key, int number)
{
	const char *middle;

	if (!options->stable)
		middle = psprintf("-%d", number);
	else if (number == 1)
		middle = psprintf("-%08x", (uint32) key);
	else
		middle = psprintf("-%08x-%d", (uint32) key, number);
	return make_name(options, middle, options->kind == SM_TEXT ? ".txt" : ".xml");
}

char *
sm_part_name(const SmOptions *options)
{
	SmSplit		split;

	sm_split_init(&split, options->stable);
	return part_name(options, split.key, 1);
}

/* How many files up to this one have its key? */
static int
count_key(SetState *state)
{
	uint32		key = (uint32) state->split.key;
	KeyCount   *entry;
	bool		found;

	if (state->keys == NULL)
	{
		HASHCTL		ctl = {.keysize = sizeof(uint32),.entrysize = sizeof(KeyCount),
		.hcxt = state->context};

		state->keys = hash_create("sitemap keys", 64, &ctl,
								  HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	}
	entry = hash_search(state->keys, &key, HASH_ENTER, &found);
	entry->count = found ? entry->count + 1 : 1;
	return entry->count;
}

/* Complete a document and hand it out. */
static void
put_file(SmFileSink *sink, const SmOptions *options, SmDocument *doc, const char *name)
{
	SmFile		file = {0};
	TimestampTz lastmod = (doc->totals.lastmod - SM_POSTGRES_EPOCH) * USECS_PER_SEC;

	file.kind = doc->kind;
	file.name = name;
	file.loc = psprintf("%.*s%s", (int) options->base.len[SM_FORM_PLAIN],
						options->base.url[SM_FORM_PLAIN], name);
	file.lastmod = doc->totals.has_lastmod ? &lastmod : NULL;
	file.url_count = doc->totals.count;
	file.document = sm_document_close(doc);
	file.byte_count = VARSIZE(file.document) - VARHDRSZ;
	sm_digest_hex(sm_digest(VARDATA(file.document), file.byte_count, 0), file.digest);
	sink->put(sink, &file);
}

void
sm_put_index(SmIndex *index, const SmOptions *options, SmFileSink *sink)
{
	ListCell   *lc;

	foreach(lc, index->documents)
		put_file(sink, options, lfirst(lc),
				 sm_index_name(options, foreach_current_index(lc) + 1));
}

static void
report_progress(const SetState *state)
{
	const int	params[] = {
		PROGRESS_COPY_BYTES_PROCESSED, PROGRESS_COPY_TUPLES_PROCESSED,
		PROGRESS_COPY_TUPLES_EXCLUDED
	};
	int64		values[lengthof(params)];

	if (!state->progress)
		return;
	values[0] = state->nbytes + state->doc.end - state->doc.room;
	values[1] = state->nrows - state->writer.problems.nrows;
	values[2] = state->writer.problems.nrows;
	pgstat_progress_update_multi_param(lengthof(params), params, values);
}

/* Close the file that is being written, one of several or not, and hand it out. */
static void
close_file(SetState *state, bool is_part)
{
	const SmOptions *options = state->options;
	char	   *name;

	state->nfiles++;
	if (is_part)
		name = part_name(options, state->split.key,
						 options->stable ? count_key(state) : state->nfiles);
	else
		name = make_name(options, "", options->kind == SM_TEXT ? ".txt" : ".xml");
	put_file(state->sink, options, &state->doc, name);
	state->nbytes += sm_document_size(&state->doc);
	sm_document_reset(&state->doc);
	report_progress(state);
}

/* Put the entry at the end of the buffer into this file, or into the next one. */
static void
put_entry(SetState *state, const SmEntry *entry)
{
	SmDocument *doc = &state->doc;
	bool		fits = sm_document_fits(doc, entry);

	if (!fits && !sm_document_fits_alone(doc, entry, &state->writer.problems))
		return;
	sm_split_consider(&state->split, doc, entry);
	while (unlikely(!fits))
	{
		StringInfoData rest;

		sm_split_cut(&state->split, doc, entry, &rest);
		close_file(state, true);
		sm_split_resume(&state->split, doc, entry, &rest);
		fits = sm_document_fits(doc, entry);
	}
	sm_split_add(&state->split, doc, entry);
}

static void
startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
	SetState   *state = (SetState *) self;
	MemoryContext oldcontext = MemoryContextSwitchTo(state->context);

	sm_find_columns(typeinfo, &state->columns);
	MemoryContextSwitchTo(oldcontext);
}

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	SetState   *state = (SetState *) self;
	MemoryContext oldcontext;
	SmRow		row;
	SmEntry		entry;

	CHECK_FOR_INTERRUPTS();

	state->writer.problems.row_number = ++state->nrows;

	/* a row without a page is no problem, just as in the aggregates */
	MemoryContextReset(state->row_context);
	oldcontext = MemoryContextSwitchTo(state->row_context);
	if (sm_read_slot(slot, &state->columns, &row, &state->writer.problems) == SM_ROW_OK &&
		sm_append_entry(&state->writer, &row, &state->doc.buf, &entry))
		put_entry(state, &entry);
	MemoryContextSwitchTo(oldcontext);

	if (state->nrows % PROGRESS_ROWS == 0)
		report_progress(state);
	return true;
}

void
sm_begin_entries(const SmOptions *options, SmElementWriter *writer, SmDocument *doc)
{
	sm_element_writer_init(writer, options->kind);
	writer->ascii = false;		/* files are UTF-8 in every database */
	writer->protocol = options->protocol;
	writer->base = &options->base;

	sm_document_init(doc, options->kind, options->protocol, options->stylesheet, true);
	doc->max_entries = options->max_urls;
	doc->max_bytes = Min(doc->max_bytes, options->max_bytes);
}

static void
init_state(SetState *state, const SmOptions *options, SmFileSink *sink)
{
	sm_receiver_init(&state->receiver, startup, receive);

	state->options = options;
	state->sink = sink;
	state->context = CurrentMemoryContext;
	state->row_context = AllocSetContextCreate(CurrentMemoryContext, "sitemap row",
											   ALLOCSET_DEFAULT_SIZES);

	sm_begin_entries(options, &state->writer, &state->doc);
	if (options->skip_invalid)
		sm_problems_init_skip(&state->writer.problems);
	sm_split_init(&state->split, options->stable);
}

void
sm_make_set(const SmOptions *options, bool name_as_part, SmFileSink *sink, const char *function)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "sitemap set",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	SetState   *state = palloc0_object(SetState);

	init_state(state, options, sink);

	/*
	 * A backend has one slot in the progress views, and a COPY of our result
	 * may own it.  Should we fail, the end of the (sub)transaction gives it
	 * back.
	 */
	state->progress = MyBEEntry &&
		MyBEEntry->st_progress_command == PROGRESS_COMMAND_INVALID;
	if (state->progress)
	{
		pgstat_progress_start_command(PROGRESS_COMMAND_COPY, InvalidOid);
		pgstat_progress_update_param(PROGRESS_COPY_COMMAND, PROGRESS_COPY_COMMAND_TO);
		pgstat_progress_update_param(PROGRESS_COPY_TYPE, PROGRESS_COPY_TYPE_CALLBACK);
	}
	sm_run_query(options->query, &state->receiver);
	if (state->doc.totals.count > 0)
		close_file(state, state->nfiles > 0 || name_as_part);
	if (state->progress)
		pgstat_progress_end_command();
	sm_problems_warn(&state->writer.problems, function);

	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
}
