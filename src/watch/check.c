/*
 * check.c
 *	  What a watched table, its columns and its queue must be like.
 *
 * sitemap_watch, a function in SQL, has this checked before it creates triggers.  Since the
 * tables can be altered later, the triggers check it as well, before they insert keys.
 */
#include "postgres.h"

#include "watch/watch.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "rewrite/prs2lock.h"
#include "rewrite/rewriteDefine.h"
#include "server/argument.h"
#include "server/table.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(_sitemap_watch_check);

/* Describe a problem.  Returns false. */
static bool
describe_problem(SmWatchProblem *problem, int sqlstate, const char *message, const char *hint)
{
	problem->sqlstate = sqlstate;
	problem->message = message;
	problem->hint = hint;
	return false;
}

/* The same for a queue.  what: verb and rest of a sentence about it. */
static bool
refuse_queue(SmWatchProblem *problem, Relation queue, const char *what, const char *hint)
{
	return describe_problem(problem, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
							psprintf("the queue \"%s\" %s", RelationGetRelationName(queue), what),
							hint);
}

int
sm_watch_column(Relation source, const char *name, SmWatchProblem *problem)
{
	int			number = SPI_fnumber(RelationGetDescr(source), name);

	/* a system column has a negative number */
	if (number <= 0)
		describe_problem(problem, ERRCODE_UNDEFINED_COLUMN,
						 psprintf("table \"%s\" has no column \"%s\" to watch",
								  RelationGetRelationName(source), name),
						 NULL);
	else if (sm_is_virtual(TupleDescAttr(RelationGetDescr(source), number - 1)))
		describe_problem(problem, ERRCODE_FEATURE_NOT_SUPPORTED,
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

/* Can an index refuse a key because of another row? */
static bool
refuses_keys(HeapTuple index)
{
	Form_pg_index form = (Form_pg_index) GETSTRUCT(index);

	return form->indisunique || form->indisexclusion;
}

/* Does a rule replace INSERT? */
static bool
has_insert_rule(Relation queue)
{
	const RuleLock *rules = queue->rd_rules;

	for (int i = 0; rules && i < rules->numLocks; i++)
		if (rules->rules[i]->event == CMD_INSERT && rules->rules[i]->isInstead &&
			rules->rules[i]->enabled != RULE_DISABLED)
			return true;
	return false;
}

void
sm_queue_missing(Relation source, const char *name, SmWatchProblem *problem)
{
	describe_problem(problem, ERRCODE_UNDEFINED_TABLE,
					 psprintf("the queue %s of the watched table \"%s\" does not exist", name,
							  RelationGetRelationName(source)),
					 NULL);
}

/* A hint about indexes and columns, which other tables than queues have. */
#define QUEUE_HINT	"The first column of a queue takes every key, any number of times, and NULL. Other columns get their defaults. sitemap_watch takes source, key and queue, in this order."

/* The name of a CHECK or foreign key of the queue, or NULL. */
static const char *
find_constraint(Relation queue)
{
	const TupleConstr *constr = RelationGetDescr(queue)->constr;
	List	   *keys = RelationGetFKeyList(queue);

	if (constr && constr->num_check > 0)
		return constr->check[0].ccname;
	if (keys != NIL)
		return get_constraint_name(linitial_node(ForeignKeyCacheInfo, keys)->conoid);
	return NULL;
}

/*
 * Must each row that is added give a value for a column?  A domain counts as NOT NULL: to look
 * at its constraints would call the functions in them.
 */
static bool
needs_value(Form_pg_attribute column)
{
	return (column->attnotnull || get_typtype(column->atttypid) == TYPTYPE_DOMAIN) &&
		(!column->atthasdef || column->attgenerated) &&
		!column->attidentity && get_typdefault(column->atttypid) == NULL;
}

/*
 * Check that the first column takes every key and NULL, and that the others have defaults.  The
 * catalog decides: to try an INSERT would run the owner's functions as the caller.
 */
static bool
check_queue_columns(Relation queue, Form_pg_attribute first, SmWatchProblem *problem)
{
	TupleDesc	desc = RelationGetDescr(queue);
	const char *constraint = find_constraint(queue);

	if (constraint)
		return refuse_queue(problem, queue,
							psprintf("has a CHECK constraint or a foreign key, \"%s\"", constraint),
							QUEUE_HINT);
	if (get_typtype(first->atttypid) == TYPTYPE_DOMAIN)
		return refuse_queue(problem, queue,
							psprintf("has a domain as the type of its first column, %s",
									 format_type_be(first->atttypid)), QUEUE_HINT);
	if (first->attnotnull)
		return refuse_queue(problem, queue,
							psprintf("has a first column that is NOT NULL, \"%s\"", NameStr(first->attname)),
							QUEUE_HINT);
	for (int i = first->attnum; i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);

		if (!column->attisdropped && needs_value(column))
			return refuse_queue(problem, queue,
								psprintf("has a column that is NOT NULL or of a domain, and has no default, \"%s\"",
										 NameStr(column->attname)), QUEUE_HINT);
	}
	return true;
}

bool
sm_queue_check(Relation queue, Relation source, SmWatchProblem *problem)
{
	Oid			relid = RelationGetRelid(queue);
	Oid			owner = source->rd_rel->relowner;
	Oid			index;
	Form_pg_attribute column;

	if (relid == RelationGetRelid(source))
		return refuse_queue(problem, queue, "is the watched table", NULL);
	if (queue->rd_rel->relkind == RELKIND_PARTITIONED_TABLE || queue->rd_rel->relispartition)
		return refuse_queue(problem, queue, "is partitioned or a partition",
							"A queue takes every key and NULL. Use an ordinary table.");
	if (queue->rd_rel->relkind != RELKIND_RELATION)
		return refuse_queue(problem, queue, "is not a table", NULL);
	if (RelationUsesLocalBuffers(queue) && !RelationUsesLocalBuffers(source))
		return refuse_queue(problem, queue, "is a temporary table",
							"Other sessions that write to the watched table could not add keys to it.");
	if (queue->rd_rel->relowner != owner)
		return refuse_queue(problem, queue, psprintf("and the table \"%s\" have different owners",
													 RelationGetRelationName(source)),
							"Keys are added with the rights of the table's owner, who must own the queue.");
	if (pg_class_aclcheck(relid, owner, ACL_INSERT) != ACLCHECK_OK ||
		!DatumGetBool(DirectFunctionCall3(has_schema_privilege_id_id, ObjectIdGetDatum(owner),
										  ObjectIdGetDatum(RelationGetNamespace(queue)),
										  CStringGetTextDatum("USAGE"))))
		return refuse_queue(problem, queue, "does not let its owner add rows",
							"Grant the owner INSERT on the queue and USAGE on its schema.");
	if (check_enable_rls(relid, owner, true) == RLS_ENABLED)
		return refuse_queue(problem, queue, "has row security that applies to its owner",
							"Use ALTER TABLE ... NO FORCE ROW LEVEL SECURITY.");
	if (has_insert_rule(queue))
		return refuse_queue(problem, queue, "has a rule ON INSERT DO INSTEAD", "Drop the rule.");
	index = sm_find_index(queue, refuses_keys);
	if (OidIsValid(index))
		return refuse_queue(problem, queue,
							psprintf("has a unique index or exclusion constraint, \"%s\"", get_rel_name(index)),
							QUEUE_HINT);
	column = sm_queue_column(queue);
	if (column == NULL)
		return refuse_queue(problem, queue, "has no column",
							"Its first column receives the keys.");
	if (column->attgenerated || column->attidentity == ATTRIBUTE_IDENTITY_ALWAYS)
		return refuse_queue(problem, queue,
							psprintf("generates its first column, \"%s\"", NameStr(column->attname)),
							QUEUE_HINT);
	return check_queue_columns(queue, column, problem);
}

bool
sm_queue_check_type(Relation queue, Relation source, int key, SmWatchProblem *problem)
{
	Form_pg_attribute from = TupleDescAttr(RelationGetDescr(source), key);
	Form_pg_attribute to = sm_queue_column(queue);
	int32		from_typmod = from->atttypmod;
	Oid			from_type = getBaseTypeAndTypmod(from->atttypid, &from_typmod);
	Oid			to_type = to->atttypid;

	if (from_type == to_type && (to->atttypmod == -1 || to->atttypmod == from_typmod))
		return true;

	/* not bpchar to text, which strips blanks */
	if ((from_type == INT2OID && (to_type == INT4OID || to_type == INT8OID)) ||
		(from_type == INT4OID && to_type == INT8OID) ||
		(from_type == VARCHAROID && to_type == TEXTOID))
		return true;

	return describe_problem(problem, ERRCODE_DATATYPE_MISMATCH,
							psprintf("column \"%s\" of the queue \"%s\" has type %s, but the key \"%s\" of table \"%s\" has type %s",
									 NameStr(to->attname), RelationGetRelationName(queue),
									 format_type_with_typemod(to->atttypid, to->atttypmod),
									 NameStr(from->attname), RelationGetRelationName(source),
									 format_type_with_typemod(from->atttypid, from->atttypmod)),
							psprintf("Use ALTER TABLE %s ALTER %s TYPE %s.",
									 sm_qualified_name(RelationGetRelid(queue)),
									 quote_identifier(NameStr(to->attname)),
									 format_type_with_typemod(from_type, from_typmod)));
}

char *
sm_watch_hint(const SmWatchProblem *problem, Relation source, const Trigger *trigger)
{
	Oid			root = sm_watch_root(RelationGetRelid(source));
	char	   *name = get_rel_name(root);
	StringInfoData hint;

	/* the parent of a partition is not locked, so it can be gone */
	name = name ? quote_qualified_identifier(get_namespace_name(get_rel_namespace(root)), name) :
		sm_qualified_name(RelationGetRelid(source));
	initStringInfo(&hint);
	if (problem->hint)
		appendStringInfo(&hint, "%s ", problem->hint);
	appendStringInfo(&hint, "Repeat this call, with the new names if any has changed: SELECT %s.sitemap_watch(%s",
					 quote_identifier(get_namespace_name(get_func_namespace(trigger->tgfoid))),
					 quote_literal_cstr(name));
	for (int i = 0; i < trigger->tgnargs; i++)
		appendStringInfo(&hint, "%s%s", i == SM_WATCH_COLUMNS ? ", ARRAY[" : ", ",
						 quote_literal_cstr(trigger->tgargs[i]));
	appendStringInfoString(&hint, trigger->tgnargs > SM_WATCH_COLUMNS ? "])" : ")");
	return hint.data;
}

/* Open a table that is an argument.  hint: for a view and the like, NULL for none. */
static Relation
open_table(const SmArguments *args, const char *name, const char *hint)
{
	SmTable		table = {.relid = DatumGetObjectId(sm_argument(args, name)),
	.what = psprintf("%s table", name),.hint = hint};

	sm_table_open(&table, AccessShareLock);
	return table.rel;
}

/* Raise an error for a problem that sitemap_watch finds. */
static void
raise_watch_problem(const SmWatchProblem *problem)
{
	ereport(ERROR,
			(errcode(problem->sqlstate),
			 errmsg_internal("%s", problem->message),
			 problem->hint ? errhint("%s", problem->hint) : 0));
}

static bool
has_rows(Relation rel)
{
	TupleTableSlot *slot = table_slot_create(rel, NULL);
	TableScanDesc scan = table_beginscan_strat(rel, GetActiveSnapshot(), 0, NULL, true, true);
	bool		found = table_scan_getnextslot(scan, ForwardScanDirection, slot);

	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	return found;
}

/*
 * Check what only sitemap_watch requires of a queue.  is_new: no table is watched for it yet.
 * Then a table with rows and NOT NULL columns is rather the source.
 */
static bool
check_queue(Relation queue, Relation source, bool is_new, SmWatchProblem *problem)
{
	TupleDesc	desc = RelationGetDescr(queue);

	if (sm_watch_root(RelationGetRelid(queue)) != RelationGetRelid(queue))
		return refuse_queue(problem, queue, "is a child of another table", "Use an ordinary table.");
	if (RelationUsesLocalBuffers(source) && !RelationUsesLocalBuffers(queue))
		return refuse_queue(problem, queue, "is not a temporary table, but the watched table is",
							"Use a temporary queue, since a read-only transaction can write to temporary tables only.");
	if (queue->rd_rel->relpersistence == RELPERSISTENCE_UNLOGGED &&
		source->rd_rel->relpersistence == RELPERSISTENCE_PERMANENT)
		return refuse_queue(problem, queue, "is unlogged, but the watched table is not",
							"A crash of the server would empty the queue. Use ALTER TABLE ... SET LOGGED.");
	for (int i = 0; is_new && i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);

		if (!column->attisdropped && column->attnotnull && has_rows(queue))
			return refuse_queue(problem, queue,
								psprintf("has rows, and a column that is NOT NULL, \"%s\"",
										 NameStr(column->attname)),
								QUEUE_HINT " Empty the queue before its first use.");
	}
	return true;
}

/*
 * _sitemap_watch_check(source regclass, key name, queue regclass, columns name[], is_new bool)
 *
 * Raise an error unless sitemap_watch can create triggers for these arguments.  is_new: no table
 * is watched for the queue yet.  Both tables stay locked, so nobody alters them before the
 * triggers are there.
 */
Datum
_sitemap_watch_check(PG_FUNCTION_ARGS)
{
	const SmArguments *args = sm_call_arguments(fcinfo);
	Relation	source = open_table(args, "source",
									"Instead of a view, watch the tables that it reads.");
	Relation	queue = open_table(args, "queue", NULL);
	Oid			root = sm_watch_root(RelationGetRelid(source));
	SmWatchProblem problem = {0};
	Datum	   *columns;
	bool	   *nulls;
	int			count = 0;
	int			key;

	if (!has_privs_of_role(GetUserId(), source->rd_rel->relowner))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(source));
	if (root != RelationGetRelid(source))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is a partition or child of another table",
						RelationGetRelationName(source)),
				 errdetail("Statements that name the parent would be missed."),
				 errhint("Watch the parent, \"%s\".", get_rel_name(root))));

	key = sm_watch_column(source, NameStr(*DatumGetName(sm_argument(args, "key"))), &problem);
	if (key < 0 || !sm_queue_check(queue, source, &problem) ||
		!sm_queue_check_type(queue, source, key, &problem) ||
		!check_queue(queue, source, DatumGetBool(sm_argument(args, "is_new")), &problem))
		raise_watch_problem(&problem);
	if (sm_has_argument(args, "columns"))
		deconstruct_array(DatumGetArrayTypeP(sm_argument(args, "columns")), NAMEOID, NAMEDATALEN, false,
						  TYPALIGN_CHAR, &columns, &nulls, &count);
	for (int i = 0; i < count; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("columns must not contain null")));
		if (sm_watch_column(source, NameStr(*DatumGetName(columns[i])), &problem) < 0)
			raise_watch_problem(&problem);
	}
	relation_close(queue, NoLock);
	relation_close(source, NoLock);
	PG_RETURN_VOID();
}
