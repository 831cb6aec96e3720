/*
 * trigger.c
 *	  _sitemap_watch, the trigger function that adds keys of changed rows to a queue.
 *
 * The triggers fire once for a statement.  After an UPDATE, the old and the new rows are
 * read side by side.  A pair of rows with equal watched columns adds nothing.  Any other
 * pair adds the old and the new key, once if they are equal:
 *
 *		old row			new row			watched: id, path		added
 *		1, '/a', 10		1, '/a', 11		equal
 *		2, '/b', 10		2, '/x', 10		different				2
 *		3, '/c', 10		4, '/c', 10		different				3, 4
 *
 * A BEFORE trigger can keep a row out of one side, so that the rows of a pair do not belong
 * together.  Keys may then be added needlessly, but none is missed: a pair that adds nothing
 * removes equal rows from both sides.  A MERGE can hide keys: PostgreSQL gives rows that it
 * moves between partitions to the triggers of DELETE and INSERT, which may not fire.
 *
 * If the tables have changed since sitemap_watch was called, the write succeeds with a
 * WARNING:
 *
 *		a watched column is missing				all columns are compared
 *		the key is missing or has another type	NULL is added, which stands for all keys
 *		the queue is missing or unfit			nothing is added
 */
#include "postgres.h"

#include "watch/watch.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "server/statement.h"
#include "storage/sinval.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(_sitemap_watch);

/* In the INSERT, the name of the relation to read. */
#define ROWS	"sitemap_watch_rows"

/*
 * An INSERT whose plan is kept for the session, like the plans of foreign keys
 * (ri_triggers.c).  To make one takes 11 microseconds.
 */
typedef struct Insert
{
	SmTable		queue;
	Oid			type;			/* of the keys */
	SmStatement *statement;		/* NULL for none */
} Insert;

#define MAX_INSERTS	64

static Insert inserts[MAX_INSERTS];
static int	next_insert = 0;	/* index of the oldest */

/* Keys to add. */
typedef struct Keys
{
	int			column;			/* index in the source's rows, -1 if it is
								 * missing */
	bool		all;			/* add NULL, which stands for all keys */
	Tuplestorestate *store;		/* of the keys, NULL if there is none */
	TupleDesc	desc;
} Keys;

/* Columns to compare: their indexes in the source's rows. */
typedef struct Columns
{
	int		   *index;
	int			count;
	int			needed;			/* how many attributes of a row to read */
} Columns;

/* Error context of the INSERT: PostgreSQL's messages do not name the source. */
static void
insert_error(void *arg)
{
	const TriggerData *data = arg;

	errcontext("adding keys of the watched table \"%s\" to the queue %s",
			   RelationGetRelationName(data->tg_relation),
			   data->tg_trigger->tgargs[SM_WATCH_QUEUE]);
}

static void
check_trigger(FunctionCallInfo fcinfo)
{
	const TriggerData *data = (const TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) ||
		!TRIGGER_FIRED_AFTER(data->tg_event) ||
		!TRIGGER_FIRED_FOR_STATEMENT(data->tg_event) ||
		data->tg_trigger->tgnargs < SM_WATCH_COLUMNS ||
		strchr(data->tg_trigger->tgargs[SM_WATCH_QUEUE], '.') == NULL ||
		(TRIGGER_FIRED_BY_INSERT(data->tg_event) && !data->tg_newtable) ||
		(TRIGGER_FIRED_BY_DELETE(data->tg_event) && !data->tg_oldtable) ||
		(TRIGGER_FIRED_BY_UPDATE(data->tg_event) && !(data->tg_oldtable && data->tg_newtable)))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function _sitemap_watch is for triggers that sitemap_watch() creates")));
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
equal_column(const TupleTableSlot *a, const TupleTableSlot *b, int column)
{
	Form_pg_attribute attribute = TupleDescAttr(a->tts_tupleDescriptor, column);
	Datum		left = a->tts_values[column];
	Datum		right = b->tts_values[column];

	/* an UPDATE writes NULL for a dropped column */
	if (attribute->attisdropped)
		return true;
	if (a->tts_isnull[column] || b->tts_isnull[column])
		return a->tts_isnull[column] && b->tts_isnull[column];
	if (attribute->attlen == -1 &&
		VARSIZE_ANY(DatumGetPointer(left)) == VARSIZE_ANY(DatumGetPointer(right)) &&
		memcmp(DatumGetPointer(left), DatumGetPointer(right), VARSIZE_ANY(DatumGetPointer(left))) == 0)
		return true;
	return datum_image_eq(left, right, attribute->attbyval, attribute->attlen);
}

static bool
equal_rows(const TupleTableSlot *a, const TupleTableSlot *b, int key, const Columns *columns)
{
	if (key >= 0 && !equal_column(a, b, key))
		return false;
	for (int i = 0; i < columns->count; i++)
		if (!equal_column(a, b, columns->index[i]))
			return false;
	return true;
}

/* Find the columns to compare: all, if none is given or one is missing. */
static Columns
watched_columns(const TriggerData *data, int key, SmWatchProblem *problem)
{
	const Trigger *trigger = data->tg_trigger;
	int			natts = RelationGetNumberOfAttributes(data->tg_relation);
	Columns		columns = {.index = palloc_array(int, Max(natts, trigger->tgnargs)),.needed = key + 1};

	for (int i = SM_WATCH_COLUMNS; i < trigger->tgnargs; i++)
	{
		int			column = sm_watch_column(data->tg_relation, trigger->tgargs[i], problem);

		if (column < 0)
		{
			columns.count = 0;
			break;
		}
		columns.index[columns.count++] = column;
		columns.needed = Max(columns.needed, column + 1);
	}
	if (columns.count == 0)
	{
		columns.count = columns.needed = natts;
		for (int i = 0; i < natts; i++)
			columns.index[i] = i;
	}
	return columns;
}

static void
begin_keys(Keys *keys, Oid type)
{
	keys->desc = CreateTemplateTupleDesc(1);
	TupleDescInitEntry(keys->desc, 1, "key", type, -1, 0);
	TupleDescFinalize(keys->desc);
	keys->store = tuplestore_begin_heap(false, false, work_mem);
}

/* Replace the keys by NULL. */
static void
begin_null(Keys *keys, Relation queue)
{
	Datum		value = 0;
	bool		isnull = true;

	if (keys->store)
		tuplestore_end(keys->store);
	begin_keys(keys, sm_queue_column(queue)->atttypid);
	tuplestore_putvalues(keys->store, keys->desc, &value, &isnull);
}

/* Add the key of a row, unless it is NULL. */
static void
add_key(Keys *keys, const TupleTableSlot *slot)
{
	bool	   *isnull = &slot->tts_isnull[keys->column];

	if (*isnull)
		return;
	if (keys->store == NULL)
		begin_keys(keys, TupleDescAttr(slot->tts_tupleDescriptor, keys->column)->atttypid);
	tuplestore_putvalues(keys->store, keys->desc, &slot->tts_values[keys->column], isnull);
}

/* Collect the keys of rows that changed. */
static void
find_keys(const TriggerData *data, const Columns *columns, Keys *keys)
{
	TupleTableSlot *old_row = begin_rows(data->tg_oldtable, data->tg_relation);
	TupleTableSlot *new_row = begin_rows(data->tg_newtable, data->tg_relation);

	while (!keys->all)
	{
		bool		has_old = next_row(data->tg_oldtable, old_row, columns->needed);
		bool		has_new = next_row(data->tg_newtable, new_row, columns->needed);

		CHECK_FOR_INTERRUPTS();
		if (!has_old && !has_new)
			break;
		if (has_old && has_new && equal_rows(old_row, new_row, keys->column, columns))
			continue;
		if (keys->column < 0)
		{
			keys->all = true;
			continue;
		}
		if (has_old && has_new && equal_column(old_row, new_row, keys->column))
			has_old = false;
		if (has_old)
			add_key(keys, old_row);
		if (has_new)
			add_key(keys, new_row);
	}
	if (old_row)
		ExecDropSingleTupleTableSlot(old_row);
	if (new_row)
		ExecDropSingleTupleTableSlot(new_row);
}

static Insert *
find_insert(Oid queue, Oid type)
{
	for (int i = 0; i < MAX_INSERTS; i++)
		if (inserts[i].statement && inserts[i].type == type && inserts[i].queue.relid == queue)
			return &inserts[i];
	return NULL;
}

/*
 * Make an INSERT, and keep it instead of the oldest.  That may be running, inside another
 * trigger.  Then the new one is put into *once.
 */
static Insert *
make_insert(Oid queue, Oid type, Insert *once)
{
	Insert	   *insert = &inserts[next_insert];
	MemoryContext oldcontext = CurrentMemoryContext;

	if (insert->statement && DatumGetInt32(DirectFunctionCall1(pg_trigger_depth, (Datum) 0)) > 1)
		insert = once;
	else
	{
		if (insert->statement)
			sm_statement_free(insert->statement);
		insert->statement = NULL;
		next_insert = (next_insert + 1) % MAX_INSERTS;
		MemoryContextSwitchTo(TopMemoryContext);
	}
	insert->queue = (SmTable)
	{
		.relid = queue,.what = "queue"
	};
	insert->type = type;
	insert->statement = sm_table_prepare(&insert->queue, "INSERT INTO @table SELECT key FROM " ROWS, 0);
	MemoryContextSwitchTo(oldcontext);
	return insert;
}

/*
 * Open the queue, locked as INSERT does, so that nobody alters it before the INSERT.
 * Returns NULL and describes the problem if no key can be added.
 */
static Relation
open_queue(const char *name, Relation source, SmWatchProblem *problem)
{
	for (;;)
	{
		uint64		messages = SharedInvalidMessageCounter;
		Oid			relid = sm_find_table(name);
		Relation	queue;

		CHECK_FOR_INTERRUPTS();
		if (!OidIsValid(relid))
			break;
		queue = try_relation_open(relid, RowExclusiveLock);

		/* a message has come if the queue was altered meanwhile */
		if (queue && messages == SharedInvalidMessageCounter)
		{
			/* the source is a temporary child of a table that is not */
			if (XactReadOnly && !RelationUsesLocalBuffers(queue))
			{
				problem->sqlstate = ERRCODE_READ_ONLY_SQL_TRANSACTION;
				problem->message = psprintf("cannot add keys of the temporary table \"%s\" to the queue %s in a read-only transaction",
											RelationGetRelationName(source), name);
				problem->hint = NULL;
			}
			else if (sm_queue_check(queue, source, problem))
				return queue;
			relation_close(queue, RowExclusiveLock);
			return NULL;
		}
		if (queue)
			relation_close(queue, RowExclusiveLock);
	}
	sm_queue_missing(source, name, problem);
	return NULL;
}

/*
 * Insert keys as the source's owner, who owns the queue, and with a fixed search_path: writers
 * need no right on the queue, and cannot redirect the names in its defaults and triggers.  This
 * is no security-restricted operation, since the queue may have deferred triggers.  The end of
 * the (sub)transaction restores user and search_path after an error.  The statement names no
 * column, so the key goes into the queue's first column.
 */
static void
insert_keys(Relation queue, const TriggerData *data, const Keys *keys)
{
	ErrorContextCallback callback = {error_context_stack, insert_error,
	unconstify(TriggerData *, data)};
	EphemeralNamedRelationData rows = {
		.md.name = ROWS,.md.reliddesc = InvalidOid,.md.tupdesc = keys->desc,
		.md.enrtype = ENR_NAMED_TUPLESTORE,.reldata = keys->store
	};
	Oid			type = TupleDescAttr(keys->desc, 0)->atttypid;
	Insert	   *insert = find_insert(RelationGetRelid(queue), type);
	Insert		once;
	int			level = NewGUCNestLevel();
	Oid			user;
	int			context;

	error_context_stack = &callback;
	GetUserIdAndSecContext(&user, &context);
	SetUserIdAndSecContext(data->tg_relation->rd_rel->relowner,
						   context | SECURITY_LOCAL_USERID_CHANGE);
	set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
					  GUC_ACTION_SAVE, true, 0, false);
	SPI_connect();
	SPI_register_relation(&rows);
	if (insert == NULL)
		insert = make_insert(RelationGetRelid(queue), type, &once);
	insert->queue.name = data->tg_trigger->tgargs[SM_WATCH_QUEUE];
	sm_statement_execute(insert->statement, NULL, SM_WRITE);
	SPI_finish();
	AtEOXact_GUC(true, level);
	SetUserIdAndSecContext(user, context);
	error_context_stack = callback.previous;
}

/* Warn of a problem.  added: what was added to the queue. */
static void
warn(const TriggerData *data, const SmWatchProblem *problem, const char *added)
{
	ereport(WARNING,
			(errcode(problem->sqlstate),
			 errmsg_internal("%s", problem->message),
			 errdetail("%s", added),
			 errhint("%s", sm_watch_hint(problem, data->tg_relation, data->tg_trigger))));
}

Datum
_sitemap_watch(PG_FUNCTION_ARGS)
{
	const TriggerData *data = (const TriggerData *) fcinfo->context;
	Relation	source;
	Relation	queue;
	Keys		keys = {0};
	SmWatchProblem problem = {0};

	check_trigger(fcinfo);
	source = data->tg_relation;
	if (TRIGGER_FIRED_BY_TRUNCATE(data->tg_event))
		keys.all = true;
	else
	{
		Columns		columns = {0};

		keys.column = sm_watch_column(source, data->tg_trigger->tgargs[SM_WATCH_KEY], &problem);
		columns.needed = keys.column + 1;
		if (TRIGGER_FIRED_BY_UPDATE(data->tg_event))
			columns = watched_columns(data, keys.column, &problem);
		find_keys(data, &columns, &keys);
	}
	if (!keys.all && keys.store == NULL)
		return PointerGetDatum(NULL);

	queue = open_queue(data->tg_trigger->tgargs[SM_WATCH_QUEUE], source, &problem);
	if (queue)
	{
		if (!keys.all && !sm_queue_check_type(queue, source, keys.column, &problem))
			keys.all = true;
		if (keys.all)
			begin_null(&keys, queue);
		insert_keys(queue, data, &keys);
		relation_close(queue, NoLock);
	}
	if (problem.message)
		warn(data, &problem,
			 queue == NULL ? "No key was added to the queue." :
			 keys.all ? "NULL was added to the queue, which stands for all keys." :
			 "All columns count as watched.");
	if (keys.store)
		tuplestore_end(keys.store);
	return PointerGetDatum(NULL);
}
