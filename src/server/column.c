/*
 * column.c
 *	  Compares the columns of a query with rules.
 */
#include "postgres.h"

#include "server/column.h"

#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/*
 * The base type of a domain.  An array counts as xml[] or text[] if its elements are xml
 * or are stored as text, perhaps by a domain.
 */
static Oid
base_type(Oid type)
{
	Oid			base = getBaseType(type);
	Oid			element = get_element_type(base);

	if (OidIsValid(element) && getBaseType(element) == XMLOID)
		return XMLARRAYOID;
	if (OidIsValid(element) && IsBinaryCoercible(getBaseType(element), TEXTOID))
		return TEXTARRAYOID;
	return base;
}

static bool
type_is_allowed(const SmColumnRule *rule, Oid type)
{
	for (const Oid *oid = rule->oids; OidIsValid(*oid); oid++)
		if (*oid == type)
			return true;
	if (!rule->takes_text)
		return rule->types == NULL;
	return TypeCategory(type) == TYPCATEGORY_STRING || TypeCategory(type) == TYPCATEGORY_ENUM;
}

static void
set_column(SmColumn *column, const SmColumnRule *rule, Form_pg_attribute att)
{
	Oid			output;
	bool		is_varlena;

	if (column->index >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_COLUMN),
				 errmsg("column \"%s\" appears more than once in the query", rule->name)));

	column->index = att->attnum - 1;
	column->type = base_type(att->atttypid);
	if (!type_is_allowed(rule, column->type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of the query must be of type %s, not %s",
						rule->name, rule->types, format_type_be(att->atttypid)),
				 rule->hint ? errhint("%s", rule->hint) : 0));
	column->is_text = IsBinaryCoercible(column->type, TEXTOID);
	getTypeOutputInfo(column->type, &output, &is_varlena);
	fmgr_info(output, &column->output);
}

void
sm_match_columns(TupleDesc desc, const SmColumnRule *rules, int n, const char *hint,
				 SmColumn *columns)
{
	for (int k = 0; k < n; k++)
		columns[k].index = -1;
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);
		int			k = 0;

		while (k < n && strcmp(NameStr(att->attname), rules[k].name) != 0)
			k++;
		if (k < n)
			set_column(&columns[k], &rules[k], att);
		else if (hint)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("unrecognized column \"%s\" in the query", NameStr(att->attname)),
					 errhint("%s", hint)));
	}
}
