/*
 * audit.c
 *	  sitemap_audit: a query → every problem of every row.
 *
 * Rows go the way that they go in sitemap_files, and so have the same checks.
 * Of what they become only the page's URL is kept, in one spelling, together with
 * its links to other languages: sorted, they show what no row can tell by itself.
 * Problems are sorted too, since those come late, and get their loc at the end,
 * from a copy of all of them that is in the order of the rows.
 *
 * No memory grows with the number of rows: each of the two sorts, the copy and
 * the result has work_mem, and beyond that a temporary file.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "core/digest.h"
#include "core/text.h"
#include "core/w3cdate.h"
#include "core/xml.h"
#include "encoding.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "query.h"
#include "set.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/tuplesort.h"
#include "utils/tuplestore.h"
#include "value.h"

PG_FUNCTION_INFO_V1(sitemap_audit);

/* Google: how long news are news */
#define NEWS_SECONDS	(2 * SM_SECS_PER_DAY)

/* Rows of bigint and text columns, sorted by all of them; NULLs come first. */
typedef struct SortedRows
{
	Tuplesortstate *state;
	TupleTableSlot *in;
	TupleTableSlot *out;
} SortedRows;

#define SORT_MAX_COLUMNS	4

/*
 * Columns of the sort of pages.  Each of its rows is a page or a link.  A page
 * has no OTHER, and ROW says where it comes from.  A link has the page at its
 * other end as OTHER: with ROW 0 it goes there, else it comes from there, which
 * is that row.  So all that concerns a page is together: first itself, then by
 * each other page whether it links there, and what links to it from there.
 */
enum
{
	PAGE_HASH,					/* of the URL, since it is sorted faster */
	PAGE_URL,
	PAGE_OTHER,					/* a hash: a page has so few links that no two
								 * are mistaken */
	PAGE_ROW,
	PAGE_NCOLUMNS
};

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

typedef struct Audit
{
	DestReceiver receiver;		/* must be first */
	const SmOptions *options;
	MemoryContext context;		/* for all of the call */
	MemoryContext row_context;	/* for one row */
	SmQuery		query;
	SmElementWriter writer;
	SmPage		page;			/* of the row */
	SmUrlCache	href_cache;
	SmDocument	doc;			/* no entry stays in it */
	int64		now;			/* seconds since 1970-01-01 UTC */
	int64		nrows;
	bool		has_https;
	SortedRows	pages;
	SortedRows	problems;
	TupleDesc	loc_desc;
	Tuplestorestate *locs;		/* row number and loc in UTF-8, of all rows
								 * that have one */
} Audit;

/* A tuple descriptor of bigint and text columns. */
static TupleDesc
make_desc(int natts, const Oid *types)
{
	TupleDesc	desc = CreateTemplateTupleDesc(natts);

	for (int i = 0; i < natts; i++)
		TupleDescInitEntry(desc, i + 1, NULL, types[i], -1, 0);
	TupleDescFinalize(desc);
	return desc;
}

static void
begin_sort(SortedRows *sort, int natts, const Oid *types)
{
	TupleDesc	desc = make_desc(natts, types);
	AttrNumber	columns[SORT_MAX_COLUMNS];
	Oid			operators[SORT_MAX_COLUMNS];
	Oid			collations[SORT_MAX_COLUMNS];
	bool		nulls_first[SORT_MAX_COLUMNS];

	for (int i = 0; i < natts; i++)
	{
		bool		is_text = types[i] == TEXTOID;

		columns[i] = i + 1;
		operators[i] = is_text ? TextLessOperator : Int8LessOperator;
		collations[i] = is_text ? C_COLLATION_OID : InvalidOid;
		nulls_first[i] = true;
	}
	sort->state = tuplesort_begin_heap(desc, natts, columns, operators, collations,
									   nulls_first, work_mem, NULL, TUPLESORT_NONE);
	sort->in = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	sort->out = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
}

/* Begin a row, none of its values NULL; put_row ends it. */
static Datum *
begin_row(SortedRows *sort)
{
	ExecClearTuple(sort->in);
	memset(sort->in->tts_isnull, false, sort->in->tts_tupleDescriptor->natts * sizeof(bool));
	return sort->in->tts_values;
}

static void
put_row(SortedRows *sort)
{
	ExecStoreVirtualTuple(sort->in);
	tuplesort_puttupleslot(sort->state, sort->in);
}

/* The next row of a sort that was performed, good until the next; NULL at its end. */
static const Datum *
next_row(SortedRows *sort)
{
	CHECK_FOR_INTERRUPTS();

	if (!tuplesort_gettupleslot(sort->state, true, false, sort->out, NULL))
		return NULL;
	slot_getallattrs(sort->out);
	return sort->out->tts_values;
}

static void
end_sort(SortedRows *sort)
{
	ExecDropSingleTupleTableSlot(sort->in);
	ExecDropSingleTupleTableSlot(sort->out);
	tuplesort_end(sort->state);
}

static text *
span_text(SmSpan span)
{
	return cstring_to_text_with_len(span.s, (int) span.len);
}

static SmSpan
text_span(Datum value)
{
	text	   *t = (text *) DatumGetPointer(value);

	return sm_span(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t));
}

static void
put_problem(Audit *audit, int64 row_number, SmProblemName name, const char *detail)
{
	Datum	   *values = begin_row(&audit->problems);
	text	   *detail_text = cstring_to_text(detail);

	values[PROBLEM_ROW] = Int64GetDatum(row_number);
	values[PROBLEM_NAME] = Int64GetDatum(name);
	values[PROBLEM_DETAIL] = PointerGetDatum(detail_text);
	put_row(&audit->problems);
	pfree(detail_text);			/* a row can have many */
}

/* SmReport: a problem of the current row, as a sentence and with its hint. */
static void
report(void *arg, SmProblemName name, const char *message, const char *hint)
{
	Audit	   *audit = arg;
	char	   *detail = psprintf("%c%s.%s%s", pg_toupper((unsigned char) message[0]),
								  message + 1, hint ? " " : "", hint ? hint : "");

	put_problem(audit, audit->nrows, name, detail);
	pfree(detail);
}

/* A character that nobody wants in a loc, where it is percent-encoded. */
static void
check_characters(Audit *audit, SmSpan loc)
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
			break;				/* it is text */
		if (c < 0x20 || (c >= 0x7F && c < 0xA0) || !sm_xml_legal(c))
		{
			put_problem(audit, audit->nrows, SM_LOC_CONTROL_CHARACTER,
						psprintf("The loc has the character U+%04X in it, which is percent-encoded.", c));
			break;
		}
		s += n;
	}
}

static void
check_lastmod(Audit *audit, const SmEntry *entry)
{
	char		lastmod[SM_W3C_SECONDS_LEN];

	if (!entry->has_lastmod || entry->lastmod <= audit->now)
		return;
	sm_w3c_format_seconds(entry->lastmod, lastmod);
	put_problem(audit, audit->nrows, SM_LASTMOD_IN_FUTURE,
				psprintf("The lastmod %.*s is later than now.", SM_W3C_SECONDS_LEN, lastmod));
}

static void
check_news(Audit *audit)
{
	SmSpan		date = audit->page.news_date;
	int64_t		seconds;

	if (date.s == NULL)
		return;
	if (sm_w3c_parse(date.s, date.len, &seconds) == SM_W3C_OK &&
		seconds < audit->now - NEWS_SECONDS)
		put_problem(audit, audit->nrows, SM_NEWS_TOO_OLD,
					psprintf("The publication_date %s is more than two days ago.",
							 sm_for_message(date)));
}

/* The one spelling of all URLs of a page. */
static SmSpan
page_of(SmSpan url)
{
	char	   *page = palloc(url.len + 1);

	return sm_span(page, sm_url_page(url.s, url.len, page));
}

static int64
hash_page(SmSpan page)
{
	return (int64) sm_digest(page.s, page.len, 0);
}

static void
put_page(Audit *audit, SmSpan page, int64 hash, const int64 *other, int64 row_number)
{
	Datum	   *values = begin_row(&audit->pages);
	text	   *url = span_text(page);

	values[PAGE_HASH] = Int64GetDatum(hash);
	values[PAGE_URL] = PointerGetDatum(url);
	values[PAGE_OTHER] = Int64GetDatum(other ? *other : 0);
	audit->pages.in->tts_isnull[PAGE_OTHER] = other == NULL;
	values[PAGE_ROW] = Int64GetDatum(row_number);
	put_row(&audit->pages);
	pfree(url);					/* a row can have many */
}

/*
 * Find the page that an alternate links to.  False if it cannot be one of this
 * set: the href of ready-made XML can be anything.
 */
static bool
linked_page(Audit *audit, const SmAlternate *alternate, SmSpan *page)
{
	SmSpan		href = alternate->href;
	char	   *unescaped = palloc(href.len + 1);
	size_t		len = href.s ? sm_xml_unescape(href.s, href.len, unescaped) : 0;
	char	   *url = palloc(sm_url_bound(len, NULL, SM_URL_MAX));
	SmUrlStatus status;

	/* in the form of a loc */
	status = sm_url_encode(unescaped, len, NULL, &audit->href_cache, SM_FORM_XML,
						   SM_URL_MAX, url, &len);
	sm_url_check_memory(status);
	if (status == SM_URL_OK)
		*page = page_of(sm_span(url, len));
	pfree(unescaped);
	pfree(url);
	return status == SM_URL_OK;
}

/* The page's links to other languages, one of which has to be itself. */
static void
check_alternates(Audit *audit, SmSpan page, int64 hash)
{
	const SmPage *links = &audit->page;
	bool		has_itself = false;

	for (int i = 0; i < links->nalternates; i++)
	{
		SmSpan		other;
		int64		other_hash;

		CHECK_FOR_INTERRUPTS();

		if (!linked_page(audit, &links->alternates[i], &other))
			continue;
		if (sm_span_equal(other, page))
			has_itself = true;
		else
		{
			other_hash = hash_page(other);
			put_page(audit, page, hash, &other_hash, 0);
			put_page(audit, other, other_hash, &hash, audit->nrows);
		}
		pfree(unconstify(char *, other.s));
	}
	if (links->nalternates > 0 && !has_itself)
		put_problem(audit, audit->nrows, SM_HREFLANG_LACKS_ITSELF,
					"No alternate of the page is the page itself.");
}

static bool
is_https(SmSpan page)
{
	return page.s[4] == 's';
}

/* Is a segment of a path what a program writes for a value that is missing? */
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

/* A path that a fault in the export has made, such as /product/None or /a\b. */
static void
check_path(Audit *audit, SmSpan page)
{
	const char *end = page.s + page.len;
	const char *query = memchr(page.s, '?', page.len);
	const char *s = page.s + (is_https(page) ? strlen("https://") : strlen("http://"));

	if (query)
		end = query;
	s = memchr(s, '/', end - s);
	while (s)
	{
		const char *next = memchr(s + 1, '/', end - s - 1);
		SmSpan		segment = sm_span(s + 1, (next ? next : end) - s - 1);

		if (is_missing_value(segment))
		{
			put_problem(audit, audit->nrows, SM_LOC_SUSPICIOUS,
						psprintf("The path of the loc has the segment \"%s\", which looks like a missing value.",
								 sm_for_message(segment)));
			return;
		}
		for (size_t i = 0; i + 2 < segment.len; i++)
			if (pg_strncasecmp(segment.s + i, "%5C", 3) == 0)
			{
				put_problem(audit, audit->nrows, SM_LOC_SUSPICIOUS,
							"The path of the loc has a backslash, which is percent-encoded.");
				return;
			}
		s = next;
	}
}

/* The row, which was read, and the entry that it has become or not. */
static void
check_row(Audit *audit, const SmRow *row, const SmEntry *entry, bool is_entry)
{
	SmSpan		page;
	int64		hash;

	check_characters(audit, row->loc);
	check_lastmod(audit, entry);
	check_news(audit);
	if (!is_entry)
		return;

	page = page_of(sm_span(audit->doc.buf.data + audit->doc.end + entry->loc, entry->loc_len));
	hash = hash_page(page);
	check_path(audit, page);
	sm_document_fits_alone(&audit->doc, entry, &audit->writer.problems);
	put_page(audit, page, hash, NULL, audit->nrows);
	audit->has_https |= is_https(page);
	check_alternates(audit, page, hash);
}

static void
put_loc(Audit *audit, SmSpan loc)
{
	Datum		values[LOC_NCOLUMNS];
	bool		nulls[LOC_NCOLUMNS] = {false};

	if (loc.s == NULL)
		return;
	values[LOC_ROW] = Int64GetDatum(audit->nrows);
	values[LOC_TEXT] = PointerGetDatum(span_text(loc));
	tuplestore_putvalues(audit->locs, audit->loc_desc, values, nulls);
}

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	Audit	   *audit = (Audit *) self;
	SmProblems *problems = &audit->writer.problems;
	MemoryContext oldcontext;
	SmRow		row;
	SmEntry		entry;
	SmRowStatus status;
	bool		is_entry;

	CHECK_FOR_INTERRUPTS();

	audit->nrows++;
	MemoryContextReset(audit->row_context);
	oldcontext = MemoryContextSwitchTo(audit->row_context);
	memset(&audit->page, 0, sizeof(audit->page));
	audit->doc.buf.len = audit->doc.end;

	status = sm_read_slot(slot, &audit->query.columns, &row, problems);
	if (status == SM_ROW_OK)
	{
		is_entry = sm_append_entry(&audit->writer, &row, &audit->doc.buf, &entry);
		check_row(audit, &row, &entry, is_entry);
	}
	if (status != SM_ROW_NULL)
		put_loc(audit, problems->loc);
	MemoryContextSwitchTo(oldcontext);
	return true;
}

/* Where in the sorted pages we are. */
typedef struct Place
{
	StringInfoData url;			/* of the page */
	int64		first_row;		/* that it is in, 0 for none */
	int64		other;			/* hash of the page that is linked with it */
	bool		links_there;	/* does the page link to that? */
	int64		linked_from;	/* the last row that links from there */
} Place;

/* One that is a page. */
static void
compare_page(Audit *audit, Place *place, int64 row_number, bool is_mixed)
{
	if (place->first_row == 0)
		place->first_row = row_number;
	else
		put_problem(audit, row_number, SM_LOC_DUPLICATE,
					psprintf("The loc repeats that of row " INT64_FORMAT ".", place->first_row));
	if (is_mixed)
		put_problem(audit, row_number, SM_SCHEME_MIXED,
					"The scheme is http, while base_url or other pages have https.");
}

/* One that is a link: those from the page come before those from the other. */
static void
compare_link(Audit *audit, Place *place, int64 other, int64 row_number)
{
	char	   *url;
	size_t		len;

	if (other != place->other)
	{
		place->other = other;
		place->links_there = false;
		place->linked_from = 0;
	}
	if (row_number == 0)
		place->links_there = true;
	if (place->links_there || place->first_row == 0 || row_number == place->linked_from)
		return;

	place->linked_from = row_number;
	url = palloc(place->url.len);
	len = sm_xml_unescape(place->url.data, place->url.len, url);
	put_problem(audit, row_number, SM_HREFLANG_NOT_RECIPROCAL,
				psprintf("The page has the alternate \"%s\", row " INT64_FORMAT ", which does not have it.",
						 sm_for_message(sm_span(url, len)), place->first_row));
}

/* Find what shows when the pages are together. */
static void
compare_pages(Audit *audit)
{
	bool		is_https_set = audit->has_https || audit->options->base.scheme_len == 5;
	Place		place = {0};
	const Datum *values;

	initStringInfo(&place.url);
	tuplesort_performsort(audit->pages.state);
	while ((values = next_row(&audit->pages)) != NULL)
	{
		SmSpan		page = text_span(values[PAGE_URL]);
		int64		row_number = DatumGetInt64(values[PAGE_ROW]);
		MemoryContext oldcontext;

		if (!sm_span_equal(page, sm_span(place.url.data, place.url.len)))
		{
			resetStringInfo(&place.url);
			appendBinaryStringInfo(&place.url, page.s, page.len);
			place.first_row = place.other = place.linked_from = 0;
			place.links_there = false;
		}

		MemoryContextReset(audit->row_context);
		oldcontext = MemoryContextSwitchTo(audit->row_context);
		if (audit->pages.out->tts_isnull[PAGE_OTHER])
			compare_page(audit, &place, row_number, is_https_set && !is_https(page));
		else
			compare_link(audit, &place, DatumGetInt64(values[PAGE_OTHER]), row_number);
		MemoryContextSwitchTo(oldcontext);
	}
	end_sort(&audit->pages);
}

/* Make the result: the problems in their order, each with its loc. */
static void
put_result(Audit *audit, Tuplestorestate *result, TupleDesc desc)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(audit->loc_desc, &TTSOpsMinimalTuple);
	int64		loc_row = 0;	/* that the slot has the loc of */
	const Datum *problem;

	tuplesort_performsort(audit->problems.state);
	while ((problem = next_row(&audit->problems)) != NULL)
	{
		int64		row_number = DatumGetInt64(problem[PROBLEM_ROW]);
		text	   *loc = NULL;
		Datum		values[RESULT_NCOLUMNS];
		bool		nulls[RESULT_NCOLUMNS] = {false};
		MemoryContext oldcontext;

		/* the slot's tuple outlives the problem */
		while (loc_row < row_number && tuplestore_gettupleslot(audit->locs, true, false, slot))
		{
			slot_getallattrs(slot);
			loc_row = DatumGetInt64(slot->tts_values[LOC_ROW]);
		}

		MemoryContextReset(audit->row_context);
		oldcontext = MemoryContextSwitchTo(audit->row_context);
		if (loc_row == row_number)
			loc = sm_to_text(text_span(slot->tts_values[LOC_TEXT]));

		values[RESULT_ROW] = problem[PROBLEM_ROW];
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
	end_sort(&audit->problems);
}

static Audit *
make_audit(const SmOptions *options)
{
	static const Oid page_types[] = {
		[PAGE_HASH] = INT8OID,[PAGE_URL] = TEXTOID,[PAGE_OTHER] = INT8OID,[PAGE_ROW] = INT8OID
	};
	static const Oid problem_types[] = {
		[PROBLEM_ROW] = INT8OID,[PROBLEM_NAME] = INT8OID,[PROBLEM_DETAIL] = TEXTOID
	};
	static const Oid loc_types[] = {[LOC_ROW] = INT8OID,[LOC_TEXT] = TEXTOID};
	Audit	   *audit = palloc0_object(Audit);

	sm_receiver_init(&audit->receiver, NULL, receive);

	audit->options = options;
	audit->context = CurrentMemoryContext;
	audit->row_context = AllocSetContextCreate(CurrentMemoryContext, "sitemap row",
											   ALLOCSET_DEFAULT_SIZES);
	sm_begin_entries(options, &audit->writer, &audit->doc);
	audit->writer.page = &audit->page;
	audit->writer.problems.report = report;
	audit->writer.problems.report_arg = audit;
	audit->now = GetCurrentTransactionStartTimestamp() / USECS_PER_SEC + SM_POSTGRES_EPOCH;

	begin_sort(&audit->pages, PAGE_NCOLUMNS, page_types);
	begin_sort(&audit->problems, PROBLEM_NCOLUMNS, problem_types);
	audit->loc_desc = make_desc(LOC_NCOLUMNS, loc_types);
	audit->locs = tuplestore_begin_heap(false, false, work_mem);
	return audit;
}

Datum
sitemap_audit(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext context;
	MemoryContext oldcontext;
	Audit	   *audit;

	InitMaterializedSRF(fcinfo, 0);

	context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_audit",
									ALLOCSET_DEFAULT_SIZES);
	oldcontext = MemoryContextSwitchTo(context);
	audit = make_audit(sm_read_options(fcinfo, 0));
	sm_query_open(&audit->query, audit->options->query);
	sm_query_run(&audit->query, NULL, NULL, &audit->receiver);
	sm_query_close(&audit->query);
	compare_pages(audit);
	put_result(audit, rsinfo->setResult, rsinfo->setDesc);

	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
	return (Datum) 0;
}
