/*
 * table.h
 *	  Checks of a user's table that a function reads or writes.
 */
#ifndef SM_TABLE_H
#define SM_TABLE_H

#include "utils/rel.h"

typedef struct SmTableColumn
{
	const char *name;
	Oid			type;
	bool		optional;		/* a table may lack it */
	bool		is_exact;		/* no modifier that rounds its values */
} SmTableColumn;

typedef struct SmTable
{
	Oid			relid;
	const char *what;			/* noun phrase for errors: "target table" */
	const SmTableColumn *columns;	/* that the table must have, unless they
									 * are optional */
	int			ncolumns;
	bool		may_be_view;	/* or a foreign table */
	const char *hint;			/* how to create the table; NULL for none */

	/* set by sm_table_open */
	Relation	rel;
	char	   *name;			/* for errors */
} SmTable;

/*
 * Open the table with a lock.  Raises an error unless it is an ordinary or a partitioned
 * table, or may be a view, and has its columns.
 */
extern void sm_table_open(SmTable *table, LOCKMODE lockmode);

/* Raise an error if the open table has row security that applies to the caller. */
extern void sm_table_check_row_security(const SmTable *table);

/* Does the table have a column?  column: its index in columns. */
extern bool sm_table_has_column(const SmTable *table, int column);

/* The name of a table or view with its schema, quoted; its OID if it does not exist. */
extern char *sm_qualified_name(Oid table);

/* The same for error contexts: not quoted. */
extern char *sm_table_label(Oid table);

/*
 * Find a table by its name, with or without a schema and in SQL's form.  Returns
 * InvalidOid if there is none, or if the text is not such a name.
 */
extern Oid	sm_find_table(const char *name);

/*
 * Find an index of a table whose row of pg_index passes a test.  Returns InvalidOid if there is
 * none.  The index is not opened, for which its lock would be needed.
 */
extern Oid	sm_find_index(Relation rel, bool (*test) (HeapTuple index));

#endif
