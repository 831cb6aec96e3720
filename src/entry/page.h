/*
 * page.h
 *	  Rules for the extension elements of a page.
 */
#ifndef SM_PAGE_H
#define SM_PAGE_H

#include "core/xmlreader.h"
#include "entry/entry.h"
#include "lib/stringinfo.h"
#include "server/problem.h"

/* A link to the page in another language. */
typedef struct SmAlternate
{
	SmSpan		hreflang;		/* in lower case */
	SmSpan		href;			/* s is NULL if there is none */
	bool		is_raw;			/* href is as in XML, references and all */
} SmAlternate;

/*
 * Called for each URL of an image or a video.  what: noun phrase for the URL.
 */
typedef void (*SmFoundMedia) (void *arg, const char *what, SmSpan url);

/* What the extensions of a page say about it.  Begins as all zeros. */
typedef struct SmPage
{
	SmSpan		loc;			/* of the page, as written in its <loc> */
	SmSpan		loc_text;		/* loc with references resolved; s is NULL
								 * until needed */
	uint32		namespaces;		/* namespaces that the document has to
								 * declare, SM_NS_… */
	int			images;
	int			news;
	SmSpan		news_date;		/* publication date of the news; s is NULL if
								 * not given */
	int			nalternates;
	int			max_alternates;
	SmAlternate *alternates;	/* links so far */
	struct languages_hash *languages;	/* languages of the links; NULL if
										 * there are none */
	StringInfoData value;		/* value of the element being checked */
	SmFoundMedia found_media;	/* NULL if URLs of media are not needed */
	void	   *found_media_arg;
} SmPage;

/* The position of a reader in an extension. */
typedef struct SmPlace
{
	uint32		top;			/* namespace of the outermost element, SM_NS_… */
	const struct ValueElement *inside;	/* the child whose value is being
										 * read, or NULL */
} SmPlace;

/* Add an image or a link of the page.  Returns false if it breaks a rule. */
extern bool sm_page_add_image(SmPage *page, SmSpan url, SmProblems *problems);
extern bool sm_page_add_alternate(SmPage *page, const SmLink *link, SmProblems *problems);

/*
 * Check a token of an extension, and record what it says about the page.
 * Returns false for a problem.
 */
extern bool sm_page_check(SmPage *page, SmPlace *place, const SmXmlReader *r,
						  SmXmlToken token, SmProblems *problems);

/* Forget an extension: reset page to "before", a copy made before it. */
extern void sm_page_restore(SmPage *page, const SmPage *before);

#endif
