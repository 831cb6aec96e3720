/*
 * feed.h
 *	  The feed of a run: a table that gets the URLs that it added, changed or removed.
 */
#ifndef SM_PUBLISH_FEED_H
#define SM_PUBLISH_FEED_H

#include "files/file.h"

typedef struct SmFeed SmFeed;

/*
 * Lock and open a feed.  Raises an error unless the caller may read and insert into it, and
 * it has the columns of sitemap_change.
 */
extern SmFeed *sm_feed_open(Oid relid);

/* Does the feed have a row of this section of the site?  SPI must be connected. */
extern bool sm_feed_has_section(const SmFeed *feed, const char *base_url, const char *section);

/*
 * Find the entries in which the old and the new content of a file differ.  NULL has no
 * entries.  Decompresses them in the current memory context.
 */
extern void sm_feed_compare(SmFeed *feed, const char *name, struct varlena *old_content,
							struct varlena *new_content);

/*
 * After the last file was compared: insert a row for each URL whose entries in the old and
 * the new files differ.  run_at: time of the run; the rows get a later time if the feed has
 * that or a later one.
 */
extern void sm_feed_write(SmFeed *feed, const char *base_url, const char *section,
						  TimestampTz run_at);

/* Close the feed.  Its lock stays to the end of the transaction. */
extern void sm_feed_close(SmFeed *feed);

#endif
