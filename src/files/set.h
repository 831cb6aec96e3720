/*
 * set.h
 *	  A set: the files that are made from the rows of a query.
 *
 * A set is made as a whole, or only the files that have to change are.
 */
#ifndef SM_SET_H
#define SM_SET_H

#include "core/rebuild.h"
#include "entry/row.h"
#include "entry/writer.h"
#include "files/file.h"
#include "files/options.h"
#include "server/query.h"

/* Files of earlier runs, in the order of their first keys.  The field key is filled in. */
typedef struct SmOldFiles
{
	int			nfiles;
	SmOldFile **files;
	SmRebuildFile *rebuild;		/* what changed in them, for sm_set_rebuild */
} SmOldFiles;

/* A set that is being made. */
typedef struct SmSet SmSet;

/*
 * Prepare the query of the options.  sink receives the files of the set, without
 * indexes.  SPI is connected from sm_set_begin to sm_set_end.
 */
extern SmSet *sm_set_begin(const SmOptions *options, SmFileSink *sink);

extern const SmQuery *sm_set_query(const SmSet *set);

/* The type of the column "key", or NULL; and the key of the newest row. */
extern SmKeyType *sm_set_key_type(SmSet *set);
extern Datum sm_set_key(const SmSet *set);

/* Does the query have a column "shown"? */
extern bool sm_set_has_shown(const SmSet *set);

/* Set the function that finds the lastmod of each page, for a query with a column "shown". */
extern void sm_set_find_lastmod(SmSet *set, SmFindLastmod find_lastmod, void *arg);

/* The files of earlier runs, initially none, for the caller to fill in. */
extern SmOldFiles *sm_set_old_files(SmSet *set);

/* How many files have been made or kept, as parts; and how many URLs these have. */
extern int	sm_set_nfiles(const SmSet *set);
extern int64 sm_set_url_count(const SmSet *set);

/*
 * Add a line of error context: how many rows the query has returned.  While the query runs,
 * it adds that line itself.
 */
extern void sm_set_context(const SmSet *set);

/*
 * Make all files.  name_as_part: name the only file of a set like a part.  The files that
 * sm_set_rebuild made before are rebuilt.
 */
extern void sm_set_make_all(SmSet *set, bool name_as_part);

/* function: SQL function to name in the warning about skipped rows. */
extern void sm_set_end(SmSet *set, const char *function);

/*
 * After a statement that may have altered what the set uses: raise an error unless the
 * query still has the same columns, and compute a new recipe.
 */
extern void sm_set_check_query(SmSet *set);

/*
 * How does the set's recipe differ from that of an old file?  NULL if it does not; else a
 * phrase for the user, which names a view that has changed.
 */
extern const char *sm_set_compare_recipe(const SmSet *set, const char *recipe);

/*
 * Make only the old files that have to change, and mark the others as kept.  Returns NULL,
 * or why all files have to be made.
 */
extern const char *sm_set_rebuild(SmSet *set);

/* Open the query of the options, and find its columns. */
extern void sm_open_set_query(const SmOptions *options, SmQuery *query, SmColumns *columns);

/*
 * Prepare to write entries of a set, and a document for them, according to the
 * options.  Problems are raised.
 */
extern void sm_begin_entries(const SmOptions *options, SmEntryWriter *writer,
							 SmDocument *doc);

#endif
