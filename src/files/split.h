/*
 * split.h
 *	  Decides where one file of a set ends and the next begins.
 */
#ifndef SM_SPLIT_H
#define SM_SPLIT_H

#include "files/document.h"
#include "server/key.h"

/* An entry of the document, or the entry that comes next. */
typedef struct SmSplitEntry
{
	SmEntry		entry;
	bool		starts_key;		/* its key differs from that of the entry
								 * before */
	Datum		key;			/* a copy, if starts_key */
} SmSplitEntry;

typedef struct SmSplit
{
	bool		stable;			/* by content; else a file ends when it is
								 * full */
	const SmKeyType *key_type;	/* NULL if there is no key: every entry starts
								 * a key */
	MemoryContext context;		/* for copies of keys */
	uint64		first_hash;		/* of the first loc, in a stable split */
	Datum		first_key;		/* a copy */

	/* the best place for a cut so far */
	SmTotals	before;			/* of the entries before the cut; their count
								 * is 0 if there is no place */
	int			end;			/* where these entries end in the document's
								 * buffer */
	uint64		distance;		/* from the hash of the next loc to the
								 * highest possible one */
	uint64		weight;			/* grows with the fullness of the file; 0 for
								 * a place that any other place beats */

	/*
	 * the entries after that place, including the newest; after a cut, those
	 * of the next document
	 */
	SmSplitEntry *entries;
	int			nentries;
	int			max_entries;
} SmSplit;

/* Begin a set, in the current memory context. */
extern void sm_split_init(SmSplit *split, bool stable, const SmKeyType *key_type);

/*
 * Consider a cut before an entry that stands at the end of the document's buffer,
 * is not yet added, and fits into an empty document.  key: its key, if starts_key.
 */
extern void sm_split_consider(SmSplit *split, const SmDocument *doc, const SmEntry *entry,
							  bool starts_key, Datum key);

/*
 * End the document: move the entries after the cut to rest, in the current
 * memory context.  The last of them is the newest entry, which does not fit.
 * Returns false if the document has no place for a cut.
 */
extern bool sm_split_cut(SmSplit *split, SmDocument *doc, StringInfo rest);

/*
 * Begin the next, empty document with the entries of rest, except the newest
 * one: the caller has to add it.
 */
extern void sm_split_resume(SmSplit *split, SmDocument *doc, const StringInfoData *rest);

/* Forget all entries. */
extern void sm_split_reset(SmSplit *split);

#endif
