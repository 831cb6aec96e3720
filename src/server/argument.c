/*
 * argument.c
 *	  Messages about arguments have the name and the value as they were given, but no password.
 */
#include "postgres.h"

#include "server/argument.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "server/encoding.h"
#include "text/ascii.h"
#include "text/text.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

void
sm_invalid_argument(const char *name, const char *value, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid %s \"%s\"", name, sm_clip(value)),
			 errdetail("%s", detail)));
}

SmSpan
sm_read_argument(Datum value, const char *name)
{
	struct varlena *text = PG_DETOAST_DATUM_PACKED(value);
	SmSpan		result;

	if (!sm_to_utf8(VARDATA_ANY(text), VARSIZE_ANY_EXHDR(text), &result))
		ereport(ERROR,
				(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
				 errmsg("invalid %s: %s", name, sm_encoding_message())));
	return result;
}

void
sm_url_check_memory(SmUrlStatus status)
{
	if (status == SM_URL_NO_MEMORY)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("libidn2 could not encode a host name.")));
}

void
sm_refuse_base_url(SmSpan url, const char *reason)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid base_url \"%s\": %s", sm_for_message(sm_without_secret(url)), reason),
			 errhint("It is the URL of the directory that the files will be served from, such as \"https://www.example.com/\".")));
}

void
sm_base_url_read(SmSpan url, SmUrlScope scope, SmUrlBase *base)
{
	SmUrlStatus status = sm_url_base_init(base, url.s, url.len, scope);

	sm_url_check_memory(status);
	if (status != SM_URL_OK)
		sm_refuse_base_url(url, sm_url_message(status));
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

SmArguments *
sm_call_arguments(FunctionCallInfo fcinfo)
{
	SmArguments *args = palloc_object(SmArguments);
	HeapTuple	function = SearchSysCache1(PROCOID, ObjectIdGetDatum(fcinfo->flinfo->fn_oid));
	char	   *modes;

	if (!HeapTupleIsValid(function))
		elog(ERROR, "cache lookup failed for function %u", fcinfo->flinfo->fn_oid);
	(void) get_func_arg_info(function, &args->types, &args->names, &modes);
	ReleaseSysCache(function);
	/* the columns of a result follow the arguments */
	args->count = args->names ? PG_NARGS() : 0;
	args->values = fcinfo->args;
	return args;
}

/* The position of an argument, -1 if it is missing or NULL. */
static int
find_argument(const SmArguments *args, const char *name)
{
	for (int i = 0; i < args->count; i++)
		if (strcmp(args->names[i], name) == 0)
			return args->values[i].isnull ? -1 : i;
	return -1;
}

bool
sm_has_argument(const SmArguments *args, const char *name)
{
	return find_argument(args, name) >= 0;
}

Datum
sm_argument(const SmArguments *args, const char *name)
{
	int			n = find_argument(args, name);

	if (n < 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
	return args->values[n].value;
}

char *
sm_text_argument(const SmArguments *args, const char *name)
{
	return TextDatumGetCString(sm_argument(args, name));
}

int64
sm_integer_option(const SmArguments *args, const char *name, int64 min, int64 max,
				  int64 default_value)
{
	int			n = find_argument(args, name);
	int64		value;

	if (n < 0)
		return default_value;
	value = args->types[n] == INT4OID ? DatumGetInt32(args->values[n].value) :
		DatumGetInt64(args->values[n].value);
	if (value < min || value > max)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid %s " INT64_FORMAT, name, value),
				 errdetail("It must be from " INT64_FORMAT " to " INT64_FORMAT ".", min, max)));
	return value;
}

int
sm_choice_option(const SmArguments *args, const char *name, const SmChoice *choices,
				 int default_value)
{
	Datum		value;
	SmSpan		trimmed;
	StringInfoData names;

	if (!sm_has_argument(args, name))
		return default_value;
	value = sm_argument(args, name);
	trimmed = sm_trim(sm_read_argument(value, name));
	initStringInfo(&names);
	for (const SmChoice *c = choices; c->name; c++)
	{
		if (sm_equal_ignoring_case(trimmed, sm_span_of(c->name)))
			return c->value;
		appendStringInfo(&names, "%s%s", c == choices ? "" : c[1].name ? ", " : " or ", c->name);
	}
	sm_invalid_argument(name, TextDatumGetCString(value), psprintf("It must be %s.", names.data));
}
