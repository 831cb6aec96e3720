/*
 * suspicions.h
 *	  The table of what is suspicious in URLs and texts.
 */
#ifndef SM_SUSPICIONS_H
#define SM_SUSPICIONS_H

#include <stdbool.h>

/* Parts of a URL, which patterns match as a whole. */
#define SM_AT_HOST			0x01
#define SM_AT_SEGMENT		0x02	/* of the path */
#define SM_AT_LAST_SEGMENT	0x04	/* of the path of a page */
#define SM_AT_PARAMETER		0x08	/* "name=value" of the query */
#define SM_AT_VALUE			0x10	/* of a parameter */
#define SM_AT_ORIGIN		0x20	/* the host, which is looked at once a set */

/* Texts with pieces that patterns match. */
#define SM_WITHIN_PATH		0x40
#define SM_WITHIN_QUERY		0x80	/* or the fragment */
#define SM_WITHIN_TEXT		0x100	/* a title, caption, name or description */

#define SM_WITHIN_URL		(SM_WITHIN_PATH | SM_WITHIN_QUERY)

/* How a suspicion is found. */
typedef enum SmFinder
{
	SM_FIND_PATTERNS,
	SM_FIND_WORDS,				/* the patterns are words; the part may also
								 * quote or repeat them, or add the suffix of
								 * a file */
	/* by code in suspect.c, in parts that begin with the pattern */
	SM_FIND_URL,
	SM_FIND_EMPTY_SEGMENT,
	SM_FIND_MISREAD_UTF8
} SmFinder;

typedef struct SmSuspicion
{
	const char *sentence;		/* its values are a noun phrase for the URL or
								 * text, and what was found */
	int			places;			/* SM_AT_... and SM_WITHIN_... */
	const char *patterns;		/* a list, see pattern.h */
	const char *except;			/* patterns: no finding where they match */
	const char *example;		/* a path, or a host for SM_AT_HOST and
								 * SM_AT_ORIGIN */
	const char *counterexample;
	SmFinder	finder;
	bool		has_hash;		/* a "#" in it begins no fragment */
	bool		is_number;		/* unless the set has pages with other numbers */
} SmSuspicion;

/* Of several in a URL, the first is reported.  Ends with a sentence of NULL. */
extern const SmSuspicion sm_suspicions[];

#endif
