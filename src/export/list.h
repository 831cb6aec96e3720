/*
 * list.h
 *	  What exports have written to a directory, and for which site.
 */
#ifndef SM_EXPORT_LIST_H
#define SM_EXPORT_LIST_H

#include "export/dir.h"
#include "lib/ilist.h"
#include "utils/hsearch.h"

#define SM_LIST_NAME	".sitemap_export"

/* most bytes in a name */
#define SM_NAME_MAX		255

/* A version of a file.  Size and mtime tell whether a file on disk is this version. */
typedef struct SmVersion
{
	uint64		digest;
	int64		size;
	int64		mtime;			/* in seconds */
} SmVersion;

typedef struct SmListFile
{
	char		name[SM_NAME_MAX + 1];	/* hash key, must be first */
	dlist_node	node;
	bool		is_listed;		/* an export wrote the version that follows */
	SmVersion	listed;
	const char *action;			/* for the result; NULL if not in the query */
	bool		is_written;		/* created or updated */
	SmVersion	put;			/* what is to be written, then */
} SmListFile;

typedef struct SmList
{
	SmDir	   *dir;
	const char *site;			/* base_url of the files, as runs write it;
								 * NULL for none */
	dlist_head	files;			/* of SmListFile: listed files, then others of
								 * the query */
	HTAB	   *by_name;
	StringInfoData text;		/* the list as it is on disk */
} SmList;

/*
 * Read the list of a directory, into the current memory context.  Raises an error if it is that
 * of another database, such as the original of a copy, or somebody else's file.
 */
extern void sm_list_read(SmList *list, SmDir *dir);

/*
 * Find a file by its name, or add it as a file that is not listed.  Raises an error
 * if the name, a string of the database, cannot be the name of an exported file.
 */
extern SmListFile *sm_list_find(SmList *list, const char *name);

/* Is a file on disk the version that is listed? */
static inline bool
sm_list_is_ours(const SmListFile *file, const struct stat *st)
{
	return file->is_listed && S_ISREG(st->st_mode) &&
		st->st_size == file->listed.size && st->st_mtime == file->listed.mtime;
}

/*
 * Write the list to disk, with the versions of the query's files, unless it is there
 * already.  with_old: also write all listed versions.
 */
extern void sm_list_write(SmList *list, bool with_old);

#endif
