/*
 * gzip.c
 *	  Compresses and inflates by libdeflate if the build has it, else by zlib, in threads.
 *
 * libdeflate is faster than zlib and compresses most sitemaps better, but takes a
 * document in one call, which a cancel request has to wait for: a second or two
 * for the largest document at the highest level.
 *
 * A large document is compressed or inflated in a thread, while the backend does
 * something else.  The thread blocks all signals and calls no function of PostgreSQL.
 * It reads a copy of the data and writes to a buffer, both in the memory context of its
 * SmGzip.  A callback joins the thread before the context is freed, even after an error.
 */
#include "postgres.h"

#include "files/gzip.h"

#include <pthread.h>
#include <signal.h>

#include "compat.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "port/atomics.h"
#include "utils/memutils.h"

#ifdef USE_LIBDEFLATE
#include <libdeflate.h>
#else
#include <zlib.h>
#endif

/* smallest documents that are worth a thread, about 50 microseconds of work */
#define GZIP_THREAD_MIN		32768
#define GUNZIP_THREAD_MIN	131072

typedef struct GzipBuffer
{
	char	   *data;
	size_t		size;
} GzipBuffer;

struct SmGzip
{
	MemoryContext context;
	MemoryContextCallback callback;
	int			level;			/* or SM_INFLATE */
#ifdef USE_LIBDEFLATE
	struct libdeflate_compressor *compressor;
	struct libdeflate_decompressor *decompressor;
#else
	z_stream	stream;
#endif

	/* the work */
	const char *data;			/* what is left of it */
	size_t		len;
	GzipBuffer	copy;			/* of the data, for a thread */
	GzipBuffer	result;			/* a varlena */
	size_t		room;			/* bytes for the result, after the varlena
								 * header */
	size_t		written;
	bool		is_done;
	bool		succeeded;

	/* the thread */
	bool		is_running;		/* a thread exists that was not joined yet */
	pthread_t	thread;
	pg_atomic_uint32 stop;		/* the result is no longer needed */
};

#ifdef USE_LIBDEFLATE

/*
 * For a level of 6 or more, libdeflate is given one less: it still compresses most
 * sitemaps better than zlib, and at level 6 two to three times as fast (measured on
 * 8,145,108 bytes: 500,872 with 5 against zlib's 570,683 with 6; 474,631 with 8 against
 * 491,997 with 9).  Two less would be too few: for half of the kinds of documents
 * measured, libdeflate's level 4 gives larger files than zlib's level 6.
 */
static int
libdeflate_level(int level)
{
	return level >= 6 ? level - 1 : level;
}

/* Prepare the library, which uses malloc.  Returns false if there is no memory. */
static bool
begin_library(SmGzip *gzip)
{
	if (gzip->level != SM_INFLATE)
		gzip->compressor = libdeflate_alloc_compressor(libdeflate_level(gzip->level));
	else
		gzip->decompressor = libdeflate_alloc_decompressor();
	return gzip->compressor || gzip->decompressor;
}

static void
end_library(SmGzip *gzip)
{
	if (gzip->level != SM_INFLATE)
		libdeflate_free_compressor(gzip->compressor);
	else
		libdeflate_free_decompressor(gzip->decompressor);
}

static size_t
bound_result(SmGzip *gzip, size_t len)
{
	return libdeflate_gzip_compress_bound(gzip->compressor, len);
}

/* Do all of the work. */
static void
do_step(SmGzip *gzip)
{
	char	   *result = gzip->result.data + VARHDRSZ;

	gzip->is_done = true;
	if (gzip->level == SM_INFLATE)
		gzip->succeeded = libdeflate_gzip_decompress(gzip->decompressor, gzip->data, gzip->len,
													 result, gzip->room,
													 &gzip->written) == LIBDEFLATE_SUCCESS;
	else
	{
		gzip->written = libdeflate_gzip_compress(gzip->compressor, gzip->data, gzip->len,
												 result, gzip->room);
		gzip->succeeded = gzip->written > 0;
	}
}

#else

/* bytes of a step, between two checks for a cancel request */
#define ZLIB_STEP	(1024 * 1024)

/* 16 asks for the gzip format, whose header gets no name and time 0 */
#define GZIP_BITS	(MAX_WBITS + 16)

/* Prepare the library.  Returns false if there is no memory. */
static bool
begin_library(SmGzip *gzip)
{
	/* zlib uses malloc, maybe in the thread */
	if (gzip->level == SM_INFLATE)
		return inflateInit2(&gzip->stream, GZIP_BITS) == Z_OK;
	return deflateInit2(&gzip->stream, gzip->level, Z_DEFLATED, GZIP_BITS, 8,
						Z_DEFAULT_STRATEGY) == Z_OK;
}

static void
end_library(SmGzip *gzip)
{
	if (gzip->level == SM_INFLATE)
		inflateEnd(&gzip->stream);
	else
		deflateEnd(&gzip->stream);
}

static size_t
bound_result(SmGzip *gzip, size_t len)
{
	return deflateBound(&gzip->stream, len);
}

/* Do another part of the work. */
static void
do_step(SmGzip *gzip)
{
	z_stream   *stream = &gzip->stream;
	size_t		len = Min(gzip->len, ZLIB_STEP);
	int			status;

	stream->next_in = (Bytef *) gzip->data;
	stream->avail_in = len;
	stream->next_out = (Bytef *) gzip->result.data + VARHDRSZ + gzip->written;
	stream->avail_out = gzip->room - gzip->written;
	gzip->data += len;
	gzip->len -= len;
	if (gzip->level == SM_INFLATE)
		status = inflate(stream, Z_NO_FLUSH);
	else
		status = deflate(stream, gzip->len > 0 ? Z_NO_FLUSH : Z_FINISH);
	gzip->written = gzip->room - stream->avail_out;
	gzip->succeeded = status == Z_STREAM_END;
	gzip->is_done = status != Z_OK || gzip->len == 0;

	/* make the stream ready for the next document */
	if (gzip->is_done && gzip->level == SM_INFLATE)
		inflateReset(stream);
	else if (gzip->is_done)
		deflateReset(stream);
}

#endif

/*
 * A cancel request or a termination ends the thread after its present step; end_work then
 * serves it.  With libdeflate, the whole work is one step.
 */
static void *
run_thread(void *arg)
{
	SmGzip	   *gzip = arg;

	do
		do_step(gzip);
	while (!gzip->is_done && !QueryCancelPending && !ProcDiePending &&
		   pg_atomic_read_u32(&gzip->stop) == 0);
	return NULL;
}

/* Create the thread, unless that is not possible. */
static void
start_thread(SmGzip *gzip)
{
	sigset_t	all;
	sigset_t	before;

	/*
	 * signals are for the backend; a thread inherits the mask of its creator
	 */
	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
		return;
	gzip->is_running = pthread_create(&gzip->thread, NULL, run_thread, gzip) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Called before the memory context is freed.  A thread first ends its present step. */
static void
destroy(void *arg)
{
	SmGzip	   *gzip = arg;

	if (gzip->is_running)
	{
		pg_atomic_write_u32(&gzip->stop, 1);
		pthread_join(gzip->thread, NULL);
	}
	end_library(gzip);
}

SmGzip *
sm_gzip_create(int level)
{
	SmGzip	   *gzip = palloc0_object(SmGzip);

	gzip->context = CurrentMemoryContext;
	gzip->level = level;
	if (!begin_library(gzip))
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("Could not make a %s.", level == SM_INFLATE ? "decompressor" : "compressor")));
	pg_atomic_init_u32(&gzip->stop, 0);
	gzip->callback.func = destroy;
	gzip->callback.arg = gzip;
	MemoryContextRegisterResetCallback(gzip->context, &gzip->callback);
	return gzip;
}

/* Make a buffer large enough. Its contents are lost. */
static void
reserve(MemoryContext context, GzipBuffer *buffer, size_t needed)
{
	if (needed <= buffer->size)
		return;
	if (buffer->data)
		pfree(buffer->data);
	buffer->data = NULL;
	buffer->size = 0;
	buffer->data = MemoryContextAlloc(context, needed);
	buffer->size = needed;
}

/* Do what is left of the work. */
static void
finish(SmGzip *gzip)
{
	while (!gzip->is_done)
	{
		CHECK_FOR_INTERRUPTS();
		do_step(gzip);
	}
}

/* Begin the work, in a thread if in_thread and if one can be created. */
static void
begin_work(SmGzip *gzip, SmSpan data, size_t room, bool in_thread)
{
	Assert(!gzip->is_running);
	gzip->data = data.s;
	gzip->len = data.len;
	gzip->room = room;
	gzip->written = 0;
	gzip->is_done = false;
	gzip->succeeded = false;
	reserve(gzip->context, &gzip->result, VARHDRSZ + room);
	if (in_thread && max_parallel_workers_per_gather > 0)
	{
		reserve(gzip->context, &gzip->copy, data.len);
		gzip->data = memcpy(gzip->copy.data, data.s, data.len);
		start_thread(gzip);
	}
	if (!gzip->is_running)
		finish(gzip);
}

/* Wait for the end of the work. */
static void
end_work(SmGzip *gzip)
{
	if (gzip->is_running)
		pthread_join(gzip->thread, NULL);
	gzip->is_running = false;
	finish(gzip);
}

void
sm_gzip_begin(SmGzip *gzip, SmSpan data)
{
	begin_work(gzip, data, bound_result(gzip, data.len), data.len >= GZIP_THREAD_MIN);
}

struct varlena *
sm_gzip_end(SmGzip *gzip)
{
	end_work(gzip);
	if (!gzip->succeeded)
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not compress a document")));
	SET_VARSIZE(gzip->result.data, VARHDRSZ + gzip->written);
	return (struct varlena *) gzip->result.data;
}

bool
sm_is_gzip(SmSpan data)
{
	return data.len >= 2 && memcmp(data.s, "\x1F\x8B", 2) == 0;
}

void
sm_gunzip_begin(SmGzip *gzip, SmSpan data, size_t size)
{
	begin_work(gzip, data, size, size >= GUNZIP_THREAD_MIN);
}

SmSpan
sm_gunzip_end(SmGzip *gzip)
{
	end_work(gzip);
	if (!gzip->succeeded || gzip->written != gzip->room)
		return sm_no_span();
	return sm_span(gzip->result.data + VARHDRSZ, gzip->room);
}
