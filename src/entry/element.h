/*
 * element.h
 *	  The state of a writer, and the extension elements of a page.
 */
#ifndef SM_ELEMENT_H
#define SM_ELEMENT_H

#include "entry/entry.h"
#include "entry/problem.h"
#include "lib/stringinfo.h"
#include "web/url.h"

/* What a value of a page is, for the rules of a page and for sitemap_audit. */
typedef enum SmRole
{
	SM_ROLE_NONE,
	SM_ROLE_IMAGE,
	SM_ROLE_LICENSE,
	SM_ROLE_THUMBNAIL,
	SM_ROLE_VIDEO,
	SM_ROLE_VIDEO_SEGMENT,
	SM_ROLE_PLAYER,
	SM_ROLE_GALLERY,
	SM_ROLE_UPLOADER,
	SM_ROLE_VIDEO_DATE,
	SM_ROLE_EXPIRATION,
	SM_ROLE_NEWS_DATE,
	SM_ROLE_ALTERNATE,
	SM_ROLE_TITLE,
	SM_ROLE_CAPTION,
	SM_ROLE_NAME,
	SM_ROLE_DESCRIPTION,
	SM_ROLE_HREFLANG,			/* of the alternate that comes next */

	/* of an element of ready-made XML, whose values are not read */
	SM_ROLE_XML,				/* its namespace */
	SM_ROLE_WRONG_XML,			/* the other namespace that it is meant for */
	SM_NROLES
} SmRole;

/*
 * Called for each value that has a role.  value: as written in XML, valid until the callback
 * returns.  The element can still be refused for another value.
 */
typedef void (*SmValueCallback) (void *arg, SmRole role, SmSpan value);

/*
 * Called for a page whose row has a value in column "shown".  page->lastmod is that of the
 * row, 0 for none, and becomes that of the page.
 */
typedef void (*SmFindLastmod) (void *arg, SmShownPage *page);

typedef struct SmEntryWriter
{
	SmKind		kind;
	SmProtocol	protocol;
	bool		ascii;			/* all other characters as references */
	const SmUrlBase *base;		/* NULL: any absolute URL is a valid loc */
	const SmUrlBase *link_base; /* of other URLs; NULL: they are absolute */
	SmProblems	problems;
	SmValueCallback value_callback; /* or NULL */
	void	   *value_callback_arg;
	SmFindLastmod find_lastmod; /* or NULL */
	void	   *find_lastmod_arg;

	/* the extension elements that are being written */
	StringInfo	buf;
	SmEntry    *page;			/* NULL for the result of an SQL function */
	int			loc;			/* where the page's loc begins in buf */
	int			start;			/* where the page's elements begin in buf */
	int			nimages;		/* of the page */
	int			nlanguages;		/* of the page's alternates */
	SmSpan	   *languages;

	SmUrlCache	cache;
	SmUrlCache	link_cache;		/* for URLs of extension elements */
} SmEntryWriter;

/*
 * The functions that append an extension element to w->buf return false for a problem; then
 * w->buf and the counts of the page are unchanged.  item.h declares those of images, videos and
 * news.
 */

/* A link to the page in another language. */
typedef struct SmLink
{
	SmSpan		hreflang;
	SmSpan		href;
} SmLink;

/*
 * Read a JSON object of languages and URLs, and return the number of links; a
 * null or blank URL is left out.  what: noun phrase for the object in a problem.
 */
extern int	sm_read_alternates(Datum object, SmLink **links, SmProblems *problems,
							   const char *what);

extern bool sm_append_alternate(SmEntryWriter *w, const SmLink *link);

/*
 * Append ready-made XML.  It has to be well-formed, without elements in the namespace of
 * sitemaps.  Line breaks and tabs become references in text and spaces in tags; backslashes
 * become references.  Comments and processing instructions are left out.  In a database that is
 * not UTF-8, functions such as sitemap_image write a character outside ASCII as a reference.  In
 * a file each such reference becomes the character, as in a file from a UTF-8 database.
 */
extern bool sm_append_fragment(SmEntryWriter *w, SmSpan xml);

/*
 * Append a URL to an element.  An absolute URL is limited only by the document.  problem: of an
 * invalid URL.  what: noun phrase for the URL in its message.
 */
extern bool sm_append_url(SmEntryWriter *w, SmSpan url, SmProblemName problem, const char *what);

/*
 * Count an element of the page, if there are limits for elements of this namespace:
 * images and news.  Reports a problem and returns false if there are too many.
 */
extern bool sm_count_element(SmEntryWriter *w, uint32 ns, SmProblemName problem);

/* Call the callback for the value that buf has from start to its end, if it has a role. */
static inline void
sm_call_back(const SmEntryWriter *w, SmRole role, int start)
{
	if (w->value_callback && role != SM_ROLE_NONE)
		w->value_callback(w->value_callback_arg, role, sm_span(w->buf->data + start, w->buf->len - start));
}

/* Are the elements of the page too large for any document? */
static inline bool
sm_elements_too_large(const SmEntryWriter *w)
{
	return w->buf->len - w->start > SM_MAX_BYTES;
}

#endif
