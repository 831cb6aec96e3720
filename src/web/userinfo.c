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

/* Where a host would begin in a text: after a colon and slashes, or two slashes at its start. */
static const char *
find_authority(const char *s, const char *end)
{
	const char *colon = memchr(s, ':', end - s);

	while (colon && (colon + 1 == end || !is_slash(colon[1])))
		colon = memchr(colon + 1, ':', end - colon - 1);
	if (colon)
		s = colon + 1;
	else if (end - s < 2 || !is_slash(s[0]) || !is_slash(s[1]))
		return NULL;
	while (s < end && is_slash(*s))
		s++;
	return s;
}

/* Does a text end with a word, ignoring case? */
static bool
ends_with(SmSpan text, const char *word)
{
	size_t		len = strlen(word);

	return text.len >= len &&
		sm_equal_ignoring_case(sm_span(text.s + text.len - len, len), sm_span(word, len));
}

/*
 * Do the slashes before what find_authority found belong to a URL?  After "http" and "https",
 * browsers read one slash and backslashes as two slashes.
 */
static bool
is_after_scheme(const char *begin, const char *authority)
{
	const char *slash = authority;

	while (slash > begin && is_slash(slash[-1]))
		slash--;
	if (slash == begin || sm_span_begins(sm_span(slash, authority - slash), "//"))
		return true;
	slash--;					/* the colon */
	return ends_with(sm_span(begin, slash - begin), "http") ||
		ends_with(sm_span(begin, slash - begin), "https");
}

bool
sm_url_has_user(SmSpan text)
{
	const char *end = text.s + text.len;
	const char *s = text.s;

	while ((s = find_authority(s, end)) != NULL)
	{
		const char *other = NULL;	/* what no host has, in most texts */
		bool		has_password = false;

		if (!is_after_scheme(text.s, s))
			continue;
		for (; s < end && !is_slash(*s) && *s != '?' && *s != '#'; s++)
		{
			const char *colon = s;

			if (*s == '@' && (has_password || other == NULL))
				return true;
			if (other == NULL && (sm_is_space(*s) || (unsigned char) *s >= 0x80))
				other = s;
			if (*s != ':')
				continue;
			while (s + 1 < end && sm_is_digit(s[1]))
				s++;
			has_password = has_password ||
				(s + 1 < end && !sm_is_space(s[1]) && (s == colon || (unsigned char) s[1] < 0x80));
		}

		/*
		 * the next URL begins after this host or a blank, not in this URL's
		 * path
		 */
		if (other)
			s = other;
		else
			while (s < end && !sm_is_space(*s))
				s++;
	}
	return false;
}

SmSpan
sm_url_secret(SmSpan text)
{
	SmSpan		trimmed = sm_trim(text);
	const char *end = trimmed.s + trimmed.len;
	const char *authority = find_authority(trimmed.s, end);
	const char *s = authority ? authority : trimmed.s;
	const char *path = s;
	const char *bracket;		/* of an IPv6 address */
	const char *colon;
	const char *port;
	const char *at;

	while (path < end && !is_slash(*path) && *path != '?' && *path != '#')
		path++;
	bracket = s < path && *s == '[' ? memchr(s, ']', path - s) : NULL;
	colon = bracket ? memchr(bracket, ':', path - bracket) : memchr(s, ':', path - s);
	at = last_at(s, path);

	/*
	 * a slash in a password ends the authority, and leaves a port that is no
	 * number
	 */
	port = colon ? colon + 1 : path;
	while (port < path && sm_is_digit(*port))
		port++;
	if (at == NULL && port < path)
		at = last_at(s, end);

	/* "editor:s3cret@host" without a scheme */
	if (authority == NULL)
		s = colon && !sm_span_begins(trimmed, "mailto:") ? colon + 1 : end;
	return sm_span(s, at && s < at ? at - s : 0);
}
