/*
 * news.c
 *	  sitemap_news: a page that is a news article.
 */
#include "postgres.h"

#include "entry/extension.h"

#include "core/ascii.h"
#include "core/text.h"
#include "entry/row.h"
#include "entry/value.h"
#include "miscadmin.h"

PG_FUNCTION_INFO_V1(sitemap_news_timestamp);
PG_FUNCTION_INFO_V1(sitemap_news_date);
PG_FUNCTION_INFO_V1(sitemap_news_text);

/* zh-cn, zh-tw, or two or three small letters */
static bool
is_news_language(SmSpan value)
{
	if (sm_span_is(value, "zh-cn") || sm_span_is(value, "zh-tw"))
		return true;
	if (value.len != 2 && value.len != 3)
		return false;
	for (size_t i = 0; i < value.len; i++)
		if (value.s[i] < 'a' || value.s[i] > 'z')
			return false;
	return true;
}

/* Cut the next item off a list with commas; s of the item is NULL after the last. */
static SmSpan
next_item(SmSpan *list)
{
	SmSpan		item = *list;
	const char *comma;

	if (list->s == NULL)
		return item;
	comma = memchr(list->s, ',', list->len);
	if (comma)
	{
		item.len = comma - list->s;
		list->s += item.len + 1;
		list->len -= item.len + 1;
	}
	else
		list->s = NULL;
	return sm_trim(item);
}

static SmSpan
news_genres(SmSpan genres)
{
	static const char *const choices[] = {
		"PressRelease", "Satire", "Blog", "OpEd", "Opinion", "UserGenerated", NULL
	};
	StringInfoData result;
	SmSpan		rest = genres;
	SmSpan		item;

	initStringInfo(&result);
	while ((item = next_item(&rest)).s != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		item = sm_ext_choose("genres", item, choices,
							 "must be a list of PressRelease, Satire, Blog, OpEd, Opinion and UserGenerated, with commas between them");
		appendStringInfo(&result, "%s%s", result.len > 0 ? ", " : "", item.s);
	}
	return sm_span(result.data, result.len);
}

/* EXCHANGE:SYMBOL, of letters and digits */
static bool
is_ticker(SmSpan item)
{
	const char *colon = memchr(item.s, ':', item.len);

	if (colon == NULL || colon == item.s || colon + 1 == item.s + item.len)
		return false;
	for (const char *s = item.s; s < item.s + item.len; s++)
		if (s != colon && !sm_is_digit(*s) && !sm_is_letter(*s))
			return false;
	return true;
}

static SmSpan
news_stock_tickers(SmSpan tickers)
{
	StringInfoData result;
	SmSpan		rest = tickers;
	SmSpan		item;
	int			n = 0;

	initStringInfo(&result);
	while ((item = next_item(&rest)).s != NULL)
	{
		if (!is_ticker(item) || ++n > 5)
			sm_ext_invalid("stock_tickers", tickers,
						   "must be a list of at most five tickers such as NASDAQ:AMAT, with commas between them");
		appendStringInfo(&result, "%s%.*s", result.len > 0 ? ", " : "", (int) item.len, item.s);
	}
	return sm_span(result.data, result.len);
}

/*
 * sitemap_news(publication_name, publication_language, publication_date, title,
 * access, genres, keywords, stock_tickers)
 */
static Datum
news_element(FunctionCallInfo fcinfo, SmLastmodType date_type)
{
	static const char *const access_choices[] = {"Subscription", "Registration", NULL};
	SmExt		e;
	SmRow		row = {0};
	SmSpan		name;
	SmSpan		language;
	SmSpan		title;
	SmSpan		value;
	bool		has_seconds = false;
	int64		seconds;

	if (sm_ext_all_null(fcinfo, 4))
		PG_RETURN_NULL();

	sm_ext_begin(&e, fcinfo, "news");
	name = sm_ext_required(&e, 0, "publication_name");
	language = sm_ext_trimmed(sm_ext_required(&e, 1, "publication_language"));
	if (!is_news_language(language))
		sm_ext_invalid("publication_language", language,
					   "must be zh-cn, zh-tw, or an ISO 639 code, two or three small letters");
	title = sm_ext_required(&e, 3, "title");

	appendStringInfoString(&e.buf, "<news:news><news:publication>");
	sm_ext_text_tag(&e, "name", name);
	sm_ext_text_tag(&e, "language", language);
	sm_ext_close_tag(&e, "publication");

	value = sm_ext_choose("access", sm_ext_text(&e, 4, "access"), access_choices,
						  "must be Subscription or Registration");
	if (value.s != NULL)
		sm_ext_text_tag(&e, "access", value);
	value = sm_ext_text(&e, 5, "genres");
	if (value.s != NULL)
		sm_ext_text_tag(&e, "genres", news_genres(value));

	sm_ext_open_tag(&e, "publication_date");
	if (!PG_ARGISNULL(2))
	{
		sm_read_lastmod(PG_GETARG_DATUM(2), date_type, &row, &e.problems, "publication_date");
		sm_append_date(&e.buf, row.lastmod_type, row.lastmod, row.lastmod_text,
					   &e.problems, "publication_date", &has_seconds, &seconds);
	}
	if (!has_seconds)
		sm_ext_missing("publication_date");
	sm_ext_close_tag(&e, "publication_date");
	sm_ext_text_tag(&e, "title", title);

	value = sm_ext_text(&e, 6, "keywords");
	if (value.s != NULL)
		sm_ext_text_tag(&e, "keywords", value);
	value = sm_ext_text(&e, 7, "stock_tickers");
	if (value.s != NULL)
		sm_ext_text_tag(&e, "stock_tickers", news_stock_tickers(value));
	sm_ext_close_tag(&e, "news");
	return sm_ext_end(&e);
}

Datum
sitemap_news_timestamp(PG_FUNCTION_ARGS)
{
	return news_element(fcinfo, SM_LASTMOD_TIMESTAMP);
}

Datum
sitemap_news_date(PG_FUNCTION_ARGS)
{
	return news_element(fcinfo, SM_LASTMOD_DATE);
}

Datum
sitemap_news_text(PG_FUNCTION_ARGS)
{
	return news_element(fcinfo, SM_LASTMOD_TEXT);
}
