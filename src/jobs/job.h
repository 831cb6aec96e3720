/*
 * job.h
 *	  A table of jobs: its columns, its rows, when a job is due, and who runs it.
 */
#ifndef SM_JOBS_JOB_H
#define SM_JOBS_JOB_H

#include "datatype/timestamp.h"
#include "server/lock.h"
#include "server/table.h"

/* The columns of sitemap_job: of the user, then of sitemap_run. */
typedef enum SmJobColumn
{
	SM_JOB_TARGET,
	SM_JOB_QUERY,
	SM_JOB_BASE_URL,
	SM_JOB_SECTION,
	SM_JOB_FORMAT,
	SM_JOB_COMPRESSION,
	SM_JOB_MAX_URLS,
	SM_JOB_MAX_BYTES,
	SM_JOB_SPLIT,
	SM_JOB_INDEX,
	SM_JOB_ON_INVALID,
	SM_JOB_SCOPE,
	SM_JOB_STYLESHEET,
	SM_JOB_PROTOCOL,
	SM_JOB_MAX_SHRINK,
	SM_JOB_CHANGES,
	SM_JOB_FEED,
	SM_JOB_DIRECTORY,
	SM_JOB_EVERY,
	SM_JOB_FULL_EVERY,
	SM_JOB_REQUESTED,
	SM_JOB_STARTED,
	SM_JOB_SINCE,
	SM_JOB_FINISHED,
	SM_JOB_FULL_AT,
	SM_JOB_URLS,
	SM_JOB_FILES,
	SM_JOB_WRITTEN,
	SM_JOB_MISSED,
	SM_JOB_SKIPPED,
	SM_JOB_SECONDS,
	SM_JOB_REASON,
	SM_JOB_ERROR,
	SM_JOB_FAILURES,
	SM_JOB_NCOLUMNS
} SmJobColumn;

extern const SmTableColumn sm_job_columns[SM_JOB_NCOLUMNS];

/* A row of a table of jobs. */
typedef struct SmJob
{
	NullableDatum values[SM_JOB_NCOLUMNS];
} SmJob;

/*
 * Open a table of jobs, locked to the end of the transaction.  Raises an error unless it has
 * the columns of sitemap_job.
 */
extern void sm_jobs_open(SmTable *table, Oid relid, LOCKMODE lockmode);

/* Copy the values of a row, detoasted, into the current memory context. */
extern void sm_job_copy(SmJob *job);

/* A column of a row: NULL, the value that is given, or -infinity, where the column is NULL. */
static inline bool
sm_job_has(const SmJob *job, SmJobColumn column)
{
	return !job->values[column].isnull;
}

extern char *sm_job_text(const SmJob *job, SmJobColumn column);
extern int64 sm_job_integer(const SmJob *job, SmJobColumn column, int64 if_null);
extern TimestampTz sm_job_time(const SmJob *job, SmJobColumn column);

/*
 * The time from which a call runs a job; now if that is the next call.
 *
 * "every" has to pass after a success.  After a failure, or an attempt without a result, the job
 * is due at once; from the third failure in a row on, only after 2 minutes, then 4, 8, ..., at
 * most an hour.  A request ends any wait.  If the clock was set back, times in the future do
 * not count.
 */
extern TimestampTz sm_job_next_run(const SmJob *job, TimestampTz now);

/* Has "full_every", or a day, passed since the last run of all pages? */
extern bool sm_job_is_full_due(const SmJob *job, TimestampTz now);

/* Did the last attempt not succeed?  It runs, failed, or left no result. */
extern bool sm_job_is_unfinished(const SmJob *job);

/* The lock of a job's section. */
extern LOCKTAG sm_job_lock_tag(const SmJob *job);

/*
 * The process of another session that holds that lock: 0 for a prepared transaction,
 * SM_NO_PUBLISHER for none.
 */
#define SM_NO_PUBLISHER		(-1)
extern int	sm_job_publisher(const SmJob *job);

#endif
