/*
 * value.c
 *	  Reads strings, writes URLs and dates, and counts elements that have limits.
 */
#include "postgres.h"

#include <math.h>

#include "entry/value.h"

#include "entry/element.h"
#include "server/argument.h"
#include "server/encoding.h"
#include "text/text.h"
#include "text/w3cdate.h"
#include "utils/date.h"
#include "web/namespace.h"
#include "web/xml.h"

bool
sm_encoding_problem(SmSpan *result, SmProblems *problems, SmProblemName name, const char *what)
{
	*result = sm_no_span();
	return sm_problem(problems, name, ERRCODE_CHARACTER_NOT_IN_REPERTOIRE, NULL,
					  "invalid %s: %s", what, sm_encoding_message());
}

SmSpan
sm_unless_blank(SmSpan value)
{
	const char *end = value.s + value.len;

	/* nearly all values begin with a character of ASCII */
	if (value.len > 0 && value.s[0] > ' ' && !IS_HIGHBIT_SET(value.s[0]))
		return value;

	for (const char *s = value.s; s < end;)
	{
		uint32_t	c;
		size_t		n = sm_utf8_decode(s, end, &c);

		/* malformed UTF-8 is reported when it is written */
		if (n == 0 || (!sm_is_white_space(c) && sm_xml_legal(c)))
			return value;
		s += n;
	}
	return sm_no_span();
}

bool
sm_url_problem(SmProblems *problems, SmProblemName name, const char *what,
			   SmUrlStatus status)
{
	int			sqlerrcode =
		status == SM_URL_TOO_LONG || status == SM_URL_LONG_REFERENCE ? ERRCODE_STRING_DATA_RIGHT_TRUNCATION :
		status == SM_URL_NO_IDNA ? ERRCODE_FEATURE_NOT_SUPPORTED : ERRCODE_INVALID_TEXT_REPRESENTATION;

	sm_url_check_memory(status);
	return sm_problem(problems, name, sqlerrcode, sm_url_hint(status), "invalid %s: %s",
					  what, sm_url_message(status));
}

bool
sm_read_decimal(SmSpan text, double *value)
{
	char	   *string = pnstrdup(text.s, text.len);
	char	   *end;

	/* a backend's LC_NUMERIC is C */
	*value = strtod(string, &end);
	return text.len > 0 && strspn(string, "+-.0123456789") == text.len &&
		end == string + text.len && !isinf(*value);
}

static bool
append_date_text(StringInfo buf, SmSpan given, SmProblems *problems, SmProblemName name,
				 const char *what, int64 *seconds)
{
	bool		has_time;
	int64_t		parsed;

	given = sm_trim(given);
	if (given.len == 0)
		return false;
	switch (sm_w3c_parse(given, false, &has_time, &parsed))
	{
		case SM_W3C_OK:
			break;
		case SM_W3C_SYNTAX:
			return sm_refuse(problems, name, ERRCODE_INVALID_DATETIME_FORMAT,
							 "W3C datetimes look like 2026-01-02 or 2026-01-02T03:04:05Z; a time needs its zone. Or give a timestamptz.",
							 "invalid %s \"%s\": not a W3C datetime",
							 what, sm_for_message(given));
		case SM_W3C_RANGE:
			return sm_refuse(problems, name, ERRCODE_DATETIME_FIELD_OVERFLOW, NULL,
							 "invalid %s \"%s\": there is no such date or time in the years 0001 to 9999",
							 what, sm_for_message(given));
	}
	sm_append(buf, given.s, given.len);
	*seconds = parsed;
	return true;
}

bool
sm_append_date(StringInfo buf, const SmValue *date, SmProblems *problems,
			   SmProblemName name, const char *what, int64 *seconds)
{
	int64		value = date->v.integer;
	char	   *dst;

	if (date->type == SM_VALUE_NONE)
		return false;
	if (date->type == SM_VALUE_TEXT)
		return append_date_text(buf, date->v.span, problems, name, what, seconds);

	/* infinity is in no year that can be written */
	dst = sm_reserve(buf, SM_W3C_SECONDS_LEN);
	if (date->type == SM_VALUE_DAY)
	{
		int64		day = value + (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE);

		*seconds = day * SECS_PER_DAY;
		if (sm_w3c_format_day(day, dst))
		{
			buf->len += SM_W3C_DATE_LEN;
			return true;
		}
	}
	else
	{
		*seconds = sm_timestamp_seconds(value);
		if (sm_w3c_format_seconds(*seconds, dst))
		{
			buf->len += SM_W3C_SECONDS_LEN;
			return true;
		}
	}
	return sm_refuse(problems, name, ERRCODE_DATETIME_VALUE_OUT_OF_RANGE, NULL,
					 "invalid %s: infinity and years outside 0001 to 9999 cannot be written",
					 what);
}

bool
sm_append_url(SmEntryWriter *w, SmSpan url, SmProblemName problem, const char *what)
{
	SmUrlStatus status;
	size_t		len;

	/* too long for any document: stop before the size overflows */
	if (url.len > SM_MAX_BYTES)
		return sm_refuse(&w->problems, problem, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
						 "%s is too long for a sitemap: %zu bytes", what, url.len);
	status = sm_url_encode(url.s, url.len, w->link_base, &w->link_cache, SM_FORM_XML, SM_URL_UNLIMITED,
						   sm_reserve(w->buf, sm_url_bound(url.len, w->link_base, SM_URL_UNLIMITED)),
						   &len);
	if (status == SM_URL_OK)
	{
		w->buf->len += len;
		return true;
	}
	sm_url_problem(&w->problems, problem,
				   psprintf("%s \"%s\"", what, sm_for_message(sm_without_secret(url))), status);
	return false;
}

bool
sm_count_element(SmEntryWriter *w, uint32 ns, SmProblemName problem)
{
	if (ns == SM_NS_IMAGE && w->nimages == SM_MAX_IMAGES)
		return sm_refuse(&w->problems, problem, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
						 "invalid extensions: a url can have at most %d images", SM_MAX_IMAGES);
	if (ns == SM_NS_NEWS && w->page->has_news)
		return sm_refuse(&w->problems, problem, ERRCODE_INVALID_PARAMETER_VALUE, NULL,
						 "invalid extensions: a url can have at most one news element");
	w->nimages += ns == SM_NS_IMAGE;
	w->page->has_news |= ns == SM_NS_NEWS;
	return true;
}
