/*
 * site.c
 *	  Compares URLs with the origin of the audited site; most begin with it.
 */
#include "postgres.h"

#include "audit/site.h"

#include "entry/value.h"

void
sm_site_init(SmSite *site, const SmUrlBase *base)
{
	size_t		len = base->len[SM_FORM_PLAIN];
	char	   *page = palloc(len + 1);

	sm_url_canonical(base->url[SM_FORM_PLAIN], len, page);
	site->host.s = page + base->scheme_len + strlen("://");
	site->host.len = strcspn(site->host.s, "/");
	site->origin = sm_span(page, site->host.s + site->host.len - page);
}

/*
 * Does s begin with start and then a slash?  s is a URL and start an origin; or s is what
 * follows the user in a URL, and start a host and port.
 */
static bool
begins_with(SmSpan s, SmSpan start)
{
	return s.len > start.len && s.s[start.len] == '/' &&
		memcmp(s.s, start.s, start.len) == 0;
}

SmSpan
sm_site_canonical(const SmSite *site, SmSpan url)
{
	const char *hash;

	/* nearly all URLs of a set begin with its origin */
	if (!begins_with(url, site->origin))
	{
		char	   *page = palloc(url.len + 1);

		return sm_span(page, sm_url_canonical(url.s, url.len, page));
	}
	hash = memchr(url.s, '#', url.len);
	return sm_span(url.s, hash ? (size_t) (hash - url.s) : url.len);
}

bool
sm_site_read(const SmSite *site, SmSpan text, SmSpan *page)
{
	SmUrlCache	cache = {.raw_len = 0};
	char	   *url = palloc(sm_url_bound(text.len, NULL, SM_URL_UNLIMITED));
	size_t		len;
	SmUrlStatus status = sm_url_encode(text.s, text.len, NULL, &cache, SM_FORM_PLAIN,
									   SM_URL_UNLIMITED, url, &len);

	sm_url_check_memory(status);
	if (status != SM_URL_OK)
	{
		pfree(url);
		return false;
	}
	*page = sm_site_canonical(site, sm_span(url, len));
	if (page->s != url)
		pfree(url);
	return true;
}

size_t
sm_site_path(const SmSite *site, SmSpan url)
{
	SmSpan		rest;

	if (begins_with(url, site->origin))
		return site->origin.len;
	rest.s = sm_url_host(url).s;
	rest.len = url.s + url.len - rest.s;
	if (sm_is_https(url) != sm_is_https(site->origin) || !begins_with(rest, site->host))
		return 0;
	return rest.s + site->host.len - url.s;
}
