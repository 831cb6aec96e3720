/*
 * writer.h
 *	  Writes a row as an entry: a <url>, a <sitemap>, or a line of a text sitemap.
 */
#ifndef SM_WRITER_H
#define SM_WRITER_H

#include "core/url.h"
#include "entry/entry.h"
#include "entry/rules.h"
#include "lib/stringinfo.h"
#include "server/problem.h"

/*
 * Called for a page whose row has a value in column "shown".  page->lastmod is that of the
 * row, 0 for none, and becomes that of the page.
 */
typedef void (*SmFindLastmod) (void *arg, SmShownPage *page);

typedef struct SmEntryWriter
{
	SmKind		kind;
	SmProtocol	protocol;
	bool		ascii;			/* write characters outside ASCII as
								 * references */
	const SmUrlBase *base;		/* NULL: any absolute URL is a valid loc */
	const SmUrlBase *link_base; /* relative URLs of images, videos and
								 * alternates are resolved against it; NULL:
								 * they are invalid */
	SmProblems	problems;
	SmRules    *rules;			/* receives what a row's extension elements
								 * say, or NULL */
	SmFindLastmod find_lastmod; /* or NULL */
	void	   *find_lastmod_arg;
	SmUrlCache	cache;
	SmUrlCache	link_cache;		/* for URLs that link_base resolves */
} SmEntryWriter;

/*
 * Prepare to write entries into an SQL value, in the encoding of the database.
 * Problems are raised as errors.
 */
extern void sm_entry_writer_init(SmEntryWriter *w, SmKind kind);

/*
 * Append a row to buf, checked, encoded and escaped, and describe it in entry.
 * Returns false if the row cannot be written; then buf is unchanged.  In report mode
 * the rest of the row is still checked, and entry gets its lastmod.
 */
extern bool sm_append_entry(SmEntryWriter *w, const SmRow *row, StringInfo buf,
							SmEntry *entry);

#endif
