/*
 * rebuild.c
 *	  Plans a run that rebuilds only the files of a set that changed.
 *
 * A stable split ends a file at a row that depends only on the file's window: the
 * rows from its first row to the first row that does not fit (split.c).  So a file
 * has to be rebuilt if it holds a changed key, or if its window reaches a file that
 * holds one.  The window of file h reaches a later file f if the files from h to the
 * one before f fit into one file together.  With files of at most 50 URLs:
 *
 *		file		a		b		c		d		e
 *		first key	1		48		91		140		182
 *		URLs		47		43		49		42		46
 *
 * A change of key 150 touches d.  The window of c has its own 49 URLs and 2 of d, so
 * c is touched, too.  The window of b, its 43 URLs and 8 of c, ends in c, so b stays.
 *
 * The first piece to read is c, d and e: the touched files and the file after them,
 * whose first rows show where d ends.  Suppose that c ends where it did.  The end of d
 * is known after the first row that does not fit into d, which is a row of e.  If d
 * ends right before key 182, where e begins, the rebuilding ends there, and e and all
 * later files stay.  If d ends elsewhere, the next piece follows e.
 *
 * A file that stays has the same window as before, so a run that makes all files
 * would make the same file.
 */
#include "files/rebuild.h"

void
sm_rebuild_change(SmRebuildFile *files, size_t first, size_t last)
{
	/*
	 * Only the first file is marked, so that the cost does not depend on the
	 * number of files in the range.
	 */
	if (files[first].after_change < last + 1)
		files[first].after_change = last + 1;
}

void
sm_rebuild_mark(SmRebuildFile *files, size_t nfiles)
{
	size_t		after_change = 0;

	for (size_t i = 0; i < nfiles; i++)
	{
		if (after_change < files[i].after_change)
			after_change = files[i].after_change;
		files[i].changed = i < after_change;
	}
}

size_t
sm_rebuild_touch(SmRebuildFile *files, size_t nfiles, int64_t max_urls, int64_t max_bytes,
				 int64_t overhead)
{
	size_t		ntouched = 0;
	int64_t		url_count = 0;
	int64_t		byte_count = 0;
	bool		in_reach = false;

	sm_rebuild_mark(files, nfiles);

	/*
	 * Go from the last file to the first, and add up the files before a
	 * changed file as long as their entries can fit into one file.  The
	 * lengths of the files' headers are not known.  Assume the longest header
	 * for each file, and none for the one file: at worst, one more file is
	 * rebuilt.
	 */
	for (size_t i = nfiles; i-- > 0;)
	{
		SmRebuildFile *file = &files[i];

		if (file->changed)
		{
			in_reach = true;
			url_count = 0;
			byte_count = 0;
		}
		else if (in_reach)
		{
			url_count += file->url_count;
			byte_count += file->byte_count - overhead;
			in_reach = url_count <= max_urls && byte_count <= max_bytes;
		}
		file->touched = in_reach;
		ntouched += in_reach;
	}
	return ntouched;
}

size_t
sm_rebuild_piece(const SmRebuildFile *files, size_t nfiles, size_t from)
{
	size_t		to = from;

	while (to < nfiles && files[to].touched)
		to++;
	return to < nfiles ? to + 1 : nfiles;
}
