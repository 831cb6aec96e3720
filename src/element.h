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
	SmProblems	problems;
	SmPage	   *page;		/* gets what a row's extensions say, unless
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

/*
 * Raise an error if a URL could not be encoded for want of memory, which is no
 * problem of the row's, to be left out or listed.
 */
extern void sm_url_check_memory(SmUrlStatus status);

/*
 * Report that a URL was refused, with the SQLSTATE and hint of the status.
 * what names it in the message.
 */
extern bool sm_url_problem(SmProblems *problems, SmProblemName name, const char *what,
						   SmUrlStatus status);

/*
 * Append a date to buf as the protocol has it, and find the instant it stands
 * for.  *has_seconds is false if nothing was written: there is none, or a blank
 * text, or a problem that was skipped.  what names the value in a problem.
 */
extern void sm_append_date(StringInfo buf, SmLastmodType type, int64 value,
						   SmSpan text, SmProblems *problems,
						   const char *what, bool *has_seconds, int64 *seconds);

#endif
