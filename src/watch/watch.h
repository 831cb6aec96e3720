/*
 * watch.h
 *	  The triggers that sitemap_watch creates: their arguments, and what they name.
 */
#ifndef SM_WATCH_H
#define SM_WATCH_H

#include "compat.h"
#include "utils/rel.h"
#include "utils/reltrigger.h"

#define SM_WATCH_FUNCTION	"_sitemap_watch"

/*
 * Arguments of a trigger: the key column of the source (the watched table); the queue's
 * name with its schema, quoted; for UPDATE the watched columns, none for all.  A change of
 * the key always counts.  To watch nothing else, the key is the one watched column.
 */
#define SM_WATCH_KEY		0
#define SM_WATCH_QUEUE		1
#define SM_WATCH_COLUMNS	2

/*
 * Index of a column in the rows of the source.  Raises an error if there is no such
 * column, or if the rows do not hold its value.  trigger: the trigger that is running,
 * NULL for none.
 */
extern int	sm_watch_column(Relation source, const char *name, const Trigger *trigger);

#endif
