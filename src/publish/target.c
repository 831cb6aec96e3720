/*
 * target.c
 *	  The locks of a run, and its statements on the target.
 *
 * Locks, in the order in which a run takes them:
 *
 *	1. The section's lock (server/lock.h), held to the end of the transaction.  Runs of
 *	   one section queue up here before they take a snapshot, so no run reads older rows
 *	   than the run before it.
 *	2. AccessShareLock on the table, to check it and to read the files, released at
 *	   once.  So the table can be altered while the query runs, and an ALTER that
 *	   waits for a run does not stop readers for as long as the query takes.
 *	3. The site's lock, taken after the query and held to the end of the transaction.
 *	   Under this lock the files of the site are read again and compared with the new
 *	   ones.
 *	4. RowExclusiveLock on the table, as INSERT, UPDATE and DELETE take it, held to
 *	   the end of the transaction.  It conflicts neither with runs of other sites
 *	   nor with VACUUM.
 *
 * A feed is locked in the same way: AccessShareLock before the query, RowExclusiveLock
 * after it.
 *
 * A transaction that publishes two sections of a site holds lock 3 when it waits for lock
 * 1 of the second section.  If another session runs the second section, it holds its lock
 * 1 and waits for lock 3.  PostgreSQL ends such a deadlock with 40P01 in one of them.
 *
 * Statements on the target run through SPI with the caller's privileges, and fire
 * triggers.  Each names one table and has its values as parameters, which foreign
 * partitions and sharded tables support.  A tuplestore registered as a named relation
 * would do without batches, but Citus cannot join it with a sharded table.
 *
 * Content, which foreign partitions would have to send, is read only for a feed, and
 * states of pages only for a query with a column "shown".
 */
#include "postgres.h"

#include "publish/target.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "server/error.h"
#include "server/lock.h"
#include "server/query.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

static const SmTable target_table = {
	.what = "target table",
	.columns = sm_file_columns,
	.ncolumns = SM_FILE_NCOLUMNS,
	.hint = "Create the target with CREATE TABLE ... OF sitemap_file (PRIMARY KEY (base_url, name))."
};

/*
 * Raise an error unless the relation is a table that the caller may publish
 * in.
 */
static void
check_table(const SmTarget *target)
{
	Relation	rel = target->table.rel;
	const AclMode needed = ACL_SELECT | ACL_INSERT | ACL_UPDATE | ACL_DELETE;
	Oid			relid = RelationGetRelid(rel);

	if (pg_class_aclmask(relid, GetUserId(), needed, ACLMASK_ALL) != needed)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for table %s", RelationGetRelationName(rel)),
				 errdetail("Publishing in a table needs the privileges SELECT, INSERT, UPDATE and DELETE.")));
	sm_table_check_kind(&target->table);
	sm_table_check_row_security(&target->table);
	if (!RelationUsesLocalBuffers(rel))
		PreventCommandIfReadOnly(target->function);

	/*
	 * a statement that is reading or writing the table would see some of our
	 * changes, and not others
	 */
	if (rel->rd_refcnt != (rel->rd_isnailed ? 2 : 1))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("cannot publish in \"%s\" because it is being used by active queries in this session",
						RelationGetRelationName(rel))));
}

SmTarget *
sm_target_create(Oid relid, const SmUrlBase *base, const char *section, const char *function)
{
	SmTarget   *target = palloc0_object(SmTarget);

	target->table = target_table;
	target->table.relid = relid;
	target->label = get_rel_name(relid);
	target->label = target->label == NULL ? psprintf("%u", relid) :
		psprintf("%s.%s", get_namespace_name(get_rel_namespace(relid)), target->label);
	target->section = section;
	target->base_url = pnstrdup(base->url[SM_FORM_PLAIN], base->len[SM_FORM_PLAIN]);
	target->of_site = psprintf("file.base_url OPERATOR(pg_catalog.=) %s",
							   quote_literal_cstr(target->base_url));
	target->function = function;
	target->now = DT_NOBEGIN;
	target->context = CurrentMemoryContext;
	target->table_context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish table",
												  ALLOCSET_SMALL_SIZES);
	target->owner = CurrentResourceOwner;
	PreventCommandDuringRecovery(function);
	SPI_connect();
	MemoryContextSwitchTo(target->context);
	return target;
}

/* Receives files of the target, and passes them on. */
typedef struct Reader
{
	SmReceiver	receiver;		/* must be first */
	SmTakeFile	take;
	void	   *arg;
} Reader;

/*
 * Raise an error unless the columns have the types of sitemap_file.  If the target's schema
 * is renamed now, its name can find another table.
 */
static void
check_types(SmReceiver *self, TupleDesc desc)
{
	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
		if (TupleDescAttr(desc, i)->atttypid != sm_file_columns[i].type)
			elog(ERROR, "column \"%s\" of the target has another type than before",
				 sm_file_columns[i].name);
}

static bool
receive_file(SmReceiver *self, TupleTableSlot *row)
{
	Reader	   *reader = (Reader *) self;

	reader->take(reader->arg, row);
	return true;
}

/* Run a SELECT for files, with the active snapshot or a new one. */
static void
select_files(const SmTarget *target, const char *statement, ParamListInfo params,
			 bool active_snapshot, SmTakeFile take, void *arg)
{
	Reader		reader = {.take = take,.arg = arg};
	SPIExecuteOptions options = {.params = params,.read_only = active_snapshot,
	.dest = &reader.receiver.dest};
	MemoryContext context = CurrentMemoryContext;

	sm_receiver_init(&reader.receiver, check_types, receive_file);

	/*
	 * temporary files of a sort that gets the rows outlive the subtransaction
	 * of a peek
	 */
	reader.receiver.owner = target->owner;
	SPI_execute_extended(statement, &options);
	MemoryContextSwitchTo(context);
	MemoryContextDelete(reader.receiver.row_context);
}

#define NO_BYTES	"NULL::pg_catalog.bytea"

/* SELECT for the files of the site, with expressions for their states and content. */
static char *
make_select(const SmTarget *target, const char *shown, const char *content)
{
	StringInfoData statement;

	initStringInfo(&statement);
	for (int i = 0; i < SM_FILE_SHOWN; i++)
		appendStringInfo(&statement, "%s %s", i == 0 ? "SELECT" : ",", sm_file_columns[i].name);
	appendStringInfo(&statement, ", %s, %s FROM %s AS file WHERE %s", shown, content,
					 target->table.sql_name, target->of_site);
	return statement.data;
}

/* Read the files of these names, a text[], and pass them on. */
static void
read_named(const SmTarget *target, const char *shown, const char *content, Datum names,
		   SmTakeFile take, void *arg)
{
	ParamListInfo params = makeParamList(1);

	params->params[0].value = names;
	params->params[0].isnull = false;
	params->params[0].pflags = PARAM_FLAG_CONST;
	params->params[0].ptype = TEXTARRAYOID;

	sm_table_check_name(&target->table);
	select_files(target, psprintf("%s AND name OPERATOR(pg_catalog.=) ANY ($1)",
								  make_select(target, shown, content)),
				 params, false, take, arg);
}

/*
 * The SELECT for the list.  Of the content, the list only needs whether it is NULL.  A
 * foreign partition would send the content for that test in an output column, but not in
 * WHERE.
 */
static char *
select_all(const SmTarget *target)
{
	if (!target->table.rel->rd_rel->relhassubclass)
		return make_select(target, NO_BYTES,
						   "CASE WHEN content IS NULL THEN NULL ELSE ''::pg_catalog.bytea END");
	return psprintf("%s AND content IS NULL UNION ALL %s AND content IS NOT NULL",
					make_select(target, NO_BYTES, NO_BYTES),
					make_select(target, NO_BYTES, "''::pg_catalog.bytea"));
}

/* Read the files of the site, with the active snapshot or a new one. */
static SmFileList *
read_files(SmTarget *target, bool active_snapshot)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(target->context);
	SmFileList *list = sm_file_list_create(target->section);
	const char *twice;

	select_files(target, select_all(target), NULL, active_snapshot, sm_file_list_add, list);
	MemoryContextSwitchTo(oldcontext);

	twice = sm_file_list_sort(list);
	if (sm_file_list_find(list, ""))
		ereport(ERROR,
				(errcode(ERRCODE_NOT_NULL_VIOLATION),
				 errmsg("the target table \"%s\" has a file without a name",
						target->table.name->relname)));
	if (twice)
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION),
				 errmsg("the target table \"%s\" has more than one file named \"%s\"",
						target->table.name->relname, sm_clip(twice)),
				 errhint("Give it a primary key: PRIMARY KEY (base_url, name).")));
	return list;
}

/* Is an index unique and on name alone? */
static bool
is_for_one_site(Relation index)
{
	Form_pg_index form = index->rd_index;

	return form->indisunique && form->indnkeyatts == 1 &&
		form->indkey.values[0] == get_attnum(form->indrelid, "name") &&
		RelationGetIndexPredicate(index) == NIL;
}

/* Raise an error if the table is for one site, and has files of another. */
static void
check_site(const SmTarget *target)
{
	if (!OidIsValid(sm_find_index(target->table.rel, is_for_one_site)))
		return;
	SPI_execute(psprintf("SELECT base_url FROM %s AS file WHERE NOT (%s) LIMIT 1",
						 target->table.sql_name, target->of_site),
				false, 0);
	if (SPI_processed > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("base_url \"%s\" is not that of the target's other files", target->base_url),
				 errdetail("The target table \"%s\" has files of \"%s\", and its names are unique.",
						   target->table.name->relname,
						   sm_clip(SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1))),
				 errhint("For many sites in one table, use PRIMARY KEY (base_url, name).")));
}

/* Open and check the table with a lock. */
static void
open_target(SmTarget *target, LOCKMODE lockmode)
{
	MemoryContext oldcontext;

	MemoryContextReset(target->table_context);
	oldcontext = MemoryContextSwitchTo(target->table_context);
	sm_table_open(&target->table, lockmode);
	check_table(target);
	sm_table_check_columns(&target->table);
	check_site(target);
	MemoryContextSwitchTo(oldcontext);
}

/* What to read in a subtransaction. */
typedef struct Peek
{
	SmTarget   *target;
	Datum		names;			/* read these files, a text[], with their
								 * states; or, if 0, the list of all files */
	SmTakeFile	take;			/* receives the named files */
	void	   *arg;
} Peek;

static void
read_peek(void *arg)
{
	Peek	   *peek = arg;
	SmTarget   *target = peek->target;

	open_target(target, AccessShareLock);
	if (peek->names)
		read_named(target, "shown", NO_BYTES, peek->names, peek->take, peek->arg);
	else
		target->list = read_files(target, false);
	relation_close(target->table.rel, NoLock);
}

void
sm_target_peek(SmTarget *target, Datum names, SmTakeFile take, void *arg)
{
	Peek		peek = {.target = target,.names = names,.take = take,.arg = arg};
	ErrorData  *error;

	/* to release the locks that reading took */
	target->activity = SM_IN_TARGET;
	error = sm_try_and_undo(read_peek, &peek);
	if (error)
		ReThrowError(error);
	target->activity = SM_IN_QUERY;
}

void
sm_target_lock_section(SmTarget *target)
{
	LOCKTAG		lock = sm_section_lock(target->table.relid, target->base_url, target->section);

	sm_lock(&lock);
	sm_target_peek(target, (Datum) 0, NULL, NULL);
}

/* Raise an error: another transaction changed the target, or this file of it. */
pg_noreturn static void
changed_meanwhile(const SmTarget *target, const SmFile *file)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not serialize access due to concurrent update of the target table \"%s\"",
					target->table.name->relname),
			 file ? errdetail("File \"%s\" was changed while the query ran.", file->name) : 0,
			 file ? errhint("Publish again.") : 0));
}

/*
 * Raise an error if the transaction's snapshot is older than the last run, and so does
 * not see the files that it wrote.
 */
static void
check_serializable(SmTarget *target)
{
	SmFileList *latest;

	PushActiveSnapshot(GetLatestSnapshot());
	latest = read_files(target, true);
	PopActiveSnapshot();

	if (!sm_file_lists_are_equal(latest, target->list))
		changed_meanwhile(target, NULL);
	MemoryContextDelete(latest->context);
}

/*
 * Prepare the batches.  Updates find their rows by base_url and name, and do not set
 * these: a cluster that is sharded by them would refuse that.
 */
static void
init_batches(SmTarget *target)
{
	const SmTable *table = &target->table;
	StringInfoData settings;

	initStringInfo(&settings);
	for (int i = 0; i < SM_FILE_CONTENT; i++)
		if (i != SM_FILE_BASE_URL && i != SM_FILE_NAME && sm_table_has_column(table, i))
			appendStringInfo(&settings, "%s = new.%s, ", sm_file_columns[i].name,
							 sm_file_columns[i].name);

	sm_batch_init_insert(&target->inserts, table, true);
	sm_batch_init(&target->updates,
				  psprintf("UPDATE %s AS file SET %s content = COALESCE(new.content, file.content) FROM (%s) AS new"
						   " WHERE file.name OPERATOR(pg_catalog.=) new.name AND %s"
						   " AND file.name OPERATOR(pg_catalog.=) ANY ($%d)",
						   table->sql_name, settings.data,
						   sm_batch_subquery(table),
						   target->of_site, SM_FILE_NAME + 1),
				  true, sm_file_columns, SM_FILE_NCOLUMNS);
	sm_batch_init(&target->deletions,
				  psprintf("DELETE FROM %s AS file WHERE %s AND name OPERATOR(pg_catalog.=) ANY ($1)",
						   table->sql_name, target->of_site),
				  true, &sm_file_columns[SM_FILE_NAME], 1);
}

/*
 * Mark the files that were found to be in the new set before the files were read again.
 * Raises an error unless they are as they were.
 */
static void
mark_again(const SmTarget *target, const SmFileList *before)
{
	for (int i = 0; i < before->nfiles; i++)
	{
		const SmFile *file = before->files[i];
		SmFile	   *current;

		if (!file->stays)
			continue;
		current = sm_file_list_find(target->list, file->name);
		if (current == NULL || !sm_file_is_unchanged(current, file) ||
			!sm_file_has_same_key(current, file))
			changed_meanwhile(target, file);
		current->stays = true;
	}
}

void
sm_target_lock(SmTarget *target)
{
	LOCKTAG		lock = sm_site_lock(target->table.relid, target->base_url);
	SmFileList *before = target->list;

	target->activity = SM_IN_TARGET;
	sm_lock(&lock);
	open_target(target, RowExclusiveLock);
	init_batches(target);
	target->list = read_files(target, false);
	if (IsolationUsesXactSnapshot())
		check_serializable(target);
	if (before)
	{
		mark_again(target, before);
		MemoryContextDelete(before->context);
	}

	/* set under the lock, to be later than the times of any earlier run */
	target->now = target->run_at = Max(GetCurrentTimestamp(), target->now);
	for (int i = 0; i < target->list->nfiles; i++)
	{
		TimestampTz lastmod = target->list->files[i]->lastmod;

		if (!TIMESTAMP_NOT_FINITE(lastmod) && IS_VALID_TIMESTAMP(lastmod + 1))
			target->run_at = Max(target->run_at, lastmod + 1);
	}
}

/* SmTakeFile: give the feed the old and the new version of a file that waits. */
static void
compare_file(void *arg, TupleTableSlot *row)
{
	const SmTarget *target = arg;
	SmFile		old;
	SmFile	   *listed;

	sm_file_from_row(&old, row);
	listed = sm_file_list_find(target->list, old.name);
	if (listed)
		sm_feed_compare(target->feed, &old, listed->replacement);
}

void
sm_target_flush(SmTarget *target)
{
	if (target->compared)
		read_named(target, NO_BYTES, "content",
				   makeArrayResult(target->compared, CurrentMemoryContext),
				   compare_file, target);
	target->compared = NULL;
	sm_batch_flush(&target->inserts);
	sm_batch_flush(&target->updates);
	sm_batch_flush(&target->deletions);
}

/* Write the files that wait, if a batch is full. */
static void
flush_full(SmTarget *target)
{
	if (sm_batch_is_full(&target->inserts) || sm_batch_is_full(&target->updates) ||
		sm_batch_is_full(&target->deletions))
		sm_target_flush(target);
}

/* Let the feed compare a file that waits, before the target's version is lost. */
static void
compare_later(SmTarget *target, const SmFile *file)
{
	target->compared = accumArrayResult(target->compared, CStringGetTextDatum(file->name),
										false, TEXTOID, target->context);
}

/*
 * Raise an error unless a file may replace old, the file of that name: both are
 * indexes, or both are of the section, and no other program makes old.
 */
static void
check_owner(const SmTarget *target, const SmFile *old, const SmFile *file)
{
	if (sm_file_is_index(file) ? sm_file_is_index(old) && old->digest[0] != '\0' :
		old->of_section)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DUPLICATE_OBJECT),
			 errmsg("section \"%s\" cannot have a file named \"%s\"", file->section, old->name),
			 errdetail("In the target table \"%s\", section \"%s\" has a file of that name.",
					   target->table.name->relname, old->section),
			 errhint("Publish one of the sections under another name.")));
}

/*
 * The lastmod of a file that the run changes: the time of the run, but at least one
 * second after the old lastmod.  So lastmod does not go back when the clock does, and
 * the index always changes, although lastmod has no fractions of a second there.
 * old: the file as it was, or NULL.
 */
static TimestampTz
next_lastmod(SmTarget *target, const SmFile *old)
{
	TimestampTz lastmod = target->now;

	if (old && !TIMESTAMP_NOT_FINITE(old->lastmod) &&
		IS_VALID_TIMESTAMP(old->lastmod + USECS_PER_SEC))
		lastmod = Max(lastmod, old->lastmod + USECS_PER_SEC);
	target->run_at = Max(target->run_at, lastmod);
	return lastmod;
}

/* Give the feed a new version of old, a file of the target, or of no file for NULL. */
static void
compare_version(SmTarget *target, SmFile *old, const SmFile *file)
{
	const SmBatch *batch = &target->updates;
	const ArrayBuildState *contents = batch->values[SM_FILE_CONTENT];

	if (old == NULL)
	{
		sm_feed_compare(target->feed, NULL, file);
		return;
	}
	old->replacement = MemoryContextAllocZero(batch->context, sizeof(SmFile));
	old->replacement->byte_count = file->byte_count;
	old->replacement->content = (struct varlena *)
		DatumGetPointer(contents->dvalues[contents->nelems - 1]);
	compare_later(target, old);
}

const char *
sm_target_write(SmTarget *target, const SmFile *file, Datum *values, bool *nulls)
{
	SmFile	   *old = sm_file_list_find(target->list, file->name);
	bool		unchanged = old && sm_file_is_unchanged(old, file);
	bool		same_digest = old && strcmp(old->digest, file->digest) == 0;
	bool		stays;

	if (!unchanged && file->content == NULL)
		changed_meanwhile(target, file);
	if (old && old->stays)
		return "unchanged";
	if (old)
	{
		check_owner(target, old, file);
		old->stays = true;
	}

	/* if only other columns of the row differ, lastmod stays */
	stays = unchanged || (same_digest && !TIMESTAMP_NOT_FINITE(old->lastmod));
	values[SM_FILE_LASTMOD] = TimestampTzGetDatum(stays ? old->lastmod : next_lastmod(target, old));
	nulls[SM_FILE_LASTMOD] = stays && TIMESTAMP_IS_NOBEGIN(old->lastmod);

	/* if only the key or states changed, the statement keeps the content */
	if (unchanged)
		nulls[SM_FILE_CONTENT] = true;
	sm_batch_put(old ? &target->updates : &target->inserts, values, nulls);
	if (target->feed && !same_digest && !sm_file_is_index(file))
		compare_version(target, old, file);
	flush_full(target);
	return unchanged ? "unchanged" : old ? "updated" : "inserted";
}

void
sm_target_delete(SmTarget *target, const SmFile *file)
{
	Datum		name = CStringGetTextDatum(file->name);
	bool		isnull = false;

	sm_batch_put(&target->deletions, &name, &isnull);
	if (target->feed && !sm_file_is_index(file))
		compare_later(target, file);
	flush_full(target);
}

const SmFileList *
sm_target_read(SmTarget *target)
{
	/* a batch that has written rows has a plan */
	if (target->inserts.plan || target->updates.plan || target->deletions.plan)
	{
		MemoryContextDelete(target->list->context);
		target->list = read_files(target, false);
	}
	return target->list;
}

void
sm_target_close(SmTarget *target)
{
	MemoryContext context = CurrentMemoryContext;

	sm_target_flush(target);
	sm_table_check_name(&target->table);
	SPI_finish();
	MemoryContextSwitchTo(context);
	relation_close(target->table.rel, NoLock);
}
