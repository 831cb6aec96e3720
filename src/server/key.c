/*
 * key.c
 *	  The types of keys, their order and their text.
 *
 * Strings are compared by their bytes, whatever collation with that order they have.
 * Integers, uuids and strings have only one text.  Dates and times get the text that JSON
 * has, in UTC, which is read back under any DateStyle and TimeZone.
 */
#include "postgres.h"

#include "server/key.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

Oid
sm_key_family(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return INT8OID;
		case TEXTOID:
		case VARCHAROID:
			return TEXTOID;
		case BPCHAROID:
		case UUIDOID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return type;
		default:
			return InvalidOid;
	}
}

bool
sm_key_collation_is_allowed(Oid type, Oid collation)
{
	return !type_is_collatable(type) || (OidIsValid(collation) && sm_collation_is_c(collation));
}

void
sm_key_type_init(SmKeyType *key, Oid type)
{
	Oid			base = getBaseType(type);
	Oid			function;
	Oid			io_param;
	bool		is_varlena;

	memset(key, 0, sizeof(*key));
	key->type = base;
	key->family = sm_key_family(base);
	get_typlenbyval(base, &key->len, &key->by_value);
	key->order.ssup_cxt = CurrentMemoryContext;
	key->order.ssup_collation = C_COLLATION_OID;
	PrepareSortSupportFromOrderingOp(lookup_type_cache(base, TYPECACHE_LT_OPR)->lt_opr,
									 &key->order);
	getTypeInputInfo(base, &function, &io_param);
	fmgr_info(function, &key->input);
	getTypeOutputInfo(base, &function, &is_varlena);
	fmgr_info(function, &key->output);
}

Datum
sm_key_copy(const SmKeyType *key, Datum value)
{
	if (key->len == -1)
		return PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
	return datumCopy(value, key->by_value, key->len);
}

char *
sm_key_to_text(SmKeyType *key, Datum value)
{
	const int	utc = 0;

	switch (key->type)
	{
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return JsonEncodeDateTime(NULL, value, key->type, &utc);
		default:
			return OutputFunctionCall(&key->output, value);
	}
}

Datum
sm_key_from_text(SmKeyType *key, const char *text)
{
	return InputFunctionCall(&key->input, unconstify(char *, text), key->type, -1);
}
