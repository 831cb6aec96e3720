/*
 * changes.h
 *	  Argument "changes" of sitemap_publish.
 */
#ifndef SM_PUBLISH_CHANGES_H
#define SM_PUBLISH_CHANGES_H

#include "publish/target.h"

typedef struct SmChanges SmChanges;

/*
 * Run the statement, whose parameter $1 is since, and mark the set's old files that hold a
 * key of its rows.  Raises an error unless the set can be rebuilt file by file.
 */
extern SmChanges *sm_changes_read(SmTarget *target, SmSet *set, const char *statement,
								  TimestampTz since);

/* Rebuild the files that changed.  Returns NULL, or why all files have to be made. */
extern const char *sm_changes_rebuild(SmChanges *changes);

/*
 * After all files were made: count the old files that changed although the statement returned
 * no key of them.  Returns -1 where that cannot be told.
 *
 * In the order of keys, each unbroken stretch of files that changed counts, unless a key lies
 * in it or in the file before it: rows behind the last one of a file move the beginning of
 * the next file.  If any count, the statement runs once more, in a subtransaction that is
 * rolled back.  Its errors only prevent the count.
 */
extern int	sm_changes_count_missed(SmChanges *changes);

#endif
