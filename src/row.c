/*
 * row.c
 *	  SQL values become a row: detoasted, in UTF-8, not yet checked.
 */
#include "postgres.h"

#include "row.h"

#include "catalog/pg_type.h"
#include "encoding.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/date.h"
#include "utils/timestamp.h"

bool
sm_read_text(Datum value, SmSpan *result, SmProblems *problems, SmProblemName name,
			 const char *what)
{
	struct varlena *text = PG_DETOAST_DATUM_PACKED(value);

	if (sm_to_utf8(VARDATA_ANY(text), VARSIZE_ANY_EXHDR(text), result))
		return true;
	*result = sm_no_span();
	return sm_problem(problems, name, ERRCODE_CHARACTER_NOT_IN_REPERTOIRE, NULL,
					  "invalid %s: it has bytes that are not text in encoding \"%s\" or have no counterpart in UTF-8",
					  what, GetDatabaseEncodingName());
}

void
sm_read_lastmod(Datum value, SmLastmodType type, SmRow *row, SmProblems *problems)
{
	row->lastmod_type = type;
	switch (type)
	{
		case SM_LASTMOD_NONE:
			break;
		case SM_LASTMOD_TIMESTAMP:
			row->lastmod = DatumGetTimestamp(value);
			break;
		case SM_LASTMOD_DATE:
			row->lastmod = DatumGetDateADT(value);
			break;
		case SM_LASTMOD_TEXT:
			/* what cannot be read is empty then, and counts as none */
			sm_read_text(value, &row->lastmod_text, problems, SM_LASTMOD_INVALID, "lastmod");
			break;
	}
}

void
sm_read_extensions(Datum array, SmRow *row, SmProblems *problems)
{
	ArrayType  *extensions = DatumGetArrayTypeP(array);
	Datum	   *values;
	bool	   *nulls;
	int			n;

	/* the element type is xml or a domain over it */
	deconstruct_array(extensions, ARR_ELEMTYPE(extensions), -1, false, TYPALIGN_INT,
					  &values, &nulls, &n);
	row->extensions = palloc_array(SmSpan, n);
	row->nextensions = 0;
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			continue;
		sm_read_text(values[i], &row->extensions[row->nextensions], problems,
					 SM_EXTENSION_INVALID, "extension");
		if (row->extensions[row->nextensions].s != NULL)
			row->nextensions++;
	}
}

void
sm_read_arguments(FunctionCallInfo fcinfo, int first, SmLastmodType lastmod_type,
				  SmRow *row, SmProblems *problems)
{
	int			nargs = PG_NARGS() - first;

	memset(row, 0, sizeof(*row));
	sm_read_text(PG_GETARG_DATUM(first), &row->loc, problems, SM_LOC_INVALID, "loc");
	problems->loc = row->loc;
	if (nargs > 1 && !PG_ARGISNULL(first + 1))
		sm_read_lastmod(PG_GETARG_DATUM(first + 1), lastmod_type, row, problems);
	if (nargs > 2 && !PG_ARGISNULL(first + 2))
		sm_read_text(PG_GETARG_DATUM(first + 2), &row->changefreq, problems,
					 SM_CHANGEFREQ_INVALID, "changefreq");
	if (nargs > 3 && !PG_ARGISNULL(first + 3))
	{
		row->has_priority = true;
		row->priority = PG_GETARG_FLOAT8(first + 3);
	}
	if (nargs > 4 && !PG_ARGISNULL(first + 4))
		sm_read_extensions(PG_GETARG_DATUM(first + 4), row, problems);
}
