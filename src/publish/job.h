/*
 * job.h
 *	  The row of a job, by which sitemap_run passes the arguments of a run and gets its
 *	  results.
 */
#ifndef SM_PUBLISH_JOB_H
#define SM_PUBLISH_JOB_H

#include "server/argument.h"

/* A column of a row of type sitemap_job. */
typedef struct SmJobColumn
{
	const char *name;
	Datum		value;
	bool		isnull;
} SmJobColumn;

/* The columns of a job as arguments of sitemap_publish. */
extern SmArguments *sm_job_arguments(Datum job);

/* Is a column of a job NULL, or missing? */
extern bool sm_job_is_null(Datum job, const char *column);

/* The row of a job with other values in these columns.  Columns that it lacks are left out. */
extern Datum sm_job_with_columns(Datum job, const SmJobColumn *columns, int ncolumns);

#endif
