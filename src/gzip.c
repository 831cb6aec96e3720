/*
 * gzip.c
 *	  Whole documents, compressed, with libdeflate where the build has it.
 *
 * libdeflate is about twice as fast as zlib and compresses better, but takes a
 * document in one call, which a cancel request has to wait for: a second or two
 * for the largest document at the highest level.
 *
 * A large document is compressed in a thread, while the backend makes the next
 * one.  The thread blocks all signals and calls nothing but the library, which
 * allocates nothing while it compresses.  What the thread reads and writes is in
 * the compressor's memory context, and a callback joins the thread before that
 * context is freed: by an error, by the end of the session, or in due course.
 */
#include "postgres.h"

#include "gzip.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "compat.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "port/atomics.h"
#include "utils/memutils.h"

#ifdef USE_LIBDEFLATE
#include <libdeflate.h>
#else
#include "zalloc.h"
#endif

/* smallest document that is worth a thread, about 50 microseconds of work */
#define THREAD_MIN_BYTES	32768

/* nanoseconds between two looks for a cancel request while a thread works */
#define WAIT_NSECS			(100 * 1000 * 1000)

struct SmGzip
{
	MemoryContext context;
	MemoryContextCallback callback;
	int			level;
#ifdef USE_LIBDEFLATE
	struct libdeflate_compressor *compressor;
#else
	z_stream	stream;
#endif

	const char *data;			/* rest of the document */
	size_t		len;
	char	   *copy;			/* the document for the thread, in copy_size
								 * bytes */
	size_t		copy_size;
	char	   *result;			/* a varlena, of size bytes */
	size_t		size;
	size_t		written;		/* bytes after the varlena header, 0 for a
								 * failure */

	bool		has_thread;		/* there is a thread that was not joined yet */
	pthread_t	thread;
	pthread_mutex_t mutex;
	pthread_cond_t ended;
	bool		has_ended;		/* protected by mutex */
	pg_atomic_uint32 stop;		/* the result is no longer needed */
};

#ifdef USE_LIBDEFLATE

/*
 * For a level of 6 or more, libdeflate is given one less: it still compresses
 * sitemaps better than zlib, and several times as fast (measured on 8,145,108 bytes:
 * 500,872 with 5 against zlib's 570,683 with 6; 474,631 with 8 against 491,997 with 9).
 */
static int
libdeflate_level(int level)
{
	return level >= 6 ? level - 1 : level;
}

static void
create_compressor(SmGzip *gzip)
{
	/* from malloc: the callback frees it */
	gzip->compressor = libdeflate_alloc_compressor(libdeflate_level(gzip->level));
	if (gzip->compressor == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("Could not make a compressor of level %d.", gzip->level)));
}

static void
free_compressor(SmGzip *gzip)
{
	libdeflate_free_compressor(gzip->compressor);
}

static size_t
begin_document(SmGzip *gzip)
{
	return libdeflate_gzip_compress_bound(gzip->compressor, gzip->len);
}

/* Compress another part of the document. Returns true after the last part. */
static bool
compress_step(SmGzip *gzip)
{
	gzip->written = libdeflate_gzip_compress(gzip->compressor, gzip->data, gzip->len,
											 gzip->result + VARHDRSZ, gzip->size - VARHDRSZ);
	return true;
}

static bool
inflate_into(SmSpan data, char *dst, size_t size)
{
	struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
	enum libdeflate_result result;

	if (decompressor == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("Could not make a decompressor.")));
	result = libdeflate_gzip_decompress(decompressor, data.s, data.len, dst, size, NULL);
	libdeflate_free_decompressor(decompressor);
	return result == LIBDEFLATE_SUCCESS;
}

#else

/* bytes of a step, between two looks for a cancel request */
#define ZLIB_STEP	(1024 * 1024)

static void
create_compressor(SmGzip *gzip)
{
	sm_zalloc_from(&gzip->stream, gzip->context);
	/* 16 asks for a gzip header, which has no name and time 0 */
	if (deflateInit2(&gzip->stream, gzip->level, Z_DEFLATED, MAX_WBITS + 16, 8,
					 Z_DEFAULT_STRATEGY) != Z_OK)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("zlib could not begin to compress.")));
}

static void
free_compressor(SmGzip *gzip)
{
	/* zlib's memory is in the context */
}

static size_t
begin_document(SmGzip *gzip)
{
	/* first, since deflateBound depends on the state of the stream */
	deflateReset(&gzip->stream);
	return deflateBound(&gzip->stream, gzip->len);
}

static bool
compress_step(SmGzip *gzip)
{
	z_stream   *stream = &gzip->stream;
	size_t		step = Min(gzip->len, ZLIB_STEP);
	int			status;

	stream->next_in = (Bytef *) gzip->data;
	stream->avail_in = step;
	stream->next_out = (Bytef *) gzip->result + VARHDRSZ + stream->total_out;
	stream->avail_out = gzip->size - VARHDRSZ - stream->total_out;
	gzip->data += step;
	gzip->len -= step;

	status = deflate(stream, gzip->len > 0 ? Z_NO_FLUSH : Z_FINISH);
	if (status == Z_OK && gzip->len > 0)
		return false;
	gzip->written = status == Z_STREAM_END ? stream->total_out : 0;
	return true;
}

static bool
inflate_into(SmSpan data, char *dst, size_t size)
{
	z_stream	stream = {0};
	int			status;

	sm_zalloc_from(&stream, CurrentMemoryContext);
	if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("zlib could not begin to inflate.")));
	stream.next_in = (Bytef *) data.s;
	stream.avail_in = data.len;
	stream.next_out = (Bytef *) dst;
	stream.avail_out = size;
	status = inflate(&stream, Z_FINISH);
	inflateEnd(&stream);
	return status == Z_STREAM_END && stream.avail_out == 0;
}

#endif

static void *
run_thread(void *arg)
{
	SmGzip	   *gzip = arg;

	while (!compress_step(gzip) && pg_atomic_read_u32(&gzip->stop) == 0)
		;
	pthread_mutex_lock(&gzip->mutex);
	gzip->has_ended = true;
	pthread_cond_signal(&gzip->ended);
	pthread_mutex_unlock(&gzip->mutex);
	return NULL;
}

/* Begin the thread. Returns false if no thread can be created. */
static bool
begin_thread(SmGzip *gzip)
{
	sigset_t	all;
	sigset_t	before;

	/*
	 * signals are for the backend; a thread inherits the mask of its creator
	 */
	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
		return false;
	gzip->has_ended = false;
	gzip->has_thread = pthread_create(&gzip->thread, NULL, run_thread, gzip) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return gzip->has_thread;
}

static void
join_thread(SmGzip *gzip)
{
	pthread_join(gzip->thread, NULL);
	gzip->has_thread = false;
}

/* Wait for the thread to end, and check for cancel requests. */
static void
wait_for_thread(SmGzip *gzip)
{
	bool		has_ended = false;

	while (!has_ended)
	{
		struct timespec until;

		CHECK_FOR_INTERRUPTS();
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += WAIT_NSECS;
		if (until.tv_nsec >= 1000000000)
		{
			until.tv_sec++;
			until.tv_nsec -= 1000000000;
		}
		pthread_mutex_lock(&gzip->mutex);
		if (!gzip->has_ended)
			pthread_cond_timedwait(&gzip->ended, &gzip->mutex, &until);
		has_ended = gzip->has_ended;
		pthread_mutex_unlock(&gzip->mutex);
	}
	join_thread(gzip);
}

/* Called before the memory context of the compressor is freed. */
static void
destroy(void *arg)
{
	SmGzip	   *gzip = arg;

	if (gzip->has_thread)
	{
		pg_atomic_write_u32(&gzip->stop, 1);
		join_thread(gzip);
	}
	pthread_cond_destroy(&gzip->ended);
	pthread_mutex_destroy(&gzip->mutex);
	free_compressor(gzip);
}

SmGzip *
sm_gzip_create(int level)
{
	SmGzip	   *gzip = palloc0(sizeof(SmGzip));

	gzip->context = CurrentMemoryContext;
	gzip->level = level;
	create_compressor(gzip);
	pthread_mutex_init(&gzip->mutex, NULL);
	pthread_cond_init(&gzip->ended, NULL);
	pg_atomic_init_u32(&gzip->stop, 0);
	gzip->callback.func = destroy;
	gzip->callback.arg = gzip;
	MemoryContextRegisterResetCallback(gzip->context, &gzip->callback);
	return gzip;
}

/* Make a buffer large enough. Its contents are lost. */
static void
reserve(SmGzip *gzip, char **buffer, size_t *size, size_t needed)
{
	if (needed <= *size)
		return;
	if (*buffer)
		pfree(*buffer);
	*buffer = NULL;
	*size = 0;
	*buffer = MemoryContextAlloc(gzip->context, needed);
	*size = needed;
}

void
sm_gzip_begin(SmGzip *gzip, const char *data, size_t len)
{
	Assert(!gzip->has_thread);
	gzip->data = data;
	gzip->len = len;
	reserve(gzip, &gzip->result, &gzip->size, VARHDRSZ + begin_document(gzip));
	if (len >= THREAD_MIN_BYTES && max_parallel_workers_per_gather > 0)
	{
		reserve(gzip, &gzip->copy, &gzip->copy_size, len);
		gzip->data = memcpy(gzip->copy, data, len);
		if (begin_thread(gzip))
			return;
	}
	while (!compress_step(gzip))
		CHECK_FOR_INTERRUPTS();
}

struct varlena *
sm_gzip_end(SmGzip *gzip)
{
	if (gzip->has_thread)
		wait_for_thread(gzip);
	if (gzip->written == 0)
		elog(ERROR, "the compressed document is larger than its bound");
	SET_VARSIZE(gzip->result, VARHDRSZ + gzip->written);
	return (struct varlena *) gzip->result;
}

bool
sm_is_gzip(SmSpan data)
{
	return data.len >= 2 && memcmp(data.s, "\x1F\x8B", 2) == 0;
}

SmSpan
sm_gunzip(SmSpan data, size_t size)
{
	char	   *dst;

	if (size > MaxAllocSize)
		return sm_no_span();
	dst = palloc(size);
	return inflate_into(data, dst, size) ? sm_span(dst, size) : sm_no_span();
}
