/*
 * query.h
 *	  A SELECT in text form, run: which statements are allowed, and their rows,
 *	  one after the other.
 */
#ifndef SM_QUERY_H
#define SM_QUERY_H

#include "executor/spi.h"
#include "row.h"
#include "tcop/dest.h"

/* A query that makes a set, ready to be run, wholly or for ranges of keys. */
typedef struct SmQuery
{
	SPIPlanPtr	plan;			/* of all rows, or with bounds of any range */
	bool		has_bounds;		/* its text has $1 and $2, or one of them */
	SPIPlanPtr	ranges[2][2];	/* wrapped plans, by the bounds that they
								 * have: a lower one, an upper one */
	SmColumns	columns;
} SmQuery;

/*
 * Prepare the receiver of a query's rows.  startup, NULL for none, gets their
 * columns, receive each row and says whether it wants more; the rows may come from
 * parallel workers.
 */
extern void sm_receiver_init(DestReceiver *receiver,
							 void (*startup) (DestReceiver *self, int operation, TupleDesc typeinfo),
							 bool (*receive) (TupleTableSlot *slot, DestReceiver *self));

/*
 * Run a query, one SELECT that changes nothing but temporary tables, and send its
 * rows to dest, from the startup call on.  It may use parallel workers.  An error
 * if it is anything else.
 */
extern void sm_run_query(const char *query, DestReceiver *dest);

/*
 * The same in steps, for a query that makes a set, and whose columns are found.
 * From open to close this has a connection to SPI.  After an error the end of
 * the (sub)transaction closes it.
 */
extern void sm_query_open(SmQuery *query, const char *text);
extern void sm_query_close(SmQuery *query);

static inline bool
sm_query_has_key(const SmQuery *query)
{
	return query->columns.column[SM_COLUMN_KEY].index >= 0;
}

/*
 * Send to dest the rows whose keys are not less than from and less than to; NULL
 * for no bound.  Only a query with a column key can have bounds.
 */
extern void sm_query_run(SmQuery *query, const Datum *from, const Datum *to,
						 DestReceiver *dest);

#endif
