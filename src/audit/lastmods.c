/*
 * lastmods.c
 *	  Finds the densest ten minutes, if these have more than half of all times.
 *
 * Any ten minutes lie within one of the periods of twenty minutes that begin every ten
 * minutes.  Of periods that do not overlap, only one can have more than half of all times,
 * and a vote finds it: each time that is not in the period in front cancels one that is.
 * So two votes, one for every other period, name two periods.  Times are kept in a temporary
 * file, and those within the two periods are counted in a second pass.
 */
#include "postgres.h"

#include "audit/lastmods.h"

#include "miscadmin.h"
#include "text/w3cdate.h"

#define WINDOW		(10 * 60)
#define PERIOD		(2 * WINDOW)

/* With fewer pages than this, most can have changed together. */
#define TIMES_MIN	100

void
sm_lastmods_begin(SmLastmods *lastmods)
{
	memset(lastmods, 0, sizeof(*lastmods));
	lastmods->times = BufFileCreateTemp(false);
}

/* The period of a vote that a time is in. */
static int64
period_of(int64 seconds, int vote)
{
	return (seconds + vote * WINDOW) / PERIOD;
}

void
sm_lastmods_add(SmLastmods *lastmods, int64 seconds)
{
	for (int i = 0; i < 2; i++)
	{
		SmVote	   *vote = &lastmods->votes[i];
		int64		period = period_of(seconds, i);

		if (vote->n == 0)
			vote->period = period;
		vote->n += vote->period == period ? 1 : -1;
	}
	BufFileWrite(lastmods->times, &seconds, sizeof(seconds));
	lastmods->ntimes++;
}

/* Find the window of a period with most times.  Returns their number. */
static int64
densest_window(const int64 counts[PERIOD], int *begin)
{
	int64		n = 0;
	int64		most = 0;

	for (int i = 0; i < PERIOD; i++)
	{
		n += counts[i] - (i >= WINDOW ? counts[i - WINDOW] : 0);
		if (n <= most)
			continue;
		most = n;
		*begin = Max(i - WINDOW + 1, 0);
	}
	return most;
}

void
sm_lastmods_check(SmLastmods *lastmods, SmFindings *findings)
{
	int64		counts[2][PERIOD] = {0};
	int64		seconds;

	if (BufFileSeek(lastmods->times, 0, 0, SEEK_SET) != 0)
		elog(ERROR, "could not go to the start of the lastmods");
	for (int64 n = 0; n < lastmods->ntimes; n++)
	{
		CHECK_FOR_INTERRUPTS();
		if (BufFileRead(lastmods->times, &seconds, sizeof(seconds)) != sizeof(seconds))
			elog(ERROR, "unexpected end of the lastmods");
		for (int i = 0; i < 2; i++)
			if (period_of(seconds, i) == lastmods->votes[i].period)
				counts[i][(seconds + i * WINDOW) % PERIOD]++;
	}
	BufFileClose(lastmods->times);
	for (int i = 0; i < 2 && findings && lastmods->ntimes >= TIMES_MIN; i++)
	{
		int			begin = 0;
		int64		n = densest_window(counts[i], &begin);
		char		first[SM_W3C_SECONDS_LEN];

		if (n <= lastmods->ntimes / 2)
			continue;
		while (counts[i][begin] == 0)
			begin++;
		sm_w3c_format_seconds(lastmods->votes[i].period * PERIOD - i * WINDOW + begin, first);
		sm_findings_add(findings, SM_WHOLE_SET, SM_LASTMOD_UNIFORM,
						"Of " INT64_FORMAT " pages with a time as lastmod, " INT64_FORMAT " have one within ten minutes from %.*s, which does not tell when they changed.",
						lastmods->ntimes, n, SM_W3C_SECONDS_LEN, first);
		return;
	}
}
