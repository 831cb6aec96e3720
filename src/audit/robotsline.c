/*
 * robotsline.c
 *	  Reads a robots.txt line by line.  The spellings of keys are rows of the table keys.
 */
#include "audit/robotsline.h"

#include "text/ascii.h"

/* The keys as RFC 9309 spells them, in section 2.2. */
static const SmSpan rfc_keys[SM_ROBOTS_OTHER] = {
	[SM_ROBOTS_AGENT] = {SM_LITERAL("user-agent")},
	[SM_ROBOTS_ALLOW] = {SM_LITERAL("allow")},
	[SM_ROBOTS_DISALLOW] = {SM_LITERAL("disallow")},
	[SM_ROBOTS_SITEMAP] = {SM_LITERAL("sitemap")}
};

/*
 * Spellings that Google's parser accepts, here for all crawlers: GetKeyType in
 * https://github.com/google/robotstxt/blob/master/robots.cc.  As there, a key may go on after
 * a spelling.
 */
static const struct
{
	SmSpan		spelling;
	SmRobotsKey key;
}			keys[] = {
	{{SM_LITERAL("user-agent")}, SM_ROBOTS_AGENT},
	{{SM_LITERAL("useragent")}, SM_ROBOTS_AGENT},
	{{SM_LITERAL("user agent")}, SM_ROBOTS_AGENT},
	{{SM_LITERAL("allow")}, SM_ROBOTS_ALLOW},
	{{SM_LITERAL("disallow")}, SM_ROBOTS_DISALLOW},
	{{SM_LITERAL("dissallow")}, SM_ROBOTS_DISALLOW},
	{{SM_LITERAL("dissalow")}, SM_ROBOTS_DISALLOW},
	{{SM_LITERAL("disalow")}, SM_ROBOTS_DISALLOW},
	{{SM_LITERAL("diasllow")}, SM_ROBOTS_DISALLOW},
	{{SM_LITERAL("disallaw")}, SM_ROBOTS_DISALLOW},
	{{SM_LITERAL("sitemap")}, SM_ROBOTS_SITEMAP},
	{{SM_LITERAL("site-map")}, SM_ROBOTS_SITEMAP}
};

#define NKEYS	(sizeof(keys) / sizeof(keys[0]))

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f';
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
sm_robots_reader_init(SmRobotsReader *r, SmSpan text)
{
	memset(r, 0, sizeof(*r));
	r->p = text.s;
	r->end = text.s + (text.len < SM_ROBOTS_MAX ? text.len : SM_ROBOTS_MAX);
	if (sm_span_begins(text, "\xEF\xBB\xBF"))
		r->p += 3;
}

/*
 * The end of the key in a line, NULL for none.  A blank between two words stands for a
 * forgotten colon.
 */
static const char *
end_of_key(SmSpan line)
{
	const char *colon = memchr(line.s, ':', line.len);
	const char *end = line.s + line.len;
	const char *blank = line.s;
	const char *s;

	if (colon)
		return colon;
	while (blank < end && *blank != ' ' && *blank != '\t')
		blank++;
	for (s = blank; s < end && (*s == ' ' || *s == '\t');)
		s++;
	while (s < end && *s != ' ' && *s != '\t')
		s++;
	return blank < end && s == end ? blank : NULL;
}

bool
sm_robots_next(SmRobotsReader *r)
{
	const char *start = r->p;
	const char *end = start;	/* of the line without its comment */
	const char *key_end;

	if (start == r->end)
		return false;
	while (end < r->end && *end != '\r' && *end != '\n' && *end != '#')
		end++;
	for (r->p = end; r->p < r->end && *r->p != '\r' && *r->p != '\n';)
		r->p++;
	if (r->p < r->end && *r->p++ == '\r' && r->p < r->end && *r->p == '\n')
		r->p++;
	r->line++;

	r->text = trim(start, end);
	key_end = end_of_key(r->text);
	r->name = key_end ? trim(r->text.s, key_end) : sm_no_span();
	r->value = key_end ? trim(key_end + 1, r->text.s + r->text.len) : sm_no_span();
	r->key = SM_ROBOTS_OTHER;
	for (size_t i = 0; i < NKEYS && r->key == SM_ROBOTS_OTHER; i++)
		if (r->name.len >= keys[i].spelling.len &&
			sm_equal_ignoring_case(sm_span(r->name.s, keys[i].spelling.len), keys[i].spelling))
			r->key = keys[i].key;
	r->in_group |= r->key == SM_ROBOTS_AGENT;
	return true;
}

bool
sm_robots_is_part(SmSpan part, SmSpan name)
{
	for (; name.len >= part.len; name.s++, name.len--)
		if (sm_equal_ignoring_case(sm_span(name.s, part.len), part))
			return true;
	return false;
}

/*
 * Is a key probably a misspelling, such as "Desallow" or "User_agent"?  Other keys, such as
 * Crawl-delay and Host, have a meaning for some crawlers.
 */
static bool
is_misspelled(SmSpan given)
{
	static const SmSpan parts[] = {
		{SM_LITERAL("allow")}, {SM_LITERAL("alow")}, {SM_LITERAL("disall")}, {SM_LITERAL("agent")}, {SM_LITERAL("sitemap")}
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (sm_robots_is_part(parts[i], given))
			return true;
	return false;
}

/* Is the path of a rule empty, or can it match a URL? */
static bool
is_path(SmSpan value)
{
	return value.len == 0 || memchr("/*$", value.s[0], 3) != NULL;
}

bool
sm_robots_is_ignored(const SmRobotsReader *r)
{
	if (r->key == SM_ROBOTS_OTHER)
		return r->text.len > 0 && (r->name.s == NULL || is_misspelled(r->name));
	if (!sm_equal_ignoring_case(r->name, rfc_keys[r->key]) ||
		memchr(r->text.s, ':', r->text.len) == NULL)
		return true;
	return sm_robots_is_rule(r) && !(r->in_group && is_path(r->value));
}

SmSpan
sm_robots_token(SmSpan value)
{
	size_t		len = 0;

	while (len < value.len && (sm_is_letter(value.s[len]) || value.s[len] == '-' || value.s[len] == '_'))
		len++;
	if (len == 0 && value.len > 0 && value.s[0] == '*' && (value.len == 1 || is_blank(value.s[1])))
		len = 1;
	return sm_span(value.s, len);
}

bool
sm_robots_is_token(const char *s, size_t len)
{
	return len > 0 && *s != '*' && sm_robots_token(sm_span(s, len)).len == len;
}
