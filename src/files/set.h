/*
 * set.h
 *	  A set: the files that are made from the rows of a query.
 *
 * A set is made as a whole, or only the files that have to change are.
 */
#ifndef SM_SET_H
#define SM_SET_H

#include "entry/row.h"
#include "entry/writer.h"
#include "files/file.h"
#include "files/names.h"
#include "files/options.h"
#include "files/rebuild.h"
#include "files/split.h"
#include "server/query.h"

/* Files of earlier runs, in the order of their first keys.  The field key is filled in. */
typedef struct SmOldFiles
{
	int			nfiles;
	SmOldFile **files;
	SmKeyType  *key_type;		/* of the keys */
	SmRebuildFile *rebuild;		/* what changed in them, for sm_set_rebuild */
} SmOldFiles;

/* A set that is being made. */
typedef struct SmSet
{
	SmReceiver	receiver;		/* must be first */

	/* to be filled in before rows are read */
	SmOldFiles	old;			/* of earlier runs, initially none */
	SmEntryWriter writer;		/* only find_lastmod */

	/* to be read */
	const SmOptions *options;
	SmQuery		query;
	const char *recipe;			/* what decides how its files look, beside the
								 * rows; NULL for a full split without keys */
	SmNames		names;			/* of the files closed or kept so far */
	int64		url_count;		/* of the same files */
	Datum		key;			/* a copy of the newest row's, if has_key */

	/* private */
	SmFileSink *sink;
	MemoryContext context;		/* for all of the set */
	SmColumns	columns;
	bool		progress;		/* this set fills the progress view */
	SmDocument	doc;			/* the file being written */
	SmSplit		split;
	bool		has_key;
	bool		starts_key;		/* no entry of the newest key has been added */

	/* when a range of old files is rebuilt */
	int			next;			/* the first old file that the range has not
								 * passed */
	bool		ended;			/* the range ends where file next begins */
	const Datum *from;			/* bounds of the rows, NULL for none */
	const Datum *to;

	uint64		nbytes;			/* of closed files, uncompressed */
} SmSet;

/*
 * Prepare the query of the options.  sink receives the files of the set, without
 * indexes.  SPI is connected from sm_set_begin to sm_set_end.
 */
extern SmSet *sm_set_begin(const SmOptions *options, SmFileSink *sink);

/*
 * Make all files.  name_as_part: name the only file of a set like a part.  The files that
 * sm_set_rebuild made before are rebuilt.
 */
extern void sm_set_make_all(SmSet *set, bool name_as_part);

/* function: SQL function to name in the warning about skipped rows. */
extern void sm_set_end(SmSet *set, const char *function);

/*
 * Analyze the query again and make a new recipe.  A statement that has run since can have
 * changed the views that the query reads.
 */
extern void sm_set_analyze_again(SmSet *set);

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
