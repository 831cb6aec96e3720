/*
 * target.h
 *	  The target of a run: its locks and the statements on it.
 */
#ifndef SM_PUBLISH_TARGET_H
#define SM_PUBLISH_TARGET_H

#include "executor/spi.h"
#include "publish/filelist.h"
#include "server/query.h"
#include "server/table.h"
#include "web/url.h"

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
	SmActivity	activity;
	SmFileList *sitemaps;		/* of the section */
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

/* Close the target.  The locks stay to the end of the transaction. */
extern void sm_target_close(SmTarget *target);

/*
 * Under the lock of the site, list the indexes of the section, and, if of_site, those of the
 * site.  The indexes of the section "sitemap" are the site's.
 */
extern SmFileList *sm_target_list_indexes(const SmTarget *target, bool of_site);

/* All files of the site, sorted, with what an index needs. */
extern SmFileList *sm_target_list_site(const SmTarget *target);

/*
 * Find a file of the site by its name, with the newest snapshot, which a transaction at
 * REPEATABLE READ does not have.  NULL if there is none.
 */
extern SmOldFile *sm_target_find(const SmTarget *target, const char *name);

/*
 * Read a column of type bytea of a file, which may happen while the query runs.  The result
 * can be toasted, or NULL.
 */
extern struct varlena *sm_target_read(SmTarget *target, int column, const SmOldFile *file);

/*
 * Insert or update a file, a row of sitemap_file.  An update finds it by base_url, section
 * and name, and keeps the content where the new row has none.
 */
extern void sm_target_write(const SmTarget *target, bool is_new, const Datum *values,
							const bool *isnull);

extern void sm_target_delete(const SmTarget *target, const SmOldFile *file);

#endif
