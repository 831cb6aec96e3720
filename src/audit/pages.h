/*
 * pages.h
 *	  Pages as URLs in canonical form, equal for all spellings of a URL, and problems
 *	  between the pages of a set: duplicates, pages with and without a final slash, http
 *	  among https, and alternates that do not link back.
 */
#ifndef SM_PAGES_H
#define SM_PAGES_H

#include "audit/finding.h"
#include "core/url.h"

/* The site of base_url: its scheme, host and port. */
typedef struct SmSite
{
	SmSpan		base;			/* the base URL in plain form */
	SmSpan		origin;			/* in canonical form */
	SmSpan		host;			/* the origin's host and port */
	SmSpan		name;			/* the host alone */
} SmSite;

/* Begin, in the current memory context. */
extern void sm_site_init(SmSite *site, const SmUrlBase *base);

/*
 * A URL that sm_url_encode wrote, in plain form, with its traits (core/suspect.h), of which
 * SM_MAY_VARY is set for a URL of another site.
 */
typedef struct SmSiteUrl
{
	SmSpan		plain;
	unsigned int traits;
} SmSiteUrl;

/*
 * Read a URL that was written in plain form or in XML.  own_host: as in core/suspect.h.
 * plain is the URL itself where possible, else a copy in the current memory context.
 */
extern SmSiteUrl sm_site_url(const SmSite *site, SmSpan written, bool is_xml, SmSpan own_host);

/* The canonical form of such a URL: plain where possible, else a copy likewise. */
extern SmSpan sm_site_canonical(SmSiteUrl url);

/*
 * The same for a URL that a user gave, always a copy.  Returns false if the text is not
 * a valid URL.
 */
extern bool sm_site_read(const SmSite *site, SmSpan text, SmSpan *page);

/*
 * Where the path of a URL of the site begins, with or without a user in the URL; 0
 * for a URL of another site.  url: in canonical form.
 */
extern size_t sm_site_path(const SmSite *site, SmSpan url);

/* Is the scheme https?  url: in canonical form. */
static inline bool
sm_is_https(SmSpan url)
{
	return url.s[4] == 's';
}

typedef struct SmPages SmPages;

/* Begin.  is_https: is base_url https?  Problems go to findings. */
extern SmPages *sm_pages_begin(bool is_https, SmFindings *findings);

/* Add the page of a row, as a URL in canonical form. */
extern void sm_pages_add(SmPages *pages, int64 row_number, SmSpan page);

/* Add a link from the page of a row to the same page in another language. */
extern void sm_pages_link(SmPages *pages, int64 row_number, SmSpan page, SmSpan other);

/* Compare the pages, after the last one, and end. */
extern void sm_pages_compare(SmPages *pages);

#endif
