/*
 * past.h
 *	  The lastmod of pages, for a query with a column "shown".
 */
#ifndef SM_PUBLISH_PAST_H
#define SM_PUBLISH_PAST_H

#include "publish/target.h"

typedef struct SmPast SmPast;

/*
 * The time of a run, for the lastmod of pages: at least a second after every file of the
 * section in the list.  So two runs have different times, and no time goes back when
 * the clock does.
 */
extern TimestampTz sm_past_now(const SmFileList *list);

/*
 * For a set with has_shown: let it find the lastmod of pages by the states that old files
 * in the target have.  list: the files of the target; now: see sm_past_now.
 */
extern SmPast *sm_past_begin(SmSet *set, SmTarget *target, const SmFileList *list,
							 const SmOldFiles *old, TimestampTz now);

/* After sm_set_end: forget it, unless it is NULL. */
extern void sm_past_end(SmPast *past);

#endif
