/*
 * mirror.h
 *	  A directory of the server that is made to hold a set of files.
 *
 * sm_mirror_open, then sm_mirror_put for each file in the order in which they
 * are to appear, then sm_mirror_finish.  If an error occurs in between, each
 * file in the directory is whole, old or new, and no file has been removed.
 */
#ifndef SM_EXPORT_MIRROR_H
#define SM_EXPORT_MIRROR_H

#include "compat.h"
#include "core/span.h"

typedef struct SmMirror SmMirror;

typedef enum SmFileAction
{
	SM_FILE_CREATED,
	SM_FILE_UPDATED,
	SM_FILE_UNCHANGED,
	SM_FILE_DELETED
} SmFileAction;

/* Called for a file that was removed. size: bytes that it had. */
typedef void (*SmMirrorDeleted) (void *arg, const char *name, int64 size);

/*
 * Lock a directory, given by its absolute path, and read which of its files
 * are ours.  The result is in the current memory context.  The directory
 * is unlocked by sm_mirror_finish, or at the end of the (sub)transaction.  Raises an
 * error if there is no such directory, or if another export has locked it.
 */
extern SmMirror *sm_mirror_open(const char *directory);

/*
 * Write a file, if its content differs, and return the action.  Raises an
 * error if the name, a string of the database, cannot be the name of a file,
 * was put before, or belongs to something that is no regular file.
 */
extern SmFileAction sm_mirror_put(SmMirror *mirror, const char *name, SmSpan content);

/*
 * Remove our files that were not put, in the order of their names, and unlock
 * the directory.  A file that was changed by others stays, with a warning.
 */
extern void sm_mirror_finish(SmMirror *mirror, SmMirrorDeleted deleted, void *arg);

#endif
