/*
 * batch.h
 *	  Rows for one statement on a table.
 */
#ifndef SM_PUBLISH_BATCH_H
#define SM_PUBLISH_BATCH_H

#include "executor/spi.h"
#include "files/file.h"
#include "utils/array.h"

typedef struct SmBatch
{
	const char *statement;
	bool		counted;		/* must the statement change every row? */
	const SmTableColumn *columns;
	int			ncolumns;
	SPIPlanPtr	plan;			/* NULL before the first statement */
	MemoryContext context;		/* for the values */
	ArrayBuildState *values[SM_FILE_NCOLUMNS];	/* of each column */
	int			nrows;
	int64		nbytes;			/* of values that are passed by reference */
} SmBatch;

/*
 * Prepare a batch, in the current memory context.  The statement gets an array for each
 * column of the rows: $1, $2, and so on.  counted: raise an error unless the statement
 * changes as many rows as the batch has.
 */
extern void sm_batch_init(SmBatch *batch, const char *statement, bool counted,
						  const SmTableColumn *columns, int ncolumns);

/* The same, to insert rows into a table. */
extern void sm_batch_init_insert(SmBatch *batch, const SmTable *table, bool counted);

/*
 * A subquery for the statement, of rows that have all columns of a table, except the
 * optional columns that the table lacks.
 */
extern char *sm_batch_subquery(const SmTable *table);

/* Add a row. */
extern void sm_batch_put(SmBatch *batch, const Datum *values, const bool *nulls);

/* Is the batch so large that it must be flushed before another row is added? */
extern bool sm_batch_is_full(const SmBatch *batch);

/* Write the rows that wait. */
extern void sm_batch_flush(SmBatch *batch);

#endif
