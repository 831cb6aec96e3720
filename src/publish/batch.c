/*
 * batch.c
 *	  Rows that wait, to be written to a table by one statement.
 *
 * The rows are parameters, an array for each column, since a statement on a sharded or
 * foreign table can be sent to another server with its parameters.  The plan is a custom
 * plan: the planner sees the values, so it looks names up in an index or a hash table, a
 * foreign partition sends no other files, and a sharded cluster finds the shards.
 */
#include "postgres.h"

#include "publish/batch.h"

#include "server/query.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/*
 * The most rows of one statement, and the most bytes of their values.  Many rows, since
 * a statement may read the whole table if there is no index on name; bounded bytes, since
 * the values are in memory several times.
 */
#define MAX_ROWS	1000
#define MAX_BYTES	(8 * 1024 * 1024)

void
sm_batch_init(SmBatch *batch, const char *statement, bool counted)
{
	memset(batch, 0, sizeof(*batch));
	batch->statement = statement;
	batch->counted = counted;
	batch->context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish batch",
										   ALLOCSET_DEFAULT_SIZES);
}

void
sm_batch_add_column(SmBatch *batch, Oid type)
{
	Assert(batch->ncolumns < SM_BATCH_MAX_COLUMNS);
	batch->types[batch->ncolumns++] = type;
}

static SPIPlanPtr
prepare(const SmBatch *batch)
{
	Oid			arrays[SM_BATCH_MAX_COLUMNS];

	for (int i = 0; i < batch->ncolumns; i++)
		arrays[i] = get_array_type(batch->types[i]);
	return sm_prepare(batch->statement, batch->ncolumns, arrays, CURSOR_OPT_CUSTOM_PLAN);
}

void
sm_batch_flush(SmBatch *batch)
{
	Datum		arrays[SM_BATCH_MAX_COLUMNS];
	int			nrows = batch->nrows;
	MemoryContext context;

	if (nrows == 0)
		return;
	if (batch->plan == NULL)
		batch->plan = prepare(batch);

	context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish arrays",
									ALLOCSET_DEFAULT_SIZES);
	for (int i = 0; i < batch->ncolumns; i++)
		arrays[i] = makeArrayResult(batch->columns[i], context);
	MemoryContextReset(batch->context);
	memset(batch->columns, 0, sizeof(batch->columns));
	batch->nrows = 0;
	batch->nbytes = 0;
	SPI_execute_plan(batch->plan, arrays, NULL, false, 0);
	if (batch->counted && SPI_processed != (uint64) nrows)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a trigger, rule or function interfered: %d rows expected, " UINT64_FORMAT " changed",
						nrows, SPI_processed)));
	MemoryContextDelete(context);
}

void
sm_batch_put(SmBatch *batch, const Datum *values, const bool *nulls)
{
	int64		nbytes = 0;

	for (int i = 0; i < batch->ncolumns; i++)
		if (!nulls[i] && get_typlen(batch->types[i]) == -1)
			nbytes += VARSIZE_ANY(DatumGetPointer(values[i]));
	if (batch->nrows == MAX_ROWS || batch->nbytes + nbytes > MAX_BYTES)
		sm_batch_flush(batch);

	for (int i = 0; i < batch->ncolumns; i++)
		batch->columns[i] = accumArrayResult(batch->columns[i], values[i], nulls[i],
											 batch->types[i], batch->context);
	batch->nrows++;
	batch->nbytes += nbytes;
}
