/*
 * trigger.c
 *	  _sitemap_watch, the trigger function that adds keys of changed rows to a queue.
 *
 * The triggers fire once for a statement.  Row triggers would add more than a
 * microsecond for each row, since each would run an INSERT.
 *
 * After an INSERT or a DELETE of many rows, one INSERT reads the keys from the
 * transition table.
 *
 * After an UPDATE, the old and the new rows are read side by side.  A pair of rows with
 * equal watched columns adds nothing.  Any other pair adds the old and the new key, once if
 * they are equal:
 *
 *		old row			new row			watched: id, path		added
 *		1, '/a', 10		1, '/a', 11		equal
 *		2, '/b', 10		2, '/x', 10		different				2
 *		3, '/c', 10		4, '/c', 10		different				3, 4
 *
 * It can happen that the rows of a pair do not belong together: if a trigger keeps a row
 * from entering the partition that the UPDATE moves it to, the new rows lack that row.
 * But a pair that adds nothing consists of equal rows.  So it cancels one old row and an
 * equal new one, and a row that only one side has is always in a pair that adds its key.
 * A key may be added needlessly, but no key is missed.
 *
 * One exception is a bug of PostgreSQL 15 to 19.  After a MERGE into a partitioned table
 * has inserted a row, transition_capture->tcs_original_insert_tuple stays set.  Then the
 * new row of each following UPDATE in that MERGE is the inserted row.  If the UPDATE
 * changes a key, the old key is added, but not the new key.
 *
 * The plans of the INSERT statements are kept for the session, like the plans of
 * foreign keys (ri_triggers.c).  PostgreSQL invalidates a plan when the queue or the
 * watched table is altered; then the names in the INSERT are looked up again.  When the
 * number of plans has doubled, plans of dropped queues and tables are freed.
 */
#include "postgres.h"

#include "watch/watch.h"

#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "server/query.h"
#include "server/table.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(_sitemap_watch);

/* In an INSERT of more than one key, the name of the relation to read. */
#define ROWS	"sitemap_watch_rows"

/* What a plan depends on. */
typedef struct PlanKey
{
	char		queue[4 * NAMEDATALEN + 8]; /* schema and name, quoted */
	Oid			type;			/* of the key */
	Oid			source;			/* the table, if ROWS has its rows; else
								 * InvalidOid */
	NameData	column;			/* of ROWS; empty if the key is $1 */
} PlanKey;

typedef struct PlanEntry
{
	PlanKey		key;			/* must be first */
	Oid			queue;
	SPIPlanPtr	plan;			/* NULL at first */
} PlanEntry;

/* With fewer plans than this, none are freed. */
#define MIN_PLANS	16

static HTAB *plans = NULL;
static long max_plans = MIN_PLANS;	/* when to free plans that are no longer
									 * of use */

/* Keys to add.  Most statements change one row, so one key needs no tuplestore. */
typedef struct Keys
{
	Form_pg_attribute attribute;	/* of the source's key */
	int64		count;
	Datum		first;
	Tuplestorestate *store;		/* all keys, if there are more than one */
	TupleDesc	desc;
} Keys;

/* Columns to compare. */
typedef struct Columns
{
	int		   *index;			/* NULL for all */
	int			count;
	int			needed;			/* how many attributes of a row to read */
} Columns;

/*
 * A hint for an error that a write to the source raises only because the source is
 * watched.
 */
static int
hint_at_trigger(const Trigger *trigger, Relation source)
{
	return errhint("Call sitemap_watch() again, or DROP TRIGGER %s ON %s.",
				   quote_identifier(trigger->tgname), sm_qualified_name(source));
}

int
sm_watch_column(Relation source, const char *name, const Trigger *trigger)
{
	TupleDesc	desc = RelationGetDescr(source);
	int			number = SPI_fnumber(desc, name);

	/* a system column has a negative number */
	if (number <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("table \"%s\" has no column \"%s\" to watch",
						RelationGetRelationName(source), name),
				 trigger ? hint_at_trigger(trigger, source) : 0));
	if (sm_is_virtual(TupleDescAttr(desc, number - 1)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot watch column \"%s\" of table \"%s\"",
						name, RelationGetRelationName(source)),
				 errdetail("It is a virtual generated column. Its values are not stored."),
				 trigger ? hint_at_trigger(trigger, source) :
				 errhint("Watch the columns that it is generated from.")));
	return number - 1;
}

/*
 * Error context of the INSERT: PostgreSQL's messages do not name the source.
 */
static void
insert_error(void *arg)
{
	const TriggerData *data = arg;

	errcontext("adding keys of the watched table \"%s\" to the queue %s",
			   RelationGetRelationName(data->tg_relation),
			   data->tg_trigger->tgargs[SM_WATCH_QUEUE]);
	if (geterrcode() == ERRCODE_INSUFFICIENT_PRIVILEGE)
		errhint("Roles that write to the watched table \"%s\" need INSERT on the queue %s and USAGE on its schema.",
				RelationGetRelationName(data->tg_relation),
				data->tg_trigger->tgargs[SM_WATCH_QUEUE]);
}

static void
check_call(FunctionCallInfo fcinfo)
{
	const TriggerData *data = (const TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) ||
		!TRIGGER_FIRED_AFTER(data->tg_event) ||
		!TRIGGER_FIRED_FOR_STATEMENT(data->tg_event) ||
		data->tg_trigger->tgnargs < SM_WATCH_COLUMNS ||
		strlen(data->tg_trigger->tgargs[SM_WATCH_QUEUE]) >= sizeof(((PlanKey *) NULL)->queue) ||
		(TRIGGER_FIRED_BY_INSERT(data->tg_event) && !data->tg_newtable) ||
		(TRIGGER_FIRED_BY_DELETE(data->tg_event) && !data->tg_oldtable) ||
		(TRIGGER_FIRED_BY_UPDATE(data->tg_event) && !(data->tg_oldtable && data->tg_newtable)))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function %s is for triggers that sitemap_watch() creates",
						SM_WATCH_FUNCTION)));
}

/* Prepare to read a transition table from its beginning.  Returns NULL for no table. */
static TupleTableSlot *
begin_rows(Tuplestorestate *rows, Relation source)
{
	if (rows == NULL)
		return NULL;
	/* queries on a transition table have read pointers of their own */
	tuplestore_select_read_pointer(rows, 0);
	tuplestore_rescan(rows);
	return MakeSingleTupleTableSlot(RelationGetDescr(source), &TTSOpsMinimalTuple);
}

/* Read the first attributes of the next row.  Returns false if there is none. */
static bool
next_row(Tuplestorestate *rows, TupleTableSlot *slot, int needed)
{
	if (rows == NULL || !tuplestore_gettupleslot(rows, true, false, slot))
		return false;
	slot_getsomeattrs(slot, needed);
	return true;
}

/*
 * Are two values of a column equal, byte by byte?  Values with the same stored bytes are
 * neither fetched nor decompressed.
 */
static bool
equal_values(Form_pg_attribute attribute, Datum a, Datum b)
{
	if (attribute->attlen == -1)
	{
		Pointer		left = DatumGetPointer(a);
		Pointer		right = DatumGetPointer(b);

		if (VARSIZE_ANY(left) == VARSIZE_ANY(right) &&
			memcmp(left, right, VARSIZE_ANY(left)) == 0)
			return true;
	}
	return datum_image_eq(a, b, attribute->attbyval, attribute->attlen);
}

static bool
equal_column(const TupleTableSlot *a, const TupleTableSlot *b, int column)
{
	Form_pg_attribute attribute = TupleDescAttr(a->tts_tupleDescriptor, column);

	/* an UPDATE writes NULL for a dropped column */
	if (attribute->attisdropped)
		return true;
	if (a->tts_isnull[column] || b->tts_isnull[column])
		return a->tts_isnull[column] && b->tts_isnull[column];
	return equal_values(attribute, a->tts_values[column], b->tts_values[column]);
}

static bool
equal_rows(const TupleTableSlot *a, const TupleTableSlot *b, int key, const Columns *columns)
{
	if (!equal_column(a, b, key))
		return false;
	for (int i = 0; i < columns->count; i++)
		if (!equal_column(a, b, columns->index ? columns->index[i] : i))
			return false;
	return true;
}

/* Find the columns to compare.  Only an UPDATE has any. */
static Columns
find_columns(const TriggerData *data, int key)
{
	const Trigger *trigger = data->tg_trigger;
	Relation	source = data->tg_relation;
	Columns		columns = {.needed = key + 1};

	if (!TRIGGER_FIRED_BY_UPDATE(data->tg_event))
		return columns;
	if (trigger->tgnargs == SM_WATCH_COLUMNS)
	{
		columns.count = RelationGetNumberOfAttributes(source);
		columns.needed = columns.count;
		return columns;
	}
	columns.count = trigger->tgnargs - SM_WATCH_COLUMNS;
	columns.index = palloc_array(int, columns.count);
	for (int i = 0; i < columns.count; i++)
	{
		columns.index[i] = sm_watch_column(source, trigger->tgargs[SM_WATCH_COLUMNS + i],
										   trigger);
		columns.needed = Max(columns.needed, columns.index[i] + 1);
	}
	return columns;
}

/* Add the key of a row, unless it is NULL. */
static void
add_key(Keys *keys, const TupleTableSlot *slot, int column)
{
	Datum		key = slot->tts_values[column];
	bool		isnull = slot->tts_isnull[column];

	if (isnull)
		return;
	if (keys->count == 0)
		keys->first = datumCopy(key, keys->attribute->attbyval, keys->attribute->attlen);
	else
	{
		if (keys->count == 1)
		{
			/* no typmod: the INSERT converts to the queue's */
			keys->desc = CreateTemplateTupleDesc(1);
			TupleDescInitEntry(keys->desc, 1, "key", keys->attribute->atttypid, -1, 0);
			TupleDescFinalize(keys->desc);
			keys->store = tuplestore_begin_heap(false, false, work_mem);
			tuplestore_putvalues(keys->store, keys->desc, &keys->first, &isnull);
		}
		tuplestore_putvalues(keys->store, keys->desc, &key, &isnull);
	}
	keys->count++;
}

/* Collect the keys of rows that changed. */
static void
find_keys(const TriggerData *data, int key, const Columns *columns, Keys *keys)
{
	TupleTableSlot *old_row = begin_rows(data->tg_oldtable, data->tg_relation);
	TupleTableSlot *new_row = begin_rows(data->tg_newtable, data->tg_relation);

	for (;;)
	{
		bool		has_old = next_row(data->tg_oldtable, old_row, columns->needed);
		bool		has_new = next_row(data->tg_newtable, new_row, columns->needed);

		CHECK_FOR_INTERRUPTS();
		if (!has_old && !has_new)
			break;
		if (has_old && has_new)
		{
			if (equal_rows(old_row, new_row, key, columns))
				continue;
			if (equal_column(old_row, new_row, key))
				has_old = false;
		}
		if (has_old)
			add_key(keys, old_row, key);
		if (has_new)
			add_key(keys, new_row, key);
	}
	if (old_row)
		ExecDropSingleTupleTableSlot(old_row);
	if (new_row)
		ExecDropSingleTupleTableSlot(new_row);
}

/* Free the plans of queues and tables that no longer exist. */
static void
free_plans(void)
{
	HASH_SEQ_STATUS status;
	PlanEntry  *entry;

	hash_seq_init(&status, plans);
	while ((entry = hash_seq_search(&status)) != NULL)
	{
		if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(entry->queue)) &&
			(!OidIsValid(entry->key.source) ||
			 SearchSysCacheExists1(RELOID, ObjectIdGetDatum(entry->key.source))))
			continue;
		if (entry->plan)
			SPI_freeplan(entry->plan);
		hash_search(plans, &entry->key, HASH_REMOVE, NULL);
	}
	max_plans = Max(MIN_PLANS, 2 * hash_get_num_entries(plans));
}

/* Find the session's entry of a plan, or add one. */
static PlanEntry *
find_plan(const PlanKey *key)
{
	PlanEntry  *entry;
	bool		found;

	if (plans == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(PlanKey),.entrysize = sizeof(PlanEntry)};

		plans = hash_create("sitemap_watch plans", MIN_PLANS, &control, HASH_ELEM | HASH_BLOBS);
	}
	entry = hash_search(plans, key, HASH_FIND, NULL);
	if (entry)
		return entry;

	/* inside another trigger, one of the plans may be running */
	if (hash_get_num_entries(plans) >= max_plans &&
		DatumGetInt32(DirectFunctionCall1(pg_trigger_depth, (Datum) 0)) == 1)
		free_plans();
	entry = hash_search(plans, key, HASH_ENTER, &found);
	entry->queue = InvalidOid;
	entry->plan = NULL;
	return entry;
}

/* The INSERT of a plan.  It names no column, so the key goes into the queue's first column. */
static char *
insert_statement(const PlanKey *key)
{
	const char *column = quote_identifier(NameStr(key->column));

	if (NameStr(key->column)[0] == '\0')
		return psprintf("INSERT INTO %s VALUES ($1)", key->queue);
	/* IS NOT NULL would look into the columns of a composite key */
	return psprintf("INSERT INTO %s SELECT %s FROM " ROWS " WHERE %s IS DISTINCT FROM NULL",
					key->queue, column, column);
}

/*
 * Prepare the plan of an entry, unless it has one.  SPI itself renews an invalid plan,
 * but the queue is looked up again, for a clear error and for free_plans.
 */
static SPIPlanPtr
keep_plan(PlanEntry *entry, const TriggerData *data)
{
	int			nargs = NameStr(entry->key.column)[0] == '\0' ? 1 : 0;
	SPIPlanPtr	plan;

	if (entry->plan && SPI_plan_is_valid(entry->plan))
		return entry->plan;
	entry->queue = sm_find_table(entry->key.queue);
	if (!OidIsValid(entry->queue))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the queue %s of the watched table \"%s\" does not exist",
						entry->key.queue, RelationGetRelationName(data->tg_relation)),
				 hint_at_trigger(data->tg_trigger, data->tg_relation)));
	if (entry->plan)
		return entry->plan;
	plan = sm_prepare(insert_statement(&entry->key), nargs, &entry->key.type, 0);
	SPI_keepplan(plan);
	entry->plan = plan;
	return plan;
}

/*
 * Insert the keys that a column of relation holds.  The caller sets the description and
 * the tuplestore of relation.  If relation is NULL, insert one key instead, single, which
 * is NULL if isnull.
 */
static void
insert_keys(const TriggerData *data, Oid type, const char *column, EphemeralNamedRelation relation,
			Datum single, bool isnull)
{
	ErrorContextCallback callback = {error_context_stack, insert_error,
	unconstify(TriggerData *, data)};
	PlanKey		key;

	memset(&key, 0, sizeof(key));
	strlcpy(key.queue, data->tg_trigger->tgargs[SM_WATCH_QUEUE], sizeof(key.queue));
	key.type = type;
	key.source = relation ? relation->md.reliddesc : InvalidOid;
	namestrcpy(&key.column, relation ? column : "");

	error_context_stack = &callback;
	SPI_connect();
	if (relation)
	{
		relation->md.name = ROWS;
		relation->md.enrtype = ENR_NAMED_TUPLESTORE;
		relation->md.enrtuples = tuplestore_tuple_count(relation->reldata);
		SPI_register_relation(relation);
	}
	sm_execute(keep_plan(find_plan(&key), data), &single, isnull ? "n" : NULL);
	SPI_finish();
	error_context_stack = callback.previous;
}

/* Add the keys of all rows of a transition table. */
static void
insert_rows(const TriggerData *data, Tuplestorestate *rows, Oid type)
{
	EphemeralNamedRelationData relation = {
		.md.reliddesc = RelationGetRelid(data->tg_relation),.reldata = rows
	};

	insert_keys(data, type, data->tg_trigger->tgargs[SM_WATCH_KEY], &relation, (Datum) 0, false);
}

/* Add the keys of the rows that a statement changed. */
static void
insert_changed(const TriggerData *data, Oid type, int key)
{
	Keys		keys = {.attribute = TupleDescAttr(RelationGetDescr(data->tg_relation), key)};
	Columns		columns = find_columns(data, key);
	EphemeralNamedRelationData relation = {.md.reliddesc = InvalidOid};

	find_keys(data, key, &columns, &keys);
	if (keys.count == 1)
		insert_keys(data, type, NULL, NULL, keys.first, false);
	else if (keys.count > 1)
	{
		relation.md.tupdesc = keys.desc;
		relation.reldata = keys.store;
		insert_keys(data, type, "key", &relation, (Datum) 0, false);
		tuplestore_end(keys.store);
	}
}

Datum
_sitemap_watch(PG_FUNCTION_ARGS)
{
	TriggerData *data = (TriggerData *) fcinfo->context;
	Tuplestorestate *rows;
	int			key;
	Oid			type;

	check_call(fcinfo);
	rows = data->tg_newtable ? data->tg_newtable : data->tg_oldtable;
	key = sm_watch_column(data->tg_relation, data->tg_trigger->tgargs[SM_WATCH_KEY],
						  data->tg_trigger);
	type = TupleDescAttr(RelationGetDescr(data->tg_relation), key)->atttypid;
	if (TRIGGER_FIRED_BY_TRUNCATE(data->tg_event))
		insert_keys(data, type, NULL, NULL, (Datum) 0, true);
	else if (!TRIGGER_FIRED_BY_UPDATE(data->tg_event) && tuplestore_tuple_count(rows) > 1)
		insert_rows(data, rows, type);
	else
		insert_changed(data, type, key);
	return PointerGetDatum(NULL);
}
