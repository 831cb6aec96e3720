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
 * query still has the same columns, and make the recipe again.
 */
extern void sm_set_check_query(SmSet *set);

/* What fits into one file of the set. */
extern SmRebuildLimits sm_set_limits(const SmSet *set);

/*
 * What is remembered of the pages of an earlier run, for a query with a column shown.
 * Its files are in the order of their first keys.
 */
typedef struct SmPast SmPast;
struct SmPast
{
	int			nfiles;
	const Datum *first_keys;	/* ascending */
	uint64		order;			/* see sm_shown_seal */
	uint32		now;			/* lastmod of pages that change in this run */

	/* Called before the rows of files first to end - 1 are read. */
	void		(*begin) (SmPast *self, int first, int end);

	/*
	 * Begin to read the states of one of these files; their numbers ascend.
	 * The states last until the next call.  Returns false if there are none.
	 */
	bool		(*open) (SmPast *self, int file, SmShown *shown);
};

/* Does the query have a column shown? */
extern bool sm_set_has_shown(const SmSet *set);

/* Before files are made: give a set of such a query its past. */
extern void sm_set_remember(SmSet *set, SmPast *past);

/* The files of an earlier run, in the order of the set. */
typedef struct SmOldFiles
{
	int			nfiles;
	Datum	   *first_keys;		/* ascending */
	SmRebuildFile *files;
} SmOldFiles;

/*
 * Should only the ranges of the touched files be read, and not all rows?  False if
 * the planner expects the ranges to cost much more, as they do without an index on
 * the key: each range then reads the whole table.
 */
extern bool sm_set_prefers_ranges(SmSet *set, const SmOldFiles *old);

/*
 * To make only some files, walk through the old files.  For a file that stays, call
 * sm_set_keep_file.  It returns false if the file would have another name in this
 * set.  For a touched file, call sm_set_rebuild.  It makes files, beginning where
 * that file begins, until a new file ends where an old file that stays begins.  It
 * returns the number of that old file, or old->nfiles at the end of the set.
 */
extern bool sm_set_keep_file(SmSet *set, const char *name);
extern int	sm_set_rebuild(SmSet *set, const SmOldFiles *old, int first);

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
