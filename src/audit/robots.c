/*
 * robots.c
 *	  What a robots.txt forbids: pages of a set, their images, videos and alternates,
 *	  and the files of the set.
 *
 * A robots.txt is for one scheme, host and port, those of base_url; other URLs are
 * not looked at.
 */
#include "postgres.h"

#include "audit/audit.h"
#include "catalog/pg_type.h"
#include "core/robots.h"
#include "core/url.h"
#include "entry/row.h"
#include "files/index.h"
#include "files/set.h"
#include "miscadmin.h"
#include "server/argument.h"
#include "server/encoding.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#define INDEX_NAME	SM_INDEX_SECTION ".xml"

/* robots.txt is read once for each agent. */
#define MAX_AGENTS	100

typedef struct SmAuditRobots
{
	SmSpan		robots_txt;
	SmRobots	rules;			/* of all agents */
} SmAuditRobots;

/* Read an array of product tokens. */
static int
read_agents(Datum value, char ***names)
{
	Datum	   *values;
	bool	   *nulls;
	int			n;

	deconstruct_array(DatumGetArrayTypeP(value), TEXTOID, -1, false, TYPALIGN_INT,
					  &values, &nulls, &n);
	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("agents must not be empty")));
	if (n > MAX_AGENTS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("agents must not have more than %d names", MAX_AGENTS)));
	*names = palloc_array(char *, n);
	for (int i = 0; i < n; i++)
	{
		char	   *name;

		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("agents must not have a null in it")));
		name = (*names)[i] = TextDatumGetCString(values[i]);
		if (!sm_robots_is_token(name, strlen(name)))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid agent \"%s\"", sm_clip(name)),
					 errdetail("It must be the name that a crawler has in a robots.txt: letters, \"-\" and \"_\", such as Googlebot.")));
	}
	return n;
}

static void
compile(SmAuditRobots *robots, char *const *names, int nnames)
{
	size_t		size = 0;

	sm_robots_init(&robots->rules, robots->robots_txt.s, robots->robots_txt.len,
				   palloc_array(SmRobotsAgent, nnames));
	for (int i = 0; i < nnames; i++)
	{
		CHECK_FOR_INTERRUPTS();
		size = sm_robots_add_agent(&robots->rules, names[i], strlen(names[i]));
		if (size > MaxAllocSize)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("robots has too many rules for so many agents"),
					 errhint("Audit with fewer agents at a time.")));
	}
	sm_robots_compile(&robots->rules, palloc(size));
}

struct SmAuditRobots *
sm_audit_robots_create(const text *robots_txt, Datum agents)
{
	SmAuditRobots *robots = palloc0_object(SmAuditRobots);
	char	  **names;
	int			nnames = read_agents(agents, &names);

	if (robots_txt == NULL)
		return NULL;

	robots->robots_txt = sm_read_argument(PointerGetDatum(robots_txt), "robots");
	if (robots->robots_txt.len > SM_ROBOTS_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("robots has %zu bytes, more than the %d that are read",
						robots->robots_txt.len, SM_ROBOTS_MAX),
				 errdetail("Google reads no more than the first 500 KiB of a robots.txt.")));
	compile(robots, names, nnames);
	return robots;
}

static void
check_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

/* Where the path of a URL begins, without regard to a user; 0 in another origin. */
static size_t
path_start(const SmAudit *audit, SmSpan url)
{
	size_t		scheme_len = audit->options->base.scheme_len + 3;
	size_t		site_len = audit->origin.len - scheme_len;
	size_t		host_len;
	const char *host;
	const char *end = url.s + url.len;

	if (sm_audit_is_local(audit, url))
		return audit->origin.len;
	if (memcmp(url.s, audit->origin.s, scheme_len) != 0)
		return 0;
	host = sm_url_host(url.s, url.len, &host_len);
	if ((size_t) (end - host) <= site_len || host[site_len] != '/' ||
		memcmp(host, audit->origin.s + scheme_len, site_len) != 0)
		return 0;
	return host + site_len - url.s;
}

/* Find the rules that decide on a URL.  Returns false if it is of another origin. */
static bool
match(const SmAudit *audit, SmSpan url)
{
	size_t		start = path_start(audit, url);

	if (start == 0)
		return false;
	sm_robots_match(&audit->robots->rules, url.s + start, url.len - start, check_interrupts);
	return true;
}

static bool
forbids(const SmRobotsAgent *agent)
{
	return agent->rule && !agent->rule->allow;
}

static void
put_problem(SmAudit *audit, int64 row_number, SmProblemName name, const SmRobotsAgent *agent,
			const char *what)
{
	char	   *detail = psprintf("%.*s must not fetch %s: line %u of robots.txt is \"Disallow: %s\".",
								  (int) agent->name.len, agent->name.s, what, agent->rule->line,
								  sm_for_message(agent->rule->path));

	sm_audit_problem(audit, row_number, name, detail);
	pfree(detail);				/* a row can have many problems */
}

void
sm_audit_robots_check(SmAudit *audit, const char *what, SmSpan url)
{
	const SmAuditRobots *robots = audit->robots;

	if (robots == NULL || !match(audit, url))
		return;
	for (uint32 i = 0; i < robots->rules.nagents; i++)
	{
		const SmRobotsAgent *agent = &robots->rules.agents[i];

		CHECK_FOR_INTERRUPTS();
		if (forbids(agent))
			put_problem(audit, audit->nrows, SM_ROBOTS_DISALLOWED, agent,
						what ? psprintf("the %s \"%s\"", what, sm_for_message(url)) : "the page");
	}
}

/* The URL of a file of the set, in canonical form. */
static SmSpan
file_url(SmAudit *audit, const char *name)
{
	const SmUrlBase *base = &audit->options->base;
	char	   *url = psprintf("%.*s%s", (int) base->len[SM_FORM_PLAIN],
							   base->url[SM_FORM_PLAIN], name);
	SmSpan		page = sm_no_span();

	sm_audit_canonical_url(audit, sm_span(url, strlen(url)), &page);
	return page;
}

/*
 * Store the URLs of the index, and of the only file if the set can be one file.
 * Returns how many there are.
 */
static int
find_entry_points(SmAudit *audit, SmSpan urls[2])
{
	const SmOptions *options = audit->options;
	int			n = 0;

	urls[n++] = file_url(audit, INDEX_NAME);
	if (audit->npages <= options->max_urls && options->index != SM_INDEX_ALWAYS)
		urls[n++] = file_url(audit, sm_only_name(options));
	return n;
}

/*
 * Report, for each agent, a file of the set that the agent must not fetch: the
 * index, or the only file of a small set, or else the first part, which stands for
 * all parts.  sitemap_publish makes the index and a part even of a small set.
 */
static void
check_files(SmAudit *audit)
{
	const SmAuditRobots *robots = audit->robots;
	bool	   *is_reported = palloc0_array(bool, robots->rules.nagents);
	SmSpan		urls[3];
	int			nurls = find_entry_points(audit, urls);

	urls[nurls++] = file_url(audit, sm_part_name(audit->options));

	for (int n = 0; n < nurls; n++)
	{
		if (!match(audit, urls[n]))
			continue;
		for (uint32 i = 0; i < robots->rules.nagents; i++)
		{
			const SmRobotsAgent *agent = &robots->rules.agents[i];

			if (is_reported[i] || !forbids(agent))
				continue;
			put_problem(audit, SM_AUDIT_SET, SM_ROBOTS_BLOCKS_SITEMAP, agent,
						psprintf("the file \"%s\"", sm_for_message(urls[n])));
			is_reported[i] = true;
		}
	}
}

/* Does a Sitemap line name the index, or the only file of a small set? */
static bool
names_set(SmAudit *audit)
{
	SmSpan		urls[2];
	int			nurls = find_entry_points(audit, urls);
	SmRobotsReader r;

	sm_robots_reader_init(&r, audit->robots->robots_txt.s, audit->robots->robots_txt.len);
	while (sm_robots_next(&r))
	{
		SmSpan		page;

		CHECK_FOR_INTERRUPTS();

		if (r.key != SM_ROBOTS_SITEMAP || !sm_audit_canonical_url(audit, r.value, &page))
			continue;
		for (int i = 0; i < nurls; i++)
			if (sm_span_equal(page, urls[i]))
				return true;
	}
	return false;
}

void
sm_audit_robots_check_set(SmAudit *audit)
{
	if (audit->robots == NULL)
		return;
	check_files(audit);
	if (!names_set(audit))
		sm_audit_problem(audit, SM_AUDIT_SET, SM_ROBOTS_LACKS_SITEMAP,
						 psprintf("No Sitemap line of robots.txt names \"%s\".",
								  sm_for_message(file_url(audit, INDEX_NAME))));
}
