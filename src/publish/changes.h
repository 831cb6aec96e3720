/*
 * changes.h
 *	  Rebuilds only the files of a section that changed since the last run.
 */
#ifndef SM_PUBLISH_CHANGES_H
#define SM_PUBLISH_CHANGES_H

#include "files/options.h"
#include "files/set.h"
#include "publish/target.h"

typedef struct SmChanges SmChanges;

/*
 * Run the statement that names what changed, and find the files that it touches among
 * the files of the target.  Raises an error if the set cannot be made in parts.
 */
extern SmChanges *sm_changes_read(const char *statement, SmSet *set, const SmFileList *list,
								  const SmOptions *options);

/*
 * Rebuild the touched files, in a set that is still empty, and mark the other files of
 * the section as kept in the list.  Returns NULL, or why the set has to be made as a whole:
 * too many files are touched, a file has no first key or was made with another recipe
 * (see sm_set_recipe), or a file's name would differ from that of a full run.
 */
extern const char *sm_changes_make(SmChanges *changes, SmSet *set);

#endif
