/*
 * table.c
 *	  Checks of a user's table: the target that files are published in, or the feed.
 */
#include "postgres.h"

#include "publish/table.h"

#include "access/relation.h"
#include "catalog/namespace.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"

Relation
sm_table_open(Oid relid, LOCKMODE lockmode, const char *what)
{
	Relation	rel = try_relation_open(relid, lockmode);

	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the %s table does not exist", what)));
	return rel;
}

void
sm_table_check_columns(Relation rel, const char *what, const SmFileColumn *columns,
					   int ncolumns, const char *hint)
{
	for (int i = 0; i < ncolumns; i++)
	{
		const SmFileColumn *column = &columns[i];
		AttrNumber	attnum = get_attnum(RelationGetRelid(rel), column->name);
		Oid			type;

		if (attnum == InvalidAttrNumber)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("the %s table \"%s\" has no column \"%s\"",
							what, RelationGetRelationName(rel), column->name),
					 errhint("%s", hint)));
		type = get_atttype(RelationGetRelid(rel), attnum);
		if (type != column->type)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of the %s table \"%s\" must be of type %s, not %s",
							column->name, what, RelationGetRelationName(rel),
							format_type_be(column->type), format_type_be(type)),
					 errhint("%s", hint)));
	}
}

RangeVar *
sm_table_name(Relation rel)
{
	return makeRangeVar(get_namespace_name(RelationGetNamespace(rel)),
						pstrdup(RelationGetRelationName(rel)), -1);
}

char *
sm_table_sql_name(const RangeVar *name)
{
	return quote_qualified_identifier(name->schemaname, name->relname);
}

void
sm_table_check_name(Oid relid, const RangeVar *name, const char *what)
{
	AcceptInvalidationMessages();
	if (RangeVarGetRelid(name, AccessShareLock, true) != relid)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the schema of the %s table \"%s\" was renamed", what, name->relname),
				 errhint("Publish again.")));
}
