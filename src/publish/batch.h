/*
 * batch.h
 *	  Rows that wait, to be written to a table by one statement.
 */
#ifndef SM_PUBLISH_BATCH_H
#define SM_PUBLISH_BATCH_H

#include "executor/spi.h"

#define SM_BATCH_MAX_COLUMNS	12

typedef struct SmBatch
{
	const char *statement;
	bool		counted;		/* must the statement change every row? */
	int			ncolumns;
	Oid			types[SM_BATCH_MAX_COLUMNS];
	SPIPlanPtr	plan;			/* NULL before the first statement */
	MemoryContext context;		/* for the values */
	struct ArrayBuildState *columns[SM_BATCH_MAX_COLUMNS];
	int			nrows;
	int64		nbytes;			/* of values that are passed by reference */
} SmBatch;

/*
 * Prepare a batch, in the current memory context.  The statement gets an array for each
 * column of the rows: $1, $2, and so on.  counted: raise an error unless the statement
 * changes as many rows as the batch has.
 */
extern void sm_batch_init(SmBatch *batch, const char *statement, bool counted);

/* Add a column of this type. */
extern void sm_batch_add_column(SmBatch *batch, Oid type);

/* Add a row.  If the batch is full, the rows before it are written. */
extern void sm_batch_put(SmBatch *batch, const Datum *values, const bool *nulls);

/* Write the rows that wait. */
extern void sm_batch_flush(SmBatch *batch);

#endif
