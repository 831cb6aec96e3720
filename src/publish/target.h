/*
 * target.h
 *	  Locks, reads and writes the target, the table that files are published in.
 */
#ifndef SM_PUBLISH_TARGET_H
#define SM_PUBLISH_TARGET_H

#include "core/url.h"
#include "publish/batch.h"
#include "publish/feed.h"
#include "publish/filelist.h"

typedef struct SmTarget
{
	SmTable		table;
	const char *base_url;		/* of the site that the run publishes */
	const char *section;		/* the section to publish, NULL for none */
	const char *function;		/* SQL function to name in errors */
	MemoryContext context;		/* for all of the call */
	char	   *of_site;		/* condition for statements; begins with the
								 * column, which can get an alias before it */

	TimestampTz earliest;		/* no file that changes gets an earlier
								 * lastmod */

	/* set by sm_target_lock */
	SmFileList *list;			/* files of the site as last read */
	TimestampTz now;			/* lastmod of files that change */
	TimestampTz run_at;			/* time of the run: at least now and every
								 * lastmod that the run writes, and later than
								 * every lastmod that it found */
	SmBatch		inserts;
	SmBatch		updates;
	SmBatch		deletions;

	SmFeed	   *feed;			/* compares the files that change; NULL for
								 * none */
	ArrayBuildState *compared;	/* names of the files in the batches that the
								 * feed compares with their old versions */
} SmTarget;

/*
 * Check that the caller may publish in a table, and that it has the columns for
 * that.  No lock on it remains.  section: NULL to publish only the index.
 */
extern SmTarget *sm_target_create(Oid relid, const SmUrlBase *base, const char *section,
								  const char *function);

/*
 * Take the lock of the section, to the end of the transaction, and read the files of the
 * site.  No other lock remains, so the files of other sections can change afterwards.
 */
extern SmFileList *sm_target_lock_section(SmTarget *target);

/*
 * Read the files of these names, a text[], with their states and without content, and
 * pass them on in any order.  No lock on the table remains.
 */
typedef void (*SmTakeFile) (void *arg, const SmFile *file);
extern void sm_target_read_shown(SmTarget *target, Datum names, SmTakeFile take, void *arg);

/*
 * Take the lock of the site, to the end of the transaction, check the target again
 * and read the files.
 *
 * SPI stays connected until sm_target_close.
 */
extern void sm_target_lock(SmTarget *target);

/*
 * Write a file of the section or the index, unless the target has the same file.  Returns
 * the action for the result.  If content is NULL, the target must still have the same
 * document; empty states keep the target's states.  Files wait in batches, until
 * sm_target_flush at the latest.
 */
extern const char *sm_target_write(SmTarget *target, SmFile *file);

/* Keep a file: raise an error unless the target has it as it was before the query ran. */
extern void sm_target_keep(SmTarget *target, const SmFile *file);

/* Delete a file of the target.  It waits as well. */
extern void sm_target_delete(SmTarget *target, const SmFile *file);

/* Let the feed compare the files that wait, and write them. */
extern void sm_target_flush(SmTarget *target);

/* Read the files of the site again, if any were written. */
extern void sm_target_read(SmTarget *target);

/*
 * Write the files that wait, and close the target.  The locks stay to the end of the
 * transaction.
 */
extern void sm_target_close(SmTarget *target);

#endif
