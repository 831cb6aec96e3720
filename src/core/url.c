/*
 * url.c
 *	  URLs as the sitemap protocol wants them: absolute, RFC 3986, percent-encoded.
 *
 * A URL is split into scheme, user, host, port and the rest, because each of
 * these is encoded in its own way: the host by authority.c, user and rest by escape.c.
 *
 * The origin of the last URL is remembered, since nearly all URLs of a set share it.
 */
#include "core/url.h"

#include <stdio.h>
#include <string.h>

#include "core/ascii.h"
#include "core/text.h"

/* The longest relative reference; removing its dot segments can make the URL shorter. */
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

/*
 * Is it a port, as in "localhost:8080/", where the host looks like a scheme?
 */
static bool
is_port(const char *s, size_t len)
{
	size_t		i = 0;

	while (i < len && sm_is_digit(s[i]))
		i++;
	return i > 0 && i < len && s[i] == '/';
}

/*
 * Make the origin of a URL in canonical form: both "https://Example.com" and
 * "https://example.com.:443" give https, example.com and 443.
 */
static SmOrigin
make_origin(bool https, const char *host, size_t host_len, int port)
{
	SmOrigin	origin = {.https = https,.port = port,.host_len = host_len};

	for (size_t i = 0; i < host_len; i++)
		origin.host[i] = sm_lower(host[i]);
	if (host[host_len - 1] == '.')
		origin.host_len--;		/* a final dot stands for the DNS root */
	return origin;
}

/* The first part in which two origins differ; NULL if they are equal. */
static const char *
different_part(const SmOrigin *a, const SmOrigin *b)
{
	if (!sm_span_equal(sm_span(a->host, a->host_len), sm_span(b->host, b->host_len)))
		return "host";
	if (a->https != b->https)
		return "scheme";
	return a->port != b->port ? "port" : NULL;
}

/*
 * Find the parts of the authority of a valid URL.  start: where it begins.  Returns its
 * end, where path, query and fragment begin.
 */
static const char *
split_url(const char *url, size_t len, size_t start, SmAuthority *authority)
{
	size_t		n = sm_authority_length(url + start, len - start);

	(void) sm_authority_split(url + start, n, authority);
	return url + start + n;
}

/*
 * Encode the origin of a URL to *d, and store the length of
 * "scheme://authority" in *raw_len.  An origin goes into the cache unless it
 * is too long or has user information.
 */
static SmUrlStatus
encode_origin(const char *s, size_t len, const SmUrlBase *base, SmUrlCache *cache,
			  SmUrlForm form, size_t *raw_len, char **d, size_t *entity_bytes)
{
	size_t		scheme = scheme_length(s, len);
	bool		https;
	size_t		authority_len;
	SmAuthority authority;
	char		host[SM_HOST_MAX];
	size_t		host_len;
	int			port;
	char	   *start = *d;
	char	   *p = *d;
	SmUrlStatus status;

	https = scheme == 5;
	if (scheme == 0)
		return SM_URL_NO_SCHEME;
	if (!sm_equal_ignoring_case(sm_span(s, scheme), sm_span_of("https")) &&
		!sm_equal_ignoring_case(sm_span(s, scheme), sm_span_of("http")))
		return is_port(s + scheme + 1, len - scheme - 1) ?
			SM_URL_LOST_SCHEME : SM_URL_BAD_SCHEME;
	if (len < scheme + 3 || s[scheme + 1] != '/' || s[scheme + 2] != '/')
		return SM_URL_NO_HOST;

	authority_len = sm_authority_length(s + scheme + 3, len - scheme - 3);
	if (authority_len > SM_AUTHORITY_MAX)
		return SM_URL_LONG_AUTHORITY;
	/* in "https://a\@b/" browsers find the host a, many libraries b */
	if (memchr(s + scheme + 3, '\\', authority_len) != NULL)
		return SM_URL_BACKSLASH;
	if (!sm_authority_split(s + scheme + 3, authority_len, &authority))
		return SM_URL_BAD_HOST;
	if (authority.host_len == 0)
		return SM_URL_NO_HOST;
	*raw_len = scheme + 3 + authority_len;

	status = sm_host_encode(authority.host, authority.host_len, host, &host_len);
	if (status != SM_URL_OK)
		return status;
	port = sm_authority_port(&authority, https);
	if (port == 0)
		return SM_URL_BAD_PORT;

	memcpy(p, s, scheme + 3);
	p += scheme + 3;
	if (authority.user)
	{
		p = sm_escape(authority.user, authority.user + authority.user_len, SM_IN_USER,
					  form, p, entity_bytes);
		*p++ = '@';
	}
	memcpy(p, host, host_len);
	p += host_len;
	if (authority.port)
	{
		*p++ = ':';
		memcpy(p, authority.port, authority.port_len);
		p += authority.port_len;
	}
	*d = p;

	status = SM_URL_OK;
	if (base && base->scope != SM_SCOPE_ANY)
	{
		SmOrigin	origin = make_origin(https, host, host_len, port);

		if (different_part(&origin, &base->origin))
			status = SM_URL_OTHER_SITE;
	}

	if (!authority.user && *raw_len <= SM_ORIGIN_MAX)
	{
		cache->raw_len = *raw_len;
		memcpy(cache->raw, s, *raw_len);
		cache->len = p - start;
		memcpy(cache->origin, start, cache->len);
		cache->status = status;
	}
	return status;
}

static size_t
path_length(const char *s, size_t len)
{
	size_t		i;

	for (i = 0; i < len; i++)
		if (s[i] == '?' || s[i] == '#')
			break;
	return i;
}

/*
 * Check that a text without scheme is a relative reference: its first segment
 * must have no colon (RFC 3986, 4.2). Most texts with such a colon are
 * absolute URLs after a byte order mark or a quotation mark.  Resolved against
 * the base, they would name pages that do not exist.
 */
static SmUrlStatus
check_reference(const char *s, size_t len)
{
	size_t		segment = sm_authority_length(s, len);
	const char *colon = memchr(s, ':', segment);

	if (colon == NULL)
		return SM_URL_OK;
	/* "127.0.0.1:8080/" */
	return colon > s && is_port(colon + 1, s + len - colon - 1) ?
		SM_URL_LOST_SCHEME : SM_URL_BAD_REFERENCE;
}

/* Bytes of a dot at p, which may be percent-encoded; 0 if there is none. */
static size_t
dot_at(const char *p, const char *end)
{
	if (p < end && *p == '.')
		return 1;
	if (end - p >= 3 && p[0] == '%' && p[1] == '2' && (p[2] == 'e' || p[2] == 'E'))
		return 3;
	return 0;
}

/*
 * The kind of the segment at p: 1 for "." and 2 for "..", both of *len bytes, 0 for
 * any other.
 */
static int
dot_segment(const char *p, const char *end, size_t *len)
{
	size_t		first = dot_at(p, end);
	size_t		second;

	if (first == 0)
		return 0;
	*len = first;
	if (p + first == end || p[first] == '/')
		return 1;
	second = dot_at(p + first, end);
	*len = first + second;
	if (second > 0 && (p + *len == end || p[*len] == '/'))
		return 2;
	return 0;
}

/*
 * Remove the dot segments of a path, in place.  The path begins with a slash.
 * RFC 3986, 5.2.4.
 */
static void
remove_dots(char *path, size_t *len)
{
	const char *s = path;
	const char *end = path + *len;
	char	   *d = path;

	while (s < end)
	{
		size_t		dots;
		int			kind = dot_segment(s + 1, end, &dots);

		/* here *s is the slash before a segment */
		if (kind == 0)
		{
			do
				*d++ = *s++;
			while (s < end && *s != '/');
			continue;
		}
		if (kind == 2)
			while (d > path && *--d != '/')
				;
		s += 1 + dots;
		if (s == end)
			*d++ = '/';			/* the directory itself */
	}
	*len = d - path;
}

/*
 * Are these bytes of two encoded paths the same?  The hex digits of an escape
 * compare ignoring case: RFC 3986, 6.2.2.1.
 */
static bool
equal_paths(const char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++)
	{
		bool		in_escape = (i >= 1 && a[i - 1] == '%') || (i >= 2 && a[i - 2] == '%');

		if (a[i] != b[i] && !(in_escape && sm_lower(a[i]) == sm_lower(b[i])))
			return false;
	}
	return true;
}

static bool
has_www(SmSpan host)
{
	return host.len > 4 &&
		sm_equal_ignoring_case(sm_span(host.s, 4), sm_span_of("www."));
}

/*
 * Resolve a reference without scheme against the base, RFC 3986, 5.2.2.  The
 * result is not yet encoded.  dst holds SM_URL_MAX + REFERENCE_MAX bytes.
 */
static SmUrlStatus
resolve(const char *s, size_t len, const SmUrlBase *base, char *dst, size_t *dst_len)
{
	const char *url = base->url[SM_FORM_PLAIN];
	size_t		prefix;
	size_t		ref_path;
	size_t		path;

	if (len > REFERENCE_MAX)
		return SM_URL_TOO_LONG;

	if (len >= 2 && s[0] == '/' && s[1] == '/')
	{
		prefix = base->scheme_len + 1;
		memcpy(dst, url, prefix);
		memcpy(dst + prefix, s, len);
		*dst_len = prefix + len;
		return SM_URL_OK;
	}

	/*
	 * RFC 3986 reads "www.example.com/a" as a relative path.  But a first
	 * segment that begins with "www.", or is the host of the base without its
	 * "www.", is meant as a host.
	 */
	if (s[0] != '/' && s[0] != '?' && s[0] != '#')
	{
		size_t		segment = sm_authority_length(s, len);
		SmSpan		host;

		host.s = sm_url_host(url, base->origin_len, &host.len);
		if (has_www(host))
			host = sm_span(host.s + 4, host.len - 4);
		if (has_www(sm_span(s, segment)) || sm_equal_ignoring_case(sm_span(s, segment), host))
			return SM_URL_LOST_SCHEME;
	}

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
 * Is the path of an encoded URL below the path of the base, both as it is and with
 * its dot segments removed?  The caller has compared the origins, which can be
 * spelled in many ways.
 */
static bool
below_base(const char *url, size_t len, size_t origin_len, const SmUrlBase *base,
		   SmUrlForm form)
{
	const char *path = url + origin_len;
	const char *end = path + path_length(path, len - origin_len);
	const char *dir = base->url[form] + base->origin_len;
	size_t		dir_len = base->len[form] - base->origin_len;
	const char *s;
	size_t		depth = 0;

	if (dir_len == 1)			/* nothing is above the root */
		return true;
	if ((size_t) (end - path) < dir_len || !equal_paths(path, dir, dir_len))
		return false;

	/* here *s is the slash before a segment */
	for (s = path + dir_len - 1; s < end;)
	{
		size_t		dots;
		int			kind = dot_segment(s + 1, end, &dots);

		if (kind == 2 && depth-- == 0)
			return false;
		if (kind > 0)
		{
			s += 1 + dots;
			continue;
		}
		depth++;
		do
			s++;
		while (s < end && *s != '/');
	}
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
	bool		cached;
	SmUrlStatus status;

	len = given.len;
	if (len == 0)
		return SM_URL_EMPTY;
	/* encoding shortens only the host, and by less than REFERENCE_MAX */
	if (max != SM_URL_UNLIMITED && len > max + REFERENCE_MAX)
		return SM_URL_TOO_LONG;

	cached = starts_with_cached(cache, s, len);
	if (!cached && scheme_length(s, len) == 0)
	{
		status = check_reference(s, len);
		if (status == SM_URL_OK && base == NULL)
			status = SM_URL_NO_SCHEME;
		if (status != SM_URL_OK)
			return status;
		status = resolve(s, len, base, absolute, &len);
		if (status != SM_URL_OK)
			return status;
		s = absolute;
		cached = starts_with_cached(cache, s, len);
	}
	end = s + len;

	if (cached)
	{
		raw_len = cache->raw_len;
		memcpy(d, cache->origin, cache->len);
		d += cache->len;
		status = cache->status;
	}
	else
		status = encode_origin(s, len, base, cache, form, &raw_len, &d, &entity_bytes);
	if (status != SM_URL_OK)
		return status;
	origin_len = d - dst;

	d = sm_escape(s + raw_len, end, SM_IN_PATH, form, d, &entity_bytes);
	*dst_len = d - dst;

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
	SmUrlCache	cache;
	SmUrlStatus status;

	src = given.s;
	len = given.len;
	if (len > SM_URL_MAX)
		return SM_URL_TOO_LONG;

	for (int form = SM_FORM_XML; form >= SM_FORM_PLAIN; form--)
	{
		char		buffer[6 * SM_URL_MAX + SM_ORIGIN_MAX];
		size_t		url_len;
		size_t		path_len;
		bool		https;
		SmAuthority authority;

		cache.raw_len = 0;
		status = sm_url_encode(src, len, NULL, &cache, (SmUrlForm) form,
							   SM_URL_MAX - 1, buffer, &url_len);
		if (status != SM_URL_OK)
			return status;
		if (path_length(buffer, url_len) != url_len)
			return SM_URL_BAD_BASE;
		if (buffer[url_len - 1] != '/')
			buffer[url_len++] = '/';

		base->scheme_len = scheme_length(buffer, url_len);
		base->origin_len = split_url(buffer, url_len, base->scheme_len + 3, &authority) - buffer;

		/*
		 * without a user the origin has no entities: it is the same in both
		 * forms
		 */
		if (authority.user)
			return SM_URL_BAD_BASE;
		https = base->scheme_len == 5;
		base->origin = make_origin(https, authority.host, authority.host_len,
								   sm_authority_port(&authority, https));
		path_len = url_len - base->origin_len;
		remove_dots(buffer + base->origin_len, &path_len);

		base->len[form] = base->origin_len + path_len;
		memcpy(base->url[form], buffer, base->len[form]);
	}

	base->scope = scope;
	return SM_URL_OK;
}

static void
write_part(const char *part, const SmOrigin *origin, char dst[SM_ORIGIN_MAX])
{
	if (*part == 'h')
		*sm_put(dst, origin->host, origin->host_len) = '\0';
	else if (*part == 's')
		strcpy(dst, origin->https ? "https" : "http");
	else
		snprintf(dst, SM_ORIGIN_MAX, "%d", origin->port);
}

const char *
sm_url_difference(const char *src, size_t len, const SmUrlBase *base,
				  char given[SM_ORIGIN_MAX], char wanted[SM_ORIGIN_MAX])
{
	SmSpan		url = sm_trim(sm_span(src, len));
	size_t		scheme = scheme_length(url.s, url.len);
	bool		https = (scheme > 0 ? scheme : base->scheme_len) == 5;
	SmAuthority authority;
	char		host[SM_HOST_MAX];
	size_t		host_len;
	SmOrigin	origin;
	const char *part;

	/* without a scheme it is "//host/path" */
	split_url(url.s, url.len, scheme > 0 ? scheme + 3 : 2, &authority);
	(void) sm_host_encode(authority.host, authority.host_len, host, &host_len);
	origin = make_origin(https, host, host_len, sm_authority_port(&authority, https));
	part = different_part(&origin, &base->origin);
	write_part(part, &origin, given);
	write_part(part, &base->origin, wanted);
	return part;
}

const char *
sm_url_host(const char *url, size_t len, size_t *host_len)
{
	size_t		scheme = scheme_length(url, len);
	SmAuthority authority;

	*host_len = 0;
	if (scheme == 0 || len < scheme + 3)
		return url;
	if (sm_authority_split(url + scheme + 3,
						   sm_authority_length(url + scheme + 3, len - scheme - 3), &authority))
		*host_len = authority.host_len;
	return authority.host;
}

size_t
sm_url_canonical(const char *url, size_t len, char *dst)
{
	size_t		scheme = scheme_length(url, len);
	bool		https = scheme == 5;
	SmAuthority authority;
	const char *rest = split_url(url, len, scheme + 3, &authority);
	const char *hash = memchr(rest, '#', url + len - rest);
	const char *end = hash ? hash : url + len;
	SmOrigin	origin = make_origin(https, authority.host, authority.host_len,
									 sm_authority_port(&authority, https));
	char	   *d = https ? sm_put(dst, SM_LITERAL("https://")) : sm_put(dst, SM_LITERAL("http://"));

	if (authority.user)
		d = sm_put(d, authority.user, authority.user_len + 1);
	d = sm_put(d, origin.host, origin.host_len);
	if (origin.port != (https ? 443 : 80))
		d += sprintf(d, ":%d", origin.port);
	if (rest == end || *rest != '/')
		*d++ = '/';
	return sm_put(d, rest, end - rest) - dst;
}

const char *
sm_url_message(SmUrlStatus status)
{
	static const char *const messages[] = {
		[SM_URL_EMPTY] = "the URL is empty",
		[SM_URL_NO_SCHEME] = "not an absolute URL",
		[SM_URL_LOST_SCHEME] = "no scheme before the host name",
		[SM_URL_BAD_REFERENCE] = "no valid scheme before the first colon",
		[SM_URL_BAD_SCHEME] = "the scheme is neither http nor https",
		[SM_URL_NO_HOST] = "the host is missing",
		[SM_URL_BAD_HOST] = "the host is not a valid name or address",
		[SM_URL_BACKSLASH] = "backslash before the path, which browsers read as a slash",
		[SM_URL_NOT_IDNA2008] = "the host has a character that IDNA2008 does not allow",
		[SM_URL_NO_IDNA] = "this build has no libidn2 to encode the non-ASCII host",
		[SM_URL_NO_MEMORY] = "no memory to encode the non-ASCII host",
		[SM_URL_BAD_PORT] = "the port is not a number from 1 to 65535",
		[SM_URL_TOO_LONG] = ("longer than " SM_STRING(SM_URL_MAX) " characters after percent-encoding"),
		[SM_URL_LONG_AUTHORITY] = ("user, host and port are longer than " SM_STRING(SM_AUTHORITY_MAX) " bytes"),
		[SM_URL_BAD_BASE] = "user, query and fragment are not allowed"
	};

	return messages[status];
}
