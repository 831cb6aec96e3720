/*
 * set.h
 *	  A query → the files of a set, one after the other.
 */
#ifndef SM_SET_H
#define SM_SET_H

#include "element.h"
#include "file.h"
#include "key.h"
#include "options.h"

/*
 * Run the query of the options and put every file of the set, except indexes.
 * name_as_part: name the only file of a set like a part.  function: SQL
 * function to name in the warning about skipped rows.
 */
extern void sm_make_set(const SmOptions *options, bool name_as_part, SmFileSink *sink,
						const char *function);

/*
 * The same in steps: all files of a set, or some files of a stable split.  From
 * begin to end this has a connection to SPI.
 */
typedef struct SmSet SmSet;

extern SmSet *sm_set_begin(const SmOptions *options, SmFileSink *sink);
extern void sm_set_make_all(SmSet *set, bool name_as_part);

/* function: NULL for no warning about skipped rows. */
extern void sm_set_end(SmSet *set, const char *function);

/* The type and the recipe of a set with keys, NULL for one without. */
extern SmKeyType *sm_set_key_type(const SmSet *set);
extern const char *sm_set_recipe(const SmSet *set);

/*
 * Can the entries of nfiles files, with url_count URLs and byte_count bytes in
 * all, fit into one file of the set?
 */
extern bool sm_set_fits_one_file(const SmSet *set, int nfiles, int64 url_count,
								 int64 byte_count);

/*
 * To make some files only: in the order of the set, call sm_set_keep_file for
 * each file that stays, and sm_set_make_range for each range of keys whose
 * files are made.
 *
 * sm_set_keep_file returns false if the file would have another name in this
 * set.
 *
 * A range begins with the first key of a file, or without a bound at the start
 * of the set.  It is made in pieces, each from one bound to the next; the last
 * piece has no upper bound.  When a file ends, stop is asked whether a file
 * that stays begins with the next key; if so, the range ends.
 * sm_set_make_range returns whether the range goes on.
 */
typedef bool (*SmStop) (void *arg, Datum key);

extern bool sm_set_keep_file(SmSet *set, const char *name);
extern void sm_set_begin_range(SmSet *set, SmStop stop, void *stop_arg);
extern bool sm_set_make_range(SmSet *set, const Datum *from, const Datum *to);

/*
 * Prepare to write entries of a set, and a document for them, according to the
 * options.  Problems are raised.
 */
extern void sm_begin_entries(const SmOptions *options, SmElementWriter *writer,
							 SmDocument *doc);

/* The name of the only file of a set, and of the first of several files. */
extern char *sm_only_name(const SmOptions *options);
extern char *sm_part_name(const SmOptions *options);

#endif
