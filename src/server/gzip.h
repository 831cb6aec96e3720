/*
 * gzip.h
 *	  Compression of whole documents by gzip, and the reverse.
 */
#ifndef SM_GZIP_H
#define SM_GZIP_H

#include "text/span.h"

/*
 * Compress data at a level from 1 to 9, into a gzip member without name and time, so that
 * the result depends only on the data and the level.  The result is in the current memory
 * context.
 */
extern struct varlena *sm_gzip(int level, SmSpan data);

/* Do the bytes begin like gzip data? */
static inline bool
sm_is_gzip(SmSpan data)
{
	return sm_span_begins(data, "\x1F\x8B");
}

/*
 * Inflate gzip data into the current memory context.  Ends early if the content becomes
 * longer than limit; then the content is longer than limit, too.  Returns NULL, or what is
 * wrong with the data: a phrase for the user.
 */
extern const char *sm_gunzip(SmSpan data, size_t limit, SmSpan *content);

#endif
