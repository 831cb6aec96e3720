/*
 * list.h
 *	  The list of a directory's files that exports have written.
 */
#ifndef SM_EXPORT_LIST_H
#define SM_EXPORT_LIST_H

#include "export/dir.h"
#include "nodes/pg_list.h"
#include "utils/hsearch.h"

/* most bytes in a name */
#define SM_NAME_MAX		255

/* A version of a file.  Size and mtime tell whether a file on disk is this version. */
typedef struct SmVersion
{
	uint64		digest;
	int64		size;
	int64		mtime;			/* in seconds */
} SmVersion;

typedef enum SmFileAction
{
	SM_FILE_NONE,				/* not in the query */
	SM_FILE_CREATED,
	SM_FILE_UPDATED,
	SM_FILE_UNCHANGED,
	SM_FILE_DELETED
} SmFileAction;

typedef struct SmListFile
{
	char		name[SM_NAME_MAX + 1];	/* hash key, must be first */
	bool		is_listed;		/* an export wrote the version that follows */
	SmVersion	listed;
	SmFileAction action;		/* of this export */
	SmVersion	put;			/* created or updated: what is to be written */
} SmListFile;

typedef struct SmList
{
	SmDir	   *dir;
	HTAB	   *files;			/* of SmListFile */
	bool		is_current;		/* the list on disk has a line for each listed
								 * file and no others */
} SmList;

/* Read the list of a directory, into the current memory context. */
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

static inline bool
sm_list_is_written(const SmListFile *file)
{
	return file->action == SM_FILE_CREATED || file->action == SM_FILE_UPDATED;
}

/* Files that are listed or in the query, in the order of their names. */
extern List *sm_list_files(const SmList *list);

/*
 * Write the list to disk, with the versions of the query's files.  with_old: also
 * write all listed versions.
 */
extern void sm_list_write(SmList *list, bool with_old);

#endif
