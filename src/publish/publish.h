/*
 * publish.h
 *	  sitemap_publish, for a job.
 */
#ifndef SM_PUBLISH_PUBLISH_H
#define SM_PUBLISH_PUBLISH_H

#include "server/argument.h"

/* What a run has done. */
typedef struct SmPublished
{
	int64		url_count;		/* of the set */
	int			nfiles;			/* of the set */
	int			written;		/* files inserted, updated or deleted */
	bool		is_full;		/* were all rows read? */
	int64		missed;			/* files that changed, although "changes"
								 * returned no key of them; -1 for not counted */
	int64		skipped;		/* rows that were invalid */
	const char *reason;			/* why a run with changes read all rows, or
								 * why there are no URLs; NULL for neither */
} SmPublished;

/*
 * Publish the section of a job, whose row has the arguments of sitemap_publish, "since" among
 * them.  jobs: the name of the table of jobs, for hints; reads_all: read all rows, whatever
 * "changes" returns; counts_missed: then count the files that it missed.
 */
extern void sm_publish_job(const char *jobs, const SmArguments *args, bool reads_all,
						   bool counts_missed, SmPublished *published);

#endif
