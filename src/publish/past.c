/*
 * past.c
 *	  Looks up what the target remembers of the pages of a section.
 *
 * The states of files are read before the query is run for the rows of these files, and
 * sorted by file.  So no lock on the target is held while the query runs, and the query
 * can use parallel workers.
 */
#include "postgres.h"

#include "publish/past.h"

#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "server/sort.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* Columns of the sort. */
enum
{
	STATES_FILE,				/* number of the old file */
	STATES_SHOWN,				/* its states */
	STATES_NCOLUMNS
};

struct SmPast
{
	SmSet	   *set;
	SmTarget   *target;
	uint32		now;			/* lastmod of pages that change in this run */
	MemoryContext context;		/* for one call of read_states */
	SmSort		sort;			/* the states that were read */
	const Datum *row;			/* the next of them, NULL for none */

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

/* SmTakeFile: sort the states of a file. */
static void
take_states(void *arg, TupleTableSlot *row)
{
	SmPast	   *past = arg;
	SmFile		file;
	const SmFile *found;

	sm_file_from_row(&file, row);
	found = sm_file_list_find(past->target->list, file.name);
	if (found && file.shown && can_be_states(file.shown, found))
	{
		Datum	   *values = sm_sort_row(&past->sort);

		values[STATES_FILE] = Int64GetDatum(found->number);
		values[STATES_SHOWN] = PointerGetDatum(PG_DETOAST_DATUM(PointerGetDatum(file.shown)));
		sm_sort_put(&past->sort);
	}
}

/* Open the states of a file after those opened before.  Damaged states count as none. */
static void
open_states(SmPast *past, int file)
{
	struct varlena *states;

	while (past->row && DatumGetInt64(past->row[STATES_FILE]) < file)
		past->row = sm_sort_next(&past->sort);
	past->file = file;
	past->is_known = false;
	if (past->row == NULL || DatumGetInt64(past->row[STATES_FILE]) > file)
		return;
	states = (struct varlena *) DatumGetPointer(past->row[STATES_SHOWN]);
	past->is_known = sm_shown_open(&past->shown, VARDATA_ANY(states), VARSIZE_ANY_EXHDR(states),
								   past->set->key_type->family, past->space);
	if (past->is_known)
		past->set->old.files[file]->shown_checksum = past->shown.checksum;
}

/* SmBeforeRows: read the states of these files, and begin with the first. */
static void
read_states(void *arg, int first, int end)
{
	static const Oid types[STATES_NCOLUMNS] = {[STATES_FILE] = INT8OID,[STATES_SHOWN] = BYTEAOID};
	SmPast	   *past = arg;
	ArrayBuildState *names = NULL;
	MemoryContext oldcontext;

	sm_past_end(past);
	MemoryContextReset(past->context);
	oldcontext = MemoryContextSwitchTo(past->context);
	sm_sort_begin(&past->sort, STATES_NCOLUMNS, types, STATES_FILE + 1);
	for (int i = first; i < end; i++)
		names = accumArrayResult(names, CStringGetTextDatum(past->set->old.files[i]->name), false,
								 TEXTOID, CurrentMemoryContext);
	if (first < end)
		sm_target_peek(past->target, makeArrayResult(names, CurrentMemoryContext),
					   take_states, past);
	past->row = sm_sort_next(&past->sort);
	open_states(past, first);
	MemoryContextSwitchTo(oldcontext);
}

/* Find the old file in whose range the newest key is, and open its states. */
static void
find_file(SmPast *past)
{
	const SmSet *set = past->set;
	int			file = past->file;

	while (file + 1 < set->old.nfiles &&
		   sm_key_compare(set->key_type, set->old.files[file + 1]->key, set->key) <= 0)
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

/*
 * The time of the run, for the lastmod of pages: at least a second after every file of the
 * section.  So two runs have different times, and no time goes back when the clock does.
 */
static TimestampTz
time_of_run(const SmFileList *list)
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

SmPast *
sm_past_begin(SmSet *set, SmTarget *target)
{
	SmPast	   *past = palloc0_object(SmPast);

	if (!sm_table_has_column(&target->table, SM_FILE_SHOWN))
	{
		target->activity = SM_IN_TARGET;
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("the target table \"%s\" has no column \"shown\"",
						target->table.name->relname),
				 errdetail("A query with a column \"shown\" needs it."),
				 errhint("Add it with ALTER TABLE ... ADD COLUMN shown bytea.")));
	}
	past->set = set;
	past->target = target;
	past->context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish states",
										  ALLOCSET_DEFAULT_SIZES);
	target->now = time_of_run(target->list);
	past->now = (uint32) (target->now / USECS_PER_SEC + SM_POSTGRES_EPOCH);
	past->space = palloc_array(uint32, SM_SHOWN_SPACE);
	set->before_rows = read_states;
	set->writer.find_lastmod = find_lastmod;
	set->past = set->writer.find_lastmod_arg = past;
	return past;
}

void
sm_past_end(SmPast *past)
{
	if (past && past->sort.state)
		sm_sort_end(&past->sort);
}
