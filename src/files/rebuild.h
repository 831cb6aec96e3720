/*
 * rebuild.h
 *	  Which files of a set have to be rebuilt after changes of keys.
 */
#ifndef SM_REBUILD_H
#define SM_REBUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A file of the set, in the order of the set.  The caller sets url_count and
 * byte_count.
 */
typedef struct SmRebuildFile
{
	int64_t		url_count;
	int64_t		byte_count;		/* of the document */
	size_t		after_change;	/* if a range of changes begins in this file:
								 * number of the file after the range; else 0 */
	bool		changed;		/* the file holds a changed key */
	bool		touched;		/* the file has to be rebuilt */
} SmRebuildFile;

/* Record a change of keys in the files from first to last. */
extern void sm_rebuild_change(SmRebuildFile *files, size_t first, size_t last);

/* After all changes, mark the files that hold a changed key. */
extern void sm_rebuild_mark(SmRebuildFile *files, size_t nfiles);

/*
 * Mark these and the files to rebuild, and return the number of files to rebuild.
 * max_urls, max_bytes: of a file; overhead: bytes of the longest header and footer.
 */
extern size_t sm_rebuild_touch(SmRebuildFile *files, size_t nfiles, int64_t max_urls,
							   int64_t max_bytes, int64_t overhead);

/*
 * Find the files to read next, a piece: the touched files that begin with file number
 * from, and the file after them, whose first rows show where the last of them ends.  The
 * caller goes on with the next piece until a new file ends where an untouched file begins.
 * Returns the number of the last file of the piece, plus 1.
 */
extern size_t sm_rebuild_piece(const SmRebuildFile *files, size_t nfiles, size_t from);

#endif
