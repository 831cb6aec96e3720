/*
 * target.h
 *	  The target of a run: its locks and the statements on it.
 */
#ifndef SM_PUBLISH_TARGET_H
#define SM_PUBLISH_TARGET_H

#include "publish/filelist.h"
#include "server/query.h"
#include "server/statement.h"
#include "server/table.h"
#include "web/url.h"

typedef struct SmTarget
{
	SmTable		table;
	const char *in_target;		/* "in the target", with its name */
	const char *place;			/* where the run is, a phrase for error
								 * contexts; NULL in the query, which has its
								 * own */
	const char *base_url;		/* of the site that the run publishes */
	const char *section;		/* the section to publish, NULL for none */
	SmFileList *sitemaps;		/* of the section */
	SmFileList *site;			/* all files of the site, under its lock; NULL
								 * until needed */
	SmStatement *insert;		/* of a file; NULL until needed */
	SmStatement *update;		/* the same */
	SmStatement *delete;
	MemoryContext context;		/* of the run, for lists and statements */
	TimestampTz now;			/* lastmod of files that change: the clock
								 * under the site's lock, or later */
} SmTarget;

/* Is there such a table, and may the current user publish in it? */
extern bool sm_may_publish(Oid relid);

/*
 * Take the lock of the section, open and check the table, and list the sitemaps of the
 * section, if there is one.  SPI is connected from here to sm_target_close.
 */
extern void sm_target_open(SmTarget *target, Oid relid, const SmOptions *options);

/* Take the lock of the site. */
extern void sm_target_lock_site(SmTarget *target);

/* Find a file of the site by its name, under the site's lock, or NULL. */
extern const SmOldFile *sm_target_find(SmTarget *target, const char *name);

/*
 * List the files of the site, in the order of an index, and return the indexes among them of
 * the section and, if of_site, of the site.
 */
extern SmFileList *sm_target_list_indexes(SmTarget *target, bool of_site);

/* Close the target.  The locks stay to the end of the transaction. */
extern void sm_target_close(SmTarget *target);

/*
 * Read a column of type bytea of sitemaps of the section, which may happen while the query
 * runs.  Sets their values, which can be toasted, or NULL.
 */
extern void sm_target_read(SmTarget *target, int column, SmOldFile *const *files, int nfiles);

/*
 * Insert or update a file, a row of sitemap_file with another lastmod.  An update finds it by
 * base_url, section and name, and keeps the content where the new row has none.
 */
extern void sm_target_write(SmTarget *target, bool is_new, const Datum *values,
							const bool *isnull, TimestampTz lastmod);

/* Delete a file.  Returns false if somebody else has deleted it. */
extern bool sm_target_delete(SmTarget *target, const SmOldFile *file);

/* Raise an error: another transaction has written a file since the snapshot of this one. */
pg_noreturn extern void sm_target_conflict(const SmTarget *target, const char *name);

#endif
