/*
 * export_dir.h
 *	  A directory of the server: locked, and the files in it read and replaced.
 *
 * A directory is found by its path once, when it is opened.  From then on
 * every file is found from the descriptor that has the lock: whoever renames
 * the directory, or puts a link in its place, changes neither where files go
 * nor which exports keep out of each other's way.
 *
 * Others may be able to write to the directory.  So no symbolic link is
 * followed in it, no open waits for the other end of a pipe, and nothing is
 * read or written that turns out to be no regular file.
 */
#ifndef SM_EXPORT_DIR_H
#define SM_EXPORT_DIR_H

#include <stdio.h>
#include <sys/stat.h>

#include "sitemap.h"

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

/* Open a file to read it; NULL if there is none that we may read. */
extern SmDirFile *sm_dir_open_file(const SmDir *dir, const char *name, struct stat *st);

/* Read the next piece into dir->piece: its length, 0 at the end of the file. */
extern size_t sm_dir_read(SmDirFile *file);

/*
 * Replace or create a file, at once, and flush it to disk.  The file is
 * returned open, for sm_dir_append.
 */
extern SmDirFile *sm_dir_replace(const SmDir *dir, const char *name, SmSpan content,
								 mode_t mode);

/* Append to a file that sm_dir_replace made, and flush it to disk. */
extern void sm_dir_append(SmDirFile *file, SmSpan content);

extern void sm_dir_close_file(SmDirFile *file);

/* Remove a file that is there. */
extern void sm_dir_remove(const SmDir *dir, const char *name);

/* The digest that sm_dir_digest finds in a file with this content. */
extern uint64 sm_dir_content_digest(SmSpan content);

/*
 * Is this a regular file that we may read?  If so, return its size and digest.
 */
extern bool sm_dir_digest(const SmDir *dir, const char *name, uint64 *digest, int64 *size);

/* Is this a regular file that has this content? */
extern bool sm_dir_has_content(const SmDir *dir, const char *name, SmSpan content);

#endif
