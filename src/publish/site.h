/*
 * site.h
 *	  The index of a site.
 */
#ifndef SM_PUBLISH_SITE_H
#define SM_PUBLISH_SITE_H

#include "files/index.h"
#include "publish/target.h"

/*
 * Make the index of the site's files in the target, whose lock the caller has, and pass it to
 * the sink; none if there are no files.  Returns the names of the indexes that the target
 * has.
 */
extern List *sm_site_index(const SmTarget *target, const SmOptions *options, SmFileSink *sink);

#endif
