/*
 * split.h
 *	  Where one file of a set ends and the next begins.
 */
#ifndef SM_SPLIT_H
#define SM_SPLIT_H

#include "document.h"

typedef struct SmSplit
{
	bool		stable;			/* by content, rather than as late as can be */
	uint64		key;			/* of the file being written: a hash of the
								 * loc that it was cut at; of no loc for the
								 * first */

	/* the best place for a cut so far, before some row */
	bool		has_cut;
	uint64		hash;			/* of that row's loc */
	uint64		distance;		/* from the highest hash there is */
	uint64		weight;			/* the fuller the file, the more */
	int			end;			/* in the document's buffer */
	SmTotals	before;
	SmTotals	after;
} SmSplit;

/* Begin a set. */
extern void sm_split_init(SmSplit *split, bool stable);

/*
 * Is an entry, which stands at the end of the document's buffer and can be put
 * into some document, a better place for a cut?
 */
extern void sm_split_consider(SmSplit *split, const SmDocument *doc, const SmEntry *entry);

/* Add an entry that was considered and fits. */
extern void sm_split_add(SmSplit *split, SmDocument *doc, const SmEntry *entry);

/*
 * End the document, which an entry that was considered does not fit into.  What
 * has to go into the next one, the entry last, is copied to rest, in the
 * current memory context.
 */
extern void sm_split_cut(SmSplit *split, SmDocument *doc, const SmEntry *entry,
						 StringInfo rest);

/*
 * Begin the next document, which is empty, with that.  The entry still has to
 * be added.
 */
extern void sm_split_resume(SmSplit *split, SmDocument *doc, const SmEntry *entry,
							const StringInfoData *rest);

#endif
