/*
 * query.h
 *	  Runs a query given as text, and passes on its rows one by one.
 */
#ifndef SM_QUERY_H
#define SM_QUERY_H

#include "entry/row.h"
#include "executor/spi.h"
#include "tcop/dest.h"

/* A query that makes a set, ready to be run, wholly or for ranges of keys. */
typedef struct SmQuery
{
	SPIPlanPtr	plan;			/* for all rows; with has_bounds, for any
								 * range */
	bool		has_bounds;		/* its text has $1 or $2 */
	SPIPlanPtr	ranges[2][2];	/* plans of the query wrapped with bounds:
								 * [has a lower bound][has an upper bound] */
	SmColumns	columns;
} SmQuery;

/* Receives the rows of a query.  It is the first member of a larger struct. */
typedef struct SmReceiver SmReceiver;
struct SmReceiver
{
	DestReceiver dest;			/* must be first */
	const SmQuery *query;		/* whose columns the rows must have; NULL for
								 * none */
	void		(*start) (SmReceiver *self, TupleDesc desc);
	bool		(*receive) (SmReceiver *self, TupleTableSlot *slot);
	MemoryContext context;		/* current while start runs */
	MemoryContext row_context;	/* current while receive runs; reset before
								 * each row */
};

/*
 * Prepare a receiver, in the current memory context.  start, NULL for none, gets
 * the columns; receive gets each row and returns whether it wants another.
 */
extern void sm_receiver_init(SmReceiver *receiver,
							 void (*start) (SmReceiver *self, TupleDesc desc),
							 bool (*receive) (SmReceiver *self, TupleTableSlot *slot));

/* Prepare a statement with SPI, for parameters of these types and with CURSOR_OPT_… */
extern SPIPlanPtr sm_prepare(const char *statement, int nargs, Oid *types, int options);

/*
 * Run a query and give its rows to the receiver.  The query must be one SELECT, and
 * its functions may write only to temporary tables.  It may use parallel workers.
 */
extern void sm_run_query(const char *query, SmReceiver *receiver);

/*
 * The same in steps, for a query that makes a set.  sm_query_open finds the columns for
 * documents of this kind, SM_URLSET or SM_TEXT.  SPI is connected from sm_query_open to sm_query_close; after an
 * error the end of the (sub)transaction disconnects it.
 */
extern void sm_query_open(SmQuery *query, const char *text, SmKind kind);
extern void sm_query_close(SmQuery *query);

static inline bool
sm_query_has_key(const SmQuery *query)
{
	return query->columns.column[SM_COLUMN_KEY].index >= 0;
}

/*
 * Give the receiver the rows with from <= key < to; NULL for no bound.  Only a query
 * with a column key can have bounds.
 */
extern void sm_query_run(SmQuery *query, const Datum *from, const Datum *to,
						 SmReceiver *receiver);

#endif
