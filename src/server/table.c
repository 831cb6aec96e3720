/*
 * table.c
 *	  Compares an open table with what a function needs.
 */
#include "postgres.h"

#include "server/table.h"

#include "access/relation.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "compat.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

char *
sm_qualified_name(Oid table)
{
	char	   *name = get_rel_name(table);

	return name == NULL ? psprintf("%u", table) :
		quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)), name);
}

char *
sm_table_label(Oid table)
{
	char	   *name = get_rel_name(table);

	return name == NULL ? psprintf("%u", table) :
		psprintf("%s.%s", get_namespace_name(get_rel_namespace(table)), name);
}

/* Raise an error unless the table has its columns. */
static void
check_table_columns(const SmTable *table)
{
	TupleDesc	desc = RelationGetDescr(table->rel);

	for (int i = 0; i < table->ncolumns; i++)
	{
		const SmTableColumn *column = &table->columns[i];
		int			number = SPI_fnumber(desc, column->name);
		Form_pg_attribute att;

		if (number == SPI_ERROR_NOATTRIBUTE && column->optional)
			continue;
		if (number == SPI_ERROR_NOATTRIBUTE)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("the %s \"%s\" has no column \"%s\"",
							table->what, table->name, column->name),
					 table->hint ? errhint("%s", table->hint) : 0));
		att = TupleDescAttr(desc, number - 1);
		if (att->atttypid != column->type || (column->is_exact && att->atttypmod >= 0))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of the %s \"%s\" must be of type %s, not %s",
							column->name, table->what, table->name, format_type_be(column->type),
							format_type_with_typemod(att->atttypid, att->atttypmod)),
					 table->hint ? errhint("%s", table->hint) : 0));
		if (sm_is_virtual(att))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("column \"%s\" of the %s \"%s\" must not be a virtual generated column",
							column->name, table->what, table->name)));
		if (OidIsValid(att->attcollation) && !get_collation_isdeterministic(att->attcollation))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("column \"%s\" of the %s \"%s\" must not have the nondeterministic collation \"%s\"",
							column->name, table->what, table->name,
							get_collation_name(att->attcollation)),
					 errdetail("It takes different texts for equal, and so one file or site for another.")));
	}
}

void
sm_table_open(SmTable *table, LOCKMODE lockmode)
{
	Relation	rel = try_relation_open(table->relid, lockmode);
	char		relkind;

	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the %s does not exist", table->what),
				 errhint("If it was dropped and created again, set it again: a regclass is an OID, not a name.")));
	table->rel = rel;
	table->name = pstrdup(RelationGetRelationName(rel));
	relkind = rel->rd_rel->relkind;
	if (relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE &&
		!(table->may_be_view && (relkind == RELKIND_VIEW || relkind == RELKIND_FOREIGN_TABLE)))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a table", table->name),
				 table->hint ? errhint("%s", table->hint) : 0));
	check_table_columns(table);
}

void
sm_table_check_row_security(const SmTable *table)
{
	/* a policy could hide rows that a run has to know */
	if (check_enable_rls(table->relid, InvalidOid, false) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot use the %s \"%s\", whose row security applies to you",
						table->what, table->name),
				 errhint("Use the role of its owner, or one with BYPASSRLS.")));
}

bool
sm_table_has_column(const SmTable *table, int column)
{
	return get_attnum(table->relid, table->columns[column].name) != InvalidAttrNumber;
}

Oid
sm_find_table(const char *name)
{
	List	   *parts;
	Oid			schema;

	if (!SplitIdentifierString(pstrdup(name), '.', &parts))
		return InvalidOid;
	if (list_length(parts) == 1)
		return RelnameGetRelid(linitial(parts));
	if (list_length(parts) != 2)
		return InvalidOid;

	/* LookupExplicitNamespace would require the right to use the schema */
	schema = LookupNamespaceNoError(linitial(parts));
	return OidIsValid(schema) ? get_relname_relid(lsecond(parts), schema) : InvalidOid;
}

Oid
sm_find_index(Relation rel, bool (*test) (HeapTuple index))
{
	List	   *indexes = RelationGetIndexList(rel);
	Oid			found = InvalidOid;
	ListCell   *lc;

	foreach(lc, indexes)
	{
		HeapTuple	index = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(lc)));

		/* DROP INDEX CONCURRENTLY does not wait for a lock of the table */
		if (!HeapTupleIsValid(index))
			continue;
		if (test(index))
			found = lfirst_oid(lc);
		ReleaseSysCache(index);
		if (OidIsValid(found))
			break;
	}
	list_free(indexes);
	return found;
}
