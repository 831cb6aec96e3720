/*
 * encode.c
 *	  sitemap_encode: one segment of a path, percent-encoded.
 */
#include "postgres.h"

#include "core/escape.h"
#include "fmgr.h"
#include "server/argument.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(sitemap_encode);

Datum
sitemap_encode(PG_FUNCTION_ARGS)
{
	SmSpan		segment = sm_read_argument(PG_GETARG_DATUM(0), "segment");
	size_t		len = sm_url_segment_length(segment.s, segment.len);
	text	   *result;

	if (len > MaxAllocSize - VARHDRSZ)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("segment is too long"),
				 errdetail("It would have %zu bytes after percent-encoding.", len)));
	result = palloc(VARHDRSZ + len);
	SET_VARSIZE(result, VARHDRSZ + len);
	sm_url_encode_segment(segment.s, segment.len, VARDATA(result));
	PG_RETURN_TEXT_P(result);
}
