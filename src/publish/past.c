/*
 * past.c
 *	  Looks up what the target remembers of the pages of a section.
 *
 * The states of an old file are read when the query's rows come into its range of keys.
 */
#include "postgres.h"

#include "publish/past.h"

#include "utils/memutils.h"
#include "utils/timestamp.h"

struct SmPast
{
	SmSet	   *set;
	SmTarget   *target;

	/* the old file in whose range of keys the newest row is */
	int			file;			/* its number, -1 for none */
	SmShown		shown;			/* its states, if it has any */
	MemoryContext context;		/* for them */
	uint32	   *space;			/* SM_SHOWN_SPACE numbers */
};

/* One byte more than states have: a longer value, which is damaged, is not read whole. */
#define MAX_LEN		(SM_SHOWN_HEADER_LEN + SM_SHOWN_MAX_PAGES * SM_SHOWN_PAGE_LEN + 1)

/* Open the states of an old file.  Damaged states count as none. */
static void
open_states(SmPast *past, int number)
{
	SmOldFile  *file = past->set->old.files[number];
	MemoryContext oldcontext;

	MemoryContextReset(past->context);
	oldcontext = MemoryContextSwitchTo(past->context);
	past->file = number;
	past->shown.pages = NULL;
	sm_target_read(past->target, SM_FILE_SHOWN, &file, 1);
	if (file->value)
	{
		struct varlena *states = PG_DETOAST_DATUM_SLICE(PointerGetDatum(file->value), 0, MAX_LEN);

		if (sm_shown_open(&past->shown, VARDATA(states), VARSIZE(states) - VARHDRSZ,
						  past->set->query.key_type->family, past->space))
			file->shown_checksum = past->shown.checksum;
	}
	file->value = NULL;
	MemoryContextSwitchTo(oldcontext);
}

/* Find the old file in whose range the newest key is, and open its states. */
static void
find_old_file(SmPast *past)
{
	const SmOldFiles *old = &past->set->old;
	SmKeyType  *key_type = past->set->query.key_type;
	Datum		key = past->set->key;
	int			file = Max(past->file, 0);

	while (file + 1 < old->nfiles && sm_key_compare(key_type, old->files[file + 1]->key, key) <= 0)
		file++;
	if (file != past->file && file < old->nfiles)
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

	find_old_file(past);
	if (past->shown.pages == NULL)
		return;
	status = sm_shown_find(&past->shown, page);
	if (status == SM_SHOWN_CHANGED || (status == SM_SHOWN_NEW && page->lastmod == 0))
		page->lastmod = (uint32) (past->target->now / USECS_PER_SEC + SM_POSTGRES_EPOCH);
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
		const SmOldFile *file = list->files[i];

		/* no run wrote a lastmod that leaves no later time in 32 bits */
		if (!TIMESTAMP_NOT_FINITE(file->lastmod) && file->lastmod <= max_lastmod - USECS_PER_SEC)
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
		target->place = target->in_target;
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("the target table \"%s\" has no column \"shown\"",
						target->table.name),
				 errdetail("A query with a column \"shown\" needs it."),
				 errhint("Add it with ALTER TABLE ... ADD COLUMN shown bytea.")));
	}
	/* unless "changes" has put them in order */
	if (set->old.nfiles == 0)
		sm_file_list_order(target->sitemaps, set->query.key_type, &set->old);
	past->set = set;
	past->target = target;
	past->context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish states",
										  ALLOCSET_DEFAULT_SIZES);
	target->now = time_of_run(target->sitemaps);
	past->space = palloc_array(uint32, SM_SHOWN_SPACE);
	past->file = -1;
	set->writer.find_lastmod = find_lastmod;
	set->writer.find_lastmod_arg = past;
	return past;
}

void
sm_past_restart(SmPast *past)
{
	past->file = -1;
	past->shown.pages = NULL;
}
