/*
 * dir.h
 *	  A directory of the server: locked, and the files in it read and replaced.
 *
 * The path of a directory is looked up once.  Files are then opened relative
 * to the descriptor that holds the lock.  So if somebody renames the directory,
 * or puts a link in its place, all files still go to the directory that is
 * locked.
 *
 * Others may be able to write to the directory.  So symbolic links in it are
 * not followed, opening a pipe does not wait for its other end, and only
 * regular files are read or replaced.
 */
#ifndef SM_EXPORT_DIR_H
#define SM_EXPORT_DIR_H

#include <stdio.h>
#include <sys/stat.h>

#include "compat.h"
#include "core/span.h"

typedef struct SmDir
{
	char	   *path;			/* absolute, for messages */
	int			fd;				/* descriptor that has the lock */
	char	   *piece;			/* buffer for reading */
} SmDir;

/* An open file, closed when its memory context is reset. */
typedef struct SmDirFile
{
	const SmDir *dir;
	char	   *name;			/* for messages */
	int			fd;				/* -1 if it is closed */
	MemoryContextCallback on_reset;
} SmDirFile;

/*
 * Open a directory, given by its absolute path, and lock it.  It is closed by
 * sm_dir_close, or else at the end of the (sub)transaction.  Raises an error
 * if there is no such directory, or if another process has locked it.
 */
extern void sm_dir_open(SmDir *dir, const char *path);
extern void sm_dir_close(SmDir *dir);

/* The path of a file, for messages. */
extern char *sm_dir_path(const SmDir *dir, const char *name);

/* Does anything have this name? */
extern bool sm_dir_stat(const SmDir *dir, const char *name, struct stat *st);

/* Does a file have this name? Raises an error if it is not a regular file. */
extern bool sm_dir_stat_regular(const SmDir *dir, const char *name, struct stat *st);

/* Open a file to read it; NULL if there is no regular file that we may read. */
extern SmDirFile *sm_dir_open_file(const SmDir *dir, const char *name, struct stat *st);

/* Read the next piece into dir->piece.  Returns its length, 0 at the end. */
extern size_t sm_dir_read(SmDirFile *file);

/*
 * Create a file, or replace it atomically, and flush it to disk.  Returns the
 * open file, for sm_dir_append.
 */
extern SmDirFile *sm_dir_replace(const SmDir *dir, const char *name, SmSpan content,
								 mode_t mode);

/* Append to a file that sm_dir_replace made, and flush it to disk. */
extern void sm_dir_append(SmDirFile *file, SmSpan content);

extern void sm_dir_close_file(SmDirFile *file);

/* Remove a file.  Raises an error if there is none. */
extern void sm_dir_remove(const SmDir *dir, const char *name);

/* The digest of a content, equal to sm_dir_digest of a file that has it. */
extern uint64 sm_dir_content_digest(SmSpan content);

/*
 * Is this a regular file that we may read?  If so, return its size and digest.
 */
extern bool sm_dir_digest(const SmDir *dir, const char *name, uint64 *digest, int64 *size);

/* Is this a regular file that has this content? */
extern bool sm_dir_has_content(const SmDir *dir, const char *name, SmSpan content);

#endif
