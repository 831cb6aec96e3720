/*
 * past.c
 *	  What the target remembers of the pages of a section.
 *
 * The states of files are read before the query is run for the rows of these files, and
 * wait in a tuplestore.  So no lock on the target is held while the query runs, and the
 * query can use parallel workers.
 */
#include "postgres.h"

#include "publish/past.h"

#include "catalog/pg_type.h"
#include "core/digest.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

/* limits of what one statement reads: files, and the approximate bytes of their states */
#define BATCH_FILES		1000
#define BATCH_BYTES		(4 * 1024 * 1024)

typedef struct TargetPast
{
	SmPast		past;			/* must be first */
	SmTarget   *target;
	const SmFileList *list;
	MemoryContext context;		/* for a batch */
	Tuplestorestate *states;	/* of files, in their order, each a row */
	TupleTableSlot *slot;
	int			next;			/* the file whose states are next in there */
	uint32	   *space;			/* SM_SHOWN_SPACE numbers */
} TargetPast;

/* SmTakeFile: let a file of the list have its states, until read_batch stores them. */
static void
take_states(void *arg, const SmFile *file)
{
	TargetPast *past = arg;
	SmFile	   *found = sm_file_list_find(past->list, file->name);

	if (found && file->shown)
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(past->context);

		found->shown = PG_DETOAST_DATUM_COPY(PointerGetDatum(file->shown));
		MemoryContextSwitchTo(oldcontext);
	}
}

/* Read the states of a batch of files.  Returns the number of the file after it. */
static int
read_batch(TargetPast *past, int first, int end)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(past->context);
	SmFile	  **files = past->past.old->files;
	ArrayBuildState *names = NULL;
	int64		nbytes = 0;
	int			next = first;

	for (; next < end && next - first < BATCH_FILES && nbytes < BATCH_BYTES; next++)
	{
		names = accumArrayResult(names, CStringGetTextDatum(files[next]->name), false, TEXTOID,
								 CurrentMemoryContext);
		nbytes += (int64) Max(files[next]->url_count, 0) * SM_SHOWN_PAGE_LEN;
	}
	sm_target_read_shown(past->target, makeArrayResult(names, CurrentMemoryContext),
						 take_states, past);
	for (int i = first; i < next; i++)
	{
		Datum		value = PointerGetDatum(files[i]->shown);
		bool		isnull = files[i]->shown == NULL;

		tuplestore_putvalues(past->states, past->slot->tts_tupleDescriptor, &value, &isnull);
		files[i]->shown = NULL;
	}
	MemoryContextSwitchTo(oldcontext);
	MemoryContextReset(past->context);
	return next;
}

/* SmPast.begin */
static void
begin_files(SmPast *self, int first, int end)
{
	TargetPast *past = (TargetPast *) self;

	ExecClearTuple(past->slot);
	tuplestore_clear(past->states);
	past->next = first;
	while (first < end)
	{
		CHECK_FOR_INTERRUPTS();
		first = read_batch(past, first, end);
	}
}

/* SmPast.open: damaged states count as none. */
static bool
open_states(SmPast *self, int file, SmShown *shown)
{
	TargetPast *past = (TargetPast *) self;

	/* a tuple from disk must live as long as the slot, which frees it */
	MemoryContext oldcontext = MemoryContextSwitchTo(past->slot->tts_mcxt);
	struct varlena *states;
	bool		isnull;
	Datum		value;

	for (; past->next <= file; past->next++)
		if (!tuplestore_gettupleslot(past->states, true, false, past->slot))
			elog(ERROR, "the states of file %d were not read", file);
	MemoryContextSwitchTo(oldcontext);
	value = slot_getattr(past->slot, 1, &isnull);
	if (isnull)
		return false;
	states = (struct varlena *) DatumGetPointer(value);
	if (!sm_shown_open(shown, VARDATA_ANY(states), VARSIZE_ANY_EXHDR(states), self->order,
					   past->space))
		return false;
	self->old->files[file]->shown_checksum = shown->checksum;
	return true;
}

TimestampTz
sm_past_now(const SmFileList *list)
{
	TimestampTz now = GetCurrentTimestamp();
	const TimestampTz max_lastmod = (PG_UINT32_MAX - SM_POSTGRES_EPOCH) * USECS_PER_SEC;

	for (int i = 0; i < list->nfiles; i++)
	{
		const SmFile *file = list->files[i];

		/* no run wrote a lastmod that leaves no later time in 32 bits */
		if (file->of_section && !TIMESTAMP_NOT_FINITE(file->lastmod) &&
			file->lastmod <= max_lastmod - USECS_PER_SEC)
			now = Max(now, file->lastmod + 2 * USECS_PER_SEC - 1);
	}
	return now / USECS_PER_SEC * USECS_PER_SEC;
}

/* Raise an error unless the target, which is not locked, has a column "shown". */
static void
check_target(const SmTarget *target)
{
	if (!sm_table_has_column(&target->table, SM_FILE_SHOWN))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("the target table \"%s\" has no column \"shown\"",
						target->table.name->relname),
				 errdetail("A query with a column \"shown\" needs it."),
				 errhint("Add it with ALTER TABLE ... ADD COLUMN shown bytea.")));
}

SmPast *
sm_past_begin(SmSet *set, SmTarget *target, const SmFileList *list, const SmOldFiles *old,
			  TimestampTz now)
{
	TargetPast *past = palloc0_object(TargetPast);
	const char *order = sm_key_describe_family(set->key_type);
	TupleDesc	desc = CreateTemplateTupleDesc(1);

	check_target(target);
	past->past.old = old;
	past->past.begin = begin_files;
	past->past.open = open_states;
	past->past.order = sm_digest(order, strlen(order), 0);
	past->past.now = (uint32) (now / USECS_PER_SEC + SM_POSTGRES_EPOCH);
	past->target = target;
	past->list = list;
	past->space = palloc_array(uint32, SM_SHOWN_SPACE);
	past->context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish states",
										  ALLOCSET_DEFAULT_SIZES);
	past->states = tuplestore_begin_heap(false, false, work_mem);
	TupleDescInitEntry(desc, 1, "shown", BYTEAOID, -1, 0);
	TupleDescFinalize(desc);
	past->slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	target->earliest = now;
	sm_set_use_past(set, &past->past);
	return &past->past;
}

void
sm_past_end(SmPast *self)
{
	TargetPast *past = (TargetPast *) self;

	if (past == NULL)
		return;
	ExecDropSingleTupleTableSlot(past->slot);
	tuplestore_end(past->states);
}
