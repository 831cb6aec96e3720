/*
 * url.h
 *	  URLs as the sitemap protocol wants them: absolute, RFC 3986, percent-encoded.
 *
 * Input is UTF-8 text as people store it; output is ASCII.  The caller provides all
 * memory, except what libidn2 allocates.
 */
#ifndef SM_URL_H
#define SM_URL_H

#include "web/escape.h"
#include "web/host.h"

/* "fewer than 2,048 characters" (sitemaps.org), counted after percent-encoding */
#define SM_URL_MAX			2047

/* for URLs in extension elements: only relative URLs are limited, to 4,096 bytes */
#define SM_URL_UNLIMITED	((size_t) -1)

/* room for "https://" + a DNS name + ":65535" */
#define SM_ORIGIN_MAX		288

/* which URLs belong to the set that is served from the base URL */
typedef enum SmUrlScope
{
	SM_SCOPE_ANY,
	SM_SCOPE_HOST,				/* same scheme, host and port */
	SM_SCOPE_PATH				/* and below the base URL's path */
} SmUrlScope;

/*
 * The URL of a directory, with a slash at its end; references are resolved against it.
 * Its origin is in canonical form; its path is percent-encoded, with escapes as they were given.
 */
typedef struct SmUrlBase
{
	SmUrlScope	scope;
	size_t		scheme_len;		/* of "https" */
	size_t		origin_len;		/* of "https://www.example.com" */
	size_t		len[2];
	char		url[2][6 * SM_URL_MAX + 1]; /* by SmUrlForm */
} SmUrlBase;

/* The scheme, host and port of a base URL. */
static inline SmSpan
sm_base_origin(const SmUrlBase *base)
{
	return sm_span(base->url[SM_FORM_PLAIN], base->origin_len);
}

/*
 * Where the path of a URL begins that has the origin of base, spelled as in base, and a
 * path; 0 for any other URL.
 */
static inline size_t
sm_base_path(const SmUrlBase *base, SmSpan url)
{
	size_t		len = base->origin_len;

	return url.len > len && url.s[len] == '/' &&
		memcmp(url.s, base->url[SM_FORM_PLAIN], len) == 0 ? len : 0;
}

/*
 * The origin of the last URL, kept because nearly all URLs of a site share it.  An
 * empty cache has raw_len 0, and its other fields may be uninitialized.
 */
typedef struct SmUrlCache
{
	size_t		raw_len;
	size_t		len;
	SmUrlStatus status;			/* whether the origin is in scope */
	char		raw[SM_ORIGIN_MAX]; /* scheme and authority as given */
	char		origin[SM_ORIGIN_MAX];	/* and as written */
} SmUrlCache;

/*
 * The most bytes that sm_url_encode writes for a reference of len bytes, with the same
 * base and max, even if it fails.
 */
extern size_t sm_url_bound(size_t len, const SmUrlBase *base, size_t max);

/*
 * Make a URL from a text: write it to dst without a terminator, and its length to
 * *dst_len.  Blanks at both ends are dropped, a relative reference is resolved
 * against base (it is an error if base is NULL), a non-ASCII host gets its IDNA2008
 * form, and each component is percent-encoded.  max: the longest URL accepted, in
 * characters before XML escaping.  Of a URL that is refused as SM_URL_OTHER_SITE, only
 * the origin is written, in canonical form.
 */
extern SmUrlStatus sm_url_encode(const char *src, size_t len,
								 const SmUrlBase *base, SmUrlCache *cache,
								 SmUrlForm form, size_t max,
								 char *dst, size_t *dst_len);

/* Prepare a base URL: without dot segments, and with a slash at its end. */
extern SmUrlStatus sm_url_base_init(SmUrlBase *base, const char *src, size_t len,
									SmUrlScope scope);

/* Does a text begin like an absolute URL, with a scheme and "://"? */
extern bool sm_url_begins(const char *s, size_t len);

/*
 * The host in a URL of any SmUrlForm, without its port; empty if there is none.  The host
 * is not checked.
 */
extern SmSpan sm_url_host(SmSpan url);

/* A host without a leading "www.". */
extern SmSpan sm_without_www(SmSpan host);

/*
 * Write the canonical form of a URL that sm_url_encode wrote: scheme and host in
 * lower case, the host without a final dot, no default port, a port without leading
 * zeros, a slash for an empty path, no fragment, no dot segments, unreserved characters
 * as they are, other escapes with capital letters (RFC 3986, 6.2.2 and 6.2.3).  Returns
 * its length; dst needs len + 1 bytes.
 */
extern size_t sm_url_canonical(const char *url, size_t len, char *dst);

/*
 * Describe a status in words that follow "invalid loc: ".  There are no words for a
 * URL outside of the scope.
 */
extern const char *sm_url_message(SmUrlStatus status);

/* What to do about a status, in sentences; NULL for most. */
extern const char *sm_url_hint(SmUrlStatus status);

#endif
