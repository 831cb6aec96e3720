/*
 * robots.h
 *	  robots.txt, RFC 9309: which rule decides whether a crawler may fetch a URL.
 *
 * Nothing is allocated: the caller provides the memory, and keeps the text.
 */
#ifndef SM_ROBOTS_H
#define SM_ROBOTS_H

#include <stdint.h>

#include "core/span.h"

/*
 * The longest robots.txt, in bytes, so short that no size here overflows.  RFC 9309
 * requires crawlers to read at least 500 KiB; Google reads no more than that.
 */
#define SM_ROBOTS_MAX	(4 * 1024 * 1024)

typedef enum SmRobotsKey
{
	SM_ROBOTS_AGENT,
	SM_ROBOTS_ALLOW,
	SM_ROBOTS_DISALLOW,
	SM_ROBOTS_SITEMAP
} SmRobotsKey;

typedef struct SmRobotsReader
{
	/* the line just read */
	SmRobotsKey key;
	SmSpan		value;			/* without the comment and the blanks around
								 * it */
	uint32_t	line;			/* its number, counted from 1 */

	/* private */
	const char *p;
	const char *end;
} SmRobotsReader;

/* A set of agents: a bit for each. */
#define SM_ROBOTS_AGENT_WORDS	2
#define SM_ROBOTS_MAX_AGENTS	(64 * SM_ROBOTS_AGENT_WORDS)

typedef struct SmRobotsAgents
{
	uint64_t	bits[SM_ROBOTS_AGENT_WORDS];
} SmRobotsAgents;

/* The octets and pairs of octets in a text, see robots.c. */
typedef struct SmRobotsContents
{
	uint64_t	octets;
	uint64_t	pairs;
} SmRobotsContents;

typedef struct SmRobotsRule
{
	/* private */
	SmRobotsContents contents;	/* of key */
	SmRobotsAgents agents;		/* agents that obey the rule */
	const uint8_t *key;			/* the path in symbols, see robots.c */
	uint32_t	key_len;
	uint32_t	length;			/* octets of the encoded path: the longest
								 * wins */

	/* public */
	SmSpan		path;			/* as written in the line */
	uint32_t	line;
	bool		allow;
} SmRobotsRule;

/* A crawler. */
typedef struct SmRobotsAgent
{
	SmSpan		name;
	const SmRobotsRule *rule;	/* result of the last sm_robots_match: the
								 * rule that decides on the URL, or NULL if no
								 * rule matches and the URL is allowed */
} SmRobotsAgent;

/* The rules that crawlers obey. */
typedef struct SmRobots
{
	SmSpan		text;
	SmRobotsAgent *agents;
	uint32_t	nagents;

	/* private */
	SmRobotsAgents all;
	SmRobotsAgents unnamed;		/* agents that no group names: they obey the
								 * groups for "*" */
	uint32_t	nrules;
	SmRobotsRule *rules;		/* sorted: of the rules that match a URL, the
								 * first that an agent obeys decides */
	uint64_t	steps;			/* steps of comparisons since the last check
								 * for interrupts */
	void		(*check_interrupts) (void);
} SmRobots;

/* Begin to read a robots.txt line by line. */
extern void sm_robots_reader_init(SmRobotsReader *r, const char *text, size_t len);

/* Read the next line that has one of the keys; false at the end. */
extern bool sm_robots_next(SmRobotsReader *r);

/* Is it a product token, the name of a crawler in a robots.txt? */
extern bool sm_robots_is_token(const char *s, size_t len);

/*
 * Compile the rules of a robots.txt of at most SM_ROBOTS_MAX bytes.  agents: at most
 * SM_ROBOTS_MAX_AGENTS, with their names set.  check_interrupts: function to call now and
 * then; if it does not return, robots cannot be used again.  memory:
 * SM_ROBOTS_MEMORY(text.len) bytes, aligned as by malloc.
 */
#define SM_ROBOTS_MEMORY(len)	(11 * (len))

extern void sm_robots_init(SmRobots *robots, SmSpan text, SmRobotsAgent *agents, uint32_t nagents,
						   void (*check_interrupts) (void), void *memory);

/*
 * Find the rule of each agent that decides on a URL.  path: path, query and fragment of
 * the URL, percent-encoded or not; the fragment is ignored.  room: SM_ROBOTS_ROOM(len)
 * bytes to work in.
 */
#define SM_ROBOTS_ROOM(len)	(3 * (len) + 2)

extern void sm_robots_match(SmRobots *robots, const char *path, size_t len, void *room);

#endif
