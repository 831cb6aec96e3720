/*
 * publish_changes.h
 *	  What changed since the last run → the files of a section that have to be made
 *	  again.
 */
#ifndef SM_PUBLISH_CHANGES_H
#define SM_PUBLISH_CHANGES_H

#include "options.h"
#include "publish_target.h"
#include "set.h"

typedef struct SmChanges SmChanges;

/*
 * Run the statement that names what changed, and find the files of the section
 * that it touches, as the target had them when it was last read.  An error if
 * the set cannot be made in parts.
 */
extern SmChanges *sm_changes_read(const char *statement, SmSet *set, const SmTarget *target,
								  const SmOptions *options);

/*
 * Make these files again, in a set that nothing was made of.  False if that takes
 * all files, or did not lead to the names that all files would have: then the set
 * has to be made as a whole.
 */
extern bool sm_changes_make(SmChanges *changes, SmSet *set);

/*
 * Mark the files that were not made again as kept, in the target as it is by now.
 * Returns how many URLs they have.
 */
extern int64 sm_changes_keep(const SmChanges *changes, const SmTarget *target);

#endif
