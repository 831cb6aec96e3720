/*
 * zalloc.h
 *	  Memory for zlib from a memory context, so that an error frees it.
 */
#ifndef SM_ZALLOC_H
#define SM_ZALLOC_H

#include <zlib.h>

#include "utils/memutils.h"

/* Returns NULL if memory runs out: an error must not be raised inside zlib. */
static inline voidpf
sm_zalloc(voidpf opaque, uInt items, uInt size)
{
	return MemoryContextAllocExtended((MemoryContext) opaque, (Size) items * size,
									  MCXT_ALLOC_NO_OOM);
}

static inline void
sm_zfree(voidpf opaque, voidpf address)
{
	pfree(address);
}

/* Let a stream, before it is initialized, allocate from a memory context. */
static inline void
sm_zalloc_from(z_stream *stream, MemoryContext context)
{
	stream->zalloc = sm_zalloc;
	stream->zfree = sm_zfree;
	stream->opaque = context;
}

#endif
