/*
 * changes.h
 *	  Argument "changes" of sitemap_publish.
 */
#ifndef SM_PUBLISH_CHANGES_H
#define SM_PUBLISH_CHANGES_H

#include "publish/target.h"

/* Run the statement, text, and give its rows to dest. */
extern void sm_changes_run(SmTarget *target, const char *text, DestReceiver *dest);

/*
 * Run the statement, and fill set->old for sm_set_rebuild.  Returns NULL, or why all files
 * have to be made.  Raises an error if the set cannot be made in parts.
 */
extern const char *sm_changes_read(SmTarget *target, const char *text, SmSet *set);

#endif
