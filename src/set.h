/*
 * set.h
 *	  A query → the files of a set, one after the other.
 */
#ifndef SM_SET_H
#define SM_SET_H

#include "core/digest.h"
#include "document.h"
#include "element.h"
#include "index.h"
#include "key.h"
#include "options.h"

/* A file that is complete but for its compression. */
typedef struct SmFile
{
	SmKind		kind;
	const char *name;
	const char *loc;			/* where it will be served from */
	const TimestampTz *lastmod; /* the newest of its entries, or NULL */
	int			url_count;
	int64		byte_count;
	char		digest[SM_DIGEST_HEX_LEN + 1];
	const char *first_key;		/* the key of its first row, or NULL */
	const char *recipe;			/* a digest of what it was made with, where
								 * there is a key */
	struct varlena *document;	/* byte_count bytes */
} SmFile;

/*
 * Whoever takes the files.  What is passed to put is good for the time of the
 * call, which is in a short-lived memory context.
 */
typedef struct SmFileSink SmFileSink;
struct SmFileSink
{
	void		(*put) (SmFileSink *self, const SmFile *file);
};

/*
 * Run the query of the options and put every file of the set but the indexes.
 * A set of one file gets the name of a section without further files, unless
 * name_as_part.  function is whose name a warning about left out rows has.
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

/* Put the documents of an index, named after the section of the options. */
extern void sm_put_index(SmIndex *index, const SmOptions *options, SmFileSink *sink);

/*
 * The name of a set's index, or of a further one for a number above 1, in the
 * current memory context.
 */
extern char *sm_index_name(const SmOptions *options, int number);

/* The name of a set's first file where it has others, in the current memory context. */
extern char *sm_part_name(const SmOptions *options);

#endif
