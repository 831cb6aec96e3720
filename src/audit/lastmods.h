/*
 * lastmods.h
 *	  How the times of a set's lastmods are distributed.  Times that most pages share say
 *	  when the pages were imported, not when they changed.
 */
#ifndef SM_LASTMODS_H
#define SM_LASTMODS_H

#include "audit/finding.h"
#include "utils/tuplesort.h"

/*
 * Report that more than half of the times lie close together.  times: seconds since 1970-01-01
 * UTC of lastmods that have a time, which the function sorts and ends.
 */
extern void sm_lastmods_check(Tuplesortstate *times, SmFindings *findings);

#endif
