/*
 * batch.c
 *	  Rows that wait for a statement, as an array for each column.
 *
 * The arrays are parameters of the statement, since a statement on a sharded or
 * foreign table can be sent to another server with its parameters.  The plan is a custom
 * plan: the planner sees the values, so it looks names up in an index or a hash table, a
 * foreign partition sends no other files, and a sharded cluster finds the shards.
 */
#include "postgres.h"

#include "publish/batch.h"

#include "server/query.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/*
 * A batch with this many rows, or this many bytes of values, is full.  Many rows, since
 * a statement may read the whole table if there is no index on name; bounded bytes, since
 * the values are in memory several times.
 */
#define MAX_ROWS	1000
#define MAX_BYTES	(8 * 1024 * 1024)

void
sm_batch_init(SmBatch *batch, const char *statement, bool counted,
			  const SmTableColumn *columns, int ncolumns)
{
	memset(batch, 0, sizeof(*batch));
	batch->statement = statement;
	batch->counted = counted;
	batch->columns = columns;
	batch->ncolumns = ncolumns;
	batch->context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish batch",
										   ALLOCSET_DEFAULT_SIZES);
}

char *
sm_batch_subquery(const SmTable *table)
{
	StringInfoData subquery;

	initStringInfo(&subquery);
	for (int i = 0; i < table->ncolumns; i++)
		if (sm_table_has_column(table, i))
			appendStringInfo(&subquery, "%s pg_catalog.unnest($%d) AS %s",
							 i == 0 ? "SELECT" : ",", i + 1, table->columns[i].name);
	return subquery.data;
}

void
sm_batch_init_insert(SmBatch *batch, const SmTable *table, bool counted)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < table->ncolumns; i++)
		if (sm_table_has_column(table, i))
			appendStringInfo(&names, "%s%s", i == 0 ? "" : ", ", table->columns[i].name);
	sm_batch_init(batch, psprintf("INSERT INTO %s (%s) %s", table->sql_name, names.data,
								  sm_batch_subquery(table)),
				  counted, table->columns, table->ncolumns);
}

void
sm_batch_put(SmBatch *batch, const Datum *values, const bool *nulls)
{
	for (int i = 0; i < batch->ncolumns; i++)
	{
		Oid			type = batch->columns[i].type;

		if (!nulls[i] && get_typlen(type) == -1)
			batch->nbytes += VARSIZE_ANY(DatumGetPointer(values[i]));
		batch->values[i] = accumArrayResult(batch->values[i], values[i], nulls[i], type,
											batch->context);
	}
	batch->nrows++;
}

bool
sm_batch_is_full(const SmBatch *batch)
{
	return batch->nrows >= MAX_ROWS || batch->nbytes >= MAX_BYTES;
}

void
sm_batch_flush(SmBatch *batch)
{
	Datum		arrays[SM_FILE_NCOLUMNS];
	int			nrows = batch->nrows;
	uint64		changed;
	MemoryContext context;

	if (nrows == 0)
		return;
	if (batch->plan == NULL)
	{
		Oid			types[SM_FILE_NCOLUMNS];

		for (int i = 0; i < batch->ncolumns; i++)
			types[i] = get_array_type(batch->columns[i].type);
		batch->plan = sm_prepare(batch->statement, batch->ncolumns, types, CURSOR_OPT_CUSTOM_PLAN);
	}

	context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish arrays",
									ALLOCSET_DEFAULT_SIZES);
	for (int i = 0; i < batch->ncolumns; i++)
		arrays[i] = makeArrayResult(batch->values[i], context);
	MemoryContextReset(batch->context);
	memset(batch->values, 0, sizeof(batch->values));
	batch->nrows = 0;
	batch->nbytes = 0;
	changed = sm_execute(batch->plan, arrays, NULL);
	if (batch->counted && changed != (uint64) nrows)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a trigger, rule or function interfered: %d rows expected, " UINT64_FORMAT " changed",
						nrows, changed)));
	MemoryContextDelete(context);
}
