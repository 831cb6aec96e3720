/*
 * source.c
 *	  The bytes of a document, piece by piece, inflated where they are gzipped.
 *
 * A few kilobytes of gzip can stand for gigabytes, so nothing is believed that
 * the data say of their size, and no more is ever inflated than one piece.
 */
#include "postgres.h"

#include "source.h"

#include "miscadmin.h"
#include "zalloc.h"

/* bytes of a piece at the most, and so between two looks for a cancel request */
#define PIECE_SIZE	65536

struct SmSource
{
	SmSpan		rest;			/* not yet taken, unless stream has it */
	bool		gzipped;
	bool		ended;			/* gzipped: after the last member */
	int64		room;			/* bytes that may yet come out */
	SmFault		fault;			/* behind the pieces that came out so far */
	z_stream	stream;
	char		inflated[PIECE_SIZE];
};

static bool
begins_member(const char *s, size_t len)
{
	return len >= 2 && s[0] == '\x1f' && s[1] == '\x8b';
}

SmSource *
sm_source_create(SmSpan data, bool may_be_gzip, int64 max_bytes)
{
	SmSource   *source = palloc0(sizeof(SmSource));
	z_stream   *stream = &source->stream;

	source->rest = data;
	source->room = max_bytes;
	source->gzipped = may_be_gzip && begins_member(data.s, data.len);
	if (source->gzipped)
	{
		sm_zalloc_from(stream, CurrentMemoryContext);
		stream->next_in = (Bytef *) data.s;
		stream->avail_in = data.len;
		/* 16 asks for a gzip header */
		if (inflateInit2(stream, MAX_WBITS + 16) != Z_OK)
			ereport(ERROR,
					(errcode(ERRCODE_OUT_OF_MEMORY),
					 errmsg("out of memory"),
					 errdetail("zlib could not begin to inflate.")));
	}
	return source;
}

/*
 * After a member comes another one, or nothing, or zeros that fill up a block of
 * a tape, as gzip has it.
 */
static void
end_member(SmSource *source)
{
	z_stream   *stream = &source->stream;

	if (begins_member((const char *) stream->next_in, stream->avail_in))
	{
		inflateReset(stream);
		return;
	}
	source->ended = true;
	for (uInt i = 0; i < stream->avail_in; i++)
	{
		if (stream->next_in[i] != 0)
		{
			sm_fault(&source->fault, ERRCODE_INVALID_BINARY_REPRESENTATION, 0,
					 "something else follows its gzip data", NULL);
			return;
		}
	}
}

/* Inflate the next piece: less than a whole one only at the end or at a fault. */
static SmSpan
inflate_piece(SmSource *source)
{
	z_stream   *stream = &source->stream;

	stream->next_out = (Bytef *) source->inflated;
	stream->avail_out = PIECE_SIZE;
	while (stream->avail_out > 0 && !source->ended && !sm_is_fault(&source->fault))
	{
		CHECK_FOR_INTERRUPTS();
		switch (inflate(stream, Z_NO_FLUSH))
		{
			case Z_OK:
				break;
			case Z_STREAM_END:
				end_member(source);
				break;
			case Z_BUF_ERROR:
				sm_fault(&source->fault, ERRCODE_INVALID_BINARY_REPRESENTATION, 0,
						 "its gzip data end too early", NULL);
				break;
			case Z_MEM_ERROR:
				ereport(ERROR,
						(errcode(ERRCODE_OUT_OF_MEMORY),
						 errmsg("out of memory"),
						 errdetail("zlib could not inflate.")));
				break;
			default:
				sm_fault(&source->fault, ERRCODE_INVALID_BINARY_REPRESENTATION, 0,
						 "its gzip data are damaged", NULL);
				break;
		}
	}
	return sm_span(source->inflated, PIECE_SIZE - stream->avail_out);
}

bool
sm_source_next(SmSource *source, SmSpan *piece, SmFault *fault)
{
	CHECK_FOR_INTERRUPTS();

	if (sm_is_fault(&source->fault))
		*piece = sm_no_span();
	else if (source->gzipped)
		*piece = inflate_piece(source);
	else
	{
		*piece = sm_span(source->rest.s, Min(source->rest.len, PIECE_SIZE));
		source->rest.s += piece->len;
		source->rest.len -= piece->len;
	}

	if (piece->len > (uint64) source->room)
	{
		sm_fault(&source->fault, ERRCODE_PROGRAM_LIMIT_EXCEEDED, 0,
				 "it is longer than max_bytes", NULL);
		piece->len = source->room;
	}
	source->room -= piece->len;

	if (piece->len == 0)
		*fault = source->fault;
	return piece->len > 0;
}
