/*
 * feed.h
 *	  Writes the URLs that a run added, changed or removed to a feed, a table with the
 *	  columns of sitemap_change.
 */
#ifndef SM_PUBLISH_FEED_H
#define SM_PUBLISH_FEED_H

#include "publish/target.h"

typedef struct SmFeed SmFeed;

/*
 * Check that the caller may read and insert into a table, and that it has the columns
 * of sitemap_change.  No lock on it remains.
 */
extern SmFeed *sm_feed_create(Oid relid);

/*
 * Does the feed have a row of this section of the site?  SPI must be connected.
 */
extern bool sm_feed_has_section(const SmFeed *feed, const SmTarget *target, const char *section);

/*
 * Take a file of the run before it is written.  old: the file in the target,
 * or NULL; content: the new content, or 0 if the file is deleted; byte_count:
 * bytes of the new document.  Files wait, so that the old contents of several
 * files are read together.
 */
extern void sm_feed_put(SmFeed *feed, const SmTarget *target, const SmPublished *old,
						Datum content, int64 byte_count);

/*
 * Compare the files that still wait.  Call this before any of them is written.
 */
extern void sm_feed_flush(SmFeed *feed, const SmTarget *target);

/*
 * Insert a row for each URL whose entries in the old and the new files differ.
 * Call this after the last file was written.
 */
extern void sm_feed_write(SmFeed *feed, const SmTarget *target, const char *section);

#endif
