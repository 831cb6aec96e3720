/*
 * past.c
 *	  Looks up what the target remembers of the pages of a section.
 *
 * The states of files are read before the query is run for the rows of these files, and
 * wait in a tuplestore.  So no lock on the target is held while the query runs, and the
 * query can use parallel workers.
 */
#include "postgres.h"

#include "publish/past.h"

#include "access/detoast.h"
#include "catalog/pg_type.h"
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

struct SmPast
{
	SmSet	   *set;
	SmTarget   *target;
	const SmFileList *list;
	const SmOldFiles *old;
	uint32		now;			/* lastmod of pages that change in this run */
	MemoryContext context;		/* for a batch */
	Tuplestorestate *states;	/* of files, in their order, each a row */
	TupleTableSlot *slot;
	int			next;			/* the file whose states are next in there */

	/* the old file in whose range of keys the newest row is */
	int			file;
	bool		is_known;		/* does it have states? */
	SmShown		shown;			/* these states */
	uint32	   *space;			/* SM_SHOWN_SPACE numbers */
};

/* Can a value be the states of a file?  It is not detoasted for that. */
static bool
can_be_states(struct varlena *value, const SmFile *file)
{
	Size		npages = Min(Max(file->url_count, 0), SM_SHOWN_MAX_PAGES);

	return toast_raw_datum_size(PointerGetDatum(value)) <=
		VARHDRSZ + SM_SHOWN_HEADER_LEN + npages * SM_SHOWN_PAGE_LEN;
}

/* SmTakeFile: let a file of the list have its states, until read_batch stores them. */
static void
take_states(void *arg, const SmFile *file)
{
	SmPast	   *past = arg;
	SmFile	   *found = sm_file_list_find(past->list, file->name);

	if (found && file->shown && can_be_states(file->shown, found))
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(past->context);

		found->shown = PG_DETOAST_DATUM_COPY(PointerGetDatum(file->shown));
		MemoryContextSwitchTo(oldcontext);
	}
}

/* Read the states of a batch of files.  Returns the number of the file after it. */
static int
read_batch(SmPast *past, int first, int end)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(past->context);
	SmFile	  **files = past->old->files;
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

/*
 * Open the states of a file, after those of the files before it.  Damaged states count as
 * none.
 */
static void
open_states(SmPast *past, int file)
{
	/* a tuple from disk must live as long as the slot, which frees it */
	MemoryContext oldcontext = MemoryContextSwitchTo(past->slot->tts_mcxt);
	struct varlena *states;
	bool		isnull;

	for (; past->next <= file; past->next++)
		if (!tuplestore_gettupleslot(past->states, true, false, past->slot))
			elog(ERROR, "the states of file %d were not read", file);
	MemoryContextSwitchTo(oldcontext);
	states = (struct varlena *) DatumGetPointer(slot_getattr(past->slot, 1, &isnull));
	past->file = file;
	past->is_known = !isnull &&
		sm_shown_open(&past->shown, VARDATA_ANY(states), VARSIZE_ANY_EXHDR(states),
					  past->set->key_type->family, past->space);
	if (past->is_known)
		past->old->files[file]->shown_checksum = past->shown.checksum;
}

/* SmBeforeRows: read the states of these files, and begin with the first. */
static void
begin_files(void *arg, int first, int end)
{
	SmPast	   *past = arg;

	ExecClearTuple(past->slot);
	tuplestore_clear(past->states);
	past->next = first;
	past->is_known = false;
	for (int next = first; next < end;)
	{
		CHECK_FOR_INTERRUPTS();
		next = read_batch(past, next, end);
	}
	if (first < end)
		open_states(past, first);
}

/* Find the old file in whose range the newest key is, and open its states. */
static void
find_file(SmPast *past)
{
	const SmSet *set = past->set;
	const SmOldFiles *old = past->old;
	int			file = past->file;

	while (file + 1 < old->nfiles &&
		   sm_key_compare(set->key_type, old->files[file + 1]->key, set->key) <= 0)
		file++;
	if (file > past->file)
		open_states(past, file);
}

/*
 * SmFindLastmod: an unchanged page keeps its lastmod, a changed page gets the time of the
 * run, and a new page gets the lastmod of its row, or else the time of the run.  If the
 * file has no states, each page keeps the lastmod of its row, even if there is none.
 */
static void
find_lastmod(void *arg, SmShownPage *page)
{
	SmPast	   *past = arg;
	SmShownStatus status;

	find_file(past);
	if (!past->is_known)
		return;
	status = sm_shown_find(&past->shown, page);
	if (status == SM_SHOWN_CHANGED || (status == SM_SHOWN_NEW && page->lastmod == 0))
		page->lastmod = past->now;
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
	SmPast	   *past = palloc0_object(SmPast);
	TupleDesc	desc = CreateTemplateTupleDesc(1);

	check_target(target);
	past->set = set;
	past->target = target;
	past->list = list;
	past->old = old;
	past->now = (uint32) (now / USECS_PER_SEC + SM_POSTGRES_EPOCH);
	past->space = palloc_array(uint32, SM_SHOWN_SPACE);
	past->context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish states",
										  ALLOCSET_DEFAULT_SIZES);
	past->states = tuplestore_begin_heap(false, false, work_mem);
	TupleDescInitEntry(desc, 1, "shown", BYTEAOID, -1, 0);
	TupleDescFinalize(desc);
	past->slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	target->earliest = now;
	sm_set_use_past(set, old, begin_files, find_lastmod, past);
	return past;
}

void
sm_past_end(SmPast *past)
{
	if (past == NULL)
		return;
	ExecDropSingleTupleTableSlot(past->slot);
	tuplestore_end(past->states);
}
