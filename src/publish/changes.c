/*
 * changes.c
 *	  Finds the files of a section that hold a key that changed since the last run.
 *
 * core/rebuild.c says which files have to be rebuilt, given the files that hold a
 * changed key.  set.c rebuilds them.
 *
 * The statement that names the changes can alter tables, types and settings.  So its
 * rows wait in a tuplestore until it has ended.  Then the query is checked again, and
 * the first keys of the files are read.  The row types of the keys and of the
 * statement's columns are held meanwhile: altering them is an error (server/key.h).
 */
#include "postgres.h"

#include "publish/changes.h"

#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "server/query.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

/* Receives the rows of the statement. */
typedef struct Statement
{
	SmReceiver	receiver;		/* must be first */
	TupleDesc	desc;			/* NULL until it begins to run */
	Tuplestorestate *rows;
	List	   *held;			/* types of its columns (sm_hold_type) */
} Statement;

/* How a column of the statement is read as a key. */
typedef enum ColumnKind
{
	COLUMN_KEY,					/* has the type of column key */
	COLUMN_TEXT,				/* text that the user wrote */
	COLUMN_OTHER				/* is converted to text first */
} ColumnKind;

typedef struct ChangeColumn
{
	ColumnKind	kind;
	FmgrInfo	output;
} ChangeColumn;

/* The keys of the set, and its old files. */
typedef struct Changes
{
	SmKeyType  *key_type;
	SmOldFiles *old;
} Changes;

static void
check_set(const SmSet *set)
{
	if (set->key_type == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("changes need a column \"key\" in the query"),
				 errhint("Add a column \"key\", and order the rows by it.")));
	if (!set->options->stable)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("changes need a stable split"),
				 errdetail("With split => 'full', adding or deleting a row changes all later files."),
				 errhint("Publish with split => 'stable'.")));
}

static void
start_statement(SmReceiver *self, TupleDesc desc)
{
	Statement  *statement = (Statement *) self;

	if (desc->natts < 1 || desc->natts > 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("changes must have one or two columns, not %d", desc->natts),
				 errhint("One column is a key. Two columns are the first and the last key of a range.")));
	statement->desc = CreateTupleDescCopy(desc);
	for (int i = 0; i < desc->natts; i++)
	{
		Oid			pseudo_type;

		statement->held = sm_hold_type(statement->held, TupleDescAttr(desc, i)->atttypid,
									   InvalidOid);
		pseudo_type = sm_find_pseudo_type(statement->held);
		if (OidIsValid(pseudo_type))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column %d of changes must not be of the pseudo-type %s", i + 1,
							format_type_be(pseudo_type)),
					 errhint("Cast the column to the type of column \"key\" of the query, or to text.")));
	}
}

static bool
store_change(SmReceiver *self, TupleTableSlot *slot)
{
	Statement  *statement = (Statement *) self;
	Datum		values[2];

	/* the statement may drop a table that large values are in */
	slot_getallattrs(slot);
	for (int i = 0; i < statement->desc->natts; i++)
	{
		values[i] = slot->tts_values[i];
		if (!slot->tts_isnull[i] && TupleDescAttr(statement->desc, i)->attlen == -1)
			values[i] = PointerGetDatum(PG_DETOAST_DATUM_PACKED(values[i]));
	}
	tuplestore_putvalues(statement->rows, statement->desc, values, slot->tts_isnull);
	return true;
}

/* Run the statement, which may write. */
static void
run_statement(Statement *statement, const char *text)
{
	sm_receiver_init(&statement->receiver, start_statement, store_change);
	statement->rows = tuplestore_begin_heap(false, false, work_mem);
	sm_run_changes(text, &statement->receiver.dest);
}

/* Why the section's files cannot be rebuilt one by one, or NULL. */
static const char *
check_files(const SmFileList *list, const char *recipe)
{
	for (int i = 0; i < list->nfiles; i++)
	{
		const SmFile *file = list->files[i];

		if (!file->of_section)
			continue;
		if (!file->has_content)
			return psprintf("file \"%s\" has no content", file->name);
		if (file->first_key && strcmp(file->recipe, recipe) != 0)
			return "the query, an option, or what decides the order of keys has changed";
	}
	return NULL;
}

/* Prepare to mark the old files that hold a changed key. */
static void
init_rebuild(SmOldFiles *old)
{
	old->rebuild = palloc_extended(old->nfiles * sizeof(SmRebuildFile),
								   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (int i = 0; i < old->nfiles; i++)
	{
		old->rebuild[i].url_count = Max(old->files[i]->url_count, 0);
		old->rebuild[i].byte_count = Max(old->files[i]->byte_count, 0);
	}
}

/* Find the file that a key belongs to: the last whose first key is not greater. */
static int
find_file(const Changes *changes, Datum key)
{
	int			low = 0;
	int			high = changes->old->nfiles;

	while (high - low > 1)
	{
		int			middle = (low + high) / 2;

		if (sm_key_compare(changes->key_type, changes->old->files[middle]->key, key) <= 0)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Describe a column of the statement. */
static void
describe_column(const Changes *changes, Oid type, ChangeColumn *column)
{
	Oid			base;
	Oid			output;
	bool		is_varlena;
	char		category;
	bool		preferred;

	/* the statement can drop any type but row types, which are held */
	if (!SearchSysCacheExists1(TYPEOID, ObjectIdGetDatum(type)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("changes dropped the type of a column that it returned")));
	base = getBaseType(type);
	get_type_category_preferred(base, &category, &preferred);
	column->kind = base == changes->key_type->type ? COLUMN_KEY :
		category == TYPCATEGORY_STRING ? COLUMN_TEXT : COLUMN_OTHER;
	getTypeOutputInfo(base, &output, &is_varlena);
	fmgr_info(output, &column->output);
}

/* Convert a value that the statement returned to a key. */
static Datum
read_key(const Changes *changes, ChangeColumn *column, Datum value)
{
	if (column->kind == COLUMN_KEY)
		return value;
	return sm_key_from_text(changes->key_type, OutputFunctionCall(&column->output, value));
}

/* Take a range of changed keys. */
static void
take_change(const Changes *changes, ChangeColumn *columns, int ncolumns, TupleTableSlot *slot)
{
	int			last = ncolumns - 1;
	bool		has_from = !slot->tts_isnull[0];
	bool		has_to = !slot->tts_isnull[last];
	Datum		from = has_from ? read_key(changes, &columns[0], slot->tts_values[0]) : (Datum) 0;
	Datum		to = has_to ? read_key(changes, &columns[last], slot->tts_values[last]) : (Datum) 0;

	if (has_from && has_to && sm_key_compare(changes->key_type, from, to) > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid range of changes: %s is greater than %s",
						sm_clip(sm_key_to_text(changes->key_type, from)),
						sm_clip(sm_key_to_text(changes->key_type, to)))));
	if (changes->old->nfiles > 0)
		sm_rebuild_change(changes->old->rebuild, has_from ? find_file(changes, from) : 0,
						  has_to ? find_file(changes, to) : changes->old->nfiles - 1);
}

/* Take all rows that the statement returned. */
static void
take_changes(const Changes *changes, const Statement *statement)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(statement->desc, &TTSOpsMinimalTuple);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish change",
												  ALLOCSET_DEFAULT_SIZES);
	ChangeColumn columns[2] = {0};
	int			ncolumns = statement->desc->natts;
	int			level;

	for (int i = 0; i < ncolumns; i++)
		describe_column(changes, TupleDescAttr(statement->desc, i)->atttypid, &columns[i]);

	/*
	 * If a column is neither of the key's type nor text, its values become
	 * text here, and both columns are read with our settings.  Otherwise they
	 * are read with the user's.
	 */
	if (columns[0].kind == COLUMN_OTHER || columns[ncolumns - 1].kind == COLUMN_OTHER)
		level = sm_fix_text_settings();
	else
		level = sm_fix_input_settings();
	while (tuplestore_gettupleslot(statement->rows, true, false, slot))
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(context);

		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(slot);
		take_change(changes, columns, ncolumns, slot);
		MemoryContextSwitchTo(oldcontext);
		MemoryContextReset(context);
	}
	sm_restore_settings(level);
	ExecDropSingleTupleTableSlot(slot);
	MemoryContextDelete(context);
}

const char *
sm_changes_read(const char *text, SmSet *set, const SmFileList *list,
				SmOldFiles *old)
{
	Changes		changes = {.old = old};
	Statement	statement = {0};
	const char *reason;
	const char *order_reason;

	check_set(set);
	run_statement(&statement, text);
	sm_set_check_query(set);
	changes.key_type = set->key_type;
	reason = check_files(list, set->recipe);
	order_reason = sm_file_list_order(list, changes.key_type, old);
	init_rebuild(old);
	if (statement.desc)
		take_changes(&changes, &statement);
	tuplestore_end(statement.rows);
	sm_release_types(statement.held);
	return reason ? reason : order_reason;
}
