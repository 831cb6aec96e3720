/*
 * test_suspect.c
 *	  Unit tests of audit/suspect: what is found in a URL, and that its traits announce it.
 *	  test/sql/audit_urls.sql has more URLs.
 */
#include "audit/suspect.h"
#include "web/url.h"

#include "tap.h"

#define H "http://www.example.com"

/* Look at a URL, which begins with the base URL H "/dir/" or not. */
static SmSuspect
look_at(SmSpan url, char *room)
{
	SmSpan		host = sm_span_of("www.example.com");
	size_t		base_len = strlen(H "/dir/");
	const char *rest = url.s + strlen(sm_span_begins(url, H) ? H : "http://");
	unsigned int traits = sm_url_traits(rest, url.s + url.len, host);
	SmSuspect	found;

	sm_url_suspect(url, sm_span_begins(url, H "/dir/") ? base_len : 0, host, room, &found);
	ok((traits & SM_MAY_BE_SUSPECT) ||
	   (found.what == SM_NOT_SUSPECT && found.control == SM_NO_CHARACTER &&
		found.invisible == SM_NO_CHARACTER), "the traits announce it");
	return found;
}

/* text: NULL for none. */
static void
finds(const char *url, SmSuspicion what, const char *text)
{
	char	   *copy = exactly(url, strlen(url));
	char	   *room = exactly(NULL, strlen(url));
	SmSuspect	found = look_at(sm_span(copy, strlen(url)), room);

	is_number(found.what, what, url);
	if (text)
		is(found.text.s, found.text.len, text, strlen(text), url);
	free(room);
	free(copy);
}

static void
has_character(const char *url, uint32_t control, uint32_t invisible)
{
	char	   *copy = exactly(url, strlen(url));
	char	   *room = exactly(NULL, strlen(url));
	SmSuspect	found = look_at(sm_span(copy, strlen(url)), room);

	is_number(found.control, control, url);
	is_number(found.invisible, invisible, url);
	free(room);
	free(copy);
}

static void
traits_are(const char *rest, unsigned int wanted)
{
	char	   *copy = exactly(rest, strlen(rest));

	is_number(sm_url_traits(copy, copy + strlen(rest), sm_span_of("h.example")), wanted, rest);
	free(copy);
}

static void
test_traits(void)
{
	traits_are("", 0);
	traits_are("/", 0);
	traits_are("/category-1/item-2/?a=1&b=n&u=", SM_HAS_ENTITIES);
	traits_are("/news/users/how-to/none-such", SM_MAY_BE_SUSPECT);
	traits_are("/news/users/how-to/nonesuch", 0);
	traits_are("?x", 0);
	traits_are("/a%C3%A9%FF", SM_MAY_BE_SUSPECT);
	traits_are("/a%c3%A9", SM_MAY_BE_SUSPECT | SM_MAY_VARY);
	traits_are("/a%C3%a9", SM_MAY_BE_SUSPECT | SM_MAY_VARY);
	traits_are("/a%7E", SM_MAY_BE_SUSPECT | SM_MAY_VARY);
	traits_are("/a#b", SM_HAS_FRAGMENT | SM_MAY_BE_SUSPECT | SM_MAY_VARY);
	traits_are("/a?b=1&c", SM_HAS_ENTITIES);
	traits_are("/a/../b", SM_MAY_VARY);
	traits_are("/.well-known", SM_MAY_VARY);
	traits_are("/a.b/c..", 0);
	traits_are("/a/h.example", 0);
	traits_are("/H.example/a", SM_MAY_BE_SUSPECT);
	traits_are("/www.h.example", SM_MAY_BE_SUSPECT);
	traits_are("/h.examples", 0);
	traits_are("undefined/", SM_MAY_BE_SUSPECT);
	traits_are("cdn.example.com/a", 0);
}

static void
test_found(void)
{
	finds(H, SM_NOT_SUSPECT, NULL);
	finds(H "?", SM_NOT_SUSPECT, NULL);
	finds(H "/%FF%C3", SM_NOT_SUSPECT, NULL);
	finds(H "/null", SM_MISSING_SEGMENT, "null");
	finds(H "/a/n%75ll.png", SM_MISSING_SEGMENT, "null.png");
	finds(H "/null.", SM_NOT_SUSPECT, NULL);
	finds(H "/a?b=nil", SM_MISSING_VALUE, "nil");
	finds("http://undefined/", SM_MISSING_HOST, "undefined");
	finds("http://none:80", SM_MISSING_HOST, "none");
	finds("http://none.example.com", SM_NOT_SUSPECT, NULL);
	finds("http://null-pointer.example.com/", SM_NOT_SUSPECT, NULL);
	finds("http://https://a", SM_URL_IN_PATH, "https");
	finds(H "/dir/https:", SM_URL_IN_PATH, "https:");
	finds(H "/x/https:", SM_NOT_SUSPECT, NULL);
	finds(H "/www.example.com", SM_URL_IN_PATH, "www.example.com");
	finds(H "/dir/www.example.com", SM_NOT_SUSPECT, NULL);
	finds(H "/%7B", SM_NOT_SUSPECT, NULL);
	finds(H "/%7B%7B", SM_PLACEHOLDER, "{{");
	finds(H "/%7Ba%FFb%7D", SM_PLACEHOLDER, "{a");
	finds(H "/%3C", SM_NOT_SUSPECT, NULL);
	finds(H "/%3C%3E", SM_NOT_SUSPECT, NULL);
	finds(H "/%25", SM_NOT_SUSPECT, NULL);
	finds(H "/a&", SM_NOT_SUSPECT, NULL);
	finds(H "/a&#", SM_NOT_SUSPECT, NULL);
	finds(H "/a&#x", SM_NOT_SUSPECT, NULL);
	finds(H "/a&#x26;", SM_HTML_ENTITY, "&#x26;");
	finds(H "/%5Cu004", SM_BACKSLASH, "\\");
	finds(H "/?%5C", SM_NOT_SUSPECT, NULL);
	finds(H "/%5Bobject%20a", SM_NOT_SUSPECT, NULL);
	finds(H "/:", SM_NOT_SUSPECT, NULL);
	finds(H "//", SM_EMPTY_SEGMENT, "");
	finds(H "/%C3%83", SM_NOT_SUSPECT, NULL);
	finds(H "/%C3%83%C2", SM_NOT_SUSPECT, NULL);
	finds(H "/%C3%83%C2%A9", SM_MISREAD_UTF8, "\xC3\x83\xC2\xA9");
	finds(H "/%C3%90%C2%BF", SM_NOT_SUSPECT, NULL);
	/* of several mistakes, the most telling */
	finds(H "//%20x/null/%7Bid%7D", SM_PLACEHOLDER, "{id}");
}

static void
test_characters(void)
{
	has_character(H "/", SM_NO_CHARACTER, SM_NO_CHARACTER);
	has_character(H "/%00%E2%80%8B%0A", 0, 0x200B);
	has_character(H "/a%C2%8C", 0x8C, SM_NO_CHARACTER);
	has_character(H "/%E2%80%8C", SM_NO_CHARACTER, 0x200C);
	has_character(H "/%D9%85%E2%80%8C%D9%85", SM_NO_CHARACTER, SM_NO_CHARACTER);
	has_character(H "/%EF%B8%8F", SM_NO_CHARACTER, 0xFE0F);
	has_character(H "/%E2%80%8B#%EF%BF%BE", 0xFFFE, 0x200B);
}

int
main(void)
{
	test_traits();
	test_found();
	test_characters();
	return done();
}
