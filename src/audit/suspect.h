/*
 * suspect.h
 *	  What in a URL looks like a mistake of the program that made it: values that were
 *	  missing, placeholders of templates, HTML, and characters that nobody sees.
 */
#ifndef SM_SUSPECT_H
#define SM_SUSPECT_H

#include <stdint.h>

#include "audit/pattern.h"
#include "audit/suspicions.h"
#include "text/span.h"

/* Traits of a URL. */
#define SM_MAY_BE_SUSPECT	0x01	/* perhaps something for sm_url_suspect */
#define SM_MAY_VARY			0x02	/* perhaps its path and query are not in
									 * canonical form */
#define SM_HAS_FRAGMENT		0x04
#define SM_HAS_ENTITIES		0x08	/* or "&" itself; then the other traits
									 * are those of the plain form only */

/* One of the patterns of a suspicion. */
typedef struct SmPattern
{
	const SmSuspicion *what;
	const char *pattern;
} SmPattern;

/* more than the table has */
#define SM_MAX_PATTERNS		250

/* The patterns of all suspicions, by sm_pattern_byte. */
typedef struct SmSuspects
{
	uint16_t	places[2 * SM_AT_END];	/* of the patterns with a byte */
	uint32_t	seconds[2 * SM_AT_END]; /* their second characters, as bits */
	uint16_t	first[2 * SM_AT_END + 1];	/* the first of them */
	SmPattern	patterns[SM_MAX_PATTERNS];
	const SmSuspicion *coded[SM_FIND_MISREAD_UTF8 + 1]; /* by finder */
} SmSuspects;

extern void sm_suspects_init(SmSuspects *suspects);

/*
 * The traits of a URL, from its path on, or from its host on.  own_host: the host of the
 * site without "www."; a path that begins with it, or with both, is suspect.
 */
extern unsigned int sm_url_traits(const SmSuspects *suspects, const char *s, const char *end,
								  SmSpan own_host);

/* Stands for no character. */
#define SM_NO_CHARACTER		UINT32_MAX

typedef struct SmSuspect
{
	const SmSuspicion *what;	/* NULL for none */
	SmSpan		text;			/* percent-decoded, valid UTF-8 without
								 * control characters; in room or in the URL */
	uint32_t	control;		/* the first control character or
								 * noncharacter, else SM_NO_CHARACTER */
	uint32_t	invisible;		/* the first other character that nobody sees,
								 * else SM_NO_CHARACTER */
} SmSuspect;

/*
 * Look at a URL in plain form, which sm_url_encode wrote.  base_len: length of the base
 * URL that the URL begins with, 0 for none.  own_host: as above, or empty for a URL that
 * is not a loc.  room: url.len bytes to work in.
 */
extern void sm_url_suspect(const SmSuspects *suspects, SmSpan url, size_t base_len, SmSpan own_host,
						   char *room, SmSuspect *found);

/* Look at the host of a URL, for what is looked at once a set. */
extern void sm_host_suspect(const SmSuspects *suspects, SmSpan host, SmSuspect *found);

/* Look at a title, caption, name or description. */
extern void sm_text_suspect(const SmSuspects *suspects, SmSpan text, SmSuspect *found);

/* Find the characters that nobody sees in a loc that is no URL. */
extern void sm_loc_suspect(const SmSuspects *suspects, SmSpan loc, SmSuspect *found);

/*
 * Is a page one of numbered pages, such as "/12", "/12.html" and "/en/12/"?  base_len: as
 * above.
 */
extern bool sm_url_is_numbered(SmSpan url, size_t base_len);

#endif
