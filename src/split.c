/*
 * split.c
 *	  Where one file of a set ends and the next begins.
 *
 * A "full" split ends a file when the next entry does not fit.  Then a row that
 * comes or goes moves the ends of all files after it.
 *
 * A "stable" split looks at the rows at which the file is at least 85% full, by
 * entries or by bytes, and begins the next file with the one whose loc has the
 * highest hash.  So that row stays the first of a file unless it goes itself,
 * one with a higher hash comes, or it drops out of that window; and where the
 * split of a changed set does differ, it comes back to the same rows sooner or
 * later.  Files are named after their first row, and so keep their names,
 * whatever happens before them.
 */
#include "postgres.h"

#include "split.h"

#include "core/digest.h"

static uint64
hash_loc(const SmDocument *doc, const SmEntry *entry)
{
	return sm_digest(doc->buf.data + doc->end + entry->loc, entry->loc_len, 0);
}

/* Is the document full enough to end here? */
static bool
nearly_full(const SmDocument *doc)
{
	return (int64) doc->totals.count * 20 >= (int64) sm_document_max_entries(doc, false) * 17 ||
		sm_document_size(doc) * 20 >= doc->max_bytes * 17;
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
	Assert(doc->buf.len == doc->end + entry->len);

	if (split->stable && nearly_full(doc))
	{
		uint64		hash = hash_loc(doc, entry);

		if (!split->has_cut || hash > split->hash)
			set_cut(split, doc, hash);
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
	/* an entry too large for what is left, or one with news, ends a file early */
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
