/*
 * set.h
 *	  A query → the files of a set, one after the other.
 */
#ifndef SM_SET_H
#define SM_SET_H

#include "core/digest.h"
#include "document.h"
#include "index.h"
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
