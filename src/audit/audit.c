/*
 * audit.c
 *	  sitemap_audit: a query → every problem of every row.
 *
 * Rows become entries as in sitemap_files, with the same checks, but no entry is kept.
 * Problems of the row are added to the findings at once (finding.c).  Problems between
 * rows, such as duplicates, are found after the last row by a sort of all pages (pages.c).
 *
 * Memory does not grow with the number of rows: the sorts, the copy of all locs and the
 * result each use up to work_mem, and beyond that a temporary file.
 */
#include "postgres.h"

#include "access/xact.h"
#include "audit/pages.h"
#include "audit/robots.h"
#include "catalog/pg_type.h"
#include "core/ascii.h"
#include "core/namespace.h"
#include "core/text.h"
#include "core/w3cdate.h"
#include "core/xml.h"
#include "entry/reader.h"
#include "files/set.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "server/query.h"
#include "server/query_tree.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(sitemap_audit);

/* Age of the oldest news that Google takes, in seconds */
#define NEWS_SECONDS	(2 * SM_SECS_PER_DAY)

/*
 * A date without time is a day, month or year somewhere on Earth: it begins at 00:00 in
 * UTC+14 and ends at 24:00 in UTC-12.
 */
#define EARLIER_IN_EAST	(14 * 3600)
#define LATER_IN_WEST	(12 * 3600)

/* with fewer rows than this, all may have the same lastmod by accident */
#define UNIFORM_ROWS	100

typedef struct Audit
{
	SmReceiver	receiver;		/* must be first */
	const SmOptions *options;
	SmQuery		query;
	SmColumns	columns;
	SmEntryWriter writer;
	SmDocument	doc;			/* holds the current entry only */
	int64		now;			/* seconds since 1970-01-01 UTC */

	int64		nread;			/* rows that could be read */
	int64		nentries;		/* of these, with a valid loc */
	bool		is_uniform;		/* do all rows read have the same lastmod? */
	int64		lastmod;		/* that lastmod */
	bool		has_unchecked;	/* does ready-made XML have images, videos,
								 * news or alternates? */

	/* of the current row */
	int			nalternates;
	SmSpan		alternates[SM_MAX_ALTERNATES];	/* in canonical form */
	const SmSpan *like_unknown; /* the namespace that the last unknown
								 * namespace is like */

	SmSite		site;
	SmFindings	findings;
	SmPages    *pages;
	SmAuditRobots *robots;		/* NULL for no robots.txt */
} Audit;

/* Add a problem of the current row. */
static void
add_problem(Audit *audit, SmProblemName name, const char *detail)
{
	sm_findings_add(&audit->findings, audit->receiver.nrows, name, detail);
}

/* SmTakeProblem: add a problem of the current row, as sentences with its hint. */
static bool
take_problem(SmProblems *problems, const SmProblem *problem)
{
	StringInfoData detail;

	initStringInfo(&detail);
	appendStringInfo(&detail, "%c%s.", pg_toupper((unsigned char) problem->message[0]),
					 problem->message + 1);
	if (problem->detail)
		appendStringInfo(&detail, " %s", problem->detail);
	if (problem->hint)
		appendStringInfo(&detail, " %s", problem->hint);
	add_problem(problems->take_arg, problem->name, detail.data);
	pfree(detail.data);
	return true;
}

/* Report a control character in a loc; the URL has an escape instead. */
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
		Assert(n > 0);			/* the loc is valid UTF-8 */
		if (c < 0x20 || (c >= 0x7F && c < 0xA0) || !sm_xml_legal(c))
		{
			add_problem(audit, SM_LOC_CONTROL_CHARACTER,
						psprintf("The loc has the character U+%04X, percent-encoded in the URL.", c));
			break;
		}
		s += n;
	}
}

static void
check_lastmod(Audit *audit, const SmRow *row, const SmEntry *entry)
{
	char		lastmod[SM_W3C_SECONDS_LEN];
	bool		is_day;

	if (audit->nread++ == 0)
	{
		audit->is_uniform = entry->has_lastmod;
		audit->lastmod = entry->lastmod;
	}
	else if (!entry->has_lastmod || entry->lastmod != audit->lastmod)
		audit->is_uniform = false;

	if (!entry->has_lastmod)
		return;
	is_day = row->lastmod.type == SM_VALUE_DAY ||
		(row->lastmod.type == SM_VALUE_TEXT &&
		 memchr(row->lastmod.v.span.s, 'T', row->lastmod.v.span.len) == NULL);
	if (entry->lastmod - (is_day ? EARLIER_IN_EAST : 0) <= audit->now)
		return;
	sm_w3c_format_seconds(entry->lastmod, lastmod);
	add_problem(audit, SM_LASTMOD_IN_FUTURE,
				psprintf("The lastmod %.*s is later than now.", SM_W3C_SECONDS_LEN, lastmod));
}

/* Check the publication date of news. */
static void
check_news(Audit *audit, SmSpan date)
{
	bool		has_time;
	int64_t		seconds;

	if (sm_w3c_parse(date, false, &has_time, &seconds) != SM_W3C_OK)
		return;
	if (!has_time)
	{
		int			days = date.len == strlen("2026") ? 366 : date.len == strlen("2026-01") ? 31 : 1;

		seconds += days * SM_SECS_PER_DAY + LATER_IN_WEST;
	}
	if (seconds < audit->now - NEWS_SECONDS)
		add_problem(audit, SM_NEWS_TOO_OLD,
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
		if (sm_equal_ignoring_case(segment, sm_span_of(words[i])))
			return true;
	return false;
}

/*
 * Report a path that looks like a fault in an export, such as /product/None or
 * /a\b.
 */
static void
check_path(Audit *audit, SmSpan page)
{
	const char *end = page.s + page.len;
	const char *query = memchr(page.s, '?', page.len);
	const char *s = page.s + (sm_is_https(page) ? strlen("https://") : strlen("http://"));

	if (query)
		end = query;
	s = memchr(s, '/', end - s);	/* the form of a page has one */
	for (const char *escape = s; (escape = memchr(escape, '%', end - escape)) != NULL; escape++)
	{
		if (end - escape >= 3 && pg_strncasecmp(escape, "%5C", 3) == 0)
		{
			add_problem(audit, SM_LOC_SUSPICIOUS,
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
			add_problem(audit, SM_LOC_SUSPICIOUS,
						psprintf("The path of the loc has the segment \"%s\", which looks like a missing value.",
								 sm_for_message(segment)));
			return;
		}
		s = next;
	}
}

/* The canonical form of a URL as it is written in XML. */
static SmSpan
read_written(const Audit *audit, SmSpan url)
{
	if (memchr(url.s, '&', url.len) != NULL)
	{
		char	   *text = palloc(url.len);

		url = sm_span(text, sm_xml_unescape(url.s, url.len, text));
	}
	return sm_site_canonical(&audit->site, url);
}

/* Check the alternates of a page, one of which must be the page itself. */
static void
check_alternates(Audit *audit, SmSpan page)
{
	bool		has_itself = false;

	for (int i = 0; i < audit->nalternates; i++)
	{
		SmSpan		other = audit->alternates[i];

		CHECK_FOR_INTERRUPTS();

		if (sm_span_equal(other, page))
			has_itself = true;
		else
		{
			sm_pages_link(audit->pages, audit->receiver.nrows, page, other);
			sm_audit_robots_check(audit->robots, audit->receiver.nrows, "alternate", other);
		}
	}
	if (audit->nalternates > 0 && !has_itself)
		add_problem(audit, SM_HREFLANG_LACKS_ITSELF,
					"No alternate of the page is the page itself.");
}

/*
 * Check the namespace of an element of ready-made XML.  A namespace is reported once a
 * row.
 */
static void
check_namespace(Audit *audit, SmSpan uri)
{
	const SmSpan *nearest = sm_namespace_nearest(uri);

	audit->has_unchecked |= sm_namespace_flag(uri) != 0;
	if (nearest == NULL || nearest == audit->like_unknown)
		return;
	audit->like_unknown = nearest;
	add_problem(audit, SM_NAMESPACE_UNKNOWN,
				psprintf("Search engines do not know the namespace \"%s\", only \"%s\".",
						 sm_for_message(uri), sm_for_message(*nearest)));
}

/* SmFound: check a value of the current row. */
static void
check_value(void *arg, SmRole role, SmSpan value)
{
	static const char *const media[SM_ROLE_XML + 1] = {
		[SM_ROLE_IMAGE] = "image",[SM_ROLE_THUMBNAIL] = "video thumbnail",
		[SM_ROLE_VIDEO] = "video",[SM_ROLE_PLAYER] = "video player"
	};
	Audit	   *audit = arg;

	switch (role)
	{
		case SM_ROLE_NEWS_DATE:
			check_news(audit, value);
			break;
		case SM_ROLE_ALTERNATE:
			value = read_written(audit, value);
			audit->alternates[audit->nalternates++] = sm_span(pnstrdup(value.s, value.len), value.len);
			break;
		case SM_ROLE_LONG_HREFLANG:
			add_problem(audit, SM_HREFLANG_NOT_SUPPORTED,
						psprintf("Google documents only languages of two letters for hreflang, not \"%s\".",
								 sm_for_message(value)));
			break;
		case SM_ROLE_XML:
			check_namespace(audit, value);
			break;
		default:
			if (media[role] && audit->robots)
				sm_audit_robots_check(audit->robots, audit->receiver.nrows, media[role],
									  read_written(audit, value));
			break;
	}
}

/* Check a row that was read. is_entry: it was written as an entry. */
static void
check_row(Audit *audit, const SmRow *row, const SmEntry *entry, bool is_entry)
{
	SmSpan		url = sm_span(audit->doc.buf.data + audit->doc.end + entry->loc, entry->loc_len);
	SmSpan		page;

	/* a control character in the loc becomes an escape in the URL */
	if (!is_entry || memchr(url.s, '%', url.len) != NULL)
		check_characters(audit, row->loc);
	check_lastmod(audit, row, entry);
	if (!is_entry)
		return;

	audit->nentries++;
	page = audit->doc.kind == SM_TEXT ? sm_site_canonical(&audit->site, url) :
		read_written(audit, url);
	check_path(audit, page);
	if (memchr(url.s, '#', url.len) != NULL)
		add_problem(audit, SM_LOC_FRAGMENT,
					"Search engines ignore what follows the \"#\" in the loc.");
	sm_document_fits_alone(&audit->doc, entry, &audit->writer.problems);
	sm_pages_add(audit->pages, audit->receiver.nrows, page);
	sm_audit_robots_check(audit->robots, audit->receiver.nrows, NULL, page);
	check_alternates(audit, page);
}

static bool
audit_row(SmReceiver *self, TupleTableSlot *slot)
{
	Audit	   *audit = (Audit *) self;
	SmProblems *problems = &audit->writer.problems;
	SmRow		row;
	SmEntry		entry;
	bool		is_entry;

	audit->nalternates = 0;
	audit->like_unknown = NULL;
	audit->doc.buf.len = audit->doc.end;

	if (sm_read_slot(slot, &audit->columns, &row, problems))
	{
		is_entry = sm_append_entry(&audit->writer, &row, &audit->doc.buf, &entry);
		check_row(audit, &row, &entry, is_entry);
	}
	sm_findings_add_loc(&audit->findings, problems->loc);
	return true;
}

/* Check the set as a whole, after the last row. */
static void
check_set(Audit *audit)
{
	sm_pages_compare(audit->pages);
	if (audit->is_uniform && audit->nread >= UNIFORM_ROWS)
	{
		char		lastmod[SM_W3C_SECONDS_LEN];

		sm_w3c_format_seconds(audit->lastmod, lastmod);
		sm_findings_add(&audit->findings, SM_WHOLE_SET, SM_LASTMOD_UNIFORM,
						psprintf("All " INT64_FORMAT " pages have the lastmod %.*s, which does not tell what changed.",
								 audit->nread, SM_W3C_SECONDS_LEN, lastmod));
	}
	if (audit->has_unchecked)
		sm_findings_add(&audit->findings, SM_WHOLE_SET, SM_XML_UNCHECKED,
						"Ready-made XML has images, videos, news or alternates. Their return links, their URLs in robots.txt and the age of news are checked only in columns images, videos, news and alternates.");
	sm_audit_robots_check_set(audit->robots, audit->options, audit->nentries);
}

static Audit *
make_audit(FunctionCallInfo fcinfo)
{
	Audit	   *audit = palloc0_object(Audit);
	int			robots = PG_NARGS() - 2;

	/* NULL stands for the default */
	Datum		agents = PG_ARGISNULL(robots + 1) ?
		OidFunctionCall3(F_ARRAY_IN, CStringGetDatum("{Googlebot,Bingbot}"),
						 ObjectIdGetDatum(TEXTOID), Int32GetDatum(-1)) :
		PG_GETARG_DATUM(robots + 1);

	sm_receiver_init(&audit->receiver, NULL, audit_row);

	audit->options = sm_read_options(fcinfo, false);
	sm_site_init(&audit->site, &audit->options->base);
	sm_findings_begin(&audit->findings);
	audit->pages = sm_pages_begin(audit->options->base.origin.https, &audit->findings);
	audit->robots = sm_audit_robots_begin(PG_ARGISNULL(robots) ? NULL : PG_GETARG_TEXT_PP(robots),
										  agents, &audit->site, &audit->findings);

	sm_begin_entries(audit->options, &audit->writer, &audit->doc);
	audit->writer.found = check_value;
	audit->writer.found_arg = audit;
	audit->writer.problems.take = take_problem;
	audit->writer.problems.take_arg = audit;
	audit->now = GetCurrentTransactionStartTimestamp() / USECS_PER_SEC + SM_POSTGRES_EPOCH;
	return audit;
}

Datum
sitemap_audit(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Audit	   *audit;

	InitMaterializedSRF(fcinfo, 0);
	audit = make_audit(fcinfo);
	sm_open_set_query(audit->options, &audit->query, &audit->columns);
	if (audit->options->stable && audit->query.key_index < 0 && !sm_query_has_order(&audit->query))
		sm_findings_add(&audit->findings, SM_WHOLE_SET, SM_ORDER_MISSING,
						"The query has no ORDER BY, and split => 'stable' needs the same order in each run; else files get other names.");
	sm_query_run(&audit->query, NULL, NULL, &audit->receiver);
	sm_query_close(&audit->query);
	check_set(audit);
	sm_findings_put(&audit->findings, rsinfo->setResult, rsinfo->setDesc);
	return (Datum) 0;
}
