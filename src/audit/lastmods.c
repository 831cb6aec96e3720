/*
 * lastmods.c
 *	  Finds the densest ten minutes, by a sort of all times.
 */
#include "postgres.h"

#include "audit/lastmods.h"

#include "compat.h"
#include "miscadmin.h"
#include "text/w3cdate.h"

#define WINDOW		(10 * 60)

/* With fewer pages than this, most can have changed together. */
#define TIMES_MIN	100

void
sm_lastmods_check(Tuplesortstate *times, SmFindings *findings)
{
	int64		counts[WINDOW] = {0};	/* by second, from oldest on */
	int64		oldest = 0;
	int64		n = 0;			/* all counts */
	int64		most = 0;		/* the largest n */
	int64		begin = 0;		/* of the ten minutes with most */
	int64		ntimes = 0;
	Datum		time;
	bool		is_null;
	char		first[SM_W3C_SECONDS_LEN];

	tuplesort_performsort(times);
	for (; sm_tuplesort_getdatum(times, &time, &is_null); ntimes++)
	{
		int64		seconds = DatumGetInt64(time);

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
	tuplesort_end(times);
	if (ntimes < TIMES_MIN || most <= ntimes / 2)
		return;
	sm_w3c_format_seconds(begin, first);
	sm_findings_add_caused(findings, SM_WHOLE_SET, SM_LASTMOD_UNIFORM, 0,
						   "Of " INT64_FORMAT " pages with a time as lastmod, " INT64_FORMAT " have one within ten minutes from %.*s, which does not tell when they changed.",
						   ntimes, most, SM_W3C_SECONDS_LEN, first);
}
