/*
 * column.h
 *	  The columns of a query, found by name, with the types that they may have.
 */
#ifndef SM_COLUMN_H
#define SM_COLUMN_H

#include "access/tupdesc.h"
#include "fmgr.h"

/* A column that a query can have. */
typedef struct SmColumnRule
{
	const char *name;
	const char *types;			/* allowed types, for a message; NULL for any */
	const char *hint;			/* about another type; NULL for none */
	bool		takes_text;		/* strings and enums are allowed */
	Oid			oids[7];		/* other allowed types; ends with 0 */
} SmColumnRule;

typedef struct SmColumn
{
	int			index;			/* in the query's row, -1 if it has none */
	Oid			type;			/* domains resolved */
	bool		is_text;		/* values are stored as those of text */
	FmgrInfo	output;			/* output function of the type */
} SmColumn;

/*
 * Find n columns in the description of a query's rows.  Raises an error for a column of
 * a wrong type, and for a name that appears twice.  hint: of the error for a column
 * that has no rule; NULL to ignore such columns.
 */
extern void sm_match_columns(TupleDesc desc, const SmColumnRule *rules, int n,
							 const char *hint, SmColumn *columns);

#endif
