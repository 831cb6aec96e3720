/*
 * watch.c
 *	  sitemap_watch and sitemap_unwatch, which create and drop the triggers that add
 *	  the keys of a table's changed rows to a queue.
 *
 * The triggers are ordinary ones, created with the caller's privileges.  Their
 * arguments (watch.h) are names, which pg_dump writes as they are.
 *
 * A statement fires the statement triggers of the table that it names, but not of its
 * partitions and children.  So each partition and each child gets triggers, too.
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
#include "server/query.h"
#include "server/table.h"
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

#define QUEUE_HINT \
	"Create the queue with CREATE TABLE ... (key ...), the column of the type of the key."

/* The watched events.  Each has its own trigger. */
static const struct
{
	const char *name;
	const char *tables;			/* transition tables */
	bool		has_columns;	/* its arguments end with watched columns */
}			events[] = {
	{"insert", "REFERENCING NEW TABLE AS new_rows", false},
	{"update", "REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows", true},
	{"delete", "REFERENCING OLD TABLE AS old_rows", false},
	{"truncate", "", false},
};

/* Open a table that is an argument. */
static Relation
open_table(FunctionCallInfo fcinfo, int n, const char *name, LOCKMODE lockmode)
{
	SmTable		table = {.what = psprintf("%s table", name)};

	sm_require_argument(fcinfo, n, name);
	table.relid = PG_GETARG_OID(n);
	sm_table_open(&table, lockmode);
	sm_table_check_kind(&table);
	return table.rel;
}

/*
 * Open the source, locked as CREATE TRIGGER does.  A caller without the privilege to create
 * triggers must not block others by this lock.
 */
static Relation
open_source(FunctionCallInfo fcinfo)
{
	Relation	source = open_table(fcinfo, ARG_SOURCE, "source", AccessShareLock);
	Oid			relid = RelationGetRelid(source);

	if (pg_class_aclcheck(relid, GetUserId(), ACL_TRIGGER) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(relid));
	relation_close(source, AccessShareLock);
	return open_table(fcinfo, ARG_SOURCE, "source", ShareRowExclusiveLock);
}

static bool
is_unique(Relation index)
{
	return index->rd_index->indisunique;
}

/* Raise an error unless keys of the source, and NULL, can be added to the queue. */
static void
check_queue(Relation queue, Relation source, int key)
{
	TupleDesc	desc = RelationGetDescr(queue);
	Oid			type = TupleDescAttr(RelationGetDescr(source), key)->atttypid;
	int			first = 0;
	Form_pg_attribute attribute;
	Oid			unique;

	if (RelationGetRelid(queue) == RelationGetRelid(source))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the queue must not be the watched table")));
	if (RelationUsesLocalBuffers(queue) && !RelationUsesLocalBuffers(source))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				 errmsg("the queue \"%s\" is a temporary table",
						RelationGetRelationName(queue)),
				 errdetail("Other sessions that write to the watched table could not add keys to it.")));

	unique = sm_find_index(queue, is_unique);
	if (OidIsValid(unique))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the queue \"%s\" has a unique index, \"%s\"",
						RelationGetRelationName(queue), get_rel_name(unique)),
				 errdetail("Writes to the watched table would fail for a key that the queue has."),
				 errhint("Drop the index. A queue may have a key more than once.")));

	while (first < desc->natts && TupleDescAttr(desc, first)->attisdropped)
		first++;
	if (first == desc->natts)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("the queue \"%s\" has no column", RelationGetRelationName(queue)),
				 errhint(QUEUE_HINT)));
	attribute = TupleDescAttr(desc, first);
	if (attribute->attnotnull)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" of the queue \"%s\" is NOT NULL",
						NameStr(attribute->attname), RelationGetRelationName(queue)),
				 errdetail("A TRUNCATE of the watched table adds NULL, which stands for all keys.")));
	for (int i = first + 1; i < desc->natts; i++)
	{
		Form_pg_attribute other = TupleDescAttr(desc, i);

		if (other->attnotnull && !other->attisdropped && !other->atthasdef && !other->attidentity)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("column \"%s\" of the queue \"%s\" is NOT NULL and has no default",
							NameStr(other->attname), RelationGetRelationName(queue)),
					 errdetail("Writes to the watched table add keys, which are in the first column.")));
	}
	if (get_typtype(attribute->atttypid) == TYPTYPE_DOMAIN)
		domain_check((Datum) 0, true, attribute->atttypid, NULL, NULL);

	/* the parser checks that the types fit */
	sm_prepare(psprintf("INSERT INTO %s VALUES ($1)", sm_qualified_name(queue)), 1, &type, 0);
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
 * Drop a table's triggers for this queue, if their key is this key or a column that was
 * dropped, and its triggers for queues that were dropped.  key: NULL for any key.  Returns
 * how many of the triggers filled this queue.
 */
static int
drop_triggers(Oid relid, Oid queue, const char *key, Oid schema)
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
		const char *its_key;
		Oid			fills;

		if (!is_ours(trigger, schema))
			continue;
		its_key = trigger->tgargs[SM_WATCH_KEY];
		fills = sm_find_table(trigger->tgargs[SM_WATCH_QUEUE]);
		if (OidIsValid(fills) &&
			(fills != queue ||
			 (key && strcmp(key, its_key) != 0 && get_attnum(relid, its_key) != InvalidAttrNumber)))
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

/* A name for a trigger that no other trigger of the table has. */
static char *
trigger_name(Relation table, Relation queue, const char *key, const char *event)
{
	const char *label = event;
	char	   *name;

	for (int n = 1;; n++)
	{
		name = makeObjectName(RelationGetRelationName(queue), key, label);
		if (!OidIsValid(get_trigger_oid(RelationGetRelid(table), name, true)))
			return name;
		label = psprintf("%s%d", event, n);
	}
}

/* Create the triggers of a table.  columns: more arguments for the UPDATE trigger. */
static void
create_triggers(Oid relid, Relation queue, const char *key, const char *columns, Oid schema)
{
	Relation	table = table_open(relid, NoLock);

	/* transition tables have no rows of foreign tables */
	if (table->rd_rel->relkind == RELKIND_FOREIGN_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot watch the foreign table \"%s\"", RelationGetRelationName(table)),
				 errdetail("Triggers with transition tables cannot see its rows.")));
	for (size_t i = 0; i < lengthof(events); i++)
		run_statements(psprintf("CREATE TRIGGER %s AFTER %s ON %s %s FOR EACH STATEMENT"
								" EXECUTE FUNCTION %s(%s, %s%s)",
								quote_identifier(trigger_name(table, queue, key, events[i].name)),
								events[i].name, sm_qualified_name(table), events[i].tables,
								quote_qualified_identifier(get_namespace_name(schema), SM_WATCH_FUNCTION),
								quote_literal_cstr(key), quote_literal_cstr(sm_qualified_name(queue)),
								events[i].has_columns ? columns : ""));
	table_close(table, NoLock);
}

/* The watched columns, as arguments of a trigger. */
static char *
read_columns(FunctionCallInfo fcinfo, Relation source, const char *key)
{
	StringInfoData result;
	ArrayType  *array;
	Datum	   *names;
	bool	   *nulls;
	int			count;

	initStringInfo(&result);
	if (PG_ARGISNULL(ARG_COLUMNS))
		return result.data;
	array = PG_GETARG_ARRAYTYPE_P(ARG_COLUMNS);
	deconstruct_array(array, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &names, &nulls, &count);
	for (int i = 0; i < count; i++)
	{
		const char *name;

		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("columns must not contain null")));
		name = NameStr(*DatumGetName(names[i]));
		sm_watch_column(source, name, NULL);
		appendStringInfo(&result, ", %s", quote_literal_cstr(name));
	}
	if (count == 0)
		appendStringInfo(&result, ", %s", quote_literal_cstr(key));
	return result.data;
}

Datum
sitemap_watch(PG_FUNCTION_ARGS)
{
	Oid			schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	Relation	source = open_source(fcinfo);
	Relation	queue = open_table(fcinfo, ARG_QUEUE, "queue", AccessShareLock);
	Oid			source_oid = RelationGetRelid(source);
	Oid			queue_oid = RelationGetRelid(queue);
	const char *key;
	char	   *columns;
	ListCell   *lc;

	sm_require_argument(fcinfo, ARG_KEY, "key");
	key = NameStr(*PG_GETARG_NAME(ARG_KEY));
	columns = read_columns(fcinfo, source, key);
	SPI_connect();
	check_queue(queue, source, sm_watch_column(source, key, NULL));
	relation_close(source, NoLock);

	/* with its partitions and children */
	foreach(lc, find_all_inheritors(source_oid, ShareRowExclusiveLock, NULL))
	{
		drop_triggers(lfirst_oid(lc), queue_oid, key, schema);
		create_triggers(lfirst_oid(lc), queue, key, columns, schema);
	}
	relation_close(queue, NoLock);
	SPI_finish();
	PG_RETURN_VOID();
}

Datum
sitemap_unwatch(PG_FUNCTION_ARGS)
{
	Oid			schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	Relation	source = open_source(fcinfo);
	Relation	queue = open_table(fcinfo, ARG_UNWATCH_QUEUE, "queue", AccessShareLock);
	Oid			source_oid = RelationGetRelid(source);
	Oid			queue_oid = RelationGetRelid(queue);
	int			count = 0;
	ListCell   *lc;

	relation_close(source, NoLock);
	relation_close(queue, NoLock);
	SPI_connect();
	/* with its partitions and children */
	foreach(lc, find_all_inheritors(source_oid, ShareRowExclusiveLock, NULL))
		count += drop_triggers(lfirst_oid(lc), queue_oid, NULL, schema);
	SPI_finish();
	if (count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" is not watched for the queue \"%s\"",
						get_rel_name(source_oid), get_rel_name(queue_oid))));
	PG_RETURN_VOID();
}
