/*
 * robots.h
 *	  robots.txt, RFC 9309: which rule decides whether a crawler may fetch a URL.
 *
 * Nothing is allocated: the caller gives the memory, and keeps the text.
 */
#ifndef SM_ROBOTS_H
#define SM_ROBOTS_H

#include <stdint.h>

#include "core/span.h"

/*
 * Longest robots.txt accepted; it keeps all sizes in here far from their limits.
 * RFC 9309 asks for 500 KiB at least; Google reads no more than that.
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
	SmSpan		value;			/* without its blanks and the comment */
	uint32_t	line;			/* its number, from 1 on */

	/* private */
	const char *p;
	const char *end;
} SmRobotsReader;

typedef struct SmRobotsRule
{
	bool		allow;
	uint32_t	line;
	SmSpan		path;			/* as the line has it */

	/* private */
	uint32_t	agent;			/* its number */
	bool		last;			/* the last rule of its node */
	uint32_t	length;			/* octets of the encoded path: the longest
								 * wins */
	uint32_t	key_len;
	const uint8_t *key;			/* the path in symbols, see robots.c */
} SmRobotsRule;

/* A crawler. */
typedef struct SmRobotsAgent
{
	SmSpan		name;
	const SmRobotsRule *rule;	/* result of the last sm_robots_match: the
								 * rule that decides on the URL, or NULL if no
								 * rule matches and the URL is allowed */

	/* private */
	bool		has_group;		/* by name, not just that of "*" */
	uint32_t	obeys;			/* number of the agent whose rules this agent
								 * obeys: its own, or that of the first agent
								 * without group */
} SmRobotsAgent;

/* The rules that crawlers obey. */
typedef struct SmRobots
{
	SmSpan		text;
	SmRobotsAgent *agents;
	uint32_t	nagents;

	/* private: see robots.c */
	const SmRobotsAgent *everybody; /* the first agent without group */
	uint64_t	nrules;
	uint64_t	nkeys;			/* symbols of all rules */
	uint32_t	nnodes;
	SmRobotsRule *rules;		/* sorted by key */
	uint32_t   *first;			/* by node: its first child */
	uint32_t   *rule;			/* by node: its first rule, if it has one */
	uint32_t   *places;			/* nodes that a walk is at */
	uint8_t    *label;			/* by node: the symbol that leads to it */
	uint8_t    *marks;			/* by node: its marks, see robots.c */
	uint8_t    *keys;
} SmRobots;

/* Begin to read a robots.txt line by line. */
extern void sm_robots_reader_init(SmRobotsReader *r, const char *text, size_t len);

/* Read the next line that has one of the keys; false at the end. */
extern bool sm_robots_next(SmRobotsReader *r);

/* Is it a product token, the name that a crawler has in a robots.txt? */
extern bool sm_robots_is_token(const char *s, size_t len);

/*
 * Begin with a robots.txt; len is at most SM_ROBOTS_MAX.  agents has room for all
 * agents that will be added.
 */
extern void sm_robots_init(SmRobots *robots, const char *text, size_t len,
						   SmRobotsAgent *agents);

/*
 * Add an agent, find the groups that it obeys, and return how many bytes of memory
 * the rules of all agents so far need.  sm_robots_compile takes at most 2^31 bytes.
 */
extern size_t sm_robots_add_agent(SmRobots *robots, const char *name, size_t len);

/* Compile the rules into memory that is aligned as by malloc. */
extern void sm_robots_compile(SmRobots *robots, void *memory);

/*
 * Find the rule of each agent that decides on a URL.  path is the URL from its path
 * on, percent-encoded or not; its fragment is passed over.  Long URLs and rules take
 * long: check_interrupts, which can be NULL, is called now and then.  If it does not
 * return, robots cannot be used again.
 */
extern void sm_robots_match(SmRobots *robots, const char *path, size_t len,
							void (*check_interrupts) (void));

#endif
