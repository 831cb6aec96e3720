/*
 * scan.c
 *	  Scans the tables that hold the rows of a table: itself, or its partitions and children.
 */
#include "postgres.h"

#include "server/scan.h"

#include "access/relation.h"
#include "access/tableam.h"
#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "compat.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/*
 * Find the columns in a table or one of its partitions and children, which can have them at
 * other places.  The place of an optional column that is missing is 0.
 */
static bool
find_places(const SmTable *table, Relation rel, AttrNumber *places)
{
	TupleDesc	desc = RelationGetDescr(rel);

	for (int i = 0; i < table->ncolumns; i++)
	{
		const SmTableColumn *column = &table->columns[i];
		int			place = SPI_fnumber(desc, column->name);

		places[i] = 0;
		if (place == SPI_ERROR_NOATTRIBUTE && column->optional)
			continue;
		if (place <= 0 || SPI_gettypeid(desc, place) != column->type ||
			sm_is_virtual(TupleDescAttr(desc, place - 1)))
			return false;
		places[i] = place;
	}
	return true;
}

static void
scan_relation(const SmTable *table, Relation rel, Snapshot snapshot, SmScanRow row, void *arg)
{
	AttrNumber *places = palloc_array(AttrNumber, table->ncolumns);
	NullableDatum *values = palloc_array(NullableDatum, table->ncolumns);
	MemoryContext row_context;
	TupleTableSlot *slot;
	TableScanDesc scan;

	/* in a child, a column of the parent can be a virtual generated one */
	if (!find_places(table, rel, places))
		return;
	row_context = AllocSetContextCreate(CurrentMemoryContext, "row of a scan",
										ALLOCSET_DEFAULT_SIZES);
	slot = table_slot_create(rel, NULL);
	scan = sm_beginscan(rel, snapshot);
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(row_context);

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < table->ncolumns; i++)
		{
			values[i].isnull = true;
			if (places[i] > 0)
				values[i].value = slot_getattr(slot, places[i], &values[i].isnull);
		}
		row(arg, values);
		MemoryContextSwitchTo(oldcontext);
		MemoryContextReset(row_context);
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	MemoryContextDelete(row_context);
}

void
sm_scan(const SmTable *table, Snapshot snapshot, SmScanRow row, void *arg)
{
	List	   *family = find_all_inheritors(table->relid, AccessShareLock, NULL);
	ListCell   *lc;

	foreach(lc, family)
	{
		Relation	rel = relation_open(lfirst_oid(lc), NoLock);

		/* an unlogged table has no file on a standby */
		if (snapshot && rel->rd_rel->relkind == RELKIND_RELATION && !RELATION_IS_OTHER_TEMP(rel) &&
			(RelationIsPermanent(rel) || !RecoveryInProgress()))
			scan_relation(table, rel, snapshot, row, arg);
		relation_close(rel, lfirst_oid(lc) == table->relid ? NoLock : AccessShareLock);
	}
	list_free(family);
}
