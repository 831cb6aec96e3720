/*
 * page.h
 *	  The rules that extension elements have with regard to their page.
 */
#ifndef SM_PAGE_H
#define SM_PAGE_H

#include "core/xmlreader.h"
#include "lib/stringinfo.h"
#include "problem.h"
#include "sitemap.h"

/* A link to the page in another language. */
typedef struct SmAlternate
{
	SmSpan		hreflang;		/* in lower case */
	SmSpan		href;			/* s is NULL if there is none */
	bool		is_raw;			/* href is as in XML, references and all */
} SmAlternate;

/* Takes a URL of the page's images and videos; what says which of them it is. */
typedef void (*SmFoundMedia) (void *arg, const char *what, SmSpan url);

/* What the extensions of one URL say as a whole; zero-initialized is empty. */
typedef struct SmPage
{
	SmSpan		loc;			/* of the page, as written in its <loc> */
	uint32		namespaces;		/* prefixes that are left to the document,
								 * SM_NS_… */
	int			images;
	int			news;
	SmSpan		news_date;		/* when the news was published; s is NULL if
								 * it does not say */
	int			nalternates;
	int			max_alternates;
	SmAlternate *alternates;	/* those so far */
	struct languages_hash *languages;	/* theirs; NULL if there are none */
	SmFoundMedia found_media;	/* NULL if nobody wants to know */
	void	   *found_media_arg;
} SmPage;

/* Where in an extension a reader is, as far as rules depend on it. */
typedef struct SmPlace
{
	uint32		top;			/* namespace of the outermost element, SM_NS_… */
	const struct ValueElement *inside;	/* the element right in it whose value
										 * matters, or NULL */
	StringInfoData value;		/* that one's, so far */
} SmPlace;

/* Remember an image, or a link, of the page; false if it breaks a rule. */
extern bool sm_page_add_image(SmPage *page, SmSpan url, SmProblems *problems);
extern bool sm_page_add_alternate(SmPage *page, const SmLink *link, SmProblems *problems);

/*
 * Check a token of an extension, and remember what it says of the page.  False
 * if it is a problem.
 */
extern bool sm_page_check(SmPage *page, SmPlace *place, const SmXmlReader *r,
						  SmXmlToken token, SmProblems *problems);

/* Forget an extension: page becomes what it was before. */
extern void sm_page_restore(SmPage *page, const SmPage *before);

#endif
