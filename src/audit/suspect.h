/*
 * suspect.h
 *	  What in a URL looks like a mistake of the program that made it: values that were
 *	  missing, placeholders of templates, HTML, and characters that nobody sees.
 */
#ifndef SM_SUSPECT_H
#define SM_SUSPECT_H

#include <stdint.h>

#include "text/span.h"

/* Traits of a URL. */
#define SM_MAY_BE_SUSPECT	0x01	/* perhaps something for sm_url_suspect */
#define SM_MAY_VARY			0x02	/* perhaps its path and query are not in
									 * canonical form */
#define SM_HAS_FRAGMENT		0x04
#define SM_HAS_ENTITIES		0x08	/* or "&" itself; then the other traits
									 * are those of the plain form only */

/*
 * The traits of a URL, from its path on, or from its host on.  own_host: the host of the
 * site; a path that begins with it is suspect.
 */
extern unsigned int sm_url_traits(const char *s, const char *end, SmSpan own_host);

/* Kinds of mistakes; of several in a URL, the first of this list is found. */
typedef enum SmSuspicion
{
	SM_NOT_SUSPECT,
	SM_URL_IN_PATH,				/* text: the URL, or its beginning */
	SM_PLACEHOLDER,				/* text: the placeholder */
	SM_MISSING_HOST,			/* text: the host or its first label */
	SM_MISSING_SEGMENT,			/* text: the segment of the path */
	SM_MISSING_VALUE,			/* text: the value of a query parameter */
	SM_HTML_ENTITY,				/* text: the entity */
	SM_BACKSLASH,				/* in the path */
	SM_LOST_CHARACTER,			/* U+FFFD */
	SM_MISREAD_UTF8,			/* text: the characters */
	SM_BLANK_AT_END,			/* text: the segment or value */
	SM_EMPTY_SEGMENT			/* in the path */
} SmSuspicion;

/* Stands for no character. */
#define SM_NO_CHARACTER		UINT32_MAX

typedef struct SmSuspect
{
	SmSuspicion what;
	SmSpan		text;			/* percent-decoded, valid UTF-8 without
								 * control characters; in room or in the URL */
	uint32_t	control;		/* the first control character or
								 * noncharacter, else SM_NO_CHARACTER */
	uint32_t	invisible;		/* the first other character that nobody sees,
								 * else SM_NO_CHARACTER */
} SmSuspect;

/*
 * Look at a URL in plain form, which sm_url_encode wrote.  base_len: length of the base
 * URL that the URL begins with, 0 for none.  own_host: as above, or empty.  room: url.len
 * bytes to work in.
 */
extern void sm_url_suspect(SmSpan url, size_t base_len, SmSpan own_host, char *room,
						   SmSuspect *found);

/* Find the characters that nobody sees in a text that is no URL. */
extern void sm_text_suspect(SmSpan text, SmSuspect *found);

#endif
