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
#include "files/split.h"
#include "server/query.h"
#include "utils/hsearch.h"

/* Files of earlier runs, in the order of their first keys.  The field key is filled in. */
typedef struct SmOldFiles
{
	int			nfiles;
	SmFile	  **files;
	SmRebuildFile *rebuild;		/* what changed in them, for sm_set_rebuild */
} SmOldFiles;

/* What is remembered of the pages of old files, for a query with a column "shown". */
typedef struct SmPast SmPast;
struct SmPast
{
	const SmOldFiles *old;
	uint64		order;			/* digest of sm_key_describe_family, for
								 * sm_shown_seal */
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

/*
 * A set that is being made.  Outside of set.c only receiver, has_shown, range_is_costly,
 * key_type, options and recipe are read.
 */
typedef struct SmSet
{
	SmReceiver	receiver;		/* must be first */
	const SmOptions *options;
	SmFileSink *sink;
	MemoryContext context;		/* for all of the set */
	SmQuery		query;
	SmColumns	columns;
	SmKeyType  *key_type;		/* NULL where the query has no column key */
	List	   *held;			/* the types of the key (sm_hold_type) */
	const char *recipe;			/* a digest of the query's text, the options
								 * that shape files and the order of keys
								 * (make_recipe); "" for a full split without
								 * keys */
	bool		has_shown;		/* the query has a column "shown" */
	bool		range_is_costly;	/* sm_set_rebuild read only one range,
									 * whose plan costs as much as half of all
									 * rows */
	const TupleTableSlot *slot; /* the newest row */
	bool		progress;		/* this set fills the progress view */
	int			nfiles;			/* closed or kept so far */
	SmEntryWriter writer;
	SmDocument	doc;			/* the file being written */
	SmSplit		split;
	HTAB	   *hashes;			/* hashes of the first locs of files, in a
								 * stable split; of HashCount */

	/* the key of the newest row */
	bool		has_key;
	bool		starts_key;		/* no entry of this key has been added */
	Datum		key;			/* a copy */

	const SmOldFiles *old;		/* of an earlier run */

	/* when a range of old files is rebuilt */
	int			next;			/* the first old file that the range has not
								 * passed */
	bool		ended;			/* the range ends where file next begins */
	const Datum *from;			/* bounds of the rows, NULL for none */
	const Datum *to;

	/* what is remembered of the pages, in a query with a column "shown" */
	SmPast	   *past;			/* NULL until sm_set_use_past */
	int			past_first;		/* first old file of the range that is read;
								 * rows before its first key count as its rows */
	int			past_file;		/* old file in whose range the newest key is;
								 * past_first - 1 before the first row */
	bool		is_known;		/* does that file have states? */
	SmShown		shown;			/* the states of that file */

	uint64		nbytes;			/* of closed files, uncompressed */
} SmSet;

/*
 * Prepare the query of the options.  sink receives the files of the set, without
 * indexes.  SPI is connected from sm_set_begin to sm_set_end.
 */
extern SmSet *sm_set_begin(const SmOptions *options, SmFileSink *sink);

/* Make all files.  name_as_part: name the only file of a set like a part. */
extern void sm_set_make_all(SmSet *set, bool name_as_part);

/*
 * function: SQL function to name in the warning about skipped rows; NULL for no warning.
 */
extern void sm_set_end(SmSet *set, const char *function);

/*
 * After a statement that may have altered what the set uses: raise an error unless the
 * query still has the same columns, and compute a new recipe.
 */
extern void sm_set_check_query(SmSet *set);

/* Before files are made, if has_shown: let the set know its past. */
extern void sm_set_use_past(SmSet *set, SmPast *past);

/*
 * Make only the files that have to change, and mark the other old files as kept.
 * Returns NULL, or why all files have to be made; another SmSet has to make them.
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
extern char *sm_first_name(const SmOptions *options);

#endif
