/*
 * element.h
 *	  A row becomes an entry: a <url>, a <sitemap>, or a line of a text sitemap.
 */
#ifndef SM_ELEMENT_H
#define SM_ELEMENT_H

#include "core/url.h"
#include "fragment.h"
#include "lib/stringinfo.h"
#include "problem.h"
#include "sitemap.h"

typedef struct SmElementWriter
{
	SmKind		kind;
	SmProtocol	protocol;
	bool		ascii;			/* references for all that is not ASCII */
	const SmUrlBase *base;		/* NULL: a loc must be absolute, and any will
								 * do */
	SmUrlCache	cache;
	SmUrlCache	link_cache;		/* of images and alternates */
	SmProblems	problems;
	SmPage	   *page;			/* gets what a row's extensions say, unless
								 * NULL */
} SmElementWriter;

/* Begin to write elements that go back into the database; a problem is an error. */
extern void sm_element_writer_init(SmElementWriter *w, SmKind kind);

/*
 * Append the row to buf, checked, encoded and escaped, and say what came of it.
 * False if the row has a problem that was skipped; then buf is as before.  Where
 * problems are reported, nothing is skipped before all of the row has been
 * looked at, and entry has its lastmod in any case.
 */
extern bool sm_append_entry(SmElementWriter *w, const SmRow *row, StringInfo buf,
							SmEntry *entry);

#endif
