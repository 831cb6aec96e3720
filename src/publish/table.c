/*
 * table.c
 *	  A user's table that a run writes to: the target or the feed.
 */
#include "postgres.h"

#include "publish/table.h"

#include "access/relation.h"
#include "catalog/namespace.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"

void
sm_table_open(SmTable *table, LOCKMODE lockmode)
{
	Relation	rel = try_relation_open(table->relid, lockmode);

	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the %s table does not exist", table->what)));
	table->rel = rel;
	table->name = makeRangeVar(get_namespace_name(RelationGetNamespace(rel)),
							   pstrdup(RelationGetRelationName(rel)), -1);
	table->sql_name = quote_qualified_identifier(table->name->schemaname, table->name->relname);
}

bool
sm_table_has_column(const SmTable *table, int column)
{
	return get_attnum(table->relid, table->columns[column].name) != InvalidAttrNumber;
}

void
sm_table_check_columns(const SmTable *table)
{
	for (int i = 0; i < table->ncolumns; i++)
	{
		const SmFileColumn *column = &table->columns[i];
		AttrNumber	attnum = get_attnum(table->relid, column->name);
		Oid			type;

		if (attnum == InvalidAttrNumber && column->optional)
			continue;
		if (attnum == InvalidAttrNumber)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("the %s table \"%s\" has no column \"%s\"",
							table->what, table->name->relname, column->name),
					 errhint("%s", table->hint)));
		type = get_atttype(table->relid, attnum);
		if (type != column->type)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of the %s table \"%s\" must be of type %s, not %s",
							column->name, table->what, table->name->relname,
							format_type_be(column->type), format_type_be(type)),
					 errhint("%s", table->hint)));
	}
}

void
sm_table_check_name(const SmTable *table)
{
	AcceptInvalidationMessages();
	if (RangeVarGetRelid(table->name, AccessShareLock, true) != table->relid)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the schema of the %s table \"%s\" was renamed", table->what,
						table->name->relname),
				 errhint("Publish again.")));
}
