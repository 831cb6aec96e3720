/*
 * set.h
 *	  Runs a query, and makes the files of a set from its rows.
 */
#ifndef SM_SET_H
#define SM_SET_H

#include "entry/element.h"
#include "files/file.h"
#include "files/options.h"
#include "server/key.h"

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

/*
 * The type of a set's keys, and the set's recipe, a digest of the query's text and of
 * all options that shape files; NULL if it has no keys.
 */
extern SmKeyType *sm_set_key_type(const SmSet *set);
extern const char *sm_set_recipe(const SmSet *set);

/*
 * Can the entries of nfiles files, with url_count URLs and byte_count bytes in
 * all, fit into one file of the set?
 */
extern bool sm_set_fits_one_file(const SmSet *set, int nfiles, int64 url_count,
								 int64 byte_count);

/*
 * To make only some files, walk through the files in the order of the set.  For
 * a file that stays, call sm_set_keep_file.  It returns false if the file would
 * have another name in this set.  For a range of keys whose files have to be
 * made, call sm_set_begin_range, and then sm_set_make_range for one piece of the
 * range after the other, until it returns false.
 *
 * A range begins with the first key of a file; at the start of the set it has no
 * lower bound.  Whenever a file ends, stop is asked whether a file that stays begins
 * with the next key.  The range ends at the first such key, or else with a piece that
 * has no upper bound.
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
