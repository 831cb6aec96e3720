/*
 * set.h
 *	  Runs a query, and makes the files of a set from its rows.
 */
#ifndef SM_SET_H
#define SM_SET_H

#include "core/rebuild.h"
#include "entry/row.h"
#include "entry/writer.h"
#include "files/file.h"
#include "files/options.h"
#include "server/query.h"

/*
 * Run the query of the options and put every file of the set, except indexes.
 * name_as_part: name the only file of a set like a part.  function: SQL
 * function to name in the warning about skipped rows.
 */
extern void sm_make_set(const SmOptions *options, bool name_as_part, SmFileSink *sink,
						const char *function);

/*
 * The same in steps, which can make all files of a set, or some files of a
 * stable split.  SPI is connected from sm_set_begin to sm_set_end.
 */
typedef struct SmSet SmSet;

extern SmSet *sm_set_begin(const SmOptions *options, SmFileSink *sink);
extern void sm_set_make_all(SmSet *set, bool name_as_part);

/* function: NULL for no warning about skipped rows. */
extern void sm_set_end(SmSet *set, const char *function);

/* The type of a set's keys, NULL if it has none. */
extern SmKeyType *sm_set_key_type(const SmSet *set);

/*
 * The set's recipe, a digest of the query's text and of all options that shape files;
 * "" for a full split without keys.
 */
extern const char *sm_set_recipe(const SmSet *set);

/*
 * After a statement that may have altered what the set uses: raise an error unless the
 * query still has the same columns, and compute a new recipe.
 */
extern void sm_set_check_query(SmSet *set);

/* The files of an earlier run, with their keys and in the order of these. */
typedef struct SmOldFiles
{
	int			nfiles;
	SmFile	  **files;
	SmRebuildFile *rebuild;		/* what changed in them, for sm_set_rebuild */
} SmOldFiles;

/* What is remembered of the pages of old files, for a query with a column shown. */
typedef struct SmPast SmPast;
struct SmPast
{
	const SmOldFiles *old;
	uint64		order;			/* see sm_shown_seal */
	uint32		now;			/* lastmod of pages that change in this run */

	/* Called before the rows of files first to end - 1 are read. */
	void		(*begin) (SmPast *self, int first, int end);

	/*
	 * Find the states of one of these files.  The numbers of files ascend
	 * from call to call.  The states are valid until the next call.  Returns
	 * false if there are none.
	 */
	bool		(*open) (SmPast *self, int file, SmShown *shown);
};

/* Does the query have a column shown? */
extern bool sm_set_has_shown(const SmSet *set);

/* Before files are made: give a set of such a query its past. */
extern void sm_set_remember(SmSet *set, SmPast *past);

/*
 * Make only the files that have to change, and mark the other old files as kept.
 * Returns NULL, or why all files have to be made, by another SmSet.
 */
extern const char *sm_set_rebuild(SmSet *set, const SmOldFiles *old);

/* Open the query of the options, and find its columns. */
extern void sm_open_set_query(const SmOptions *options, SmQuery *query, SmColumns *columns);

/*
 * Prepare to write entries of a set, and a document for them, according to the
 * options.  Problems are raised.
 */
extern void sm_begin_entries(const SmOptions *options, SmEntryWriter *writer,
							 SmDocument *doc);

/* The name of the only file of a set, and of the first of several files. */
extern char *sm_only_name(const SmOptions *options);
extern char *sm_part_name(const SmOptions *options);

#endif
