/*
 * row.h
 *	  SQL values become a row: from the arguments of a function, or from the
 *	  columns of a query; detoasted, in UTF-8, not yet checked.
 */
#ifndef SM_ROW_H
#define SM_ROW_H

#include "executor/tuptable.h"
#include "fmgr.h"
#include "key.h"
#include "problem.h"
#include "sitemap.h"

/* The columns that a query can have. */
typedef enum SmColumnName
{
	SM_COLUMN_LOC,
	SM_COLUMN_LASTMOD,
	SM_COLUMN_CHANGEFREQ,
	SM_COLUMN_PRIORITY,
	SM_COLUMN_ALTERNATES,
	SM_COLUMN_IMAGES,
	SM_COLUMN_EXTENSIONS,
	SM_COLUMN_URL,
	SM_COLUMN_KEY
} SmColumnName;

#define SM_NCOLUMNS		9

typedef struct SmColumn
{
	int			index;			/* in the query's row, -1 if it has none */
	Oid			type;			/* domains resolved */
	bool		is_text;		/* its datum is that of text */
	FmgrInfo	output;			/* makes text of an enum, a name and the like */
} SmColumn;

typedef struct SmColumns
{
	SmColumn	column[SM_NCOLUMNS];
	SmKeyType	key_type;		/* where there is a column key */
} SmColumns;

/* What came of a row. */
typedef enum SmRowStatus
{
	SM_ROW_OK,
	SM_ROW_NULL,				/* its loc, or url, is NULL: there is no page */
	SM_ROW_SKIPPED				/* a problem that was skipped */
} SmRowStatus;

/*
 * Read a text or xml value as UTF-8.  It may point into the value or into the
 * current memory context.  If it cannot be read that is the problem of this
 * name, and what names the value in it; *result.s is NULL then.  Returns whether
 * the row may go on.
 */
extern bool sm_read_text(Datum value, SmSpan *result, SmProblems *problems,
						 SmProblemName name, const char *what);

/* Read a lastmod of the given type. */
extern void sm_read_lastmod(Datum value, SmLastmodType type, SmRow *row,
							SmProblems *problems);

/* Read an array of text as the row's images; NULLs in it are left out. */
extern void sm_read_images(Datum array, SmRow *row, SmProblems *problems);

/*
 * Read a JSON object, hreflang to URL, and return the number of links; one that is
 * null is left out.  what names the object in a problem.
 */
extern int	sm_read_alternates(Datum object, SmLink **links, SmProblems *problems,
							   const char *what);

/* Read an array of xml as the row's extensions; NULLs in it are left out. */
extern void sm_read_extensions(Datum array, SmRow *row, SmProblems *problems);

/*
 * Read the arguments (loc, lastmod, changefreq, priority, extensions) of a
 * function that begin with argument first; it may have fewer.  The loc is not
 * NULL.  An error if a text cannot be read.
 */
extern void sm_read_arguments(FunctionCallInfo fcinfo, int first,
							  SmLastmodType lastmod_type, SmRow *row,
							  SmProblems *problems);

/*
 * Find a query's columns by their names.  An error for one that is unknown, of
 * a wrong type, or there twice, and if there is no loc and no url.
 */
extern void sm_find_columns(TupleDesc desc, SmColumns *columns);

/*
 * Read a row into the current memory context; its spans may point into the
 * slot.  problems->row_number is set by the caller, problems->loc here.  Where
 * problems are reported, a row that is read can lack a loc, which was reported.
 */
extern SmRowStatus sm_read_slot(TupleTableSlot *slot, SmColumns *columns, SmRow *row,
								SmProblems *problems);

#endif
