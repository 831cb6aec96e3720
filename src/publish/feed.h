/*
 * feed.h
 *	  The feed of a run: a table that gets the URLs that it added, changed or removed.
 */
#ifndef SM_PUBLISH_FEED_H
#define SM_PUBLISH_FEED_H

#include "files/file.h"

typedef struct SmFeed SmFeed;

/*
 * Check that the caller may read and insert into a table, and that it has the columns
 * of sitemap_change.  No lock on it remains.
 */
extern SmFeed *sm_feed_create(Oid relid);

/*
 * Does the feed have a row of this section of the site?  SPI must be connected.
 */
extern bool sm_feed_has_section(SmFeed *feed, const char *base_url, const char *section);

/*
 * Find the entries in which two versions of a file differ.  A version that is NULL, or has
 * no content, has no entries.
 */
extern void sm_feed_compare(SmFeed *feed, const SmFile *old_file, const SmFile *new_file);

/*
 * Insert a row for each URL whose entries in the old and the new files differ.  run_at: time
 * of the run; the rows get a later time if the feed has that or a later one.  Call this after
 * the last file was compared.
 */
extern void sm_feed_write(SmFeed *feed, const char *base_url, const char *section,
						  TimestampTz run_at);

#endif
