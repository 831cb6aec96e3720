/*
 * gzip.h
 *	  Whole documents, compressed, with libdeflate where the build has it.
 */
#ifndef SM_GZIP_H
#define SM_GZIP_H

typedef struct SmGzip SmGzip;

/*
 * Make a compressor for levels 1 to 9 in the current memory context; it is freed
 * with that context, after an error too.
 */
extern SmGzip *sm_gzip_create(int level);

/*
 * Compress len bytes into a gzip member without name and time, so that the
 * same bytes give the same result.  The varlena is good until the next call.
 */
extern struct varlena *sm_gzip(SmGzip *gzip, const char *data, size_t len);

#endif
