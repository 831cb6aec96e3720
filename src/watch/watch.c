/*
 * watch.c
 *	  sitemap_watch and sitemap_unwatch, which create and drop the triggers that add
 *	  the keys of a table's changed rows to a queue.
 *
 * The triggers are ordinary ones, created with the caller's privileges.  Their
 * arguments (watch.h) are names, which pg_dump writes as they are.
 *
 * A statement fires the statement triggers of the table that it names, but not of its
 * partitions and children.  So each partition and each child gets triggers as well.
 *
 * Locks: sitemap_watch reads the triggers of a table under ACCESS SHARE.  Only if one of
 * them is missing or differs does it take SHARE ROW EXCLUSIVE on that table, as CREATE
 * TRIGGER does, and then reads them again, since another call may have created them
 * meanwhile.  It replaces triggers and drops none, so no reader waits.  sitemap_unwatch
 * takes SHARE ROW EXCLUSIVE, then ACCESS EXCLUSIVE where it drops triggers.
 */
#include "postgres.h"

#include "watch/watch.h"

#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "server/argument.h"
#include "server/table.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

PG_FUNCTION_INFO_V1(sitemap_watch);
PG_FUNCTION_INFO_V1(sitemap_unwatch);

#define ARG_SOURCE		0
#define ARG_KEY			1
#define ARG_QUEUE		2
#define ARG_COLUMNS		3
#define ARG_UNWATCH_QUEUE	1

/* What to watch, and for which queue. */
typedef struct Watch
{
	Oid			schema;			/* of the extension */
	Oid			queue;
	const char *queue_name;		/* for messages, and for the names of triggers */
	Oid			owner;			/* of the source and the queue */
	List	   *arguments;		/* of the triggers, strings; */
	List	   *update_arguments;	/* with the watched columns */
} Watch;

/* The watched events.  Each has its own trigger. */
static const struct
{
	int16		type;			/* as in Trigger: bits not set are AFTER and
								 * STATEMENT */
	const char *name;
	const char *tables;			/* transition tables */
}			events[] = {
	{TRIGGER_TYPE_INSERT, "insert", "REFERENCING NEW TABLE AS new_rows"},
	{TRIGGER_TYPE_UPDATE, "update", "REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows"},
	{TRIGGER_TYPE_DELETE, "delete", "REFERENCING OLD TABLE AS old_rows"},
	{TRIGGER_TYPE_TRUNCATE, "truncate", ""},
};

/* Open a table that is an argument.  hint: for a view and the like, NULL for none. */
static Relation
open_table(FunctionCallInfo fcinfo, int n, const char *name, const char *hint, LOCKMODE lockmode)
{
	SmTable		table = {.what = psprintf("%s table", name),.hint = hint};

	sm_require_argument(fcinfo, n, name);
	table.relid = PG_GETARG_OID(n);
	sm_table_open(&table, lockmode);
	sm_table_check_kind(&table);
	return table.rel;
}

static Relation
open_source(FunctionCallInfo fcinfo)
{
	Relation	source = open_table(fcinfo, ARG_SOURCE, "source",
									"Watch the tables that a view reads, each with its own key.",
									AccessShareLock);

	if (!has_privs_of_role(GetUserId(), source->rd_rel->relowner))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(source));
	return source;
}

static void
raise_problem(const SmWatchProblem *problem)
{
	ereport(ERROR,
			(errcode(problem->sqlstate),
			 errmsg_internal("%s", problem->message),
			 problem->hint ? errhint("%s", problem->hint) : 0));
}

/* Index of a column of the source. */
static int
find_column(Relation source, const char *name)
{
	SmWatchProblem problem;
	int			column = sm_watch_column(source, name, &problem);

	if (column < 0)
		raise_problem(&problem);
	return column;
}

/*
 * Raise an error unless keys of the source, and NULL, can be added to the queue.  key: index
 * of the key in the source.
 */
static void
check_queue(Relation queue, Relation source, int key)
{
	const char *name = RelationGetRelationName(queue);
	TupleDesc	desc = RelationGetDescr(queue);
	Form_pg_attribute column;
	SmWatchProblem problem;

	if (RelationGetRelid(queue) == RelationGetRelid(source))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the queue must not be the watched table")));
	if (RelationUsesLocalBuffers(queue) && !RelationUsesLocalBuffers(source))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				 errmsg("the queue \"%s\" is a temporary table", name),
				 errdetail("Other sessions that write to the watched table could not add keys to it.")));
	if (!sm_queue_check(queue, source, &problem) ||
		!sm_queue_check_type(queue, source, key, &problem))
		raise_problem(&problem);

	column = sm_queue_column(queue);
	if (column->attnotnull)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" of the queue \"%s\" is NOT NULL",
						NameStr(column->attname), name),
				 errdetail("A TRUNCATE of the watched table adds NULL, which stands for all keys.")));
	for (int i = column->attnum; i < desc->natts; i++)
	{
		Form_pg_attribute other = TupleDescAttr(desc, i);

		if (other->attnotnull && !other->attisdropped && !other->atthasdef && !other->attidentity)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("column \"%s\" of the queue \"%s\" is NOT NULL and has no default",
							NameStr(other->attname), name),
					 errdetail("Writes to the watched table add keys, which are in the first column.")));
	}
	if (get_typtype(column->atttypid) == TYPTYPE_DOMAIN)
		domain_check((Datum) 0, true, column->atttypid, NULL, NULL);
}

/* Does a trigger call our function? */
static bool
is_ours(const Trigger *trigger, Oid schema)
{
	char	   *name = get_func_name(trigger->tgfoid);

	return name && strcmp(name, SM_WATCH_FUNCTION) == 0 &&
		get_func_namespace(trigger->tgfoid) == schema &&
		trigger->tgnargs >= SM_WATCH_COLUMNS;
}

static void
run_statements(const char *statement)
{
	int			result = SPI_execute(statement, false, 0);

	if (result < 0)
		elog(ERROR, "SPI_execute failed: %s", SPI_result_code_string(result));
}

/*
 * Drop a table's triggers for this queue and for queues that no longer exist.  Returns how
 * many of the triggers filled this queue.
 */
static int
drop_triggers(Oid relid, Oid queue, Oid schema)
{
	Relation	table = table_open(relid, NoLock);

	/* a copy, since looking up names can free what is in the cache */
	TriggerDesc *triggers = CopyTriggerDesc(table->trigdesc);
	StringInfoData statements;
	int			count = 0;

	initStringInfo(&statements);
	for (int i = 0; triggers && i < triggers->numtriggers; i++)
	{
		const Trigger *trigger = &triggers->triggers[i];
		Oid			fills;

		if (!is_ours(trigger, schema))
			continue;
		fills = sm_find_table(trigger->tgargs[SM_WATCH_QUEUE]);
		if (OidIsValid(fills) && fills != queue)
			continue;
		appendStringInfo(&statements, "DROP TRIGGER %s ON %s;",
						 quote_identifier(trigger->tgname), sm_qualified_name(table));
		count += fills == queue;
	}
	/* DROP TRIGGER is refused while the table is open here */
	table_close(table, NoLock);
	if (statements.len > 0)
		run_statements(statements.data);
	return count;
}

/*
 * Find a table's trigger of a type for this queue and key.  If there is none, a trigger will
 * do that lost its queue or key because that was renamed or dropped: its queue is this one
 * or no longer exists, and likewise its key.
 */
static const Trigger *
find_trigger(const TriggerDesc *triggers, Oid relid, int16 type, const Watch *watch)
{
	const char *key = linitial(watch->arguments);
	const Trigger *lost = NULL;

	for (int i = 0; triggers && i < triggers->numtriggers; i++)
	{
		const Trigger *trigger = &triggers->triggers[i];
		const char *its_key;
		bool		same_key;
		Oid			fills;

		if (trigger->tgtype != type || !is_ours(trigger, watch->schema))
			continue;
		its_key = trigger->tgargs[SM_WATCH_KEY];
		same_key = strcmp(its_key, key) == 0;
		fills = sm_find_table(trigger->tgargs[SM_WATCH_QUEUE]);
		if (fills == watch->queue && same_key)
			return trigger;
		if ((fills == watch->queue || !OidIsValid(fills)) &&
			(same_key || get_attnum(relid, its_key) == InvalidAttrNumber))
			lost = trigger;
	}
	return lost;
}

static bool
has_arguments(const Trigger *trigger, const List *arguments)
{
	ListCell   *lc;

	if (trigger->tgnargs != list_length(arguments))
		return false;
	foreach(lc, arguments)
		if (strcmp(trigger->tgargs[foreach_current_index(lc)], lfirst(lc)) != 0)
			return false;
	return true;
}

/* A name for a trigger that no other trigger of the table has. */
static const char *
new_trigger_name(Relation table, const Watch *watch, const char *event)
{
	const char *label = event;
	char	   *name;

	for (int n = 1;; n++)
	{
		name = makeObjectName(watch->queue_name, linitial(watch->arguments), label);
		if (!OidIsValid(get_trigger_oid(RelationGetRelid(table), name, true)))
			return name;
		label = psprintf("%s%d", event, n);
	}
}

/* Append a statement that creates a trigger, or replaces old, which is NULL for none. */
static void
append_trigger(StringInfo statements, Relation table, int event, const Trigger *old,
			   const List *arguments, const Watch *watch)
{
	const char *table_name = sm_qualified_name(table);
	const char *name = quote_identifier(old ? old->tgname :
										new_trigger_name(table, watch, events[event].name));
	const char *separator = "";
	ListCell   *lc;

	appendStringInfo(statements, "CREATE OR REPLACE TRIGGER %s AFTER %s ON %s %s FOR EACH STATEMENT EXECUTE FUNCTION %s(",
					 name, events[event].name, table_name, events[event].tables,
					 quote_qualified_identifier(get_namespace_name(watch->schema), SM_WATCH_FUNCTION));
	foreach(lc, arguments)
	{
		appendStringInfo(statements, "%s%s", separator, quote_literal_cstr(lfirst(lc)));
		separator = ", ";
	}
	appendStringInfoString(statements, ");");

	/* a trigger that was replaced is enabled */
	if (old && old->tgenabled != TRIGGER_FIRES_ON_ORIGIN)
		appendStringInfo(statements, "ALTER TABLE ONLY %s %s TRIGGER %s;", table_name,
						 old->tgenabled == TRIGGER_DISABLED ? "DISABLE" :
						 old->tgenabled == TRIGGER_FIRES_ON_REPLICA ? "ENABLE REPLICA" :
						 "ENABLE ALWAYS", name);
}

/* The statements that create or replace a table's triggers, empty if none differs. */
static char *
find_statements(Oid relid, const Watch *watch)
{
	Relation	table = table_open(relid, NoLock);
	TriggerDesc *triggers = CopyTriggerDesc(table->trigdesc);
	StringInfoData statements;

	/* transition tables have no rows of foreign tables */
	if (table->rd_rel->relkind == RELKIND_FOREIGN_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot watch the foreign table \"%s\"", RelationGetRelationName(table)),
				 errdetail("Triggers with transition tables cannot see its rows.")));
	if (table->rd_rel->relowner != watch->owner)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the queue \"%s\" and the table \"%s\" have different owners",
						watch->queue_name, RelationGetRelationName(table)),
				 errhint("Give partitions and children the owner of their parent.")));
	initStringInfo(&statements);
	for (int i = 0; i < lengthof(events); i++)
	{
		const List *arguments = events[i].type == TRIGGER_TYPE_UPDATE ?
			watch->update_arguments : watch->arguments;
		const Trigger *old = find_trigger(triggers, relid, events[i].type, watch);

		if (!old || !has_arguments(old, arguments))
			append_trigger(&statements, table, i, old, arguments, watch);
	}
	table_close(table, NoLock);
	return statements.data;
}

/* The watched columns, as arguments of a trigger. */
static List *
read_columns(FunctionCallInfo fcinfo, Relation source)
{
	List	   *result = NIL;
	Datum	   *names;
	bool	   *nulls;
	int			count;

	if (PG_ARGISNULL(ARG_COLUMNS))
		return NIL;
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(ARG_COLUMNS), NAMEOID, NAMEDATALEN, false,
					  TYPALIGN_CHAR, &names, &nulls, &count);
	for (int i = 0; i < count; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("columns must not contain null")));
		result = lappend(result, NameStr(*DatumGetName(names[i])));
		find_column(source, llast(result));
	}
	return count > 0 ? result : list_make1(NameStr(*PG_GETARG_NAME(ARG_KEY)));
}

Datum
sitemap_watch(PG_FUNCTION_ARGS)
{
	Relation	source = open_source(fcinfo);
	Relation	queue = open_table(fcinfo, ARG_QUEUE, "queue", NULL, AccessShareLock);
	Oid			relid = RelationGetRelid(source);
	Oid			root = sm_watch_root(relid);
	Watch		watch = {
		.schema = get_func_namespace(fcinfo->flinfo->fn_oid),
		.queue = RelationGetRelid(queue),
		.queue_name = RelationGetRelationName(queue),
		.owner = queue->rd_rel->relowner
	};
	char	   *key;
	ListCell   *lc;

	sm_require_argument(fcinfo, ARG_KEY, "key");
	if (root != relid)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is a partition or child of another table",
						RelationGetRelationName(source)),
				 errdetail("Statements that name its parent would be missed."),
				 errhint("Watch %s instead.",
						 quote_qualified_identifier(get_namespace_name(get_rel_namespace(root)),
													get_rel_name(root)))));
	key = NameStr(*PG_GETARG_NAME(ARG_KEY));
	check_queue(queue, source, find_column(source, key));
	watch.arguments = list_make2(key, sm_qualified_name(queue));
	watch.update_arguments = list_concat_copy(watch.arguments, read_columns(fcinfo, source));
	relation_close(source, NoLock);

	SPI_connect();
	/* with its partitions and children */
	foreach(lc, find_all_inheritors(relid, AccessShareLock, NULL))
	{
		char	   *statements = find_statements(lfirst_oid(lc), &watch);

		if (statements[0] == '\0')
			continue;
		LockRelationOid(lfirst_oid(lc), ShareRowExclusiveLock);
		run_statements(find_statements(lfirst_oid(lc), &watch));
	}
	SPI_finish();
	relation_close(queue, NoLock);
	PG_RETURN_VOID();
}

Datum
sitemap_unwatch(PG_FUNCTION_ARGS)
{
	Oid			schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	Relation	source = open_source(fcinfo);
	Relation	queue = open_table(fcinfo, ARG_UNWATCH_QUEUE, "queue", NULL, AccessShareLock);
	Oid			source_oid = RelationGetRelid(source);
	Oid			queue_oid = RelationGetRelid(queue);
	int			count = 0;
	ListCell   *lc;

	relation_close(queue, NoLock);

	/* two calls that both kept ACCESS SHARE would deadlock when they drop triggers */
	relation_close(source, AccessShareLock);
	relation_close(open_table(fcinfo, ARG_SOURCE, "source", NULL, ShareRowExclusiveLock), NoLock);
	SPI_connect();
	/* with its partitions and children */
	foreach(lc, find_all_inheritors(source_oid, ShareRowExclusiveLock, NULL))
		count += drop_triggers(lfirst_oid(lc), queue_oid, schema);
	SPI_finish();
	if (count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" is not watched for the queue \"%s\"",
						get_rel_name(source_oid), get_rel_name(queue_oid))));
	PG_RETURN_VOID();
}
