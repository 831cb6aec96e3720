/*
 * dir.h
 *	  A directory of the server, which one export at a time reads and writes.
 *
 * The path of a directory is looked up once, and files are opened relative to a descriptor
 * of the directory.  So if somebody renames the directory, or puts a link in its place, all
 * files still go to the directory that is locked.
 *
 * Others may be able to write to the directory.  So symbolic links in it are not followed,
 * opening a pipe does not wait for its other end, and only regular files are read or
 * replaced.
 */
#ifndef SM_EXPORT_DIR_H
#define SM_EXPORT_DIR_H

#include <sys/stat.h>

#include "compat.h"
#include "lib/stringinfo.h"
#include "server/lock.h"
#include "text/span.h"

typedef struct SmDir
{
	const char *path;			/* for messages */
	int			fd;				/* descriptors, -1 if closed */
	LOCKTAG		lock;			/* of the directory in this database */
	int			lock_fd;
	int			file_fd;		/* of the file that is read or written */
	bool		has_temporary;	/* a file is being written */
	bool		has_changed;	/* since it was flushed */
} SmDir;

#define SM_DIR_CLOSED	{.fd = -1,.lock_fd = -1,.file_fd = -1}

/*
 * Open a directory, given by its absolute path, and lock it against processes of other
 * databases and servers, and against other sessions: dir->lock is held until the caller
 * releases it.  Waits for sessions of this database.  Raises an error if another process
 * has locked the directory.  The directory is created if only the last part of the path
 * is missing.  The path is not copied.
 */
extern void sm_dir_open(SmDir *dir, const char *path);

/* Close a directory and what is open in it, but do not release dir->lock. */
extern void sm_dir_close(SmDir *dir);

/* The path of a file, for messages. */
extern char *sm_dir_path(const SmDir *dir, const char *name);

/* Is there anything of this name? */
extern bool sm_dir_stat(const SmDir *dir, const char *name, struct stat *st);

/* Is there a file of this name?  Raises an error if it is not a regular file. */
extern bool sm_dir_stat_regular(const SmDir *dir, const char *name, struct stat *st);

/*
 * Read a file into dst, which is empty.  Raises an error unless it is a regular file of the user
 * that the server runs as.
 */
extern void sm_dir_read_own(SmDir *dir, const char *name, StringInfo dst);

/*
 * Create a file, or replace it atomically, with its content flushed to disk.  Sets
 * its mtime, in seconds.  Returns the mtime that the file system stored, which may
 * differ.
 */
extern int64 sm_dir_replace(SmDir *dir, const char *name, SmSpan content,
							mode_t mode, int64 mtime);

/* Remove a file.  Raises an error if it does not exist. */
extern void sm_dir_remove(SmDir *dir, const char *name);

/* Flush changes, so that a crash does not undo that files were replaced or removed. */
extern void sm_dir_flush(SmDir *dir);

#endif
