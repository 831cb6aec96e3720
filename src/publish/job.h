/*
 * job.h
 *	  The row of a job, by which sitemap_run passes the arguments of a run and gets its
 *	  results.
 */
#ifndef SM_PUBLISH_JOB_H
#define SM_PUBLISH_JOB_H

#include "fmgr.h"

/* A column of a row of type sitemap_job. */
typedef struct SmJobColumn
{
	const char *name;
	Datum		value;
	bool		isnull;
} SmJobColumn;

/*
 * A job's arguments, in the order that sitemap_publish has them.  An argument that the type
 * sitemap_job lacks, because the extension in this database is older, is NULL, which stands
 * for its default.
 */
extern FunctionCallInfo sm_job_arguments(Datum job);

/* The row of a job with other values in these columns.  Columns that it lacks are left out. */
extern Datum sm_job_with_columns(Datum job, const SmJobColumn *columns, int ncolumns);

#endif
