/*
 * buffer.c
 *	  Bytes that grow without ever raising an error.
 */
#include "postgres.h"

#include "buffer.h"
#include "utils/memutils.h"

#define FIRST_SIZE	1024

void
sm_buffer_init(SmBuffer *buffer, MemoryContext context)
{
	memset(buffer, 0, sizeof(*buffer));
	buffer->context = context;
}

bool
sm_buffer_reserve(SmBuffer *buffer, size_t len)
{
	size_t		new_size = Max(2 * buffer->size, FIRST_SIZE);
	char	   *data = NULL;

	if (buffer->failed)
		return false;
	if (len <= buffer->size - buffer->len)
		return true;

	/* sizes of a document; the limit keeps them from overflowing */
	if (len <= MaxAllocHugeSize / 4 && buffer->size <= MaxAllocHugeSize / 4)
	{
		while (new_size - buffer->len < len)
			new_size *= 2;
		data = MemoryContextAllocExtended(buffer->context, new_size,
										  MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
	}
	if (data == NULL)
	{
		buffer->failed = true;
		return false;
	}
	if (buffer->data)
	{
		memcpy(data, buffer->data, buffer->len);
		pfree(buffer->data);
	}
	buffer->data = data;
	buffer->size = new_size;
	return true;
}

void
sm_buffer_append(SmBuffer *buffer, const void *s, size_t len)
{
	if (len > 0 && sm_buffer_reserve(buffer, len))
	{
		memcpy(buffer->data + buffer->len, s, len);
		buffer->len += len;
	}
}
