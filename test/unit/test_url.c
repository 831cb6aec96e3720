/*
 * test_url.c
 *	  Unit tests of web/url, web/host and web/userinfo: what a piece of text means as a URL.
 *
 * Every buffer is as large as the interface promises and no larger, so that
 * the sanitizer of the build sees a byte too many.
 */
#include "web/url.h"

#include "tap.h"
#include "web/userinfo.h"

#define H		"http://www.example.com"

#define MAX		SM_URL_MAX

typedef struct Encoded
{
	SmUrlStatus status;
	size_t		len;
	char	   *dst;
} Encoded;

static Encoded
encode(SmSpan src, const SmUrlBase *base, SmUrlCache *cache, SmUrlForm form, size_t max)
{
	SmUrlCache	empty = {0};
	char	   *copy = exactly(src.s, src.len);
	Encoded		e = {.dst = exactly(NULL, sm_url_bound(src.len, base, max))};

	e.status = sm_url_encode(copy, src.len, base, cache ? cache : &empty, form, max, e.dst, &e.len);
	return e;
}

static const char *
status_name(SmUrlStatus status)
{
	static const char *const names[] = {
		"OK", "EMPTY", "NO_SCHEME", "LOST_SCHEME", "BAD_REFERENCE", "BAD_SCHEME", "USER", "NO_HOST",
		"BAD_HOST", "NOT_IDNA2008", "NO_IDNA", "NO_MEMORY", "BAD_PORT", "ENCODED_DOTS", "TOO_LONG", "LONG_REFERENCE",
		"BAD_BASE", "OTHER_SITE", "OTHER_PATH"
	};

	return names[status];
}

static bool
is_status(SmUrlStatus got, SmUrlStatus wanted, const char *name)
{
	return is_string(sm_span_of(status_name(got)), status_name(wanted), name);
}

static void
gives(SmSpan src, const SmUrlBase *base, SmUrlForm form, const char *wanted)
{
	Encoded		e = encode(src, base, NULL, form, MAX);

	if (e.status != SM_URL_OK)
		is_status(e.status, SM_URL_OK, src.s);
	else
		is_string(sm_span(e.dst, e.len), wanted, src.s);
}

static void
each(const char *src, const char *plain, const char *xml)
{
	gives(sm_span_of(src), NULL, SM_FORM_PLAIN, plain);
	gives(sm_span_of(src), NULL, SM_FORM_XML, xml);
}

/* The same in both forms. */
static void
both(const char *src, const char *wanted)
{
	each(src, wanted, wanted);
}

static void
unchanged(const char *src)
{
	both(src, src);
}

static void
status_is(SmSpan src, const SmUrlBase *base, size_t max, SmUrlStatus wanted, const char *name)
{
	is_status(encode(src, base, NULL, SM_FORM_XML, max).status, wanted, name);
}

static void
fails_in(const char *src, const SmUrlBase *base, SmUrlStatus wanted)
{
	status_is(sm_span_of(src), base, MAX, wanted, src);
}

/* src is refused for its site, which is this. */
static void
site_is(const char *src, const SmUrlBase *base, const char *wanted)
{
	SmUrlCache	cache = {0};

	/* the second time from the cache */
	for (int i = 0; i < 2; i++)
	{
		Encoded		e = encode(sm_span_of(src), base, &cache, SM_FORM_XML, MAX);

		is_status(e.status, SM_URL_OTHER_SITE, src);
		is_string(sm_span(e.dst, e.len), wanted, src);
	}
}

static void
fails(const char *src, SmUrlStatus wanted)
{
	fails_in(src, NULL, wanted);
}

/* A name outside ASCII is an error where the build cannot encode it. */
#ifdef USE_LIBIDN2
#define idna(src, wanted)	both(src, wanted)
#define idna_fails_with(src, wanted)	fails(src, wanted)
#else
#define idna(src, wanted)	fails(src, SM_URL_NO_IDNA)
#define idna_fails_with(src, wanted)	fails(src, SM_URL_NO_IDNA)
#endif

static void
idna_fails(const char *src)
{
	idna_fails_with(src, SM_URL_BAD_HOST);
}

static const SmUrlBase *
base_of(const char *url, SmUrlScope scope)
{
	static SmUrlBase base;

	memset(&base, 0x55, sizeof(base));
	if (sm_url_base_init(&base, exact(url).s, strlen(url), scope) != SM_URL_OK)
		ok(false, url);
	return &base;
}

/* The protocol's edge cases. */
static void
test_protocol(void)
{
	each(H "/\xC3\xBCmlat.php&q=name", H "/%C3%BCmlat.php&q=name", H "/%C3%BCmlat.php&amp;q=name");
	each(H "/o'brien?x='1'", H "/o'brien?x='1'", H "/o&apos;brien?x=&apos;1&apos;");
	each(H "/?a=1&amp;b=2", H "/?a=1&amp;b=2", H "/?a=1&amp;amp;b=2");
	each(H "/100%/50%off?d=%zz&e=%4", H "/100%25/50%25off?d=%25zz&e=%254",
		 H "/100%25/50%25off?d=%25zz&amp;e=%254");
	foreach_pair(pair,
		{H "/say\"hi\"", H "/say%22hi%22"}, {H "/<b>x</b>", H "/%3Cb%3Ex%3C/b%3E"},
		{H "/?x[y]=1", H "/?x%5By%5D=1"}, {H "/{}|^`\\", H "/%7B%7D%7C%5E%60%5C"},
		{H "/?{}|^`\\#{}|^`\\", H "/?%7B%7D%7C%5E%60%5C#%7B%7D%7C%5E%60%5C"},
		{H "/\xF0\x9F\x98\x80", H "/%F0%9F%98%80"}, {H "/cafe\xCC\x81", H "/cafe%CC%81"},
		{H "/a b?q=x y", H "/a%20b?q=x%20y"}, {"http://[2001:db8::1]:8080/a[1]", "http://[2001:db8::1]:8080/a%5B1%5D"},
		{H "/page#Swiss Goats", H "/page#Swiss%20Goats"}, {H "/\x01\x7F\r\nx", H "/%01%7F%0D%0Ax"},
		{H "/x]]>y", H "/x%5D%5D%3Ey"}, {" \t\r\n\xC2\xA0" H "/\xC2\xA0x\xE3\x80\x80\r\n", H "/%C2%A0x"})
		both(pair->given, pair->wanted);
	idna("http://b\xC3\xBC" "cher.de/stra\xC3\x9F" "e", "http://xn--bcher-kva.de/stra%C3%9Fe");
	idna("http://fa\xC3\x9F.de/", "http://xn--fa-hia.de/");
	idna("https://\xD0\xBD\xD1\x8D\xD0\xB1.\xD1\x80\xD1\x84:8443/\xD0\xBF\xD1\x83\xD1\x82\xD1\x8C",
		 "https://xn--90ax2c.xn--p1ai:8443/%D0%BF%D1%83%D1%82%D1%8C");
	fails("http://user:p@ss@www.example.com/", SM_URL_USER);
	foreach_string(src,
		H, "HTTP://WWW.Example.COM/A", H "//a//b/../c", H "/?", H "/a+b?q=c++", H "/%C3%BC?q=a%26b", H "/%c3%bc")
		unchanged(*src);
	foreach_string(src, "/path", "//h/a", "www.h/a")
		fails(*src, SM_URL_NO_SCHEME);
	fails("ftp://h/a", SM_URL_BAD_SCHEME);
	fails("mailto:a@h", SM_URL_BAD_SCHEME);
	fails("javascript:alert(1)", SM_URL_BAD_SCHEME);
	fails("http:///a", SM_URL_NO_HOST);
}

/* Every byte in every component: which stay, which become what. */
static void
test_components(void)
{
	static const char unreserved[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
	static const char sub_delims[] = "!$&'()*+,;=";

	/* what comes before a byte, and what else stays there */
	foreach_pair(pair, {"http://h/", ":@/?#"}, {"http://h/?", ":@/?#"}, {"http://h/#", ":@/?"})
	{
		int			wrong = 0;

		for (int byte = 0; byte < 256; byte++)
		{
			char		src[32];
			int			len = sprintf(src, "%s?x", pair->given);
			bool		stays = byte != 0 && (strchr(unreserved, byte) || strchr(sub_delims, byte) ||
											  strchr(pair->wanted, byte));

			src[len - 2] = (char) byte;
			for (int form = SM_FORM_PLAIN; form <= SM_FORM_XML; form++)
			{
				char		wanted[48];
				int			n = sprintf(wanted, "%s", pair->given);
				Encoded		e = encode(sm_span(src, len), NULL, NULL, (SmUrlForm) form, MAX);

				if (form == SM_FORM_XML && (byte == '&' || byte == '\''))
					strcpy(wanted + n, byte == '&' ? "&amp;x" : "&apos;x");
				else
					sprintf(wanted + n, stays ? "%cx" : "%%%02Xx", byte);
				wrong += e.status != SM_URL_OK || !sm_span_is(sm_span(e.dst, e.len), wanted);
			}
		}
		is_number(wrong, 0, pair->given);
	}

	both(H "/a?b?c/d#e?f/g#h", H "/a?b?c/d#e?f/g%23h");
	foreach_string(src, H "?a", H "#a", H "/#")
		unchanged(*src);
	foreach_pair(pair,
		{H "/%", H "/%25"}, {H "/%%41", H "/%25%41"}, {H "/%4", H "/%254"}, {H "/a%2", H "/a%252"},
		{H "/%\xC3\xA9", H "/%25%C3%A9"})
		both(pair->given, pair->wanted);
	unchanged(H "/%00%fF%Aa");
	both(H "/%G0%0G", H "/%25G0%250G");
	/* longer than the eight bytes that are copied at once, wherever one is not plain */
	both(H "/abcdefgh\xC3\xA9" "abcdefghijklmnop r", H "/abcdefgh%C3%A9abcdefghijklmnop%20r");
	each(H "/1&22&333&4444&55555&666666&7777777&88888888&999999999",
		 H "/1&22&333&4444&55555&666666&7777777&88888888&999999999",
		 H "/1&amp;22&amp;333&amp;4444&amp;55555&amp;666666&amp;7777777&amp;88888888&amp;999999999");
	gives(sm_span("http://h/a\0b", 12), NULL, SM_FORM_PLAIN, "http://h/a%00b");
	/* bytes that are not UTF-8 are bytes */
	both(H "/\xFF\x80", H "/%FF%80");
}

static void
test_blanks(void)
{
	foreach_string(src,
		"", " ", "\r\n", "\xC2\xA0\xE2\x80\x83\xE3\x80\x80 \t", "\xE2\x80\xA8\xE2\x80\xA9\xC2\x85")
	{
		fails(*src, SM_URL_EMPTY);
		fails_in(*src, base_of(H, SM_SCOPE_ANY), SM_URL_EMPTY);
	}
	/* not White_Space: zero width space, byte order mark, Mongolian vowel separator */
	both(H "/a\xE2\x80\x8B", H "/a%E2%80%8B");
	both(H "/a\xEF\xBB\xBF", H "/a%EF%BB%BF");
	both(H "/a\xE1\xA0\x8E", H "/a%E1%A0%8E");
	fails("\xEF\xBB\xBF" H, SM_URL_BAD_REFERENCE);
}

static void
test_origin(void)
{
	foreach_string(src,
		"http://h", "hTTpS://h/", "http://localhost/", "http://h.example.com./",
		"http://a_b.-c-.d~e/", "http://127.0.0.1/", "http://xn--bcher-kva.de/", "http://h:/", "http://h:80?a", "http://h:65535#a", "http://h:00080/", "http://[::]/", "http://[::1]",
		"https://[2001:DB8:0:0:8:800:200C:417A]:443/", "http://[::FFFF:129.144.52.38]/",
		"http://[1111:2222:3333:4444:5555:6666:123.123.123.123]/")
		unchanged(*src);
	foreach_string(url,
		"http://u@h/", "http://@h/", "http://u:@h/", "http://u:p@[::1]:80/", "HTTPS://u:p@h",
		"http://u@v:w@x@h:80/", "http://\xC3\xBC:[\x7F]%@h/", "http://a&b:c'd@h?x#y", "http://u@",
		"http://u:p@:80/", "http://@", "http://www.example.com@evil.org/")
		fails(*url, SM_URL_USER);
	/* an "@" after the authority is no delimiter */
	foreach_string(src, "http://h/a@b", "http://h?a@b", "http://h#a@b")
		unchanged(*src);

	fails("http", SM_URL_NO_SCHEME);
	foreach_string(src, "1http://h/", ":", "://h/", "ht tp://h/", "<a href=\"http://h/\">")
		fails(*src, SM_URL_BAD_REFERENCE);
	foreach_string(src, "httpss://h/", "htt://h/", "http+x://h/", "file:///etc/passwd")
		fails(*src, SM_URL_BAD_SCHEME);
	fails("data:text/plain,x", SM_URL_BAD_SCHEME);
	fails("tel:1", SM_URL_BAD_SCHEME);
	fails("localhost:80/a", SM_URL_BAD_SCHEME);
	foreach_string(src,
		"http:", "http:/", "http:h/a", "http:/h/a", "http:\\\\h\\a", "http://", "http://?a",
		"http://#a", "http://:80/", "http://::1/")
		fails(*src, SM_URL_NO_HOST);
	foreach_string(src, "http://./", "http://a..b/", "http://.a/", "http://a../", "http://a b/", "http://a%20b/")
		fails(*src, SM_URL_BAD_HOST);
	/* in "https://a\\@b/" browsers find the host a, many libraries b */
	foreach_string(src, "https://evil.example\\@www.example.com/", "http://u:p\\@h/", "http://[::1]\\@h/")
		fails(*src, SM_URL_USER);
	foreach_string(src, "http://a\\b/", "http://h\\")
		fails(*src, SM_URL_BAD_HOST);
	fails("http://h:80\\/", SM_URL_BAD_PORT);
	foreach_pair(pair, {"http://h/\\@a/", "http://h/%5C@a/"}, {"http://h?\\@a/", "http://h?%5C@a/"})
		both(pair->given, pair->wanted);
	foreach_string(src,
		"http://a<b/", "http://a&b/", "http://a'b/", "http://a\tb/", "http://2001:db8::1/", "http://[]/", "http://[/", "http://[::1/", "http://[::1]x/",
		"http://[::1]80/", "http://[1::2::3]/", "http://[12345::]/", "http://[::1%25eth0]/",
		"http://[v1.a]/", "http://[127.0.0.1]/", "http://[h]/", "http://a[::1]/",
		"http://[1111:1111:1111:1111:1111:1111:1111:1111:1111:1111:1111]/")
		fails(*src, SM_URL_BAD_HOST);
	foreach_string(src,
		"http://h:65536/", "http://h:99999999999999999999/", "http://h:000080/", "http://h:8o/",
		"http://h:0/", "http://h:-1/", "http://h: 80/", "http://h:80:80/", "http://[::1]:x/")
		fails(*src, SM_URL_BAD_PORT);
	status_is(sm_span("http://a\0b/", 11), NULL, MAX, SM_URL_BAD_HOST, "NUL in a host");
	status_is(sm_span("http://[::1\0]/", 14), NULL, MAX, SM_URL_BAD_HOST, "NUL in an address");
}

static void
test_host_length(void)
{
	char		host[1000];

	/* labels of 63 characters */
	for (size_t i = 0; i < sizeof(host); i++)
		host[i] = i % 64 == 63 ? '.' : 'a';
	unchanged(text_of("http://%.63s/", host));
	fails(text_of("http://%.63sa/", host), SM_URL_BAD_HOST);
	unchanged(text_of("http://%.253s:65535/", host));
	unchanged(text_of("http://%.253s.:65535/", host));
	fails(text_of("http://%.254s/", host), SM_URL_BAD_HOST);
	fails(text_of("http://%.1000s/", host), SM_URL_BAD_HOST);
}

/* A host that ends in a number is an address to a browser. */
static void
test_ipv4(void)
{
	foreach_string(host,
		"192.168.0.1", "255.255.255.255", "0.0.0.0", "1.2.3.4.", "0x", "a.0b1", "a.0xg", "1.2.3.4a", "1.2.3.4.5.com", "256.256.256.256.example", "09a", "1.2.3._", "x0", "-1")
		unchanged(text_of("http://%s/", *host));
	foreach_string(host,
		"192.168.0.257", "256.0.0.1", "1.2.3.256", "1.256.3.4", "1.2.3", "127.1", "0", "4294967296",
		"99999999999999999999999999", "0x7f.1", "0300.0250.0.01", "1.2.3.00000004", "1.2.3.4.5", "1.2.3.4.5.", "a.1",
		"example.0", "a.09", "08", "09.1.1.1", "1.0x1g.1.1", "a.b.c.1", "1.a.2", "-.1", "1.2.3.4.5.6.7.8.9")
		fails(text_of("http://%s/", *host), SM_URL_BAD_HOST);
}

/* Labels that claim to be the ASCII form of another one. */
static void
test_a_label(void)
{
	foreach_string(label,
		"xn--bcher-kva", "XN--BCHER-KVA", "xn--Bcher-kva", "xn--fa-hia", "xn--p1ai", "xn--90ax2c",
		"xn--fsqu00a", "xn--0zwm56d", "xn--mgba3gch31f060k", "xn--3xab",
		"xn--g6h", "xn--ls8h", "xn--i-7iq",	/* symbols, outside IDNA2008 */
		"xn---bcher-kva", "xn-", "xn", "x--n", "ab--c", "axn--")
	{
		unchanged(text_of("http://%s/", *label));
		unchanged(text_of("https://www.%s.example.:80", *label));
	}
#ifdef USE_LIBIDN2
	foreach_string(label,
		"xn--", "XN--", "xn--x", "xn---", "xn--a-", "xn--bcher-", "xn--zzzz",
		"xn--bcher-kva_", "xn--bcher-kv", "xn--55555577", "xn--99999999999999", "xn--zz9999999999zz",
		"xn--_", "xn--~")
	{
		fails(text_of("http://%s/", *label), SM_URL_BAD_HOST);
		fails(text_of("https://www.%s.example.:80", *label), SM_URL_BAD_HOST);
		idna_fails(text_of("https://\xC3\xBC.%s", *label));
	}
	/* not Punycode, though libidn2 takes it */
	fails("http://xn--8_s/", SM_URL_BAD_HOST);
	fails("http://xn--0ca1a_tk463v/", SM_URL_BAD_HOST);
	/* of characters that are not asked for: U-umlaut, U+0378 */
	unchanged("http://xn--bcher-2pa.de/");
	unchanged("http://xn--zva/");
#endif
	idna_fails_with("http://\xE2\x99\xA5.net/", SM_URL_NOT_IDNA2008);
	unchanged("http://xn--g6h.net/");
}

static void
test_idna(void)
{
	char		url[2000];

	idna("HTTP://B\xC3\x9C" "CHER.De:80/\xC3\x9C", "HTTP://xn--bcher-kva.de:80/%C3%9C");
	idna("http://bu\xCC\x88" "cher.de", "http://xn--bcher-kva.de");
	idna("http://www.b\xC3\xBC" "cher.de./", "http://www.xn--bcher-kva.de./");
	idna("http://b\xC3\xBC" "cher\xE3\x80\x82" "de/", "http://xn--bcher-kva.de/");
	idna("http://\xE4\xBE\x8B\xE5\xAD\x90.\xE6\xB5\x8B\xE8\xAF\x95/", "http://xn--fsqu00a.xn--0zwm56d/");
	idna("http://\xEF\xBC\xA1.com/", "http://a.com/");	/* full-width A */
	idna("http://\xCF\x83\xCF\x82.gr/", "http://xn--3xab.gr/");	/* final sigma stays */
	idna("http://a_b.\xC3\xBC.de/", "http://a_b.xn--tda.de/");
	idna("http://\xC3\xA9.fr:65535?\xC3\xA9#\xC3\xA9", "http://xn--9ca.fr:65535?%C3%A9#%C3%A9");

	idna_fails("http://\xC3\xBC..de/");
	idna_fails("http://\xC3\xBC b.de/");
	idna_fails("http://\xE2\x84\x80.de/");	/* a/c as one character */
	idna_fails("http://\xEF\xBC\x85.de/");	/* full-width % */
	idna_fails("http://\xC2\xAD/"); /* a soft hyphen and nothing else */
	idna_fails_with("http://a\xE2\x80\xA8" "b.de/", SM_URL_NOT_IDNA2008);
	foreach_string(src,
		"http://\xC3.de/", "http://\xFF.de/", "http://\xC3\xBC%41.de/", "http://\xC3\xBC~.de/",
		"http://a b.\xC3\xBC/")
		idna_fails(*src);

	/* a label has 63 characters at the most, as written */
	idna("http://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xC3\xBC/",
		 "http://xn--aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-jof/");
	idna_fails("http://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xC3\xBC/");

	/* and a name 253 */
	strcpy(url, "http://\xC3\xBC");
	for (int i = 0; i < 100; i++)
		strcat(url, ".aa");
	idna_fails(url);
	strcpy(url, "http://");
	for (int i = 0; i < 500; i++)
		strcat(url, "\xC3\xBC");
	idna_fails(url);
}

static void
resolves(const SmUrlBase *base, const char *src, const char *wanted)
{
	gives(sm_span_of(src), base, SM_FORM_PLAIN, wanted);
}

/* RFC 3986, 5.4, where the base is a directory. */
static void
test_resolve(void)
{
	const SmUrlBase *base = base_of("http://a/b/c/", SM_SCOPE_ANY);

	fails_in("g:h", base, SM_URL_BAD_SCHEME);
	foreach_pair(pair,
		{"./g", "http://a/b/c/g"}, {"./g", "http://a/b/c/g"}, {"./g/", "http://a/b/c/g/"},
		{"/g", "http://a/g"}, {"//g", "http://g"}, {"?y", "http://a/b/c/?y"},
		{"./g?y", "http://a/b/c/g?y"}, {"./#s", "http://a/b/c/#s"}, {"./g#s", "http://a/b/c/g#s"},
		{"./g?y#s", "http://a/b/c/g?y#s"}, {"./;x", "http://a/b/c/;x"}, {"./g;x", "http://a/b/c/g;x"},
		{"./g;x?y#s", "http://a/b/c/g;x?y#s"}, {"./.", "http://a/b/c/"}, {"./", "http://a/b/c/"},
		{"./..", "http://a/b/"}, {"../", "http://a/b/"}, {"../g", "http://a/b/g"},
		{"../..", "http://a/"}, {"../../", "http://a/"}, {"../../g", "http://a/g"})
		resolves(base, pair->given, pair->wanted);

	foreach_pair(pair,
		{"../../../g", "http://a/g"}, {"../../../../g", "http://a/g"}, {"../../../..", "http://a/"},
		{"/./g", "http://a/g"}, {"/../g", "http://a/g"}, {"./g.", "http://a/b/c/g."},
		{"./.g", "http://a/b/c/.g"}, {"./g..", "http://a/b/c/g.."}, {"./..g", "http://a/b/c/..g"},
		{"./...", "http://a/b/c/..."}, {"./../g", "http://a/b/g"}, {"./g/.", "http://a/b/c/g/"},
		{"./g/./h", "http://a/b/c/g/h"}, {"./g/../h", "http://a/b/c/h"},
		{"./g;x=1/./y", "http://a/b/c/g;x=1/y"}, {"./g;x=1/../y", "http://a/b/c/y"},
		{"./g?y/./x", "http://a/b/c/g?y/./x"}, {"./g?y/../x", "http://a/b/c/g?y/../x"},
		{"./g#s/./x", "http://a/b/c/g#s/./x"}, {"./g#s/../x", "http://a/b/c/g#s/../x"})
		resolves(base, pair->given, pair->wanted);
	fails_in("http:g", base, SM_URL_NO_HOST);

	/* a dot may not be percent-encoded */
	foreach_string(src,
		"./%2e/g", "./%2E%2e/g", "./.%2e/g", "./%2E./g", "./%2e", "./g/%2E?x", "./g/%2E#x", "/g/%2e%2E",
		"/%2e/../g", "//a/%2e", "http://a/g/%2E%2E/h", "http://other/%2E")
		fails_in(*src, base, SM_URL_ENCODED_DOTS);
	fails_in("http://%2E/g", base, SM_URL_BAD_HOST);
	resolves(base, "http://a/g/../h%2E", "http://a/g/../h%2E");
	resolves(base, "./g#/%2e%2e/x", "http://a/b/c/g#/%2e%2e/x");
	resolves(base, "./%2e%2e%2e/g", "http://a/b/c/%2e%2e%2e/g");
	resolves(base, "./%2eg", "http://a/b/c/%2eg");
	resolves(base, "./g?%2e%2e/x", "http://a/b/c/g?%2e%2e/x");

	/* empty segments are segments */
	foreach_pair(pair,
		{"/g//h", "http://a/g//h"}, {"/g//../h", "http://a/g/h"}, {"./g//", "http://a/b/c/g//"},
		{".//g", "http://a/b/c//g"}, {"/", "http://a/"})
		resolves(base, pair->given, pair->wanted);
	fails_in("///g", base, SM_URL_NO_HOST);

	resolves(base, "  ./g h ", "http://a/b/c/g%20h");
	resolves(base, "./\xC3\xA9?\xC3\xA9#\xC3\xA9", "http://a/b/c/%C3%A9?%C3%A9#%C3%A9");
	fails_in("1:2", base, SM_URL_BAD_REFERENCE);
	foreach_pair(pair,
		{"./1:2", "http://a/b/c/1:2"}, {"/1:2", "http://a/1:2"}, {"./1/2:3", "http://a/b/c/1/2:3"},
		{"./1?2:3", "http://a/b/c/1?2:3"}, {"./#:", "http://a/b/c/#:"}, {"./g:h", "http://a/b/c/g:h"},
		{"HTTP://h/a/../b", "HTTP://h/a/../b"})
		resolves(base, pair->given, pair->wanted);

	base = base_of("https://www.example.com:8443/d&'e", SM_SCOPE_ANY);
	resolves(base, "/item/7", "https://www.example.com:8443/item/7");
	resolves(base, "./x&y", "https://www.example.com:8443/d&'e/x&y");
	gives(sm_span_of("./x&'y"), base, SM_FORM_XML, "https://www.example.com:8443/d&amp;&apos;e/x&amp;&apos;y");
	resolves(base, "//h:80/a", "https://h:80/a");
	resolves(base, "?", "https://www.example.com:8443/d&'e/?");
	resolves(base, "../x", "https://www.example.com:8443/x");
}

/* What would resolve, and would never be what was meant. */
static void
test_lost_scheme(void)
{
	const SmUrlBase *base = base_of("https://shop.example.com:8443/b/", SM_SCOPE_ANY);

	/* an absolute URL behind something that cannot be seen, or easily overlooked */
	foreach_string(before,
		"\xEF\xBB\xBF", "\xE2\x80\x8B", "\xE2\x80\x8E", "\xE2\x80\xAA", "\"", "'", "<", "(", "[",
		"\\", "%EF%BB%BF", "\xC2\xAB", "1", "URL https")
	{
		fails_in(text_of("%shttps://shop.example.com/a", *before), base, SM_URL_BAD_REFERENCE);
		fails(text_of("%shttps://shop.example.com/a", *before), SM_URL_BAD_REFERENCE);
		fails_in(text_of("%s://shop.example.com/a", *before), base, SM_URL_BAD_REFERENCE);
	}
	foreach_string(src, "://shop.example.com/a", ":8080/a", "[::1]:8080/a", "127.0.0.1:8080/a")
		fails_in(*src, base, SM_URL_BAD_REFERENCE);

	/* a host, or anything else that begins neither with a scheme nor like a place on the site */
	foreach_string(src,
		"www.h/a", "cdn.example.com/a.jpg", "shop.example.com", "item/7",
		"g", "g/../h", "#s", ".", "..", ".g", "..g", ".../g", "%2e/g", ".#", ".?/", ";x", "\xC3\xA9/x", "\\a")
		fails_in(*src, base, SM_URL_LOST_SCHEME);
	foreach_string(src, "shop.example.com:8443/a", "localhost:80/")
		fails_in(*src, base, SM_URL_BAD_SCHEME);
	fails_in("tel:0800123456", base, SM_URL_BAD_SCHEME);
	foreach_pair(pair,
		{"/www.h/a", "/www.h/a"}, {"./www.h/a", "/b/www.h/a"}, {"?shop.example.com", "/b/?shop.example.com"},
		{"./", "/b/"}, {"../", "/"}, {"../item/7", "/item/7"}, {"?", "/b/?"}, {"./../../a", "/a"})
		resolves(base, pair->given, text_of("https://shop.example.com:8443%s", pair->wanted));
}

static void
within(const SmUrlBase *base, const char *src)
{
	for (int form = SM_FORM_PLAIN; form <= SM_FORM_XML; form++)
		is_status(encode(sm_span_of(src), base, NULL, (SmUrlForm) form, MAX).status, SM_URL_OK, src);
}

static void
test_scope_host(void)
{
	const SmUrlBase *base = base_of("http://www.example.com/dir/", SM_SCOPE_HOST);

	foreach_string(src,
		"http://www.example.com", "http://www.example.com/other", "HTTP://WWW.EXAMPLE.COM/DIR",
		"http://www.example.com:80/", "http://www.example.com:/", "http://www.example.com:00080/",
		"http://www.example.com./", "http://www.example.com.:80/")
		within(base, *src);
	fails_in("http://user:password@www.example.com/", base, SM_URL_USER);
	fails_in("//user:password@www.example.com/", base, SM_URL_USER);
	foreach_string(src, "//www.example.com/x", "/x", "../../x")
		within(base, *src);
	foreach_pair(pair,
		{"https://www.example.com/", "https://www.example.com"}, {" HTTP://Example.com./", "http://example.com"},
		{"https://example.com:081/", "https://example.com:81"}, {"http://www.example.co/", "http://www.example.co"},
		{"http://www.example.com.evil.org/", "http://www.example.com.evil.org"},
		{"http://www.example.com:8080/", "http://www.example.com:8080"},
		{"http://www.example.com:443/", "http://www.example.com:443"},
		{"http://evil.org/http://www.example.com/", "http://evil.org"}, {"//evil.org", "http://evil.org"})
		site_is(pair->given, base, pair->wanted);

	base = base_of("HTTPS://H.example:443", SM_SCOPE_HOST);
	foreach_string(src, "https://h.example/", "https://h.example:443/", "/x")
		within(base, *src);
	fails_in("https://h.example:80/", base, SM_URL_OTHER_SITE);
	fails_in("http://h.example:443/", base, SM_URL_OTHER_SITE);

	base = base_of("http://h.example.:8080/", SM_SCOPE_HOST);
	within(base, "http://h.example:8080/");
	within(base, "http://h.example:08080/");
	fails_in("http://h.example:80/", base, SM_URL_OTHER_SITE);
	fails_in("http://h.example/", base, SM_URL_OTHER_SITE);

	base = base_of("http://[2001:DB8::A]/", SM_SCOPE_HOST);
	within(base, "http://[2001:db8::a]:80/x");
	fails_in("http://[2001:db8::b]/", base, SM_URL_OTHER_SITE);

#ifdef USE_LIBIDN2
	base = base_of("http://b\xC3\xBC" "cher.de/", SM_SCOPE_HOST);
	within(base, "http://xn--bcher-kva.de/");
	within(base, "http://B\xC3\x9C" "CHER.de/");
	within(base, "http://XN--BCHER-KVA.DE/");
	fails_in("http://bucher.de/", base, SM_URL_OTHER_SITE);
#endif

	base = base_of("http://www.example.com/", SM_SCOPE_ANY);
	within(base, "https://h:8080/x");
}

static void
test_scope_path(void)
{
	const SmUrlBase *base = base_of("http://h.example/a/b", SM_SCOPE_PATH);

	foreach_string(src,
		"http://h.example/a/b/", "http://h.example/a/b/c", "http://H.EXAMPLE:80/a/b/c?d#e",
		"http://h.example/a/b/?/../../..", "http://h.example/a/b/#/../../..",
		"http://h.example/a/b/c/../d", "http://h.example/a/b/c/..", "http://h.example/a/b/...",
		"http://h.example/a/b/./.", "http://h.example/a/b//", "./c", "./", "?x", "../b/c", "/a/b/c")
		within(base, *src);
	foreach_string(src,
		"http://h.example", "http://h.example/", "http://h.example/a/b", "http://h.example/a/b?/",
		"http://h.example/a/bc/", "http://h.example/A/b/", "http://h.example/x/a/b/",
		"http://h.example//a/b/", "http://h.example/a/b/..", "http://h.example/a/b/../b/c", "http://h.example/a/b/../c",
		"http://h.example/a/b/c/../../d", "http://h.example?/a/b/", "../", "/", "/a/bc")
		fails_in(*src, base, SM_URL_OTHER_PATH);
	foreach_string(src,
		"http://h.example/a/b/c/%2E%2e/./../b/", "http://h.example/a/b/%2e%2E/c", "http://h.example/a/b/.%2e/c")
		fails_in(*src, base, SM_URL_ENCODED_DOTS);
	fails_in("https://h.example/a/b/", base, SM_URL_OTHER_SITE);
	fails_in("http://h.example:81/a/b/", base, SM_URL_OTHER_SITE);

	base = base_of("http://h.example", SM_SCOPE_PATH);
	foreach_string(src,
		"http://h.example", "http://h.example/", "http://h.example?x", "http://h.example#x",
		"http://h.example/../x", "./x")
		within(base, *src);

	/* hex digits of an escape compare ignoring case, and nothing else does */
	foreach_string(url, "http://h.example/%c3%a9/", "http://h.example/%C3%A9/", "http://h.example/%C3%a9/")
	{
		base = base_of(*url, SM_SCOPE_PATH);
		foreach_string(src,
			"http://h.example/\xC3\xA9/x", "http://h.example/%C3%A9/x", "http://h.example/%c3%a9/x",
			"/%c3%A9/x", "./x")
			within(base, *src);
		fails_in("http://h.example/%C3%A8/x", base, SM_URL_OTHER_PATH);
		fails_in("http://h.example/C3A9/x", base, SM_URL_OTHER_PATH);
	}
	base = base_of("http://h.example/%61bc/", SM_SCOPE_PATH);
	foreach_string(src, "http://h.example/%61bc/x", "http://h.example/abc/x", "http://h.example/%61%62%63/x")
		within(base, *src);
	foreach_string(src, "http://h.example/%61Bc/x", "http://h.example/%61bC/x", "http://h.example/abc%2Fx", "http://h.example/ab")
		fails_in(*src, base, SM_URL_OTHER_PATH);
	base = base_of("http://h.example/~u%2f/", SM_SCOPE_PATH);
	within(base, "http://h.example/%7Eu%2F/x");
	fails_in("http://h.example/~u//x", base, SM_URL_OTHER_PATH);

	/* the same bytes in both forms, and however they were given */
	base = base_of("http://h.example/\xC3\xA9&'/", SM_SCOPE_PATH);
	foreach_string(src, "http://h.example/\xC3\xA9&'/x", "http://h.example/%C3%A9&'/x", "./x'&")
		within(base, *src);
	fails_in("http://h.example/\xC3\xA9&/x", base, SM_URL_OTHER_PATH);
	fails_in("http://h.example/\xC3\xA9&amp;'/x", base, SM_URL_OTHER_PATH);

	/* a base URL may have dot segments itself */
	base = base_of("http://h.example/x/../a/./b", SM_SCOPE_PATH);
	within(base, "./c");
	within(base, "http://h.example/a/b/c");
	fails_in("../", base, SM_URL_OTHER_PATH);
	fails_in("http://h.example/a/c", base, SM_URL_OTHER_PATH);
}

/* One cache for all: what it remembers must never show. */
static void
test_cache(void)
{
	static const char *const urls[] = {
		"http://h/1", "http://h.example/2", "http://h", "http://hh/3", "http://h:80/4",
		"http://h:8080/5", "HTTP://H/6", "https://h/7", "http://h?8", "http://h#9", "http://h@i/10",
		"http://u@h/11", "http://h.example/12?'&", "http://h.exampl/13", "http://[::1]/14",
		"http://[::1]:80/15", "http://h\\x/16", "http://h../17", "http:///18", "/19", "20", "//h/21",
		"http://h:/22", "http://h:99999/23", "http://h.example", "http://h.example:/24", "ftp://h/25",
		"http://h'/26", "", "http://u&'@h.example/27", "http://h.example/28",
	};
	const int	n = sizeof(urls) / sizeof(urls[0]);
	int			wrong = 0;

	for (int scope = SM_SCOPE_ANY; scope <= SM_SCOPE_PATH; scope++)
	{
		const SmUrlBase *base = base_of("http://h.example/", (SmUrlScope) scope);
		SmUrlCache	cache = {0};

		/* each URL after each other, so that two origins alternate */
		for (int i = 0; i < n; i++)
		{
			for (int j = 0; j < 2 * n; j++)
			{
				SmSpan		src = sm_span_of(j % 2 == 0 ? urls[i] : urls[j / 2]);
				SmUrlForm	form = (i + j) % 3 == 0 ? SM_FORM_PLAIN : SM_FORM_XML;
				Encoded		cold = encode(src, base, NULL, form, MAX);
				Encoded		warm = encode(src, base, &cache, form, MAX);

				wrong += cold.status != warm.status ||
					(cold.status == SM_URL_OK &&
					 !sm_span_equal(sm_span(cold.dst, cold.len), sm_span(warm.dst, warm.len)));
			}
		}
	}
	is_number(wrong, 0, "the cache changes nothing");

	/* and yet it is used: what was written comes from it */
	{
		SmUrlCache	cache = {0};
		Encoded		e = encode(sm_span_of("http://www.example.com/a"), NULL, &cache, SM_FORM_PLAIN, MAX);

		is(cache.raw, cache.raw_len, e.dst, e.len - strlen("/a"), "the origin as given");
		cache.origin[cache.len - 1] = 'X';
		e = encode(sm_span_of("http://www.example.com/b"), NULL, &cache, SM_FORM_PLAIN, MAX);
		is(e.dst, e.len, SM_LITERAL("http://www.example.coX/b"), "the origin as the cache has it");
	}
}

/*
 * A URL that begins with before and goes on with text as often as it can is
 * accepted with 2,047 characters, and not with one more.  Both parts come with
 * the length that they have when written.
 */
static void
length_limit(const char *before, size_t before_written, const char *text, size_t text_written,
			 const SmUrlBase *base, const char *name)
{
	char		src[4 * MAX];
	size_t		n = strlen(before);
	size_t		written = before_written;

	strcpy(src, before);
	for (; written + text_written <= MAX; written += text_written)
	{
		strcpy(src + n, text);
		n += strlen(text);
	}
	for (; written < MAX; written++)
		src[n++] = 'x';
	src[n] = 'x';

	for (int form = SM_FORM_PLAIN; form <= SM_FORM_XML; form++)
	{
		Encoded		longest = encode(sm_span(src, n), base, NULL, (SmUrlForm) form, MAX);
		Encoded		longer = encode(sm_span(src, n + 1), base, NULL, (SmUrlForm) form, MAX);

		is_status(longest.status, SM_URL_OK, name);
		if (form == SM_FORM_PLAIN)
			is_number(longest.len, MAX, name);
		is_status(longer.status, SM_URL_TOO_LONG, name);
	}
}

static void
test_length(void)
{
	static char src[100000];
	const SmUrlBase *base;

	length_limit(H "/", 23, "a", 1, NULL, "2,047 characters");
	length_limit(H "/?", 24, "&", 1, NULL, "2,047 characters, ampersands");
	length_limit(H "/", 23, "'", 1, NULL, "2,047 characters, apostrophes");
	length_limit(H "/", 23, "\xC3\xA9", 6, NULL, "2,047 characters, two bytes in six");
	length_limit(H "/", 23, " ", 3, NULL, "2,047 characters, one byte in three");
	length_limit(H "/", 23, "%", 3, NULL, "2,047 characters, percent signs");
#ifdef USE_LIBIDN2
	length_limit("http://b\xC3\xBC" "cher.de/", 24, "a", 1, NULL, "2,047 characters, a name outside ASCII");
#endif
	base = base_of(H "/&&&/'", SM_SCOPE_ANY);
	length_limit("./", 29, "&", 1, base, "2,047 characters, resolved");
	length_limit("../", 27, "a", 1, base, "2,047 characters, resolved upwards");
	base = base_of(H "/&&&/'", SM_SCOPE_PATH);
	length_limit(H "/&&&/'/", 29, "'", 1, base, "2,047 characters below a path");

	/* dot segments in a reference are worth a look, but not at any length */
	memset(src, 'a', sizeof(src));
	for (int i = 0; i < 4096 / 2; i++)
		memcpy(src + 2 * i, "./", 2);
	status_is(sm_span(src, 4096), base, MAX, SM_URL_OK, "a reference of 4,096 bytes");
	status_is(sm_span(src, 4097), base, MAX, SM_URL_TOO_LONG, "a reference of 4,097 bytes");
	status_is(sm_span(src, 4097), base, SM_URL_UNLIMITED, SM_URL_LONG_REFERENCE, "a reference of 4,097 bytes, no limit");

	memset(src, '\'', sizeof(src));
	memcpy(src, "http://h/", 9);
	status_is(sm_span(src, sizeof(src)), NULL, MAX, SM_URL_TOO_LONG, "100,000 bytes");
	status_is(sm_span(src, sizeof(src)), NULL, SM_URL_UNLIMITED, SM_URL_OK, "100,000 bytes, no limit");
	status_is(sm_span(src, sizeof(src)), base_of("http://h/", SM_SCOPE_HOST), SM_URL_UNLIMITED, SM_URL_OK, "100,000 bytes, no limit, on a host");
	status_is(sm_span(src, sizeof(src)), base_of("http://h/", SM_SCOPE_PATH), SM_URL_UNLIMITED, SM_URL_OK, "100,000 bytes, no limit, below a path");
	status_is(sm_span("http://h/ab", 11), NULL, 11, SM_URL_OK, "as long as a smaller limit");
	status_is(sm_span("http://h/ab", 11), NULL, 10, SM_URL_TOO_LONG, "longer than a smaller limit");
	status_is(sm_span("http://h/&'", 11), NULL, 11, SM_URL_OK, "entities do not count");
}

/* What needs the most room; the sanitizer looks at it. */
static void
test_bound(void)
{
	static const char *const befores[] = {
		"", "http://h/", "http://h?", "http://", "http://'@h/", "/", "//h/", "?", "../",
		"https://[2001:db8::1]:65535/", "http://\xC3\xBC\xC3\xBC\xC3\xBC.de/",
	};
	static const char fillers[] = "'&\xFF%/@:.x";
	static const size_t lengths[] = {0, 1, 2, 7, 8, 9, 31, 255, 1016, 1024, 2040, 2047, 4096, 6143, 6200};
	static const size_t limits[] = {MAX, 100, SM_URL_UNLIMITED};
	char		long_base[MAX];
	char		src[8192];
	int			runs = 0;

	memset(long_base, '\'', sizeof(long_base));
	memcpy(long_base, "http://h/", 9);
	long_base[MAX - 1] = '\0';

	for (int b = 0; b < 2; b++)
	{
		const SmUrlBase *base = b ? base_of(long_base, SM_SCOPE_ANY) : NULL;

		for (size_t i = 0; i < sizeof(befores) / sizeof(befores[0]); i++)
			for (size_t j = 0; j < sizeof(fillers) - 1; j++)
				for (size_t k = 0; k < sizeof(lengths) / sizeof(lengths[0]); k++)
					for (size_t l = 0; l < sizeof(limits) / sizeof(limits[0]); l++, runs++)
					{
						size_t		n = strlen(befores[i]);

						memcpy(src, befores[i], n);
						memset(src + n, fillers[j], lengths[k]);
						memcpy(src + n + lengths[k], "@h/'", 4);
						encode(sm_span(src, n + lengths[k]), base, NULL, SM_FORM_XML, limits[l]);
						encode(sm_span(src, n + lengths[k] + 4), base, NULL, SM_FORM_XML, limits[l]);
					}
	}
	ok(runs > 0, "nothing is written beyond the bound");

	is_number(sm_url_bound(1000000, NULL, MAX), sm_url_bound(2000000, NULL, MAX),
			  "with a limit, the bound grows no further");
	ok(sm_url_bound(2000000, NULL, SM_URL_UNLIMITED) >= 12000000, "with none, it does");
}

static void
base_is(const char *src, const char *plain, const char *xml)
{
	SmUrlBase	base;

	if (is_status(sm_url_base_init(&base, exact(src).s, strlen(src), SM_SCOPE_ANY), SM_URL_OK, src))
	{
		is_string(sm_span(base.url[SM_FORM_PLAIN], base.len[SM_FORM_PLAIN]), plain, plain);
		is_string(sm_span(base.url[SM_FORM_XML], base.len[SM_FORM_XML]), xml, xml);
	}
}

static void
base_fails(const char *src, SmUrlStatus wanted)
{
	SmUrlBase	base;

	is_status(sm_url_base_init(&base, exact(src).s, strlen(src), SM_SCOPE_HOST), wanted, src);
}

static void
test_base(void)
{
	char		src[MAX + 1];
	SmUrlBase	base;

	foreach_pair(pair,
		{H, H "/"}, {" " H "/\r\n", H "/"}, {H "/a", H "/a/"}, {H "/a/", H "/a/"}, {H "/a//", H "/a//"},
		{"HTTPS://[2001:DB8::1]:8443", "https://[2001:db8::1]:8443/"},
		{"HTTP://WWW.Example.com:80/A%c3%a9", H "/A%c3%a9/"}, {"http://www.example.com:/../a/..", H "/"},
		{"http://www.example.com.:00080", H "/"}, {"http://h:443/", "http://h:443/"},
		{H "/a/../b/./c", H "/b/c/"}, {H "/a/..", H "/"}, {H "/..", H "/"})
		base_is(pair->given, pair->wanted, pair->wanted);
	base_is(H "/a b&'\xC3\xA9", H "/a%20b&'%C3%A9/", H "/a%20b&amp;&apos;%C3%A9/");
	base_is("https://www.example.com.:0443/'", "https://www.example.com/'/", "https://www.example.com/&apos;/");
	base_is(H "/../'/x/../", H "/'/", H "/&apos;/");
	base_fails(H "/%2E%2e/", SM_URL_ENCODED_DOTS);
#ifdef USE_LIBIDN2
	base_is("http://b\xC3\xBC" "cher.de", "http://xn--bcher-kva.de/", "http://xn--bcher-kva.de/");
#else
	base_fails("http://b\xC3\xBC" "cher.de", SM_URL_NO_IDNA);
#endif

	base_fails("", SM_URL_EMPTY);
	base_fails(" \t", SM_URL_EMPTY);
	foreach_string(src, "/a/", "www.example.com", "//www.example.com/")
		base_fails(*src, SM_URL_NO_SCHEME);
	base_fails("ftp://h/", SM_URL_BAD_SCHEME);
	base_fails("file:///", SM_URL_BAD_SCHEME);
	base_fails("http:///", SM_URL_NO_HOST);
	base_fails("http://a b/", SM_URL_BAD_HOST);
	base_fails("http://h:x/", SM_URL_BAD_PORT);
	foreach_string(src, H "/?", H "/?a=b", H "?a=b", H "/#", H "/#a")
		base_fails(*src, SM_URL_BAD_BASE);
	base_fails("http://user@h/", SM_URL_USER);
	base_fails("http://us'er:password@h/", SM_URL_USER);

	/* the slash that is added counts */
	memset(src, '\'', sizeof(src));
	memcpy(src, "http://h/", 9);
	is_status(sm_url_base_init(&base, src, MAX - 1, SM_SCOPE_ANY), SM_URL_OK, "a base of 2,046 bytes");
	is_number(base.len[SM_FORM_PLAIN], MAX, "a base of 2,046 bytes, plain");
	is_number(base.len[SM_FORM_XML], 6 * MAX - 10 * 5, "a base of 2,046 bytes, XML");
	is_status(sm_url_base_init(&base, src, MAX, SM_SCOPE_ANY), SM_URL_TOO_LONG, "a base of 2,047 bytes");
	is_status(sm_url_base_init(&base, src, MAX + 1, SM_SCOPE_ANY), SM_URL_TOO_LONG, "a base of 2,048 bytes");
	memset(src + 9, '\xFF', sizeof(src) - 9);
	is_status(sm_url_base_init(&base, src, MAX - 1, SM_SCOPE_ANY), SM_URL_TOO_LONG,
			  "a base that gets too long as it is written");
}

static void
reference_is(const char *src, const char *wanted)
{
	char	   *dst = exactly(NULL, 6 * strlen(src));

	is_string(sm_span(dst, sm_url_encode_reference(exact(src).s, strlen(src), dst)), wanted, src);
}

static void
page_is(const char *url, const char *wanted)
{
	char	   *page = exactly(NULL, strlen(url) + 1);
	size_t		len = sm_url_canonical(exact(url).s, strlen(url), page);
	char	   *again = exactly(NULL, len + 1);

	is_string(sm_span(page, len), wanted, url);
	is_string(sm_span(again, sm_url_canonical(page, len, again)), wanted, "the page of a page");
}

static void
test_page(void)
{
	foreach_pair(pair,
		{H, H "/"}, {H "/", H "/"}, {H "/b%c3%a9?C=%d9", H "/b%C3%A9?C=%D9"},
		{H "/%7Ea%2Db%5f%2E%41?%7e=%2d", H "/~a-b_.A?~=-"},
		{H "/%2f%3F%23%25%26?%2B%3D", H "/%2F%3F%23%25%26?%2B%3D"},
		{H "/%2541%257E", H "/%2541%257E"}, {H "/a/./b/../c?/../d", H "/a/c?/../d"},
		{H "/a/%2e%2E/..", H "/"}, {H "/..a/...", H "/..a/..."},
		{"HTTP://WWW.Example.COM/A", H "/A"}, {"http://h:80", "http://h/"},
		{"http://h:0080/", "http://h/"}, {"http://h:/", "http://h/"},
		{"http://h:443/", "http://h:443/"}, {"HttpS://h:443/a", "https://h/a"},
		{"https://h:80/a", "https://h:80/a"}, {"http://h?a", "http://h/?a"},
		{"http://h#a", "http://h/"}, {"http://h:80?a#b?c", "http://h/?a"},
		{"http://h/a?b&amp;c=&apos;#d", "http://h/a?b&amp;c=&apos;"},
		{"http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"}, {"http://h./", "http://h/"},
		{"http://h.:080", "http://h/"}, {"http://h.:08080/a", "http://h:8080/a"},
		{"https://h.:00444?a", "https://h:444/?a"})
		page_is(pair->given, pair->wanted);
}

static void
test_secret(void)
{
	foreach_string(url,
		"http://u:p@h/", "https://u:p@h", "//u:p@h/", "///u:p@h", "\\\\u:p@h", "http://u@h?@", "https:/u:p@h",
		"https:\\\\u:p@h", "http://u:p q@h", "see http://u:p@h", "http://h/, http://u:p@h",
		"http://h by x, http://u:p@h", "@ http://h: http://u@h", "http://u:@h", "http://u:1p q@h",
		"HTTP:/u@h", "ftp://u@h", "://u@h", "http://\xC3\xA9:p@h", "http://u:\xC3\xA9@h", "http://h:80\xE3\x80\x81http://u@h")
		ok(sm_url_has_user(exact(*url)), *url);
	foreach_string(text,
		"u:p@h", "https://h/u:p@h", "h/u:p@h", "", "/", "//", "http://", "http://h/@", "mailto:u:p@h", "http://h:80/u:p@h",
		"http://h by u@h", "http://h:80 by u@h", "http://h: u@h", "http://h/?a=http://u:p@h", "h //u:p@h", "http://h :",
		"http://h:8 :", "a:b/c@d", "http://h u http://h/@", "h:\\u@h", "h:/u@h", ":/u@h", "ttps:/u@h",
		"h:\\\\u@h", "http://h\xE3\x80\x81u@h", "http://h:80\xE3\x80\x81u@h")
		ok(!sm_url_has_user(exact(*text)), *text);
	foreach_pair(pair,
		{"http://u:p@h/", "u:p"}, {" \xE3\x80\x80https://u:p@x@h:80/@ ", "u:p@x"}, {"//u@h", "u"},
		{"\\\\u@h", "u"}, {"ftp:///u@h", "u"}, {"https:/u:p@h", "u:p"},
		{"\"https:\\\\u:p@h", "u:p"}, {"u:p@h/", "p"}, {"u:p/q@h/", "p/q"},
		{"http://u:p/q@h/", "u:p/q"}, {"http://u:1?2q@h/", ""}, {"http://u:p#@h/", "u:p#"},
		{"http://u:p%40h/@", "u:p"}, {"http://u:p&#64;h", "u:p"},
		{"http://u:p\xEF\xBC\xA0h", "u:p"}, {"http://u:p\xEF\xB9\xABh", "u:p"})
		is_string(sm_url_secret(exact(pair->given)), pair->wanted, pair->given);
	foreach_string(text,
		"", " ", "@", "http://h/@u", "http://h:80/u:p@x", "http://h/", "http://@h", "u@h", "/u:p@h", "./u:p@h",
		"mailto:u@h", "h?u:p@h", ":", "::", "//", "http:", "http:/", "http://h:80", "http://[::1]/@",
		"http://h:x/", "\x80@", "%40", "&#64;")
		is_string(sm_url_secret(exact(*text)), "", *text);
}

static void
test_helpers(void)
{
	reference_is("", "");
	reference_is("/style.css?a=1&b='2'#c d", "/style.css?a=1&amp;b=&apos;2&apos;#c%20d");
	reference_is("../a\"<>\xC3\xA9%zz%41?>", "../a%22%3C%3E%C3%A9%25zz%41?%3E");
	reference_is("http://[::1]/x", "http://%5B::1%5D/x");
	reference_is("''''", "&apos;&apos;&apos;&apos;");

	foreach_pair(pair,
		{H "/a", "www.example.com"}, {H, "www.example.com"}, {"https://h:80?a@b", "h"}, {"http://[::1]:80/", "[::1]"},
		{"http://[::1]x/", ""}, {"http://", ""}, {"http:", ""}, {"/a", ""}, {"", ""})
		is_string(sm_url_host(exact(pair->given)), pair->wanted, pair->given);

	for (int status = SM_URL_OK + 1; status < SM_URL_OTHER_SITE; status++)
		ok(sm_url_message((SmUrlStatus) status) != NULL, "each status has a message");
}

int
main(void)
{
	test_protocol();
	test_components();
	test_blanks();
	test_origin();
	test_host_length();
	test_ipv4();
	test_a_label();
	test_idna();
	test_resolve();
	test_lost_scheme();
	test_scope_host();
	test_scope_path();
	test_cache();
	test_length();
	test_bound();
	test_base();
	test_page();
	test_secret();
	test_helpers();
	return done();
}
