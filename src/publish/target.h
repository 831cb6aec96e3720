/*
 * target.h
 *	  Locks, reads and writes the target, the table that files are published in.
 */
#ifndef SM_PUBLISH_TARGET_H
#define SM_PUBLISH_TARGET_H

#include "core/url.h"
#include "files/file.h"
#include "nodes/primnodes.h"
#include "publish/batch.h"
#include "utils/rel.h"

/* A file of the site in the target, without its content. */
typedef struct SmPublished
{
	const char *section;		/* in this and other texts, "" for NULL */
	const char *name;			/* never NULL */
	const char *kind;
	const char *loc;
	const char *digest;			/* "" if another program makes the file */
	const char *first_key;		/* NULL, not "", for NULL */
	const char *recipe;
	bool		is_index;
	int			url_count;
	int64		byte_count;
	TimestampTz lastmod;		/* DT_NOBEGIN for NULL */
	bool		has_content;
	bool		kept;			/* is the file in the new set, too? */
} SmPublished;

typedef struct SmTarget
{
	Oid			relid;
	const char *base_url;		/* of the site whose files are meant */
	const char *function;		/* SQL function to name in errors */
	MemoryContext context;		/* for all of the call */
	MemoryContext files_context;
	SmPublished *files;			/* files of the site as last read, sorted by
								 * name */
	int			nfiles;

	/* set by sm_target_lock */
	Relation	rel;
	RangeVar   *name;			/* its name, with the schema */
	char	   *sql_name;		/* the same name, quoted for statements */
	char	   *of_site;		/* condition for statements */
	TimestampTz now;			/* lastmod of files that change */
	TimestampTz run;			/* time of the run: at least now and every
								 * lastmod that the run writes, and later than
								 * every lastmod that it found */
	SmBatch		inserts;
	SmBatch		updates;
	SmBatch		key_updates;
	SmBatch		deletions;
} SmTarget;

/*
 * Check that the caller may publish in a table, and that it has the columns for
 * that.  No lock on it remains.
 */
extern SmTarget *sm_target_create(Oid relid, const SmUrlBase *base, const char *function);

/* Take the lock of a section, to the end of the transaction. */
extern void sm_target_lock_section(const SmTarget *target, const char *section);

/*
 * Read the files of the site, without keeping a lock: they can change before
 * sm_target_lock, which reads them again.
 */
extern void sm_target_peek(SmTarget *target);

/*
 * Take the lock of the site, to the end of the transaction, check the target
 * again and read the files.  What sm_target_peek found stays in memory.
 *
 * SPI stays connected until sm_target_close.
 */
extern void sm_target_lock(SmTarget *target);

/* Write the rows that wait, and read the files again. */
extern void sm_target_read(SmTarget *target);

/*
 * Read the contents of the files of these names, a text[], and pass them on in any
 * order.
 */
typedef void (*SmTakeContent) (void *arg, const char *name, Datum content, bool isnull);
extern void sm_target_read_contents(const SmTarget *target, Datum names, SmTakeContent take,
									void *arg);

/* Find a file by its name; NULL if the site has no such file. */
extern SmPublished *sm_target_find(const SmTarget *target, const char *name);

/*
 * Was this file made by a run of the section?  False for an index and for a file that
 * another program makes.
 */
extern bool sm_published_is_own(const SmPublished *file, const char *section);

/* Are two files equal, apart from their content? */
extern bool sm_published_is_same(const SmPublished *a, const SmPublished *b);

/* Raise an error: another session changed a file while the query ran. */
pg_noreturn extern void sm_target_changed(const SmTarget *target, const char *name);

/*
 * Write a row of sitemap_file: insert it, update the file of that name, or update only
 * the file's first_key and recipe.  sm_target_delete deletes a file.  Rows wait in
 * batches, until sm_target_read or sm_target_close at the latest.
 */
extern void sm_target_insert(SmTarget *target, const Datum *values, const bool *nulls);
extern void sm_target_update(SmTarget *target, const Datum *values, const bool *nulls);
extern void sm_target_update_key(SmTarget *target, const Datum *values, const bool *nulls);
extern void sm_target_delete(SmTarget *target, const SmPublished *file);

/*
 * The lastmod of a file that the run changes: the time of the run, but at least one
 * second after the old lastmod.  So lastmod does not go back when the clock does, and
 * the index always changes, although lastmod has no fractions of a second there.
 * old: the file as it was, or NULL.
 */
extern TimestampTz sm_target_lastmod(SmTarget *target, const SmPublished *old);

/*
 * Write what waits, and close the target.  The locks stay to the end of the
 * transaction.
 */
extern void sm_target_close(SmTarget *target);

#endif
