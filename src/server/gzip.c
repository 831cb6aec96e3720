/*
 * gzip.c
 *	  Compresses and inflates by libdeflate if the build has it, else by zlib.
 *
 * libdeflate is faster than zlib and compresses most sitemaps better, but takes a document
 * in one call, which a cancel request has to wait for: a second or two at the most.
 *
 * A few megabytes of gzip data can inflate to gigabytes, and can declare a wrong size.  So
 * libdeflate inflates only data whose declared size is small and right.  zlib inflates all
 * others piece by piece, up to a limit.
 */
#include "postgres.h"

#include "server/gzip.h"

#include <zlib.h>
#ifdef USE_LIBDEFLATE
#include <libdeflate.h>
#endif

#include "compat.h"
#include "miscadmin.h"
#include "text/littleendian.h"

/* 16 asks for the gzip format, whose header gets no name and time 0 */
#define GZIP_BITS	(MAX_WBITS + 16)

/* bytes that zlib compresses, or makes, between two checks for a cancel request */
#define DEFLATE_STEP	1048576
#define INFLATE_STEP	65536

/* the most bytes that a byte of gzip data can inflate to */
#define MAX_INFLATION	1032

/* the largest document to inflate in one call, in a few hundredths of a second */
#define MAX_AT_ONCE		67108864

/* zlib's memory is in the current memory context, which an error frees. */
static void *
allocate(void *opaque, unsigned int items, unsigned int size)
{
	return palloc((Size) items * size);
}

static void
release(void *opaque, void *address)
{
	pfree(address);
}

#ifdef USE_LIBDEFLATE

struct varlena *
sm_gzip(int level, SmSpan data)
{
	size_t		room = libdeflate_gzip_compress_bound(NULL, data.len);
	struct varlena *result = palloc(VARHDRSZ + room);
	struct libdeflate_compressor *compressor;
	size_t		len;

	/*
	 * At one level lower, libdeflate still compresses most sitemaps better
	 * than zlib, and two to three times as fast.  With two less, half of the
	 * kinds of documents measured became larger.
	 */
	compressor = libdeflate_alloc_compressor(level >= 6 ? level - 1 : level);
	if (compressor == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	len = libdeflate_gzip_compress(compressor, data.s, data.len, VARDATA(result), room);
	libdeflate_free_compressor(compressor);
	if (len == 0)
		elog(ERROR, "could not compress a document");
	SET_VARSIZE(result, VARHDRSZ + len);
	return result;
}

#else

struct varlena *
sm_gzip(int level, SmSpan data)
{
	z_stream	stream = {.zalloc = allocate,.zfree = release};
	const char *end = data.s + data.len;
	struct varlena *result;
	size_t		room;
	int			status;

	if (deflateInit2(&stream, level, Z_DEFLATED, GZIP_BITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		elog(ERROR, "could not compress a document");
	room = deflateBound(&stream, data.len);
	result = palloc(VARHDRSZ + room);
	stream.next_in = (Bytef *) data.s;
	stream.next_out = (Bytef *) VARDATA(result);
	stream.avail_out = room;
	do
	{
		size_t		left = end - (const char *) stream.next_in;

		CHECK_FOR_INTERRUPTS();
		stream.avail_in = Min(left, DEFLATE_STEP);
		status = deflate(&stream, left > DEFLATE_STEP ? Z_NO_FLUSH : Z_FINISH);
	} while (status == Z_OK);
	if (status != Z_STREAM_END)
		elog(ERROR, "could not compress a document");
	SET_VARSIZE(result, VARHDRSZ + room - stream.avail_out);
	deflateEnd(&stream);
	return result;
}

#endif

/* The size that gzip data declare in their last bytes; 0 if it cannot be the true size. */
static size_t
declared_size(SmSpan data)
{
	size_t		size = data.len >= 4 ? sm_load(data.s + data.len - 4, 4) : 0;

	return size <= MAX_AT_ONCE && size / MAX_INFLATION <= data.len ? size : 0;
}

/* Inflate data in one call.  Returns false unless they inflate to exactly this size. */
static bool
inflate_at_once(SmSpan data, char *buf, size_t size)
{
#ifdef USE_LIBDEFLATE
	struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
	size_t		nread;
	bool		done = decompressor != NULL &&
		libdeflate_gzip_decompress_ex(decompressor, data.s, data.len, buf, size,
									  &nread, NULL) == LIBDEFLATE_SUCCESS &&
		nread == data.len;

	libdeflate_free_decompressor(decompressor);
	return done;
#else
	return false;
#endif
}

const char *
sm_gunzip(SmSpan data, size_t limit, SmSpan *content)
{
	z_stream	stream = {.zalloc = allocate,.zfree = release};
	size_t		size = declared_size(data);
	size_t		room = Max(size + 1, INFLATE_STEP);
	char	   *buf = palloc(room);
	size_t		len = 0;
	const char *reason = NULL;
	bool		ended = false;

	if (size > 0 && size <= limit && inflate_at_once(data, buf, size))
	{
		*content = sm_span(buf, size);
		return NULL;
	}

	stream.next_in = (Bytef *) data.s;
	stream.avail_in = data.len;
	if (inflateInit2(&stream, GZIP_BITS) != Z_OK)
		elog(ERROR, "inflateInit2 failed: %s", stream.msg);
	while (!ended && reason == NULL && len <= limit)
	{
		uInt		step;

		CHECK_FOR_INTERRUPTS();

		if (len == room)
		{
			room *= 2;
			buf = repalloc_huge(buf, room);
		}
		step = Min(room - len, INFLATE_STEP);
		stream.next_out = (Bytef *) buf + len;
		stream.avail_out = step;
		switch (inflate(&stream, Z_NO_FLUSH))
		{
			case Z_OK:
				break;
			case Z_STREAM_END:
				/* another member can follow */
				if (sm_is_gzip(sm_span((const char *) stream.next_in, stream.avail_in)))
					inflateReset(&stream);
				else if (stream.avail_in > 0)
					reason = "other bytes follow the gzip data";
				else
					ended = true;
				break;
			case Z_BUF_ERROR:
				reason = "the gzip data end too early";
				break;
			default:
				reason = "the gzip data are damaged";
				break;
		}
		len += step - stream.avail_out;
	}
	inflateEnd(&stream);
	*content = sm_span(buf, len);
	return reason;
}
