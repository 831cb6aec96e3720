/*
 * alternate.h
 *	  Links to a page in other languages.
 */
#ifndef SM_ALTERNATE_H
#define SM_ALTERNATE_H

#include "core/url.h"
#include "entry/entry.h"
#include "lib/stringinfo.h"
#include "server/problem.h"

/*
 * Append a link.  A relative href is resolved against base, unless base is NULL; then
 * link->href becomes absolute.  Returns false for a problem; then buf is unchanged.
 */
extern bool sm_append_alternate(StringInfo buf, SmLink *link, const SmUrlBase *base,
								SmUrlCache *cache, SmProblems *problems);

#endif
