/*
 * broken.c
 *	  Finds watches that lose changes.  A trigger warns of a problem when it fires, but only
 *	  the session that writes sees that, and a trigger that is disabled or dropped says nothing.
 *
 * A watch is what one call of sitemap_watch made: for each event, a trigger of the table and
 * of each of its partitions and children.  All triggers of a watch have the same queue and key.
 * The table itself must have them all.  A partition may have none, since it can be newer than
 * the call, and statements that name the table fire the triggers of the table.
 *
 * The triggers are found by their dependencies on the trigger function, so the cost does not
 * depend on how many other tables there are.
 */
#include "postgres.h"

#include "watch/watch.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "server/table.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#define EVENTS	(TRIGGER_TYPE_INSERT | TRIGGER_TYPE_DELETE | TRIGGER_TYPE_UPDATE | TRIGGER_TYPE_TRUNCATE)

/* The triggers of a watch that one table has. */
typedef struct Part
{
	Oid			root;			/* the table that was given to sitemap_watch */
	Oid			relid;			/* the same, or a partition or child of it */
	char	   *queue;
	char	   *key;
	const char *problem;		/* NULL for none */
	const char *hint;
	const char *call;			/* hint where there is no other problem */
} Part;

/* The function of the triggers, InvalidOid if it is not in the schema. */
static Oid
find_trigger_function(Oid schema)
{
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum("_sitemap_watch"),
						   PointerGetDatum(buildoidvector(NULL, 0)), ObjectIdGetDatum(schema));
}

/* The table of a trigger, InvalidOid if the trigger has just been dropped. */
static Oid
table_of_trigger(Relation triggers, Oid trigger)
{
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	Oid			relid = InvalidOid;

	ScanKeyInit(&key, Anum_pg_trigger_oid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(trigger));
	scan = systable_beginscan(triggers, TriggerOidIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		relid = ((Form_pg_trigger) GETSTRUCT(tuple))->tgrelid;
	systable_endscan(scan);
	return relid;
}

/* The tables that have triggers with a function, each once. */
static List *
find_tables(Oid function)
{
	Relation	depends = table_open(DependRelationId, AccessShareLock);
	Relation	triggers = table_open(TriggerRelationId, AccessShareLock);
	List	   *tables = NIL;
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(ProcedureRelationId));
	ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(function));
	scan = systable_beginscan(depends, DependReferenceIndexId, true, NULL, 2, keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend depend = (Form_pg_depend) GETSTRUCT(tuple);

		CHECK_FOR_INTERRUPTS();
		if (depend->classid == TriggerRelationId)
			tables = lappend_oid(tables, table_of_trigger(triggers, depend->objid));
	}
	systable_endscan(scan);
	table_close(triggers, AccessShareLock);
	table_close(depends, AccessShareLock);
	list_sort(tables, list_oid_cmp);
	list_deduplicate_oid(tables);
	return tables;
}

/* Open a table without waiting for its lock.  Returns NULL if that is not free. */
static Relation
try_open(Oid relid)
{
	Relation	rel;

	if (!OidIsValid(relid) || !ConditionalLockRelationOid(relid, AccessShareLock))
		return NULL;
	rel = try_relation_open(relid, NoLock);
	if (rel == NULL)
		UnlockRelationOid(relid, AccessShareLock);
	return rel;
}

/* The owner of a table, InvalidOid if the table has just been dropped. */
static Oid
owner_of(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid			owner = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
		ReleaseSysCache(tuple);
	}
	return owner;
}

/* Is a trigger one that sitemap_watch makes?  Others with its function raise errors. */
static bool
is_of_watch(const Trigger *trigger, Oid function)
{
	return trigger->tgfoid == function && trigger->tgnargs >= SM_WATCH_COLUMNS &&
		strchr(trigger->tgargs[SM_WATCH_QUEUE], '.') != NULL;
}

/* Check the queue of a trigger.  Returns false and describes the problem if it gets no key. */
static bool
receives_keys(Relation source, const char *name, SmWatchProblem *problem)
{
	Oid			relid = sm_find_table(name);
	Relation	queue;
	bool		fits;

	if (!OidIsValid(relid))
	{
		sm_queue_missing(source, name, problem);
		return false;
	}
	queue = try_open(relid);
	if (queue == NULL)
		return true;
	fits = sm_queue_check(queue, source, problem);
	relation_close(queue, AccessShareLock);
	return fits;
}

static int
compare_triggers(const void *a, const void *b)
{
	const Trigger *left = *(const Trigger *const *) a;
	const Trigger *right = *(const Trigger *const *) b;
	int			order = strcmp(left->tgargs[SM_WATCH_QUEUE], right->tgargs[SM_WATCH_QUEUE]);

	return order != 0 ? order : strcmp(left->tgargs[SM_WATCH_KEY], right->tgargs[SM_WATCH_KEY]);
}

/* Names of events in a list. */
static char *
list_events(int events)
{
	static const struct
	{
		int			type;
		const char *name;
	}			names[] = {
		{TRIGGER_TYPE_INSERT, "INSERT"},
		{TRIGGER_TYPE_UPDATE, "UPDATE"},
		{TRIGGER_TYPE_DELETE, "DELETE"},
		{TRIGGER_TYPE_TRUNCATE, "TRUNCATE"}
	};
	StringInfoData list;

	initStringInfo(&list);
	for (size_t i = 0; i < lengthof(names); i++)
		if (events & names[i].type)
			appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "", names[i].name);
	return list.data;
}

/* Check the triggers of one watch on one table. */
static Part *
check_triggers(Relation source, Trigger *const *triggers, int n)
{
	SmWatchProblem problem = {0};
	SmWatchProblem none = {0};
	StringInfoData enable;
	int			disabled = 0;
	int			missing = EVENTS;
	Part	   *part = palloc0_object(Part);

	initStringInfo(&enable);
	for (int i = 0; i < n; i++)
	{
		missing &= ~triggers[i]->tgtype;
		if (triggers[i]->tgenabled == TRIGGER_FIRES_ON_ORIGIN || triggers[i]->tgenabled == TRIGGER_FIRES_ALWAYS)
			continue;
		disabled |= triggers[i]->tgtype & EVENTS;
		appendStringInfo(&enable, "%s ENABLE TRIGGER %s", enable.len > 0 ? "," : "",
						 quote_identifier(triggers[i]->tgname));
	}
	if (receives_keys(source, triggers[0]->tgargs[SM_WATCH_QUEUE], &problem))
	{
		if (disabled)
		{
			problem.message = psprintf("triggers of the watched table \"%s\" are disabled: %s",
									   sm_table_label(RelationGetRelid(source)), list_events(disabled));
			problem.hint = psprintf("To enable them: ALTER TABLE ONLY %s%s;",
									sm_qualified_name(RelationGetRelid(source)), enable.data);
		}
		else if (missing)
			problem.message = psprintf("triggers of the watched table \"%s\" are missing: %s",
									   sm_table_label(RelationGetRelid(source)), list_events(missing));
	}
	part->root = sm_watch_root(RelationGetRelid(source));
	part->relid = RelationGetRelid(source);
	part->queue = pstrdup(triggers[0]->tgargs[SM_WATCH_QUEUE]);
	part->key = pstrdup(triggers[0]->tgargs[SM_WATCH_KEY]);
	part->problem = problem.message;
	part->call = sm_watch_hint(&none, source, triggers[0]);
	part->hint = sm_watch_hint(&problem, source, triggers[0]);
	return part;
}

/* Add the parts of watches that a table has. */
static List *
add_parts(List *parts, Relation source, Oid function)
{
	const TriggerDesc *desc = source->trigdesc;
	int			ntriggers = desc ? desc->numtriggers : 0;
	Trigger   **triggers = palloc_array(Trigger *, Max(ntriggers, 1));
	int			count = 0;

	for (int i = 0; i < ntriggers; i++)
	{
		Trigger    *trigger = &desc->triggers[i];

		if (is_of_watch(trigger, function))
			triggers[count++] = trigger;
	}
	qsort(triggers, count, sizeof(Trigger *), compare_triggers);
	for (int first = 0, next; first < count; first = next)
	{
		CHECK_FOR_INTERRUPTS();
		for (next = first + 1; next < count; next++)
			if (compare_triggers(&triggers[first], &triggers[next]) != 0)
				break;
		parts = lappend(parts, check_triggers(source, triggers + first, next - first));
	}
	return parts;
}

static int
compare_watches(const Part *left, const Part *right)
{
	int			order = left->root < right->root ? -1 : left->root > right->root;

	if (order == 0)
		order = strcmp(left->queue, right->queue);
	return order != 0 ? order : strcmp(left->key, right->key);
}

/* The parts of a watch, the table itself first. */
static int
compare_parts(const ListCell *a, const ListCell *b)
{
	const Part *left = lfirst(a);
	const Part *right = lfirst(b);
	int			order = compare_watches(left, right);

	if (order == 0)
		order = (left->relid != left->root) - (right->relid != right->root);
	return order != 0 ? order : left->relid < right->relid ? -1 : left->relid > right->relid;
}

/*
 * Does the table itself have no trigger of a watch, of which only partitions and children have
 * triggers?  Returns false as well if its lock is not free.
 */
static bool
lacks_triggers(const Part *part, Oid function)
{
	Relation	root = try_open(part->root);
	const TriggerDesc *desc = root ? root->trigdesc : NULL;
	bool		lacks = root != NULL;

	for (int i = 0; desc && i < desc->numtriggers; i++)
	{
		const Trigger *trigger = &desc->triggers[i];

		if (is_of_watch(trigger, function) &&
			strcmp(trigger->tgargs[SM_WATCH_QUEUE], part->queue) == 0 &&
			strcmp(trigger->tgargs[SM_WATCH_KEY], part->key) == 0)
			lacks = false;
	}
	if (root)
		relation_close(root, AccessShareLock);
	return lacks;
}

void
sm_watch_find_broken(Oid schema, Oid owner, SmBrokenWatch found, void *arg)
{
	Oid			function = find_trigger_function(schema);
	List	   *tables = OidIsValid(function) ? find_tables(function) : NIL;
	List	   *parts = NIL;
	const Part *last = NULL;
	bool		is_told = false;	/* has a problem of the last part's watch
									 * been reported? */
	ListCell   *lc;

	foreach(lc, tables)
	{
		Relation	source = try_open(lfirst_oid(lc));

		if (source == NULL)
			continue;
		if (owner_of(sm_watch_root(lfirst_oid(lc))) == owner)
			parts = add_parts(parts, source, function);
		relation_close(source, AccessShareLock);
	}
	list_sort(parts, compare_parts);
	foreach(lc, parts)
	{
		const Part *part = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (last == NULL || compare_watches(last, part) != 0)
		{
			is_told = part->relid != part->root && lacks_triggers(part, function);
			if (is_told)
				found(arg, psprintf("triggers of the watched table \"%s\" are missing: %s",
									sm_table_label(part->root), list_events(EVENTS)),
					  part->call);
		}
		if (!is_told && part->problem)
		{
			is_told = true;
			found(arg, part->problem, part->hint);
		}
		last = part;
	}
}
