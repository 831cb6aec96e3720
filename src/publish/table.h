/*
 * table.h
 *	  Checks of a user's table: the target that files are published in, or the feed.
 */
#ifndef SM_PUBLISH_TABLE_H
#define SM_PUBLISH_TABLE_H

#include "files/file.h"
#include "nodes/primnodes.h"
#include "utils/rel.h"

/*
 * Open a table with a lock.  Raises an error if it does not exist.  what: target or
 * feed, for the error.
 */
extern Relation sm_table_open(Oid relid, LOCKMODE lockmode, const char *what);

/*
 * Raise an error unless a table has these columns.  what: target or feed, for the
 * error.
 */
extern void sm_table_check_columns(Relation rel, const char *what, const SmFileColumn *columns,
								   int ncolumns, const char *hint);

/* The name of an open table, with its schema; and the same name quoted for statements. */
extern RangeVar *sm_table_name(Relation rel);
extern char *sm_table_sql_name(const RangeVar *name);

/*
 * Raise an error unless a name still finds the table.  A lock on a table does not
 * keep others from renaming its schema, and then another table can get the name.
 * what: target or feed, for the error.
 */
extern void sm_table_check_name(Oid relid, const RangeVar *name, const char *what);

#endif
