/*
 * entries.h
 *	  Entries of a sitemap that this extension wrote, and what differs between two
 *	  versions of it.
 *
 * Such a document has nothing between its entries, so an entry can be found without
 * parsing the entries before it.
 */
#ifndef SM_ENTRIES_H
#define SM_ENTRIES_H

#include "text/span.h"

typedef struct SmRawEntry
{
	SmSpan		raw;			/* the <url> element, or the line without its
								 * line feed */
	SmSpan		loc;			/* as in raw: escaped in XML */
	SmSpan		lastmod;		/* s is NULL for none */
	bool		is_text;		/* a line */
} SmRawEntry;

typedef struct SmEntries
{
	bool		is_text;
	const char *p;
	const char *end;			/* of the entries */
} SmEntries;

/* Begin to read a sitemap, XML or text; false if header or footer is missing. */
extern bool sm_entries_init(SmEntries *e, SmSpan document);

/*
 * Read the next entry.  Returns false at the end, or before it if the rest is not as this
 * extension writes it: then p is less than end.
 */
extern bool sm_entries_next(SmEntries *e, SmRawEntry *entry);

/* Called for an entry of the old or of the new version. */
typedef void (*SmEntryCallback) (void *arg, const SmRawEntry *entry, bool is_new);

/*
 * Compare two versions of a sitemap, and call callback for entries among which are all that
 * differ.  An entry that is in both versions may be passed twice.  Returns false if a version is
 * broken.
 */
extern bool sm_entries_compare(SmEntries *old_version, SmEntries *new_version,
							   SmEntryCallback callback, void *arg);

#endif
