/*
 * rules.c
 *	  Rules that concern a page and all its extension elements together: how many
 *	  images and news it may have, one link for each language, no video at the URL
 *	  of the page.
 */
#include "postgres.h"

#include "entry/rules.h"

#include "core/ascii.h"
#include "core/digest.h"
#include "core/namespace.h"
#include "core/text.h"
#include "core/url.h"
#include "entry/reader.h"
#include "entry/value.h"
#include "server/encoding.h"

/* longest hreflang, in bytes */
#define MAX_HREFLANG	255

/* A language for which the page has a link. */
typedef struct Language
{
	SmSpan		hreflang;
	char		status;
} Language;

/* Languages are equal whatever their case. */
static uint32
hash_language(SmSpan hreflang)
{
	char		lower[MAX_HREFLANG];

	for (size_t i = 0; i < hreflang.len; i++)
		lower[i] = sm_lower(hreflang.s[i]);
	return (uint32) sm_digest(lower, hreflang.len, 0);
}

#define SH_PREFIX languages
#define SH_ELEMENT_TYPE Language
#define SH_KEY_TYPE SmSpan
#define SH_KEY hreflang
#define SH_HASH_KEY(table, key) hash_language(key)
#define SH_EQUAL(table, a, b) sm_equal_ignoring_case(a, b)
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* Add a link.  given: its hreflang as it was given. */
static bool
add_link(SmRules *rules, SmLink link, SmSpan given, SmProblems *problems)
{
	bool		found;

	if (rules->nlinks == SM_MAX_ALTERNATES)
		return sm_refuse(problems, SM_EXTENSION_INVALID, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
						 "invalid extensions: a url can have at most %d alternates", SM_MAX_ALTERNATES);
	if (given.len > MAX_HREFLANG)
		return sm_refuse(problems, SM_EXTENSION_INVALID, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
						 "invalid hreflang \"%s\": more than %d bytes",
						 sm_for_message(given), MAX_HREFLANG);
	if (rules->languages == NULL)
		rules->languages = languages_create(CurrentMemoryContext, 16, NULL);
	languages_insert(rules->languages, link.hreflang, &found);
	if (found)
		return sm_refuse(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_PARAMETER_VALUE, NULL,
						 "invalid hreflang \"%s\": a url can have one alternate for each language",
						 sm_for_message(given));

	if (rules->nlinks == rules->max_links)
	{
		rules->max_links = Max(16, 2 * rules->max_links);
		rules->links = rules->links ?
			repalloc_array(rules->links, SmLink, rules->max_links) :
			palloc_array(SmLink, rules->max_links);
	}
	rules->links[rules->nlinks++] = link;
	return true;
}

bool
sm_rules_add_link(SmRules *rules, const SmLink *link, SmProblems *problems)
{
	SmLink		trimmed = {sm_trim(link->hreflang), link->href};

	if (!add_link(rules, trimmed, link->hreflang, problems))
		return false;
	rules->namespaces |= SM_NS_XHTML;
	return true;
}

static bool
add_image(SmRules *rules, SmProblems *problems, SmProblemName name)
{
	if (rules->images == SM_MAX_IMAGES)
		return sm_refuse(problems, name, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
						 "invalid extensions: a url can have at most %d images", SM_MAX_IMAGES);
	rules->images++;
	return true;
}

bool
sm_rules_add_image(SmRules *rules, SmSpan url, SmProblems *problems, SmProblemName name)
{
	if (!add_image(rules, problems, name))
		return false;
	rules->namespaces |= SM_NS_IMAGE;
	if (rules->found_media)
		rules->found_media(rules->found_media_arg, "image", url);
	return true;
}

static bool
add_news(SmRules *rules, SmProblems *problems, SmProblemName name)
{
	if (rules->has_news)
		return sm_refuse(problems, name, ERRCODE_INVALID_PARAMETER_VALUE, NULL,
						 "invalid extensions: a url can have at most one news element");
	rules->has_news = true;
	return true;
}

static SmSpan
without_www(SmSpan host)
{
	if (host.len > 4 && pg_strncasecmp(host.s, "www.", 4) == 0)
		return sm_span(host.s + 4, host.len - 4);
	return host;
}

/* Is a host a domain, or a subdomain of it? */
static bool
is_within(SmSpan host, SmSpan domain)
{
	size_t		rest = host.len - domain.len;

	return domain.len > 0 && domain.len <= host.len &&
		pg_strncasecmp(host.s + rest, domain.s, domain.len) == 0 &&
		(rest == 0 || host.s[rest - 1] == '.');
}

/*
 * Are two hosts the same, or is one a subdomain of the other?  A leading "www." is
 * ignored.  Two subdomains of one domain count as different: only a public list of
 * suffixes could tell whether they have one owner.
 */
static bool
same_domain(SmSpan a, SmSpan b)
{
	a = without_www(a);
	b = without_www(b);
	return is_within(a, b) || is_within(b, a);
}

/* Are two URLs the same, ignoring the case of scheme and host? */
static bool
same_url(SmSpan a, SmSpan b)
{
	SmSpan		host = sm_url_host(a);
	size_t		origin_len = host.s + host.len - a.s;

	return a.len == b.len &&
		pg_strncasecmp(a.s, b.s, origin_len) == 0 &&
		memcmp(a.s + origin_len, b.s + origin_len, a.len - origin_len) == 0;
}

bool
sm_rules_check_url(const SmRules *rules, SmFactName fact, const char *name,
				   SmSpan given, SmSpan written, SmProblems *problems,
				   SmProblemName problem)
{
	/* in report mode a page can lack its loc */
	if (rules->loc.len == 0)
		return true;
	if ((fact == SM_FACT_CONTENT_LOC || fact == SM_FACT_PLAYER_LOC) &&
		same_url(written, rules->loc))
		return sm_refuse(problems, problem, ERRCODE_INVALID_PARAMETER_VALUE, NULL,
						 "invalid %s \"%s\": must differ from the loc of the page",
						 name, sm_for_message(given));
	if (fact == SM_FACT_UPLOADER_INFO &&
		!same_domain(sm_url_host(rules->loc), sm_url_host(written)))
		return sm_refuse(problems, problem, ERRCODE_INVALID_PARAMETER_VALUE, NULL,
						 "invalid %s \"%s\": must be on the domain of the page",
						 name, sm_for_message(given));
	return true;
}

/* The facts that are URLs. */
static const struct
{
	const char *name;			/* of a URL that a rule checks, or NULL */
	const char *media;			/* what found_media is told, or NULL */
}			facts[] = {
	[SM_FACT_IMAGE_LOC] = {.media = "image"},
	[SM_FACT_THUMBNAIL_LOC] = {.media = "video thumbnail"},
	[SM_FACT_CONTENT_LOC] = {"content_loc", "video"},
	[SM_FACT_PLAYER_LOC] = {"player_loc", "video player"},
	[SM_FACT_UPLOADER_INFO] = {.name = "uploader_info"},
	[SM_FACT_LINK] = {NULL, NULL}	/* sizes the array */
};

/*
 * Check the rule for a noted URL.  If it is valid, it is checked in the form that
 * sm_write_url gives it.
 */
static bool
check_given_url(const SmRules *rules, SmFactName fact, SmSpan given,
				SmProblems *problems, SmProblemName problem)
{
	SmUrlCache	cache = {.raw_len = 0};
	SmSpan		url = given;
	StringInfoData buf;
	SmUrlStatus status;
	bool		is_valid;

	if (rules->loc.len == 0)
		return true;
	initStringInfo(&buf);
	status = sm_write_url(&buf, &url, NULL, &cache);
	sm_url_check_memory(status);
	is_valid = sm_rules_check_url(rules, fact, facts[fact].name, given,
								  status == SM_URL_OK ? sm_span(buf.data, buf.len) : given,
								  problems, problem);
	pfree(buf.data);			/* a page can have many URLs */
	return is_valid;
}

/* Check a fact against the rules, and count images, news and links. */
static bool
add_fact(SmRules *rules, const SmFact *fact, SmProblems *problems, SmProblemName problem)
{
	SmLink		link;

	switch (fact->name)
	{
		case SM_FACT_IMAGE:
			return add_image(rules, problems, problem);
		case SM_FACT_NEWS:
			return add_news(rules, problems, problem);
		case SM_FACT_LINK:
			link.hreflang = sm_xml_resolve(fact->value);
			link.href = rules->needs_hrefs && fact->href.s ?
				sm_xml_resolve(fact->href) : sm_no_span();
			return add_link(rules, link, fact->value, problems);
		default:
			return facts[fact->name].name == NULL ||
				check_given_url(rules, fact->name, fact->value, problems, problem);
	}
}

void
sm_rules_note(SmRules *rules, SmFactName name, SmSpan value)
{
	SmFact	   *fact;

	if (rules->nfacts == rules->max_facts)
	{
		rules->max_facts = Max(8, 2 * rules->max_facts);
		rules->facts = rules->facts ?
			repalloc_array(rules->facts, SmFact, rules->max_facts) :
			palloc_array(SmFact, rules->max_facts);
	}
	fact = &rules->facts[rules->nfacts++];
	fact->name = name;
	fact->value = value;
}

void
sm_rules_note_link(SmRules *rules, SmSpan hreflang, SmSpan href)
{
	sm_rules_note(rules, SM_FACT_LINK, hreflang);
	rules->facts[rules->nfacts - 1].href = href;
}

/* Forget the links, images and news that were added after these numbers. */
static void
forget(SmRules *rules, int nlinks, int images, bool has_news)
{
	for (int i = nlinks; i < rules->nlinks; i++)
		languages_delete(rules->languages, rules->links[i].hreflang);
	rules->nlinks = nlinks;
	rules->images = images;
	rules->has_news = has_news;
}

/* Use a fact beyond the rules: keep the date of news, pass a URL to found_media. */
static void
use_fact(SmRules *rules, const SmFact *fact)
{
	if (fact->name == SM_FACT_PUBLICATION_DATE)
		rules->news_date = sm_span(pnstrdup(fact->value.s, fact->value.len), fact->value.len);
	else if (rules->found_media && facts[fact->name].media)
		rules->found_media(rules->found_media_arg, facts[fact->name].media, fact->value);
}

bool
sm_rules_add_facts(SmRules *rules, SmProblems *problems, SmProblemName name)
{
	int			nlinks = rules->nlinks;
	int			images = rules->images;
	bool		has_news = rules->has_news;

	for (int i = 0; i < rules->nfacts; i++)
	{
		if (!add_fact(rules, &rules->facts[i], problems, name))
		{
			forget(rules, nlinks, images, has_news);
			return false;
		}
	}
	for (int i = 0; i < rules->nfacts; i++)
		use_fact(rules, &rules->facts[i]);
	return true;
}
