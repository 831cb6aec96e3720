/*
 * changes.c
 *	  Makes again only the files of a section that changed since the last run.
 *
 * A stable split ends a file at a row that depends only on the file's window: the
 * rows from its first row to the first row that does not fit (split.c).  So a file
 * has to be made again if it holds a changed key, or if its window reaches a file
 * that does.  The window of a file h reaches a later file f if the files from h to
 * the one before f fit into one file together.  With files of at most 50 URLs:
 *
 *		file		a		b		c		d		e
 *		first key	1		48		91		140		182
 *		URLs		47		43		49		42		46
 *
 * A change of key 150 touches d.  The window of c has its own 49 URLs and 2 of d, so
 * c is made again, too.  The window of b, its 43 URLs and 8 of c, ends in c, so b
 * stays.  The query is run for keys from 91 on.  Suppose that c ends where it did.
 * The end of d is known after the first row that does not fit into d, which is a row
 * of e.  If d ends right before key 182, where e begins, then e and all later files
 * stay.  If d ends elsewhere, more files are made, until one ends right before the
 * first key of a file that is not touched.
 *
 * A file that stays has the same window as before, so a full run would make the
 * same file.
 */
#include "postgres.h"

#include "publish/changes.h"

#include "access/xact.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "server/query.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/resowner.h"

/* A file of the section, in the order of the set. */
typedef struct ChangedFile
{
	const SmPublished *published;
	Datum		first_key;
	int			changed_end;	/* number after the last file that ranges of
								 * changes that begin in this file reach; 0 if
								 * none begins here */
	bool		touched;		/* the file has to be made again */
	bool		kept;
} ChangedFile;

/* A column that the statement returns. */
typedef struct ChangeColumn
{
	bool		is_key;			/* has the type of column key */
	FmgrInfo	output;
} ChangeColumn;

struct SmChanges
{
	SmReceiver	receiver;		/* must be first */
	SmKeyType  *key_type;
	int			ncolumns;
	ChangeColumn columns[2];

	bool		everything;		/* all files have to be made again */
	ChangedFile *files;
	int			nfiles;
	int			next;			/* the first file that the range has not
								 * passed */
	bool		stopped;		/* the range ended before file next */
};

static void
check_set(const SmSet *set, const SmOptions *options)
{
	if (sm_set_key_type(set) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("changes need a column \"key\" in the query"),
				 errhint("Add a column \"key\", and order the rows by it.")));
	if (!options->stable)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("changes need a stable split"),
				 errdetail("With split => 'full', adding or deleting a row changes all later files."),
				 errhint("Publish with split => 'stable'.")));
}

static int
compare_files(const void *a, const void *b, void *arg)
{
	return sm_key_compare(arg, ((const ChangedFile *) a)->first_key,
						  ((const ChangedFile *) b)->first_key);
}

/* Read the first keys of the files. */
static void
read_first_keys(SmChanges *changes)
{
	int			level = sm_key_begin_text();

	for (int i = 0; i < changes->nfiles; i++)
		changes->files[i].first_key =
			sm_key_from_text(changes->key_type, changes->files[i].published->first_key);
	sm_key_end_text(level);
}

/*
 * Read the first keys in a subtransaction, since most types raise an error for
 * text that they cannot read.  Returns false for such text.
 */
static bool
try_first_keys(SmChanges *changes)
{
	MemoryContext oldcontext = CurrentMemoryContext;
	ResourceOwner oldowner = CurrentResourceOwner;
	volatile bool ok = true;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(oldcontext);
	PG_TRY();
	{
		read_first_keys(changes);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;
		int			category;

		MemoryContextSwitchTo(oldcontext);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		category = ERRCODE_TO_CATEGORY(error->sqlerrcode);
		if (category != ERRCODE_TO_CATEGORY(ERRCODE_DATA_EXCEPTION) &&
			category != ERRCODE_TO_CATEGORY(ERRCODE_FEATURE_NOT_SUPPORTED) &&
			category != ERRCODE_TO_CATEGORY(ERRCODE_UNDEFINED_OBJECT))
			ReThrowError(error);
		ok = false;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(oldcontext);
	CurrentResourceOwner = oldowner;
	return ok;
}

/*
 * Sort the files of the section by their first keys.  Returns false if all files
 * have to be made again.
 */
static bool
find_files(SmChanges *changes, const SmTarget *target, const SmOptions *options,
		   const char *recipe)
{
	changes->files = palloc_extended(target->nfiles * sizeof(ChangedFile),
									 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (int i = 0; i < target->nfiles; i++)
	{
		const SmPublished *file = &target->files[i];

		if (!sm_published_is_own(file, options->section))
			continue;
		if (!file->has_content || file->first_key == NULL ||
			strcmp(file->recipe, recipe) != 0)
			return false;
		changes->files[changes->nfiles++].published = file;
	}
	if (changes->nfiles == 0 || !try_first_keys(changes))
		return false;

	qsort_arg(changes->files, changes->nfiles, sizeof(ChangedFile), compare_files,
			  changes->key_type);
	for (int i = 1; i < changes->nfiles; i++)
		if (compare_files(&changes->files[i - 1], &changes->files[i], changes->key_type) == 0)
			return false;
	return true;
}

/* Find the file that a key belongs to: the last whose first key is not greater. */
static int
find_file(const SmChanges *changes, Datum key)
{
	int			low = 0;
	int			high = changes->nfiles;

	while (high - low > 1)
	{
		int			middle = (low + high) / 2;

		if (sm_key_compare(changes->key_type, changes->files[middle].first_key, key) <= 0)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void
start(SmReceiver *self, TupleDesc desc)
{
	SmChanges  *changes = (SmChanges *) self;

	if (desc->natts < 1 || desc->natts > 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("changes must have one or two columns, not %d", desc->natts),
				 errhint("One column is a key. Two columns are the first and the last key of a range.")));
	changes->ncolumns = desc->natts;
	for (int i = 0; i < desc->natts; i++)
	{
		Oid			type = getBaseType(TupleDescAttr(desc, i)->atttypid);
		Oid			output;
		bool		is_varlena;

		changes->columns[i].is_key = type == changes->key_type->type;
		getTypeOutputInfo(type, &output, &is_varlena);
		fmgr_info(output, &changes->columns[i].output);
	}
}

/* Convert a value that the statement returned to a key. */
static Datum
read_key(SmChanges *changes, const TupleTableSlot *slot, int column)
{
	Datum		value = slot->tts_values[column];

	if (changes->columns[column].is_key)
		return value;
	return sm_key_from_text(changes->key_type,
							OutputFunctionCall(&changes->columns[column].output, value));
}

/*
 * Record a range of changed keys.  Only its first file is marked, so that the cost
 * does not depend on the number of files between the bounds.
 */
static void
take_change(SmChanges *changes, const TupleTableSlot *slot)
{
	int			last = changes->ncolumns - 1;
	bool		has_from = !slot->tts_isnull[0];
	bool		has_to = !slot->tts_isnull[last];
	Datum		from = has_from ? read_key(changes, slot, 0) : (Datum) 0;
	Datum		to = has_to ? read_key(changes, slot, last) : (Datum) 0;
	ChangedFile *first_file;
	int			last_file;

	if (has_from && has_to && sm_key_compare(changes->key_type, from, to) > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid range of changes: %s is greater than %s",
						sm_key_to_text(changes->key_type, from),
						sm_key_to_text(changes->key_type, to))));
	if (changes->everything)
		return;
	first_file = &changes->files[has_from ? find_file(changes, from) : 0];
	last_file = has_to ? find_file(changes, to) : changes->nfiles - 1;
	first_file->changed_end = Max(first_file->changed_end, last_file + 1);
}

static bool
receive(SmReceiver *self, TupleTableSlot *slot)
{
	SmChanges  *changes = (SmChanges *) self;

	slot_getallattrs(slot);
	take_change(changes, slot);
	return true;
}

/* Run the statement, which may write. */
static void
run_statement(SmChanges *changes, const char *statement)
{
	MemoryContext context = CurrentMemoryContext;
	SPIExecuteOptions options = {.dest = &changes->receiver.dest};
	SPIPlanPtr	plan;
	List	   *sources;
	int			result;

	SPI_connect();
	plan = sm_prepare(statement, 0, NULL, 0);
	sources = SPI_plan_get_plan_sources(plan);
	if (list_length(sources) != 1 ||
		((CachedPlanSource *) linitial(sources))->resultDesc == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_CURSOR_DEFINITION),
				 errmsg("changes must be one statement that returns rows"),
				 errhint("Use SELECT, or DELETE ... RETURNING, and return the keys of the changed rows.")));
	result = SPI_execute_plan_extended(plan, &options);
	if (result < 0)
		elog(ERROR, "SPI_execute_plan_extended failed: %s", SPI_result_code_string(result));
	SPI_finish();
	MemoryContextSwitchTo(context);
}

/*
 * Find the files to make again: files that hold a changed key, and files whose
 * windows reach such a file.  If these are too many, make all files again.
 */
static void
touch_files(SmChanges *changes, const SmSet *set)
{
	int			changed_end = 0;
	int			ntouched = 0;
	int			nbefore = 0;
	int64		url_count = 0;
	int64		byte_count = 0;
	bool		in_reach = false;

	for (int i = 0; i < changes->nfiles; i++)
	{
		changed_end = Max(changed_end, changes->files[i].changed_end);
		changes->files[i].touched = i < changed_end;
	}

	/*
	 * From the last file to the first: add up the files before a changed
	 * file, as long as they fit into one file together.
	 */
	for (int i = changes->nfiles - 1; i >= 0; i--)
	{
		ChangedFile *file = &changes->files[i];

		if (file->touched)
		{
			in_reach = true;
			nbefore = 0;
			url_count = 0;
			byte_count = 0;
		}
		else if (in_reach)
		{
			url_count += file->published->url_count;
			byte_count += file->published->byte_count;
			in_reach = sm_set_fits_one_file(set, ++nbefore, url_count, byte_count);
			file->touched = in_reach;
		}
		ntouched += file->touched;
	}
	if (ntouched > changes->nfiles / 2)
		changes->everything = true;
}

SmChanges *
sm_changes_read(const char *statement, SmSet *set, const SmTarget *target,
				const SmOptions *options)
{
	SmChanges  *changes = palloc0_object(SmChanges);

	check_set(set, options);
	changes->key_type = sm_set_key_type(set);
	sm_receiver_init(&changes->receiver, start, receive);
	changes->everything = !find_files(changes, target, options, sm_set_recipe(set));
	run_statement(changes, statement);
	if (!changes->everything)
		touch_files(changes, set);
	return changes;
}

/*
 * SmStop: does a file that stays begin with this key?  The keys of the calls
 * ascend.
 */
static bool
stop_at(void *arg, Datum key)
{
	SmChanges  *changes = arg;

	for (; changes->next < changes->nfiles; changes->next++)
	{
		const ChangedFile *file = &changes->files[changes->next];
		int			order = sm_key_compare(changes->key_type, file->first_key, key);

		if (order == 0 && !file->touched)
			changes->stopped = true;
		if (order >= 0)
			break;
	}
	return changes->stopped;
}

/*
 * Make the files of a range that begins with a touched file.  Run the query for the
 * touched files and one more, in which the window of the last touched file mostly
 * ends.  As long as the range has not ended, run the query for the files that come next:
 * the touched ones, and the one after them.
 */
static void
make_range(SmChanges *changes, SmSet *set, int first)
{
	int			from = first;
	bool		goes_on = true;

	changes->next = first + 1;
	changes->stopped = false;
	sm_set_begin_range(set, stop_at, changes);
	while (goes_on)
	{
		const ChangedFile *files = changes->files;
		int			to = from;

		while (to < changes->nfiles && files[to].touched)
			to++;
		to++;
		goes_on = sm_set_make_range(set, from > 0 ? &files[from].first_key : NULL,
									to < changes->nfiles ? &files[to].first_key : NULL);
		from = to;
	}
	if (!changes->stopped)
		changes->next = changes->nfiles;
}

bool
sm_changes_make(SmChanges *changes, SmSet *set)
{
	int			i = 0;

	if (changes->everything)
		return false;
	while (i < changes->nfiles)
	{
		ChangedFile *file = &changes->files[i];

		if (file->touched)
		{
			make_range(changes, set, i);
			i = changes->next;
			continue;
		}
		if (!sm_set_keep_file(set, file->published->name))
			return false;
		file->kept = true;
		i++;
	}
	return true;
}

int64
sm_changes_keep(const SmChanges *changes, const SmTarget *target)
{
	int64		url_count = 0;

	for (int i = 0; i < changes->nfiles; i++)
	{
		const ChangedFile *file = &changes->files[i];
		SmPublished *now;

		if (!file->kept)
			continue;
		now = sm_target_find(target, file->published->name);
		if (now == NULL || !sm_published_is_same(now, file->published))
			sm_target_changed(target, file->published->name);
		now->kept = true;
		url_count += now->url_count;
	}
	return url_count;
}
