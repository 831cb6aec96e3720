/*
 * changes.c
 *	  Finds the files of a section that hold a key that changed since the last run, and
 *	  the files that changed without such a key.
 *
 * files/rebuild.c says which files have to be rebuilt, given the files that hold a
 * changed key.  set.c rebuilds them.
 *
 * The statement that names the changes can alter tables and settings, but nothing changes
 * the order and the text of keys (server/key.h).  So its rows are read as they come.  The
 * query is checked again after it.
 */
#include "postgres.h"

#include "publish/changes.h"

#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "server/encoding.h"
#include "server/error.h"
#include "server/query.h"
#include "server/query_tree.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

struct SmChanges
{
	SmReceiver	receiver;		/* receives the rows of the statement; must be
								 * first */
	SmTarget   *target;
	SmSet	   *set;
	const char *statement;
	TimestampTz since;			/* its parameter $1 */
	const char *reason;			/* why files cannot be rebuilt one by one, or
								 * NULL */
	bool		is_volatile;	/* can the statement call volatile functions? */
	bool		has_all;		/* has it returned NULL, for all keys? */
	int			ncolumns;		/* one or two, the first and the last key of a
								 * range */
	Oid			output[2];		/* a column's output function; InvalidOid if
								 * it has the type of the key */
};

/* Raise an error unless the files of the set can be rebuilt one by one. */
static void
require_parts(const SmSet *set)
{
	if (set->query.key_type == NULL)
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

/* What columns the statement may have, in hints. */
#define COLUMNS_HINT "One column is a key. Two columns are the first and the last key of a range."

/*
 * The output function of a column whose values are read from text, as a cast in this session
 * reads them; InvalidOid if they are keys.  All other types than the key's are refused: a cast
 * could lose part of a value, and thereby miss a key.
 */
static Oid
find_output(const SmKeyType *key_type, Form_pg_attribute att)
{
	Oid			base = getBaseType(att->atttypid);
	Oid			output;
	bool		is_varlena;

	if (sm_key_family(base) != key_type->family && !IsBinaryCoercible(base, TEXTOID))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column %d of changes must be of the type of column \"key\", %s, not %s",
						att->attnum, format_type_be(key_type->type),
						format_type_be(att->atttypid)),
				 errhint(COLUMNS_HINT)));
	if (base == key_type->type)
		return InvalidOid;
	getTypeOutputInfo(base, &output, &is_varlena);
	return output;
}

static void
start_statement(SmReceiver *self, TupleDesc desc)
{
	SmChanges  *changes = (SmChanges *) self;

	if (desc->natts < 1 || desc->natts > 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("changes must have one or two columns, not %d", desc->natts),
				 errhint(COLUMNS_HINT)));
	changes->ncolumns = desc->natts;
	for (int i = 0; i < desc->natts; i++)
		changes->output[i] = find_output(changes->set->query.key_type, TupleDescAttr(desc, i));
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
file_of_key(const SmChanges *changes, Datum key)
{
	int			low = 0;
	int			high = changes->set->old.nfiles;

	while (high - low > 1)
	{
		int			middle = (low + high) / 2;

		if (sm_key_compare(changes->set->query.key_type, changes->set->old.files[middle]->key, key) <= 0)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The key in a column of a row, unless it is NULL. */
static Datum
read_key(const SmChanges *changes, const TupleTableSlot *slot, int column)
{
	Oid			output = changes->output[column];
	Datum		value = slot->tts_values[column];

	if (slot->tts_isnull[column] || !OidIsValid(output))
		return value;
	return sm_key_from_text(changes->set->query.key_type, OidOutputFunctionCall(output, value));
}

/* Take a row: a changed key, or a range of changed keys. */
static bool
receive_change(SmReceiver *self, TupleTableSlot *slot)
{
	SmChanges  *changes = (SmChanges *) self;
	SmOldFiles *old = &changes->set->old;
	int			last = changes->ncolumns - 1;
	Datum		from;
	Datum		to;
	bool		has_from;
	bool		has_to;

	slot_getallattrs(slot);
	has_from = !slot->tts_isnull[0];
	has_to = !slot->tts_isnull[last];
	from = read_key(changes, slot, 0);
	to = read_key(changes, slot, last);
	if (has_from && has_to && sm_key_compare(changes->set->query.key_type, from, to) > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid range of changes: %s is greater than %s",
						sm_clip(sm_key_to_text(changes->set->query.key_type, from)),
						sm_clip(sm_key_to_text(changes->set->query.key_type, to))),
				 errhint(COLUMNS_HINT)));
	if (!has_from && !has_to)
		changes->has_all = true;
	if (old->nfiles > 0)
		sm_rebuild_change(old->rebuild, has_from ? file_of_key(changes, from) : 0,
						  has_to ? file_of_key(changes, to) : old->nfiles - 1);
	return true;
}

static void
run_statement(void *arg)
{
	SmChanges  *changes = arg;

	changes->target->place = "in the statement of changes";
	changes->is_volatile = sm_run_changes(&changes->set->query, changes->statement, changes->since,
										  &changes->receiver.dest);
	changes->target->place = NULL;
}

/*
 * Why the section's files cannot be rebuilt one by one, or NULL.  no_order: why they are not
 * in the order of their keys, or NULL.
 */
static const char *
find_reason(const SmChanges *changes, const char *no_order)
{
	const SmFileList *list = changes->target->sitemaps;

	for (int i = 0; i < list->nfiles; i++)
	{
		const SmOldFile *file = list->files[i];

		if (!file->has_content)
			return psprintf("file \"%s\" has no content", file->name);
		if (file->first_key && (file->recipe == NULL || strcmp(file->recipe, changes->set->recipe) != 0))
			return "the query, a view that it reads, an option, or the type of the key has changed";
	}
	return no_order;
}

SmChanges *
sm_changes_read(SmTarget *target, SmSet *set, const char *statement, TimestampTz since)
{
	SmChanges  *changes = palloc0_object(SmChanges);
	const char *no_order;

	require_parts(set);
	sm_receiver_init(&changes->receiver, start_statement, receive_change);
	changes->target = target;
	changes->set = set;
	changes->statement = statement;
	changes->since = since;
	no_order = sm_file_list_order(target->sitemaps, set->query.key_type, &set->old);
	init_rebuild(&set->old);
	run_statement(changes);
	sm_set_analyze_again(set);
	changes->reason = find_reason(changes, no_order);
	return changes;
}

const char *
sm_changes_rebuild(SmChanges *changes)
{
	if (changes->reason)
		return changes->reason;
	if (changes->has_all)
		return "\"changes\" returned NULL, which stands for all keys";
	return sm_set_rebuild(changes->set);
}

/* Count the files in stretches without an announced key.  first: set to the first of them. */
static int
count_missed(const SmOldFiles *old, const SmOldFile **first)
{
	int			count = 0;
	int			end;			/* of the stretch */

	sm_rebuild_mark(old->rebuild, old->nfiles);
	for (int begin = 0; begin < old->nfiles; begin = end + 1)
	{
		bool		is_announced = begin > 0 && old->rebuild[begin - 1].changed;

		for (end = begin; end < old->nfiles && old->files[end]->fate < SM_OLD_SAME_DOCUMENT; end++)
			is_announced = is_announced || old->rebuild[end].changed;
		if (is_announced)
			continue;
		if (count == 0)
			*first = old->files[begin];
		count += end - begin;
	}
	return count;
}

int
sm_changes_count_missed(SmChanges *changes)
{
	const SmOldFile *first = NULL;
	int			count;
	ErrorData  *error;

	if (changes->reason || changes->is_volatile || sm_query_has_limit(&changes->set->query))
		return -1;
	count = count_missed(&changes->set->old, &first);
	if (count == 0)
		return 0;

	/*
	 * What was committed between the snapshots of the statement and of the
	 * query is in the files, and its keys are still to be read.
	 */
	error = sm_try(run_statement, changes, false);
	changes->target->place = NULL;
	if (error && sm_is_cancel(error))
		ReThrowError(error);
	if (error)
		return -1;
	count = count_missed(&changes->set->old, &first);
	if (count > 0)
		ereport(NOTICE,
				(errmsg_plural("%d file of section \"%s\" changed, but \"changes\" returned none of its keys",
							   "%d files of section \"%s\" changed, but \"changes\" returned none of their keys",
							   count, count, changes->target->section),
				 errdetail("The first is \"%s\", whose keys begin with %s.", first->name,
						   sm_clip(first->first_key)),
				 errhint("Watch every table that the query reads.")));
	return count;
}
