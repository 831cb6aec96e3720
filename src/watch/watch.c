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
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "server/argument.h"
#include "server/query.h"
#include "server/table.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

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
	Oid			function;		/* _sitemap_watch */
	const char *function_name;
	Oid			queue;
	const char *queue_name;		/* for messages, and for the names of triggers */
	Oid			owner;			/* of the source and the queue */
	char	  **args;			/* of the triggers */
	int			nargs;
} Watch;

/* The watched events.  Each has its own trigger. */
static const struct
{
	int16		type;			/* as in Trigger; bits not set stand for AFTER
								 * and STATEMENT */
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
									"Instead of a view, watch the tables that it reads.",
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

/* Raise an error unless keys of the source, and NULL, can be added to the queue. */
static void
check_queue(Relation queue, Relation source, const char *key)
{
	TupleDesc	desc = RelationGetDescr(queue);
	Form_pg_attribute first;
	SmWatchProblem problem;
	int			column = sm_watch_column(source, key, &problem);

	if (column < 0 || !sm_queue_check(queue, source, &problem) ||
		!sm_queue_check_type(queue, source, column, &problem))
		raise_problem(&problem);

	first = sm_queue_column(queue);
	for (int i = first->attnum - 1; i < desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, i);

		if (attribute->attnotnull && !attribute->attisdropped &&
			(attribute == first || !(attribute->atthasdef || attribute->attidentity)))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("column \"%s\" of the queue \"%s\" is NOT NULL",
							NameStr(attribute->attname), RelationGetRelationName(queue)),
					 errdetail("Keys are added to the first column, NULL for all keys. Other columns get their defaults.")));
	}
	if (get_typtype(first->atttypid) == TYPTYPE_DOMAIN)
		domain_check((Datum) 0, true, first->atttypid, NULL, NULL);
}

static bool
is_ours(const Trigger *trigger, Oid function)
{
	return trigger->tgfoid == function && trigger->tgnargs >= SM_WATCH_COLUMNS;
}

/*
 * Drop a table's triggers for this queue and for queues that no longer exist.  Returns how
 * many of the triggers filled this queue.
 */
static int
drop_triggers(Oid relid, Oid queue, Oid function)
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

		if (!is_ours(trigger, function))
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
		sm_execute(sm_prepare(statements.data, 0, NULL, 0), NULL, NULL);
	return count;
}

/*
 * Find a table's trigger of a type for this queue and key.  If there is none, a trigger
 * will do whose queue or key was renamed or dropped: its queue is this one or no longer
 * exists, and likewise its key.
 */
static const Trigger *
find_trigger(const TriggerDesc *triggers, Oid relid, int16 type, const Watch *watch)
{
	const Trigger *lost = NULL;

	for (int i = 0; triggers && i < triggers->numtriggers; i++)
	{
		const Trigger *trigger = &triggers->triggers[i];
		const char *key;
		bool		same_key;
		Oid			queue;

		if (trigger->tgtype != type || !is_ours(trigger, watch->function))
			continue;
		key = trigger->tgargs[SM_WATCH_KEY];
		same_key = strcmp(key, watch->args[SM_WATCH_KEY]) == 0;
		queue = sm_find_table(trigger->tgargs[SM_WATCH_QUEUE]);
		if (same_key && queue == watch->queue)
			return trigger;
		if ((same_key || get_attnum(relid, key) == InvalidAttrNumber) &&
			(queue == watch->queue || !OidIsValid(queue)))
			lost = trigger;
	}
	return lost;
}

/* A name for a trigger that no other trigger of the table has. */
static char *
new_trigger_name(Oid relid, const Watch *watch, const char *event)
{
	char	   *name = makeObjectName(watch->queue_name, watch->args[SM_WATCH_KEY], event);

	for (int n = 1; OidIsValid(get_trigger_oid(relid, name, true)); n++)
		name = makeObjectName(watch->queue_name, watch->args[SM_WATCH_KEY],
							  psprintf("%s%d", event, n));
	return name;
}

/* Write the statements that create or replace a table's triggers, none if they are there. */
static char *
write_statements(Oid relid, const Watch *watch)
{
	Relation	table = table_open(relid, NoLock);
	const char *table_name = sm_qualified_name(table);
	TriggerDesc *triggers = CopyTriggerDesc(table->trigdesc);
	const char *args = sm_quote_strings(watch->args, watch->nargs);
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
				 errmsg("the table \"%s\" and the queue \"%s\" have different owners",
						RelationGetRelationName(table), watch->queue_name),
				 errhint("Give partitions and children the owner of their parent.")));
	initStringInfo(&statements);
	for (size_t i = 0; i < lengthof(events); i++)
	{
		const Trigger *old = find_trigger(triggers, relid, events[i].type, watch);
		const char *name;

		if (old && strcmp(args, sm_quote_strings(old->tgargs, old->tgnargs)) == 0)
			continue;
		name = quote_identifier(old ? old->tgname : new_trigger_name(relid, watch, events[i].name));
		appendStringInfo(&statements, "CREATE OR REPLACE TRIGGER %s AFTER %s ON %s %s"
						 " FOR EACH STATEMENT EXECUTE FUNCTION %s(%s);",
						 name, events[i].name, table_name, events[i].tables,
						 watch->function_name, args);

		/* to replace a trigger enables it */
		if (old && old->tgenabled != TRIGGER_FIRES_ON_ORIGIN)
			appendStringInfo(&statements, "ALTER TABLE ONLY %s %s TRIGGER %s;", table_name,
							 old->tgenabled == TRIGGER_DISABLED ? "DISABLE" :
							 old->tgenabled == TRIGGER_FIRES_ON_REPLICA ? "ENABLE REPLICA" :
							 "ENABLE ALWAYS", name);
	}
	table_close(table, NoLock);
	return statements.data;
}

/* Read the arguments of the triggers. */
static void
read_arguments(FunctionCallInfo fcinfo, Relation source, Relation queue, Watch *watch)
{
	Datum	   *names;
	bool	   *nulls;
	int			count = 0;

	if (!PG_ARGISNULL(ARG_COLUMNS))
		deconstruct_array(PG_GETARG_ARRAYTYPE_P(ARG_COLUMNS), NAMEOID, NAMEDATALEN, false,
						  TYPALIGN_CHAR, &names, &nulls, &count);
	watch->args = palloc_array(char *, SM_WATCH_COLUMNS + count + 1);
	watch->args[SM_WATCH_KEY] = NameStr(*PG_GETARG_NAME(ARG_KEY));
	watch->args[SM_WATCH_QUEUE] = sm_qualified_name(queue);
	watch->nargs = SM_WATCH_COLUMNS;
	for (int i = 0; i < count; i++)
	{
		SmWatchProblem problem;

		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("columns must not contain null")));
		watch->args[watch->nargs] = NameStr(*DatumGetName(names[i]));
		if (sm_watch_column(source, watch->args[watch->nargs++], &problem) < 0)
			raise_problem(&problem);
	}
	if (count == 0 && !PG_ARGISNULL(ARG_COLUMNS))
		watch->args[watch->nargs++] = watch->args[SM_WATCH_KEY];
}

/* The trigger function.  schema: of the extension. */
static Oid
find_function(Oid schema)
{
	List	   *name = list_make2(makeString(get_namespace_name(schema)),
								  makeString(SM_WATCH_FUNCTION));

	return LookupFuncName(name, 0, NULL, false);
}

Datum
sitemap_watch(PG_FUNCTION_ARGS)
{
	Oid			schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	Relation	source = open_source(fcinfo);
	Relation	queue = open_table(fcinfo, ARG_QUEUE, "queue", NULL, AccessShareLock);
	Oid			relid = RelationGetRelid(source);
	Oid			root = sm_watch_root(relid);
	Watch		watch = {
		.function = find_function(schema),
		.function_name = quote_qualified_identifier(get_namespace_name(schema), SM_WATCH_FUNCTION),
		.queue = RelationGetRelid(queue),
		.queue_name = RelationGetRelationName(queue),
		.owner = queue->rd_rel->relowner
	};
	ListCell   *lc;

	sm_require_argument(fcinfo, ARG_KEY, "key");
	if (root != relid)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is a partition or child of another table",
						RelationGetRelationName(source)),
				 errdetail("Statements that name the parent would be missed."),
				 errhint("Watch the parent, \"%s\".", get_rel_name(root))));
	read_arguments(fcinfo, source, queue, &watch);
	check_queue(queue, source, watch.args[SM_WATCH_KEY]);
	relation_close(source, NoLock);

	SPI_connect();
	/* with its partitions and children */
	foreach(lc, find_all_inheritors(relid, AccessShareLock, NULL))
	{
		char	   *statements = write_statements(lfirst_oid(lc), &watch);

		if (statements[0] == '\0')
			continue;
		LockRelationOid(lfirst_oid(lc), ShareRowExclusiveLock);
		statements = write_statements(lfirst_oid(lc), &watch);
		sm_execute(sm_prepare(statements, 0, NULL, 0), NULL, NULL);
	}
	SPI_finish();
	relation_close(queue, NoLock);
	PG_RETURN_VOID();
}

Datum
sitemap_unwatch(PG_FUNCTION_ARGS)
{
	Oid			function = find_function(get_func_namespace(fcinfo->flinfo->fn_oid));
	Relation	source = open_source(fcinfo);
	Relation	queue = open_table(fcinfo, ARG_UNWATCH_QUEUE, "queue", NULL, AccessShareLock);
	Oid			source_oid = RelationGetRelid(source);
	Oid			queue_oid = RelationGetRelid(queue);
	int			count = 0;
	ListCell   *lc;

	relation_close(queue, NoLock);

	/* two calls that kept ACCESS SHARE could not drop triggers: a deadlock */
	relation_close(source, AccessShareLock);
	relation_close(open_table(fcinfo, ARG_SOURCE, "source", NULL, ShareRowExclusiveLock), NoLock);
	SPI_connect();
	/* with its partitions and children */
	foreach(lc, find_all_inheritors(source_oid, ShareRowExclusiveLock, NULL))
		count += drop_triggers(lfirst_oid(lc), queue_oid, function);
	SPI_finish();
	if (count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" is not watched for the queue \"%s\"",
						get_rel_name(source_oid), get_rel_name(queue_oid))));
	PG_RETURN_VOID();
}
