/*
 * fragment.h
 *	  XML values on their way into a document: extension elements, and whole
 *	  <url> elements taken apart into the values that they were made of.
 */
#ifndef SM_FRAGMENT_H
#define SM_FRAGMENT_H

#include "lib/stringinfo.h"
#include "problem.h"
#include "sitemap.h"

/* A link to the page in another language. */
typedef struct SmAlternate
{
	SmSpan		hreflang;		/* in lower case */
	SmSpan		href;			/* raw; s is NULL if there is none */
} SmAlternate;

/* What the extensions of one URL say as a whole; zero-initialized is empty. */
typedef struct SmExtensions
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
} SmExtensions;

/*
 * Append an extension to buf: well-formed XML whose elements are in namespaces
 * of their own.  What would break a line is written as a reference; comments
 * that have it are left out.  With ascii, characters outside it become references
 * too; without, what a database that is not UTF-8 had to write as references
 * becomes characters again, so that a file is the same from every database.
 * Where a problem is skipped, buf and extensions are as before.
 */
extern bool sm_append_extension(StringInfo buf, SmSpan xml, bool ascii,
								SmExtensions *extensions, SmProblems *problems);

/*
 * Take a <url> element apart into a row.  Its spans point into xml or into the
 * current memory context.  Where problems are reported, false means that it could
 * not be read to its end; and a row can lack a loc.
 */
extern bool sm_read_url(SmSpan xml, SmRow *row, SmProblems *problems);

#endif
