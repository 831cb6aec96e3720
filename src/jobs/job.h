/*
 * job.h
 *	  A table of jobs: its columns, its rows, when a job is due, and who runs it.
 */
#ifndef SM_JOBS_JOB_H
#define SM_JOBS_JOB_H

#include "datatype/timestamp.h"
#include "server/lock.h"
#include "server/table.h"

/* The columns of sitemap_job, as SmTableColumn has them: of the user, then of sitemap_run. */
#define SM_JOB_COLUMNS(COLUMN) \
	COLUMN(SM_JOB_TARGET, .name = "target", .type = REGCLASSOID) \
	COLUMN(SM_JOB_QUERY, .name = "query", .type = TEXTOID) \
	COLUMN(SM_JOB_BASE_URL, .name = "base_url", .type = TEXTOID) \
	COLUMN(SM_JOB_SECTION, .name = "section", .type = TEXTOID) \
	COLUMN(SM_JOB_FORMAT, .name = "format", .type = TEXTOID) \
	COLUMN(SM_JOB_COMPRESSION, .name = "compression", .type = INT4OID) \
	COLUMN(SM_JOB_MAX_URLS, .name = "max_urls", .type = INT4OID) \
	COLUMN(SM_JOB_MAX_BYTES, .name = "max_bytes", .type = INT8OID) \
	COLUMN(SM_JOB_SPLIT, .name = "split", .type = TEXTOID) \
	COLUMN(SM_JOB_INDEX, .name = "index", .type = TEXTOID) \
	COLUMN(SM_JOB_ON_INVALID, .name = "on_invalid", .type = TEXTOID) \
	COLUMN(SM_JOB_SCOPE, .name = "scope", .type = TEXTOID) \
	COLUMN(SM_JOB_STYLESHEET, .name = "stylesheet", .type = TEXTOID) \
	COLUMN(SM_JOB_PROTOCOL, .name = "protocol", .type = TEXTOID) \
	COLUMN(SM_JOB_MAX_SHRINK, .name = "max_shrink", .type = FLOAT8OID) \
	COLUMN(SM_JOB_CHANGES, .name = "changes", .type = TEXTOID) \
	COLUMN(SM_JOB_FEED, .name = "feed", .type = REGCLASSOID) \
	COLUMN(SM_JOB_DIRECTORY, .name = "directory", .type = TEXTOID) \
	COLUMN(SM_JOB_EVERY, .name = "every", .type = INTERVALOID) \
	COLUMN(SM_JOB_FULL_EVERY, .name = "full_every", .type = INTERVALOID) \
	COLUMN(SM_JOB_REQUESTED, .name = "requested", .type = TIMESTAMPTZOID, .is_exact = true) \
	COLUMN(SM_JOB_STARTED, .name = "started", .type = TIMESTAMPTZOID, .is_exact = true) \
	COLUMN(SM_JOB_SINCE, .name = "since", .type = TIMESTAMPTZOID, .is_exact = true) \
	COLUMN(SM_JOB_FINISHED, .name = "finished", .type = TIMESTAMPTZOID, .is_exact = true) \
	COLUMN(SM_JOB_FULL_AT, .name = "full_at", .type = TIMESTAMPTZOID, .is_exact = true) \
	COLUMN(SM_JOB_URLS, .name = "urls", .type = INT8OID) \
	COLUMN(SM_JOB_FILES, .name = "files", .type = INT4OID) \
	COLUMN(SM_JOB_WRITTEN, .name = "written", .type = INT4OID) \
	COLUMN(SM_JOB_MISSED, .name = "missed", .type = INT8OID) \
	COLUMN(SM_JOB_SKIPPED, .name = "skipped", .type = INT8OID) \
	COLUMN(SM_JOB_SECONDS, .name = "seconds", .type = FLOAT8OID) \
	COLUMN(SM_JOB_REASON, .name = "reason", .type = TEXTOID) \
	COLUMN(SM_JOB_ERROR, .name = "error", .type = TEXTOID) \
	COLUMN(SM_JOB_FAILURES, .name = "failures", .type = INT4OID)

typedef enum SmJobColumn
{
#define SM_JOB_COLUMN(id, ...) id,
	SM_JOB_COLUMNS(SM_JOB_COLUMN)
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

/* The process of another session that holds that lock, 0 for none. */
extern int	sm_job_publisher(const SmJob *job);

#endif
