/*
 * set.c
 *	  Runs a query, and makes the files of a set from its rows.
 *
 * The rows come one by one through a DestReceiver.  So only the file that is
 * being written is in memory, and the query may use parallel workers.
 *
 * The only file of a set has another name than the first of several files.  A
 * file is closed when the next entry does not fit or the query has ended, and
 * then it is known which name is right.
 */
#include "postgres.h"

#include "files/set.h"

#include "commands/progress.h"
#include "core/digest.h"
#include "entry/element.h"
#include "files/split.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "server/query.h"
#include "utils/backend_progress.h"
#include "utils/backend_status.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* rows between two updates of the progress view */
#define PROGRESS_ROWS	1024

typedef struct HashCount
{
	uint32		hash;			/* low half of the hash of a loc; must be
								 * first */
	int			count;			/* number of files that begin with this hash */
} HashCount;

struct SmSet
{
	SmReceiver	receiver;		/* must be first */
	const SmOptions *options;
	SmFileSink *sink;
	MemoryContext context;		/* for all of the set */
	SmQuery		query;
	SmKeyType  *key_type;		/* NULL where the query has no column key */
	char	   *recipe;			/* NULL where the query has no column key */
	SmElementWriter writer;
	SmDocument	doc;			/* the file being written */
	SmSplit		split;
	int			nfiles;			/* closed or kept so far */
	HTAB	   *hashes;			/* hashes of the first locs of files, in a
								 * stable split; of HashCount */

	/* the key of the newest row */
	bool		has_key;
	bool		starts_key;		/* no entry of this key has been added */
	Datum		key;
	StringInfoData key_buffer;	/* holds the key if it is passed by reference */

	/* when a range of files is made */
	const Datum *from;			/* bounds of the rows, NULL for none */
	const Datum *to;
	SmStop		stop;			/* NULL for all rows */
	void	   *stop_arg;
	bool		stopped;

	bool		progress;		/* this set fills the progress view */
	uint64		nrows;
	uint64		nbytes;			/* of closed files, uncompressed */
};

/* The name of a file: section, middle, ending, and ".gz" if compressed. */
static char *
make_name(const SmOptions *options, const char *middle, const char *ending)
{
	return psprintf("%s%s%s%s", options->section, middle, ending,
					options->compression > 0 ? ".gz" : "");
}

/*
 * The name of a part of a set.  number: number of the part, from 1 on.  In a stable
 * split, its number among the parts with the same hash: 1, unless first locs are
 * equal or hashes collide.
 *
 * The name has the low half of the hash.  The high halves are much alike, since a
 * stable split cuts at the highest hashes.
 */
static char *
part_name(const SmOptions *options, uint32 hash, int number)
{
	const char *middle;

	if (!options->stable)
		middle = psprintf("-%d", number);
	else if (number == 1)
		middle = psprintf("-%08x", hash);
	else
		middle = psprintf("-%08x-%d", hash, number);
	return make_name(options, middle, options->kind == SM_TEXT ? ".txt" : ".xml");
}

/* The hash in the name of the first file of a stable split. */
static uint32
first_file_hash(void)
{
	return (uint32) sm_digest("", 0, 0);
}

char *
sm_only_name(const SmOptions *options)
{
	return make_name(options, "", options->kind == SM_TEXT ? ".txt" : ".xml");
}

char *
sm_part_name(const SmOptions *options)
{
	return part_name(options, first_file_hash(), 1);
}

/* Count a file with this hash, and return how many there are. */
static int
count_hash(SmSet *set, uint32 hash)
{
	HashCount  *entry;
	bool		found;

	if (set->hashes == NULL)
	{
		HASHCTL		ctl = {.keysize = sizeof(uint32),.entrysize = sizeof(HashCount),
		.hcxt = set->context};

		set->hashes = hash_create("sitemap hashes", 64, &ctl,
								  HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	}
	entry = hash_search(set->hashes, &hash, HASH_ENTER, &found);
	entry->count = found ? entry->count + 1 : 1;
	return entry->count;
}

/* The name of the next file of a stable split, whose first loc has this hash. */
static char *
next_name(SmSet *set, uint32 hash)
{
	if (set->nfiles++ == 0)
		hash = first_file_hash();
	return part_name(set->options, hash, count_hash(set, hash));
}

static void
report_progress(const SmSet *set)
{
	const int	params[] = {
		PROGRESS_COPY_BYTES_PROCESSED, PROGRESS_COPY_TUPLES_PROCESSED,
		PROGRESS_COPY_TUPLES_EXCLUDED
	};
	int64		values[lengthof(params)];

	if (!set->progress)
		return;
	values[0] = set->nbytes + set->doc.end - set->doc.room;
	values[1] = set->nrows - set->writer.problems.nrows;
	values[2] = set->writer.problems.nrows;
	pgstat_progress_update_multi_param(lengthof(params), params, values);
}

/*
 * Close the file that is being written, and put it to the sink.  is_part: name it
 * as one of several files.
 */
static void
close_file(SmSet *set, bool is_part)
{
	const SmOptions *options = set->options;
	SmDocument *doc = &set->doc;
	char	   *first_key = NULL;
	char	   *name;

	if (set->key_type)
		first_key = sm_key_to_text(set->key_type, sm_split_first_key(&set->split));
	if (!is_part)
		name = sm_only_name(options);
	else if (options->stable)
		name = next_name(set, (uint32) sm_split_first_hash(&set->split, doc));
	else
		name = part_name(options, 0, ++set->nfiles);
	sm_put_document(doc, &options->base, name, first_key, set->recipe, set->sink);
	set->nbytes += sm_document_size(doc);
	sm_document_reset(doc);
	report_progress(set);
}

pg_noreturn static void
key_is_too_large(SmSet *set)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("the rows of key %s do not fit into one file",
					sm_clip(sm_key_to_text(set->key_type, set->key))),
			 errdetail("Rows with the same key stay together. A file can have %d URLs and " INT64_FORMAT " bytes.",
					   sm_document_max_entries(&set->doc, false), set->doc.max_bytes),
			 errhint("Choose a key that fewer pages have.")));
}

/*
 * Close the file, since an entry does not fit, and begin the next.  Returns false
 * if the range ends here, because a file that stays begins with the next key.
 */
static bool
cut_file(SmSet *set)
{
	StringInfoData rest;

	if (!sm_split_cut(&set->split, &set->doc, &rest))
		key_is_too_large(set);
	close_file(set, true);
	if (set->stop && set->stop(set->stop_arg, sm_split_next_key(&set->split)))
	{
		set->stopped = true;
		return false;
	}
	sm_split_resume(&set->split, &set->doc, &rest);
	return true;
}

/*
 * Add the entry at the end of the buffer to this file or to the next.
 */
static void
put_entry(SmSet *set, const SmEntry *entry)
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
	set->starts_key = set->key_type == NULL;
}

/* Keep a copy of the newest row's key. */
static void
keep_key(SmSet *set, Datum key)
{
	const SmKeyType *type = set->key_type;

	set->has_key = true;
	set->starts_key = true;
	if (type->by_value)
		set->key = key;
	else
	{
		if (type->len == -1)
			key = PointerGetDatum(PG_DETOAST_DATUM_PACKED(key));
		resetStringInfo(&set->key_buffer);
		appendBinaryStringInfo(&set->key_buffer, DatumGetPointer(key),
							   datumGetSize(key, false, type->len));
		set->key = PointerGetDatum(set->key_buffer.data);
	}
}

/* A bound of a range, for a message. */
static const char *
describe_bound(SmSet *set, const Datum *bound, const char *none)
{
	return bound ? sm_clip(sm_key_to_text(set->key_type, *bound)) : none;
}

/*
 * Raise an error if a key is not in the range that the query was run for: the row
 * would be in two files.
 */
static void
check_range(SmSet *set, Datum key)
{
	if ((set->from == NULL || sm_key_compare(set->key_type, *set->from, key) <= 0) &&
		(set->to == NULL || sm_key_compare(set->key_type, key, *set->to) < 0))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("row " UINT64_FORMAT " is outside of the range of keys that the query was run for",
					set->nrows),
			 errdetail("Its key is %s. The range is from %s to before %s.",
					   sm_clip(sm_key_to_text(set->key_type, key)),
					   describe_bound(set, set->from, "the first key"),
					   describe_bound(set, set->to, "the end")),
			 errhint("The query must return the rows whose keys are at least $1 and less than $2.")));
}

/*
 * Take the key of a row.  Raises an error if rows are not in the order of
 * their keys.
 */
static void
take_key(SmSet *set, const TupleTableSlot *slot)
{
	int			index = set->query.columns.column[SM_COLUMN_KEY].index;
	Datum		key = slot->tts_values[index];
	int			order;

	if (slot->tts_isnull[index])
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the key of row " UINT64_FORMAT " is NULL", set->nrows),
				 errhint("Column \"key\" must not be NULL in any row.")));
	check_range(set, key);
	order = set->has_key ? sm_key_compare(set->key_type, set->key, key) : -1;
	if (order > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("row " UINT64_FORMAT " is not in the order of column \"key\"", set->nrows),
				 errdetail("Its key %s is less than %s, the key of a row before it.",
						   sm_clip(sm_key_to_text(set->key_type, key)),
						   sm_clip(sm_key_to_text(set->key_type, set->key))),
				 errhint("End the query with ORDER BY key.")));
	if (order < 0)
		keep_key(set, key);
}

static bool
receive(SmReceiver *self, TupleTableSlot *slot)
{
	SmSet	   *set = (SmSet *) self;
	SmRow		row;
	SmRowStatus status;
	SmEntry		entry;

	set->writer.problems.row_number = ++set->nrows;

	/* a row with a NULL loc is ignored, as in the aggregates */
	status = sm_read_slot(slot, &set->query.columns, &row, &set->writer.problems);
	if (status != SM_ROW_NULL && set->key_type)
		take_key(set, slot);
	if (status == SM_ROW_OK && sm_append_entry(&set->writer, &row, &set->doc.buf, &entry))
		put_entry(set, &entry);

	if (set->nrows % PROGRESS_ROWS == 0)
		report_progress(set);
	return !set->stopped;
}

void
sm_begin_entries(const SmOptions *options, SmElementWriter *writer, SmDocument *doc)
{
	sm_element_writer_init(writer, options->kind);
	writer->ascii = false;		/* files are UTF-8 in every database */
	writer->protocol = options->protocol;
	writer->base = &options->base;

	sm_document_init(doc, options->kind, options->protocol, options->stylesheet);
	doc->max_entries = options->max_urls;
	doc->max_bytes = Min(doc->max_bytes, options->max_bytes);
}

/*
 * A digest of everything that decides a file's content and name, except the rows
 * and the section.  A set with the same recipe makes the same files of the same rows.
 */
static char *
make_recipe(const SmSet *set)
{
	const SmOptions *options = set->options;
	const SmKeyType *key = set->key_type;
	const char *collation = get_collation_name(key->collation);
	char	   *settings = psprintf("%s %d %d %d %d " INT64_FORMAT " %d %d %d",
									SITEMAP_VERSION, options->kind, options->compression > 0,
									options->stable, options->max_urls, options->max_bytes,
									options->skip_invalid, options->base.scope, options->protocol);
	const char *parts[] = {
		settings, options->query, options->base.url[SM_FORM_PLAIN],
		options->stylesheet ? options->stylesheet : "",
		format_type_extended(key->type, -1, FORMAT_TYPE_FORCE_QUALIFY),
		collation ? collation : ""
	};
	uint64		digest = 0;
	char	   *recipe = palloc0(SM_DIGEST_HEX_LEN + 1);

	/*
	 * Hash each part with its terminator, so that no two lists of parts have
	 * the same bytes.
	 */
	for (size_t i = 0; i < lengthof(parts); i++)
		digest = sm_digest(parts[i], strlen(parts[i]) + 1, digest);
	sm_digest_hex(digest, recipe);
	return recipe;
}

SmSet *
sm_set_begin(const SmOptions *options, SmFileSink *sink)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "sitemap set",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	SmSet	   *set = palloc0_object(SmSet);

	sm_receiver_init(&set->receiver, NULL, receive);
	set->options = options;
	set->sink = sink;
	set->context = context;
	sm_begin_entries(options, &set->writer, &set->doc);
	if (options->skip_invalid)
		sm_problems_init_skip(&set->writer.problems);

	sm_query_open(&set->query, options->query, options->kind);
	if (sm_query_has_key(&set->query))
	{
		set->key_type = &set->query.columns.key_type;
		set->recipe = make_recipe(set);
		initStringInfo(&set->key_buffer);
	}
	set->starts_key = true;
	sm_split_init(&set->split, options->stable, set->key_type);

	/*
	 * A backend has one slot in the progress views.  Leave it alone if a COPY
	 * of our result uses it.  After an error the end of the (sub)transaction
	 * releases the slot.
	 */
	set->progress = MyBEEntry &&
		MyBEEntry->st_progress_command == PROGRESS_COMMAND_INVALID;
	if (set->progress)
	{
		pgstat_progress_start_command(PROGRESS_COMMAND_COPY, InvalidOid);
		pgstat_progress_update_param(PROGRESS_COPY_COMMAND, PROGRESS_COPY_COMMAND_TO);
		pgstat_progress_update_param(PROGRESS_COPY_TYPE, PROGRESS_COPY_TYPE_CALLBACK);
	}
	MemoryContextSwitchTo(oldcontext);
	return set;
}

SmKeyType *
sm_set_key_type(const SmSet *set)
{
	return set->key_type;
}

const char *
sm_set_recipe(const SmSet *set)
{
	return set->recipe;
}

void
sm_set_make_all(SmSet *set, bool name_as_part)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(set->context);

	sm_query_run(&set->query, NULL, NULL, &set->receiver);
	if (set->doc.totals.count > 0)
		close_file(set, set->nfiles > 0 || name_as_part);
	MemoryContextSwitchTo(oldcontext);
}

bool
sm_set_fits_one_file(const SmSet *set, int nfiles, int64 url_count, int64 byte_count)
{
	/*
	 * The lengths of the files' headers are not known.  Assume the longest
	 * header for each file, and the shortest for the one file, so that only
	 * "true" can be wrong.  A wrong "true" makes one more file again; a wrong
	 * "false" would keep a file that has to change.
	 */
	int64		saved = (int64) nfiles * sm_document_overhead(&set->doc, ~(uint32) 0) -
		sm_document_overhead(&set->doc, 0);

	return url_count <= set->doc.max_entries && byte_count - saved <= set->doc.max_bytes;
}

bool
sm_set_keep_file(SmSet *set, const char *name)
{
	size_t		section_len = strlen(set->options->section);
	unsigned int hash;

	return strlen(name) > section_len && sscanf(name + section_len, "-%8x", &hash) == 1 &&
		strcmp(name, next_name(set, hash)) == 0;
}

void
sm_set_begin_range(SmSet *set, SmStop stop, void *stop_arg)
{
	set->stop = stop;
	set->stop_arg = stop_arg;
	set->stopped = false;
	set->has_key = false;
	set->starts_key = true;
	sm_document_reset(&set->doc);
	sm_split_reset(&set->split);
}

bool
sm_set_make_range(SmSet *set, const Datum *from, const Datum *to)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(set->context);

	set->from = from;
	set->to = to;
	sm_query_run(&set->query, from, to, &set->receiver);
	if (to == NULL && !set->stopped && set->doc.totals.count > 0)
		close_file(set, true);
	MemoryContextSwitchTo(oldcontext);
	return !set->stopped && to != NULL;
}

void
sm_set_end(SmSet *set, const char *function)
{
	if (set->progress)
		pgstat_progress_end_command();
	sm_query_close(&set->query);
	if (function)
		sm_problems_warn(&set->writer.problems, function);
	MemoryContextDelete(set->context);
}

void
sm_make_set(const SmOptions *options, bool name_as_part, SmFileSink *sink, const char *function)
{
	SmSet	   *set = sm_set_begin(options, sink);

	sm_set_make_all(set, name_as_part);
	sm_set_end(set, function);
}
