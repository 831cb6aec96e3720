/*
 * robotstxt.c
 *	  Compares a URL with the rules of a robots.txt, longest first.
 *
 * The path of a rule and a URL are brought to the form of section 2.2.2: escapes of
 * unreserved octets are decoded, other escapes get upper-case digits, octets that a
 * URL cannot contain are escaped, and so are "*" and "$" except where they are
 * wildcards.
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
 * The symbols of "*" and "$"; all others are the octets of the encoded path.  END is
 * also the end of each URL.
 */
#define ANY			0
#define END			1

/* SM_ROBOTS_MEMORY: the shortest line of a rule, whose path is an octet of up to three symbols */
_Static_assert(sizeof(SmRobotsRule) + 3 <= SM_ROBOTS_MEMORY(sizeof("allow:x") - 1),
			   "a rule needs more memory than SM_ROBOTS_MEMORY allows for its line");

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool
is_token_octet(char c)
{
	return sm_is_letter(c) || c == '-' || c == '_';
}

static SmSpan
trim(const char *s, const char *end)
{
	while (s < end && is_blank(*s))
		s++;
	while (end > s && is_blank(end[-1]))
		end--;
	return sm_span(s, end - s);
}

void
sm_robots_reader_init(SmRobotsReader *r, const char *text, size_t len)
{
	memset(r, 0, sizeof(*r));
	r->p = text;
	r->end = text + len;
	if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
		r->p += 3;
}

static const SmSpan keys[SM_ROBOTS_OTHER] = {
	[SM_ROBOTS_AGENT] = {SM_LITERAL("user-agent")},
	[SM_ROBOTS_ALLOW] = {SM_LITERAL("allow")},
	[SM_ROBOTS_DISALLOW] = {SM_LITERAL("disallow")},
	[SM_ROBOTS_SITEMAP] = {SM_LITERAL("sitemap")}
};

bool
sm_robots_next(SmRobotsReader *r)
{
	const char *start = r->p;
	const char *end = start;	/* of the line without its comment */
	const char *colon;

	if (start == r->end)
		return false;
	while (end < r->end && *end != '\r' && *end != '\n' && *end != '#')
		end++;
	for (r->p = end; r->p < r->end && *r->p != '\r' && *r->p != '\n';)
		r->p++;
	if (r->p < r->end && *r->p++ == '\r' && r->p < r->end && *r->p == '\n')
		r->p++;
	r->line++;

	colon = memchr(start, ':', end - start);
	r->text = trim(start, end);
	r->name = colon ? trim(start, colon) : sm_no_span();
	r->value = colon ? trim(colon + 1, end) : sm_no_span();
	r->key = SM_ROBOTS_AGENT;
	while (r->key < SM_ROBOTS_OTHER && !sm_equal_ignoring_case(r->name, keys[r->key]))
		r->key++;
	r->in_group |= r->key == SM_ROBOTS_AGENT;
	return true;
}

/* Is the line just read a rule?  It may have an empty path. */
static bool
is_rule(const SmRobotsReader *r)
{
	return r->key == SM_ROBOTS_ALLOW || r->key == SM_ROBOTS_DISALLOW;
}

/* Letters of a key that are compared, more than any key has. */
#define KEY_LETTERS		16

/* The first letters of a key, in lower case.  Returns their number. */
static int
key_letters(SmSpan key, char letters[KEY_LETTERS])
{
	int			n = 0;

	for (size_t i = 0; i < key.len && n < KEY_LETTERS; i++)
		if (sm_is_letter(key.s[i]))
			letters[n++] = sm_lower(key.s[i]);
	return n;
}

/* How many letters must be inserted, deleted or replaced to make b of a? */
static int
edit_distance(const char *a, int a_len, const char *b, int b_len)
{
	int			row[KEY_LETTERS + 1] = {0};

	for (int i = 0; i <= a_len; i++)
		row[i] = i;
	for (int k = 1; k <= b_len; k++)
	{
		int			diagonal = row[0];

		row[0] = k;
		for (int i = 1; i <= a_len; i++)
		{
			int			replaced = diagonal + (a[i - 1] != b[k - 1]);
			int			other = (row[i] < row[i - 1] ? row[i] : row[i - 1]) + 1;

			diagonal = row[i];
			row[i] = replaced < other ? replaced : other;
		}
	}
	return row[a_len];
}

/*
 * Is a key a misspelling, such as "Disalow", "User agent" or "Sitemaps"?  Other keys, such as
 * Crawl-delay and Host, have a meaning for some crawlers.
 */
static bool
is_misspelled(SmSpan given)
{
	char		letters[KEY_LETTERS];
	char		wanted[KEY_LETTERS];
	int			n = key_letters(given, letters);

	for (int i = 0; i < SM_ROBOTS_OTHER; i++)
	{
		int			wanted_len = key_letters(keys[i], wanted);

		if (n >= wanted_len && memcmp(letters, wanted, wanted_len) == 0)
			return true;
		if (edit_distance(letters, n, wanted, wanted_len) <= (i == SM_ROBOTS_ALLOW ? 1 : 2))
			return true;
	}
	return false;
}

bool
sm_robots_is_ignored(const SmRobotsReader *r)
{
	if (r->key == SM_ROBOTS_OTHER)
		return r->text.len > 0 && (r->name.s == NULL || is_misspelled(r->name));
	return is_rule(r) &&
		(!r->in_group || (r->value.len > 0 && memchr("/*$", r->value.s[0], 3) == NULL));
}

/* The set of the n-th agent alone. */
#define AGENT(n)	(UINT64_C(1) << (n))

/* Is it the User-agent "*", for all crawlers that no group names? */
static bool
is_everybody(SmSpan value)
{
	return value.len > 0 && value.s[0] == '*' && (value.len == 1 || is_blank(value.s[1]));
}

/* The product token of a User-agent line: a version may follow, as in "Examplebot/2.1". */
static SmSpan
token_of(SmSpan value)
{
	size_t		len = 0;

	while (len < value.len && is_token_octet(value.s[len]))
		len++;
	return sm_span(value.s, len);
}

bool
sm_robots_is_token(const char *s, size_t len)
{
	return len > 0 && token_of(sm_span(s, len)).len == len;
}

/* The agents that a User-agent line names. */
static SmRobotsAgents
agents_of(const SmRobots *robots, SmSpan value)
{
	SmRobotsAgents agents = 0;
	SmSpan		token = token_of(value);

	for (uint32_t i = 0; i < robots->nall; i++)
		if (token.len > 0 && sm_equal_ignoring_case(token, robots->agents[i].token))
			agents |= AGENT(i);
	return agents;
}

/*
 * Write the next octet of a path, or its escape, in the common form: one
 * symbol or three.  Returns their number, and moves *s past the octet.
 */
static inline int
encode_octet(const char **s, const char *end, uint8_t *dst)
{
	unsigned char octet = **s;
	unsigned int as_is = SM_UNRESERVED | SM_ROBOTS_AS_IS;
	int			high;
	int			low;

	if (octet == '%' && end - *s >= 3 &&
		(high = sm_hex_value((*s)[1])) >= 0 && (low = sm_hex_value((*s)[2])) >= 0)
	{
		octet = high << 4 | low;
		as_is = SM_UNRESERVED;
		*s += 2;
	}
	*s += 1;
	if (SM_CLASSES(octet) & as_is)
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
			dst[n] = *s++ == '*' ? ANY : END;
		else
			nsymbols = encode_octet(&s, end, dst + n);
		*length += is_dollar ? 1 : nsymbols;
		n += nsymbols;
		if (n > 1 && dst[n - 1] == ANY && dst[n - 2] == ANY)
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
		if (symbols[i] == ANY)
			continue;
		contents.octets |= UINT64_C(1) << symbols[i] % 64;
		if (i > 0 && symbols[i - 1] != ANY)
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

/*
 * Google's crawlers that obey the groups of another crawler if they have none of their own,
 * and what they fetch for that crawler.  A name "" stands for none: the crawler ignores the
 * groups for "*".
 */
static const struct
{
	SmSpan		name;
	SmSpan		other;
	SmRobotsUse use;			/* SM_ROBOTS_PAGE for nothing special */
}			google_crawlers[] = {
	{{SM_LITERAL("Googlebot-Image")}, {SM_LITERAL("Googlebot")}, SM_ROBOTS_IMAGE},
	{{SM_LITERAL("Googlebot-Video")}, {SM_LITERAL("Googlebot")}, SM_ROBOTS_VIDEO},
	{{SM_LITERAL("Googlebot-News")}, {SM_LITERAL("Googlebot")}, SM_ROBOTS_NEWS},
	{{SM_LITERAL("Google-InspectionTool")}, {SM_LITERAL("Googlebot")}, SM_ROBOTS_PAGE},
	{{SM_LITERAL("Google-CloudVertexBot")}, {SM_LITERAL("Googlebot")}, SM_ROBOTS_PAGE},
	{{SM_LITERAL("GoogleOther-Image")}, {SM_LITERAL("GoogleOther")}, SM_ROBOTS_IMAGE},
	{{SM_LITERAL("GoogleOther-Video")}, {SM_LITERAL("GoogleOther")}, SM_ROBOTS_VIDEO},
	{{SM_LITERAL("AdsBot-Google")}, {SM_LITERAL("")}, SM_ROBOTS_PAGE},
	{{SM_LITERAL("AdsBot-Google-Mobile")}, {SM_LITERAL("")}, SM_ROBOTS_PAGE},
	{{SM_LITERAL("AdsBot-Google-Mobile-Apps")}, {SM_LITERAL("")}, SM_ROBOTS_PAGE},
	{{SM_LITERAL("Mediapartners-Google")}, {SM_LITERAL("")}, SM_ROBOTS_PAGE},
	{{SM_LITERAL("APIs-Google")}, {SM_LITERAL("")}, SM_ROBOTS_PAGE}
};

#define NGOOGLE	(sizeof(google_crawlers) / sizeof(google_crawlers[0]))

/* Is it the name of a crawler of Google?  They all have "Google" in their names. */
static bool
is_google(SmSpan name)
{
	SmSpan		google = sm_span_of("google");

	for (size_t i = 0; i + google.len <= name.len; i++)
		if (sm_equal_ignoring_case(sm_span(name.s + i, google.len), google))
			return true;
	return false;
}

/* What these agents read of the text. */
static SmSpan
text_for(const SmRobots *robots, SmRobotsAgents readers)
{
	SmSpan		text = robots->text;

	if ((readers & robots->google) && text.len > SM_ROBOTS_GOOGLE_MAX)
		text.len = SM_ROBOTS_GOOGLE_MAX;
	return text;
}

/* Does a group of a text name this crawler? */
static bool
names_crawler(SmRobots *robots, SmSpan text, SmSpan name)
{
	SmRobotsReader r;

	sm_robots_reader_init(&r, text.s, text.len);
	while (sm_robots_next(&r))
	{
		robots->check_interrupts();
		if (r.key == SM_ROBOTS_AGENT && sm_equal_ignoring_case(token_of(r.value), name))
			return true;
	}
	return false;
}

/* The number of the agent with this name; nall if there is none. */
static uint32_t
number_of(const SmRobots *robots, SmSpan name)
{
	uint32_t	n = 0;

	while (n < robots->nall && !sm_equal_ignoring_case(robots->agents[n].name, name))
		n++;
	return n;
}

/* Add an agent, which obeys the groups with its name. */
static void
init_agent(SmRobots *robots, SmSpan name)
{
	uint32_t	n = robots->nall++;
	SmRobotsAgent *agent = &robots->agents[n];

	agent->name = name;
	agent->token = name;
	for (int use = 0; use < SM_ROBOTS_NUSES; use++)
		agent->stand_in[use] = n;
	robots->all |= AGENT(n);
	robots->unnamed |= AGENT(n);
	if (is_google(name))
		robots->google |= AGENT(n);
}

/*
 * Find whose groups Google's agents obey, and add the crawlers that stand in for them.
 */
static void
init_google(SmRobots *robots)
{
	SmSpan		text = text_for(robots, robots->google);

	for (size_t k = 0; k < NGOOGLE; k++)
	{
		SmSpan		name = google_crawlers[k].name;
		SmSpan		other = google_crawlers[k].other;
		SmRobotsUse use = google_crawlers[k].use;
		bool		is_named;

		if (number_of(robots, name) == robots->nall &&
			(use == SM_ROBOTS_PAGE || number_of(robots, other) == robots->nall))
			continue;
		is_named = names_crawler(robots, text, name);
		for (uint32_t i = 0; i < robots->nagents; i++)
		{
			SmRobotsAgent *agent = &robots->agents[i];

			if (is_named && use != SM_ROBOTS_PAGE && sm_equal_ignoring_case(agent->name, other))
			{
				agent->stand_in[use] = number_of(robots, name);
				if (agent->stand_in[use] == robots->nall)
					init_agent(robots, name);
			}
			if (!is_named && sm_equal_ignoring_case(agent->name, name))
			{
				agent->token = other;
				if (other.len == 0)
					robots->unnamed &= ~AGENT(i);
			}
		}
	}
}

/*
 * Compile the rules that these agents obey, and write their keys before key.  Returns where
 * the keys begin.
 */
static uint8_t *
compile_rules(SmRobots *robots, SmRobotsAgents readers, uint8_t *key)
{
	SmSpan		text = text_for(robots, readers);
	uint32_t	nbefore = robots->nrules;
	SmRobotsRule *rule = robots->rules + nbefore;
	SmRobotsAgents group = 0;	/* agents that the group of the line names */
	bool		for_others = false; /* does the group name "*"? */
	bool		has_rules = false;	/* does the group have a rule?  Then the
									 * next User-agent line begins another
									 * group. */
	SmRobotsReader r;

	sm_robots_reader_init(&r, text.s, text.len);
	while (sm_robots_next(&r))
	{
		robots->check_interrupts();
		if (r.key == SM_ROBOTS_AGENT)
		{
			SmRobotsAgents named = agents_of(robots, r.value) & readers;

			robots->unnamed &= ~named;
			group = (has_rules ? 0 : group) | named;
			for_others = (for_others && !has_rules) || is_everybody(r.value);
			has_rules = false;
		}
		else if (is_rule(&r))
		{
			has_rules = true;
			if ((group == 0 && !for_others) || r.value.len == 0)
				continue;
			key -= 3 * r.value.len;
			rule->key = key;
			rule->key_len = make_key(r.value, key, &rule->length);
			rule->contents = contents_of(key, rule->key_len);
			rule->agents = group;
			rule->for_others = for_others;
			rule->path = r.value;
			rule->line = r.line;
			rule->allow = r.key == SM_ROBOTS_ALLOW;
			rule++;
		}
	}

	/* only now is it known which agents no group names */
	for (const SmRobotsRule *end = rule, *read = robots->rules + nbefore; read < end; read++)
	{
		rule = &robots->rules[robots->nrules];
		*rule = *read;
		if (rule->for_others)
			rule->agents |= robots->unnamed & readers;
		robots->nrules += rule->agents != 0;
	}
	return key;
}

void
sm_robots_init(SmRobots *robots, SmSpan text, SmRobotsAgent *agents, uint32_t nagents,
			   void (*check_interrupts) (void), void *memory)
{
	uint8_t    *key = (uint8_t *) memory + SM_ROBOTS_MEMORY(text.len);

	memset(robots, 0, sizeof(*robots));
	robots->text = text;
	robots->agents = agents;
	robots->nagents = nagents;
	robots->check_interrupts = check_interrupts;
	robots->rules = memory;
	for (uint32_t i = 0; i < nagents; i++)
		init_agent(robots, agents[i].name);
	init_google(robots);

	if (text.len > SM_ROBOTS_GOOGLE_MAX && robots->google != 0)
	{
		key = compile_rules(robots, robots->all & ~robots->google, key);
		compile_rules(robots, robots->google, key);
	}
	else
		compile_rules(robots, robots->all, key);
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
		if (*key == ANY)
		{
			after_any = ++key;
			tried = path;
		}
		else if (*key == *path)
		{
			key++;
			path++;
		}
		else if (after_any == NULL || *path == END)
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
	SmRobotsAgents undecided = robots->all;

	for (uint32_t i = 0; i < robots->nall; i++)
		robots->agents[i].rule = NULL;
	if (sm_span_is(sm_span(path, end - path), "/robots.txt"))
		return;

	if (path == end || *path != '/')
		symbols[n++] = '/';
	while (path < end)
		n += encode_octet(&path, end, symbols + n);
	symbols[n++] = END;
	contents = contents_of(symbols, n);

	for (uint32_t i = 0; i < robots->nrules; i++)
	{
		const SmRobotsRule *rule = &robots->rules[i];

		if ((rule->contents.octets & ~contents.octets) != 0 ||
			(rule->contents.pairs & ~contents.pairs) != 0 ||
			(rule->agents & undecided) == 0 ||
			!matches(robots, rule, symbols))
			continue;
		for (uint32_t k = 0; k < robots->nall; k++)
			if (rule->agents & undecided & AGENT(k))
				robots->agents[k].rule = rule;
		undecided &= ~rule->agents;
		if (undecided == 0)
			break;
	}
}

const SmRobotsAgent *
sm_robots_crawler(const SmRobots *robots, uint32_t n, SmRobotsUse use)
{
	uint32_t	crawler = robots->agents[n].stand_in[use];

	return crawler == n || crawler >= robots->nagents ? &robots->agents[crawler] : NULL;
}
