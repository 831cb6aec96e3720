/*
 * site.h
 *	  The canonical form of URLs, equal for all spellings of a URL, and which URLs are of
 *	  the audited site.
 */
#ifndef SM_SITE_H
#define SM_SITE_H

#include "core/span.h"
#include "core/url.h"

/* The site of base_url: its scheme, host and port. */
typedef struct SmSite
{
	SmSpan		origin;			/* in canonical form */
	SmSpan		host;			/* the origin's host and port */
} SmSite;

/* Begin, in the current memory context. */
extern void sm_site_init(SmSite *site, const SmUrlBase *base);

/*
 * The canonical form of a URL that sm_url_encode wrote in plain form: the start of the
 * URL itself where possible, else a copy in the current memory context.
 */
extern SmSpan sm_site_canonical(const SmSite *site, SmSpan url);

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

#endif
