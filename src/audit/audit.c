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
#include "audit/lastmods.h"
#include "audit/pages.h"
#include "audit/robots.h"
#include "audit/suspect.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "entry/element.h"
#include "entry/value.h"
#include "files/set.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "server/query.h"
#include "server/query_tree.h"
#include "text/ascii.h"
#include "text/digest.h"
#include "text/iso.h"
#include "text/text.h"
#include "text/w3cdate.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
#include "web/namespace.h"
#include "web/xml.h"

PG_FUNCTION_INFO_V1(sitemap_audit);

/* Age of the oldest news that Google takes, in seconds */
#define NEWS_SECONDS	(2 * SM_SECS_PER_DAY)

/*
 * A date without time is a day, month or year somewhere on Earth: it begins at 00:00 in
 * UTC+14 and ends at 24:00 in UTC-12.  In seconds from 00:00 in UTC
 */
#define BEGIN_IN_EAST	(-14 * 3600)
#define END_IN_WEST		(12 * 3600)

/* The cause of suspicions that are dropped if other pages have numbers, too. */
#define NUMBER_CAUSE	0

/* slots for the hosts looked at last, so that nearly all are looked at once */
#define HOSTS			1024

typedef struct Audit
{
	SmReceiver	receiver;		/* must be first */
	const SmOptions *options;
	SmQuery		query;
	SmColumns	columns;
	SmEntryWriter writer;
	SmDocument	doc;			/* holds the current entry only */
	int64		now;			/* seconds since 1970-01-01 UTC */

	SmSuspects	suspects;
	uint64		hosts[HOSTS];	/* hashes of hosts that were looked at */

	int64		nentries;		/* rows with a valid loc */
	bool		has_news;		/* does an entry have news? */
	Tuplesortstate *lastmods;	/* that have a time, in seconds */
	bool		is_numbered;	/* are there pages with numbers, such as
								 * "/12"? */
	bool		is_below;		/* is a page below base_url? */
	bool		has_unchecked;	/* does ready-made XML have images, videos,
								 * news or alternates? */

	/* of the current row */
	int			nalternates;
	SmLink		alternates[SM_MAX_ALTERNATES + 1];	/* in canonical form; the
													 * last has room for the
													 * hreflang of a link that
													 * is refused; hreflang is
													 * empty if it is invalid */

	SmSpan		directory;		/* base_url in canonical form */
	SmFindings	findings;
	SmPages    *pages;
	SmAuditRobots *robots;		/* NULL for no robots.txt */
} Audit;

/* Add a problem of the current row, maybe with a cause. */
#define add_caused(audit, name, cause, ...) \
	sm_findings_add_caused(&(audit)->findings, (audit)->receiver.nrows, name, cause, __VA_ARGS__)
#define add_problem(audit, name, ...) \
	add_caused(audit, name, SM_NO_CAUSE, __VA_ARGS__)

/* Make a sentence of a text that begins with a small letter. */
static char *
sentence_of(char *text)
{
	*text = pg_toupper((unsigned char) *text);
	return text;
}

/* SmProblemCallback: add a problem of the current row, as sentences with its hint. */
static bool
add_reported_problem(SmProblems *problems, const SmProblem *problem)
{
	Audit	   *audit = problems->callback_arg;

	add_problem(audit, problem->name, "%s.%s%s", sentence_of(pstrdup(problem->message)),
				problem->hint ? " " : "", problem->hint ? problem->hint : "");
	return true;
}

/* A noun phrase for a URL or text, or for the loc if what is NULL. */
static char *
quote_value(const char *what, SmSpan value)
{
	return what ? psprintf("the %s \"%s\"", what, sm_for_message(value)) : pstrdup("the loc");
}

/* Report what is suspicious in a URL or text.  what: noun phrase for it, NULL for the loc. */
static void
report_suspicion(Audit *audit, int64 row_number, SmProblemName name, const char *what, SmSpan value,
				 const SmSuspect *found)
{
	if (found->what)
		sm_findings_add_caused(&audit->findings, row_number, name,
							   found->what->is_number ? NUMBER_CAUSE : SM_NO_CAUSE, "%s",
							   sentence_of(psprintf(found->what->sentence, quote_value(what, value),
													sm_for_message(found->text))));
}

/*
 * Report what audit/suspect.c found in a URL of the current row, or in a loc that is none.
 * what: noun phrase for the URL, NULL for the loc; in other URLs, all findings are
 * url_suspicious.
 */
static void
report_suspect(Audit *audit, const char *what, SmSpan url, const SmSuspect *found)
{
	if (found->invisible != SM_NO_CHARACTER)
		add_problem(audit, what ? SM_URL_SUSPICIOUS : SM_LOC_INVISIBLE_CHARACTER,
					"%s has the character U+%04X, which nobody sees.",
					sentence_of(quote_value(what, url)), found->invisible);
	report_suspicion(audit, audit->receiver.nrows, what ? SM_URL_SUSPICIOUS : SM_LOC_SUSPICIOUS,
					 what, url, found);
}

/* Report a host that is not public, once.  what: noun phrase for the URL. */
static void
check_host(Audit *audit, int64 row_number, const char *what, SmSpan url)
{
	SmSpan		host = sm_url_host(url);
	uint64		hash = sm_digest(host.s, host.len, 0);
	SmSuspect	found;

	if (audit->hosts[hash % HOSTS] == hash)
		return;
	audit->hosts[hash % HOSTS] = hash;
	sm_host_suspect(&audit->suspects, host, &found);
	report_suspicion(audit, row_number, SM_HOST_NOT_PUBLIC, what, url, &found);
}

/* The plain form of a value that is written with references. */
static SmSpan
unescape(SmSpan written)
{
	char	   *text = palloc(written.len);

	return sm_span(text, sm_xml_unescape(written.s, written.len, text));
}

/* Check a title, caption, name or description, as it is written. */
static void
check_text(Audit *audit, const char *what, SmSpan written)
{
	SmSpan		plain;
	SmSuspect	found;

	/* what is looked for is written with references */
	if (memchr(written.s, '&', written.len) == NULL)
		return;
	plain = unescape(written);
	sm_text_suspect(&audit->suspects, plain, &found);
	report_suspicion(audit, audit->receiver.nrows, SM_TEXT_SUSPICIOUS, what, plain, &found);
}

/* Is a time later than now?  The clock goes on while the query runs. */
static bool
is_later(Audit *audit, int64 seconds)
{
	if (seconds > audit->now)
		audit->now = sm_timestamp_seconds(GetCurrentTimestamp());
	return seconds > audit->now;
}

/* Is a lastmod with a time the now() of this statement or its transaction? */
static bool
is_now(const SmRow *row, const SmEntry *entry)
{
	TimestampTz start = GetCurrentTransactionStartTimestamp();

	return row->lastmod.type == SM_VALUE_INSTANT ?
		row->lastmod.v.integer == start || row->lastmod.v.integer == GetCurrentStatementStartTimestamp() :
		entry->lastmod == sm_timestamp_seconds(start);
}

/*
 * Is a time midnight in UTC or in the session's time zone, as when the query casts a date?
 * Time zones differ by quarters of an hour.
 */
static bool
is_midnight(int64 seconds)
{
	TimestampTz time = (seconds - SM_POSTGRES_EPOCH) * USECS_PER_SEC;
	Datum		day;

	if (seconds % (15 * 60) != 0)
		return false;
	day = DirectFunctionCall1(timestamptz_date, TimestampTzGetDatum(time));
	return seconds % SM_SECS_PER_DAY == 0 ||
		DatumGetTimestampTz(DirectFunctionCall1(date_timestamptz, day)) == time;
}

static void
check_lastmod(Audit *audit, const SmRow *row, const SmEntry *entry)
{
	char		lastmod[SM_W3C_SECONDS_LEN];
	bool		is_day;

	audit->has_news |= entry->has_news;
	if (!entry->has_lastmod)
		return;
	is_day = row->lastmod.type == SM_VALUE_DAY ||
		(row->lastmod.type == SM_VALUE_TEXT &&
		 memchr(row->lastmod.v.span.s, 'T', row->lastmod.v.span.len) == NULL);
	if (!is_day && is_now(row, entry))
		sm_findings_add_caused(&audit->findings, SM_WHOLE_SET, SM_LASTMOD_NOW, 0,
							   "The lastmod of a page is now(), so each run changes it. Write when the page changed, or NULL.");
	else if (!is_day && entry->lastmod > 0 && !is_midnight(entry->lastmod))
		tuplesort_putdatum(audit->lastmods, Int64GetDatum(entry->lastmod), false);
	if (entry->lastmod > 0 && !is_later(audit, entry->lastmod + (is_day ? BEGIN_IN_EAST : 0)))
		return;
	sm_w3c_format_seconds(entry->lastmod, lastmod);
	if (entry->lastmod <= 0)
		add_problem(audit, SM_DATE_BEFORE_1970,
					"The lastmod %.*s is not later than the beginning of 1970, so it probably was missing.",
					SM_W3C_SECONDS_LEN, lastmod);
	else
		add_problem(audit, SM_LASTMOD_IN_FUTURE,
					"The lastmod %.*s is later than now.", SM_W3C_SECONDS_LEN, lastmod);
}

/* Check a date of news or of a video. */
static void
check_date(Audit *audit, SmRole role, SmSpan date)
{
	const char *name = role == SM_ROLE_EXPIRATION ? "expiration_date" : "publication_date";
	int			days = date.len == strlen("2026") ? 366 : date.len == strlen("2026-01") ? 31 : 1;
	bool		has_time;
	int64_t		seconds;
	int64		begin;
	int64		end;

	if (sm_w3c_parse(date, false, &has_time, &seconds) != SM_W3C_OK)
		return;
	begin = has_time ? seconds : seconds + BEGIN_IN_EAST;
	end = has_time ? seconds : seconds + days * SM_SECS_PER_DAY + END_IN_WEST;
	if (role == SM_ROLE_NEWS_DATE && end < audit->now - NEWS_SECONDS)
		add_problem(audit, SM_NEWS_TOO_OLD,
					"The %s %s is more than two days ago.", name, sm_for_message(date));
	else if (seconds <= 0)
		add_problem(audit, SM_DATE_BEFORE_1970,
					"The %s %s is not later than the beginning of 1970, so it probably was missing.",
					name, sm_for_message(date));
	else if (role == SM_ROLE_EXPIRATION && end < audit->now)
		add_problem(audit, SM_VIDEO_EXPIRED,
					"The %s %s is in the past.", name, sm_for_message(date));
	else if (role != SM_ROLE_EXPIRATION && is_later(audit, begin))
		add_problem(audit, role == SM_ROLE_NEWS_DATE ? SM_NEWS_IN_FUTURE : SM_VIDEO_IN_FUTURE,
					"The %s %s is later than now.", name, sm_for_message(date));
}

/* Check the hreflang of the next alternate, and keep it. */
static void
check_hreflang(Audit *audit, SmSpan hreflang)
{
	SmHreflang	status = sm_iso_hreflang(hreflang);
	SmSpan		likely = sm_iso_likely_hreflang(hreflang);
	uint64		cause = sm_digest(hreflang.s, hreflang.len, 0);

	audit->alternates[audit->nalternates].hreflang = status == SM_HREFLANG_INVALID ?
		sm_no_span() : sm_span(pnstrdup(hreflang.s, hreflang.len), hreflang.len);
	if (status == SM_HREFLANG_LONG)
		add_caused(audit, SM_HREFLANG_NOT_SUPPORTED, cause,
				   "Google documents only languages of two letters for hreflang, not \"%s\".",
				   sm_for_message(hreflang));
	/* a country taken for a language */
	if (status == SM_HREFLANG_VALID && likely.len > 0)
		add_caused(audit, SM_HREFLANG_SUSPICIOUS, cause,
				   "The hreflang \"%s\" is a rare language or place. You probably mean \"%.*s\".",
				   sm_for_message(hreflang), (int) likely.len, likely.s);
}

/*
 * The language of an hreflang, without script and country: one code for the codes of Norwegian
 * and of Filipino, "x" for x-default.
 */
static SmSpan
language_of(SmSpan hreflang)
{
	static const char *const codes[][2] = {{"nb", "no"}, {"nn", "no"}, {"fil", "tl"}};
	const char *hyphen = memchr(hreflang.s, '-', hreflang.len);
	SmSpan		language = sm_span(hreflang.s, hyphen ? (size_t) (hyphen - hreflang.s) : hreflang.len);

	for (size_t i = 0; i < lengthof(codes); i++)
		if (sm_equal_ignoring_case(language, sm_span_of(codes[i][0])))
			return sm_span_of(codes[i][1]);
	return language;
}

/* Comparator for qsort: links by URL. */
static int
compare_links(const void *arg1, const void *arg2)
{
	SmSpan		a = ((const SmLink *) arg1)->href;
	SmSpan		b = ((const SmLink *) arg2)->href;
	int			order = memcmp(a.s, b.s, Min(a.len, b.len));

	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* Check that alternates in different languages have different URLs, and sort them. */
static void
check_languages(Audit *audit)
{
	const SmLink *first = NULL; /* with the URL, and a language */

	qsort(audit->alternates, audit->nalternates, sizeof(SmLink), compare_links);
	for (int i = 0; i < audit->nalternates; i++)
	{
		const SmLink *link = &audit->alternates[i];

		if (link->hreflang.len == 0 || sm_span_is(link->hreflang, "x-default"))
			continue;
		if (first == NULL || !sm_span_equal(first->href, link->href))
			first = link;
		else if (!sm_equal_ignoring_case(language_of(first->hreflang), language_of(link->hreflang)))
		{
			add_problem(audit, SM_HREFLANG_SAME_URL,
						"The alternates \"%s\" and \"%s\" are the same page, \"%s\".",
						sm_for_message(first->hreflang), sm_for_message(link->hreflang),
						sm_for_message(link->href));
			return;
		}
	}
}

/*
 * Check a URL of the current row as it is written in its entry.  what: noun phrase for the
 * URL, NULL for the loc.  Returns its canonical form, which is the URL itself where
 * possible.
 */
static SmSpan
check_url(Audit *audit, const char *what, SmSpan written)
{
	const SmUrlBase *base = &audit->options->base;
	const SmEntryWriter *w = &audit->writer;

	/* nearly all URLs of a set begin with its origin, and need no copy */
	bool		is_own = sm_base_path(base, written) > 0;
	size_t		start = is_own ? base->origin_len : (size_t) (sm_url_host(written).s - written.s);
	SmSpan		url = written;
	unsigned int traits;
	SmSuspect	found = {.what = NULL};
	size_t		base_len = base->len[SM_FORM_PLAIN];

	/* neither origin nor host has references */
	if (w->kind != SM_TEXT && memchr(url.s + start, '&', url.len - start))
		url = unescape(written);
	traits = sm_url_traits(&audit->suspects, url.s + start, url.s + url.len);
	if (!is_own)
		check_host(audit, audit->receiver.nrows, what ? what : "loc", url);
	if (!is_own || url.len < base_len || memcmp(url.s, base->url[SM_FORM_PLAIN], base_len) != 0)
		base_len = 0;
	/* an alternate can be the page itself, which is checked as loc */
	if ((traits & SM_MAY_BE_SUSPECT) &&
		!(what && sm_span_equal(written, sm_span(w->buf->data + w->loc, w->page->loc_len))))
	{
		sm_url_suspect(&audit->suspects, url, base_len, what == NULL,
					   palloc(Min(url.len, SM_LOOK_MAX)), &found);
		if (found.what && found.what->is_number && (what || !sm_url_is_numbered(url, base_len)))
			found.what = NULL;
		report_suspect(audit, what, url, &found);
	}
	if (what == NULL && !audit->is_numbered && !(found.what && found.what->is_number))
		audit->is_numbered = sm_url_is_numbered(url, base_len);
	/* "&#038;" and "#{slug}" have no fragment */
	if (what == NULL && !(found.what && found.what->has_hash) && memchr(url.s, '#', url.len))
		add_problem(audit, SM_LOC_FRAGMENT,
					"Search engines ignore what follows the \"#\" in the loc.");
	return is_own && !(traits & SM_MAY_VARY) ? url : sm_page(url);
}

/* SmValueCallback: check a value of the current row. */
static void
check_value(void *arg, SmRole role, SmSpan value)
{
	static const struct
	{
		const char *what;		/* noun phrase for a URL or text, NULL for
								 * another value */
		bool		is_text;
		SmRobotsUse use;		/* what search engines fetch it for with the
								 * page; SM_ROBOTS_PAGE if they do not */
	}			values[SM_NROLES] = {
		[SM_ROLE_IMAGE] = {"image",.use = SM_ROBOTS_IMAGE},
		[SM_ROLE_LICENSE] = {.what = "image license"},
		[SM_ROLE_THUMBNAIL] = {"video thumbnail",.use = SM_ROBOTS_IMAGE},
		[SM_ROLE_VIDEO] = {"video",.use = SM_ROBOTS_VIDEO},
		[SM_ROLE_VIDEO_SEGMENT] = {"video segment",.use = SM_ROBOTS_VIDEO},
		[SM_ROLE_PLAYER] = {"video player",.use = SM_ROBOTS_VIDEO},
		[SM_ROLE_GALLERY] = {.what = "video gallery"},
		[SM_ROLE_UPLOADER] = {.what = "video uploader"},
		[SM_ROLE_ALTERNATE] = {.what = "alternate"},
		[SM_ROLE_TITLE] = {"title",.is_text = true},
		[SM_ROLE_CAPTION] = {"caption",.is_text = true},
		[SM_ROLE_NAME] = {"name",.is_text = true},
		[SM_ROLE_DESCRIPTION] = {"description",.is_text = true}
	};
	Audit	   *audit = arg;
	SmSpan		url = value;

	CHECK_FOR_INTERRUPTS();
	if (values[role].is_text)
		check_text(audit, values[role].what, value);
	else if (values[role].what)
		url = check_url(audit, values[role].what, value);
	if (values[role].use != SM_ROBOTS_PAGE)
		sm_audit_robots_check(audit->robots, audit->receiver.nrows, values[role].use,
							  values[role].what, url);
	switch (role)
	{
		case SM_ROLE_ALTERNATE:
			/* links with an invalid code are not limited */
			if (audit->nalternates < SM_MAX_ALTERNATES)
				audit->alternates[audit->nalternates++].href = sm_span(pnstrdup(url.s, url.len), url.len);
			break;
		case SM_ROLE_HREFLANG:
			check_hreflang(audit, value);
			break;
		case SM_ROLE_XML:
			audit->has_unchecked |= sm_namespace_flag(value) != 0;
			break;
		case SM_ROLE_WRONG_XML:
			add_caused(audit, SM_NAMESPACE_UNKNOWN, sm_digest(value.s, value.len, 0),
					   "Search engines know an element of the ready-made XML only in the namespace \"%s\".",
					   sm_for_message(value));
			break;
		case SM_ROLE_NEWS_DATE:
		case SM_ROLE_VIDEO_DATE:
		case SM_ROLE_EXPIRATION:
			check_date(audit, role, value);
			break;
		default:
			break;
	}
}

/* Check a row that was read. is_entry: it was written as an entry. */
static void
check_row(Audit *audit, const SmRow *row, const SmEntry *entry, bool is_entry)
{
	SmSpan		page;

	check_lastmod(audit, row, entry);
	if (!is_entry)
	{
		SmSuspect	found;

		sm_text_suspect(&audit->suspects, sm_trim(row->loc), &found);
		found.what = NULL;		/* its text can be a password */
		report_suspect(audit, NULL, row->loc, &found);
		return;
	}

	audit->nentries++;
	page = check_url(audit, NULL, sm_span(audit->doc.buf.data + audit->doc.end + entry->loc,
										  entry->loc_len));
	sm_document_fits_alone(&audit->doc, entry, &audit->writer.problems);
	sm_pages_add(audit->pages, audit->receiver.nrows, page);
	sm_audit_robots_check(audit->robots, audit->receiver.nrows,
						  entry->has_news ? SM_ROBOTS_NEWS : SM_ROBOTS_PAGE, NULL, page);
	if (audit->nalternates > 0 &&
		!sm_pages_link(audit->pages, audit->receiver.nrows, page, audit->alternates, audit->nalternates))
		add_caused(audit, SM_HREFLANG_LACKS_ITSELF, 0, "No alternate of the page is the page itself.");
	check_languages(audit);
	if (!audit->is_below)
		audit->is_below = page.len >= audit->directory.len &&
			sm_span_equal(sm_span(page.s, audit->directory.len), audit->directory);
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
	const SmUrlBase *base = &audit->options->base;

	sm_pages_compare(audit->pages);
	if (audit->nentries > 0 && !audit->is_below && base->len[SM_FORM_PLAIN] > base->origin_len + 1 &&
		base->scope == SM_SCOPE_HOST && audit->robots == NULL)
		sm_findings_add(&audit->findings, SM_WHOLE_SET, SM_DIRECTORY_UNUSED,
						"No loc is below the directory of base_url. Search engines accept such a sitemap only if robots.txt names it.");
	sm_lastmods_check(audit->lastmods, &audit->findings);
	if (audit->has_news)
	{
		sm_findings_leave_out(&audit->findings, SM_LASTMOD_NOW, 0);
		sm_findings_leave_out(&audit->findings, SM_LASTMOD_UNIFORM, 0);
	}
	if (audit->has_unchecked)
		sm_findings_add(&audit->findings, SM_WHOLE_SET, SM_XML_UNCHECKED,
						"Ready-made XML has images, videos, news or alternates. Their URLs, dates and links back are checked only in columns images, videos, news and alternates.");
	if (audit->is_numbered)
		sm_findings_leave_out(&audit->findings, SM_LOC_SUSPICIOUS, NUMBER_CAUSE);
	sm_audit_robots_check_set(audit->robots, audit->options, audit->nentries);
}

static Audit *
make_audit(FunctionCallInfo fcinfo)
{
	Audit	   *audit = palloc0_object(Audit);
	const SmArguments *args = sm_call_arguments(fcinfo);
	const SmUrlBase *base;

	sm_receiver_init(&audit->receiver, NULL, audit_row);

	audit->options = sm_read_options(args, false);
	base = &audit->options->base;
	audit->directory = sm_page(sm_span(base->url[SM_FORM_PLAIN], base->len[SM_FORM_PLAIN]));
	sm_findings_begin(&audit->findings);
	audit->lastmods = tuplesort_begin_datum(INT8OID, Int8LessOperator, InvalidOid, false, work_mem,
											NULL, TUPLESORT_NONE);
	audit->robots = sm_audit_robots_begin(args, base, &audit->findings);
	audit->pages = sm_pages_begin(base, &audit->findings, audit->robots);

	sm_begin_entries(audit->options, &audit->writer, &audit->doc);
	audit->writer.value_callback = check_value;
	audit->writer.value_callback_arg = audit;
	audit->writer.problems.callback = add_reported_problem;
	audit->writer.problems.callback_arg = audit;
	sm_suspects_init(&audit->suspects);
	check_host(audit, SM_WHOLE_SET, "base_url", sm_base_origin(base));
	audit->now = sm_timestamp_seconds(GetCurrentTimestamp());
	return audit;
}

/* Check the query, before it runs. */
static void
check_query(Audit *audit)
{
	SmQuery    *query = &audit->query;
	const char *table = sm_query_unsecured(query);

	if (audit->options->stable && query->key_type == NULL && !sm_query_has_order(query))
		sm_findings_add(&audit->findings, SM_WHOLE_SET, SM_ORDER_MISSING,
						"The query has no ORDER BY, and split => 'stable' needs the same order in each run; else files get other names.");
	if (table)
		sm_findings_add(&audit->findings, SM_WHOLE_SET, SM_ROW_SECURITY_BYPASSED,
						"The row security of %s does not apply to the role that runs the query, which can list rows that visitors must not see.",
						table);
}

Datum
sitemap_audit(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Audit	   *audit;

	InitMaterializedSRF(fcinfo, 0);
	audit = make_audit(fcinfo);
	sm_open_set_query(audit->options, &audit->query, &audit->columns);
	check_query(audit);
	sm_query_run(&audit->query, NULL, NULL, &audit->receiver);
	sm_query_close(&audit->query);
	check_set(audit);
	sm_findings_put(&audit->findings, rsinfo->setResult, rsinfo->setDesc);
	return (Datum) 0;
}
