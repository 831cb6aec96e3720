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
#include "mb/pg_wchar.h"
#include "text/ascii.h"
#include "utils/builtins.h"
#include "web/userinfo.h"

/* longest piece of a value that a message shows, in bytes */
#define MESSAGE_CLIP	200

bool
sm_ascii_only(void)
{
	return GetDatabaseEncoding() != PG_UTF8;
}

/*
 * Convert as much as possible.  *done: number of bytes of s that were
 * converted.
 */
static SmSpan
convert(const char *s, size_t len, int from, int to, size_t *done)
{
	Oid			proc = FindDefaultConversionProc(from, to);
	Size		size;
	char	   *dst;

	if (!OidIsValid(proc))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("default conversion function for encoding \"%s\" to \"%s\" does not exist",
						pg_encoding_to_char(from), pg_encoding_to_char(to))));
	if (len >= INT_MAX / MAX_CONVERSION_GROWTH)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("text of %zu bytes is too long for encoding conversion", len)));

	size = len * MAX_CONVERSION_GROWTH + 1;
	dst = palloc_extended(size, MCXT_ALLOC_HUGE);
	*done = pg_do_encoding_conversion_buf(proc, from, to,
										  (unsigned char *) unconstify(char *, s),
										  (int) len, (unsigned char *) dst,
										  (int) size, true);
	return sm_span(dst, strlen(dst));
}

bool
sm_convert_to_utf8(const char *s, size_t len, SmSpan *result)
{
	int			encoding = GetDatabaseEncoding();
	size_t		done;

	result->s = s;
	result->len = len;
	if (sm_is_ascii(sm_span(s, len)))
		return true;
	if (encoding == PG_SQL_ASCII)
		return pg_verify_mbstr(PG_UTF8, s, len, true);

	*result = convert(s, len, encoding, PG_UTF8, &done);
	return done == len;
}

char *
sm_encoding_message(void)
{
	return psprintf("bytes that are not text in encoding \"%s\" or have no counterpart in UTF-8",
					GetDatabaseEncodingName());
}

const char *
sm_encoding_hint(void)
{
	return GetDatabaseEncoding() != PG_SQL_ASCII ? NULL :
		"In a database in SQL_ASCII, text must be in UTF-8. Convert other text, for example by convert_from(convert(convert_to(t, 'SQL_ASCII'), 'LATIN1', 'UTF8'), 'SQL_ASCII').";
}

bool
sm_can_convert(int encoding)
{
	return encoding == PG_UTF8 ||
		(PG_VALID_ENCODING(encoding) && OidIsValid(FindDefaultConversionProc(encoding, PG_UTF8)));
}

size_t
sm_convert(SmSpan value, int encoding, SmSpan *result)
{
	size_t		done;

	*result = convert(value.s, value.len, encoding, PG_UTF8, &done);
	return value.len - done;
}

text *
sm_to_text(SmSpan value)
{
	int			encoding = GetDatabaseEncoding();
	size_t		done = value.len;
	SmSpan		result = value;

	if (encoding != PG_UTF8 && encoding != PG_SQL_ASCII && !sm_is_ascii(value))
		result = convert(value.s, value.len, PG_UTF8, encoding, &done);
	return done == value.len ? cstring_to_text_with_len(result.s, (int) result.len) : NULL;
}

char *
sm_for_message(SmSpan value)
{
	int			encoding = GetDatabaseEncoding();
	size_t		clipped = pg_encoding_mbcliplen(PG_UTF8, value.s, value.len,
												MESSAGE_CLIP);
	SmSpan		shown = {value.s, clipped};
	bool		whole = clipped == value.len;
	size_t		done;
	char	   *result;

	if (encoding != PG_UTF8 && encoding != PG_SQL_ASCII && !sm_is_ascii(shown))
	{
		shown = convert(value.s, clipped, PG_UTF8, encoding, &done);
		whole = whole && done == clipped;
	}
	result = palloc(shown.len + sizeof("..."));
	strcpy(sm_put(result, shown.s, shown.len), whole ? "" : "...");
	return result;
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
