/*
 * queue.c
 *	  What a queue and the columns of a source must be like.
 *
 * sitemap_watch checks this when it creates triggers.  Since both tables can be altered
 * later, the triggers check it as well, before they insert keys.
 */
#include "postgres.h"

#include "watch/watch.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "server/table.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"

int
sm_watch_column(Relation source, const char *name, SmWatchProblem *problem)
{
	TupleDesc	desc = RelationGetDescr(source);
	int			number = SPI_fnumber(desc, name);

	/* a system column has a negative number */
	if (number <= 0)
	{
		problem->sqlstate = ERRCODE_UNDEFINED_COLUMN;
		problem->message = psprintf("table \"%s\" has no column \"%s\" to watch",
									RelationGetRelationName(source), name);
		problem->hint = NULL;
		return -1;
	}
	if (sm_is_virtual(TupleDescAttr(desc, number - 1)))
	{
		problem->sqlstate = ERRCODE_FEATURE_NOT_SUPPORTED;
		problem->message = psprintf("cannot watch the virtual generated column \"%s\" of table \"%s\"",
									name, RelationGetRelationName(source));
		problem->hint = "Watch the columns that it is generated from.";
		return -1;
	}
	return number - 1;
}

Oid
sm_watch_root(Oid relid)
{
	Relation	inherits = table_open(InheritsRelationId, AccessShareLock);
	Oid			root = InvalidOid;

	while (OidIsValid(relid))
	{
		ScanKeyData key;
		SysScanDesc scan;
		HeapTuple	tuple;

		root = relid;
		ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ,
					ObjectIdGetDatum(relid));
		scan = systable_beginscan(inherits, InheritsRelidSeqnoIndexId, true, NULL, 1, &key);
		tuple = systable_getnext(scan);
		relid = HeapTupleIsValid(tuple) ? ((Form_pg_inherits) GETSTRUCT(tuple))->inhparent : InvalidOid;
		systable_endscan(scan);
	}
	table_close(inherits, AccessShareLock);
	return root;
}

Form_pg_attribute
sm_queue_column(Relation queue)
{
	TupleDesc	desc = RelationGetDescr(queue);

	for (int i = 0; i < desc->natts; i++)
		if (!TupleDescAttr(desc, i)->attisdropped)
			return TupleDescAttr(desc, i);
	return NULL;
}

static bool
is_unique(Relation index)
{
	return index->rd_index->indisunique;
}

bool
sm_queue_check(Relation queue, Relation source, SmWatchProblem *problem)
{
	const char *name = RelationGetRelationName(queue);
	char		kind = queue->rd_rel->relkind;
	Oid			owner = source->rd_rel->relowner;
	Datum		owner_oid = ObjectIdGetDatum(owner);
	Datum		queue_oid = ObjectIdGetDatum(RelationGetRelid(queue));
	Datum		schema_oid = ObjectIdGetDatum(RelationGetNamespace(queue));
	Oid			unique;

	problem->sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
	{
		problem->message = psprintf("the queue \"%s\" is not a table", name);
		problem->hint = "Keys of changed rows can only be added to a table.";
		return false;
	}
	if (queue->rd_rel->relowner != owner)
	{
		problem->message = psprintf("the queue \"%s\" and the table \"%s\" have different owners",
									name, RelationGetRelationName(source));
		problem->hint = "Keys are added with the rights of the table's owner, who has to own the queue as well.";
		return false;
	}
	if (!DatumGetBool(DirectFunctionCall3(has_table_privilege_id_id, owner_oid, queue_oid,
										  PointerGetDatum(cstring_to_text("INSERT")))) ||
		!DatumGetBool(DirectFunctionCall3(has_schema_privilege_id_id, owner_oid, schema_oid,
										  PointerGetDatum(cstring_to_text("USAGE")))))
	{
		problem->message = psprintf("the owner of the queue \"%s\" may not add rows to it", name);
		problem->hint = "Grant the owner INSERT on the queue and USAGE on its schema.";
		return false;
	}
	if (check_enable_rls(RelationGetRelid(queue), owner, true) == RLS_ENABLED)
	{
		problem->message = psprintf("the queue \"%s\" has row security that applies to its owner", name);
		problem->hint = "Use ALTER TABLE ... NO FORCE ROW LEVEL SECURITY.";
		return false;
	}
	unique = sm_find_index(queue, is_unique);
	if (OidIsValid(unique))
	{
		problem->message = psprintf("the queue \"%s\" has a unique index, \"%s\"",
									name, get_rel_name(unique));
		problem->hint = "Drop the index. A queue may have a key more than once.";
		return false;
	}
	if (sm_queue_column(queue) == NULL)
	{
		problem->message = psprintf("the queue \"%s\" has no column", name);
		problem->hint = "Create the queue with CREATE TABLE ... (key ...), the column of the type of the key.";
		return false;
	}
	return true;
}

bool
sm_queue_check_type(Relation queue, Relation source, int key, SmWatchProblem *problem)
{
	Form_pg_attribute from = TupleDescAttr(RelationGetDescr(source), key);
	Form_pg_attribute to = sm_queue_column(queue);
	int32		from_typmod = from->atttypmod;
	int32		to_typmod = to->atttypmod;
	Oid			from_type;
	Oid			to_type;
	char	   *wanted;

	if (from->atttypid == to->atttypid && from->atttypmod == to->atttypmod)
		return true;
	from_type = getBaseTypeAndTypmod(from->atttypid, &from_typmod);
	to_type = getBaseTypeAndTypmod(to->atttypid, &to_typmod);
	if (from_type == to_type && (to_typmod == -1 || to_typmod == from_typmod))
		return true;

	/* not bpchar to text, which strips blanks */
	if ((from_type == INT2OID && (to_type == INT4OID || to_type == INT8OID)) ||
		(from_type == INT4OID && to_type == INT8OID) ||
		(from_type == VARCHAROID && to_type == TEXTOID))
		return true;

	wanted = format_type_with_typemod(from->atttypid, from->atttypmod);
	problem->sqlstate = ERRCODE_DATATYPE_MISMATCH;
	problem->message = psprintf("column \"%s\" of the queue \"%s\" has type %s, but the key \"%s\" of table \"%s\" has type %s",
								NameStr(to->attname), RelationGetRelationName(queue),
								format_type_with_typemod(to->atttypid, to->atttypmod),
								NameStr(from->attname), RelationGetRelationName(source), wanted);
	problem->hint = psprintf("Use ALTER TABLE %s ALTER %s TYPE %s.", sm_qualified_name(queue),
							 quote_identifier(NameStr(to->attname)), wanted);
	return false;
}
