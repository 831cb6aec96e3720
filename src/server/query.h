/*
 * query.h
 *	  Queries that are given as text, and receivers of their rows.
 *
 * A query can read but not write.  Its errors have a line of context that says after how
 * many rows they arose.
 */
#ifndef SM_QUERY_H
#define SM_QUERY_H

#include "executor/spi.h"
#include "server/key.h"
#include "tcop/dest.h"
#include "utils/plancache.h"
#include "utils/resowner.h"

/* A query that makes a set, ready to be run as a whole or for ranges of keys. */
typedef struct SmQuery
{
	const char *source;			/* its text */
	TupleDesc	desc;			/* of its rows */
	int			nparameters;	/* 1 or 2 if its text has $1 or $2 */
	Oid		   *types;			/* of its parameters */
	SPIPlanPtr	plan;			/* for all rows */
	SPIPlanPtr	range;			/* for rows within bounds */
	SmKeyType  *key_type;		/* of its column "key"; NULL if it has none */
	bool		fixes_settings; /* the session's settings do not change the
								 * text of its values: it has a column "shown" */
} SmQuery;

/* A plan's only statement. */
static inline CachedPlanSource *
sm_plan_source(SPIPlanPtr plan)
{
	return linitial(SPI_plan_get_plan_sources(plan));
}

/* Receives the rows of a query.  It is the first member of a larger struct. */
typedef struct SmReceiver SmReceiver;
struct SmReceiver
{
	DestReceiver dest;			/* must be first */
	const SmQuery *query;		/* query that the rows' columns must match;
								 * NULL for no check */
	void		(*start) (SmReceiver *self, TupleDesc desc);
	bool		(*receive) (SmReceiver *self, TupleTableSlot *slot);
	MemoryContext context;		/* current while start runs */
	MemoryContext row_context;	/* current while receive runs; reset before
								 * each row */
	ResourceOwner owner;		/* current while start and receive run */
	uint64		nrows;			/* received so far */
};

/*
 * Prepare a receiver, in the current memory context and resource owner.  start, NULL for
 * none, gets the columns; receive gets each row and returns whether it wants another.
 */
extern void sm_receiver_init(SmReceiver *receiver,
							 void (*start) (SmReceiver *self, TupleDesc desc),
							 bool (*receive) (SmReceiver *self, TupleTableSlot *slot));

/*
 * Add a hint, in an error context, to the error that a statement's table does not exist: where
 * it was searched.
 */
extern void sm_hint_search_path(void);

/*
 * Run the statement that names what changed since the last run of sitemap_publish, under the
 * settings of the query for the pages.  Its parameter $1 is since.  It may write, and its rows
 * go to the receiver.  Returns whether it calls volatile functions, or can, as CALL, EXECUTE
 * and FETCH can.
 */
extern bool sm_run_changes(const SmQuery *pages, const char *statement, TimestampTz since,
						   DestReceiver *dest);

/*
 * Run a query and give its rows to the receiver.  The query must be one SELECT, and
 * its functions may write only to temporary tables.  It may use parallel workers.
 */
extern void sm_run_query(const char *text, SmReceiver *receiver);

/*
 * Open a query that makes a set, and find its columns.  Then prepare it, given the members of
 * SmQuery that follow from these.  SPI is connected until sm_query_close; after an error the
 * end of the (sub)transaction disconnects it.
 */
extern void sm_query_open(SmQuery *query, const char *text);
extern void sm_query_prepare(SmQuery *query, SmKeyType *key_type, bool fixes_settings);
extern void sm_query_close(SmQuery *query);

/*
 * Analyze the query again: a statement that has run since can have changed its views.  If it
 * has other columns now, the error comes when it runs.
 */
extern void sm_query_analyze_again(SmQuery *query);

/*
 * Give the receiver the rows with from <= key < to; NULL for no bound.  Only a query
 * with a key can have bounds.
 */
extern void sm_query_run(SmQuery *query, const Datum *from, const Datum *to,
						 SmReceiver *receiver);

/* The planner's estimate of the cost of sm_query_run. */
extern double sm_query_cost(SmQuery *query, const Datum *from, const Datum *to);

/*
 * Append the definitions of the views that the query reads, views inside of views included.  A
 * definition changes only if its view does, and is the same in a restored database.
 */
extern void sm_query_append_views(const SmQuery *query, StringInfo dst);

#endif
