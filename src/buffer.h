/*
 * buffer.h
 *	  Bytes that grow without ever raising an error: for callbacks of libraries
 *	  that no error may jump out of.
 */
#ifndef SM_BUFFER_H
#define SM_BUFFER_H

#include "sitemap.h"

typedef struct SmBuffer
{
	char	   *data;			/* in context; NULL before the first byte */
	size_t		len;
	size_t		size;
	bool		failed;			/* there was no memory: its bytes are not all */
	MemoryContext context;
} SmBuffer;

/* An empty one, whose memory will come from context. */
extern void sm_buffer_init(SmBuffer *buffer, MemoryContext context);

/* Make room for len bytes more; false, now and ever after, if there is no memory. */
extern bool sm_buffer_reserve(SmBuffer *buffer, size_t len);

extern void sm_buffer_append(SmBuffer *buffer, const void *s, size_t len);

#endif
