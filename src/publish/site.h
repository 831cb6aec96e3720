/*
 * site.h
 *	  The indexes of a site and of a section.
 */
#ifndef SM_PUBLISH_SITE_H
#define SM_PUBLISH_SITE_H

#include "files/index.h"
#include "publish/filelist.h"

/*
 * Make the index of a site's files, and for SM_INDEX_OF_SECTION that of the section's, and
 * pass them to the sink.  There is no index of no files.
 */
extern void sm_site_index(const SmFileList *files, const SmOptions *options, SmFileSink *sink);

#endif
