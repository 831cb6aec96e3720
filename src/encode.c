/*
 * encode.c
 *	  sitemap_encode: one segment of a path, percent-encoded.
 */
#include "postgres.h"

#include "fmgr.h"
#include "server/argument.h"
#include "text/text.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "web/escape.h"

PG_FUNCTION_INFO_V1(sitemap_encode);

/* Positions of the arguments. */
enum
{
	ARG_SEGMENT,
	ARG_KEEP
};

/* Read the argument keep; NULL stands for no characters. */
static SmSpan
read_keep(FunctionCallInfo fcinfo)
{
	SmSpan		keep;

	if (PG_ARGISNULL(ARG_KEEP))
		return sm_span("", 0);
	keep = sm_read_argument(PG_GETARG_DATUM(ARG_KEEP), "keep");
	if (sm_url_reserved_length(keep) < keep.len)
		sm_invalid_argument("keep", TextDatumGetCString(PG_GETARG_DATUM(ARG_KEEP)),
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

	if (PG_ARGISNULL(ARG_SEGMENT))
		PG_RETURN_NULL();
	segment = sm_read_argument(PG_GETARG_DATUM(ARG_SEGMENT), "segment");
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
