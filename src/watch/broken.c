/*
 * broken.c
 *	  Finds watches that lose changes.  A trigger warns of a problem when it fires, but only
 *	  the session that writes sees that, and a trigger that is disabled or dropped says nothing.
 *
 * A watch is what one call of sitemap_watch made: for each event, a trigger of the table and
 * of each of its partitions and children.  All triggers of a watch have the same queue and key.
 * A table that has one of them must have them all, and so must the topmost parent.  Only the
 * first problem of a watch is told.
 */
#include "postgres.h"

#include "watch/watch.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "server/table.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/syscache.h"

#define EVENTS	(TRIGGER_TYPE_INSERT | TRIGGER_TYPE_DELETE | TRIGGER_TYPE_UPDATE | TRIGGER_TYPE_TRUNCATE)

/* A watch of a table, its partitions and its children. */
typedef struct Watch
{
	const Trigger *trigger;		/* the first that was found */
	bool		is_told;		/* has a problem been reported? */
} Watch;

/* The function of the triggers, InvalidOid if it is not in the schema. */
static Oid
find_trigger_function(Oid schema)
{
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum("_sitemap_watch"),
						   PointerGetDatum(buildoidvector(NULL, 0)), ObjectIdGetDatum(schema));
}

/* The topmost parents of the tables that have triggers with a function, each once. */
static List *
find_roots(Oid function)
{
	Relation	triggers = table_open(TriggerRelationId, AccessShareLock);
	List	   *roots = NIL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_trigger_tgfoid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(function));
	scan = systable_beginscan(triggers, InvalidOid, false, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		CHECK_FOR_INTERRUPTS();
		roots = lappend_oid(roots, sm_watch_root(((Form_pg_trigger) GETSTRUCT(tuple))->tgrelid));
	}
	systable_endscan(scan);
	table_close(triggers, AccessShareLock);
	list_sort(roots, list_oid_cmp);
	list_deduplicate_oid(roots);
	return roots;
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

/* Are two triggers of the same watch? */
static bool
same_watch(const Trigger *a, const Trigger *b)
{
	return strcmp(a->tgargs[SM_WATCH_QUEUE], b->tgargs[SM_WATCH_QUEUE]) == 0 &&
		strcmp(a->tgargs[SM_WATCH_KEY], b->tgargs[SM_WATCH_KEY]) == 0;
}

/* Names of events in a list. */
static char *
list_events(int events)
{
	/* in the order of their bits, which begin with TRIGGER_TYPE_INSERT */
	static const char *const names[] = {"INSERT", "DELETE", "UPDATE", "TRUNCATE"};
	StringInfoData list;

	initStringInfo(&list);
	for (size_t i = 0; i < lengthof(names); i++)
		if (events & (TRIGGER_TYPE_INSERT << i))
			appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "", names[i]);
	return list.data;
}

/* Describe the events for which a table has no trigger of a watch, or one that is disabled. */
static void
check_events(Oid relid, const TriggerDesc *desc, const Trigger *of_watch, SmWatchProblem *problem)
{
	StringInfoData enable;
	int			disabled = 0;
	int			missing = EVENTS;

	initStringInfo(&enable);
	for (int i = 0; i < desc->numtriggers; i++)
	{
		const Trigger *trigger = &desc->triggers[i];

		if (!is_of_watch(trigger, of_watch->tgfoid) || !same_watch(trigger, of_watch))
			continue;
		missing &= ~trigger->tgtype;
		if (trigger->tgenabled == TRIGGER_FIRES_ON_ORIGIN || trigger->tgenabled == TRIGGER_FIRES_ALWAYS)
			continue;
		disabled |= trigger->tgtype & EVENTS;
		appendStringInfo(&enable, "%s ENABLE TRIGGER %s", enable.len > 0 ? "," : "",
						 quote_identifier(trigger->tgname));
	}
	if (disabled)
	{
		problem->message = psprintf("triggers of the watched table \"%s\" are disabled: %s",
									sm_table_label(relid), list_events(disabled));
		problem->hint = psprintf("To enable them: ALTER TABLE ONLY %s%s;", sm_qualified_name(relid),
								 enable.data);
	}
	else if (missing)
		problem->message = psprintf("triggers of the watched table \"%s\" are missing: %s",
									sm_table_label(relid), list_events(missing));
}

/* Find the watch of a trigger.  Returns NULL for the first trigger of a watch. */
static Watch *
find_watch(List *watches, const Trigger *trigger)
{
	ListCell   *lc;

	foreach(lc, watches)
	{
		Watch	   *watch = lfirst(lc);

		if (same_watch(watch->trigger, trigger))
			return watch;
	}
	return NULL;
}

/* Check the watches that a table has.  root: its topmost parent, which was checked first. */
static void
check_table(Relation source, Oid root, Oid function, List **watches, SmBrokenWatch found, void *arg)
{
	Oid			relid = RelationGetRelid(source);

	/*
	 * triggers can be altered meanwhile, and then those of the relcache are
	 * freed
	 */
	const TriggerDesc *desc = CopyTriggerDesc(source->trigdesc);

	for (int i = 0; desc && i < desc->numtriggers; i++)
	{
		const Trigger *trigger = &desc->triggers[i];
		SmWatchProblem problem = {0};
		Watch	   *watch;

		CHECK_FOR_INTERRUPTS();
		if (!is_of_watch(trigger, function))
			continue;
		watch = find_watch(*watches, trigger);
		if (watch && watch->is_told)
			continue;
		if (watch == NULL && relid != root)
			problem.message = psprintf("triggers of the watched table \"%s\" are missing: %s",
									   sm_table_label(root), list_events(EVENTS));
		else if (receives_keys(source, trigger->tgargs[SM_WATCH_QUEUE], &problem))
			check_events(relid, desc, trigger, &problem);
		if (watch == NULL)
		{
			watch = palloc0_object(Watch);
			watch->trigger = trigger;
			*watches = lappend(*watches, watch);
		}
		watch->is_told = problem.message != NULL;
		if (watch->is_told)
			found(arg, problem.message, sm_watch_hint(&problem, source, trigger));
	}
}

void
sm_watch_find_broken(Oid schema, Oid owner, SmBrokenWatch found, void *arg)
{
	Oid			function = find_trigger_function(schema);
	List	   *roots = OidIsValid(function) ? find_roots(function) : NIL;
	ListCell   *lc;

	foreach(lc, roots)
	{
		Relation	root = try_open(lfirst_oid(lc));
		List	   *watches = NIL;
		List	   *family;
		ListCell   *member;

		if (root == NULL)
			continue;
		family = root->rd_rel->relowner == owner ? find_all_inheritors(lfirst_oid(lc), NoLock, NULL) : NIL;
		foreach(member, family)
		{
			Relation	source = try_open(lfirst_oid(member));

			if (source == NULL)
				continue;
			check_table(source, lfirst_oid(lc), function, &watches, found, arg);
			relation_close(source, AccessShareLock);
		}
		relation_close(root, AccessShareLock);
	}
}
