/*
 * split.c
 *	  Decides where one file of a set ends and the next begins.
 *
 * A "full" split ends a file when the next entry does not fit.  A row that is added
 * or removed then moves the ends of all later files.
 *
 * A "stable" split cuts by content.  It can cut before any row at which the file is
 * at least half full, by entries or by bytes.  Each of these rows has a distance:
 * how far the hash of its loc is from the highest possible hash.  The cut goes
 * before the row with the smallest distance / weight, where the weight grows fast
 * as the file fills.  So only a row with a very high hash ends a file that is still
 * rather empty.  Files are 92% full on average, as measured with a million URLs in
 * 10,843 files.
 *
 * Example: files of at most 10 URLs.  The file has rows 1 to 10, and row 11 does not
 * fit.  The weights of a cut before rows 6 to 11 are those of a file with 5 to 10
 * URLs, here as parts of the highest:
 *
 *	cut before row     6    7      8     9    10   11
 *	weight             .00  .0017  .026  .13  .41  1
 *	distance           .10  .30    .02   .50  .05  .90
 *	distance / weight  huge 180    .77   3.8  .12  .90
 *
 * Row 10 has the smallest quotient: the file gets rows 1 to 9, and the next file
 * begins with row 10.  If row 3 is deleted, row 10 has 8 URLs before it, and its
 * quotient is .05 / .13 = .38.  It still is the smallest, unless that of row 12, the
 * first that does not fit now, is smaller.  So the next file mostly begins with the
 * same row as before, and only one file changes.  If a cut does move, later cuts soon
 * fall on the same rows again, because a row with a very small distance is chosen
 * from nearly every file that has it in reach.
 *
 * A cut depends only on the rows from the first one of the file to the first one that
 * does not fit.  sitemap_publish with changes relies on that: a file in which these
 * rows are the same ends at the same row as before.  So sm_split_resume also considers
 * the rows after a cut as ends of the next file, although they mostly fill less than
 * half of it.
 *
 * Rows with the same key stay together: a file begins with the first row of a key.
 */
#include "postgres.h"

#include "files/split.h"

#include "core/digest.h"
#include "utils/datum.h"

/* a stable split looks for cuts in a file this full, in thousandths of a limit */
#define MIN_FULLNESS	500

/* How full the document is, in thousandths of the limit that is closer. */
static int
fullness(const SmDocument *doc)
{
	int64		by_count = (int64) doc->totals.count * 1000 / sm_document_max_entries(doc, false);
	int64		by_size = sm_document_size(doc) * 1000 / doc->max_bytes;

	return (int) Max(by_count, by_size);
}

void
sm_split_init(SmSplit *split, bool stable, const SmKeyType *key_type)
{
	memset(split, 0, sizeof(*split));
	split->stable = stable;
	split->key_type = key_type;
	split->max_entries = 1024;
	split->entries = palloc_array(SmSplitEntry, split->max_entries);
	initStringInfo(&split->keys);
}

/* Copy a key to split->keys and return its offset; a key by value is returned itself. */
static Datum
store_key(SmSplit *split, Datum key)
{
	const SmKeyType *type = split->key_type;
	StringInfo	keys = &split->keys;
	int			place = keys->len;
	Size		size;

	if (type->by_value)
		return key;
	if (type->len == -1)
		key = PointerGetDatum(PG_DETOAST_DATUM_PACKED(key));
	size = datumGetSize(key, false, type->len);
	appendBinaryStringInfo(keys, DatumGetPointer(key), size);
	appendStringInfoSpaces(keys, MAXALIGN(keys->len) - keys->len);
	return Int32GetDatum(place);
}

static Datum
load_key(const SmSplit *split, int n)
{
	Datum		key = split->entries[n].key;

	return split->key_type->by_value ? key : PointerGetDatum(split->keys.data + DatumGetInt32(key));
}

/* Without keys, a full split needs no entries: each cut is before the newest one. */
static inline bool
keeps_entries(const SmSplit *split)
{
	return split->stable || split->key_type;
}

/* Consider a cut before the next entry of the document. */
static void
consider(SmSplit *split, const SmDocument *doc, const SmSplitEntry *next)
{
	uint64		hash;
	uint64		distance;
	uint64		weight;
	int			full;

	if (next->starts_key)
		split->last_start = doc->totals.count;
	if (!split->stable || !next->starts_key || doc->totals.count == 0)
		return;
	full = fullness(doc);
	if (full < MIN_FULLNESS)
		return;

	/*
	 * distances have 28 bits and weights 36, so their products do not
	 * overflow
	 */
	hash = sm_digest(doc->buf.data + doc->end + next->entry.loc, next->entry.loc_len, 0);
	distance = ~hash >> 36;
	weight = full - MIN_FULLNESS + 1;
	weight *= weight;
	weight *= weight;
	if (split->cut == 0 || distance * split->weight < split->distance * weight)
	{
		split->cut = doc->totals.count;
		split->distance = distance;
		split->weight = weight;
	}
}

void
sm_split_consider(SmSplit *split, const SmDocument *doc, const SmEntry *entry,
				  bool starts_key, Datum key)
{
	int			n = doc->totals.count;

	Assert(doc->buf.len == doc->end + entry->len);

	if (!keeps_entries(split))
		return;
	if (n == split->max_entries)
	{
		split->max_entries *= 2;
		split->entries = repalloc_array(split->entries, SmSplitEntry, split->max_entries);
	}
	split->entries[n].entry = *entry;
	split->entries[n].starts_key = starts_key;
	if (starts_key && split->key_type)
		split->entries[n].key = store_key(split, key);
	consider(split, doc, &split->entries[n]);
}

bool
sm_split_cut(SmSplit *split, SmDocument *doc, StringInfo rest)
{
	int			n = doc->totals.count;

	if (!keeps_entries(split))
		split->last_start = n;

	/*
	 * A full split has no cut yet.  A stable split has none if the file was
	 * less than half full when the newest key began: what does not fit is a
	 * very large entry, one with news, or many rows of that key.  Cut before
	 * the key.
	 */
	if (split->cut == 0)
		split->cut = split->last_start;
	if (split->cut == 0)
		return false;

	for (int i = split->cut; i < n; i++)
		doc->end -= split->entries[i].entry.len;
	if (split->cut < n)
	{
		memset(&doc->totals, 0, sizeof(doc->totals));
		for (int i = 0; i < split->cut; i++)
			sm_totals_add(&doc->totals, &split->entries[i].entry);
	}
	initStringInfo(rest);
	appendBinaryStringInfo(rest, doc->buf.data + doc->end, doc->buf.len - doc->end);
	split->nrest = n - split->cut;
	return true;
}

void
sm_split_resume(SmSplit *split, SmDocument *doc, const StringInfoData *rest)
{
	int			nrest = split->nrest;

	Assert(doc->totals.count == 0);
	appendBinaryStringInfo(&doc->buf, rest->data, rest->len);
	if (!keeps_entries(split))
	{
		split->cut = 0;
		return;
	}

	/* + 1 for the entry that did not fit */
	memmove(split->entries, split->entries + split->cut, (nrest + 1) * sizeof(SmSplitEntry));
	if (split->key_type && !split->key_type->by_value)
	{
		int			place = DatumGetInt32(split->entries[0].key);

		memmove(split->keys.data, split->keys.data + place, split->keys.len - place);
		split->keys.len -= place;
		for (int i = 0; i <= nrest; i++)
			if (split->entries[i].starts_key)
				split->entries[i].key = Int32GetDatum(DatumGetInt32(split->entries[i].key) - place);
	}
	split->cut = 0;
	for (int i = 0; i <= nrest; i++)
	{
		consider(split, doc, &split->entries[i]);
		if (i < nrest)
			sm_document_add(doc, &split->entries[i].entry);
	}
}

void
sm_split_reset(SmSplit *split)
{
	split->cut = 0;
	resetStringInfo(&split->keys);
}

uint64
sm_split_first_hash(const SmSplit *split, const SmDocument *doc)
{
	const SmEntry *first = &split->entries[0].entry;

	Assert(doc->totals.count > 0);
	return sm_digest(doc->buf.data + doc->room + first->loc, first->loc_len, 0);
}

Datum
sm_split_first_key(const SmSplit *split)
{
	return load_key(split, 0);
}

Datum
sm_split_next_key(const SmSplit *split)
{
	return load_key(split, split->cut);
}
