/*
 * lastmods.c
 *	  Finds the densest ten minutes, by a sort of all times.
 */
#include "postgres.h"

#include "audit/lastmods.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "text/w3cdate.h"

#define WINDOW		(10 * 60)

/* With fewer pages than this, most can have changed together. */
#define TIMES_MIN	100

void
sm_lastmods_begin(SmLastmods *lastmods)
{
	static const Oid types[] = {INT8OID};

	lastmods->ntimes = 0;
	sm_sort_begin(&lastmods->times, 1, types, 1);
}

void
sm_lastmods_add(SmLastmods *lastmods, int64 seconds)
{
	*sm_sort_row(&lastmods->times) = Int64GetDatum(seconds);
	sm_sort_put(&lastmods->times);
	lastmods->ntimes++;
}

void
sm_lastmods_check(SmLastmods *lastmods, SmFindings *findings)
{
	int64		counts[WINDOW] = {0};	/* by second, from oldest on */
	int64		oldest = 0;
	int64		n = 0;			/* all counts */
	int64		most = 0;		/* the largest n */
	int64		begin = 0;		/* of the ten minutes with most */
	const Datum *time;
	char		first[SM_W3C_SECONDS_LEN];

	if (lastmods->ntimes < TIMES_MIN)
		findings = NULL;
	while (findings && (time = sm_sort_next(&lastmods->times)) != NULL)
	{
		int64		seconds = DatumGetInt64(*time);

		CHECK_FOR_INTERRUPTS();
		for (; n > 0 && (oldest <= seconds - WINDOW || counts[oldest % WINDOW] == 0); oldest++)
		{
			n -= counts[oldest % WINDOW];
			counts[oldest % WINDOW] = 0;
		}
		if (n++ == 0)
			oldest = seconds;
		counts[seconds % WINDOW]++;
		if (n > most)
			begin = oldest;
		most = Max(most, n);
	}
	sm_sort_end(&lastmods->times);
	if (most <= lastmods->ntimes / 2)
		return;
	sm_w3c_format_seconds(begin, first);
	sm_findings_add(findings, SM_WHOLE_SET, SM_LASTMOD_UNIFORM,
					"Of " INT64_FORMAT " pages with a time as lastmod, " INT64_FORMAT " have one within ten minutes from %.*s, which does not tell when they changed.",
					lastmods->ntimes, most, SM_W3C_SECONDS_LEN, first);
}
