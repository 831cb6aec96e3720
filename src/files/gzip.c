/*
 * gzip.c
 *	  Compression of whole documents, and the reverse, by libdeflate if the build
 *	  has it, else by zlib.
 *
 * libdeflate is faster than zlib and compresses most sitemaps better, but takes a
 * document in one call, which a cancel request has to wait for: a second or two
 * for the largest document at the highest level.
 *
 * A large document is compressed or inflated in a thread, while the backend does
 * something else.  The thread blocks all signals.  What it reads and writes is in the
 * memory context of its Thread, or outlives that context.  A callback joins the thread
 * before the context is freed, even after an error.
 */
#include "postgres.h"

#include "files/gzip.h"

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
#include "server/zalloc.h"
#endif

/* smallest documents that are worth a thread, about 50 microseconds of work */
#define GZIP_THREAD_MIN		32768
#define GUNZIP_THREAD_MIN	131072

/*
 * Does a step of the work.  Returns true after the last step.  It calls no function
 * of PostgreSQL.  What it reads and writes is in the memory context of its Thread, or
 * outlives that context.
 */
typedef bool (*Step) (void *arg);

/* nanoseconds between two checks for a cancel request while a thread works */
#define WAIT_NSECS			(100 * 1000 * 1000)

typedef struct Thread
{
	MemoryContextCallback callback;
	Step		step;
	void	   *arg;
	bool		is_running;		/* a thread exists that was not joined yet */
	pthread_t	thread;
	pthread_mutex_t mutex;
	pthread_cond_t ended;
	bool		has_ended;		/* under mutex */
	pg_atomic_uint32 stop;		/* the result is no longer needed */
} Thread;

static void *
thread_run(void *arg)
{
	Thread	   *thread = arg;

	while (!thread->step(thread->arg) && pg_atomic_read_u32(&thread->stop) == 0)
		;
	pthread_mutex_lock(&thread->mutex);
	thread->has_ended = true;
	pthread_cond_signal(&thread->ended);
	pthread_mutex_unlock(&thread->mutex);
	return NULL;
}

/* Create the thread. Returns false if that is not possible. */
static bool
thread_start(Thread *thread)
{
	sigset_t	all;
	sigset_t	before;

	/*
	 * signals are for the backend; a thread inherits the mask of its creator
	 */
	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
		return false;
	thread->has_ended = false;
	thread->is_running = pthread_create(&thread->thread, NULL, thread_run, thread) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return thread->is_running;
}

static void
thread_join(Thread *thread)
{
	pthread_join(thread->thread, NULL);
	thread->is_running = false;
}

/* Called before the memory context of the thread is freed. */
static void
thread_destroy(void *arg)
{
	Thread	   *thread = arg;

	if (thread->is_running)
	{
		pg_atomic_write_u32(&thread->stop, 1);
		thread_join(thread);
	}
	pthread_cond_destroy(&thread->ended);
	pthread_mutex_destroy(&thread->mutex);
}

/*
 * Prepare for work in the current memory context.  If a thread is still working when
 * the context is freed, even after an error, the thread first finishes its present
 * step and ends.
 */
static Thread *
thread_create(void)
{
	Thread	   *thread = palloc0(sizeof(Thread));

	pthread_mutex_init(&thread->mutex, NULL);
	pthread_cond_init(&thread->ended, NULL);
	pg_atomic_init_u32(&thread->stop, 0);
	thread->callback.func = thread_destroy;
	thread->callback.arg = thread;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &thread->callback);
	return thread;
}

/*
 * Begin the work in a thread.  If in_thread is false, or no thread can be created,
 * the backend does all of the work in this call.
 */
static void
thread_begin(Thread *thread, bool in_thread, Step step, void *arg)
{
	Assert(!thread->is_running);
	thread->step = step;
	thread->arg = arg;
	if (in_thread && thread_start(thread))
		return;
	while (!step(arg))
		CHECK_FOR_INTERRUPTS();
}

/* Wait for the end of the work. */
static void
thread_end(Thread *thread)
{
	bool		has_ended = false;

	if (!thread->is_running)
		return;
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
		pthread_mutex_lock(&thread->mutex);
		if (!thread->has_ended)
			pthread_cond_timedwait(&thread->ended, &thread->mutex, &until);
		has_ended = thread->has_ended;
		pthread_mutex_unlock(&thread->mutex);
	}
	thread_join(thread);
}

/* Memory that work in a thread uses. */
typedef struct GzipBuffer
{
	char	   *data;
	size_t		size;
} GzipBuffer;

struct SmGzip
{
	MemoryContext context;
	MemoryContextCallback callback;
	Thread	   *thread;
	int			level;
#ifdef USE_LIBDEFLATE
	struct libdeflate_compressor *compressor;
#else
	z_stream	stream;
#endif

	const char *data;			/* rest of the document */
	size_t		len;
	GzipBuffer	copy;			/* the document for the thread */
	GzipBuffer	result;			/* a varlena */
	size_t		written;		/* bytes after the varlena header, 0 for a
								 * failure */
};

struct SmGunzip
{
	MemoryContext context;
	MemoryContextCallback callback;
	Thread	   *thread;
#ifdef USE_LIBDEFLATE
	struct libdeflate_decompressor *decompressor;
#else
	z_stream	stream;
#endif

	size_t		len;			/* of the data */
	GzipBuffer	copy;			/* the data */
	size_t		document_len;
	GzipBuffer	document;
	bool		succeeded;
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

static bool
create_compressor(SmGzip *gzip)
{
	/* from malloc: the callback frees it */
	gzip->compressor = libdeflate_alloc_compressor(libdeflate_level(gzip->level));
	return gzip->compressor != NULL;
}

static void
free_compressor(void *arg)
{
	libdeflate_free_compressor(((SmGzip *) arg)->compressor);
}

static size_t
bound_result(SmGzip *gzip)
{
	return libdeflate_gzip_compress_bound(gzip->compressor, gzip->len);
}

/* Compress all of the document. */
static bool
compress_step(void *arg)
{
	SmGzip	   *gzip = arg;

	gzip->written = libdeflate_gzip_compress(gzip->compressor, gzip->data, gzip->len,
											 gzip->result.data + VARHDRSZ,
											 gzip->result.size - VARHDRSZ);
	return true;
}

static bool
create_decompressor(SmGunzip *gunzip)
{
	gunzip->decompressor = libdeflate_alloc_decompressor();
	return gunzip->decompressor != NULL;
}

static void
free_decompressor(void *arg)
{
	libdeflate_free_decompressor(((SmGunzip *) arg)->decompressor);
}

/* Inflate all of the data. */
static bool
inflate_step(void *arg)
{
	SmGunzip   *gunzip = arg;

	gunzip->succeeded = libdeflate_gzip_decompress(gunzip->decompressor, gunzip->copy.data,
												   gunzip->len, gunzip->document.data,
												   gunzip->document_len, NULL) == LIBDEFLATE_SUCCESS;
	return true;
}

#else

/* bytes of a step, between two checks for a cancel request */
#define ZLIB_STEP	(1024 * 1024)

static bool
create_compressor(SmGzip *gzip)
{
	sm_zalloc_from(&gzip->stream, gzip->context);
	/* 16 asks for a gzip header: with time 0, without a name */
	return deflateInit2(&gzip->stream, gzip->level, Z_DEFLATED, MAX_WBITS + 16, 8,
						Z_DEFAULT_STRATEGY) == Z_OK;
}

static void
free_compressor(void *arg)
{
	/* zlib's memory is in the context */
}

static size_t
bound_result(SmGzip *gzip)
{
	/* first, since deflateBound depends on the state of the stream */
	deflateReset(&gzip->stream);
	return deflateBound(&gzip->stream, gzip->len);
}

/* Compress another part of the document.  Returns true after the last part. */
static bool
compress_step(void *arg)
{
	SmGzip	   *gzip = arg;
	z_stream   *stream = &gzip->stream;
	size_t		step = Min(gzip->len, ZLIB_STEP);
	int			status;

	stream->next_in = (Bytef *) gzip->data;
	stream->avail_in = step;
	stream->next_out = (Bytef *) gzip->result.data + VARHDRSZ + stream->total_out;
	stream->avail_out = gzip->result.size - VARHDRSZ - stream->total_out;
	gzip->data += step;
	gzip->len -= step;

	status = deflate(stream, gzip->len > 0 ? Z_NO_FLUSH : Z_FINISH);
	if (status == Z_OK && gzip->len > 0)
		return false;
	gzip->written = status == Z_STREAM_END ? stream->total_out : 0;
	return true;
}

static bool
create_decompressor(SmGunzip *gunzip)
{
	/*
	 * from malloc, since broken data make inflate allocate more, in the
	 * thread
	 */
	return inflateInit2(&gunzip->stream, MAX_WBITS + 16) == Z_OK;
}

static void
free_decompressor(void *arg)
{
	inflateEnd(&((SmGunzip *) arg)->stream);
}

static bool
inflate_step(void *arg)
{
	SmGunzip   *gunzip = arg;
	z_stream   *stream = &gunzip->stream;

	inflateReset(stream);
	stream->next_in = (Bytef *) gunzip->copy.data;
	stream->avail_in = gunzip->len;
	stream->next_out = (Bytef *) gunzip->document.data;
	stream->avail_out = gunzip->document_len;
	gunzip->succeeded = inflate(stream, Z_FINISH) == Z_STREAM_END && stream->avail_out == 0;
	return true;
}

#endif

pg_noreturn static void
out_of_memory(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_OUT_OF_MEMORY),
			 errmsg("out of memory"),
			 errdetail("Could not make a %s.", what)));
}

SmGzip *
sm_gzip_create(int level)
{
	SmGzip	   *gzip = palloc0(sizeof(SmGzip));

	gzip->context = CurrentMemoryContext;
	gzip->level = level;
	if (!create_compressor(gzip))
		out_of_memory("compressor");
	gzip->callback.func = free_compressor;
	gzip->callback.arg = gzip;
	MemoryContextRegisterResetCallback(gzip->context, &gzip->callback);
	/* callbacks run last to first: the thread ends before free_compressor */
	gzip->thread = thread_create();
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

void
sm_gzip_begin(SmGzip *gzip, const char *data, size_t len)
{
	bool		in_thread = len >= GZIP_THREAD_MIN && max_parallel_workers_per_gather > 0;

	gzip->data = data;
	gzip->len = len;
	reserve(gzip->context, &gzip->result, VARHDRSZ + bound_result(gzip));
	if (in_thread)
	{
		reserve(gzip->context, &gzip->copy, len);
		gzip->data = memcpy(gzip->copy.data, data, len);
	}
	thread_begin(gzip->thread, in_thread, compress_step, gzip);
}

struct varlena *
sm_gzip_end(SmGzip *gzip)
{
	thread_end(gzip->thread);
	Assert(gzip->written > 0);
	SET_VARSIZE(gzip->result.data, VARHDRSZ + gzip->written);
	return (struct varlena *) gzip->result.data;
}

bool
sm_is_gzip(SmSpan data)
{
	return data.len >= 2 && memcmp(data.s, "\x1F\x8B", 2) == 0;
}

SmGunzip *
sm_gunzip_create(void)
{
	SmGunzip   *gunzip = palloc0(sizeof(SmGunzip));

	gunzip->context = CurrentMemoryContext;
	if (!create_decompressor(gunzip))
		out_of_memory("decompressor");
	gunzip->callback.func = free_decompressor;
	gunzip->callback.arg = gunzip;
	MemoryContextRegisterResetCallback(gunzip->context, &gunzip->callback);
	gunzip->thread = thread_create();
	return gunzip;
}

void
sm_gunzip_begin(SmGunzip *gunzip, SmSpan data, size_t size)
{
	gunzip->succeeded = false;
	if (size > MaxAllocSize)
		return;
	gunzip->len = data.len;
	gunzip->document_len = size;
	reserve(gunzip->context, &gunzip->copy, data.len);
	memcpy(gunzip->copy.data, data.s, data.len);
	reserve(gunzip->context, &gunzip->document, Max(size, 1));
	thread_begin(gunzip->thread,
				 size >= GUNZIP_THREAD_MIN && max_parallel_workers_per_gather > 0,
				 inflate_step, gunzip);
}

SmSpan
sm_gunzip_end(SmGunzip *gunzip)
{
	thread_end(gunzip->thread);
	return gunzip->succeeded ? sm_span(gunzip->document.data, gunzip->document_len) : sm_no_span();
}
