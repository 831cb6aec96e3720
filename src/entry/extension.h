/*
 * extension.h
 *	  Tools of the SQL functions that make elements of extensions: arguments, tags
 *	  and values.
 *
 * Functions that take the number of an argument take its name too, for messages.
 * A value that is NULL or blank counts as not given: its span's s is NULL.
 */
#ifndef SM_EXTENSION_H
#define SM_EXTENSION_H

#include "core/url.h"
#include "entry/entry.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "server/problem.h"

/* An element being written, and the call whose arguments it is made of. */
typedef struct SmExt
{
	FunctionCallInfo fcinfo;
	const char *prefix;
	bool		ascii;
	SmProblems	problems;		/* raised as errors */
	StringInfoData buf;			/* begins with room for a varlena header */
	SmUrlCache	cache;
} SmExt;

/* The values of an array argument, as UTF-8. */
typedef struct SmTextArray
{
	int			n;
	SmSpan	   *items;
} SmTextArray;

/* Begin an element whose tags have this prefix. */
extern void sm_ext_begin(SmExt *e, FunctionCallInfo fcinfo, const char *prefix);

/* The element as an xml value. */
extern Datum sm_ext_end(SmExt *e);

/* Begin a tag that is left open for attributes; ">" ends it. */
extern void sm_ext_begin_tag(SmExt *e, const char *tag);

extern void sm_ext_open_tag(SmExt *e, const char *tag);
extern void sm_ext_close_tag(SmExt *e, const char *tag);

/* Append a value to the element, escaped. */
extern void sm_ext_append_text(SmExt *e, const char *name, SmSpan text);
extern void sm_ext_append_url(SmExt *e, const char *name, SmSpan url);

/* Write an attribute, if its value is given. */
extern void sm_ext_attribute(SmExt *e, const char *attribute, const char *name, SmSpan text);

/* Write a tag and its value, which must be given. */
extern void sm_ext_text_tag(SmExt *e, const char *tag, SmSpan text);
extern void sm_ext_url_tag(SmExt *e, const char *tag, SmSpan url);

/* Write a tag named after the argument, if that is given. */
extern void sm_ext_flag_tag(SmExt *e, int n, const char *tag);
extern void sm_ext_date_tag(SmExt *e, int n, const char *tag);

/* Are all required arguments NULL? Then the element is NULL. */
extern bool sm_ext_all_null(FunctionCallInfo fcinfo, int nrequired);

/* A text argument. */
extern SmSpan sm_ext_text(SmExt *e, int n, const char *name);

/* A text argument that must be given. */
extern SmSpan sm_ext_required(SmExt *e, int n, const char *name);

/* An argument, a boolean or the text of a boolean, given back as "yes" or "no". */
extern SmSpan sm_ext_flag(SmExt *e, int n, const char *name);

/* An argument that is an array of any type. */
extern SmTextArray sm_ext_array(SmExt *e, int n, const char *name);

/* A value without the blanks around it; not given if nothing is left. */
extern SmSpan sm_ext_trimmed(SmSpan value);

/*
 * The value itself, blanks included.  A value counts as not given if it has
 * nothing but blanks and characters that XML does not allow.
 */
extern SmSpan sm_ext_unless_blank(SmSpan value);

/*
 * Find a value among choices, ignoring case, and return the choice.  The array of
 * choices ends with NULL.  Raises an error with the rule if no choice matches.
 */
extern SmSpan sm_ext_choose(const char *name, SmSpan value, const char *const *choices,
							const char *rule);

/*
 * Append the element of sitemap_image or sitemap_alternate for a plain value of a
 * query.  Returns false for a problem; then buf is unchanged.
 */
extern bool sm_append_image(StringInfo buf, SmSpan loc, SmUrlCache *cache,
							SmProblems *problems);
extern bool sm_append_alternate(StringInfo buf, const SmLink *link, SmUrlCache *cache,
								SmProblems *problems);

/* Raise an error: a value violates a rule. */
pg_noreturn extern void sm_ext_invalid(const char *name, SmSpan value, const char *rule);

/* Raise an error: a required value is not given. */
pg_noreturn extern void sm_ext_missing(const char *name);

#endif
