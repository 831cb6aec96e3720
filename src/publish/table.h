/*
 * table.h
 *	  A user's table that a run writes to: the target or the feed.
 */
#ifndef SM_PUBLISH_TABLE_H
#define SM_PUBLISH_TABLE_H

#include "files/file.h"
#include "nodes/primnodes.h"
#include "utils/rel.h"

typedef struct SmTable
{
	Oid			relid;
	const char *what;			/* "target" or "feed", for errors */
	const SmFileColumn *columns;	/* that the table must have, unless they
									 * are optional */
	int			ncolumns;
	const char *hint;			/* how to create the table */

	/* set by sm_table_open */
	Relation	rel;
	RangeVar   *name;			/* with the schema */
	char	   *sql_name;		/* the same name, quoted for statements */
} SmTable;

/* Open the table with a lock.  Raises an error if it does not exist. */
extern void sm_table_open(SmTable *table, LOCKMODE lockmode);

/* Raise an error unless the table, which is open, has its columns. */
extern void sm_table_check_columns(const SmTable *table);

/* Has the open table a column, by its number in columns? */
extern bool sm_table_has_column(const SmTable *table, int column);

/*
 * Raise an error unless the name still finds the table.  A lock on a table does not
 * keep others from renaming its schema, and then another table can get the name.
 */
extern void sm_table_check_name(const SmTable *table);

#endif
