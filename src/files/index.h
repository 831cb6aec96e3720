/*
 * index.h
 *	  The index of a set or of a site.
 */
#ifndef SM_INDEX_H
#define SM_INDEX_H

#include "files/file.h"
#include "files/options.h"

typedef struct SmIndex SmIndex;

/* Begin an index in the current memory context. */
extern SmIndex *sm_index_create(const SmOptions *options);

/*
 * Add a file by its URL, UTF-8.  lastmod: DT_NOBEGIN if unknown; left out if infinite, or
 * outside of the years 1 to 9999.  Begins another document if the last one is full.
 */
extern void sm_index_add(SmIndex *index, SmSpan loc, TimestampTz lastmod);

/*
 * Put the files of the index; none if nothing was added.  name: section that they are named
 * after (sm_index_name); section: section that they belong to.
 */
extern void sm_index_put(SmIndex *index, const char *name, const char *section,
						 SmFileSink *sink);

#endif
