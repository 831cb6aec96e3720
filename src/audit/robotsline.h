/*
 * robotsline.h
 *	  The lines of a robots.txt, read as RFC 9309 says or as Google's parser does.
 */
#ifndef SM_ROBOTSLINE_H
#define SM_ROBOTSLINE_H

#include <stdint.h>

#include "text/span.h"

/* The longest robots.txt, in bytes, so short that no size here overflows. */
#define SM_ROBOTS_MAX	(4 * 1024 * 1024)

/*
 * What Google's parser reads of a robots.txt, in bytes.  RFC 9309 requires all crawlers to
 * read as much.
 */
#define SM_ROBOTS_GOOGLE_MAX	(500 * 1024)

/* What it reads of a line, in bytes. */
#define SM_ROBOTS_GOOGLE_LINE	(8 * 2083 - 1)

/* How a crawler reads a robots.txt. */
typedef enum SmRobotsDialect
{
	SM_ROBOTS_RFC,				/* as RFC 9309 says */
	SM_ROBOTS_GOOGLE,			/* as Google's parser: with misspelled keys,
								 * comparing raw ASCII */
	SM_ROBOTS_NDIALECTS
} SmRobotsDialect;

typedef enum SmRobotsKey
{
	SM_ROBOTS_AGENT,
	SM_ROBOTS_ALLOW,
	SM_ROBOTS_DISALLOW,
	SM_ROBOTS_SITEMAP,
	SM_ROBOTS_OTHER				/* any other line, even an empty one */
} SmRobotsKey;

typedef struct SmRobotsReader
{
	/* the line just read */
	SmRobotsKey key;
	SmSpan		name;			/* of the key; s is NULL for a line without
								 * one */
	SmSpan		value;			/* without the comment and the blanks around
								 * it */
	SmSpan		text;			/* the whole line, likewise */
	uint32_t	line;			/* its number, counted from 1 */

	/* private */
	SmRobotsDialect dialect;
	const char *p;
	const char *end;
	bool		in_group;		/* did a line User-agent come before? */
} SmRobotsReader;

/* Begin to read a robots.txt line by line, as far as crawlers with the dialect do. */
extern void sm_robots_reader_init(SmRobotsReader *r, SmSpan text, SmRobotsDialect dialect);

/* Read the next line; false at the end. */
extern bool sm_robots_next(SmRobotsReader *r);

/*
 * Do crawlers ignore the line just read, by RFC 9309, although it seems to have one of the
 * keys?  It is a line without a colon, with a misspelled key, with a rule before the first
 * User-agent, or with a path that matches nothing.
 */
extern bool sm_robots_is_ignored(const SmRobotsReader *r);

/* Does the line just read tell crawlers anything? */
extern bool sm_robots_is_obeyed(const SmRobotsReader *r);

/* Is the line just read a rule?  It may have an empty path. */
static inline bool
sm_robots_is_rule(const SmRobotsReader *r)
{
	return r->key == SM_ROBOTS_ALLOW || r->key == SM_ROBOTS_DISALLOW;
}

/*
 * What the value of a User-agent names: the product token of a crawler, which a version may
 * follow, as in "Examplebot/2.1", or "*" for all crawlers that no group names.
 */
extern SmSpan sm_robots_token(SmSpan value);

/* Is it a product token? */
extern bool sm_robots_is_token(const char *s, size_t len);

#endif
