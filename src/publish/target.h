/*
 * target.h
 *	  The target of a run, in the order of its steps: lock the section, read the files;
 *	  lock the site, write, close.
 */
#ifndef SM_PUBLISH_TARGET_H
#define SM_PUBLISH_TARGET_H

#include "core/url.h"
#include "publish/batch.h"
#include "publish/feed.h"
#include "publish/filelist.h"

/* What a run is doing, for error contexts. */
typedef enum SmActivity
{
	SM_IN_TARGET,
	SM_IN_CHANGES,
	SM_IN_QUERY
} SmActivity;

typedef struct SmTarget
{
	SmTable		table;
	const char *label;			/* its name for error contexts, or its OID if
								 * there is no such table */
	const char *base_url;		/* of the site that the run publishes */
	const char *section;		/* the section to publish, NULL for none */
	const char *function;		/* SQL function to name in errors */
	MemoryContext context;		/* for all of the call */
	MemoryContext table_context;	/* for names of the table, reset when it
									 * is opened again */
	ResourceOwner owner;		/* the same */
	SmActivity	activity;
	const char *of_site;		/* condition on the table's alias "file" */
	SmFileList *list;			/* files of the site as last read */
	TimestampTz now;			/* lastmod of files that change;
								 * sm_target_lock sets it to the clock, unless
								 * it is later */

	/* set by sm_target_lock */
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
 * Begin to publish in a table.  section: NULL to publish only the index.  SPI is connected
 * from here to sm_target_close.
 */
extern SmTarget *sm_target_create(Oid relid, const SmUrlBase *base, const char *section,
								  const char *function);

/*
 * Take the lock of the section, to the end of the transaction, check the target, and read
 * the files of the site.  No other lock remains, so the files of other sections can change
 * afterwards.
 */
extern void sm_target_lock_section(SmTarget *target);

/*
 * Read the files of these names, a text[], with their states and without content, and
 * pass their rows on in any order; or, if names is 0, read the list.  No lock on the
 * table remains.
 */
typedef void (*SmTakeFile) (void *arg, TupleTableSlot *row);
extern void sm_target_peek(SmTarget *target, Datum names, SmTakeFile take, void *arg);

/*
 * Take the locks of the site and of the table, to the end of the transaction, check the
 * target, and read the files again.  Raises an error if a file that is in the new set has
 * changed since it was read.
 */
extern void sm_target_lock(SmTarget *target);

/*
 * Write a file of the section or the index, unless the list has it in the new set already.
 * Returns the action for the result.  values, nulls: the file as a row, which this changes.
 * If content is NULL, the target must still have the same document.  Files wait in
 * batches, until sm_target_flush at the latest.
 */
extern const char *sm_target_write(SmTarget *target, const SmFile *file, Datum *values,
								   bool *nulls);

/* Delete a file of the target.  It waits as well. */
extern void sm_target_delete(SmTarget *target, const SmFile *file);

/* Give the feed the files that wait, and write them. */
extern void sm_target_flush(SmTarget *target);

/* Read the files of the site again, if any were written. */
extern const SmFileList *sm_target_read(SmTarget *target);

/*
 * Write the files that wait, and close the target.  The locks stay to the end of the
 * transaction.
 */
extern void sm_target_close(SmTarget *target);

#endif
