/*
 * changes.h
 *	  Argument "changes" of sitemap_publish.
 */
#ifndef SM_PUBLISH_CHANGES_H
#define SM_PUBLISH_CHANGES_H

#include "publish/filelist.h"

/*
 * Run the statement that names what changed, text, and find the section's files that hold a
 * changed key.  old: receives the section's files, with what sm_set_rebuild needs.
 * Returns NULL, or why all files have to be made, e.g. a file has no content, or its
 * recipe differs from the set's.  Raises an error if the set cannot be made in
 * parts.
 */
extern const char *sm_changes_read(const char *text, SmSet *set, const SmFileList *list,
								   SmOldFiles *old);

#endif
