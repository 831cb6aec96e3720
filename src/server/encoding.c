/*
 * encoding.c
 *	  Converts by the default conversions of the database.
 *
 * Relies on ASCII being a subset of every encoding that a database can have,
 * byte for byte.
 */
#include "postgres.h"

#include "server/encoding.h"

#include <limits.h>

#include "catalog/namespace.h"
#include "lib/stringinfo.h"
#include "text/ascii.h"
#include "utils/builtins.h"
#include "web/userinfo.h"

/* longest piece of a value that a message shows, in bytes */
#define MESSAGE_CLIP	200

size_t
sm_convert(SmSpan value, int from, int to, SmSpan *result)
{
	Oid			proc = FindDefaultConversionProc(from, to);
	Size		size;
	char	   *dst;
	size_t		done;

	if (!OidIsValid(proc))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("default conversion function for encoding \"%s\" to \"%s\" does not exist",
						pg_encoding_to_char(from), pg_encoding_to_char(to))));
	if (value.len >= INT_MAX / MAX_CONVERSION_GROWTH)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("text of %zu bytes is too long for encoding conversion", value.len)));

	size = value.len * MAX_CONVERSION_GROWTH + 1;
	dst = palloc_extended(size, MCXT_ALLOC_HUGE);
	done = pg_do_encoding_conversion_buf(proc, from, to,
										 (unsigned char *) unconstify(char *, value.s),
										 (int) value.len, (unsigned char *) dst,
										 (int) size, true);
	*result = sm_span_of(dst);
	return value.len - done;
}

bool
sm_convert_to_utf8(SmSpan *value)
{
	int			encoding = GetDatabaseEncoding();

	if (sm_is_ascii(*value))
		return true;
	if (encoding == PG_SQL_ASCII)
		return pg_verify_mbstr(PG_UTF8, value->s, value->len, true);
	return sm_convert(*value, encoding, PG_UTF8, value) == 0;
}

/* Convert UTF-8 to the database's encoding.  Returns how many bytes are left. */
static size_t
convert_from_utf8(SmSpan value, SmSpan *result)
{
	int			encoding = GetDatabaseEncoding();

	*result = value;
	if (encoding == PG_UTF8 || encoding == PG_SQL_ASCII || sm_is_ascii(value))
		return 0;
	return sm_convert(value, PG_UTF8, encoding, result);
}

char *
sm_encoding_message(void)
{
	return psprintf("bytes that are not text in encoding \"%s\" or have no counterpart in UTF-8",
					GetDatabaseEncodingName());
}

bool
sm_can_convert(int encoding)
{
	return encoding == PG_UTF8 ||
		(PG_VALID_ENCODING(encoding) && OidIsValid(FindDefaultConversionProc(encoding, PG_UTF8)));
}

text *
sm_to_text(SmSpan value)
{
	SmSpan		result;

	return convert_from_utf8(value, &result) == 0 ?
		cstring_to_text_with_len(result.s, (int) result.len) : NULL;
}

char *
sm_for_message(SmSpan value)
{
	size_t		clipped = pg_encoding_mbcliplen(PG_UTF8, value.s, value.len,
												MESSAGE_CLIP);
	SmSpan		shown;
	bool		whole = convert_from_utf8(sm_span(value.s, clipped), &shown) == 0 &&
		clipped == value.len;

	return psprintf("%.*s%s", (int) shown.len, shown.s, whole ? "" : "...");
}

SmSpan
sm_without_secret(SmSpan url)
{
	SmSpan		secret = sm_url_secret(url);
	StringInfoData result;

	if (secret.len == 0)
		return url;
	initStringInfo(&result);
	appendBinaryStringInfo(&result, url.s, secret.s - url.s);
	appendStringInfoString(&result, "***");
	secret.s += secret.len;
	appendBinaryStringInfo(&result, secret.s, url.s + url.len - secret.s);
	return sm_span(result.data, result.len);
}

char *
sm_clip(const char *string)
{
	int			len = strlen(string);
	int			clipped = pg_mbcliplen(string, len, MESSAGE_CLIP);

	return psprintf("%.*s%s", clipped, string, clipped < len ? "..." : "");
}
