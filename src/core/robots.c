/*
 * robots.c
 *	  robots.txt, RFC 9309: which rule decides whether a crawler may fetch a URL.
 *
 * The path of a rule and a URL are brought to one form, that of section 2.2.2:
 * escapes of unreserved octets are decoded, other escapes get upper-case digits,
 * and octets that a URL cannot contain are escaped.  "*" and "$" are escaped, too,
 * except where they are wildcards.
 *
 * The paths of the rules of all crawlers make a trie in which "*" is a symbol like
 * any other, and so is "$".  A URL is walked through it once, with a set of places:
 * the nodes that its octets so far lead to.  An octet takes each place to a child or
 * off the set.  The node of a "*" stays in the set, since "*" matches any octets.
 * The end of the URL matches "$".  A rule matches if its node was ever a place.  The
 * longest matching rule of a crawler wins.
 *
 * Example: the rules /a, /a*c and /a*c*e$, and the URL /abcde.
 *
 *	  root - / - a - * - c - * - e - $
 *
 *	  octet		places after it
 *	  /			/
 *	  a			/a  /a*				rule /a
 *	  b			/a*
 *	  c			/a*  /a*c  /a*c*	rule /a*c
 *	  d			/a*  /a*c*
 *	  e			/a*  /a*c*  /a*c*e
 *	  the end	/a*c*e$				rule /a*c*e$, the longest
 *
 * Rules that begin alike share their nodes, so a place stands for all of them: the
 * cost of a URL depends on how many different beginnings match it, not on how many
 * rules there are.  An octet costs a step for each place, and there are at most as many
 * places as nodes.  So a URL costs at most its length times the length of all rules.
 *
 * Nodes are numbered breadth first, so the children of a node have consecutive
 * numbers, and end where those of the next node begin.
 */
#include "core/robots.h"

#include <stdlib.h>

#include "core/ascii.h"

/* The symbols of "*" and "$"; all others are the octets of the encoded path. */
#define ANY			0
#define END			1

/* Marks of a node. */
#define HAS_RULE	0x01
#define HAS_ANY		0x02		/* its first child is a "*" */
#define IS_PLACE	0x04		/* a "*" that the walk is at */

/* How an octet outside of an escape is written. */
#define ESCAPED		0
#define AS_IS		1			/* in the reserved set */
#define UNRESERVED	2			/* as it is; its escape is decoded, too */

static const unsigned char octet_class[256] = {
	['0'] = UNRESERVED,['1'] = UNRESERVED,['2'] = UNRESERVED,['3'] = UNRESERVED,
	['4'] = UNRESERVED,['5'] = UNRESERVED,['6'] = UNRESERVED,['7'] = UNRESERVED,
	['8'] = UNRESERVED,['9'] = UNRESERVED,
	['A'] = UNRESERVED,['B'] = UNRESERVED,['C'] = UNRESERVED,['D'] = UNRESERVED,
	['E'] = UNRESERVED,['F'] = UNRESERVED,['G'] = UNRESERVED,['H'] = UNRESERVED,
	['I'] = UNRESERVED,['J'] = UNRESERVED,['K'] = UNRESERVED,['L'] = UNRESERVED,
	['M'] = UNRESERVED,['N'] = UNRESERVED,['O'] = UNRESERVED,['P'] = UNRESERVED,
	['Q'] = UNRESERVED,['R'] = UNRESERVED,['S'] = UNRESERVED,['T'] = UNRESERVED,
	['U'] = UNRESERVED,['V'] = UNRESERVED,['W'] = UNRESERVED,['X'] = UNRESERVED,
	['Y'] = UNRESERVED,['Z'] = UNRESERVED,
	['a'] = UNRESERVED,['b'] = UNRESERVED,['c'] = UNRESERVED,['d'] = UNRESERVED,
	['e'] = UNRESERVED,['f'] = UNRESERVED,['g'] = UNRESERVED,['h'] = UNRESERVED,
	['i'] = UNRESERVED,['j'] = UNRESERVED,['k'] = UNRESERVED,['l'] = UNRESERVED,
	['m'] = UNRESERVED,['n'] = UNRESERVED,['o'] = UNRESERVED,['p'] = UNRESERVED,
	['q'] = UNRESERVED,['r'] = UNRESERVED,['s'] = UNRESERVED,['t'] = UNRESERVED,
	['u'] = UNRESERVED,['v'] = UNRESERVED,['w'] = UNRESERVED,['x'] = UNRESERVED,
	['y'] = UNRESERVED,['z'] = UNRESERVED,
	['-'] = UNRESERVED,['.'] = UNRESERVED,['_'] = UNRESERVED,['~'] = UNRESERVED,
	['!'] = AS_IS,['&'] = AS_IS,['\''] = AS_IS,['('] = AS_IS,[')'] = AS_IS,
	['+'] = AS_IS,[','] = AS_IS,['/'] = AS_IS,[':'] = AS_IS,[';'] = AS_IS,
	['='] = AS_IS,['?'] = AS_IS,['@'] = AS_IS,
};

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
	r->p = text;
	r->end = text + len;
	r->line = 0;
	if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
		r->p += 3;
}

/* Read one line. Returns false if it has none of the known keys. */
static bool
read_line(SmRobotsReader *r)
{
	static const SmSpan keys[] = {
		[SM_ROBOTS_AGENT] = {SM_LITERAL("user-agent")},
		[SM_ROBOTS_ALLOW] = {SM_LITERAL("allow")},
		[SM_ROBOTS_DISALLOW] = {SM_LITERAL("disallow")},
		[SM_ROBOTS_SITEMAP] = {SM_LITERAL("sitemap")}
	};
	const char *start = r->p;
	const char *end = start;	/* of the line without its comment */
	const char *colon;
	SmSpan		key;

	while (end < r->end && *end != '\r' && *end != '\n' && *end != '#')
		end++;
	for (r->p = end; r->p < r->end && *r->p != '\r' && *r->p != '\n';)
		r->p++;
	if (r->p < r->end && *r->p++ == '\r' && r->p < r->end && *r->p == '\n')
		r->p++;
	r->line++;

	colon = memchr(start, ':', end - start);
	if (colon == NULL)
		return false;
	key = trim(start, colon);
	r->value = trim(colon + 1, end);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
	{
		if (sm_equal_ignoring_case(key, keys[i]))
		{
			r->key = (SmRobotsKey) i;
			return true;
		}
	}
	return false;
}

bool
sm_robots_next(SmRobotsReader *r)
{
	while (r->p < r->end)
		if (read_line(r))
			return true;
	return false;
}

bool
sm_robots_is_token(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!is_token_octet(s[i]))
			return false;
	return len > 0;
}

/* The agents that a User-agent line names. */
#define NAMED		0x01		/* the agent */
#define EVERYBODY	0x02

static int
agents_of(SmSpan value, SmSpan agent)
{
	size_t		len = 0;

	if (value.len > 0 && value.s[0] == '*' && (value.len == 1 || is_blank(value.s[1])))
		return EVERYBODY;

	/* a version may follow the product token, as in "Examplebot/2.1" */
	while (len < value.len && is_token_octet(value.s[len]))
		len++;
	return sm_equal_ignoring_case(sm_span(value.s, len), agent) ? NAMED : 0;
}

/* The group that a line is in. */
typedef struct Group
{
	int			agents;			/* NAMED and EVERYBODY */
	bool		has_rules;		/* so the next User-agent begins another */
} Group;

/*
 * Read the next rule that the agent obeys; false at the end.  Empty rules are
 * skipped.
 */
static bool
next_rule(SmRobotsReader *r, Group *group, const SmRobotsAgent *agent)
{
	while (sm_robots_next(r))
	{
		switch (r->key)
		{
			case SM_ROBOTS_AGENT:
				if (group->has_rules)
					memset(group, 0, sizeof(*group));
				group->agents |= agents_of(r->value, agent->name);
				break;
			case SM_ROBOTS_ALLOW:
			case SM_ROBOTS_DISALLOW:
				group->has_rules = true;
				if ((group->agents & (agent->has_group ? NAMED : EVERYBODY)) && r->value.len > 0)
					return true;
				break;
			case SM_ROBOTS_SITEMAP:
				break;
		}
	}
	return false;
}

/*
 * Write the next octet of a path, or its escape, in the common form: one
 * symbol or three.  Returns their number, and moves *s past the octet.
 */
static inline int
encode_octet(const char **s, const char *end, uint8_t *dst)
{
	unsigned char octet = **s;
	int			high;
	int			low;

	if (octet == '%' && end - *s >= 3 &&
		(high = sm_hex_value((*s)[1])) >= 0 && (low = sm_hex_value((*s)[2])) >= 0)
	{
		octet = high << 4 | low;
		*s += 3;
		if (octet_class[octet] == UNRESERVED)
		{
			dst[0] = octet;
			return 1;
		}
	}
	else
	{
		*s += 1;
		if (octet_class[octet] != ESCAPED)
		{
			dst[0] = octet;
			return 1;
		}
	}
	dst[0] = '%';
	dst[1] = sm_hex_digit(octet >> 4);
	dst[2] = sm_hex_digit(octet);
	return 3;
}

/*
 * Write the symbols of the path of a rule, unless dst is NULL, and return
 * their number.  "**" is one symbol, as it means the same as "*". *length:
 * length of the rule for precedence; a "$" that is no wildcard counts as one
 * octet, though its escape has three symbols.
 */
static uint32_t
make_key(SmSpan path, uint8_t *dst, uint32_t *length)
{
	const char *s = path.s;
	const char *end = s + path.len;
	uint32_t	n = 0;
	bool		after_any = false;

	*length = 0;
	while (s < end)
	{
		uint8_t		symbols[3];
		int			nsymbols = 1;
		bool		is_any = *s == '*';
		bool		is_dollar = *s == '$';

		if (is_any || (is_dollar && s + 1 == end))
		{
			symbols[0] = is_any ? ANY : END;
			s++;
		}
		else
			nsymbols = encode_octet(&s, end, symbols);
		*length += is_dollar ? 1 : nsymbols;

		if (!(is_any && after_any))
		{
			if (dst)
				memcpy(dst + n, symbols, nsymbols);
			n += nsymbols;
		}
		after_any = is_any;
	}
	return n;
}

void
sm_robots_init(SmRobots *robots, const char *text, size_t len, SmRobotsAgent *agents)
{
	memset(robots, 0, sizeof(*robots));
	robots->text = sm_span(text, len);
	robots->agents = agents;
}

/* Find the group that names the agent, if there is one. */
static bool
find_group(const SmRobots *robots, SmSpan name)
{
	SmRobotsReader r;

	sm_robots_reader_init(&r, robots->text.s, robots->text.len);
	while (sm_robots_next(&r))
		if (r.key == SM_ROBOTS_AGENT && agents_of(r.value, name) == NAMED)
			return true;
	return false;
}

static void
count_rules(SmRobots *robots, const SmRobotsAgent *agent)
{
	SmRobotsReader r;
	Group		group = {0};

	sm_robots_reader_init(&r, robots->text.s, robots->text.len);
	while (next_rule(&r, &group, agent))
	{
		uint32_t	length;

		robots->nrules++;
		robots->nkeys += make_key(r.value, NULL, &length);
	}
}

size_t
sm_robots_add_agent(SmRobots *robots, const char *name, size_t len)
{
	uint32_t	number = robots->nagents++;
	SmRobotsAgent *agent = &robots->agents[number];

	agent->name = sm_span(name, len);
	agent->has_group = find_group(robots, agent->name);
	agent->obeys = number;
	if (!agent->has_group && robots->everybody)
		agent->obeys = robots->everybody->obeys;
	else
		count_rules(robots, agent);
	if (!agent->has_group && robots->everybody == NULL)
		robots->everybody = agent;
	return robots->nrules * sizeof(SmRobotsRule) +
		(robots->nkeys + 2) * (3 * sizeof(uint32_t) + 3 * sizeof(uint8_t));
}

/* Does rule a win over rule b, if both match? */
static bool
wins(const SmRobotsRule *a, const SmRobotsRule *b)
{
	if (a->length != b->length)
		return a->length > b->length;
	if (a->allow != b->allow)
		return a->allow;
	return a->line < b->line;
}

static int
compare_keys(const void *arg1, const void *arg2)
{
	const SmRobotsRule *a = arg1;
	const SmRobotsRule *b = arg2;
	int			order = memcmp(a->key, b->key, a->key_len < b->key_len ? a->key_len : b->key_len);

	if (order == 0)
		order = (a->key_len > b->key_len) - (a->key_len < b->key_len);
	if (order == 0)
		order = (a->agent > b->agent) - (a->agent < b->agent);
	return order;
}

/*
 * Among rules with the same path, keep for each agent only the rule that wins.
 * The rules are consecutive, low to high (exclusive), and sorted by agent.
 */
static void
keep_winners(SmRobotsRule *rules, uint32_t low, uint32_t high)
{
	uint32_t	kept = low;

	for (uint32_t i = low + 1; i < high; i++)
	{
		if (rules[i].agent != rules[kept].agent)
			rules[++kept] = rules[i];
		else if (wins(&rules[i], &rules[kept]))
			rules[kept] = rules[i];
	}
	rules[kept].last = true;
}

/*
 * Make the trie of the rules, which are sorted.  The rules below a node are
 * consecutive.  Until a node is done, places[node] and rule[node] hold the range of
 * the rules below it, low to high (exclusive).
 */
static void
make_trie(SmRobots *robots)
{
	uint32_t	depth = 0;
	uint32_t	next_depth = 1; /* first node of the next depth */

	robots->nnodes = 1;
	robots->places[0] = 0;
	robots->rule[0] = robots->nrules;
	for (uint32_t node = 0; node < robots->nnodes; node++)
	{
		uint32_t	own = robots->places[node];
		uint32_t	low = own;
		uint32_t	high = robots->rule[node];

		if (node == next_depth)
		{
			depth++;
			next_depth = robots->nnodes;
		}

		robots->marks[node] = 0;
		while (low < high && robots->rules[low].key_len == depth)
			low++;
		if (low > own)
		{
			keep_winners(robots->rules, own, low);
			robots->rule[node] = own;
			robots->marks[node] |= HAS_RULE;
		}
		if (low < high && robots->rules[low].key[depth] == ANY)
			robots->marks[node] |= HAS_ANY;

		robots->first[node] = robots->nnodes;
		for (; low < high; low++)
		{
			uint32_t	last = robots->nnodes - 1;
			uint8_t		symbol = robots->rules[low].key[depth];

			if (robots->nnodes == robots->first[node] || robots->label[last] != symbol)
			{
				last = robots->nnodes++;
				robots->label[last] = symbol;
				robots->places[last] = low;
			}
			robots->rule[last] = low + 1;
		}
	}
	robots->first[robots->nnodes] = robots->nnodes;
}

void
sm_robots_compile(SmRobots *robots, void *memory)
{
	uint32_t	max_nodes = robots->nkeys + 1;
	SmRobotsRule *rule;
	uint8_t    *key;

	robots->rules = memory;
	robots->first = (uint32_t *) (robots->rules + robots->nrules);
	robots->rule = robots->first + max_nodes + 1;
	robots->places = robots->rule + max_nodes;
	robots->label = (uint8_t *) (robots->places + max_nodes);
	robots->marks = robots->label + max_nodes;
	robots->keys = robots->marks + max_nodes;

	rule = robots->rules;
	key = robots->keys;
	for (uint32_t i = 0; i < robots->nagents; i++)
	{
		SmRobotsReader r;
		Group		group = {0};

		if (robots->agents[i].obeys != i)
			continue;
		sm_robots_reader_init(&r, robots->text.s, robots->text.len);
		while (next_rule(&r, &group, &robots->agents[i]))
		{
			rule->allow = r.key == SM_ROBOTS_ALLOW;
			rule->line = r.line;
			rule->path = r.value;
			rule->agent = i;
			rule->last = false;
			rule->key = key;
			rule->key_len = make_key(r.value, key, &rule->length);
			key += rule->key_len;
			rule++;
		}
	}
	qsort(robots->rules, robots->nrules, sizeof(SmRobotsRule), compare_keys);
	make_trie(robots);
}

/* steps between two checks for interrupts: about a hundredth of a second */
#define CHECK_STEPS		1000000

/* A URL on its way through the trie. */
typedef struct Walk
{
	SmRobots   *robots;			/* whose agents have the best rules so far */

	/*
	 * Counts of nodes in robots->places: nodes of "*", which the walk never
	 * leaves, are at the end of that array, others at its start.
	 */
	uint32_t	nplaces;
	uint32_t	nanys;
	uint64_t	wanted[4];		/* bits by symbol: does the symbol lead from a
								 * place of a "*" to a child? */
	uint64_t	nsteps;			/* places that have been left since the last
								 * check for interrupts */
} Walk;

/* The n-th place of a "*", from 0 on. */
static inline uint32_t *
any_place(const Walk *walk, uint32_t n)
{
	return walk->robots->places + walk->robots->nnodes - 1 - n;
}

static inline bool
is_wanted(const Walk *walk, uint8_t symbol)
{
	return walk->wanted[symbol / 64] >> symbol % 64 & 1;
}

/* Use the marks of a node: its rules, and a "*" that follows. */
static void
take_marks(Walk *walk, uint32_t node)
{
	SmRobots   *robots = walk->robots;
	uint32_t	child = robots->first[node];

	if (robots->marks[node] & HAS_RULE)
	{
		const SmRobotsRule *rule = &robots->rules[robots->rule[node]];

		for (;; rule++)
		{
			SmRobotsAgent *agent = &robots->agents[rule->agent];

			if (agent->rule == NULL || wins(rule, agent->rule))
				agent->rule = rule;
			if (rule->last)
				break;
		}
	}
	if (!(robots->marks[node] & HAS_ANY) || robots->marks[child] & IS_PLACE)
		return;

	/* a "*" is the first child */
	*any_place(walk, walk->nanys++) = child;
	robots->marks[child] |= IS_PLACE;
	for (uint32_t n = robots->first[child]; n < robots->first[child + 1]; n++)
		walk->wanted[robots->label[n] / 64] |= UINT64_C(1) << robots->label[n] % 64;
	take_marks(walk, child);
}

/* Go from a node to the child that a symbol leads to, if there is one. */
static inline void
follow(Walk *walk, uint32_t node, uint8_t symbol)
{
	const SmRobots *robots = walk->robots;
	uint32_t	child = robots->first[node];
	uint32_t	end = robots->first[node + 1];

	if (end - child > 8)
	{
		const uint8_t *found = memchr(robots->label + child, symbol, end - child);

		child = found ? found - robots->label : end;
	}
	while (child < end && robots->label[child] != symbol)
		child++;
	if (child == end)
		return;
	robots->places[walk->nplaces++] = child;
	if (robots->marks[child])
		take_marks(walk, child);
}

static inline void
step(Walk *walk, uint8_t symbol)
{
	uint32_t	nplaces = walk->nplaces;
	uint32_t	nanys = walk->nanys;

	/*
	 * each place leads to at most one child, so no place is overwritten
	 * before it is read
	 */
	walk->nplaces = 0;
	walk->nsteps += nplaces + 1;
	for (uint32_t i = 0; i < nplaces; i++)
		follow(walk, walk->robots->places[i], symbol);
	if (is_wanted(walk, symbol))
	{
		walk->nsteps += nanys;
		for (uint32_t i = 0; i < nanys; i++)
			follow(walk, *any_place(walk, i), symbol);
	}
}

/* Walk a URL through the trie, once for all agents. */
static void
walk_path(SmRobots *robots, const char *path, const char *end,
		  void (*check_interrupts) (void))
{
	Walk		walk = {.robots = robots,.nplaces = 1};

	robots->places[0] = 0;
	take_marks(&walk, 0);
	if (path == end || *path != '/')
		step(&walk, '/');
	while (path < end && (walk.nplaces > 0 || walk.nanys > 0))
	{
		uint8_t		symbols[3] = {*path};
		int			n = 1;

		if (octet_class[symbols[0]] == ESCAPED)
			n = encode_octet(&path, end, symbols);
		else
			path++;
		for (int i = 0; i < n; i++)
			if (walk.nplaces > 0 || is_wanted(&walk, symbols[i]))
				step(&walk, symbols[i]);
		if (walk.nsteps >= CHECK_STEPS && check_interrupts)
		{
			walk.nsteps = 0;
			check_interrupts();
		}
	}
	step(&walk, END);

	for (uint32_t i = 0; i < walk.nanys; i++)
		robots->marks[*any_place(&walk, i)] &= ~IS_PLACE;
}

void
sm_robots_match(SmRobots *robots, const char *path, size_t len,
				void (*check_interrupts) (void))
{
	const char *hash = memchr(path, '#', len);
	const char *end = hash ? hash : path + len;

	for (uint32_t i = 0; i < robots->nagents; i++)
		robots->agents[i].rule = NULL;
	if (robots->nrules == 0 || sm_span_is(sm_span(path, end - path), "/robots.txt"))
		return;
	walk_path(robots, path, end, check_interrupts);
	for (uint32_t i = 0; i < robots->nagents; i++)
		robots->agents[i].rule = robots->agents[robots->agents[i].obeys].rule;
}
