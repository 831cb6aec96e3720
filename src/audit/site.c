/*
 * site.c
 *	  URLs in canonical form, in which two URLs of the same page are equal, and whether
 *	  they are of the audited site.
 */
#include "postgres.h"

#include "audit/site.h"

#include "core/xml.h"
#include "entry/value.h"

void
sm_site_init(SmSite *site, const SmUrlBase *base)
{
	size_t		len = base->len[SM_FORM_PLAIN];
	char	   *page = palloc(len + 1);

	sm_url_canonical(base->url[SM_FORM_PLAIN], len, page);
	site->scheme_len = base->scheme_len;
	/* the path begins at the first slash after "https://" */
	site->origin = sm_span(page, strcspn(page + base->scheme_len + 3, "/") + base->scheme_len + 3);
	site->cache.raw_len = 0;
}

/* Does a URL begin with the origin, as nearly all URLs of a set do? */
static bool
begins_with_origin(const SmSite *site, SmSpan url)
{
	return url.len > site->origin.len && url.s[site->origin.len] == '/' &&
		memcmp(url.s, site->origin.s, site->origin.len) == 0;
}

SmSpan
sm_site_canonical(const SmSite *site, SmSpan url, SmUrlForm form)
{
	SmSpan		page = url;
	bool		is_escaped = form == SM_FORM_XML && memchr(url.s, '&', url.len) != NULL;

	if (begins_with_origin(site, url) && !is_escaped)
	{
		const char *hash = memchr(url.s, '#', url.len);

		if (hash)
			page.len = hash - url.s;
		return page;
	}
	page.s = palloc(url.len + 1);
	page.len = sm_url_canonical(url.s, url.len, unconstify(char *, page.s));
	if (is_escaped)
		page.len = sm_xml_unescape(page.s, page.len, unconstify(char *, page.s));
	return page;
}

bool
sm_site_read(SmSite *site, SmSpan text, SmSpan *page)
{
	SmSpan		url = text;

	if (sm_encode_url(&url, NULL, &site->cache) != SM_URL_OK)
		return false;
	*page = sm_site_canonical(site, url, SM_FORM_PLAIN);
	if (page->s != url.s)
		pfree(unconstify(char *, url.s));
	return true;
}

size_t
sm_site_path(const SmSite *site, SmSpan url)
{
	size_t		scheme_len = site->scheme_len + 3;
	size_t		site_len = site->origin.len - scheme_len;
	size_t		host_len;
	const char *host;
	const char *end = url.s + url.len;

	if (begins_with_origin(site, url))
		return site->origin.len;
	if (memcmp(url.s, site->origin.s, scheme_len) != 0)
		return 0;
	host = sm_url_host(url.s, url.len, &host_len);
	if ((size_t) (end - host) <= site_len || host[site_len] != '/' ||
		memcmp(host, site->origin.s + scheme_len, site_len) != 0)
		return 0;
	return host + site_len - url.s;
}
