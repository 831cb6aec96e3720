/*
 * robots.h
 *	  What a robots.txt forbids: pages of a set, their images, videos and alternates,
 *	  and the files of the set.
 */
#ifndef SM_AUDIT_ROBOTS_H
#define SM_AUDIT_ROBOTS_H

#include "audit/finding.h"
#include "audit/robotstxt.h"
#include "files/options.h"

/* The canonical form of a URL that sm_url_encode wrote, equal for all spellings of the URL. */
extern SmSpan sm_page(SmSpan url);

typedef struct SmAuditRobots SmAuditRobots;

/*
 * Read the arguments "robots" and "agents" of sitemap_audit.  Returns NULL without a
 * robots.txt.  Raises an error if it is too long, or if an agent is not a product token.
 * Problems go to findings.
 */
extern SmAuditRobots *sm_audit_robots_begin(const SmArguments *args, const SmUrlBase *base,
											SmFindings *findings);

/*
 * The following functions do nothing if robots is NULL.
 *
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
