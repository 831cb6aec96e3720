/*
 * robotstxt.h
 *	  robots.txt: which rule decides whether a crawler may fetch a URL, by RFC 9309.
 *
 * Nothing is allocated: the caller provides the memory, and keeps the text.
 */
#ifndef SM_ROBOTSTXT_H
#define SM_ROBOTSTXT_H

#include <stdint.h>

#include "audit/robotsline.h"

/* Bytes of memory for each byte that is read: a short rule takes most. */
#define SM_ROBOTS_BYTE	11

/* A set of agents: a bit for each. */
typedef uint64_t SmRobotsAgents;

#define SM_ROBOTS_MAX_AGENTS	64

/* The most agents that sm_robots_init adds: crawlers that stand in for others. */
#define SM_ROBOTS_STAND_INS		5

/* The octets and pairs of octets in a text, see robotstxt.c. */
typedef struct SmRobotsContents
{
	uint64_t	octets;
	uint64_t	pairs;
} SmRobotsContents;

typedef struct SmRobotsRule
{
	/* private */
	SmRobotsContents contents;	/* of key */
	const uint8_t *key;			/* the path in symbols, see robotstxt.c */
	uint32_t	key_len;
	uint32_t	length;			/* octets of the encoded path: the longest
								 * wins */

	/* public */
	SmRobotsAgents agents;		/* agents that obey the rule */
	SmSpan		text;			/* of the line */
	uint32_t	line;
	bool		allow;
} SmRobotsRule;

/* What a URL is fetched as. */
typedef enum SmRobotsUse
{
	SM_ROBOTS_PAGE,
	SM_ROBOTS_IMAGE,
	SM_ROBOTS_VIDEO,
	SM_ROBOTS_NEWS,
	SM_ROBOTS_NUSES
} SmRobotsUse;

/* Uses as a set. */
#define SM_ROBOTS_FOR(use)	(1U << (use))

/* A crawler. */
typedef struct SmRobotsAgent
{
	SmSpan		name;
	const SmRobotsRule *rule;	/* result of the last sm_robots_match: the
								 * rule that decides on the URL, or NULL if no
								 * rule matches and the URL is allowed */
	unsigned int uses;			/* SM_ROBOTS_FOR(...) that it fetches for: no
								 * images for Googlebot, if the robots.txt
								 * names Googlebot-Image */

	/* private */
	SmSpan		token;			/* name whose groups the agent obeys, maybe
								 * "*"; empty for none */
} SmRobotsAgent;

/* The rules that crawlers obey. */
typedef struct SmRobots
{
	SmSpan		text;
	SmRobotsAgent *agents;
	uint32_t	nagents;		/* those that sm_robots_init got, then
								 * stand-ins */

	/* private */
	uint32_t	nrules;
	SmRobotsRule *rules;		/* sorted: of the rules that match a URL, the
								 * first that an agent obeys decides */
	uint64_t	steps;			/* steps of comparisons since the last check
								 * for interrupts */
	void		(*check_interrupts) (void);
} SmRobots;

/*
 * Compile the rules of a robots.txt, of which SM_ROBOTS_MAX bytes are read.  agents: nagents with
 * their names set, and room for SM_ROBOTS_STAND_INS more; together at most
 * SM_ROBOTS_MAX_AGENTS.  check_interrupts: function to call now and then; if it does not
 * return, robots cannot be used again.  memory: SM_ROBOTS_MEMORY(text.len) bytes, aligned as
 * by malloc.
 */
#define SM_ROBOTS_MEMORY(len)	(SM_ROBOTS_BYTE * ((len) < SM_ROBOTS_MAX ? (len) : SM_ROBOTS_MAX))

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
