/*
 * suspect.h
 *	  What in a URL or text looks like a mistake of the program that made it: values that
 *	  were missing, placeholders of templates, HTML, and characters that nobody sees.
 */
#ifndef SM_SUSPECT_H
#define SM_SUSPECT_H

#include <stdint.h>

#include "text/span.h"

typedef enum SmPlace
{
	/* parts of a URL, which patterns match as a whole */
	SM_HOST,
	SM_FIRST_SEGMENT,			/* of the path, or below the base URL */
	SM_SEGMENT,					/* of the path */
	SM_LAST_SEGMENT,			/* of the path of a page: a segment, too */
	SM_PARAMETER,				/* "name=value" of the query */
	SM_VALUE,					/* of a parameter */
	SM_ORIGIN,					/* the host, which is looked at once a set */
	/* texts, of which patterns match pieces */
	SM_WITHIN_PATH,
	SM_WITHIN_QUERY,			/* or the fragment */
	SM_WITHIN_TEXT,				/* a title, caption, name or description */
	SM_NPLACES
} SmPlace;

/* Places as a set. */
#define SM_AT(place)	(1 << (place))

typedef struct SmSuspicion
{
	const char *sentence;		/* its values are a noun phrase for the URL or
								 * text, and what was found */
	int64_t		places;			/* SM_AT(...) */
	const char *patterns;		/* a list, see pattern.h */
	const char *except;			/* patterns: no finding where they match */
	const char *example;		/* a path, or a host for SM_HOST and SM_ORIGIN */
	const char *counterexample;
	bool		is_words;		/* the part may also quote or repeat the
								 * patterns, or add the suffix of a file */
	bool		has_hash;		/* a "#" in it begins no fragment */
	bool		is_number;		/* unless the set has pages with other numbers */
} SmSuspicion;

/*
 * The table, in suspicions.c.  Of several in a URL, the first is reported.  Ends with a
 * sentence of NULL.
 */
extern const SmSuspicion sm_suspicions[];

/* Characters by which most texts are told from all patterns. */
#define SM_BEGINNING	6

/* The beginnings of all patterns. */
typedef struct SmSuspects
{
	/* by place, number of a character, and character: the patterns, as bits */
	uint64_t	beginnings[SM_NPLACES][SM_BEGINNING][256];
	bool		ends[SM_NPLACES][256];	/* last bytes of patterns without a
										 * beginning */
} SmSuspects;

extern void sm_suspects_init(SmSuspects *suspects);

/* Traits of a URL. */
#define SM_MAY_BE_SUSPECT	0x01	/* perhaps something for sm_url_suspect */
#define SM_MAY_VARY			0x02	/* perhaps its path and query are not in
									 * canonical form */

/* The traits of a URL in plain form, from its path on, or from its host on. */
extern unsigned int sm_url_traits(const SmSuspects *suspects, const char *s, const char *end);

/* The longest URL that is looked at, and what is looked at of a text, in bytes. */
#define SM_LOOK_MAX		100000

/* Stands for no character. */
#define SM_NO_CHARACTER		UINT32_MAX

typedef struct SmSuspect
{
	const SmSuspicion *what;	/* NULL for none */
	SmSpan		text;			/* percent-decoded, valid UTF-8 without
								 * invisible characters; in room or in the URL */
	uint32_t	invisible;		/* the first character that nobody sees, else
								 * SM_NO_CHARACTER */
} SmSuspect;

/*
 * Look at a URL in plain form, which sm_url_encode wrote.  base_len: length of the base
 * URL that the URL begins with, 0 for none.  is_page: the URL is a loc.  room: url.len bytes to
 * work in, SM_LOOK_MAX at most.
 */
extern void sm_url_suspect(const SmSuspects *suspects, SmSpan url, size_t base_len, bool is_page,
						   char *room, SmSuspect *found);

/* Look at the host of a URL, for what is looked at once a set. */
extern void sm_host_suspect(const SmSuspects *suspects, SmSpan host, SmSuspect *found);

/* Look at a title, caption, name or description, or at a loc that is no URL. */
extern void sm_text_suspect(const SmSuspects *suspects, SmSpan text, SmSuspect *found);

/*
 * Is a page one of numbered pages, such as "/12", "/12.html" and "/en/12/"?  base_len: as
 * above.
 */
extern bool sm_url_is_numbered(SmSpan url, size_t base_len);

#endif
