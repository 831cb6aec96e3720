/*
 * rows.h
 *	  The statements of sitemap_run on the table of jobs.
 *
 * They find, lock and store rows; what the values mean is computed in C.  Each is prepared at
 * most once in a call.  Operators and functions are qualified, so no search_path matters, and
 * triggers of the table run under that of the caller.
 */
#ifndef SM_JOBS_ROWS_H
#define SM_JOBS_ROWS_H

#include "jobs/job.h"
#include "server/query.h"
#include "server/statement.h"

/* Which row a statement means: it is no longer there when another call has started the job. */
typedef struct SmJobKey
{
	char	   *base_url;
	char	   *section;
	TimestampTz started;		/* -infinity for NULL */
} SmJobKey;

/* The columns that a step writes. */
typedef enum SmJobStep
{
	SM_JOB_STARTS,
	SM_JOB_IS_PUBLISHED,
	SM_JOB_SUCCEEDS,
	SM_JOB_IS_PUBLISHED_AND_SUCCEEDS,
	SM_JOB_FAILS,
	SM_JOB_NSTEPS
} SmJobStep;

/* Private statements, and those of the steps after them. */
enum
{
	SM_ROWS_FIRST,
	SM_ROWS_FREE,
	SM_ROWS_LOCKED,
	SM_ROWS_ANY,
	SM_ROWS_SITE,
	SM_ROWS_STEPS,
	SM_ROWS_NSTATEMENTS = SM_ROWS_STEPS + SM_JOB_NSTEPS
};

typedef struct SmJobRows
{
	SmJobs		jobs;			/* open while statements run */
	MemoryContext context;		/* of the call */
	SmStatement *statements[SM_ROWS_NSTATEMENTS];
} SmJobRows;

/*
 * Give all rows to a receiver, with the columns that say when a job is due.  numbers: set to
 * those of the columns, for sm_job_read.
 */
extern void sm_rows_list(SmJobRows *rows, AttrNumber *numbers, SmReceiver *receiver);

/*
 * Lock a row.  Returns whether it is there, and for the first function, whether nobody else has
 * locked it; the other waits.  The columns of job are those of the schedule, and those that
 * sitemap_run writes.  Like all rows, it is valid as long as SPI stays connected.
 */
extern bool sm_rows_lock_free(SmJobRows *rows, const SmJobKey *key, SmJob *job);
extern bool sm_rows_lock(SmJobRows *rows, const SmJobKey *key, SmJob *job);

/*
 * Lock the first of n rows that is there and that nobody else has locked.  Returns its number,
 * or -1.
 */
extern int	sm_rows_lock_first(SmJobRows *rows, const SmJobKey *keys, int n);

/* Is a row there? */
extern bool sm_rows_has(SmJobRows *rows, const SmJobKey *key);

/* The jobs of a site: target, section, directory, started and files.  n: set to their number. */
extern SmJob *sm_rows_site(SmJobRows *rows, char *base_url, int *n);

/*
 * Write the columns of a step to a locked row.  The row of a start is read again, with what
 * triggers have made of it.  Raises an error unless one row was written.
 */
extern void sm_rows_write(SmJobRows *rows, const SmJobKey *key, SmJobStep step, SmJob *job);

#endif
