/*
 * table.h
 *	  The table of jobs: its columns, and the statements on it.
 *
 * All statements run through SPI, as the current user.
 */
#ifndef SM_JOBS_TABLE_H
#define SM_JOBS_TABLE_H

#include "compat.h"
#include "datatype/timestamp.h"
#include "executor/spi.h"
#include "server/table.h"

/* Columns of sitemap_job.  Those before SM_JOB_DIRECTORY are arguments of sitemap_publish. */
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
	SM_JOB_STARTED,
	SM_JOB_FINISHED,
	SM_JOB_FULL_AT,
	SM_JOB_EXPORTED,
	SM_JOB_URLS,
	SM_JOB_FILES,
	SM_JOB_WRITTEN,
	SM_JOB_SECONDS,
	SM_JOB_REASON,
	SM_JOB_ERROR,
	SM_JOB_FAILURES,
	SM_JOB_NCOLUMNS
}			SmJobColumn;

#define SM_JOB_NOPTIONS	SM_JOB_DIRECTORY

extern const SmTableColumn sm_job_columns[SM_JOB_NCOLUMNS];

/* A table of jobs, not yet opened and without its OID. */
extern const SmTable sm_jobs_table;

/* A job's name: its primary key. */
typedef struct SmJobName
{
	char	   *base_url;
	char	   *section;
} SmJobName;

/* A job's row. */
typedef struct SmJob
{
	SmJobName	name;
	Datum		values[SM_JOB_NCOLUMNS];
	bool		nulls[SM_JOB_NCOLUMNS];
	bool		full;			/* a full run is due */
	SPITupleTable *rows;		/* memory of these values, for the caller to
								 * free */
} SmJob;

/* What a run of a job did. */
typedef struct SmJobResult
{
	int			written;
	int64		urls;
	int			files;
	const char *reason;			/* why a run with changes read all rows, or
								 * NULL */
} SmJobResult;

/* A job whose site is to be exported. */
typedef struct SmJobExport
{
	SmJobName	name;
	Oid			target;
	char	   *directory;
	TimestampTz finished;
	bool		failed;			/* the job's last run, after finished */
} SmJobExport;

/* The statements of a call. */
typedef enum SmJobStatement
{
	SM_JOBS_DUE,
	SM_JOB_IS_DUE,
	SM_JOB_START,
	SM_JOB_LOCK,
	SM_JOB_PUBLISH,
	SM_JOB_SUCCEEDED,
	SM_JOB_FAILED,
	SM_JOBS_TO_EXPORT,
	SM_JOBS_OF_OTHER_SITE,
	SM_JOB_LOCK_EXPORTED,
	SM_JOB_SET_EXPORTED,
	SM_JOB_NSTATEMENTS
} SmJobStatement;

/* A table of jobs, and the plans of statements, kept to the end of the call. */
typedef struct SmJobTable
{
	char	   *name;			/* with the schema, quoted; "" at first */
	MemoryContext context;		/* of the call */
	MemoryContextCallback callback;
	SPIPlanPtr	plans[SM_JOB_NSTATEMENTS];	/* NULL before they are used */
} SmJobTable;

/* Begin to keep plans, until the memory context is deleted. */
extern void sm_jobs_init(SmJobTable *table, MemoryContext context);

/* Name the table, which may have been renamed.  name: with the schema, quoted. */
extern void sm_jobs_set_name(SmJobTable *table, const char *name);

/* Prepare a statement with parameters of these types, and keep its plan. */
extern void sm_jobs_prepare(SmJobTable *table, SmJobStatement statement, const char *text,
							int nargs, const Oid *types);

/* Raise an error unless the open table is a table of jobs. */
extern void sm_jobs_check(const SmTable *table);

/* The jobs that are due, in the order in which to run them.  Returns how many. */
extern int	sm_jobs_due(SmJobTable *table, TimestampTz call, SmJobName **jobs);

/*
 * Set started.  Returns false, and changes nothing, if the job is not due, was
 * started since the call began, or another session holds its row.
 */
extern bool sm_job_start(SmJobTable *table, const SmJobName *name, TimestampTz call,
						 TimestampTz *started);

/*
 * Lock the row of a job that this call has started, and read it.  Returns false if
 * another session holds, deleted or started it.
 */
extern bool sm_job_lock(SmJobTable *table, const SmJobName *name, TimestampTz started, SmJob *job);

/* Record that a locked job succeeded, or failed. */
extern void sm_job_succeeded(SmJobTable *table, const SmJob *job, const SmJobResult *result,
							 double seconds);
extern void sm_job_failed(SmJobTable *table, const SmJobName *name, const char *error);

/* The jobs with a due export, grouped by target, base_url and directory. */
extern int	sm_jobs_to_export(SmJobTable *table, SmJobExport **exports);

/* Do all jobs with this directory publish the same site? */
extern bool sm_jobs_share_site(SmJobTable *table, const SmJobExport *export);

/*
 * Lock the row of a job after its export.  Returns false if the job has published
 * since, or another session holds the row.
 */
extern bool sm_job_lock_exported(SmJobTable *table, const SmJobExport *export);

/* Record that the export of a locked job succeeded. */
extern void sm_job_exported(SmJobTable *table, const SmJobName *name);

#endif
