/*
 * robotsline.c
 *	  Reads a robots.txt line by line.  The spellings of keys are rows of the table keys.
 */
#include "audit/robotsline.h"

#include "text/ascii.h"

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

static SmSpan
trim(const char *s, const char *end)
{
	s = sm_skip_space(s, end);
	while (end > s && sm_is_space(end[-1]))
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
	while (blank < end && !sm_is_space(*blank))
		blank++;
	s = sm_skip_space(blank, end);
	while (s < end && !sm_is_space(*s))
		s++;
	return blank < end && s == end ? blank : NULL;
}

bool
sm_robots_next(SmRobotsReader *r)
{
	const char *start = r->p;
	const char *end = start;	/* of the line without its comment */
	const char *key_end;
	SmSpan		name;

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
	name = key_end ? trim(r->text.s, key_end) : sm_no_span();
	r->value = key_end ? trim(key_end + 1, r->text.s + r->text.len) : sm_no_span();
	r->key = SM_ROBOTS_OTHER;
	for (size_t i = 0; i < NKEYS && r->key == SM_ROBOTS_OTHER; i++)
		if (name.len >= keys[i].spelling.len &&
			sm_equal_ignoring_case(sm_span(name.s, keys[i].spelling.len), keys[i].spelling))
			r->key = keys[i].key;
	return true;
}

SmSpan
sm_robots_token(SmSpan value)
{
	size_t		len = 0;

	while (len < value.len && (sm_is_letter(value.s[len]) || value.s[len] == '-' || value.s[len] == '_'))
		len++;
	if (len == 0 && value.len > 0 && value.s[0] == '*' && (value.len == 1 || sm_is_space(value.s[1])))
		len = 1;
	return sm_span(value.s, len);
}

bool
sm_robots_is_token(const char *s, size_t len)
{
	return len > 0 && *s != '*' && sm_robots_token(sm_span(s, len)).len == len;
}
