/*
 * watch.h
 *	  The triggers that sitemap_watch creates: their arguments, and what they need of the
 *	  source (the watched table) and of the queue.
 */
#ifndef SM_WATCH_H
#define SM_WATCH_H

#include "compat.h"
#include "utils/rel.h"
#include "utils/reltrigger.h"

/*
 * Arguments of a trigger: the key column of the source; the queue's name with its schema,
 * quoted; the watched columns, none for all.  A change of the key always counts.  To watch
 * nothing else, the key is the one watched column.
 */
#define SM_WATCH_KEY		0
#define SM_WATCH_QUEUE		1
#define SM_WATCH_COLUMNS	2

/* Why a table cannot be watched: an error of sitemap_watch, a warning of the trigger. */
typedef struct SmWatchProblem
{
	int			sqlstate;
	const char *message;		/* NULL for no problem */
	const char *hint;			/* a sentence, NULL for none */
} SmWatchProblem;

/*
 * Index of a column in the rows of the source.  Returns -1 and describes the problem if
 * there is no such column, or if the rows do not hold its value.
 */
extern int	sm_watch_column(Relation source, const char *name, SmWatchProblem *problem);

/*
 * The table that has to be watched instead of a partition or child: its topmost parent.
 * Returns relid for any other table.
 */
extern Oid	sm_watch_root(Oid relid);

/* Describe the problem that a queue does not exist.  name: argument of the trigger. */
extern void sm_queue_missing(Relation source, const char *name, SmWatchProblem *problem);

/*
 * Check that the source's owner can add rows to the open queue.  Returns false and
 * describes the problem otherwise.
 */
extern bool sm_queue_check(Relation queue, Relation source, SmWatchProblem *problem);

/* The queue's first column, which receives the keys; NULL if it has no column. */
extern Form_pg_attribute sm_queue_column(Relation queue);

/*
 * Check that the queue's first column holds any value of a column of the source unchanged.
 * key: the column's index.  Returns false and describes the problem otherwise.
 */
extern bool sm_queue_check_type(Relation queue, Relation source, int key,
								SmWatchProblem *problem);

/* What to do about a problem of a trigger: its hint, and the call to repeat. */
extern char *sm_watch_hint(const SmWatchProblem *problem, Relation source,
						   const Trigger *trigger);

/* Takes what is wrong with a watch, and what to do. */
typedef void (*SmBrokenWatch) (void *arg, const char *problem, const char *hint);

/*
 * Find the watches of an owner's tables that add nothing or not everything.  A table or queue
 * whose lock is not free is left out.  schema: of the extension.
 */
extern void sm_watch_find_broken(Oid schema, Oid owner, SmBrokenWatch found, void *arg);

#endif
