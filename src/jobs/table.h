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

/* The first columns of sitemap_job are options, the arguments of sitemap_publish. */
enum
{
	SM_JOB_CHANGES = 15,
	SM_JOB_NOPTIONS = 17
};

/* A table of jobs.  The caller copies it and sets relid. */
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
	Datum		options[SM_JOB_NOPTIONS];
	char		nulls[SM_JOB_NOPTIONS]; /* 'n' for an option that is NULL */
	bool		full;			/* a full run is due */
	SPITupleTable *rows;		/* memory of these values, for the caller to
								 * free */

	/* set by sm_job_publish: written, urls, files, reason */
	SPITupleTable *result;
} SmJob;

/* A job whose site is to be exported. */
typedef struct SmJobExport
{
	SmJobName	name;
	Oid			target;
	char	   *directory;
	TimestampTz finished;
	bool		failed;			/* the last run failed: started is after
								 * finished */
} SmJobExport;

/* The statements of a call. */
typedef enum SmJobStatement
{
	SM_JOBS_DUE,
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
	const char *schema;			/* of the extension, quoted */
	MemoryContext context;		/* of the call */
	MemoryContextCallback callback;
	SPIPlanPtr	plans[SM_JOB_NSTATEMENTS];	/* NULL before they are used */
} SmJobTable;

/* Begin to keep plans, until the memory context is deleted. */
extern void sm_jobs_init(SmJobTable *table, const char *schema, MemoryContext context);

/* Name the table, which may have been renamed.  name: with the schema, quoted. */
extern void sm_jobs_set_name(SmJobTable *table, const char *name);

/* Raise an error unless the open table is a table of jobs. */
extern void sm_jobs_check(const SmTable *table);

/*
 * The jobs that are due, in the order in which to run them.  Returns how many.  began:
 * when the call began.
 */
extern int	sm_jobs_due(SmJobTable *table, TimestampTz began, SmJobName **jobs);

/*
 * Set the column started.  *started: its value as the row then has it.  Returns false, and
 * changes nothing, if the job is not due, if it was started since the call began, or if
 * another session holds its row.
 */
extern bool sm_job_start(SmJobTable *table, const SmJobName *name, TimestampTz began,
						 TimestampTz *started);

/*
 * Lock the row of a job that this call has started, and read the row.  Returns false if
 * another session holds or deleted the row, or started the job.
 */
extern bool sm_job_lock(SmJobTable *table, const SmJobName *name, TimestampTz started, SmJob *job);

/* Publish with the options of a locked job. */
extern void sm_job_publish(SmJobTable *table, SmJob *job);

/* Record that a locked job published, or failed. */
extern void sm_job_succeeded(SmJobTable *table, SmJob *job);
extern void sm_job_failed(SmJobTable *table, const SmJobName *name, const char *error);

/* The jobs with a due export, grouped by target, base_url and directory. */
extern int	sm_jobs_to_export(SmJobTable *table, SmJobExport **exports);

/*
 * The base_url that the files of a job's site have: percent-encoded, with a slash at its
 * end.
 */
extern char *sm_job_site(char *base_url);

/* Do all jobs with this directory publish the same site? */
extern bool sm_jobs_share_site(SmJobTable *table, const SmJobExport *due);

/*
 * Lock the row of a job after its export.  Returns false if the job has published
 * since, or another session holds the row.
 */
extern bool sm_job_lock_exported(SmJobTable *table, const SmJobExport *due);

/* Record that the export of a locked job succeeded. */
extern void sm_job_exported(SmJobTable *table, const SmJobName *name);

#endif
