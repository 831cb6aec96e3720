/*
 * sort.h
 *	  Sorting of rows by bigint and text columns.
 */
#ifndef SM_SORT_H
#define SM_SORT_H

#include "executor/tuptable.h"
#include "utils/tuplesort.h"

#define SM_SORT_MAX_KEYS	4

typedef struct SmSort
{
	Tuplesortstate *state;
	TupleTableSlot *in;
	TupleTableSlot *out;
	bool		is_sorted;
} SmSort;

/*
 * Begin to sort rows, of columns INT8OID and TEXTOID, by their first nkeys columns, text
 * by its bytes, NULLs first.  Rows beyond work_mem go to temporary files.
 */
extern void sm_sort_begin(SmSort *sort, int natts, const Oid *types, int nkeys);

/*
 * Begin a row and return its values, for the caller to set.  All are initially not
 * NULL.  sm_sort_put ends the row.
 */
extern Datum *sm_sort_row(SmSort *sort);
extern void sm_sort_put(SmSort *sort);

/*
 * The next row, valid until the next call; NULL at the end.  The first call, after the
 * last row was put, sorts them.
 */
extern const Datum *sm_sort_next(SmSort *sort);

extern void sm_sort_end(SmSort *sort);

#endif
