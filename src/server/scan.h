/*
 * scan.h
 *	  Reads a user's table without a statement.  To plan a statement can run code of the
 *	  table's owner, with the rights and the settings of the caller: the predicates of
 *	  indexes, expressions of statistics, policies, rules and casts.
 */
#ifndef SM_SCAN_H
#define SM_SCAN_H

#include "server/table.h"
#include "utils/snapshot.h"

/* Takes a row, whose values are in the order of the table's columns and valid until it returns. */
typedef void (*SmScanRow) (void *arg, const NullableDatum *values);

/*
 * Read all rows that a snapshot sees, also those of partitions and children.  Tables that lack
 * a column or have it virtual, foreign tables, other sessions' temporary tables, and on a
 * standby unlogged ones are left out.  Without a snapshot, only wait for the locks of partitions
 * and children.  None of these locks is kept.
 */
extern void sm_scan(const SmTable *table, Snapshot snapshot, SmScanRow row, void *arg);

#endif
