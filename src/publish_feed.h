/*
 * publish_feed.h
 *	  Which URLs a run added, changed or removed: the rows of a feed, a table of
 *	  sitemap_change.
 */
#ifndef SM_PUBLISH_FEED_H
#define SM_PUBLISH_FEED_H

#include "publish_target.h"

typedef struct SmFeed SmFeed;

/*
 * Check that the caller may insert into a table, and that it has the columns of
 * sitemap_change.  No lock on it remains.
 */
extern SmFeed *sm_feed_create(Oid relid);

/*
 * Take a file of the run before it is written: as the target has it, or NULL, and
 * its new content, or 0 where it goes; byte_count is that of the new document.
 * Files wait for others, whose old contents are read together.
 */
extern void sm_feed_put(SmFeed *feed, const SmTarget *target, const SmPublished *old,
						Datum content, int64 byte_count);

/* Compare the files that still wait: to be called before any of them is written. */
extern void sm_feed_flush(SmFeed *feed, const SmTarget *target);

/* No more files: insert a row for each URL in which the old ones and the new ones differ. */
extern void sm_feed_write(SmFeed *feed, const SmTarget *target, const char *section);

#endif
