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
 * Run the query of the options and put every file of the set but the indexes.
 * The only file of a set is named after the section alone, unless name_as_part.
 * function: SQL function to name in the warning about skipped rows.
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
 * May the entries of so many files, which have so many URLs and bytes together,
 * fit into one file of the set?
 */
extern bool sm_set_fits_one_file(const SmSet *set, int nfiles, int64 url_count,
								 int64 byte_count);

/*
 * Some files: in the order of the set, each file that stays, by its name, and each
 * range of keys whose files are made.
 *
 * sm_set_keep_file returns false if the file would have another name in this set.
 *
 * A range begins with the first key of a file, or with no bound at the set's
 * first, and goes on through pieces from one bound to the next, the last of which
 * has no upper bound.  Whenever a file ends, stop is asked whether a file that
 * stays begins with the next key; if so, the range ends.  sm_set_make_range
 * returns whether there is more to make.
 */
typedef bool (*SmStop) (void *arg, Datum key);

extern bool sm_set_keep_file(SmSet *set, const char *name);
extern void sm_set_begin_range(SmSet *set, SmStop stop, void *stop_arg);
extern bool sm_set_make_range(SmSet *set, const Datum *from, const Datum *to);

/*
 * Prepare to write the entries of a set, and a file that they go into, as the
 * options say.  A problem is an error.
 */
extern void sm_begin_entries(const SmOptions *options, SmElementWriter *writer,
							 SmDocument *doc);

/* The name of a set's file where it has no others, and of its first where it has. */
extern char *sm_only_name(const SmOptions *options);
extern char *sm_part_name(const SmOptions *options);

#endif
