/*
 * test_suspect.c
 *	  Unit tests of audit/suspect: what is found in a URL, and that its traits announce it.
 *	  test/sql/audit_urls.sql has more URLs.
 */
#include "audit/suspect.h"
#include "web/url.h"

#include "tap.h"

#define H "http://www.example.com"

static SmSuspects suspects;

/* Look at a URL, which begins with the base URL H "/dir/" or not. */
static SmSuspect
look_at(SmSpan url, char *room)
{
	size_t		base_len = strlen(H "/dir/");
	const char *rest = url.s + strlen(sm_span_begins(url, H) ? H : "http://");
	unsigned int traits = sm_url_traits(&suspects, rest, url.s + url.len);
	SmSuspect	found;

	sm_url_suspect(&suspects, url, sm_span_begins(url, H "/dir/") ? base_len : 0, true, room, &found);
	ok((traits & SM_MAY_BE_SUSPECT) ||
	   (found.what == NULL && found.invisible == SM_NO_CHARACTER), "the traits announce it");
	return found;
}

/* What is found in a URL; its text is compared unless text is NULL. */
static const SmSuspicion *
suspicion_in(const char *url, const char *text)
{
	SmSuspect	found = look_at(exact(url), exactly(NULL, strlen(url)));

	if (text)
		is_string(found.text, text, url);
	return found.what;
}

/* begin: how the sentence of the suspicion begins.  text: what it names; NULL for anything. */
static void
finds(const char *url, const char *begin, const char *text)
{
	const SmSuspicion *what = suspicion_in(url, text);

	ok(what && strncmp(what->sentence, begin, strlen(begin)) == 0, url);
}

static void
finds_nothing(const char *url)
{
	ok(suspicion_in(url, NULL) == NULL, url);
}

static void
has_character(const char *url, uint32_t invisible)
{
	SmSuspect	found = look_at(exact(url), exactly(NULL, strlen(url)));

	is_number(found.invisible, invisible, url);
}

static void
traits_are(const char *rest, unsigned int wanted)
{
	SmSpan		copy = exact(rest);

	is_number(sm_url_traits(&suspects, copy.s, copy.s + copy.len), wanted, rest);
}

/* What is found in a host that is looked at once, or in a text. */
static const SmSuspicion *
suspicion_of(bool is_host, const char *text)
{
	SmSuspect	found;

	(is_host ? sm_host_suspect : sm_text_suspect) (&suspects, exact(text), &found);
	return found.what;
}

/* What is found in an example of the table. */
static const SmSuspicion *
suspicion_in_example(const SmSuspicion *what, const char *example)
{
	if (what->places == SM_AT(SM_ORIGIN))
		return suspicion_of(true, example);
	return suspicion_in(text_of("%s%s", what->places == SM_AT(SM_HOST) ? "http://" : H, example), NULL);
}

/* Each kind of the table is found in its example, and not in its counterexample. */
static void
test_table(void)
{
	int			n = 0;

	for (const SmSuspicion *what = sm_suspicions; what->sentence; what++)
	{
		ok(suspicion_in_example(what, what->example) == what, what->example);
		ok(suspicion_in_example(what, what->counterexample) == NULL, what->counterexample);
		for (const char *p = what->patterns; *p; p++)
			ok(!(*p >= 'A' && *p <= 'Z'), what->patterns);
		n++;
	}
	ok(n > 15, "kinds in the table");
}

static void
test_traits(void)
{
	foreach_string(rest, "", "/", "/category-1/item-2/?a=1&b=n&u=", "/news/users/how-to/nonesuch", "?x", "/a?b=1&c", "/a.b/c..",
				   "/a/h.example", "/h.example/a", "cdn.example.com/a")
		traits_are(*rest, 0);
	foreach_string(rest, "/news/users/how-to/none-such", "/a%C3%A9%FF", "undefined/")
		traits_are(*rest, SM_MAY_BE_SUSPECT);
	foreach_string(rest, "/a%c3%A9", "/a%C3%a9", "/a%7E")
		traits_are(*rest, SM_MAY_BE_SUSPECT | SM_MAY_VARY);
	traits_are("/a#b", SM_MAY_BE_SUSPECT | SM_MAY_VARY);
	foreach_string(rest, "/a/../b", "/.well-known")
		traits_are(*rest, SM_MAY_VARY);
}

#define TWICE	"%s has \"%s\" after percent-decoding"
#define PLACEHOLDER	"%s has \"%s\", which looks like a placeholder"

static void
test_found(void)
{
	foreach_string(src,
		H, H "/%FF%C3", H "/null.", "http://none.example.com", "http://null-pointer.example.com/", H "/x/https:",
		H "/%7B", H "/%3C", H "/%3C%3E", H "/%25", H "/a&", H "/a&#", H "/a&#x", H "/?%5C",
		H "/%5Bobject%20a", H "/:", H "/%C3%83", 
		H "/%C3%A9%E2%80%A6%C2%BB", H "/%C3%A8%E2%80%A6%E2%80%9D")
		finds_nothing(*src);
	finds(H "/null", "the path of %s has the segment", "null");
	finds(H "/a/n%75ll.png", "the path of %s has the segment", "null.png");
	finds(H "/a?b=nil", "the query of %s has the value \"%s\", which looks like a missing", "nil");
	foreach_pair(pair, {"http://undefined/", "undefined"}, {"http://none:80", "none"})
		finds(pair->given, "the host", pair->wanted);
	foreach_pair(pair,
		{"http://https://a", "https"}, {H "/dir/https:", "https:"}, {H "/https://www.example.com/", "https:"})
		finds(pair->given, "%s has another URL", pair->wanted);
	finds(H "/a&#x26;", "%s has \"%s\", which has a meaning only in HTML", "&#x26;");
	finds(H "/%5Cu004", "the path of %s has a backslash", "\\");
	finds(H "//", "the path of %s has an empty", "");
	finds(H "/%C3%83%C2%A9", "%s has \"%s\", which looks like UTF-8", "\xC3\x83");
	foreach_string(src, H "/%C3%A2%E2%82%AC%E2%84%A2", H "/%C3%AF%C2%BB%C2%BF", H "/%C3%B0%C5%B8%CB%9C%E2%82%AC", H "/%C3%A3%E2%80%9A%C2%A2%C3%A3%E2%80%9A%C2%A2",
				   H "/%C3%90%C2%BF%C3%91%E2%82%AC", H "/%C3%A4%C2%B8%C2%AD", H "/%C3%82%C2%A0")
		finds(*src, "%s has \"%s\", which looks like UTF-8", NULL);
	/* of several mistakes, the most telling */
	finds(H "//%20x/null/%7Bid%7D", PLACEHOLDER, "{id}");
}

static void
test_placeholders(void)
{
	foreach_pair(pair, {H "/a%252Fb", "%2F"}, {H "/nginx%25e8%25af%2581", "%e8%af"}, {H "/?u=https%253A%252F%252Fy", "%3A"})
		finds(pair->given, TWICE, pair->wanted);
	foreach_pair(pair,
		{H "/%7B%7B", "{{"}, {H "/%7Ba%FFb%7D", "{a"}, {H "/%25date%25", "%date%"}, {H "/%24%7Bid%7D", "${id}"},
		{H "/a?b=%7B%7B%20a%22%20%7D%7D", "{{ a\" }}"}, {H "/%251$s", "%1$s"}, {H "/a?b=:id", ":id"},
		{H "/%5B...slug%5D/", "[...slug]"}, {H "/%5B%5Bslug%5D%5D", "[[slug]]"}, {H "/%25(slug)s", "%(slug)"})
		finds(pair->given, PLACEHOLDER, pair->wanted);
	finds(H "/null%20null", "the path of %s has the segment", "null null");
	foreach_string(src,
		H "/50%25-off-70%25", H "/%2520-indirim", H "/100%25acrylic", H "/30%25de", H "/a%2Fb", H "/5%2520%25",
		H "/%7B%22a%22:1%7D", H "/a%7Bb?c=d%7D", H "/%7Bred%20or%20blue%7D", H "/x%3Cy%20or%205%20%3E", H "/x%3Cy%3C5%3E",
		H "/%7B1,-20%7D", H "/%5B1%5D", H "/%5BDE%5D-%5B244%5D", H "/%5B244%5D-%5BDE%5D", H "/%5Bgr%C3%B6%C3%9Fe%5D",
		H "/:-)", H "/null-pointer", H "/nil%20nil", H "/%D9%A0%25(a%20b)",
		H "/$AAPL?a=$AAPL&placeholder&b=placeholders&c=$uicideboy$", H "/placeholder-images/placeholder")
		finds_nothing(*src);
	foreach_string(src, H "?", H "/tea?")
		finds(*src, "%s has an empty query", "");
	foreach_string(src, H "/search?q=why?", H "/search?q=why%3F", H "/a?b&&c", H "/tea%3F")
		finds_nothing(*src);
	foreach_pair(pair,
		{H "/c/%5Blang=lang%5D/a", "[lang=lang]"}, {H "/(.)%5Btool%5D/", "(.)[tool]"}, {H "/p/%5Bid%5D.html", "[id].html"},
		{H "/$slug/", "$slug"}, {H "/p/$row_id.html?x", "$row_id.html"}, {H "/?a=$name", "$name"})
		finds(pair->given, "%s has \"%s\", which looks like a placeholder", pair->wanted);
	finds(H "/?a='+%20x%20+'", "the query of %s has the value", "'+ x +'");
}

static void
test_other_kinds(void)
{
	finds(H "/?b=1&utm_source=a%20b", "%s has \"%s\", a parameter that tracks", "utm_source=a b");
	finds(H "/?sid=0123456789abcdef0123456789ABCDEF", "%s has \"%s\", which looks like the ID", NULL);
	finds(H "/a;jsessionid=1F?b", "%s has \"%s\", which looks like the ID", ";jsessionid=1F");
	finds_nothing(H "/?sid=0123456789abcdef&sessions=2&utm=b&gclid");
	finds(H "/dir/404/", "%s ends with", "404");
	finds(H "/en/404.html", "%s ends with", "404.html");
	finds(H "/offline.html?a", "%s ends with", "offline.html");
	foreach_string(clean, "/404/a", "/404s", "/404-tips", "/offline", "/errors.html", "/a?b=404", "/403.html", "/4040")
		finds_nothing(text_of(H "%s", *clean));
}

static void
test_hosts(void)
{
	foreach_string(host, "localhost", "LOCALHOST", "a.localhost", "web", "shop.local", "shop.test", "a.internal", "10.0.0.7",
				   "127.0.0.1", "192.168.1.5", "172.16.0.1", "172.31.255.255", "100.64.0.1", "100.127.1.1", "[::1]",
				   "[fd12:3456::1]", "[fc00::]", "[fe80::1]")
		ok(suspicion_of(true, *host) != NULL, *host);
	foreach_string(host, "www.example.com", "local.example", "localhost.example", "10.example.com", "11.0.0.7", "172.15.0.1",
				   "172.32.0.1", "100.63.0.1", "100.128.0.1", "192.169.0.1", "8.8.8.8", "[2001:db8::1]", "[fc::1]", "testing.example",
				   "undefined", "null", "10.0.0", "1000.64.0.1")
		ok(suspicion_of(true, *host) == NULL, *host);
}

static void
test_texts(void)
{
	foreach_string(text, "R&amp;D", "Tom &amp; Jerry", "a&nbsp;b", "caf&eacute;", "&#8211;", "&#xE9;", "<b>New</b>", "a<br>b", "a<br />b",
				   "<a href=\"x\">", "don\\u2019t", "30 &deg;C", "&#163;&pound;5", "2 &times; 4", "&Aring;land", "K&oslash;b", "&frac12;", "I &hearts; you",
				   "&iquest;Qu", "&aelig;", "n&ordm; 1", "<span class=\"new\">New", "<div style='a")
		ok(suspicion_of(false, *text) != NULL, *text);
	foreach_string(text, "R&D", "AT&T;", "a < b > c", "<3", "List<String>", "C# & <b", "1 &lt", "50%", "$name", "null", "Q&A; more", "\xFF&", "rock&roll; more", "a <b c d=e>", "&degrees;", "&cent",
				   "{{ a }}", "")
		ok(suspicion_of(false, *text) == NULL, *text);
}

static void
is_numbered(const char *url, bool wanted)
{
	ok(sm_url_is_numbered(exact(url), strlen("http://a/")) == wanted, url);
}

static void
test_numbers(void)
{
	foreach_string(url, "http://a/1", "http://a/404", "http://a/12.html", "http://a/en/3/", "http://a/pt/3.php")
		is_numbered(*url, true);
	foreach_string(url, "http://a/", "http://a/a1", "http://a/1/a", "http://a/product/1", "http://a/a/b/1", "http://a//1", "http://a/1?b", "http://a/.html")
		is_numbered(*url, false);
	ok(!sm_url_is_numbered(sm_span_of("http://a/1"), 0), "not below the base URL");
}

static void
test_characters(void)
{
	foreach_string(url, H "/", H "/%D9%85%E2%80%8C%D9%85", H "/%EF%B8%8F", H "/%E3%80%80a", H "/%EF%BF%BD")
		has_character(*url, SM_NO_CHARACTER);
	has_character(H "/%00%E2%80%8B%0A", 0);
	has_character(H "/a%1F", 0x1F);
	has_character(H "/a%7F", 0x7F);
	has_character(H "/a%C2%8C", 0x8C);
	has_character(H "/%E2%80%8B#%EF%BF%BE", 0x200B);
	has_character(H "/#%EF%BF%BE", 0xFFFE);
	has_character(H "/%F0%9D%85%BA", 0x1D17A);
	has_character(H "/%F0%9D%85%BB", SM_NO_CHARACTER);
}

/* A look ends: a text is cut, and a longer URL is not looked at. */
static void
test_limit(void)
{
	static char text[SM_LOOK_MAX + 100];
	SmSuspect	found;

	memset(text, 'a', sizeof(text));
	for (int more = 0; more <= 1; more++)
	{
		size_t		start = SM_LOOK_MAX - 1 + more;

		text[start] = '\x01';
		sm_text_suspect(&suspects, sm_span(text, sizeof(text)), &found);
		is_number(found.invisible, more ? SM_NO_CHARACTER : 1, "a loc that is no URL");
		text[start] = 'a';
		memcpy(text +start - 3, "&lt;", 4);
		sm_text_suspect(&suspects, sm_span(text, sizeof(text)), &found);
		ok((found.what == NULL) == more, "a text");
		memset(text +start - 3, 'a', 4);
	}
	memcpy(text, H "/null/", strlen(H "/null/"));
	for (int more = 0; more <= 1; more++)
	{
		sm_url_suspect(&suspects, sm_span(text, SM_LOOK_MAX + more), 0, false, exactly(NULL, SM_LOOK_MAX), &found);
		ok((found.what == NULL) == more, "a URL");
	}
}

int
main(void)
{
	sm_suspects_init(&suspects);
	test_traits();
	test_table();
	test_found();
	test_placeholders();
	test_other_kinds();
	test_hosts();
	test_texts();
	test_numbers();
	test_characters();
	test_limit();
	return done();
}
