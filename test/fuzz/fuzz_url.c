/*
 * fuzz_url.c
 *	  Fuzzes web/url and web/host.
 *
 * The input is a byte of options, a base URL, a NUL and a reference; an option
 * is to put "http://" before either, so that much gets beyond that.  Whatever
 * they are: the output stays within its bound and is ASCII, encoding it again
 * changes nothing, its XML form means the plain one, and neither the cache nor
 * spaces around the reference show.  Browsers can open the host.  What has a
 * colon in its first segment is an absolute URL, none has a backslash or an "@" before its
 * path, and the case of hex digits decides nothing.
 */
#include "web/url.h"

#include <arpa/inet.h>

#include "fuzz.h"
#include "text/text.h"
#include "web/host.h"
#include "web/userinfo.h"
#include "web/xml.h"

/* What RFC 3986 has in its URLs. */
static const char allowed[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	"!$&'()*+,;=:@/?#[]%";

typedef struct Encoded
{
	SmUrlStatus status;
	size_t		len;
	char	   *dst;
} Encoded;

static Encoded
encode(const char *src, size_t len, const SmUrlBase *base, SmUrlCache *cache,
	   SmUrlForm form, size_t max)
{
	size_t		bound = sm_url_bound(len, base, max);
	Encoded		e = {.dst = exactly(NULL, bound)};

	e.status = sm_url_encode(src, len, base, cache, form, max, e.dst, &e.len);
	if (e.status == SM_URL_OK)
		CHECK(e.len <= bound);
	if (e.status == SM_URL_OTHER_SITE)
	{
		Encoded		origin = encode(e.dst, e.len, NULL, &(SmUrlCache){0}, SM_FORM_PLAIN, SM_URL_UNLIMITED);

		CHECK(!sm_span_equal(sm_span(e.dst, e.len), sm_base_origin(base)));
		CHECK(equal(origin.dst, origin.len, e.dst, e.len));
		free(origin.dst);
	}
	return e;
}

/* The same as encoding src with nothing remembered? */
static void
check_again(const char *src, size_t len, const SmUrlBase *base, SmUrlCache *cache,
			size_t max, const Encoded *wanted)
{
	char	   *copy = exactly(src, len);
	Encoded		again = encode(copy, len, base, cache, SM_FORM_PLAIN, max);

	CHECK(again.status == wanted->status);
	if (again.status == SM_URL_OK || again.status == SM_URL_OTHER_SITE)
		CHECK(equal(again.dst, again.len, wanted->dst, wanted->len));
	free(again.dst);
	free(copy);
}

/* Browsers have an address for a host that is one, and a name for each other label. */
static void
check_host(const char *host, size_t len)
{
	char	   *name = exactly(NULL, len + 1);
	struct in_addr address;
	const char *label = name;

	memcpy(name, host, len);
	name[len] = '\0';
	if (strspn(name, "0123456789.") == len && name[len - 1] != '.')
		CHECK(inet_aton(name, &address) == 1);
	for (size_t i = 0; i <= len; i++)
	{
		if (name[i] != '.' && name[i] != '\0')
			continue;
		CHECK(sm_idna_valid_label(label, name + i - label));
		label = name + i + 1;
	}
	free(name);
}

static void
check_url(const Encoded *plain, const Encoded *xml, size_t max)
{
	char	   *unescaped = exactly(NULL, xml->len);
	SmSpan		host;

	CHECK(plain->len > 0 && plain->len <= max);
	for (size_t i = 0; i < plain->len; i++)
		CHECK(plain->dst[i] != '\0' && strchr(allowed, plain->dst[i]) != NULL);
	CHECK(memchr(xml->dst, '\'', xml->len) == NULL);
	CHECK(equal(unescaped, sm_xml_unescape(xml->dst, xml->len, unescaped),
				plain->dst, plain->len));

	host = sm_url_host(sm_span(plain->dst, plain->len));
	CHECK(host.len > 0 && host.s > plain->dst && host.s + host.len <= plain->dst + plain->len);
	if (*host.s != '[')
		check_host(host.s, host.len);
	free(unescaped);
}

/* What the text of an accepted reference cannot be. */
static void
check_source(const char *src, size_t len)
{
	SmSpan		text = sm_trim(sm_span(src, len));
	size_t		n = 0;

	while (n < text.len && memchr(":/?#", text.s[n], 4) == NULL)
		n++;
	if (n == text.len || text.s[n] != ':')
		return;
	CHECK(n == 4 || (n == 5 && (text.s[4] | 0x20) == 's'));
	for (n += 3; n < text.len && memchr("/?#", text.s[n], 3) == NULL; n++)
		CHECK(text.s[n] != '\\');
}

/* The same status with the hex digits of all escapes in the other case? */
static void
check_hex_digits(const Encoded *url, const SmUrlBase *base, size_t max)
{
	char	   *copy = exactly(url->dst, url->len);
	SmUrlCache	cache = {0};
	Encoded		e;

	for (size_t i = 0; i + 2 < url->len; i++)
	{
		if (copy[i] != '%')
			continue;
		for (int j = 1; j <= 2; j++)
			if (strchr("abcdefABCDEF", copy[i + j]) != NULL)
				copy[i + j] ^= 0x20;
	}
	e = encode(copy, url->len, base, &cache, SM_FORM_PLAIN, max);
	CHECK(e.status == SM_URL_OK && equal(e.dst, e.len, copy, url->len));
	free(e.dst);
	free(copy);
}

/* A copy of the input from s to end, perhaps with a scheme before it. */
static char *
text_of(const uint8_t *s, const uint8_t *end, bool add_scheme, size_t *len)
{
	static const char scheme[] = "http://";
	size_t		before = add_scheme ? sizeof(scheme) - 1 : 0;
	char	   *text = exactly(NULL, before + (end - s));

	memcpy(text, scheme, before);
	memcpy(text + before, s, end - s);
	*len = before + (end - s);
	return text;
}

/* The one spelling of a URL's page has no other. */
static void
check_page(const Encoded *url)
{
	char	   *page = exactly(NULL, url->len + 1);
	size_t		len = sm_url_canonical(url->dst, url->len, page);
	char	   *again = exactly(NULL, len + 1);

	CHECK(len <= url->len + 1);
	CHECK(sm_url_canonical(page, len, again) == len && memcmp(page, again, len) == 0);
	free(page);
	free(again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t limits[] = {SM_URL_MAX, 20, 5000, SM_URL_UNLIMITED};
	static SmUrlBase base_buffer;
	const SmUrlBase *base = NULL;
	const uint8_t *nul;
	size_t		len;
	size_t		max;
	char	   *src;
	Encoded		plain;
	Encoded		xml;
	SmUrlCache	cache = {0};
	SmSpan		secret;

	if (size < 2 || (nul = memchr(data + 1, '\0', size - 1)) == NULL)
		return 0;
	max = limits[data[0] >> 2 & 3];
	src = text_of(data + 1, nul, data[0] & 0x10, &len);
	if (sm_url_base_init(&base_buffer, src, len, (SmUrlScope) (data[0] % 4 % 3)) == SM_URL_OK)
	{
		base = &base_buffer;
		CHECK(base->len[SM_FORM_PLAIN] <= SM_URL_MAX);
		CHECK(base->url[SM_FORM_PLAIN][base->len[SM_FORM_PLAIN] - 1] == '/');
	}
	free(src);

	src = text_of(nul + 1, data + size, data[0] & 0x20, &len);
	xml = encode(src, len, base, &cache, SM_FORM_XML, max);
	cache.raw_len = 0;
	plain = encode(src, len, base, &cache, SM_FORM_PLAIN, max);
	CHECK(plain.status == xml.status);
	check_again(src, len, base, &cache, max, &plain);

	if (plain.status == SM_URL_OK)
	{
		char	   *spaced = exactly(NULL, len + 2);

		check_url(&plain, &xml, max);
		check_source(src, len);
		check_page(&plain);
		check_page(&xml);

		CHECK(!sm_url_has_user(sm_span(plain.dst, plain.len)));
		CHECK(sm_url_secret(sm_span(plain.dst, plain.len)).len == 0);
		check_again(plain.dst, plain.len, base, &cache, max, &plain);
		check_hex_digits(&plain, base, max);
		cache.raw_len = 0;
		check_again(plain.dst, plain.len, base, &cache, max, &plain);

		spaced[0] = ' ';
		memcpy(spaced + 1, src, len);
		spaced[len + 1] = '\n';
		if (len < 4000)
			check_again(spaced, len + 2, base, &cache, max, &plain);
		free(spaced);
	}
	free(plain.dst);
	free(xml.dst);

	secret = sm_url_secret(sm_span(src, len));
	CHECK(secret.len == 0 || (secret.s >= src && secret.s + secret.len < src + len));

	/* needs no base, and leaves nothing that has a meaning in XML */
	xml.dst = exactly(NULL, 6 * len);
	xml.len = sm_url_encode_reference(src, len, xml.dst);
	for (size_t i = 0; i < xml.len; i++)
		CHECK(xml.dst[i] > 0x20 && xml.dst[i] < 0x7F && strchr("<>\"'\\", xml.dst[i]) == NULL);
	free(xml.dst);
	free(src);
	return 0;
}
