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
	Datum		key;			/* if starts_key: the key itself, or the
								 * offset in keys if passed by reference */
} SmSplitEntry;

typedef struct SmSplit
{
	bool		stable;			/* by content; else a file ends when it is
								 * full */
	const SmKeyType *key_type;	/* NULL if there is no key: every entry starts
								 * a key */
	SmSplitEntry *entries;		/* entries of the document, and the next one */
	int			max_entries;
	StringInfoData keys;		/* each at an aligned place */
	int			last_start;		/* the newest entry that starts a key */

	/* the best cut so far */
	int			cut;			/* number of entries before it; 0 for none */
	uint64		distance;		/* distance of its hash from the highest
								 * possible one */
	uint64		weight;			/* grows with the fullness of the file */
	int			nrest;			/* entries of the document after the cut */
} SmSplit;

/* Begin a set, in the current memory context. */
extern void sm_split_init(SmSplit *split, bool stable, const SmKeyType *key_type);

/*
 * Consider a cut before an entry that stands at the end of the document's buffer,
 * is not yet added, and fits into an empty document.
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

/* Forget the document's entries. */
extern void sm_split_reset(SmSplit *split);

/* The hash of the first loc of the document. */
extern uint64 sm_split_first_hash(const SmSplit *split, const SmDocument *doc);

/*
 * The first key of the document; and, after a cut, that of the next document.
 * Both are valid until the next entry is considered.
 */
extern Datum sm_split_first_key(const SmSplit *split);
extern Datum sm_split_next_key(const SmSplit *split);

#endif
