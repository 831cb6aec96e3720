/*
 * split.c
 *	  Cuts a set into full files, or by content.
 *
 * A "full" split ends a file when the next entry does not fit.  A row that is added
 * or removed then moves the ends of all later files.
 *
 * A "stable" split can cut before any row at which the file is at least half full, by
 * entries, news items or bytes.  Each of these rows has a distance: how far the hash of
 * its loc is from the highest possible hash.  The cut goes before the row with the
 * smallest distance / weight.  The weight grows fast as the file fills, so only a row
 * with a very high hash ends a file that is still rather empty.  Files are 92% full on
 * average, as measured with a million URLs in 10,843 files.
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
 * Row 10 has the smallest quotient: the next file begins with it.  If row 3 is deleted,
 * row 10 has 8 URLs before it, and its quotient is .05 / .13 = .38, still the smallest
 * unless row 12, which is the first that now does not fit, has a smaller one.  So mostly
 * only one file changes.  If a cut does move, later cuts soon fall on the same rows
 * again, because nearly every file that has a row with a very small distance in reach is
 * cut there.
 *
 * A cut depends only on the rows from the first one of the file to the first one that
 * does not fit.  sitemap_publish with changes relies on that: a file in which these
 * rows are the same ends at the same row as before.  The rows after a cut are part of
 * the next file's rows, so sm_split_resume considers them again as ends of that file.
 *
 * Rows with the same key stay together: a file begins with the first row of a key.
 *
 * SmSplit.entries describes the entries from the best place for a cut to the newest
 * entry: sm_split_resume needs their lengths and keys.  In a full split, these are the
 * entries of the newest key.
 */
#include "postgres.h"

#include "files/split.h"

#include "text/digest.h"

/* a stable split looks for cuts in a file this full, in thousandths of a limit */
#define MIN_FULLNESS	500

/*
 * A distance is the upper bits of a hash, and a weight a fourth power.  Their products fit
 * into 64 bits.
 */
#define DISTANCE_BITS	28
#define MAX_WEIGHT		POWER_OF_4(SM_FULL - MIN_FULLNESS + 1)
#define POWER_OF_4(n)	((uint64) (n) * (n) * (n) * (n))

StaticAssertDecl(MAX_WEIGHT <= PG_UINT64_MAX >> DISTANCE_BITS, "a product overflows");

void
sm_split_init(SmSplit *split, bool stable, const SmKeyType *key_type)
{
	memset(split, 0, sizeof(*split));
	split->stable = stable;
	split->key_type = key_type;
	split->context = CurrentMemoryContext;
	split->max_entries = 64;
	split->entries = palloc_array(SmSplitEntry, split->max_entries);
}

static Datum
copy_key(const SmSplit *split, Datum key)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(split->context);
	Datum		copy = sm_key_copy(split->key_type, key);

	MemoryContextSwitchTo(oldcontext);
	return copy;
}

static void
forget_entries(SmSplit *split)
{
	if (split->key_type && !split->key_type->by_value)
		for (int i = 0; i < split->nentries; i++)
			if (split->entries[i].starts_key)
				sm_key_free(split->key_type, split->entries[i].key);
	split->nentries = 0;
}

/* The hash of the loc of the next entry of the document. */
static uint64
hash_loc(const SmDocument *doc, const SmEntry *next)
{
	return sm_digest(doc->buf.data + doc->end + next->loc, next->loc_len, 0);
}

/* Begin the document with its first entry. */
static void
begin_document(SmSplit *split, const SmDocument *doc, const SmEntry *first, Datum key)
{
	if (split->stable)
		split->first_hash = hash_loc(doc, first);
	if (split->key_type)
	{
		if (split->first_key)
			sm_key_free(split->key_type, split->first_key);
		split->first_key = copy_key(split, key);
	}
}

/* Is a cut before the next entry better than the best one so far? */
static bool
is_better(SmSplit *split, const SmDocument *doc, const SmEntry *next)
{
	int			full = doc->totals.count > 0 ? sm_document_fullness(doc) : 0;
	uint64		distance;
	uint64		weight;

	/*
	 * As long as the file is less than half full, the best place is before
	 * the newest key.  The file ends there if a very large entry, or many
	 * rows of that key, do not fit.
	 */
	if (full < MIN_FULLNESS)
		return split->weight == 0;

	distance = ~hash_loc(doc, next) >> (64 - DISTANCE_BITS);
	weight = POWER_OF_4(full - MIN_FULLNESS + 1);
	if (split->weight > 0 && distance * split->weight >= split->distance * weight)
		return false;
	split->distance = distance;
	split->weight = weight;
	return true;
}

/*
 * Consider a cut before the next entry of the document, and take over the copy of its
 * key.
 */
static void
consider(SmSplit *split, const SmDocument *doc, const SmEntry *next, bool starts_key, Datum key)
{
	SmSplitEntry *newest;

	if (doc->totals.count == 0)
		begin_document(split, doc, next, key);
	if (starts_key && (!split->stable || is_better(split, doc, next)))
	{
		split->before = doc->totals;
		split->end = doc->end;
		forget_entries(split);
	}
	if (split->nentries == split->max_entries)
	{
		split->max_entries *= 2;
		split->entries = repalloc_array(split->entries, SmSplitEntry, split->max_entries);
	}
	newest = &split->entries[split->nentries++];
	newest->entry = *next;
	newest->starts_key = starts_key;
	newest->key = key;
}

void
sm_split_consider(SmSplit *split, const SmDocument *doc, const SmEntry *entry,
				  bool starts_key, Datum key)
{
	Assert(doc->buf.len == doc->end + entry->len);

	consider(split, doc, entry, starts_key,
			 starts_key && split->key_type ? copy_key(split, key) : (Datum) 0);
}

bool
sm_split_cut(SmSplit *split, SmDocument *doc, StringInfo rest)
{
	if (split->before.count == 0)
		return false;
	initStringInfo(rest);
	appendBinaryStringInfo(rest, doc->buf.data + split->end, doc->buf.len - split->end);
	doc->end = split->end;
	doc->totals = split->before;
	return true;
}

void
sm_split_resume(SmSplit *split, SmDocument *doc, const StringInfoData *rest)
{
	SmSplitEntry *moved = split->entries;
	int			nmoved = split->nentries;

	Assert(doc->totals.count == 0);
	appendBinaryStringInfo(&doc->buf, rest->data, rest->len);

	split->entries = MemoryContextAlloc(split->context, split->max_entries * sizeof(SmSplitEntry));
	split->nentries = 0;
	split->weight = 0;
	for (int i = 0; i < nmoved; i++)
	{
		consider(split, doc, &moved[i].entry, moved[i].starts_key, moved[i].key);
		if (i < nmoved - 1)
			sm_document_add(doc, &moved[i].entry);
	}
	pfree(moved);
}

void
sm_split_reset(SmSplit *split)
{
	forget_entries(split);
	split->weight = 0;
}
