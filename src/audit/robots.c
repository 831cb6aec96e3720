/*
 * robots.c
 *	  Matches URLs with the rules of a robots.txt, as audit/robotstxt.c compiles them.
 *
 * A robots.txt applies to one scheme, host and port, here base_url's.  Pages elsewhere are
 * counted, other URLs are ignored.
 */
#include "postgres.h"

#include "audit/robots.h"

#include "audit/suspect.h"
#include "catalog/pg_type.h"
#include "entry/value.h"
#include "files/names.h"
#include "files/set.h"
#include "miscadmin.h"
#include "server/argument.h"
#include "server/encoding.h"
#include "text/text.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

/* A limit, since a set of agents has a bit for each. */
#define MAX_AGENTS	50

/* The most Sitemap lines that a finding quotes. */
#define MAX_LINES	10

struct SmAuditRobots
{
	SmRobots	rules;			/* of all agents */
	StringInfoData room;		/* for sm_robots_match */
	StringInfoData names;		/* of agents, for a finding */
	const SmUrlBase *base;
	SmFindings *findings;
};

SmSpan
sm_page(SmSpan url)
{
	char	   *page = palloc(url.len + 1);

	return sm_span(page, sm_url_canonical(url.s, url.len, page));
}

/* Read an array of product tokens; NULL stands for the default. */
static SmRobotsAgent *
read_agents(const SmArguments *args, int *nagents)
{
	Datum		names = sm_has_argument(args, "agents") ? sm_argument(args, "agents") :
		OidFunctionCall3(F_ARRAY_IN, CStringGetDatum("{Googlebot,Bingbot}"),
						 ObjectIdGetDatum(TEXTOID), Int32GetDatum(-1));
	Datum	   *values;
	SmRobotsAgent *agents;

	deconstruct_array(DatumGetArrayTypeP(names), TEXTOID, -1, false, TYPALIGN_INT,
					  &values, NULL, nagents);
	if (*nagents == 0 || *nagents > MAX_AGENTS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("agents must have between 1 and %d names", MAX_AGENTS)));
	StaticAssertStmt(MAX_AGENTS + SM_ROBOTS_STAND_INS <= SM_ROBOTS_MAX_AGENTS,
					 "too many agents for SmRobots");
	agents = palloc0_array(SmRobotsAgent, *nagents + SM_ROBOTS_STAND_INS);
	for (int i = 0; i < *nagents; i++)
	{
		char	   *name = TextDatumGetCString(values[i]);

		agents[i].name = sm_span_of(name);
		if (!sm_robots_is_token(name, strlen(name)))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid agent \"%s\"", sm_clip(name)),
					 errdetail("It must be the name that a crawler has in a robots.txt: letters, \"-\" and \"_\", such as Googlebot.")));
	}
	return agents;
}

static void
check_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

SmAuditRobots *
sm_audit_robots_begin(const SmArguments *args, const SmUrlBase *base, SmFindings *findings)
{
	SmAuditRobots *robots = palloc0_object(SmAuditRobots);
	int			nagents;
	SmRobotsAgent *agents = read_agents(args, &nagents);
	SmSpan		given;

	if (!sm_has_argument(args, "robots"))
		return NULL;

	given = sm_read_argument(sm_argument(args, "robots"), "robots");
	sm_robots_init(&robots->rules, given, agents, nagents, check_interrupts,
				   palloc(SM_ROBOTS_MEMORY(given.len)));
	initStringInfo(&robots->room);
	initStringInfo(&robots->names);
	robots->base = base;
	robots->findings = findings;
	return robots;
}

/* Would an agent fetch the URL for this use, and must it not? */
static bool
is_forbidden(const SmRobotsAgent *agent, SmRobotsUse use)
{
	return (agent->uses & SM_ROBOTS_FOR(use)) && agent->rule && !agent->rule->allow;
}

/*
 * Name the agents that the rule of the n-th agent forbids the last URL for a use, as in "A, B
 * and C".  Returns false unless the n-th is the first of them.
 */
static bool
name_agents(SmAuditRobots *robots, uint32 n, SmRobotsUse use)
{
	const SmRobots *rules = &robots->rules;
	StringInfo	names = &robots->names;
	SmSpan		last = sm_no_span();

	resetStringInfo(names);
	for (uint32 i = 0; i < rules->nagents; i++)
	{
		const SmRobotsAgent *agent = &rules->agents[i];

		if (agent->rule != rules->agents[n].rule || !is_forbidden(agent, use))
			continue;
		if (i < n)
			return false;
		if (last.s)
			appendStringInfo(names, "%s%.*s", names->len > 0 ? ", " : "", (int) last.len, last.s);
		last = agent->name;
	}
	appendStringInfo(names, "%s%.*s", names->len > 0 ? " and " : "", (int) last.len, last.s);
	return true;
}

/*
 * Report each rule that forbids a URL for a use, unless it is of another site, or too long.  what:
 * noun phrase, NULL for a page.
 */
static void
report_rules(SmAuditRobots *robots, int64 row_number, SmProblemName name, SmRobotsUse use,
			 const char *what, SmSpan url)
{
	size_t		path = sm_base_path(robots->base, url);
	size_t		len = url.len - path;

	if (path == 0 || len > SM_LOOK_MAX)
		return;
	sm_robots_match(&robots->rules, url.s + path, len,
					sm_reserve(&robots->room, SM_ROBOTS_ROOM(len)));
	for (uint32 i = 0; i < robots->rules.nagents; i++)
	{
		const SmRobotsAgent *agent = &robots->rules.agents[i];
		const SmRobotsRule *rule = agent->rule;

		CHECK_FOR_INTERRUPTS();
		if (is_forbidden(agent, use) && name_agents(robots, i, use))
			sm_findings_add_caused(robots->findings, row_number, name,
								   2 * rule->line + (what != NULL),
								   "%s must not fetch the %s: line %u of robots.txt is \"%s\".",
								   robots->names.data,
								   what ? psprintf("%s \"%s\"", what, sm_for_message(url)) : "page",
								   rule->line, sm_for_message(rule->text));
	}
}

void
sm_audit_robots_check(SmAuditRobots *robots, int64 row_number, SmRobotsUse use, const char *what,
					  SmSpan url)
{
	if (robots == NULL)
		return;
	if (what == NULL && sm_base_path(robots->base, url) == 0)
		sm_findings_add_caused(robots->findings, SM_WHOLE_SET, SM_ROBOTS_UNCHECKED, 0,
							   "This robots.txt is that of \"%.*s\" and does not apply to the page \"%s\".",
							   (int) robots->base->origin_len, robots->base->url[SM_FORM_PLAIN],
							   sm_for_message(url));
	report_rules(robots, row_number, SM_ROBOTS_DISALLOWED, use, what, url);
}

/* The URL of a file of the set, in canonical form. */
static SmSpan
file_url(const SmUrlBase *base, const char *name)
{
	return sm_page(sm_span_of(psprintf("%.*s%s", (int) base->len[SM_FORM_PLAIN],
									   base->url[SM_FORM_PLAIN], name)));
}

/*
 * What is wrong with the value of a Sitemap line that has to name one of these files; NULL for
 * nothing.
 */
static const char *
describe_value(const SmAuditRobots *robots, SmSpan value, const SmSpan *urls, int nurls)
{
	SmUrlCache	cache = {.raw_len = 0};
	char	   *url = palloc(sm_url_bound(value.len, NULL, SM_URL_MAX));
	size_t		len;
	SmUrlStatus status = sm_url_encode(value.s, value.len, NULL, &cache, SM_FORM_PLAIN, SM_URL_MAX,
									   url, &len);
	SmSpan		page;

	sm_url_check_memory(status);
	if (status != SM_URL_OK)
		return status == SM_URL_EMPTY ? "has no URL" : status == SM_URL_NO_SCHEME ? "is relative" : "is not a valid URL";
	page = sm_page(sm_span(url, len));
	for (int i = 0; i < nurls; i++)
		if (sm_span_equal(page, urls[i]))
			return NULL;
	return !sm_span_equal(sm_url_host(page), sm_url_host(urls[0])) ? "has another host" :
		sm_base_path(robots->base, page) == 0 ? "has another scheme or port" : "has another name";
}

/*
 * Describe a text without a line of a robots.txt that cannot be one, such as the error page
 * that a server returns if there is none.  NULL for any other text.
 */
static const char *
describe_invalid(SmSpan text)
{
	if (sm_span_begins(text, "\xEF\xBB\xBF"))
		text = sm_span(text.s + 3, text.len - 3);
	text = sm_trim(text);
	return text.len == 0 ? "The text of robots.txt is empty." :
		text.s[0] == '<' ? "The text of robots.txt is an HTML page or other markup." : NULL;
}

/*
 * Report a text that is no robots.txt, or else that crawlers may stop before its end, and that
 * no Sitemap line names one of these files.
 */
static void
check_lines(SmAuditRobots *robots, const SmSpan *urls, int nurls)
{
	SmSpan		robots_txt = robots->rules.text;
	const char *invalid = describe_invalid(robots_txt);
	bool		is_named = false;
	int			nothers = 0;	/* lines that name other sitemaps */
	StringInfoData others;
	SmRobotsReader r;

	initStringInfo(&others);
	sm_robots_reader_init(&r, robots_txt);
	while (sm_robots_next(&r))
	{
		const char *wrong;

		CHECK_FOR_INTERRUPTS();
		/* crawlers skip other lines, such as markup before rules */
		if (r.key != SM_ROBOTS_OTHER)
			invalid = NULL;
		if (is_named || r.key != SM_ROBOTS_SITEMAP)
			continue;
		wrong = describe_value(robots, r.value, urls, nurls);
		is_named = wrong == NULL;
		if (wrong && nothers++ < MAX_LINES)
			appendStringInfo(&others, "%s line %u \"%s\" %s", nothers == 1 ? ":" : ",", r.line,
							 sm_for_message(r.text), wrong);
	}
	if (invalid)
	{
		sm_findings_add(robots->findings, SM_WHOLE_SET, SM_ROBOTS_INVALID, "%s", invalid);
		return;
	}

	if (nothers > MAX_LINES)
		appendStringInfo(&others, " and %d more", nothers - MAX_LINES);
	if (robots_txt.len > SM_ROBOTS_MAX)
		sm_findings_add(robots->findings, SM_WHOLE_SET, SM_ROBOTS_TOO_LARGE,
						"Crawlers may read only the first %d KiB of robots.txt, which end in line %u.",
						SM_ROBOTS_MAX / 1024, r.line);
	if (!is_named)
		sm_findings_add(robots->findings, SM_WHOLE_SET, SM_ROBOTS_LACKS_SITEMAP,
						"No Sitemap line of robots.txt names \"%s\"%s.", sm_for_message(urls[0]), others.data);
}

void
sm_audit_robots_check_set(SmAuditRobots *robots, const SmOptions *options, int64 nentries)
{
	bool		is_named = options->index == SM_INDEX_OF_SECTION &&
		strcmp(options->section, SM_INDEX_SECTION) != 0;
	bool		is_small = nentries <= options->max_urls &&
		(options->index == SM_INDEX_AUTO || options->index == SM_INDEX_NEVER);
	SmSpan		urls[3];
	int			nurls = 0;

	if (robots == NULL)
		return;

	/*
	 * Crawlers begin with an index, with the only file of a small set, or
	 * with the parts of a set without an index.  The first part stands for
	 * all parts.  sitemap_publish makes an index and a part even of a small
	 * set, and the site's index beside that of a section.
	 */
	if (is_named)
		urls[nurls++] = file_url(robots->base, sm_index_name(options->section, 1));
	urls[nurls++] = file_url(robots->base, sm_index_name(SM_INDEX_SECTION, 1));
	if (is_small)
		urls[nurls++] = file_url(robots->base, sm_only_name(options));
	urls[nurls++] = file_url(robots->base, sm_first_name(options));
	check_lines(robots, urls, options->index == SM_INDEX_NEVER ? nurls : nurls - 1);
	for (int i = 0; i < nurls; i++)
		report_rules(robots, SM_WHOLE_SET, SM_ROBOTS_BLOCKS_SITEMAP, SM_ROBOTS_PAGE, "file", urls[i]);
}
