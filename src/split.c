/*
 * split.c
 *	  Where one file of a set ends and the next begins.
 *
 * A "full" split ends a file when the next entry does not fit.  Then a row that
 * comes or goes moves the ends of all files after it.
 *
 * A "stable" split cuts by content.  Among the rows at which a file is at least
 * half full, by entries or by bytes, it begins the next file with the one whose
 * loc has the highest hash, and the emptier the file still is, the closer to the
 * highest of all a hash has to be.  So a row stays the first of a file unless it
 * goes itself, a better one comes, or the rows before it become too many or too
 * few; and where the split of a changed set does differ, it finds back to the
 * same rows after some files, mostly the next, since a very high hash draws the
 * cut from afar.  A million URLs in 10,843 files filled them to 92% on average.
 *
 * What a cut leaves for the next file is far too little to end that one, so it is
 * not considered again.
 *
 * Files are named after their first row, and so keep their names, whatever
 * happens before them.
 */
#include "postgres.h"

#include "split.h"

#include "core/digest.h"

/* thousandths of a limit from which on a file can end */
#define MIN_FULLNESS	500

static uint64
hash_loc(const SmDocument *doc, const SmEntry *entry)
{
	return sm_digest(doc->buf.data + doc->end + entry->loc, entry->loc_len, 0);
}

/* How full the document is, in thousandths of the limit that is closer. */
static int
fullness(const SmDocument *doc)
{
	int64		by_count = (int64) doc->totals.count * 1000 / sm_document_max_entries(doc, false);
	int64		by_size = sm_document_size(doc) * 1000 / doc->max_bytes;

	return (int) Max(by_count, by_size);
}

/* The next file shall begin with this entry, unless a better one comes. */
static void
set_cut(SmSplit *split, const SmDocument *doc, uint64 hash)
{
	split->has_cut = true;
	split->hash = hash;
	split->end = doc->end;
	split->before = doc->totals;
	memset(&split->after, 0, sizeof(split->after));
}

void
sm_split_init(SmSplit *split, bool stable)
{
	memset(split, 0, sizeof(*split));
	split->stable = stable;
	split->key = sm_digest("", 0, 0);
}

void
sm_split_consider(SmSplit *split, const SmDocument *doc, const SmEntry *entry)
{
	uint64		hash;
	uint64		distance;
	uint64		weight;
	int			full;

	Assert(doc->buf.len == doc->end + entry->len);

	if (!split->stable || doc->totals.count == 0)
		return;
	full = fullness(doc);
	if (full < MIN_FULLNESS)
		return;

	/* 28 bits by 36; the smaller distance in units of its weight wins */
	hash = hash_loc(doc, entry);
	distance = ~hash >> 36;
	weight = full - MIN_FULLNESS + 1;
	weight *= weight;
	weight *= weight;
	if (!split->has_cut || distance * split->weight < split->distance * weight)
	{
		set_cut(split, doc, hash);
		split->distance = distance;
		split->weight = weight;
	}
}

void
sm_split_add(SmSplit *split, SmDocument *doc, const SmEntry *entry)
{
	sm_document_add(doc, entry);
	if (split->has_cut)
		sm_totals_add(&split->after, entry);
}

void
sm_split_cut(SmSplit *split, SmDocument *doc, const SmEntry *entry, StringInfo rest)
{
	/* a very large entry, or one with news, can end a file early */
	if (!split->has_cut)
		set_cut(split, doc, hash_loc(doc, entry));

	initStringInfo(rest);
	appendBinaryStringInfo(rest, doc->buf.data + split->end, doc->buf.len - split->end);
	doc->end = split->end;
	doc->totals = split->before;
}

void
sm_split_resume(SmSplit *split, SmDocument *doc, const SmEntry *entry,
				const StringInfoData *rest)
{
	Assert(doc->totals.count == 0);

	appendBinaryStringInfo(&doc->buf, rest->data, rest->len);
	doc->end = doc->buf.len - entry->len;
	doc->totals = split->after;
	split->key = split->hash;
	split->has_cut = false;
}
