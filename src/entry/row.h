/*
 * row.h
 *	  Reads a row from the arguments of a function or the columns of a query:
 *	  detoasted and in UTF-8, not yet checked.
 */
#ifndef SM_ROW_H
#define SM_ROW_H

#include "entry/entry.h"
#include "entry/problem.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "server/column.h"
#include "server/key.h"

/* The columns that a query can have. */
typedef enum SmColumnName
{
	SM_COLUMN_LOC,
	SM_COLUMN_LASTMOD,
	SM_COLUMN_CHANGEFREQ,
	SM_COLUMN_PRIORITY,
	SM_COLUMN_ALTERNATES,
	SM_COLUMN_IMAGES,
	SM_COLUMN_VIDEOS,
	SM_COLUMN_NEWS,
	SM_COLUMN_EXTENSIONS,
	SM_COLUMN_URL,
	SM_COLUMN_KEY,
	SM_COLUMN_SHOWN,
	SM_NCOLUMNS
}			SmColumnName;

typedef struct SmColumns
{
	SmColumn	column[SM_NCOLUMNS];
	bool		has_elements;	/* columns from alternates to extensions */
	SmKeyType	key_type;		/* if there is a column key */
} SmColumns;

/* The most values of an array, our own limit: each has some tags in an entry. */
#define SM_MAX_ITEMS	(SM_MAX_BYTES / 50)

/* About an argument or a column that cannot be a date, because of its SQL type. */
#define SM_DATE_HINT \
	"Cast it to such a type. For seconds since 1970 write to_timestamp(nullif(seconds, 0)), for milliseconds to_timestamp(nullif(milliseconds, 0) / 1000.0)."

/* Read a date, by its SQL type.  Returns false for any other type, such as text. */
extern bool sm_read_date(Datum value, Oid type, SmValue *date);

/*
 * Read the arguments loc, lastmod, changefreq, priority and extensions of a
 * function, which may lack the last ones.  first: number of argument loc, which is not NULL.
 * lastmod_type: SQL type of argument lastmod, or InvalidOid to leave that to the caller.
 */
extern void sm_read_row_arguments(FunctionCallInfo fcinfo, int first,
								  Oid lastmod_type, SmRow *row,
								  SmProblems *problems);

/*
 * Find the columns of a query by their names.  Raises an error for columns of unknown names or
 * wrong types, and for columns that do not go together.  If kind is SM_TEXT, columns that only
 * XML can show are left out.
 */
extern void sm_find_columns(TupleDesc desc, SmKind kind, SmColumns *columns);

/*
 * Read a row into the current memory context; its spans may point into the slot.  Sets the loc
 * and the key of problems.  Returns false if the row cannot go on.  In sitemap_audit a row can
 * lack its loc, which has then been reported.
 */
extern bool sm_read_slot(TupleTableSlot *slot, SmColumns *columns, SmRow *row,
						 SmProblems *problems);

#endif
