/*
 * split.h
 *	  Where one file of a set ends and the next begins.
 */
#ifndef SM_SPLIT_H
#define SM_SPLIT_H

#include "document.h"
#include "key.h"

/* An entry of the document, or the one after it that is to be added. */
typedef struct SmSplitEntry
{
	SmEntry		entry;
	bool		starts_key;		/* the entry before has another key */
	Datum		key;			/* where it does: of a type by value the key
								 * itself, else its place in keys */
} SmSplitEntry;

typedef struct SmSplit
{
	bool		stable;			/* by content, rather than as late as can be */
	const SmKeyType *key_type;	/* NULL for none: each entry has its own */
	SmSplitEntry *entries;		/* of the document, and one more */
	int			max_entries;
	StringInfoData keys;		/* each at an aligned place */
	int			last_start;		/* the newest entry that starts a key */

	/* the best place for a cut so far, before some entry */
	int			cut;			/* 0 for none */
	uint64		distance;		/* of its loc's hash from the highest there is */
	uint64		weight;			/* the fuller the file, the more */
	int			nrest;			/* entries after it that were in the document */
} SmSplit;

/* Begin a set, in the current memory context. */
extern void sm_split_init(SmSplit *split, bool stable, const SmKeyType *key_type);

/*
 * Take note of an entry, which stands at the end of the document's buffer and can
 * be put into some document.
 */
extern void sm_split_consider(SmSplit *split, const SmDocument *doc, const SmEntry *entry,
							  bool starts_key, Datum key);

/*
 * End the document, which an entry that was considered does not fit into: remove
 * what has to go into the next one, and return it, the entry last, in the current
 * memory context.  False if the document has no place for a cut.
 */
extern bool sm_split_cut(SmSplit *split, SmDocument *doc, StringInfo rest);

/*
 * Begin the next document, which is empty, with that.  The entry still has to
 * be added.
 */
extern void sm_split_resume(SmSplit *split, SmDocument *doc, const StringInfoData *rest);

/* Forget the document's entries. */
extern void sm_split_reset(SmSplit *split);

/* The hash of the loc that the document begins with. */
extern uint64 sm_split_first_hash(const SmSplit *split, const SmDocument *doc);

/*
 * The key that the document begins with, or after a cut that of the next one.
 * It is good until the next call that takes an entry.
 */
extern Datum sm_split_first_key(const SmSplit *split);
extern Datum sm_split_next_key(const SmSplit *split);

#endif
