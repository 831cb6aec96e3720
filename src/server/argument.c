/*
 * argument.c
 *	  Messages about arguments have the name and the value as they were given.
 */
#include "postgres.h"

#include "server/argument.h"

#include "catalog/pg_type.h"
#include "core/ascii.h"
#include "core/text.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "server/encoding.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

void
sm_invalid_argument(const char *name, const char *value, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid %s \"%s\"", name, sm_clip(value)),
			 errdetail("%s", detail)));
}

bool
sm_read_string(const char *s, size_t len, SmSpan *result, SmProblems *problems,
			   SmProblemName name, const char *what)
{
	if (sm_to_utf8(s, len, result))
		return true;
	*result = sm_no_span();
	return sm_problem(problems, name, ERRCODE_CHARACTER_NOT_IN_REPERTOIRE, NULL,
					  "invalid %s: bytes that are not text in encoding \"%s\" or have no counterpart in UTF-8",
					  what, GetDatabaseEncodingName());
}

bool
sm_read_text(Datum value, SmSpan *result, SmProblems *problems, SmProblemName name,
			 const char *what)
{
	struct varlena *text = PG_DETOAST_DATUM_PACKED(value);

	return sm_read_string(VARDATA_ANY(text), VARSIZE_ANY_EXHDR(text), result, problems,
						  name, what);
}

SmSpan
sm_read_argument(Datum value, const char *name)
{
	SmProblems	problems = {0};
	SmSpan		result;

	/* the name of the problem does not matter: an error does not show it */
	sm_read_text(value, &result, &problems, SM_LOC_INVALID, name);
	return result;
}

Oid
sm_argument_type(FunctionCallInfo fcinfo, int n)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, n);
	Oid		   *types;
	int			nargs;

	/* without an expression, as in a call by Citus, ask the catalog */
	if (!OidIsValid(type))
	{
		(void) get_func_signature(fcinfo->flinfo->fn_oid, &types, &nargs);
		type = types[n];
	}
	return type;
}

void
sm_require_argument(FunctionCallInfo fcinfo, int n, const char *name)
{
	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
}

char *
sm_text_argument(FunctionCallInfo fcinfo, int n, const char *name)
{
	sm_require_argument(fcinfo, n, name);
	return text_to_cstring(PG_GETARG_TEXT_PP(n));
}

int64
sm_integer_option(FunctionCallInfo fcinfo, int n, const char *name, int64 min, int64 max,
				  int64 default_value)
{
	int64		value;

	if (PG_ARGISNULL(n))
		return default_value;
	value = sm_argument_type(fcinfo, n) == INT4OID ? PG_GETARG_INT32(n) : PG_GETARG_INT64(n);
	if (value < min || value > max)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid %s " INT64_FORMAT, name, value),
				 errdetail("It must be from " INT64_FORMAT " to " INT64_FORMAT ".", min, max)));
	return value;
}

int
sm_choice_option(FunctionCallInfo fcinfo, int n, const char *name, const SmChoice *choices,
				 int default_value)
{
	char	   *value;
	SmSpan		trimmed;
	StringInfoData names;

	if (PG_ARGISNULL(n))
		return default_value;
	value = text_to_cstring(PG_GETARG_TEXT_PP(n));
	trimmed = sm_trim(sm_read_argument(PG_GETARG_DATUM(n), name));
	initStringInfo(&names);
	for (const SmChoice *c = choices; c->name; c++)
	{
		if (sm_equal_ignoring_case(trimmed, sm_span_of(c->name)))
			return c->value;
		appendStringInfo(&names, "%s%s", c == choices ? "" : c[1].name ? ", " : " or ", c->name);
	}
	sm_invalid_argument(name, value, psprintf("It must be %s.", names.data));
}
