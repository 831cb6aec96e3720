/*
 * changes.h
 *	  Argument "changes" of sitemap_publish.
 */
#ifndef SM_PUBLISH_CHANGES_H
#define SM_PUBLISH_CHANGES_H

#include "publish/target.h"

/* Raise an error unless the files of the set can be rebuilt one by one. */
extern void sm_changes_check(SmSet *set, const SmOptions *options);

/* Run the statement, text, and give its rows to dest. */
extern void sm_changes_run(SmTarget *target, const char *text, DestReceiver *dest);

/*
 * Run the statement, and fill in the set's old files for sm_set_rebuild.  Returns NULL, or why all files
 * have to be made.
 */
extern const char *sm_changes_read(SmTarget *target, const char *text, SmSet *set);

#endif
