/*
 * sort.c
 *	  Sorts rows by tuplesort, within work_mem.
 */
#include "postgres.h"

#include "server/sort.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "miscadmin.h"

void
sm_sort_begin(SmSort *sort, int natts, const Oid *types, int nkeys)
{
	TupleDesc	desc = CreateTemplateTupleDesc(natts);
	AttrNumber	columns[SM_SORT_MAX_KEYS];
	Oid			operators[SM_SORT_MAX_KEYS];
	Oid			collations[SM_SORT_MAX_KEYS];
	bool		nulls_first[SM_SORT_MAX_KEYS];

	Assert(nkeys <= SM_SORT_MAX_KEYS);
	for (int i = 0; i < natts; i++)
		TupleDescInitEntry(desc, i + 1, NULL, types[i], -1, 0);
	TupleDescFinalize(desc);
	for (int i = 0; i < nkeys; i++)
	{
		bool		is_text = types[i] == TEXTOID;

		columns[i] = i + 1;
		operators[i] = is_text ? TextLessOperator : Int8LessOperator;
		collations[i] = is_text ? C_COLLATION_OID : InvalidOid;
		nulls_first[i] = true;
	}
	sort->state = tuplesort_begin_heap(desc, nkeys, columns, operators, collations,
									   nulls_first, work_mem, NULL, TUPLESORT_NONE);
	sort->in = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	sort->out = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	sort->is_sorted = false;
}

Datum *
sm_sort_row(SmSort *sort)
{
	ExecClearTuple(sort->in);
	memset(sort->in->tts_isnull, false, sort->in->tts_tupleDescriptor->natts * sizeof(bool));
	return sort->in->tts_values;
}

void
sm_sort_put(SmSort *sort)
{
	ExecStoreVirtualTuple(sort->in);
	tuplesort_puttupleslot(sort->state, sort->in);
}

const Datum *
sm_sort_next(SmSort *sort)
{
	CHECK_FOR_INTERRUPTS();

	if (!sort->is_sorted)
		tuplesort_performsort(sort->state);
	sort->is_sorted = true;
	if (!tuplesort_gettupleslot(sort->state, true, false, sort->out, NULL))
		return NULL;
	slot_getallattrs(sort->out);
	return sort->out->tts_values;
}

void
sm_sort_end(SmSort *sort)
{
	ExecDropSingleTupleTableSlot(sort->in);
	ExecDropSingleTupleTableSlot(sort->out);
	tuplesort_end(sort->state);
}
