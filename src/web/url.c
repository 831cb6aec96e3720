/*
 * url.c
 *	  Splits a URL into scheme, host, port and the rest, because each of these is encoded
 *	  in its own way: the host by host.c, the rest by escape.c.
 *
 * A user name or a password before the host is refused: who publishes it tells it to
 * everybody (RFC 9110, 4.2.4).
 */
#include "web/url.h"

#include <stdio.h>
#include <string.h>

#include "text/ascii.h"
#include "text/text.h"

/* The longest relative reference: more than a URL, since dot segments are removed. */
#define REFERENCE_MAX	4096

/* Length of the scheme that a text begins with, before its colon; 0 if there is none. */
static size_t
scheme_length(const char *s, size_t len)
{
	size_t		i;

	if (len == 0 || !sm_is_letter(s[0]))
		return 0;
	for (i = 1; i < len; i++)
	{
		if (s[i] == ':')
			return i;
		if (!sm_is_letter(s[i]) && !sm_is_digit(s[i]) &&
			s[i] != '+' && s[i] != '-' && s[i] != '.')
			return 0;
	}
	return 0;
}

bool
sm_url_begins(const char *s, size_t len)
{
	size_t		scheme = scheme_length(s, len);

	return scheme > 0 && len - scheme >= 3 && memcmp(s + scheme, "://", 3) == 0;
}

/* The parts of a URL "https://host:port/path?query#fragment", as it is written. */
typedef struct Parts
{
	bool		https;
	SmSpan		host;			/* with the brackets of an IPv6 address */
	SmSpan		port;			/* s is NULL if there is no colon */
	const char *rest;			/* path, query and fragment */
} Parts;

/* Length of the segment or authority at s: up to a slash, a query or a fragment. */
static size_t
segment_length(const char *s, size_t len)
{
	size_t		i;

	for (i = 0; i < len; i++)
		if (s[i] == '/' || s[i] == '?' || s[i] == '#')
			break;
	return i;
}

/*
 * Split a URL, which begins with a scheme and "://" or with "//".  Returns false if
 * anything but a port follows the bracket of an IPv6 address.
 */
static bool
split(const char *url, size_t len, Parts *parts)
{
	size_t		scheme = scheme_length(url, len);
	size_t		start = scheme > 0 ? scheme + 3 : 2;
	const char *s = url + start;
	const char *end = s + segment_length(s, len - start);

	memset(parts, 0, sizeof(*parts));
	parts->https = scheme == 5;
	parts->rest = end;
	parts->host.s = s;
	if (s < end && *s == '[')
	{
		while (s < end && *s++ != ']')
			;
	}
	else
	{
		s = memchr(s, ':', end - s);
		if (s == NULL)
			s = end;
	}
	parts->host.len = s - parts->host.s;
	if (s < end && *s == ':')
		parts->port = sm_span(s + 1, end - s - 1);
	return s == end || *s == ':';
}

/* The port as a number: the scheme's default if none is given, 0 for a bad port. */
static int
port_of(const Parts *parts)
{
	int			port = 0;

	if (parts->port.len == 0)
		return parts->https ? 443 : 80;
	if (parts->port.len > 5)
		return 0;
	for (size_t i = 0; i < parts->port.len; i++)
	{
		if (!sm_is_digit(parts->port.s[i]))
			return 0;
		port = port * 10 + (parts->port.s[i] - '0');
	}
	return port <= 65535 ? port : 0;
}

/*
 * Write the origin of a URL with this host in ASCII, in canonical form:
 * "https://example.com" for both "https://Example.com" and "https://example.com.:443".
 * Returns its end; dst needs a byte more.
 */
static char *
put_origin(char *dst, const Parts *parts, SmSpan host)
{
	int			port = port_of(parts);
	char	   *d = parts->https ? sm_put(dst, SM_LITERAL("https://")) : sm_put(dst, SM_LITERAL("http://"));

	for (size_t i = 0; i < host.len; i++)
		*d++ = sm_lower(host.s[i]);
	if (d[-1] == '.')
		d--;					/* a final dot stands for the DNS root */
	if (port != (parts->https ? 443 : 80))
		d += sprintf(d, ":%d", port);
	return d;
}

/*
 * Encode the origin of a URL to *d, or write it in canonical form if it is out of scope,
 * and store the length of "scheme://authority" in *raw_len.  An origin goes into the cache
 * unless it is too long.
 */
static SmUrlStatus
encode_origin(const char *s, size_t len, const SmUrlBase *base, SmUrlCache *cache,
			  size_t *raw_len, char **d)
{
	SmSpan		scheme = sm_span(s, scheme_length(s, len));
	Parts		parts;
	bool		is_split;
	char		host[SM_HOST_MAX];
	size_t		host_len;
	char	   *start = *d;
	char	   *p;
	SmUrlStatus status;

	if (scheme.len == 0)
		return SM_URL_NO_SCHEME;
	if (!sm_equal_ignoring_case(scheme, sm_span_of("https")) &&
		!sm_equal_ignoring_case(scheme, sm_span_of("http")))
		return SM_URL_BAD_SCHEME;
	if (!sm_url_begins(s, len))
		return SM_URL_NO_HOST;

	is_split = split(s, len, &parts);
	if (memchr(s, '@', parts.rest - s) != NULL)
		return SM_URL_USER;
	if (!is_split)
		return SM_URL_BAD_HOST;
	if (parts.host.len == 0)
		return SM_URL_NO_HOST;
	status = sm_host_encode(parts.host, host, &host_len);
	if (status != SM_URL_OK)
		return status;
	if (port_of(&parts) == 0)
		return SM_URL_BAD_PORT;

	p = sm_put(start, s, scheme.len + 3);
	p = sm_put(p, host, host_len);
	if (parts.port.s)
		p = sm_put(p, parts.port.s - 1, parts.port.len + 1);	/* and the colon */
	*raw_len = parts.rest - s;

	if (base && base->scope != SM_SCOPE_ANY)
	{
		char		origin[SM_ORIGIN_MAX];
		char	   *end = put_origin(origin, &parts, sm_span(host, host_len));

		if (!sm_span_equal(sm_span(origin, end - origin), sm_base_origin(base)))
		{
			status = SM_URL_OTHER_SITE;
			p = sm_put(start, origin, end - origin);
		}
	}
	*d = p;

	if (*raw_len <= SM_ORIGIN_MAX)
	{
		cache->raw_len = *raw_len;
		memcpy(cache->raw, s, *raw_len);
		cache->len = p - start;
		memcpy(cache->origin, start, cache->len);
		cache->status = status;
	}
	return status;
}

/* Length up to a query or a fragment. */
static size_t
path_length(const char *s, size_t len)
{
	const char *query = memchr(s, '?', len);
	const char *end = query ? query : s + len;
	const char *hash = memchr(s, '#', end - s);

	return (hash ? hash : end) - s;
}

/* The slash after the segment of a path that begins at s; the end after the last segment. */
static const char *
segment_end(const char *s, const char *end)
{
	const char *slash = memchr(s, '/', end - s);

	return slash ? slash : end;
}

/* Is a segment ".", 1, or "..", 2, perhaps with percent-encoded dots?  0 for any other. */
static int
dot_segment(const char *p, const char *end)
{
	int			ndots = 0;

	for (; p < end; ndots++)
	{
		if (*p == '.')
			p++;
		else if (end - p >= 3 && p[0] == '%' && p[1] == '2' && sm_lower(p[2]) == 'e')
			p += 3;
		else
			return 0;
	}
	return ndots <= 2 ? ndots : 0;
}

/* Has a path a percent-encoded dot segment, which browsers resolve, but not RFC 3986? */
static bool
has_encoded_dots(const char *s, size_t len)
{
	const char *end = s + path_length(s, len);
	const char *next;

	for (; s <= end; s = next + 1)
	{
		next = segment_end(s, end);
		if (dot_segment(s, next) > 0 && memchr(s, '%', next - s) != NULL)
			return true;
	}
	return false;
}

/* Remove the dot segments of a path, which begins with a slash, in place: RFC 3986, 5.2.4. */
static void
remove_dots(char *path, size_t *len)
{
	const char *end = path + *len;
	const char *next;
	char	   *d = path;

	for (const char *s = path; s < end; s = next)
	{
		int			kind;

		next = segment_end(s + 1, end);
		kind = dot_segment(s + 1, next);
		if (kind == 0)
		{
			memmove(d, s, next - s);
			d += next - s;
			continue;
		}
		if (kind == 2)
			while (d > path && *--d != '/')
				;
		if (next == end)
			*d++ = '/';			/* the directory itself */
	}
	*len = d - path;
}

/* Added to an octet that stays percent-encoded. */
#define ESCAPED	0x100

/*
 * The next octet of an encoded URL in canonical form: percent-encoded only if it is not
 * unreserved (RFC 3986, 6.2.2.2).  Moves *s past the octet.
 */
static int
canonical_octet(const char **s)
{
	int			octet;

	if (**s != '%')
		return (unsigned char) *(*s)++;
	octet = sm_hex_value((*s)[1]) * 16 + sm_hex_value((*s)[2]);
	*s += 3;
	return (SM_CLASSES(octet) & SM_UNRESERVED) ? octet : ESCAPED | octet;
}

SmSpan
sm_without_www(SmSpan host)
{
	if (host.len > 4 && sm_equal_ignoring_case(sm_span(host.s, 4), sm_span_of("www.")))
		return sm_span(host.s + 4, host.len - 4);
	return host;
}

/* Does a reference begin with "./" or "../"? */
static bool
begins_with_dots(const char *s, size_t len)
{
	size_t		ndots = len >= 2 && s[0] == '.' && s[1] == '.' ? 2 : 1;

	return len > ndots && s[0] == '.' && s[ndots] == '/';
}

/*
 * Resolve a reference without scheme against the base, RFC 3986, 5.2.2.  The
 * result is not yet encoded.  len: at most REFERENCE_MAX; dst holds SM_URL_MAX + len
 * bytes.
 */
static SmUrlStatus
resolve(const char *s, size_t len, const SmUrlBase *base, char *dst, size_t *dst_len)
{
	const char *url = base->url[SM_FORM_PLAIN];
	size_t		prefix;
	size_t		ref_path;
	size_t		path;

	if (len >= 2 && s[0] == '/' && s[1] == '/')
	{
		prefix = base->scheme_len + 1;
		memcpy(dst, url, prefix);
		memcpy(dst + prefix, s, len);
		*dst_len = prefix + len;
		return SM_URL_OK;
	}

	/* for RFC 3986, "cdn.example.com/a.jpg" is a path, and not a host */
	if (s[0] != '/' && s[0] != '?' && !begins_with_dots(s, len))
		return SM_URL_LOST_SCHEME;

	ref_path = path_length(s, len);
	prefix = (s[0] == '/') ? base->origin_len : base->len[SM_FORM_PLAIN];
	memcpy(dst, url, prefix);
	memcpy(dst + prefix, s, ref_path);
	path = prefix + ref_path - base->origin_len;
	if (ref_path > 0)
		remove_dots(dst + base->origin_len, &path);
	memcpy(dst + base->origin_len + path, s + ref_path, len - ref_path);
	*dst_len = base->origin_len + path + len - ref_path;
	return SM_URL_OK;
}

/*
 * Is the path of an encoded URL below the path of the base, and does no dot segment
 * lead out of that path?  The caller has compared the origins, which can be spelled in
 * many ways.
 */
static bool
below_base(const char *url, size_t len, size_t origin_len, const SmUrlBase *base,
		   SmUrlForm form)
{
	const char *path = url + origin_len;
	const char *end = path + path_length(path, len - origin_len);
	const char *dir = base->url[form] + base->origin_len;
	const char *dir_end = base->url[form] + base->len[form];
	const char *next;
	size_t		depth = 0;

	if (dir_end - dir == 1)		/* nothing is above the root */
		return true;
	while (dir < dir_end)
		if (path == end || canonical_octet(&path) != canonical_octet(&dir))
			return false;

	for (const char *s = path - 1; s < end; s = next)
	{
		int			kind;

		next = segment_end(s + 1, end);
		kind = dot_segment(s + 1, next);
		if (kind == 2 && depth-- == 0)
			return false;
		depth += kind == 0;
	}
	return true;
}

/*
 * Is a reference a path that begins at the root, without dot segments?  Nearly all are.
 * Such a path is encoded from where it stands, without a copy after the base, because the
 * processor is slow to read bytes that it has just written.
 */
static bool
is_plain_path(const char *s, size_t len)
{
	const char *end = s + len;

	if (s[0] != '/' || (len > 1 && s[1] == '/') || len > REFERENCE_MAX)
		return false;
	/* false also for other dots after a slash, as in ".git" or in a query */
	for (const char *dot = s; (dot = memchr(dot, '.', end - dot)) != NULL; dot++)
		if (dot[-1] == '/')
			return false;
	return true;
}

/* Does this URL begin with the origin of the last one? */
static bool
starts_with_cached(const SmUrlCache *cache, const char *s, size_t len)
{
	size_t		raw_len = cache->raw_len;

	return raw_len > 0 && len >= raw_len && memcmp(s, cache->raw, raw_len) == 0 &&
		(len == raw_len || s[raw_len] == '/' || s[raw_len] == '?' || s[raw_len] == '#');
}

size_t
sm_url_bound(size_t len, const SmUrlBase *base, size_t max)
{
	if (max != SM_URL_UNLIMITED && len > max + REFERENCE_MAX)
		len = max + REFERENCE_MAX;
	return 6 * len + SM_ORIGIN_MAX + (base ? base->len[SM_FORM_XML] : 0);
}

SmUrlStatus
sm_url_encode(const char *src, size_t len, const SmUrlBase *base, SmUrlCache *cache,
			  SmUrlForm form, size_t max, char *dst, size_t *dst_len)
{
	char		absolute[SM_URL_MAX + REFERENCE_MAX];
	SmSpan		given = sm_trim(sm_span(src, len));
	const char *s = given.s;
	const char *end;
	char	   *d = dst;
	size_t		entity_bytes = 0;
	size_t		raw_len = 0;
	size_t		origin_len;
	bool		is_path;
	bool		cached;
	SmUrlStatus status;

	len = given.len;
	if (len == 0)
		return SM_URL_EMPTY;
	/* encoding shortens only the host, and by less than REFERENCE_MAX */
	if (max != SM_URL_UNLIMITED && len > max + REFERENCE_MAX)
		return SM_URL_TOO_LONG;

	is_path = base && is_plain_path(s, len);
	cached = !is_path && starts_with_cached(cache, s, len);
	if (!is_path && !cached && scheme_length(s, len) == 0)
	{
		/*
		 * The first segment of a reference has no colon (RFC 3986, 4.2). Most
		 * texts with such a colon are absolute URLs after a byte order mark
		 * or a quotation mark.
		 */
		if (memchr(s, ':', segment_length(s, len)) != NULL)
			return SM_URL_BAD_REFERENCE;
		if (base == NULL)
			return SM_URL_NO_SCHEME;
		if (len > REFERENCE_MAX)
			return max == SM_URL_UNLIMITED ? SM_URL_LONG_REFERENCE : SM_URL_TOO_LONG;
		status = resolve(s, len, base, absolute, &len);
		if (status != SM_URL_OK)
			return status;
		s = absolute;
		cached = starts_with_cached(cache, s, len);
	}
	end = s + len;

	if (is_path)
	{
		/* its own site is in every scope */
		d = sm_put(d, base->url[form], base->origin_len);
		status = SM_URL_OK;
	}
	else if (cached)
	{
		raw_len = cache->raw_len;
		memcpy(d, cache->origin, cache->len);
		d += cache->len;
		status = cache->status;
	}
	else
		status = encode_origin(s, len, base, cache, &raw_len, &d);
	*dst_len = origin_len = d - dst;
	if (status != SM_URL_OK)
		return status;

	d = sm_escape(s + raw_len, end, form, d, &entity_bytes);
	*dst_len = d - dst;

	/* without an escape, which most URLs are, there is nothing to look at */
	if (memchr(given.s, '%', given.len) != NULL && has_encoded_dots(given.s, given.len))
		return SM_URL_ENCODED_DOTS;
	if (*dst_len - entity_bytes > max)
		return SM_URL_TOO_LONG;
	if (base && base->scope == SM_SCOPE_PATH &&
		!below_base(dst, *dst_len, origin_len, base, form))
		return SM_URL_OTHER_PATH;
	return SM_URL_OK;
}

SmUrlStatus
sm_url_base_init(SmUrlBase *base, const char *src, size_t len, SmUrlScope scope)
{
	SmSpan		given = sm_trim(sm_span(src, len));
	SmUrlCache	cache = {.raw_len = 0};
	char		url[6 * SM_URL_MAX + SM_ORIGIN_MAX];
	char	   *plain = base->url[SM_FORM_PLAIN];
	char	   *xml = base->url[SM_FORM_XML];
	Parts		parts;
	SmUrlStatus status;

	if (given.len > SM_URL_MAX)
		return SM_URL_TOO_LONG;
	status = sm_url_encode(given.s, given.len, NULL, &cache, SM_FORM_PLAIN, SM_URL_MAX - 1,
						   url, &len);
	if (status != SM_URL_OK)
		return status;
	split(url, len, &parts);
	if (path_length(url, len) != len)
		return SM_URL_BAD_BASE;
	if (url[len - 1] != '/')
		url[len++] = '/';
	len -= parts.rest - url;
	remove_dots(url + (parts.rest - url), &len);

	base->scope = scope;
	base->scheme_len = strlen(parts.https ? "https" : "http");
	base->origin_len = put_origin(plain, &parts, parts.host) - plain;
	memcpy(plain + base->origin_len, parts.rest, len);
	base->len[SM_FORM_PLAIN] = base->origin_len + len;
	/* the origin has no entities, and escapes in the path stay as they are */
	xml = sm_put(xml, plain, base->origin_len);
	base->len[SM_FORM_XML] = base->origin_len + sm_url_encode_reference(parts.rest, len, xml);
	return SM_URL_OK;
}

SmSpan
sm_url_host(SmSpan url)
{
	Parts		parts;

	return sm_url_begins(url.s, url.len) && split(url.s, url.len, &parts) ?
		parts.host : sm_span(url.s, 0);
}

/* Write a part of an encoded URL in canonical form. */
static char *
put_canonical(char *d, const char *s, const char *end)
{
	while (s < end)
	{
		int			octet = canonical_octet(&s);

		if (octet & ESCAPED)
			d = sm_put_escape(d, octet);
		else
			*d++ = octet;
	}
	return d;
}

size_t
sm_url_canonical(const char *url, size_t len, char *dst)
{
	const char *end = url + len;
	const char *hash;
	const char *query;
	Parts		parts;
	size_t		path_len;
	char	   *path;
	char	   *d;

	split(url, len, &parts);
	d = put_origin(dst, &parts, parts.host);
	hash = memchr(parts.rest, '#', end - parts.rest);
	if (hash)
		end = hash;
	query = parts.rest + path_length(parts.rest, end - parts.rest);

	path = d;
	if (parts.rest == query)
		*d++ = '/';
	d = put_canonical(d, parts.rest, query);
	path_len = d - path;
	remove_dots(path, &path_len);
	return put_canonical(path + path_len, query, end) - dst;
}

const char *
sm_url_message(SmUrlStatus status)
{
	static const char *const messages[SM_URL_OTHER_PATH + 1] = {
		[SM_URL_EMPTY] = "the URL is empty",
		[SM_URL_NO_SCHEME] = "not an absolute URL",
		[SM_URL_LOST_SCHEME] = "neither a scheme nor \"/\", \"./\", \"../\" or \"?\" at the beginning",
		[SM_URL_BAD_REFERENCE] = "no valid scheme before the first colon",
		[SM_URL_BAD_SCHEME] = "the scheme is neither http nor https",
		[SM_URL_USER] = "a user name or password before the host",
		[SM_URL_NO_HOST] = "the host is missing",
		[SM_URL_BAD_HOST] = "the host is not a valid name or address",
		[SM_URL_NOT_IDNA2008] = "the host has a character that IDNA2008 does not allow",
		[SM_URL_NO_IDNA] = "this build has no libidn2 to encode the non-ASCII host",
		[SM_URL_NO_MEMORY] = "no memory to encode the non-ASCII host",
		[SM_URL_BAD_PORT] = "the port is not a number from 1 to 65535",
		[SM_URL_ENCODED_DOTS] = "the path has a segment \"%2E\" or \"%2E%2E\", which browsers read as \".\" or \"..\"",
		[SM_URL_TOO_LONG] = ("longer than " SM_STRING(SM_URL_MAX) " characters after percent-encoding"),
		[SM_URL_LONG_REFERENCE] = ("relative, and longer than " SM_STRING(REFERENCE_MAX) " bytes"),
		[SM_URL_BAD_BASE] = "query and fragment are not allowed"
	};

	return messages[status];
}

const char *
sm_url_hint(SmUrlStatus status)
{
	static const char with_scheme[] = "Write it with its scheme, such as \"https://www.example.com/page\".";
	static const char *const hints[SM_URL_OTHER_PATH + 1] = {
		[SM_URL_NO_SCHEME] = with_scheme,
		[SM_URL_LOST_SCHEME] = "Begin it with \"./\" for a place below base_url, with \"/\" for one on the host, or with its scheme, such as \"https://\".",
		[SM_URL_BAD_REFERENCE] = "Look before the scheme for a byte order mark, a quotation mark or the like. A relative path with a colon in it has to begin with \"./\".",
		[SM_URL_USER] = "Everybody could read it. Remove what stands before the \"@\".",
		[SM_URL_NOT_IDNA2008] = "If browsers open that host, give it in its ASCII form (xn--...).",
		[SM_URL_NO_IDNA] = "Rebuild sitemap with libidn2, or give the host in its ASCII form (xn--...)."
	};

	return hints[status];
}
