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
 * Can the open table be scanned?  It needs the columns of its SmTable, with these types, and
 * none of them may be virtual.
 */
extern bool sm_scan_fits(const SmTable *table);

/* Lock the table's partitions and children as a SELECT does, to the end of the transaction. */
extern void sm_scan_lock(const SmTable *table);

/*
 * Read all rows that a snapshot sees, also those of partitions and children that fit, but not
 * of foreign tables and of other sessions' temporary tables.
 */
extern void sm_scan(const SmTable *table, Snapshot snapshot, SmScanRow row, void *arg);

#endif
