/*
 * writer.c
 *	  A row becomes an entry: a <url>, a <sitemap>, or a line of a text sitemap.
 *
 * Writing a large site spends nearly all of its time here.  So an ordinary row takes
 * the shortest path: space for the longest form of a value is reserved once, and the
 * value is written straight into the buffer.
 */
#include "postgres.h"

#include "entry/writer.h"

#include "entry/item.h"
#include "entry/value.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "text/ascii.h"
#include "text/decimal.h"
#include "text/digest.h"
#include "text/text.h"
#include "text/w3cdate.h"
#include "utils/float.h"

static const SmSpan changefreqs[] = {
	{SM_LITERAL("always")}, {SM_LITERAL("hourly")}, {SM_LITERAL("daily")}, {SM_LITERAL("weekly")},
	{SM_LITERAL("monthly")}, {SM_LITERAL("yearly")}, {SM_LITERAL("never")}
};

void
sm_entry_writer_init(SmEntryWriter *w, SmKind kind)
{
	/* not the caches' texts, since sitemap_image makes a writer for each call */
	memset(w, 0, offsetof(SmEntryWriter, cache));
	w->cache.raw_len = 0;
	w->link_cache.raw_len = 0;
	w->kind = kind;
	w->ascii = sm_ascii_only();
}

/* Report that a loc is refused.  origin: of a loc of another site. */
static pg_noinline bool
loc_problem(SmEntryWriter *w, SmUrlStatus status, SmSpan origin)
{
	if (status == SM_URL_OTHER_SITE)
		return sm_problem(&w->problems, SM_LOC_OUTSIDE, ERRCODE_INVALID_PARAMETER_VALUE,
						  "If both mean the same site, write the loc as a path, such as \"/page\", or correct base_url. If the set may have URLs of other sites, use scope => 'any'.",
						  "invalid loc: the site is \"%.*s\", not \"%.*s\" as in base_url",
						  (int) origin.len, origin.s, (int) w->base->origin_len,
						  w->base->url[SM_FORM_PLAIN]);
	if (status == SM_URL_OTHER_PATH)
		return sm_problem(&w->problems, SM_LOC_OUTSIDE, ERRCODE_INVALID_PARAMETER_VALUE,
						  "Give base_url a directory that contains all pages. If the host's robots.txt lists the sitemap, use scope => 'host'.",
						  "invalid loc: not below \"%s\", the path of base_url",
						  sm_for_message(sm_span(w->base->url[SM_FORM_PLAIN] + w->base->origin_len,
												 w->base->len[SM_FORM_PLAIN] - w->base->origin_len)));
	return sm_url_problem(&w->problems, status == SM_URL_TOO_LONG ? SM_LOC_TOO_LONG : SM_LOC_INVALID,
						  "loc", status);
}

static void
append_lastmod(SmEntryWriter *w, const SmValue *lastmod, StringInfo buf, SmEntry *entry)
{
	int			start = buf->len;
	int			content;
	int			len;

	sm_append(buf, SM_LITERAL("<lastmod>"));
	content = buf->len;
	entry->has_lastmod = sm_append_date(buf, lastmod, &w->problems, SM_LASTMOD_INVALID,
										"lastmod", &entry->lastmod);
	len = buf->len - content;

	/* Google's schema of 2005 limits the number of characters */
	if (entry->has_lastmod && w->protocol == SM_PROTOCOL_084 && w->kind != SM_TEXT &&
		(len < 10 || len > 25))
		entry->has_lastmod = sm_refuse(&w->problems, SM_LASTMOD_INVALID,
									   ERRCODE_INVALID_DATETIME_FORMAT, NULL,
									   "invalid lastmod \"%s\": protocol 0.84 takes 10 to 25 characters",
									   sm_for_message(lastmod->v.span));
	if (entry->has_lastmod)
		sm_append(buf, SM_LITERAL("</lastmod>"));
	else
		buf->len = start;
}

/*
 * The lastmod of a row as an instant, in seconds since 1970-01-01 UTC; 0 if it has
 * none.
 */
static uint32
read_instant(SmEntryWriter *w, const SmRow *row, StringInfo buf)
{
	const SmValue *lastmod = &row->lastmod;
	int			start = buf->len;
	int64		seconds;

	if (lastmod->type == SM_VALUE_INSTANT && !TIMESTAMP_NOT_FINITE(lastmod->v.integer))
		seconds = sm_timestamp_seconds(lastmod->v.integer);
	else if (!sm_append_date(buf, lastmod, &w->problems, SM_LASTMOD_INVALID, "lastmod", &seconds))
		return 0;
	buf->len = start;
	if (seconds > 0 && seconds <= PG_UINT32_MAX)
		return (uint32) seconds;
	sm_problem(&w->problems, SM_LASTMOD_INVALID, ERRCODE_DATETIME_VALUE_OUT_OF_RANGE, NULL,
			   "invalid lastmod: with a column \"shown\" it must be from 1970-01-01T00:00:01Z to 2106-02-07T06:28:15Z");
	return 0;
}

/*
 * Append the lastmod of a page of a query with a column "shown".  loc: offset of the
 * page's loc in buf.
 */
static void
append_instant(SmEntryWriter *w, const SmRow *row, int loc, StringInfo buf, SmEntry *entry)
{
	SmShownPage page = {.digest = row->shown,.lastmod = read_instant(w, row, buf)};
	SmValue		lastmod = {.type = SM_VALUE_INSTANT};

	if (row->has_shown)
	{
		SmSpan		url = sm_span(buf->data + loc, entry->loc_len);
		size_t		path = sm_base_path(w->base, url);

		/* the origin of the site does not count */
		page.url = (uint32) sm_digest(url.s + path, url.len - path, 0);
		if (w->find_lastmod)
			w->find_lastmod(w->find_lastmod_arg, &page);
		entry->has_shown = true;
		entry->shown = page;
	}
	lastmod.v.integer = (page.lastmod - SM_POSTGRES_EPOCH) * USECS_PER_SEC;
	if (page.lastmod != 0)
		append_lastmod(w, &lastmod, buf, entry);
}

static void
append_changefreq(SmEntryWriter *w, SmSpan given, StringInfo buf)
{
	SmSpan		value = sm_trim(given);

	if (value.len == 0)
		return;
	for (size_t i = 0; i < lengthof(changefreqs); i++)
	{
		/* whole words first, since nearly all are in lower case */
		if (sm_span_equal(changefreqs[i], value) || sm_equal_ignoring_case(changefreqs[i], value))
		{
			sm_append(buf, SM_LITERAL("<changefreq>"));
			sm_append(buf, changefreqs[i].s, value.len);
			sm_append(buf, SM_LITERAL("</changefreq>"));
			return;
		}
	}
	sm_problem(&w->problems, SM_CHANGEFREQ_INVALID, ERRCODE_INVALID_TEXT_REPRESENTATION,
			   "It can be always, hourly, daily, weekly, monthly, yearly or never.",
			   "invalid changefreq \"%s\"", sm_for_message(given));
}

static void
append_priority(SmEntryWriter *w, double priority, StringInfo buf)
{
	char		digits[SM_DECIMAL_MAX];

	/* this form also refuses NaN */
	if (!(priority >= 0.0 && priority <= 1.0))
	{
		sm_problem(&w->problems, SM_PRIORITY_INVALID, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, NULL,
				   "invalid priority %s: must be from 0.0 to 1.0",
				   float8out_internal(priority));
		return;
	}
	sm_append(buf, SM_LITERAL("<priority>"));
	sm_append(buf, digits, sm_decimal_format(priority, digits));
	sm_append(buf, SM_LITERAL("</priority>"));
}

/* Append the extension elements of a row, up to the limit of their size. */
static void
append_elements(SmEntryWriter *w, const SmRow *row)
{
	SmLink	   *links;
	int			nlinks = row->alternates ?
		sm_read_alternates(row->alternates, &links, &w->problems, "alternates") : 0;

	w->nimages = 0;
	w->nlanguages = 0;
	if (nlinks > 0)
		w->languages = palloc_array(SmSpan, Min(nlinks, SM_MAX_ALTERNATES));
	for (int i = 0; i < nlinks && !sm_elements_too_large(w); i++)
	{
		CHECK_FOR_INTERRUPTS();
		sm_append_alternate(w, &links[i]);
	}
	for (int i = 0; i < row->nimages && !sm_elements_too_large(w); i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (sm_trim(row->images[i]).len > 0)
			sm_append_image(w, row->images[i]);
	}
	if (row->image_items)
		sm_append_json(w, &sm_image, row->image_items);
	if (row->videos)
		sm_append_json(w, &sm_video, row->videos);
	if (row->news)
		sm_append_json(w, &sm_news, row->news);
	for (int i = 0; i < row->nextensions && !sm_elements_too_large(w); i++)
		sm_append_fragment(w, row->extensions[i]);
}

/*
 * Check and append the extension elements of a row.  loc: offset of the page's loc in
 * buf.  Returns false if the row cannot go on.
 */
static bool
append_extensions(SmEntryWriter *w, const SmRow *row, int loc, StringInfo buf,
				  SmEntry *entry)
{
	w->buf = buf;
	w->page = entry;
	w->loc = loc;
	w->start = buf->len;
	append_elements(w, row);
	if (sm_elements_too_large(w))
		return sm_refuse(&w->problems, SM_ENTRY_TOO_LARGE, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
						 "invalid url: the extensions have more than %d bytes",
						 SM_MAX_BYTES);
	if (w->protocol == SM_PROTOCOL_084 && buf->len > w->start)
	{
		buf->len = w->start;
		entry->namespaces = 0;
		entry->has_news = false;
		sm_problem(&w->problems, SM_EXTENSION_INVALID, ERRCODE_FEATURE_NOT_SUPPORTED, NULL,
				   "protocol 0.84 has no extension elements");
	}
	return true;
}

bool
sm_append_entry(SmEntryWriter *w, const SmRow *row, StringInfo buf, SmEntry *entry)
{
	int			start = buf->len;
	int			loc_start;
	size_t		len = 0;
	SmUrlStatus status;

	w->problems.loc = row->loc;
	memset(entry, 0, sizeof(*entry));

	if (w->kind == SM_URLSET)
		sm_append(buf, SM_LITERAL("<url><loc>"));
	else if (w->kind == SM_INDEX)
		sm_append(buf, SM_LITERAL("<sitemap><loc>"));
	loc_start = buf->len;

	status = sm_url_encode(row->loc.s, row->loc.len, w->base, &w->cache,
						   w->kind == SM_TEXT ? SM_FORM_PLAIN : SM_FORM_XML, SM_URL_MAX,
						   sm_reserve(buf, sm_url_bound(row->loc.len, w->base, SM_URL_MAX)),
						   &len);
	if (unlikely(status != SM_URL_OK))
	{
		/* a loc that could not be read is reported already */
		if (row->loc.s != NULL && !loc_problem(w, status, sm_span(buf->data + loc_start, len)))
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
		/* the line has no lastmod, but the file gets its lastmod from entry */
		append_lastmod(w, &row->lastmod, buf, entry);
		buf->len = loc_start + len;
		sm_append(buf, SM_LITERAL("\n"));
	}
	else
	{
		sm_append(buf, SM_LITERAL("</loc>"));
		if (row->as_instant)
			append_instant(w, row, loc_start, buf, entry);
		else if (row->lastmod.type != SM_VALUE_NONE)
			append_lastmod(w, &row->lastmod, buf, entry);
		if (row->changefreq.len > 0)
			append_changefreq(w, row->changefreq, buf);
		if (row->has_priority)
			append_priority(w, row->priority, buf);
		if ((row->alternates || row->nimages > 0 || row->image_items || row->videos ||
			 row->news || row->nextensions > 0) &&
			!append_extensions(w, row, loc_start, buf, entry))
		{
			buf->len = start;
			return false;
		}
		if (w->kind == SM_URLSET)
			sm_append(buf, SM_LITERAL("</url>"));
		else
			sm_append(buf, SM_LITERAL("</sitemap>"));
	}
	if (unlikely(len == 0))
	{
		/* for sitemap_audit: the loc is invalid, the rest has been checked */
		buf->len = start;
		return false;
	}
	entry->len = buf->len - start;
	return true;
}
