/*
 * job.c
 *	  The columns of a table of jobs are found by name and type.  More columns are welcome.
 */
#include "postgres.h"

#include "jobs/job.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

const SmTableColumn sm_job_columns[SM_JOB_NCOLUMNS] = {
#define COLUMN_RULE(id, ...) [id] = {__VA_ARGS__},
	SM_JOB_COLUMNS(COLUMN_RULE)
};

void
sm_jobs_open(SmTable *table, Oid relid, LOCKMODE lockmode)
{
	*table = (SmTable)
	{
		.relid = relid,
			.what = "table of jobs",
			.columns = sm_job_columns,
			.ncolumns = SM_JOB_NCOLUMNS,
			.hint = "Create the table with CREATE TABLE ... OF sitemap_job (PRIMARY KEY (base_url, section))."
	};
	sm_table_open(table, lockmode);
}

void
sm_job_copy(SmJob *job)
{
	for (int i = 0; i < SM_JOB_NCOLUMNS; i++)
	{
		Datum	   *value = &job->values[i].value;
		int16		len;
		bool		is_by_value;

		if (job->values[i].isnull)
			continue;
		get_typlenbyval(sm_job_columns[i].type, &len, &is_by_value);
		*value = len == -1 ? PointerGetDatum(PG_DETOAST_DATUM_COPY(*value)) :
			datumCopy(*value, is_by_value, len);
	}
}

char *
sm_job_text(const SmJob *job, SmJobColumn column)
{
	return sm_job_has(job, column) ? TextDatumGetCString(job->values[column].value) : NULL;
}

int64
sm_job_integer(const SmJob *job, SmJobColumn column, int64 if_null)
{
	Datum		value = job->values[column].value;

	if (!sm_job_has(job, column))
		return if_null;
	return sm_job_columns[column].type == INT4OID ? DatumGetInt32(value) : DatumGetInt64(value);
}

TimestampTz
sm_job_time(const SmJob *job, SmJobColumn column)
{
	return sm_job_has(job, column) ? DatumGetTimestampTz(job->values[column].value) : DT_NOBEGIN;
}

/* When an interval, but not less than 0 and at most 1000 years, has passed after a time. */
static TimestampTz
add_interval(TimestampTz time, const Interval *interval)
{
	const double longest = 1000.0 * DAYS_PER_YEAR * USECS_PER_DAY;
	double		months = (double) interval->month * DAYS_PER_MONTH * USECS_PER_DAY;
	double		days = (double) interval->day * USECS_PER_DAY;
	double		length = months + days + interval->time;

	if (TIMESTAMP_NOT_FINITE(time) || length <= 0)
		return time;
	/* parts of opposite signs can each be too large to be added */
	if (Max(months, days) > longest || interval->time > longest || length > longest)
		return time + (TimestampTz) Min(length, longest);
	return DatumGetTimestampTz(DirectFunctionCall2(timestamptz_pl_interval, TimestampTzGetDatum(time),
												   IntervalPGetDatum(interval)));
}

TimestampTz
sm_job_next_run(const SmJob *job, TimestampTz now)
{
	TimestampTz started = sm_job_has(job, SM_JOB_STARTED) ? sm_job_time(job, SM_JOB_STARTED) : now;
	TimestampTz finished = sm_job_time(job, SM_JOB_FINISHED);
	int64		failures = sm_job_integer(job, SM_JOB_FAILURES, 0);

	if (sm_job_has(job, SM_JOB_REQUESTED))
		return Min(sm_job_time(job, SM_JOB_REQUESTED), now);
	if (failures > 2 && sm_job_has(job, SM_JOB_STARTED) && started <= now)
		return TIMESTAMP_NOT_FINITE(started) ? started :
			started + Min(1 << (Min(failures, 8) - 2), MINS_PER_HOUR) * SECS_PER_MINUTE * USECS_PER_SEC;
	if (failures > 0 || !sm_job_has(job, SM_JOB_FINISHED) || sm_job_is_unfinished(job))
		return Min(started, now);
	if (finished > now)
		return now;
	if (!sm_job_has(job, SM_JOB_EVERY))
		return finished;
	return add_interval(finished, DatumGetIntervalP(job->values[SM_JOB_EVERY].value));
}

bool
sm_job_is_full_due(const SmJob *job, TimestampTz now)
{
	Interval	day = {.day = 1};
	TimestampTz full_at = sm_job_time(job, SM_JOB_FULL_AT);
	Interval   *every = sm_job_has(job, SM_JOB_FULL_EVERY) ?
		DatumGetIntervalP(job->values[SM_JOB_FULL_EVERY].value) : &day;

	return full_at > now || add_interval(full_at, every) <= now;
}

bool
sm_job_is_unfinished(const SmJob *job)
{
	return sm_job_time(job, SM_JOB_STARTED) > sm_job_time(job, SM_JOB_FINISHED);
}

LOCKTAG
sm_job_lock_tag(const SmJob *job)
{
	return sm_lock_tag(SM_LOCK_SECTION, DatumGetObjectId(job->values[SM_JOB_TARGET].value),
					   sm_job_text(job, SM_JOB_BASE_URL), sm_job_text(job, SM_JOB_SECTION));
}

/* Ignore prepared transactions, which have no process, and processes that have ended. */
int
sm_job_publisher(const SmJob *job)
{
	LOCKTAG		lock;
	int			nholders;
	VirtualTransactionId *holder;
	VirtualTransactionId current;
	PGPROC	   *proc;

	if (!sm_job_has(job, SM_JOB_TARGET))
		return 0;
	lock = sm_job_lock_tag(job);
	holder = GetLockConflicts(&lock, ExclusiveLock, &nholders);
	proc = nholders > 0 ? sm_vxid_proc(*holder) : NULL;
	if (proc == NULL)
		return 0;
	GET_VXID_FROM_PGPROC(current, *proc);
	return VirtualTransactionIdEquals(current, *holder) ? proc->pid : 0;
}
