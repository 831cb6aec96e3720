/*
 * element.h
 *	  Writes the extension elements of a page: links to other languages, items, and
 *	  ready-made XML.
 */
#ifndef SM_ELEMENT_H
#define SM_ELEMENT_H

#include "core/url.h"
#include "entry/entry.h"
#include "entry/rules.h"
#include "lib/stringinfo.h"
#include "server/problem.h"

/* Where extension elements are written, and how. */
typedef struct SmElementWriter
{
	StringInfo	buf;
	int			start;			/* where the page's elements begin in buf */
	bool		ascii;			/* write characters outside ASCII as
								 * references */
	const SmUrlBase *base;		/* relative URLs are resolved against it;
								 * NULL: they are invalid */
	SmUrlCache *cache;
	SmRules    *rules;			/* state of the rules for the page; NULL for
								 * an element without a page, such as the
								 * result of sitemap_image */
	SmProblems *problems;
	SmProblemName problem;		/* of the element that is being written */
} SmElementWriter;

/* Are the elements of the page too large for any document? */
static inline bool
sm_elements_too_large(const SmElementWriter *w)
{
	return w->buf->len - w->start > SM_MAX_BYTES;
}

/*
 * The functions below append an element, and return false for a problem; then buf and
 * the rules are unchanged.
 */

/* A link to the page in another language. */
extern bool sm_append_alternate(SmElementWriter *w, const SmLink *link);

/* An image that is only a URL. */
extern bool sm_append_image(SmElementWriter *w, SmSpan loc);

/*
 * Ready-made XML.  It has to be well-formed, without elements in the namespace of
 * sitemaps.  Line breaks and tabs become references in text and spaces in tags;
 * backslashes become references.  Comments and instructions with any of these, with
 * "</url>", or with characters that would have to become references, are dropped.  In a
 * database that is not UTF-8, functions such as sitemap_image write a character outside
 * ASCII as a reference.  In a file each such reference becomes the character, as in a file
 * from a UTF-8 database.
 */
extern bool sm_append_fragment(SmElementWriter *w, SmSpan xml);

/*
 * Append a URL to an element.  An absolute URL is limited only by the document.  A
 * relative URL is resolved against the base; then *url becomes absolute.  what: noun
 * phrase for the URL in a problem.
 */
extern bool sm_append_url(SmElementWriter *w, SmSpan *url, const char *what);

/*
 * Read a JSON object of languages and URLs, and return the number of links; a
 * null URL is left out.  what: noun phrase for the object in a problem.
 */
extern int	sm_read_alternates(Datum object, SmLink **links, SmProblems *problems,
							   const char *what);

#endif
