/*
 * fuzz_robotstxt.c
 *	  Fuzzes audit/robotstxt.
 *
 * The input is an agent, a NUL, a path, a NUL and a robots.txt.  Other agents are asked
 * for with it.  The judge does it all again with no regard to speed: it looks at each line
 * for itself, and tries each rule on the path.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* strcasestr */
#endif

#include "audit/robotstxt.h"

#include <ctype.h>
#include <strings.h>

#include "fuzz.h"

#define WILDCARD	0x100
#define LAST		0x101
#define NAGENTS		9

/* A path in the one form. */
typedef struct Characters
{
	int			c[3072];
	int			n;
	int			length;			/* as it counts */
}			Characters;

static void
read_characters(SmSpan text, bool is_rule, Characters * to)
{
	to->n = to->length = 0;
	for (size_t i = 0; i < text.len; i++)
	{
		unsigned	code = (unsigned char) text.s[i];
		bool		is_escape = code == '%' && i + 2 < text.len && isxdigit((unsigned char) text.s[i + 1]) &&
			isxdigit((unsigned char) text.s[i + 2]);
		char		escape[4];
		bool		as_is;

		to->length++;
		if (is_rule && (code == '*' || (code == '$' && i == text.len - 1)))
		{
			to->c[to->n++] = code == '*' ? WILDCARD : LAST;
			continue;
		}
		if (is_rule && code == '$')
			to->length -= 2;
		if (is_escape)
		{
			code = (unsigned) strtoul((char[]) {text.s[i + 1], text.s[i + 2], '\0'}, NULL, 16);
			i += 2;
		}
		as_is = isalnum((int) code) ||
			(code && strchr(is_escape ? "-._~" : "-._~!&'()+,/:;=?@", (int) code));
		if (code < 0x80 && as_is)
		{
			to->c[to->n++] = (int) code;
			continue;
		}
		snprintf(escape, sizeof(escape), "%%%02X", code);
		for (int k = 0; k < 3; k++)
			to->c[to->n++] = escape[k];
		to->length += 2;
	}
}

/* Does the rule match the path?  By what is left of each. */
static bool
matches(const Characters * rule, const Characters * path)
{
	static bool table[3073][3073];

	for (int i = rule->n; i >= 0; i--)
	{
		for (int j = path->n; j >= 0; j--)
		{
			if (i == rule->n)
				table[i][j] = true;
			else if (rule->c[i] == LAST)
				table[i][j] = j == path->n;
			else if (rule->c[i] == WILDCARD)
				table[i][j] = table[i + 1][j] || (j < path->n && table[i][j + 1]);
			else
				table[i][j] = j < path->n && rule->c[i] == path->c[j] && table[i + 1][j + 1];
		}
	}
	return table[0][0];
}

typedef struct Line
{
	SmSpan		key;
	SmSpan		value;
}			Line;

/* Is it one of these characters?  NUL is none. */
static bool
is_one_of(const char *characters, char c)
{
	return c != '\0' && strchr(characters, c);
}

static SmSpan
strip(const char *s, const char *end)
{
	while (s < end && is_one_of(" \t", end[-1]))
		end--;
	while (s < end && is_one_of(" \t", *s))
		s++;
	return sm_span(s, end - s);
}

/* Take the next line from *s; false at the end. */
static bool
next_line(const char **s, const char *end, Line * line)
{
	const char *start = *s;
	const char *stop;
	const char *colon;

	if (start == end)
		return false;
	for (stop = start; stop < end && *stop != '\n' && *stop != '\r'; stop++)
		;
	if (stop == end)
		*s = end;
	else
		*s = stop + (end - stop >= 2 && stop[0] == '\r' && stop[1] == '\n' ? 2 : 1);
	if (memchr(start, '#', stop - start))
		stop = memchr(start, '#', stop - start);

	line->key = line->value = sm_span("", 0);
	colon = memchr(start, ':', stop - start);
	if (colon)
	{
		line->key = strip(start, colon);
		line->value = strip(colon + 1, stop);
	}
	else
	{
		SmSpan		text = strip(start, stop);
		SmSpan		words[3];
		int			n = 0;

		for (const char *c = text.s; c < text.s + text.len && n < 3; n++)
		{
			const char *word = c;

			while (c < text.s + text.len && !is_one_of(" \t", *c))
				c++;
			words[n] = strip(word, c);
			while (c < text.s + text.len && is_one_of(" \t", *c))
				c++;
		}
		if (n == 2)
			*line = (Line) {words[0], words[1]};
	}
	return true;
}

static bool
begins(const Line * line, const char *key)
{
	return line->key.len >= strlen(key) && strncasecmp(line->key.s, key, strlen(key)) == 0;
}

/* Is it the key "user-agent", "allow" or "disallow"? */
static bool
key_is(const Line * line, const char *key)
{
	static const char *const others[][2] = {
		{"user-agent", "useragent"}, {"user-agent", "user agent"}, {"disallow", "dissallow"}, {"disallow", "dissalow"},
		{"disallow", "disalow"}, {"disallow", "diasllow"}, {"disallow", "disallaw"}
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(key, others[i][0]) == 0 && begins(line, others[i][1]))
			return true;
	return begins(line, key);
}

static bool
names(const Line * line, const char *agent)
{
	size_t		n = 0;

	while (n < line->value.len && is_one_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_", line->value.s[n]))
		n++;
	return n == strlen(agent) && strncasecmp(line->value.s, agent, n) == 0;
}

static bool
names_all(const Line * line)
{
	return line->value.len > 0 && line->value.s[0] == '*' &&
		(line->value.len == 1 || is_one_of(" \t", line->value.s[1]));
}

/* Does a group name the agent? */
static bool
is_named(const char *text, const char *end, const char *agent)
{
	Line		line;

	while (next_line(&text, end, &line))
		if (key_is(&line, "user-agent") && names(&line, agent))
			return true;
	return false;
}

/* The agent whose groups an agent without groups obeys; "" for none, NULL for "*". */
static const char *
other_agent(const char *agent)
{
	static const char *const others[][2] = {
		{"Googlebot-Image", "Googlebot"}, {"Googlebot-Video", "Googlebot"}, {"Googlebot-News", "Googlebot"},
		{"Google-InspectionTool", "Googlebot"}, {"Google-CloudVertexBot", "Googlebot"},
		{"GoogleOther-Image", "GoogleOther"}, {"GoogleOther-Video", "GoogleOther"},
		{"AdsBot-Google", ""}, {"AdsBot-Google-Mobile", ""}, {"AdsBot-Google-Mobile-Apps", ""},
		{"Mediapartners-Google", ""}, {"APIs-Google", ""}, {"Applebot", "Googlebot"}
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcasecmp(others[i][0], agent) == 0)
			return others[i][1];
	return strcasestr(agent, "yandex") ? "Yandex" : NULL;
}

/* Does an agent ignore every robots.txt? */
static bool
ignores(const char *agent)
{
	static const char *const fetchers[] = {
		"Google-Safety", "FeedFetcher-Google", "Google-CWS", "Google-GeminiNotebook", "Google-NotebookLM", "Google-Pinpoint",
		"Google-Read-Aloud", "Google-Site-Verification", "GoogleMessages", "GoogleProducer"
	};

	for (size_t i = 0; i < sizeof(fetchers) / sizeof(fetchers[0]); i++)
		if (strcasecmp(fetchers[i], agent) == 0)
			return true;
	return false;
}

/* The line of the rule that decides, negative where it forbids; 0 for none. */
static int
judge(const char *text, const char *end, const char *agent, SmSpan path)
{
	static Characters path_characters;
	static Characters rule;
	char		whole_path[1024];
	bool		has_group;
	bool		obeys = false;
	bool		has_rules = false;
	int			best = 0;
	int			best_length = 0;
	int			number = 0;
	const char *s;
	Line		line;

	if (ignores(agent))
		return 0;
	if (sm_span_is(path, "/robots.txt"))
		return 0;
	snprintf(whole_path, sizeof(whole_path), "%s%.*s", path.len == 0 || path.s[0] != '/' ? "/" : "", (int) path.len, path.s);
	read_characters(sm_span_of(whole_path), false, &path_characters);
	has_group = is_named(text, end, agent);
	if (!has_group && other_agent(agent))
	{
		agent = other_agent(agent);
		has_group = *agent == '\0' || is_named(text, end, agent);
	}
	for (s = text; next_line(&s, end, &line);)
	{
		bool		allow = key_is(&line, "allow");

		number++;
		if (key_is(&line, "user-agent"))
		{
			if (has_rules)
				has_rules = obeys = false;
			obeys |= has_group ? *agent != '\0' && names(&line, agent) : names_all(&line);
		}
		else if (allow || key_is(&line, "disallow"))
		{
			has_rules = true;
			if (!obeys || line.value.len == 0)
				continue;
			read_characters(line.value, true, &rule);
			if (!matches(&rule, &path_characters) || rule.length < best_length)
				continue;
			if (rule.length == best_length && (best > 0 || !allow))
				continue;
			best_length = rule.length;
			best = allow ? number : -number;
		}
	}
	return best;
}

static void
check_interrupts(void)
{
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *agent = (const char *) data;
	const char *end = agent + size;
	const char *path = size < 1000 ? memchr(agent, '\0', size) : NULL;
	const char *text = path ? memchr(path + 1, '\0', end - path - 1) : NULL;
	const char *names[NAGENTS] = {agent, "x", "foobot", "googlebot", "Googlebot-News", "AdsBot-Google",
	"YandexBot", "Applebot", "Google-Read-Aloud"};
	const char *lines;
	SmRobots	robots;
	SmRobotsReader r;
	SmRobotsAgent agents[NAGENTS + SM_ROBOTS_STAND_INS];
	char	   *text_copy;
	char	   *path_copy;
	char	   *memory;
	char	   *room;
	size_t		path_len;

	if (text == NULL || !sm_robots_is_token(agent, strlen(agent)))
		return 0;
	path++;
	text	  ++;
	/* the judge begins after a byte order mark */
	lines = text +(end - text >=3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0);

	path_len = strlen(path);
	text_copy = exactly(text, end - text);
	path_copy = exactly(path, path_len);
	room = exactly(NULL, SM_ROBOTS_ROOM(path_len));
	for (int i = 0; i < NAGENTS; i++)
		agents[i].name = sm_span_of(names[i]);
	memory = exactly(NULL, SM_ROBOTS_MEMORY(end - text));
	sm_robots_init(&robots, sm_span(text_copy, end - text), agents, NAGENTS, check_interrupts, memory);

	for (int i = 0; i < 2; i++)
	{
		sm_robots_match(&robots, path_copy, path_len, room);
		for (uint32_t n = 0; n < robots.nagents; n++)
		{
			const SmRobotsRule *rule = agents[n].rule;
			int			line = rule == NULL ? 0 : rule->allow ? (int) rule->line : -(int) rule->line;

			CHECK(line == judge(lines, end, agents[n].name.s, sm_span(path, strcspn(path, "#"))));
		}
	}
	for (int use = SM_ROBOTS_IMAGE; use < SM_ROBOTS_NUSES; use++)
	{
		static const char *const stand_ins[SM_ROBOTS_NUSES] = {"", "Googlebot-Image", "Googlebot-Video", "Googlebot-News"};
		bool		has_stand_in = is_named(lines, end, stand_ins[use]);

		CHECK(!(agents[3].uses & SM_ROBOTS_FOR(use)) == has_stand_in);
		for (uint32_t n = 0; n < robots.nagents; n++)
			if (strcasecmp(agents[n].name.s, stand_ins[use]) == 0)
				CHECK(!(agents[n].uses & SM_ROBOTS_FOR(use)) == (n >= NAGENTS && !has_stand_in));
	}
	sm_robots_reader_init(&r, sm_span(text_copy, end - text));
	for (uint32_t line = 1; sm_robots_next(&r); line++)
		CHECK(r.line == line);

	free(room);
	free(memory);
	free(path_copy);
	free(text_copy);
	return 0;
}
