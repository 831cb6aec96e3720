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

/* Describe a problem.  Returns false. */
static bool
refuse(SmWatchProblem *problem, int sqlstate, const char *message, const char *hint)
{
	problem->sqlstate = sqlstate;
	problem->message = message;
	problem->hint = hint;
	return false;
}

int
sm_watch_column(Relation source, const char *name, SmWatchProblem *problem)
{
	int			number = SPI_fnumber(RelationGetDescr(source), name);

	/* a system column has a negative number */
	if (number <= 0)
		refuse(problem, ERRCODE_UNDEFINED_COLUMN,
			   psprintf("table \"%s\" has no column \"%s\" to watch",
						RelationGetRelationName(source), name), NULL);
	else if (sm_is_virtual(TupleDescAttr(RelationGetDescr(source), number - 1)))
		refuse(problem, ERRCODE_FEATURE_NOT_SUPPORTED,
			   psprintf("cannot watch the virtual generated column \"%s\" of table \"%s\"",
						name, RelationGetRelationName(source)),
			   "Watch the columns that it is generated from.");
	else
		return number - 1;
	return -1;
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
	const int	state = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
	const char *name = RelationGetRelationName(queue);
	char		kind = queue->rd_rel->relkind;
	Oid			owner = source->rd_rel->relowner;
	Oid			unique;

	if (RelationGetRelid(queue) == RelationGetRelid(source))
		return refuse(problem, ERRCODE_INVALID_PARAMETER_VALUE,
					  "the queue must not be the watched table", NULL);
	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		return refuse(problem, state, psprintf("the queue \"%s\" is not a table", name), NULL);
	if (RelationUsesLocalBuffers(queue) && !RelationUsesLocalBuffers(source))
		return refuse(problem, state, psprintf("the queue \"%s\" is a temporary table", name),
					  "Other sessions that write to the watched table could not add keys to it.");
	if (queue->rd_rel->relowner != owner)
		return refuse(problem, state,
					  psprintf("the table \"%s\" and the queue \"%s\" have different owners",
							   RelationGetRelationName(source), name),
					  "Keys are added with the rights of the table's owner, who must own the queue.");
	if (pg_class_aclcheck(RelationGetRelid(queue), owner, ACL_INSERT) != ACLCHECK_OK ||
		!DatumGetBool(DirectFunctionCall3(has_schema_privilege_id_id, ObjectIdGetDatum(owner),
										  ObjectIdGetDatum(RelationGetNamespace(queue)),
										  CStringGetTextDatum("USAGE"))))
		return refuse(problem, state,
					  psprintf("the owner of the queue \"%s\" may not add rows to it", name),
					  "Grant the owner INSERT on the queue and USAGE on its schema.");
	if (check_enable_rls(RelationGetRelid(queue), owner, true) == RLS_ENABLED)
		return refuse(problem, state,
					  psprintf("row security of the queue \"%s\" applies to its owner", name),
					  "Use ALTER TABLE ... NO FORCE ROW LEVEL SECURITY.");
	unique = sm_find_index(queue, is_unique);
	if (OidIsValid(unique))
		return refuse(problem, state, psprintf("the queue \"%s\" has a unique index, \"%s\"",
											   name, get_rel_name(unique)),
					  "Drop the index. A queue may have a key more than once.");
	if (sm_queue_column(queue) == NULL)
		return refuse(problem, state, psprintf("the queue \"%s\" has no column", name),
					  "Its first column receives the keys and must have their type.");
	return true;
}

bool
sm_queue_check_type(Relation queue, Relation source, int key, SmWatchProblem *problem)
{
	Form_pg_attribute from = TupleDescAttr(RelationGetDescr(source), key);
	Form_pg_attribute to = sm_queue_column(queue);
	int32		from_typmod = from->atttypmod;
	int32		to_typmod = to->atttypmod;
	Oid			from_type = getBaseTypeAndTypmod(from->atttypid, &from_typmod);
	Oid			to_type = getBaseTypeAndTypmod(to->atttypid, &to_typmod);
	char	   *wanted;

	if (from_type == to_type && (to_typmod == -1 || to_typmod == from_typmod))
		return true;

	/* not bpchar to text, which strips blanks */
	if ((from_type == INT2OID && (to_type == INT4OID || to_type == INT8OID)) ||
		(from_type == INT4OID && to_type == INT8OID) ||
		(from_type == VARCHAROID && to_type == TEXTOID))
		return true;

	wanted = format_type_with_typemod(from->atttypid, from->atttypmod);
	return refuse(problem, ERRCODE_DATATYPE_MISMATCH,
				  psprintf("column \"%s\" of the queue \"%s\" has type %s, but the key \"%s\" of table \"%s\" has type %s",
						   NameStr(to->attname), RelationGetRelationName(queue),
						   format_type_with_typemod(to->atttypid, to->atttypmod),
						   NameStr(from->attname), RelationGetRelationName(source), wanted),
				  psprintf("Use ALTER TABLE %s ALTER %s TYPE %s.", sm_qualified_name(queue),
						   quote_identifier(NameStr(to->attname)), wanted));
}

char *
sm_quote_strings(char **strings, int count)
{
	StringInfoData result;

	initStringInfo(&result);
	for (int i = 0; i < count; i++)
		appendStringInfo(&result, "%s%s", i > 0 ? ", " : "", quote_literal_cstr(strings[i]));
	return result.data;
}
