/*
 * changes.h
 *	  Finds the files of a section that changed since the last run.
 */
#ifndef SM_PUBLISH_CHANGES_H
#define SM_PUBLISH_CHANGES_H

#include "files/options.h"
#include "publish/filelist.h"

/*
 * Run the statement that names what changed, and find the section's files that hold a
 * changed key.  old: receives the files of the list in the order of their keys, with what
 * sm_set_rebuild needs.  Returns NULL, or why all files have to be made: a file has no
 * content or no first key, or was made with another recipe (see SmSet).
 * Raises an error if the set cannot be made in parts.
 */
extern const char *sm_changes_read(const char *statement, SmSet *set, const SmFileList *list,
								   const SmOptions *options, SmOldFiles *old);

#endif
