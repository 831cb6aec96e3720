/*
 * key.c
 *	  The key of a row: its type, its order, and its text.
 */
#include "postgres.h"

#include "server/key.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_range.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "miscadmin.h"
#include "server/subtransaction.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

/* A type that is part of a key's type, or that type itself. */
typedef struct TypePart
{
	Oid			type;			/* domains resolved */
	Oid			collation;
	Relation	relation;		/* the row type, opened; NULL for any other
								 * type */
	List	   *parts;			/* indexes of what it consists of, in the list
								 * of parts */
} TypePart;

/* Add a part to the list, unless it is there.  Returns its number. */
static int
add_part(List **parts, Oid type, Oid collation)
{
	Oid			base = getBaseType(type);
	Oid			relid = get_typ_typrelid(base);
	TypePart   *part;
	ListCell   *lc;

	foreach(lc, *parts)
	{
		part = lfirst(lc);
		if (part->type == base && part->collation == collation)
			return foreach_current_index(lc);
	}
	part = palloc0_object(TypePart);
	part->type = base;
	part->collation = collation;
	if (OidIsValid(relid))
	{
		part->relation = try_relation_open(relid, AccessShareLock);
		if (part->relation == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_OBJECT),
					 errmsg("the row type of column \"key\" was dropped")));
	}
	*parts = lappend(*parts, part);
	return list_length(*parts) - 1;
}

/*
 * Add what a part consists of: the element of an array, the subtype of a range, the range
 * of a multirange, or the columns of a row.
 */
static void
add_parts_of(List **parts, TypePart *part)
{
	TupleDesc	desc = part->relation ? RelationGetDescr(part->relation) : NULL;
	Oid			type = get_element_type(part->type);
	Oid			collation = part->collation;

	switch (get_typtype(part->type))
	{
		case TYPTYPE_RANGE:
			type = get_range_subtype(part->type);
			collation = get_range_collation(part->type);
			break;
		case TYPTYPE_MULTIRANGE:
			type = get_multirange_range(part->type);
			break;
	}
	if (OidIsValid(type))
		part->parts = list_make1_int(add_part(parts, type, collation));
	for (int i = 0; desc && i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		if (!att->attisdropped)
			part->parts = lappend_int(part->parts,
									  add_part(parts, att->atttypid, att->attcollation));
	}
}

List *
sm_hold_type(List *held, Oid type, Oid collation)
{
	int			i = list_length(held);

	add_part(&held, type, collation);
	for (; i < list_length(held); i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_parts_of(&held, list_nth(held, i));
	}
	return held;
}

void
sm_release_types(List *held)
{
	ListCell   *lc;

	foreach(lc, held)
	{
		TypePart   *part = lfirst(lc);

		if (part->relation)
			relation_close(part->relation, AccessShareLock);
	}
	list_free(held);
}

/* Find a part that passes a test.  Returns InvalidOid if there is none. */
static Oid
find_part(List *parts, bool (*test) (Oid type))
{
	ListCell   *lc;

	foreach(lc, parts)
	{
		TypePart   *part = lfirst(lc);

		if (test(part->type))
			return part->type;
	}
	return InvalidOid;
}

static bool
is_pseudo_type(Oid type)
{
	return get_typtype(type) == TYPTYPE_PSEUDO;
}

/*
 * Are a type's values OIDs of objects, and their texts the names of the objects?  Such
 * types, e.g. regclass, use the operator class of oid.
 */
static bool
is_object_name(Oid type)
{
	return type != OIDOID &&
		lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opintype == OIDOID;
}

Oid
sm_find_pseudo_type(List *held)
{
	return find_part(held, is_pseudo_type);
}

void
sm_key_type_init(SmKeyType *key, Oid type, Oid collation)
{
	Oid			base = getBaseType(type);
	TypeCacheEntry *entry = lookup_type_cache(base, TYPECACHE_LT_OPR | TYPECACHE_BTREE_OPFAMILY);
	List	   *parts;
	Oid			part;
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

	parts = sm_hold_type(NIL, base, collation);
	part = sm_find_pseudo_type(parts);
	if (OidIsValid(part))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"key\" of the query must not be of the pseudo-type %s",
						format_type_be(part)),
				 errdetail("A key is stored as text, and no value of this type can be read from text.")));
	part = find_part(parts, is_object_name);
	if (OidIsValid(part))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"key\" of the query must not have values of type %s",
						format_type_be(part)),
				 errdetail("A key is stored as text, and the text of type %s is a name, which another object can get.",
						   format_type_be(part)),
				 errhint("Cast the values to oid or text.")));
	sm_release_types(parts);

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

Datum
sm_key_copy(const SmKeyType *key, Datum value)
{
	if (key->len == -1)
		return PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
	return datumCopy(value, key->by_value, key->len);
}

static void
set_setting(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true,
							 0, false);
}

int
sm_fix_query_settings(void)
{
	/*
	 * All settings that affect the input or output of types with a btree
	 * operator class.  Two have no effect under these settings and are left
	 * out: timezone_abbreviations, and the order of day and month in
	 * DateStyle.  xmlbinary affects no such type: it is in the list because a
	 * user's query can put a bytea into XML.
	 */
	static const char *const settings[][2] = {
		{"DateStyle", "ISO"},
		{"IntervalStyle", "postgres"},
		{"TimeZone", "GMT"},
		{"array_nulls", "on"},
		{"bytea_output", "hex"},
		{"extra_float_digits", "3"},
		{"lc_monetary", "C"},
		{"quote_all_identifiers", "off"},
		{"xmlbinary", "base64"},
	};
	int			level = NewGUCNestLevel();

	for (size_t i = 0; i < lengthof(settings); i++)
		set_setting(settings[i][0], settings[i][1]);
	return level;
}

int
sm_fix_text_settings(void)
{
	int			level = sm_fix_query_settings();

	/* a temporary object must not hide a built-in one of the same name */
	set_setting("search_path", "pg_catalog, pg_temp");
	return level;
}

int
sm_fix_input_settings(void)
{
	int			level = NewGUCNestLevel();

	set_setting("array_nulls", "on");
	return level;
}

void
sm_restore_settings(int level)
{
	AtEOXact_GUC(true, level);
}

char *
sm_key_to_text(SmKeyType *key, Datum value)
{
	int			level = sm_fix_text_settings();
	char	   *text = OutputFunctionCall(&key->output, value);

	sm_restore_settings(level);
	return text;
}

Datum
sm_key_from_text(SmKeyType *key, const char *text)
{
	return InputFunctionCall(&key->input, unconstify(char *, text), key->io_param, -1);
}

/* Is an error about a value, rather than about the session or the server? */
static bool
is_about_value(int sqlerrcode)
{
	switch (ERRCODE_TO_CATEGORY(sqlerrcode))
	{
		case ERRCODE_TO_CATEGORY(ERRCODE_TRANSACTION_ROLLBACK):
		case ERRCODE_TO_CATEGORY(ERRCODE_INSUFFICIENT_RESOURCES):
		case ERRCODE_TO_CATEGORY(ERRCODE_OPERATOR_INTERVENTION):
		case ERRCODE_TO_CATEGORY(ERRCODE_SYSTEM_ERROR):
		case ERRCODE_TO_CATEGORY(ERRCODE_INTERNAL_ERROR):
			return false;
		default:
			return true;
	}
}

/* Texts to read, and the values to be set. */
typedef struct Texts
{
	SmKeyType  *key;
	const char *const *texts;
	int			ntexts;
	Datum	   *values;
} Texts;

static bool
read_texts(void *arg)
{
	Texts	   *texts = arg;
	int			level = sm_fix_text_settings();

	for (int i = 0; i < texts->ntexts; i++)
		texts->values[i] = sm_key_from_text(texts->key, texts->texts[i]);
	sm_restore_settings(level);
	return true;
}

/*
 * Most types, and the CHECK of a domain, raise an error for text that they do not
 * accept.  So the texts are read in a subtransaction.  Where no subtransaction can begin,
 * that error is raised.
 */
bool
sm_key_try_from_texts(SmKeyType *key, const char *const *texts, int ntexts, Datum *values)
{
	Texts		work = {.key = key,.texts = texts,.ntexts = ntexts,.values = values};
	ErrorData  *error;

	if (!sm_can_begin_subtransaction())
		return read_texts(&work);
	error = sm_try(read_texts, &work);
	if (error && !is_about_value(error->sqlerrcode))
		ReThrowError(error);
	return error == NULL;
}

/* Can the value be read from its text? */
static bool
is_exact(SmKeyType *key, Datum value, const char *text)
{
	Datum		read;

	/* of PostgreSQL's own types, only tsquery loses something: its nesting */
	if (key->type < FirstNormalObjectId && key->type != TSQUERYOID &&
		get_element_type(key->type) != TSQUERYOID)
		return true;
	return sm_key_try_from_texts(key, &text, 1, &read) &&
		sm_key_compare(key, value, read) == 0;
}

char *
sm_key_to_exact_text(SmKeyType *key, Datum value)
{
	char	   *text = sm_key_to_text(key, value);

	return is_exact(key, value, text) ? text : NULL;
}

char *
sm_key_operator(const SmKeyType *key, StrategyNumber strategy)
{
	Oid			oid = get_opfamily_member(key->family, key->operand, key->operand, strategy);
	HeapTuple	tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(oid));
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

/* Append the columns of a catalog's row that this version of PostgreSQL has. */
static void
append_columns(StringInfo dst, int cache, Oid catalog, Oid oid, const char *const *columns)
{
	HeapTuple	tuple = SearchSysCache1(cache, ObjectIdGetDatum(oid));

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for object %u of catalog %u", oid, catalog);
	for (; *columns; columns++)
	{
		AttrNumber	number = get_attnum(catalog, *columns);
		Oid			output;
		bool		is_varlena;
		bool		isnull;
		Datum		value;

		if (number == InvalidAttrNumber)
			continue;
		value = SysCacheGetAttr(cache, tuple, number, &isnull);
		getTypeOutputInfo(get_atttype(catalog, number), &output, &is_varlena);
		if (!isnull)
			appendStringInfo(dst, " %s %s", *columns, OidOutputFunctionCall(output, value));
	}
	ReleaseSysCache(tuple);
}

/* The version of a locale's definitions in the library that provides it. */
static void
append_version(StringInfo dst, PGFunction function, Oid oid)
{
	LOCAL_FCINFO(fcinfo, 1);
	Datum		version;

	InitFunctionCallInfoData(*fcinfo, NULL, 1, InvalidOid, NULL, NULL);
	fcinfo->args[0].value = ObjectIdGetDatum(oid);
	fcinfo->args[0].isnull = false;
	version = function(fcinfo);
	if (!fcinfo->isnull)
		appendStringInfo(dst, " version %s", TextDatumGetCString(version));
}

static void
append_collation(StringInfo dst, Oid collation, bool with_version)
{
	static const char *const columns[] = {
		"collprovider", "collisdeterministic", "collcollate", "collctype", "colliculocale",
		"colllocale", "collicurules", NULL
	};
	static const char *const database_columns[] = {
		"datlocprovider", "datcollate", "datctype", "daticulocale", "datlocale",
		"daticurules", NULL
	};

	if (!OidIsValid(collation))
		return;
	appendStringInfo(dst, " COLLATE %s", generate_collation_name(collation));
	if (collation == DEFAULT_COLLATION_OID)
	{
		append_columns(dst, DATABASEOID, DatabaseRelationId, MyDatabaseId, database_columns);
		if (with_version)
			append_version(dst, pg_database_collation_actual_version, MyDatabaseId);
	}
	else
	{
		append_columns(dst, COLLOID, CollationRelationId, collation, columns);
		if (with_version)
			append_version(dst, pg_collation_actual_version, collation);
	}
}

/* The labels of an enum, in their order. */
static void
append_labels(StringInfo dst, Oid type)
{
	Relation	catalog = table_open(EnumRelationId, AccessShareLock);
	Relation	index = index_open(EnumTypIdSortOrderIndexId, AccessShareLock);
	ScanKeyData scan_key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&scan_key, Anum_pg_enum_enumtypid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(type));
	scan = systable_beginscan_ordered(catalog, index, NULL, 1, &scan_key);
	while (HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
		appendStringInfo(dst, " %s",
						 quote_literal_cstr(NameStr(((Form_pg_enum) GETSTRUCT(tuple))->enumlabel)));
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	table_close(catalog, AccessShareLock);
}

/* The operator that orders the bounds of a range.  A range type can choose it. */
static void
append_bound_operator(StringInfo dst, Oid range)
{
	HeapTuple	tuple = SearchSysCache1(RANGETYPE, ObjectIdGetDatum(range));
	Oid			opclass;
	Oid			operand;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for range type %u", range);
	opclass = ((Form_pg_range) GETSTRUCT(tuple))->rngsubopc;
	ReleaseSysCache(tuple);
	operand = get_opclass_input_type(opclass);
	appendStringInfo(dst, " of bounds by %s",
					 format_operator(get_opfamily_member(get_opclass_family(opclass), operand,
														 operand, BTLessStrategyNumber)));
}

/* What determines the order of values of a part. */
static void
append_order(StringInfo dst, const TypePart *part)
{
	TypeCacheEntry *entry = lookup_type_cache(part->type, TYPECACHE_LT_OPR);
	ListCell   *lc;

	appendStringInfo(dst, "%s by %s",
					 format_type_extended(part->type, -1, FORMAT_TYPE_FORCE_QUALIFY),
					 OidIsValid(entry->lt_opr) ? format_operator(entry->lt_opr) : "nothing");
	append_collation(dst, part->collation, true);
	if (entry->typtype == TYPTYPE_ENUM)
		append_labels(dst, part->type);
	else if (entry->typtype == TYPTYPE_RANGE)
		append_bound_operator(dst, part->type);
	foreach(lc, part->parts)
		appendStringInfo(dst, " %d", lfirst_int(lc));
	appendStringInfoString(dst, ";");
}

char *
sm_key_describe_family(const SmKeyType *key)
{
	ObjectAddress family;
	StringInfoData result;
	int			level = sm_fix_text_settings();

	ObjectAddressSet(family, OperatorFamilyRelationId, key->family);
	initStringInfo(&result);
	appendStringInfoString(&result, getObjectIdentity(&family, false));
	/* all arrays have one family; so have all enums, ranges and rows */
	if (get_typtype(key->operand) == TYPTYPE_PSEUDO)
		appendStringInfo(&result, " of %s",
						 format_type_extended(key->type, -1, FORMAT_TYPE_FORCE_QUALIFY));
	append_collation(&result, key->collation, false);
	sm_restore_settings(level);
	return result.data;
}

char *
sm_describe_order(List *held)
{
	StringInfoData order;
	ListCell   *lc;
	int			level = sm_fix_text_settings();

	initStringInfo(&order);
	foreach(lc, held)
		append_order(&order, lfirst(lc));
	sm_restore_settings(level);
	return order.data;
}
