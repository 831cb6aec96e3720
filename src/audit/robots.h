/*
 * robots.h
 *	  What a robots.txt forbids: pages of a set, their images, videos and alternates,
 *	  and the files of the set.
 */
#ifndef SM_AUDIT_ROBOTS_H
#define SM_AUDIT_ROBOTS_H

#include "audit/pages.h"
#include "audit/robotstxt.h"
#include "files/options.h"

typedef struct SmAuditRobots SmAuditRobots;

/*
 * Compile robots_txt for the agents of these names, an array of text.  Returns NULL if
 * robots_txt is NULL.  Raises an error if it is too long, or if a name is not a product
 * token.  Problems of URLs with the origin of base go to findings.
 */
extern SmAuditRobots *sm_audit_robots_begin(const text *robots_txt, Datum names, const SmUrlBase *base,
											SmFindings *findings);

/*
 * Check a URL of a row, in canonical form.  use: what it is fetched as.  what: noun phrase
 * for the URL, NULL for the page itself.
 */
extern void sm_audit_robots_check(SmAuditRobots *robots, int64 row_number, SmRobotsUse use,
								  const char *what, SmSpan url);

/*
 * Check the set as a whole: its files and the Sitemap lines.  nentries: number of its
 * entries.
 */
extern void sm_audit_robots_check_set(SmAuditRobots *robots, const SmOptions *options,
									  int64 nentries);

#endif
