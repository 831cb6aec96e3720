/*
 * encode.c
 *	  sitemap_encode: one segment of a path, percent-encoded.
 */
#include "postgres.h"

#include "fmgr.h"
#include "server/argument.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "web/escape.h"

PG_FUNCTION_INFO_V1(sitemap_encode);

/* Read the argument keep; NULL stands for no characters. */
static SmSpan
read_keep(FunctionCallInfo fcinfo)
{
	SmSpan		keep;

	if (PG_ARGISNULL(1))
		return sm_span("", 0);
	keep = sm_read_argument(PG_GETARG_DATUM(1), "keep");
	if (sm_url_reserved_length(keep) < keep.len)
		sm_invalid_argument("keep", TextDatumGetCString(PG_GETARG_DATUM(1)),
							"Only :/?#[]@!$&'()*+,;= can be kept.");
	return keep;
}

/* sitemap_encode(segment, keep) */
Datum
sitemap_encode(PG_FUNCTION_ARGS)
{
	SmSpan		keep = read_keep(fcinfo);
	SmSpan		segment;
	size_t		len;
	text	   *result;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	segment = sm_read_argument(PG_GETARG_DATUM(0), "segment");
	result = palloc_extended(VARHDRSZ + 3 * segment.len, MCXT_ALLOC_HUGE);
	len = sm_url_encode_segment(segment, keep, VARDATA(result));
	if (len > MaxAllocSize - VARHDRSZ)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("segment is too long"),
				 errdetail("It would have %zu bytes after percent-encoding.", len)));
	SET_VARSIZE(result, VARHDRSZ + len);
	PG_RETURN_TEXT_P(result);
}
