/*
 * gzip.h
 *	  Compression of whole documents, and the reverse, while the caller goes on.
 */
#ifndef SM_GZIP_H
#define SM_GZIP_H

#include "core/span.h"

typedef struct SmGzip SmGzip;

/* for sm_gzip_create, instead of a level */
#define SM_INFLATE	0

/*
 * Prepare to compress at a level from 1 to 9, or to inflate, in the current memory
 * context.  The memory is freed with that context, even after an error.
 */
extern SmGzip *sm_gzip_create(int level);

/*
 * Begin to compress data into a gzip member without name and time, so that the
 * result depends only on the data and the level.  A large document is copied and
 * compressed in a thread while the caller goes on, unless
 * max_parallel_workers_per_gather is 0.
 */
extern void sm_gzip_begin(SmGzip *gzip, SmSpan data);

/* Wait for the result, a varlena that is valid until the next sm_gzip_begin. */
extern struct varlena *sm_gzip_end(SmGzip *gzip);

/* Do the bytes begin like gzip data? */
extern bool sm_is_gzip(SmSpan data);

/*
 * Begin to inflate gzip data to size bytes.  A large document is inflated
 * in a thread, as above.
 */
extern void sm_gunzip_begin(SmGzip *gzip, SmSpan data, size_t size);

/*
 * Wait for the result, which is valid until the next sm_gunzip_begin.  s is NULL if
 * the data are damaged or do not inflate to exactly that size.
 */
extern SmSpan sm_gunzip_end(SmGzip *gzip);

#endif
