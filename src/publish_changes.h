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
 * Run the statement that names what changed, and find the files that it
 * touches among the files of the target as last read.  Raises an error if the
 * set cannot be made in parts.
 */
extern SmChanges *sm_changes_read(const char *statement, SmSet *set, const SmTarget *target,
								  const SmOptions *options);

/*
 * Make the touched files again, in a set that is still empty.  Returns false
 * if the set has to be made as a whole: because all files are touched, or
 * because names would differ from those of a full run.
 */
extern bool sm_changes_make(SmChanges *changes, SmSet *set);

/*
 * Mark the files that were not made again as kept, in the target as last read.
 * Returns how many URLs they have.
 */
extern int64 sm_changes_keep(const SmChanges *changes, const SmTarget *target);

#endif
