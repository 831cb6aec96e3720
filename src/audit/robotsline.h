/*
 * robotsline.h
 *	  The lines of a robots.txt, RFC 9309.
 */
#ifndef SM_ROBOTSLINE_H
#define SM_ROBOTSLINE_H

#include <stdint.h>

#include "text/span.h"

/*
 * What is read of a robots.txt, in bytes: what RFC 9309 requires of all crawlers, and Google
 * documents.
 */
#define SM_ROBOTS_MAX	(500 * 1024)

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
	SmSpan		value;			/* without the comment and the blanks around
								 * it */
	SmSpan		text;			/* the whole line, likewise */
	uint32_t	line;			/* its number, counted from 1 */

	/* private */
	const char *p;
	const char *end;
} SmRobotsReader;

/* Begin to read a robots.txt line by line. */
extern void sm_robots_reader_init(SmRobotsReader *r, SmSpan text);

/* Read the next line; false at the end. */
extern bool sm_robots_next(SmRobotsReader *r);

/*
 * What the value of a User-agent names: the product token of a crawler, which a version may
 * follow, as in "Examplebot/2.1", or "*" for all crawlers that no group names.
 */
extern SmSpan sm_robots_token(SmSpan value);

/* Is it a product token? */
extern bool sm_robots_is_token(const char *s, size_t len);

#endif
