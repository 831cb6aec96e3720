/*
 * key.c
 *	  The key of a row: its type, its order, and its text.
 */
#include "postgres.h"

#include "server/key.h"

#include "access/htup_details.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

void
sm_key_type_init(SmKeyType *key, Oid type, Oid collation)
{
	Oid			base = getBaseType(type);
	TypeCacheEntry *entry = lookup_type_cache(base, TYPECACHE_LT_OPR | TYPECACHE_BTREE_OPFAMILY);
	Oid			output;
	Oid			input;
	bool		is_varlena;

	if (!OidIsValid(entry->lt_opr))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"key\" of the query must be of a type that can be sorted, not %s",
						format_type_be(type)),
				 errdetail("Type %s has no default operator class for access method \"btree\".",
						   format_type_be(type))));

	if (get_typtype(base) == TYPTYPE_PSEUDO)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"key\" of the query must not be of the pseudo-type %s",
						format_type_be(type)),
				 errdetail("A key is stored as text, and no value of this type can be read from text.")));
	memset(key, 0, sizeof(*key));
	key->type = base;
	key->collation = collation;
	key->len = entry->typlen;
	key->by_value = entry->typbyval;
	key->family = entry->btree_opf;
	key->operand = entry->btree_opintype;

	key->order.ssup_cxt = CurrentMemoryContext;
	key->order.ssup_collation = collation;
	PrepareSortSupportFromOrderingOp(entry->lt_opr, &key->order);

	getTypeInputInfo(base, &input, &key->io_param);
	fmgr_info(input, &key->input);
	getTypeOutputInfo(base, &output, &is_varlena);
	fmgr_info(output, &key->output);
}

int
sm_key_begin_text(void)
{
	/* all settings on which the text of PostgreSQL's types depends */
	static const char *const settings[][2] = {
		{"DateStyle", "ISO"},
		{"IntervalStyle", "postgres"},
		{"TimeZone", "GMT"},
		{"extra_float_digits", "3"},
		{"bytea_output", "hex"},
		{"lc_monetary", "C"},
		{"quote_all_identifiers", "off"},
		{"search_path", "pg_catalog"},
	};
	int			level = NewGUCNestLevel();

	for (size_t i = 0; i < lengthof(settings); i++)
		(void) set_config_option(settings[i][0], settings[i][1], PGC_USERSET, PGC_S_SESSION,
								 GUC_ACTION_SAVE, true, 0, false);
	return level;
}

void
sm_key_end_text(int level)
{
	AtEOXact_GUC(true, level);
}

char *
sm_key_to_text(SmKeyType *key, Datum value)
{
	int			level = sm_key_begin_text();
	char	   *text = OutputFunctionCall(&key->output, value);

	sm_key_end_text(level);
	return text;
}

Datum
sm_key_from_text(SmKeyType *key, const char *text)
{
	return InputFunctionCall(&key->input, unconstify(char *, text), key->io_param, -1);
}

char *
sm_key_operator(const SmKeyType *key, StrategyNumber strategy)
{
	Oid			operator = get_opfamily_member(key->family, key->operand, key->operand, strategy);
	HeapTuple	tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(operator));
	Form_pg_operator form;
	char	   *result;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "operator family %u has no operator %d for type %u", key->family,
			 strategy, key->operand);
	form = (Form_pg_operator) GETSTRUCT(tuple);
	result = psprintf("OPERATOR(%s.%s)", quote_identifier(get_namespace_name(form->oprnamespace)),
					  NameStr(form->oprname));
	ReleaseSysCache(tuple);
	return result;
}
