/*
 * query.h
 *	  A SELECT in text form → rows: which statements and columns are allowed,
 *	  and how the columns become a row.
 */
#ifndef SM_QUERY_H
#define SM_QUERY_H

#include "executor/spi.h"
#include "fmgr.h"
#include "key.h"
#include "problem.h"
#include "sitemap.h"
#include "tcop/dest.h"

/* The columns that a query can have. */
typedef enum SmColumnName
{
	SM_COLUMN_LOC,
	SM_COLUMN_LASTMOD,
	SM_COLUMN_CHANGEFREQ,
	SM_COLUMN_PRIORITY,
	SM_COLUMN_EXTENSIONS,
	SM_COLUMN_URL,
	SM_COLUMN_KEY
} SmColumnName;

#define SM_NCOLUMNS		7

typedef struct SmColumn
{
	int			index;			/* in the query's row, -1 if it has none */
	Oid			type;			/* domains resolved */
	bool		is_text;		/* its datum is that of text */
	FmgrInfo	output;			/* makes text of an enum, a name and the like */
} SmColumn;

typedef struct SmColumns
{
	SmColumn	column[SM_NCOLUMNS];
	SmKeyType	key_type;		/* where there is a column key */
} SmColumns;

/* A query that makes a set, ready to be run, wholly or for ranges of keys. */
typedef struct SmQuery
{
	SPIPlanPtr	plan;			/* of all rows, or with bounds of any range */
	bool		has_bounds;		/* its text has $1 and $2, or one of them */
	SPIPlanPtr	ranges[2][2];	/* wrapped plans, by the bounds that they
								 * have: a lower one, an upper one */
	SmColumns	columns;
} SmQuery;

/* What came of a row. */
typedef enum SmRowStatus
{
	SM_ROW_OK,
	SM_ROW_NULL,				/* its loc, or url, is NULL: there is no page */
	SM_ROW_SKIPPED				/* a problem that was skipped */
} SmRowStatus;

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

/*
 * Find a query's columns by their names.  An error for one that is unknown, of
 * a wrong type, or there twice, and if there is no loc and no url.
 */
extern void sm_find_columns(TupleDesc desc, SmColumns *columns);

/*
 * Read a row into the current memory context; its spans may point into the
 * slot.  problems->row_number is set by the caller, problems->loc here.  Where
 * problems are reported, a row that is read can lack a loc, which was reported.
 */
extern SmRowStatus sm_read_slot(TupleTableSlot *slot, SmColumns *columns, SmRow *row,
								SmProblems *problems);

#endif
