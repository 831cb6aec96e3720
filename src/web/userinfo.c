/*
 * userinfo.c
 *	  Finds the user name and password before the host of a URL, in any text, so that neither
 *	  a file nor a message repeats them.
 */
#include "web/userinfo.h"

#include <string.h>

#include "text/ascii.h"
#include "text/text.h"

/* Where the last "@" of a text begins, however it is written; NULL if there is none. */
static const char *
last_at(const char *s, const char *end)
{
	/* percent-encoded, in HTML, and two that are an "@" in a host (UTS #46) */
	static const SmSpan spellings[] = {
		{SM_LITERAL("@")}, {SM_LITERAL("%40")}, {SM_LITERAL("&#64;")},
		{SM_LITERAL("\xEF\xBC\xA0")}, {SM_LITERAL("\xEF\xB9\xAB")}
	};

	for (const char *at = end; at > s;)
	{
		at--;
		for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++)
			if ((size_t) (end - at) >= spellings[i].len &&
				memcmp(at, spellings[i].s, spellings[i].len) == 0)
				return at;
	}
	return NULL;
}

static bool
is_slash(char c)
{
	return c == '/' || c == '\\';
}

/* The end of the scheme or authority at s: a slash, a query or a fragment. */
static const char *
find_path(const char *s, const char *end)
{
	while (s < end && !is_slash(*s) && *s != '?' && *s != '#')
		s++;
	return s;
}

SmSpan
sm_url_secret(SmSpan text)
{
	SmSpan		trimmed = sm_trim(text);
	const char *s = trimmed.s;
	const char *end = s + trimmed.len;
	const char *path = find_path(s, end);
	const char *colon = memchr(s, ':', path - s);
	const char *port;
	const char *at;

	if (colon)
		s = colon + 1;			/* after the scheme, or the user name */
	else if (path > s || end - s < 2 || !is_slash(s[0]) || !is_slash(s[1]))
		return sm_span(s, 0);
	while (s < end && is_slash(*s))
		s++;
	path = find_path(s, end);
	at = last_at(s, path);

	/*
	 * a slash in a password ends the authority, and leaves a port that is no
	 * number
	 */
	colon = path > s && *s != '[' ? memchr(s, ':', path - s) : NULL;
	port = colon ? colon + 1 : path;
	while (port < path && sm_is_digit(*port))
		port++;
	if (at == NULL && port < path)
		at = last_at(s, end);
	return sm_span(s, at ? at - s : 0);
}

bool
sm_url_has_user(SmSpan text)
{
	const char *end = text.s + text.len;
	const char *s = sm_skip_space(text.s, end);

	while (s < end)
	{
		const char *word = s;
		SmSpan		secret;

		while (s < end && !sm_is_space(*s))
			s++;
		secret = sm_url_secret(sm_span(word, s - word));
		if (secret.len > 0 && secret.s > word && is_slash(secret.s[-1]))
			return true;
		s = sm_skip_space(s, end);
	}
	return false;
}
