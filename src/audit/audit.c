/*
 * audit.c
 *	  sitemap_audit: a query → every problem of every row.
 *
 * Rows become entries as in sitemap_files, with the same checks, but no entry is kept.
 * Problems between rows, such as duplicates, are found after the last row by a sort of
 * all pages (pages.c).  Since these problems come late, all problems are sorted
 * by row.  Each problem then gets its loc from a copy of all locs in the order of the
 * rows.
 *
 * Example: a query with base_url http://a/ and the rows
 *
 *	  1 /x	  2 ftp://a/	3 http://a/x#top
 *
 *	  row	receive finds	 page		problem
 *	  1						 http://a/x
 *	  2		loc_invalid					2 loc_invalid
 *	  3						 http://a/x
 *	  end	the sort of pages has http://a/x twice: 3 loc_duplicate
 *
 *	  the problems in order, locs beside them:
 *	  2 ftp://a/ loc_invalid,  3 http://a/x#top loc_duplicate
 *
 * Memory does not grow with the number of rows: the two sorts, the copy and the
 * result each use up to work_mem, and beyond that a temporary file.
 */
#include "postgres.h"

#include "access/xact.h"
#include "audit/audit.h"
#include "catalog/pg_type.h"
#include "core/text.h"
#include "core/w3cdate.h"
#include "core/xml.h"
#include "entry/reader.h"
#include "entry/value.h"
#include "files/set.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "server/argument.h"
#include "server/encoding.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(sitemap_audit);

/* Age of the oldest news that Google takes, in seconds */
#define NEWS_SECONDS	(2 * SM_SECS_PER_DAY)

/*
 * A date without time is a day somewhere on Earth: it begins at 00:00 in UTC+14
 * and ends at 24:00 in UTC-12.
 */
#define EARLIER_IN_EAST	(14 * 3600)
#define LATER_IN_WEST	(12 * 3600)

/* with fewer rows than this, all may have the same lastmod by accident */
#define UNIFORM_ROWS	100

/* Columns of the sort of problems. */
enum
{
	PROBLEM_ROW,
	PROBLEM_NAME,
	PROBLEM_DETAIL,
	PROBLEM_NCOLUMNS
};

/* Columns of the copy of all locs. */
enum
{
	LOC_ROW,
	LOC_TEXT,
	LOC_NCOLUMNS
};

/* Columns of the result. */
enum
{
	RESULT_ROW,
	RESULT_LOC,
	RESULT_PROBLEM,
	RESULT_DETAIL,
	RESULT_NCOLUMNS
};

void
sm_audit_problem(SmAudit *audit, int64 row_number, SmProblemName name, const char *detail)
{
	Datum	   *values = sm_sort_row(&audit->problems);
	text	   *detail_text = cstring_to_text(detail);

	values[PROBLEM_ROW] = Int64GetDatum(row_number);
	values[PROBLEM_NAME] = Int64GetDatum(name);
	values[PROBLEM_DETAIL] = PointerGetDatum(detail_text);
	sm_sort_put(&audit->problems);
	pfree(detail_text);			/* a row can have many problems */
}

/* SmReport: add a problem of the current row, as a sentence with its hint. */
static void
report(void *arg, const SmProblem *problem)
{
	SmAudit    *audit = arg;
	char	   *detail = psprintf("%c%s.%s%s", pg_toupper((unsigned char) problem->message[0]),
								  problem->message + 1, problem->hint ? " " : "",
								  problem->hint ? problem->hint : "");

	sm_audit_problem(audit, audit->nrows, problem->name, detail);
	pfree(detail);
}

/* Report a control character in a loc; the URL has an escape instead. */
static void
check_characters(SmAudit *audit, SmSpan loc)
{
	SmSpan		trimmed = sm_trim(loc);
	const char *s = trimmed.s;
	const char *end = s + trimmed.len;

	while (s < end)
	{
		uint32_t	c;
		size_t		n;

		if (*s >= 0x20 && *s < 0x7F)
		{
			s++;
			continue;
		}
		n = sm_utf8_decode(s, end, &c);
		if (n == 0)
			break;				/* cannot happen: the loc is valid UTF-8 */
		if (c < 0x20 || (c >= 0x7F && c < 0xA0) || !sm_xml_legal(c))
		{
			sm_audit_problem(audit, audit->nrows, SM_LOC_CONTROL_CHARACTER,
							 psprintf("The loc has the character U+%04X, percent-encoded in the URL.", c));
			break;
		}
		s += n;
	}
}

/* Does a W3C datetime have a time of day? */
static bool
has_time(SmSpan date)
{
	return memchr(date.s, 'T', date.len) != NULL;
}

static void
check_lastmod(SmAudit *audit, const SmRow *row, const SmEntry *entry)
{
	char		lastmod[SM_W3C_SECONDS_LEN];
	bool		is_day;

	if (audit->npages++ == 0)
	{
		audit->is_uniform = entry->has_lastmod;
		audit->lastmod = entry->lastmod;
	}
	else if (!entry->has_lastmod || entry->lastmod != audit->lastmod)
		audit->is_uniform = false;

	if (!entry->has_lastmod)
		return;
	is_day = row->lastmod_type == SM_LASTMOD_DATE ||
		(row->lastmod_type == SM_LASTMOD_TEXT && !has_time(row->lastmod_text));
	if (entry->lastmod - (is_day ? EARLIER_IN_EAST : 0) <= audit->now)
		return;
	sm_w3c_format_seconds(entry->lastmod, lastmod);
	sm_audit_problem(audit, audit->nrows, SM_LASTMOD_IN_FUTURE,
					 psprintf("The lastmod %.*s is later than now.", SM_W3C_SECONDS_LEN, lastmod));
}

static void
check_news(SmAudit *audit)
{
	SmSpan		date = audit->page.news_date;
	int64_t		seconds;

	if (date.s == NULL || sm_w3c_parse(date.s, date.len, &seconds) != SM_W3C_OK)
		return;
	if (!has_time(date))
		seconds += SM_SECS_PER_DAY + LATER_IN_WEST;
	if (seconds < audit->now - NEWS_SECONDS)
		sm_audit_problem(audit, audit->nrows, SM_NEWS_TOO_OLD,
						 psprintf("The publication_date %s is more than two days ago.",
								  sm_for_message(date)));
}

/*
 * Does a segment of a path stand for a missing value, as some programs write
 * it?
 */
static bool
is_missing_value(SmSpan segment)
{
	static const char *const words[] = {"None", "null", "undefined", "nan"};

	for (size_t i = 0; i < lengthof(words); i++)
		if (segment.len == strlen(words[i]) &&
			pg_strncasecmp(segment.s, words[i], segment.len) == 0)
			return true;
	return false;
}

/*
 * Report a path that looks like a fault in an export, such as /product/None or
 * /a\b.
 */
static void
check_path(SmAudit *audit, SmSpan page)
{
	const char *end = page.s + page.len;
	const char *query = memchr(page.s, '?', page.len);
	const char *s = page.s + (sm_audit_is_https(page) ? strlen("https://") : strlen("http://"));

	if (query)
		end = query;
	s = memchr(s, '/', end - s);
	for (const char *escape = s; (escape = memchr(escape, '%', end - escape)) != NULL; escape++)
	{
		if (end - escape >= 3 && pg_strncasecmp(escape, "%5C", 3) == 0)
		{
			sm_audit_problem(audit, audit->nrows, SM_LOC_SUSPICIOUS,
							 "The path of the loc has a backslash, which is percent-encoded.");
			return;
		}
	}
	while (s)
	{
		const char *next = memchr(s + 1, '/', end - s - 1);
		SmSpan		segment = sm_span(s + 1, (next ? next : end) - s - 1);

		if (is_missing_value(segment))
		{
			sm_audit_problem(audit, audit->nrows, SM_LOC_SUSPICIOUS,
							 psprintf("The path of the loc has the segment \"%s\", which looks like a missing value.",
									  sm_for_message(segment)));
			return;
		}
		s = next;
	}
}

/*
 * The canonical form of a URL that sm_url_encode wrote: the start of the URL itself
 * where possible, else a copy.
 */
static SmSpan
page_of(SmAudit *audit, SmSpan url, SmUrlForm form)
{
	SmSpan		page = url;
	bool		is_escaped = form == SM_FORM_XML && memchr(url.s, '&', url.len) != NULL;

	if (sm_audit_is_local(audit, url) && !is_escaped)
	{
		const char *hash = memchr(url.s, '#', url.len);

		if (hash)
			page.len = hash - url.s;
		return page;
	}
	page.s = palloc(url.len + 1);
	page.len = sm_url_page(url.s, url.len, unconstify(char *, page.s));
	if (is_escaped)
		page.len = sm_xml_unescape(page.s, page.len, unconstify(char *, page.s));
	return page;
}

bool
sm_audit_canonical_url(SmAudit *audit, SmSpan text, SmSpan *page)
{
	SmSpan		url;

	if (!sm_encode_url(text, &audit->cache, &url))
		return false;
	*page = page_of(audit, url, SM_FORM_PLAIN);
	if (page->s != url.s)
		pfree(unconstify(char *, url.s));
	return true;
}

/*
 * Check the alternates of a page, one of which must be the page itself.  A link in
 * ready-made XML that is not a URL is ignored.
 */
static void
check_alternates(SmAudit *audit, SmSpan page)
{
	const SmPage *links = &audit->page;
	bool		has_itself = false;

	for (int i = 0; i < links->nalternates; i++)
	{
		SmSpan		href = links->alternates[i].href;
		SmSpan		other;

		CHECK_FOR_INTERRUPTS();

		if (links->alternates[i].is_raw && href.s != NULL)
		{
			char	   *url = palloc(href.len + 1);

			href = sm_span(url, sm_xml_attribute_value(href, url));
		}
		if (href.s != NULL && sm_audit_canonical_url(audit, href, &other))
		{
			if (sm_span_equal(other, page))
				has_itself = true;
			else
			{
				sm_audit_pages_link(audit, page, other);
				sm_audit_robots_check(audit, "alternate", other);
			}
			pfree(unconstify(char *, other.s));
		}
	}
	if (links->nalternates > 0 && !has_itself)
		sm_audit_problem(audit, audit->nrows, SM_HREFLANG_LACKS_ITSELF,
						 "No alternate of the page is the page itself.");
}

/* SmFoundMedia: check a URL of an image or a video of the current row. */
static void
check_media(void *arg, const char *what, SmSpan url)
{
	SmAudit    *audit = arg;
	SmSpan		canonical;

	if (sm_audit_canonical_url(audit, url, &canonical))
	{
		sm_audit_robots_check(audit, what, canonical);
		pfree(unconstify(char *, canonical.s));
	}
}

/* Check a row that was read. is_entry: it was written as an entry. */
static void
check_row(SmAudit *audit, const SmRow *row, const SmEntry *entry, bool is_entry)
{
	SmSpan		url = sm_span(audit->doc.buf.data + audit->doc.end + entry->loc, entry->loc_len);
	SmSpan		page;

	/* a control character in the loc becomes an escape in the URL */
	if (!is_entry || memchr(url.s, '%', url.len) != NULL)
		check_characters(audit, row->loc);
	check_lastmod(audit, row, entry);
	check_news(audit);
	if (!is_entry)
		return;

	page = page_of(audit, url, audit->doc.kind == SM_TEXT ? SM_FORM_PLAIN : SM_FORM_XML);
	check_path(audit, page);
	sm_document_fits_alone(&audit->doc, entry, &audit->writer.problems);
	sm_audit_pages_add(audit, page);
	sm_audit_robots_check(audit, NULL, page);
	check_alternates(audit, page);
}

static void
put_loc(SmAudit *audit, SmSpan loc)
{
	Datum		values[LOC_NCOLUMNS];
	bool		nulls[LOC_NCOLUMNS] = {false};

	if (loc.s == NULL)
		return;
	values[LOC_ROW] = Int64GetDatum(audit->nrows);
	values[LOC_TEXT] = PointerGetDatum(cstring_to_text_with_len(loc.s, (int) loc.len));
	tuplestore_putvalues(audit->locs, audit->loc_desc, values, nulls);
}

static bool
receive(SmReceiver *self, TupleTableSlot *slot)
{
	SmAudit    *audit = (SmAudit *) self;
	SmProblems *problems = &audit->writer.problems;
	SmRow		row;
	SmEntry		entry;
	SmRowStatus status;
	bool		is_entry;

	audit->nrows++;
	memset(&audit->page, 0, sizeof(audit->page));
	if (audit->robots)
	{
		audit->page.found_media = check_media;
		audit->page.found_media_arg = audit;
	}
	audit->doc.buf.len = audit->doc.end;

	status = sm_read_slot(slot, &audit->query.columns, &row, problems);
	if (status == SM_ROW_OK)
	{
		is_entry = sm_append_entry(&audit->writer, &row, &audit->doc.buf, &entry);
		check_row(audit, &row, &entry, is_entry);
	}
	if (status != SM_ROW_NULL)
		put_loc(audit, problems->loc);
	return true;
}

/* Check the set as a whole, after the last row. */
static void
check_set(SmAudit *audit)
{
	sm_audit_pages_compare(audit);
	if (audit->is_uniform && audit->npages >= UNIFORM_ROWS)
	{
		char		lastmod[SM_W3C_SECONDS_LEN];

		sm_w3c_format_seconds(audit->lastmod, lastmod);
		sm_audit_problem(audit, SM_AUDIT_SET, SM_LASTMOD_UNIFORM,
						 psprintf("All " INT64_FORMAT " pages have the lastmod %.*s, which does not tell what changed.",
								  audit->npages, SM_W3C_SECONDS_LEN, lastmod));
	}
	sm_audit_robots_check_set(audit);
}

/* Make the result: the problems in order, each with its loc. */
static void
put_result(SmAudit *audit, Tuplestorestate *result, TupleDesc desc)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(audit->loc_desc, &TTSOpsMinimalTuple);
	int64		loc_row = 0;	/* row whose loc the slot has */
	const Datum *problem;

	sm_sort_perform(&audit->problems);
	while ((problem = sm_sort_next(&audit->problems)) != NULL)
	{
		int64		row_number = DatumGetInt64(problem[PROBLEM_ROW]);
		text	   *loc = NULL;
		Datum		values[RESULT_NCOLUMNS];
		bool		nulls[RESULT_NCOLUMNS] = {false};
		MemoryContext oldcontext;

		/* the slot keeps its tuple: several problems can have the same row */
		while (row_number != SM_AUDIT_SET && loc_row < row_number &&
			   tuplestore_gettupleslot(audit->locs, true, false, slot))
		{
			slot_getallattrs(slot);
			loc_row = DatumGetInt64(slot->tts_values[LOC_ROW]);
		}

		MemoryContextReset(audit->receiver.row_context);
		oldcontext = MemoryContextSwitchTo(audit->receiver.row_context);
		if (loc_row == row_number)
		{
			text	   *copy = (text *) DatumGetPointer(slot->tts_values[LOC_TEXT]);

			loc = sm_to_text(sm_span(VARDATA_ANY(copy), VARSIZE_ANY_EXHDR(copy)));
		}

		values[RESULT_ROW] = problem[PROBLEM_ROW];
		nulls[RESULT_ROW] = row_number == SM_AUDIT_SET;
		values[RESULT_LOC] = PointerGetDatum(loc);
		nulls[RESULT_LOC] = loc == NULL;
		values[RESULT_PROBLEM] =
			CStringGetTextDatum(sm_problem_names[DatumGetInt64(problem[PROBLEM_NAME])]);
		values[RESULT_DETAIL] = problem[PROBLEM_DETAIL];
		tuplestore_putvalues(result, desc, values, nulls);
		MemoryContextSwitchTo(oldcontext);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_end(audit->locs);
	sm_sort_end(&audit->problems);
}

/* Scheme, host and port of a base URL in canonical form. */
static SmSpan
origin_of(const SmUrlBase *base)
{
	size_t		len = base->len[SM_FORM_PLAIN];
	char	   *page = palloc(len + 1);

	sm_url_page(base->url[SM_FORM_PLAIN], len, page);
	/* the path begins at the first slash after "https://" */
	return sm_span(page, strcspn(page + base->scheme_len + 3, "/") + base->scheme_len + 3);
}

static SmAudit *
make_audit(FunctionCallInfo fcinfo)
{
	static const Oid problem_types[] = {
		[PROBLEM_ROW] = INT8OID,[PROBLEM_NAME] = INT8OID,[PROBLEM_DETAIL] = TEXTOID
	};
	static const Oid loc_types[] = {[LOC_ROW] = INT8OID,[LOC_TEXT] = TEXTOID};
	SmAudit    *audit = palloc0_object(SmAudit);
	int			robots = PG_NARGS() - 2;
	int			agents = PG_NARGS() - 1;

	sm_receiver_init(&audit->receiver, NULL, receive);

	audit->options = sm_read_options(fcinfo, 0);
	audit->origin = origin_of(&audit->options->base);
	sm_require_argument(fcinfo, agents, "agents");
	audit->robots = sm_audit_robots_create(PG_ARGISNULL(robots) ? NULL : PG_GETARG_TEXT_PP(robots),
										   PG_GETARG_DATUM(agents));
	sm_begin_entries(audit->options, &audit->writer, &audit->doc);
	audit->writer.page = &audit->page;
	audit->writer.problems.report = report;
	audit->writer.problems.report_arg = audit;
	audit->now = GetCurrentTransactionStartTimestamp() / USECS_PER_SEC + SM_POSTGRES_EPOCH;

	audit->pages = sm_audit_pages_create();
	sm_sort_begin(&audit->problems, PROBLEM_NCOLUMNS, problem_types, PROBLEM_NCOLUMNS);
	audit->loc_desc = sm_sort_desc(LOC_NCOLUMNS, loc_types);
	audit->locs = tuplestore_begin_heap(false, false, work_mem);
	return audit;
}

Datum
sitemap_audit(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext context;
	MemoryContext oldcontext;
	SmAudit    *audit;

	InitMaterializedSRF(fcinfo, 0);

	context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_audit",
									ALLOCSET_DEFAULT_SIZES);
	oldcontext = MemoryContextSwitchTo(context);
	audit = make_audit(fcinfo);
	sm_query_open(&audit->query, audit->options->query, audit->options->kind);
	sm_query_run(&audit->query, NULL, NULL, &audit->receiver);
	sm_query_close(&audit->query);
	check_set(audit);
	put_result(audit, rsinfo->setResult, rsinfo->setDesc);

	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
	return (Datum) 0;
}
