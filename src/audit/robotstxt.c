/*
 * robotstxt.c
 *	  Compares a URL with the rules of a robots.txt, longest first.
 *
 * What is known about single crawlers are rows of the table crawlers.
 *
 * The path of a rule and a URL are brought to one form (RFC 9309, section 2.2.2): escapes of
 * unreserved octets are decoded, other escapes get upper-case digits, octets that a URL cannot
 * contain are escaped, and so are "*" and "$" except where they are wildcards.
 *
 * The rules of all crawlers are in one list, longest first, and each records which
 * crawlers obey it.  A URL is compared with one rule after another, until the rule of
 * each crawler is found.
 *
 * Nearly all rules are skipped without a comparison, because the URL lacks one of the
 * rule's octets or pairs of neighbouring octets.  The octets and pairs of a text are
 * two sets of 64 bits.  Different octets can share a bit, so the sets only say what
 * cannot match.
 *
 * Example: the rules of crawlers A and B, and the URL /abcde.
 *
 *	  rule		obeyed by
 *	  /a*c*e$	A			the URL has the pairs "/a" and "e$": compared: it decides for A
 *	  /a*x		A B			no "x"
 *	  /ba		B			no pair "/b"
 *	  /a		A B			compared: it decides for B, since A has its rule
 *	  /			B			not reached
 *
 * So a rule costs a URL about a nanosecond.  A comparison takes at most (length of
 * the URL) * (length of the rule) steps.
 */
#include "audit/robotstxt.h"

#include <stdlib.h>

#include "text/ascii.h"

/*
 * The symbols of "*" and "$"; all others are the octets of the encoded path, which are
 * ASCII.  PATH_END is also the end of each URL.
 */
#define WILDCARD	0x80
#define PATH_END	0x81

/* The shortest line of a rule, with room for its key as add_rule reserves it. */
_Static_assert(sizeof(SmRobotsRule) + 4 <= SM_ROBOTS_BYTE * (sizeof("allow:x") - 1),
			   "a rule needs more memory than SM_ROBOTS_MEMORY allows for its line");

/* Traits of crawlers. */
#define IS_FAMILY			0x01	/* all crawlers with this in their names */
#define IGNORES_EVERYBODY	0x02	/* the groups for "*" */
#define IGNORES_ROBOTS		0x04	/* every group */

/*
 * Crawlers that do more or less than RFC 9309 says, below the addresses of the pages that
 * say so.  Google's pages are in https://developers.google.com/crawling/docs/crawlers-fetchers.
 */
typedef struct Crawler
{
	SmSpan		name;
	SmSpan		other;			/* whose groups the crawler obeys if no group
								 * names it */
	SmRobotsUse use;			/* what it fetches for the other crawler;
								 * SM_ROBOTS_PAGE for nothing special */
	unsigned int traits;
} Crawler;

static const Crawler crawlers[] = {
	/* google-common-crawlers */
	{{SM_LITERAL("Googlebot-Image")},.other = {SM_LITERAL("Googlebot")},.use = SM_ROBOTS_IMAGE},
	{{SM_LITERAL("Googlebot-Video")},.other = {SM_LITERAL("Googlebot")},.use = SM_ROBOTS_VIDEO},
	{{SM_LITERAL("Googlebot-News")},.other = {SM_LITERAL("Googlebot")},.use = SM_ROBOTS_NEWS},
	{{SM_LITERAL("Google-InspectionTool")},.other = {SM_LITERAL("Googlebot")}},
	{{SM_LITERAL("Google-CloudVertexBot")},.other = {SM_LITERAL("Googlebot")}},
	{{SM_LITERAL("GoogleOther-Image")},.other = {SM_LITERAL("GoogleOther")},.use = SM_ROBOTS_IMAGE},
	{{SM_LITERAL("GoogleOther-Video")},.other = {SM_LITERAL("GoogleOther")},.use = SM_ROBOTS_VIDEO},

	/* google-special-case-crawlers */
	{{SM_LITERAL("AdsBot-Google")},.traits = IGNORES_EVERYBODY},
	{{SM_LITERAL("AdsBot-Google-Mobile")},.traits = IGNORES_EVERYBODY},
	{{SM_LITERAL("AdsBot-Google-Mobile-Apps")},.traits = IGNORES_EVERYBODY},
	{{SM_LITERAL("Mediapartners-Google")},.traits = IGNORES_EVERYBODY},
	{{SM_LITERAL("APIs-Google")},.traits = IGNORES_EVERYBODY},
	{{SM_LITERAL("Google-Safety")},.traits = IGNORES_ROBOTS},

	/* google-user-triggered-fetchers */
	{{SM_LITERAL("FeedFetcher-Google")},.traits = IGNORES_ROBOTS},
	{{SM_LITERAL("Google-CWS")},.traits = IGNORES_ROBOTS},
	{{SM_LITERAL("Google-GeminiNotebook")},.traits = IGNORES_ROBOTS},
	{{SM_LITERAL("Google-NotebookLM")},.traits = IGNORES_ROBOTS},
	{{SM_LITERAL("Google-Pinpoint")},.traits = IGNORES_ROBOTS},
	{{SM_LITERAL("Google-Read-Aloud")},.traits = IGNORES_ROBOTS},
	{{SM_LITERAL("Google-Site-Verification")},.traits = IGNORES_ROBOTS},
	{{SM_LITERAL("GoogleMessages")},.traits = IGNORES_ROBOTS},
	{{SM_LITERAL("GoogleProducer")},.traits = IGNORES_ROBOTS},

	/* https://support.apple.com/119829 */
	{{SM_LITERAL("Applebot")},.other = {SM_LITERAL("Googlebot")}},

	/* https://yandex.com/support/webmaster/en/robot-workings/user-agent */
	{{SM_LITERAL("Yandex")},.other = {SM_LITERAL("Yandex")},.traits = IS_FAMILY}
};

#define NCRAWLERS	(sizeof(crawlers) / sizeof(crawlers[0]))

/* The set of the n-th agent alone. */
#define AGENT(n)	(UINT64_C(1) << (n))

/* The agents that obey the group of a User-agent line. */
static SmRobotsAgents
agents_of(const SmRobots *robots, SmSpan value)
{
	SmRobotsAgents agents = 0;
	SmSpan		token = sm_robots_token(value);

	for (uint32_t i = 0; i < robots->nagents; i++)
		if (token.len > 0 && sm_equal_ignoring_case(token, robots->agents[i].token))
			agents |= AGENT(i);
	return agents;
}

/*
 * Write the next octet of a path, or its escape, in the one form: one symbol or three.
 * Returns their number, and moves *s past the octet.
 */
static inline int
encode_octet(const char **s, const char *end, uint8_t *dst)
{
	unsigned char octet = **s;
	bool		as_is = (SM_CLASSES(octet) & (SM_UNRESERVED | SM_ROBOTS_AS_IS)) != 0;
	int			high;
	int			low;

	if (octet == '%' && end - *s >= 3 &&
		(high = sm_hex_value((*s)[1])) >= 0 && (low = sm_hex_value((*s)[2])) >= 0)
	{
		octet = high << 4 | low;
		as_is = (SM_CLASSES(octet) & SM_UNRESERVED) != 0;
		*s += 2;
	}
	*s += 1;
	if (as_is)
	{
		dst[0] = octet;
		return 1;
	}
	dst[0] = '%';
	dst[1] = sm_hex_digit(octet >> 4);
	dst[2] = sm_hex_digit(octet);
	return 3;
}

/*
 * Write the symbols of the path of a rule, at most three for each octet, and return
 * their number.  "**" is one symbol, as it means the same as "*".  *length: length of
 * the rule for precedence; a "$" that is no wildcard counts as one octet, though its
 * escape has three symbols.
 */
static uint32_t
make_key(SmSpan path, uint8_t *dst, uint32_t *length)
{
	const char *s = path.s;
	const char *end = s + path.len;
	uint32_t	n = 0;

	*length = 0;
	while (s < end)
	{
		bool		is_dollar = *s == '$';
		int			nsymbols = 1;

		if (*s == '*' || (is_dollar && s + 1 == end))
			dst[n] = *s++ == '*' ? WILDCARD : PATH_END;
		else
			nsymbols = encode_octet(&s, end, dst + n);
		*length += is_dollar ? 1 : nsymbols;
		n += nsymbols;
		if (n > 1 && dst[n - 1] == WILDCARD && dst[n - 2] == WILDCARD)
			n--;
	}
	return n;
}

/* The octets and pairs of octets in a key, or in a URL in symbols. */
static SmRobotsContents
contents_of(const uint8_t *symbols, size_t n)
{
	SmRobotsContents contents = {0};

	for (size_t i = 0; i < n; i++)
	{
		if (symbols[i] == WILDCARD)
			continue;
		contents.octets |= UINT64_C(1) << symbols[i] % 64;
		if (i > 0 && symbols[i - 1] != WILDCARD)
			contents.pairs |= UINT64_C(1) << (symbols[i - 1] * 37 + symbols[i]) % 64;
	}
	return contents;
}

/* Comparator for qsort: the rule that wins comes first. */
static int
compare_rules(const void *arg1, const void *arg2)
{
	const SmRobotsRule *a = arg1;
	const SmRobotsRule *b = arg2;

	if (a->length != b->length)
		return a->length > b->length ? -1 : 1;
	if (a->allow != b->allow)
		return a->allow ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

/* Is a text part of a name? */
static bool
is_part(SmSpan part, SmSpan name)
{
	for (; name.len >= part.len; name.s++, name.len--)
		if (sm_equal_ignoring_case(sm_span(name.s, part.len), part))
			return true;
	return false;
}

/* The row of the table for a crawler, or an empty one. */
static const Crawler *
find_crawler(SmSpan name)
{
	static const Crawler other = {.traits = 0};

	for (size_t k = 0; k < NCRAWLERS; k++)
		if ((crawlers[k].traits & IS_FAMILY) ? is_part(crawlers[k].name, name) :
			sm_equal_ignoring_case(crawlers[k].name, name))
			return &crawlers[k];
	return &other;
}

/* Does the robots.txt have a group with this name? */
static bool
has_group(const SmRobots *robots, SmSpan name)
{
	SmRobotsReader r;

	sm_robots_reader_init(&r, robots->text);
	while (name.len > 0 && sm_robots_next(&r))
	{
		robots->check_interrupts();
		if (r.key == SM_ROBOTS_AGENT && sm_equal_ignoring_case(sm_robots_token(r.value), name))
			return true;
	}
	return false;
}

static void
add_agent(SmRobots *robots, SmSpan name, unsigned int uses)
{
	const Crawler *crawler = find_crawler(name);
	SmSpan		token = has_group(robots, name) ? name :
		has_group(robots, crawler->other) ? crawler->other : sm_span_of("*");

	if ((crawler->traits & IGNORES_ROBOTS) ||
		((crawler->traits & IGNORES_EVERYBODY) && sm_span_is(token, "*")))
		token = sm_no_span();
	robots->agents[robots->nagents++] = (SmRobotsAgent)
	{
		.name = name,.uses = uses,.token = token
	};
}

/*
 * Let a crawler that a group names fetch what agents do not fetch themselves then: images
 * for Googlebot, as Googlebot-Image.
 */
static void
add_stand_in(SmRobots *robots, const Crawler *crawler)
{
	bool		is_needed = false;

	if (crawler->use == SM_ROBOTS_PAGE || !has_group(robots, crawler->name))
		return;
	for (uint32_t i = 0; i < robots->nagents; i++)
		if (sm_equal_ignoring_case(robots->agents[i].name, crawler->other))
		{
			robots->agents[i].uses &= ~SM_ROBOTS_FOR(crawler->use);
			is_needed = true;
		}
	for (uint32_t i = 0; i < robots->nagents; i++)
		if (sm_equal_ignoring_case(robots->agents[i].name, crawler->name))
			is_needed = false;
	if (is_needed)
		add_agent(robots, crawler->name, SM_ROBOTS_FOR(crawler->use));
}

/* Add a rule, and write its key before key.  Returns where the key begins. */
static uint8_t *
add_rule(SmRobots *robots, const SmRobotsReader *r, SmRobotsAgents agents, uint8_t *key)
{
	SmRobotsRule *rule = &robots->rules[robots->nrules++];

	key -= 3 * r->value.len + 1;
	rule->key = key;
	rule->key_len = make_key(r->value, key, &rule->length);
	rule->contents = contents_of(key, rule->key_len);
	rule->agents = agents;
	rule->text = r->text;
	rule->line = r->line;
	rule->allow = r->key == SM_ROBOTS_ALLOW;
	return key;
}

/* Compile the rules that the agents obey, and write their keys before key. */
static void
compile_rules(SmRobots *robots, uint8_t *key)
{
	SmRobotsAgents group = 0;	/* agents that obey the group of the line */
	bool		has_rules = false;	/* does the group have a rule?  Then the
									 * next User-agent line begins another
									 * group. */
	SmRobotsReader r;

	sm_robots_reader_init(&r, robots->text);
	while (sm_robots_next(&r))
	{
		robots->check_interrupts();
		if (r.key == SM_ROBOTS_AGENT)
		{
			group = (has_rules ? 0 : group) | agents_of(robots, r.value);
			has_rules = false;
		}
		else if (r.key == SM_ROBOTS_ALLOW || r.key == SM_ROBOTS_DISALLOW)
		{
			has_rules = true;
			if (group != 0 && r.value.len > 0)
				key = add_rule(robots, &r, group, key);
		}
	}
}

void
sm_robots_init(SmRobots *robots, SmSpan text, SmRobotsAgent *agents, uint32_t nagents,
			   void (*check_interrupts) (void), void *memory)
{
	uint8_t    *key = (uint8_t *) memory + SM_ROBOTS_MEMORY(text.len);

	memset(robots, 0, sizeof(*robots));
	robots->text = text;
	robots->agents = agents;
	robots->check_interrupts = check_interrupts;
	robots->rules = memory;
	for (uint32_t i = 0; i < nagents; i++)
		add_agent(robots, agents[i].name, ~0U);
	for (size_t k = 0; k < NCRAWLERS; k++)
		add_stand_in(robots, &crawlers[k]);
	compile_rules(robots, key);
	qsort(robots->rules, robots->nrules, sizeof(SmRobotsRule), compare_rules);
}

/* Steps of a comparison between two checks for interrupts: about a millisecond. */
#define CHECK_STEPS		1000000

/*
 * Does a rule match a URL in symbols?  What follows a "*" in the rule is tried at
 * each octet of the URL, up to its first match.  A later match is never needed: the
 * next "*" can skip all octets in between.
 */
static bool
matches(SmRobots *robots, const SmRobotsRule *rule, const uint8_t *path)
{
	const uint8_t *key = rule->key;
	const uint8_t *key_end = key + rule->key_len;
	const uint8_t *after_any = NULL;	/* the key after its last "*" so far */
	const uint8_t *tried = NULL;	/* the octet of the URL where it is being
									 * tried */

	while (key < key_end)
	{
		if (*key == WILDCARD)
		{
			after_any = ++key;
			tried = path;
		}
		else if (*key == *path)
		{
			key++;
			path++;
		}
		else if (after_any == NULL || *path == PATH_END)
			return false;		/* the rest of the URL is too short, and
								 * shorter at each later octet */
		else
		{
			robots->steps += path - tried + 1;
			if (robots->steps >= CHECK_STEPS)
			{
				robots->steps = 0;
				robots->check_interrupts();
			}
			key = after_any;
			path = ++tried;
		}
	}
	return true;
}

void
sm_robots_match(SmRobots *robots, const char *path, size_t len, void *room)
{
	const char *hash = memchr(path, '#', len);
	const char *end = hash ? hash : path + len;
	uint8_t    *symbols = room;
	size_t		n = 0;
	SmRobotsContents contents;
	SmRobotsAgents undecided = ~UINT64_C(0) >> (SM_ROBOTS_MAX_AGENTS - robots->nagents);

	for (uint32_t i = 0; i < robots->nagents; i++)
		robots->agents[i].rule = NULL;
	if (sm_span_is(sm_span(path, end - path), "/robots.txt"))
		return;

	if (path == end || *path != '/')
		symbols[n++] = '/';
	for (const char *s = path; s < end;)
		n += encode_octet(&s, end, symbols + n);
	symbols[n++] = PATH_END;
	contents = contents_of(symbols, n);

	for (uint32_t i = 0; i < robots->nrules; i++)
	{
		const SmRobotsRule *rule = &robots->rules[i];

		if ((rule->contents.octets & ~contents.octets) != 0 ||
			(rule->contents.pairs & ~contents.pairs) != 0 ||
			(rule->agents & undecided) == 0 ||
			!matches(robots, rule, symbols))
			continue;
		for (uint32_t k = 0; k < robots->nagents; k++)
			if (rule->agents & undecided & AGENT(k))
				robots->agents[k].rule = rule;
		undecided &= ~rule->agents;
		if (undecided == 0)
			break;
	}
}
