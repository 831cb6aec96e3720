/*
 * element.c
 *	  A row becomes an entry: a <url>, a <sitemap>, or a line of a text sitemap.
 *
 * This is where nearly all the time goes when a large site is written, so the
 * ordinary row takes no detour: space for the worst case is made once, and
 * bytes are put straight into the buffer.
 */
#include "postgres.h"

#include "element.h"

#include "core/decimal.h"
#include "core/text.h"
#include "core/w3cdate.h"
#include "encoding.h"
#include "fmgr.h"
#include "fragment.h"
#include "row.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/memutils.h"
#include "utils/xml.h"

PG_FUNCTION_INFO_V1(sitemap_url_timestamp);
PG_FUNCTION_INFO_V1(sitemap_url_date);
PG_FUNCTION_INFO_V1(sitemap_url_text);

static const SmSpan changefreqs[] = {
	{SM_LITERAL("always")}, {SM_LITERAL("hourly")}, {SM_LITERAL("daily")}, {SM_LITERAL("weekly")},
	{SM_LITERAL("monthly")}, {SM_LITERAL("yearly")}, {SM_LITERAL("never")}
};

void
sm_element_writer_init(SmElementWriter *w, SmKind kind)
{
	memset(w, 0, sizeof(*w));
	w->kind = kind;
	w->ascii = sm_ascii_only();
}

void
sm_url_check_memory(SmUrlStatus status)
{
	if (status == SM_URL_NO_MEMORY)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("libidn2 could not encode a host name.")));
}

bool
sm_url_problem(SmProblems *problems, SmProblemName name, const char *what,
			   SmUrlStatus status)
{
	int			sqlerrcode = ERRCODE_INVALID_TEXT_REPRESENTATION;
	const char *hint = NULL;

	sm_url_check_memory(status);
	switch (status)
	{
		case SM_URL_TOO_LONG:
		case SM_URL_LONG_AUTHORITY:
			sqlerrcode = ERRCODE_STRING_DATA_RIGHT_TRUNCATION;
			break;
		case SM_URL_NO_SCHEME:
		case SM_URL_LOST_SCHEME:
			hint = "Write it with its scheme, such as \"https://www.example.com/page\".";
			break;
		case SM_URL_NO_IDNA:
			sqlerrcode = ERRCODE_FEATURE_NOT_SUPPORTED;
			hint = "Rebuild sitemap with libidn2, or give the host in its ASCII form (xn--...).";
			break;
		case SM_URL_OTHER_SITE:
		case SM_URL_OTHER_PATH:
			sqlerrcode = ERRCODE_INVALID_PARAMETER_VALUE;
			hint = "The argument scope says which URLs belong: host, path or any.";
			break;
		default:
			break;
	}
	return sm_problem(problems, name, sqlerrcode, hint, "invalid %s: %s",
					  what, sm_url_message(status));
}

/* The loc was refused. */
static pg_noinline void
loc_problem(SmProblems *problems, SmUrlStatus status)
{
	SmProblemName name = SM_LOC_INVALID;

	if (status == SM_URL_TOO_LONG)
		name = SM_LOC_TOO_LONG;
	else if (status == SM_URL_OTHER_SITE || status == SM_URL_OTHER_PATH)
		name = SM_LOC_OUTSIDE;
	sm_url_problem(problems, name, "loc", status);
}

/*
 * Make room for size bytes more and return the place to write to.  What buf had
 * may have moved.
 */
static inline char *
reserve(StringInfo buf, size_t size)
{
	if (unlikely(size >= (size_t) (buf->maxlen - buf->len)))
	{
		if (size > MaxAllocSize / 2)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("a value is too long for a sitemap")));
		enlargeStringInfo(buf, (int) size);
	}
	return buf->data + buf->len;
}

/* Put a literal, or other bytes, at the end of buf. */
static inline void
append(StringInfo buf, const char *s, size_t len)
{
	buf->len = sm_put(reserve(buf, len), s, len) - buf->data;
}

/* Bytes of a datetime as text: a fraction of a second can have any length. */
#define DATE_TEXT_MAX	255

static void
append_date_text(StringInfo buf, SmSpan given, SmProblems *problems,
				 const char *what, bool *has_seconds, int64 *seconds)
{
	int64_t		parsed;

	given = sm_trim(given);
	if (given.len == 0)
		return;
	if (given.len > DATE_TEXT_MAX)
	{
		sm_problem(problems, SM_LASTMOD_INVALID, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
				   "invalid %s \"%s\": it has more than %d characters",
				   what, sm_for_message(given), DATE_TEXT_MAX);
		return;
	}
	switch (sm_w3c_parse(given.s, given.len, &parsed))
	{
		case SM_W3C_OK:
			append(buf, given.s, given.len);
			*has_seconds = true;
			*seconds = parsed;
			break;
		case SM_W3C_SYNTAX:
			sm_problem(problems, SM_LASTMOD_INVALID, ERRCODE_INVALID_DATETIME_FORMAT,
					   "W3C datetimes look like 2026-01-02 or 2026-01-02T03:04:05Z; a time needs its zone.",
					   "invalid %s \"%s\": it is not a W3C datetime",
					   what, sm_for_message(given));
			break;
		case SM_W3C_RANGE:
			sm_problem(problems, SM_LASTMOD_INVALID, ERRCODE_DATETIME_FIELD_OVERFLOW, NULL,
					   "invalid %s \"%s\": there is no such date or time in the years 0001 to 9999",
					   what, sm_for_message(given));
			break;
	}
}

void
sm_append_date(StringInfo buf, SmLastmodType type, int64 value, SmSpan text,
			   SmProblems *problems, const char *what,
			   bool *has_seconds, int64 *seconds)
{
	char	   *dst;

	*has_seconds = false;
	if (type == SM_LASTMOD_NONE)
		return;
	if (type == SM_LASTMOD_TEXT)
	{
		append_date_text(buf, text, problems, what, has_seconds, seconds);
		return;
	}

	dst = reserve(buf, SM_W3C_SECONDS_LEN);
	if (type == SM_LASTMOD_DATE && !DATE_NOT_FINITE((DateADT) value))
	{
		int64		day = value + (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE);

		*seconds = day * SECS_PER_DAY;
		*has_seconds = sm_w3c_format_day(day, dst);
		buf->len += *has_seconds ? SM_W3C_DATE_LEN : 0;
	}
	else if (type == SM_LASTMOD_TIMESTAMP && !TIMESTAMP_NOT_FINITE((Timestamp) value))
	{
		*seconds = value / USECS_PER_SEC - (value % USECS_PER_SEC < 0) + SM_POSTGRES_EPOCH;
		*has_seconds = sm_w3c_format_seconds(*seconds, dst);
		buf->len += *has_seconds ? SM_W3C_SECONDS_LEN : 0;
	}
	if (!*has_seconds)
		sm_problem(problems, SM_LASTMOD_INVALID, ERRCODE_DATETIME_VALUE_OUT_OF_RANGE, NULL,
				   "invalid %s: infinity and years outside 0001 to 9999 cannot be written",
				   what);
}

static void
append_lastmod(SmElementWriter *w, const SmRow *row, StringInfo buf, SmEntry *entry)
{
	int			start = buf->len;
	int			content;

	append(buf, SM_LITERAL("<lastmod>"));
	content = buf->len;
	sm_append_date(buf, row->lastmod_type, row->lastmod, row->lastmod_text,
				   &w->problems, "lastmod", &entry->has_lastmod, &entry->lastmod);
	if (!entry->has_lastmod)
	{
		buf->len = start;
		return;
	}

	/* Google's schema of 2005 counts the characters */
	if (w->protocol == SM_PROTOCOL_084 && w->kind != SM_TEXT &&
		(buf->len - content < 10 || buf->len - content > 25))
	{
		entry->has_lastmod = false;
		buf->len = start;
		sm_problem(&w->problems, SM_LASTMOD_INVALID, ERRCODE_INVALID_DATETIME_FORMAT, NULL,
				   "invalid lastmod \"%s\": protocol 0.84 takes 10 to 25 characters",
				   sm_for_message(row->lastmod_text));
		return;
	}
	append(buf, SM_LITERAL("</lastmod>"));
}

static void
append_changefreq(SmElementWriter *w, SmSpan given, StringInfo buf)
{
	SmSpan		value = sm_trim(given);

	if (value.len == 0)
		return;
	for (size_t i = 0; i < lengthof(changefreqs); i++)
	{
		if (sm_span_equal(changefreqs[i], value) ||
			(changefreqs[i].len == value.len &&
			 pg_strncasecmp(changefreqs[i].s, value.s, value.len) == 0))
		{
			append(buf, SM_LITERAL("<changefreq>"));
			append(buf, changefreqs[i].s, value.len);
			append(buf, SM_LITERAL("</changefreq>"));
			return;
		}
	}
	sm_problem(&w->problems, SM_CHANGEFREQ_INVALID, ERRCODE_INVALID_TEXT_REPRESENTATION,
			   "It can be always, hourly, daily, weekly, monthly, yearly or never.",
			   "invalid changefreq \"%s\"", sm_for_message(given));
}

static void
append_priority(SmElementWriter *w, double priority, StringInfo buf)
{
	char		digits[SM_DECIMAL_MAX];

	/* this is false for NaN, too */
	if (!(priority >= 0.0 && priority <= 1.0))
	{
		sm_problem(&w->problems, SM_PRIORITY_INVALID, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, NULL,
				   "invalid priority %s: it must be from 0.0 to 1.0",
				   float8out_internal(priority));
		return;
	}
	append(buf, SM_LITERAL("<priority>"));
	append(buf, digits, sm_decimal_format(priority, digits));
	append(buf, SM_LITERAL("</priority>"));
}

/* False if the row is lost. */
static bool
append_extensions(SmElementWriter *w, const SmRow *row, SmSpan loc, StringInfo buf,
				  SmEntry *entry)
{
	SmPage		own;
	SmPage	   *page = w->page ? w->page : &own;
	int			start = buf->len;

	if (w->protocol == SM_PROTOCOL_084)
	{
		sm_problem(&w->problems, SM_EXTENSION_INVALID, ERRCODE_FEATURE_NOT_SUPPORTED, NULL,
				   "protocol 0.84 has no extension elements");
		return true;
	}

	memset(page, 0, sizeof(*page));
	page->loc = loc;
	for (int i = 0; i < row->nextensions; i++)
	{
		sm_append_extension(buf, row->extensions[i], w->ascii, page, &w->problems);

		/* no document can have it, so do not let it grow */
		if (buf->len - start > SM_MAX_BYTES)
			return sm_problem(&w->problems, SM_ENTRY_TOO_LARGE, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
							  "invalid url: its extensions have more than %d bytes",
							  SM_MAX_BYTES);
	}
	entry->namespaces = page->namespaces;
	entry->has_news = page->news > 0;
	return true;
}

bool
sm_append_entry(SmElementWriter *w, const SmRow *row, StringInfo buf, SmEntry *entry)
{
	int			start = buf->len;
	int			loc_start;
	size_t		len;
	SmUrlStatus status;

	w->problems.loc = row->loc;
	memset(entry, 0, sizeof(*entry));

	if (w->kind == SM_URLSET)
		append(buf, SM_LITERAL("<url><loc>"));
	else if (w->kind == SM_INDEX)
		append(buf, SM_LITERAL("<sitemap><loc>"));
	loc_start = buf->len;

	status = sm_url_encode(row->loc.s, row->loc.len, w->base, &w->cache,
						   w->kind == SM_TEXT ? SM_FORM_PLAIN : SM_FORM_XML, SM_URL_MAX,
						   reserve(buf, sm_url_bound(row->loc.len, w->base, SM_URL_MAX)),
						   &len);
	if (unlikely(status != SM_URL_OK))
	{
		/* one that could not be read was a problem already */
		if (row->loc.s != NULL)
			loc_problem(&w->problems, status);
		if (!w->problems.report)
		{
			buf->len = start;
			return false;
		}
		len = 0;
	}
	buf->len += len;
	entry->loc = loc_start - start;
	entry->loc_len = len;

	if (w->kind == SM_TEXT)
	{
		/* a line has no lastmod, but the file has */
		append_lastmod(w, row, buf, entry);
		buf->len = loc_start + len;
		append(buf, SM_LITERAL("\n"));
	}
	else
	{
		append(buf, SM_LITERAL("</loc>"));
		if (row->lastmod_type != SM_LASTMOD_NONE)
			append_lastmod(w, row, buf, entry);
		if (row->changefreq.len > 0)
			append_changefreq(w, row->changefreq, buf);
		if (row->has_priority)
			append_priority(w, row->priority, buf);
		if (row->nextensions > 0)
		{
			/* a copy, since the buffer may move */
			SmSpan		loc = sm_span(pnstrdup(buf->data + loc_start, len), len);

			if (!append_extensions(w, row, loc, buf, entry))
			{
				buf->len = start;
				return false;
			}
		}
		if (w->kind == SM_URLSET)
			append(buf, SM_LITERAL("</url>"));
		else
			append(buf, SM_LITERAL("</sitemap>"));
	}
	if (unlikely(len == 0))
	{
		buf->len = start;
		return false;
	}
	entry->len = buf->len - start;
	return true;
}

/* sitemap_url(loc, lastmod, changefreq, priority, extensions) */
static Datum
make_url(FunctionCallInfo fcinfo, SmLastmodType lastmod_type)
{
	SmElementWriter w;
	SmRow		row;
	SmEntry		entry;
	StringInfoData buf;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();

	sm_element_writer_init(&w, SM_URLSET);
	sm_read_arguments(fcinfo, 0, lastmod_type, &row, &w.problems);

	initStringInfo(&buf);
	appendStringInfoSpaces(&buf, VARHDRSZ);
	sm_append_entry(&w, &row, &buf, &entry);
	SET_VARSIZE(buf.data, buf.len);
	PG_RETURN_XML_P(buf.data);
}

Datum
sitemap_url_timestamp(PG_FUNCTION_ARGS)
{
	return make_url(fcinfo, SM_LASTMOD_TIMESTAMP);
}

Datum
sitemap_url_date(PG_FUNCTION_ARGS)
{
	return make_url(fcinfo, SM_LASTMOD_DATE);
}

Datum
sitemap_url_text(PG_FUNCTION_ARGS)
{
	return make_url(fcinfo, SM_LASTMOD_TEXT);
}
