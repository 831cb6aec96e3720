/*
 * entries.h
 *	  The entries of a sitemap that this extension has written, and what tells two
 *	  versions of it apart.
 *
 * Such a document has every entry as it was written, one after the other, and so
 * its entries are found without parsing all of it.
 */
#ifndef SM_ENTRIES_H
#define SM_ENTRIES_H

#include "core/span.h"

typedef struct SmListed
{
	SmSpan		raw;			/* the <url> element, or the line without its
								 * end */
	SmSpan		loc;			/* as it stands there, so escaped in XML */
	SmSpan		lastmod;		/* s is NULL for none */
} SmListed;

typedef struct SmEntries
{
	bool		is_text;
	const char *p;
	const char *end;			/* of the entries */
} SmEntries;

typedef enum SmEntriesStatus
{
	SM_ENTRIES_ENTRY,
	SM_ENTRIES_END,
	SM_ENTRIES_BROKEN			/* not as this extension writes it */
} SmEntriesStatus;

/* Begin to read a sitemap, XML or text; false if it has not the frame of one. */
extern bool sm_entries_init(SmEntries *e, SmSpan document);

/* Read the next entry. */
extern SmEntriesStatus sm_entries_next(SmEntries *e, SmListed *entry);

/* Takes an entry that only one of two versions has in this place. */
typedef void (*SmEntryTaker) (void *arg, bool is_new, const SmEntries *entries,
							  const SmListed *entry);

/*
 * Pass on the entries in which two versions of a sitemap differ: the old ones, the
 * new ones, and some that are in both, where the order has changed.  False if one
 * of them is broken.
 */
extern bool sm_entries_compare(SmEntries *old, SmEntries *new, SmEntryTaker take, void *arg);

#endif
