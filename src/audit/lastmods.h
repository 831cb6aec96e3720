/*
 * lastmods.h
 *	  How the times of a set's lastmods are distributed.  Times that most pages share say
 *	  when the pages were imported, not when they changed.
 */
#ifndef SM_LASTMODS_H
#define SM_LASTMODS_H

#include "audit/finding.h"

typedef struct SmLastmods
{
	SmSort		times;			/* seconds since 1970-01-01 UTC */
	int64		ntimes;
} SmLastmods;

extern void sm_lastmods_begin(SmLastmods *lastmods);

/* Add a lastmod that has a time, and is later than 1970-01-01. */
extern void sm_lastmods_add(SmLastmods *lastmods, int64 seconds);

/* Report that more than half of the lastmods lie close together, unless findings is NULL; end. */
extern void sm_lastmods_check(SmLastmods *lastmods, SmFindings *findings);

#endif
