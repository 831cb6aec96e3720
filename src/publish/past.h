/*
 * past.h
 *	  The lastmod of pages, for a query with a column "shown".
 */
#ifndef SM_PUBLISH_PAST_H
#define SM_PUBLISH_PAST_H

#include "publish/target.h"

typedef struct SmPast SmPast;

/*
 * For a query with a column "shown", before its rows are read: let the set find the lastmod
 * of pages by the states that its old files have in the target.  This sets the time of the
 * run, target->now, which must not be later than the query's snapshot.
 */
extern SmPast *sm_past_begin(SmSet *set, SmTarget *target);

/* The next row is the set's first again. */
extern void sm_past_restart(SmPast *past);

#endif
