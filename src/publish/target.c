/*
 * target.c
 *	  Locks, reads and writes the target, the table that files are published in.
 *
 * Locks, in the order in which a run takes them:
 *
 *	1. AccessShareLock on the table, to check privileges and columns and to read
 *	   the files.  It is released at once, so that the table can be altered or
 *	   dropped while a query runs, and so that a caller without the privileges
 *	   cannot block others.
 *	2. ExclusiveLock on the section: on a database object with the table's OID and
 *	   16 bits of a hash of the section's name.  It is held to the end of the
 *	   transaction.  Runs of one section queue up here before they take a snapshot,
 *	   so a run sees all that earlier runs saw.  Nothing else takes such a lock.
 *	   Two sections with the same hash wait for each other, which is harmless.
 *	3. ShareRowExclusiveLock on the table and its partitions or children.  It is
 *	   taken when the query has ended, and held to the end of the transaction.  It
 *	   conflicts with itself, writers and VACUUM, not with readers.  Under this lock
 *	   the files are read again and compared with the new ones.
 *
 * A transaction that publishes two sections holds lock 3 when it waits for lock 2 of
 * the second section.  If another session runs the second section, it holds its lock
 * 2 and waits for lock 3.  PostgreSQL ends such a deadlock with 40P01 in one of them.
 *
 * Statements on the target run through SPI with the caller's privileges, and fire
 * triggers.  Only a run with a feed reads content, which foreign partitions would have
 * to send.
 */
#include "postgres.h"

#include "publish/target.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "commands/tablecmds.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "server/encoding.h"
#include "server/query.h"
#include "storage/lmgr.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#define TARGET_LOCK		ShareRowExclusiveLock

/*
 * The most rows of one UPDATE or DELETE, and the most bytes of their content.
 * Many rows, since a statement may read the whole target if it has no index on
 * name; bounded bytes, since the content is in memory several times.
 */
#define BATCH_ROWS		1000
#define BATCH_BYTES		(8 * 1024 * 1024)

#define TARGET_HINT \
	"Create the target with CREATE TABLE ... OF sitemap_file (PRIMARY KEY (name))."

Relation
sm_open_table(Oid relid, LOCKMODE lockmode, const char *what)
{
	Relation	rel = try_relation_open(relid, lockmode);

	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the %s table does not exist", what)));
	return rel;
}

/*
 * Raise an error unless the relation is a table that the caller may publish
 * in.
 */
static void
check_table(Relation rel, const char *function)
{
	const AclMode needed = ACL_SELECT | ACL_INSERT | ACL_UPDATE | ACL_DELETE;
	Oid			relid = RelationGetRelid(rel);

	if (pg_class_aclmask(relid, GetUserId(), needed, ACLMASK_ALL) != needed)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for table %s", RelationGetRelationName(rel)),
				 errdetail("Publishing in a table needs the privileges SELECT, INSERT, UPDATE and DELETE.")));
	if (rel->rd_rel->relkind != RELKIND_RELATION &&
		rel->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a table", RelationGetRelationName(rel)),
				 errhint(TARGET_HINT)));

	/* a policy could hide files, which the index would then leave out */
	if (check_enable_rls(relid, InvalidOid, false) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot publish in table \"%s\", whose row security applies to you",
						RelationGetRelationName(rel)),
				 errhint("Publish as its owner, or as a role with BYPASSRLS.")));
	if (!RelationUsesLocalBuffers(rel))
		PreventCommandIfReadOnly(function);
	CheckTableNotInUse(rel, "publish in");
}

void
sm_check_columns(Relation rel, const char *what, const SmFileColumn *columns, int ncolumns,
				 const char *hint)
{
	for (int i = 0; i < ncolumns; i++)
	{
		const SmFileColumn *column = &columns[i];
		AttrNumber	attnum = get_attnum(RelationGetRelid(rel), column->name);
		Oid			type;

		if (attnum == InvalidAttrNumber)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("the %s table \"%s\" has no column \"%s\"",
							what, RelationGetRelationName(rel), column->name),
					 errhint("%s", hint)));
		type = get_atttype(RelationGetRelid(rel), attnum);
		if (type != column->type)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of the %s table \"%s\" must be of type %s, not %s",
							column->name, what, RelationGetRelationName(rel),
							format_type_be(column->type), format_type_be(type)),
					 errhint("%s", hint)));
	}
}

RangeVar *
sm_table_name(Relation rel)
{
	return makeRangeVar(get_namespace_name(RelationGetNamespace(rel)),
						pstrdup(RelationGetRelationName(rel)), -1);
}

void
sm_check_name(Oid relid, const RangeVar *name, const char *what)
{
	AcceptInvalidationMessages();
	if (RangeVarGetRelid(name, AccessShareLock, true) != relid)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the schema of the %s table \"%s\" was renamed", what, name->relname),
				 errhint("Publish again.")));
}

/* Open and check the table with a lock, and find its name. */
static void
open_target(SmTarget *target, LOCKMODE lockmode)
{
	Relation	rel = sm_open_table(target->relid, lockmode, "target");
	MemoryContext oldcontext = MemoryContextSwitchTo(target->context);

	check_table(rel, target->function);
	sm_check_columns(rel, "target", sm_file_columns, SM_FILE_NCOLUMNS, TARGET_HINT);
	target->rel = rel;
	target->name = sm_table_name(rel);
	target->sql_name = quote_qualified_identifier(target->name->schemaname,
												  target->name->relname);
	MemoryContextSwitchTo(oldcontext);
}

/* Close the table, and release its lock; NoLock keeps the lock. */
static void
close_target(SmTarget *target, LOCKMODE lockmode)
{
	relation_close(target->rel, lockmode);
	target->rel = NULL;
}

SmTarget *
sm_target_create(Oid relid, const char *function)
{
	SmTarget   *target = palloc0_object(SmTarget);

	target->relid = relid;
	target->function = function;
	target->context = CurrentMemoryContext;
	PreventCommandDuringRecovery(function);
	open_target(target, AccessShareLock);
	close_target(target, AccessShareLock);
	return target;
}

void
sm_target_lock_section(const SmTarget *target, const char *section)
{
	uint32		hash = hash_bytes((const unsigned char *) section, strlen(section));

	LockDatabaseObject(RelationRelationId, target->relid, (uint16) hash, ExclusiveLock);
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(((const SmPublished *) a)->name, ((const SmPublished *) b)->name);
}

SmPublished *
sm_target_find(const SmTarget *target, const char *name)
{
	SmPublished key = {.name = unconstify(char *, name)};

	return bsearch(&key, target->files, target->nfiles, sizeof(SmPublished), compare_names);
}

/* A column of a row that SPI fetched, in the memory context of the call; "" for NULL. */
static char *
text_column(const SmTarget *target, HeapTuple tuple, int column)
{
	char	   *value = SPI_getvalue(tuple, SPI_tuptable->tupdesc, column);

	return MemoryContextStrdup(target->context, value ? value : "");
}

/* A column of another type, in the memory of SPI's result; if_null for NULL. */
static Datum
column_value(HeapTuple tuple, int column, Datum if_null)
{
	bool		isnull;
	Datum		value = SPI_getbinval(tuple, SPI_tuptable->tupdesc, column, &isnull);

	return isnull ? if_null : value;
}

/*
 * Raise an error unless a column that SPI fetched has this type.  Where the target's
 * schema was renamed, its name can be that of a table with other types.
 */
static void
check_type(const SmTarget *target, int column, Oid type)
{
	if (SPI_gettypeid(SPI_tuptable->tupdesc, column) == type)
		return;
	sm_check_name(target->relid, target->name, "target");
	elog(ERROR, "column %d of the target has another type than before", column);
}

/* Run a SELECT on the target, with the active snapshot or a new one. */
static void
select_rows(const char *query, bool active_snapshot)
{
	if (SPI_execute(query, active_snapshot, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the target");
}

/*
 * Find the files without content.  The statement has "content IS NULL" in WHERE: as
 * a column, it would make foreign partitions send the content.
 */
static void
read_missing_content(const SmTarget *target, SmPublished *files, int nfiles,
					 bool active_snapshot)
{
	select_rows(psprintf("SELECT name FROM %s WHERE content IS NULL", target->sql_name),
				active_snapshot);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		SmPublished key = {.name = SPI_getvalue(SPI_tuptable->vals[i],
												SPI_tuptable->tupdesc, 1)};
		SmPublished *file = bsearch(&key, files, nfiles, sizeof(SmPublished), compare_names);

		if (file)
			file->has_content = false;
	}
	SPI_freetuptable(SPI_tuptable);
}

/*
 * Read the files of the target, with the active snapshot or a new one, in the
 * order of strcmp for sm_target_find.  Each name appears once.
 */
static SmPublished *
read_files(const SmTarget *target, bool active_snapshot, int *nfiles)
{
	SmPublished *files;

	select_rows(psprintf("SELECT section, name, kind, loc, digest, url_count, byte_count, lastmod, first_key, recipe FROM %s",
						 target->sql_name),
				active_snapshot);
	check_type(target, 6, INT4OID);
	check_type(target, 7, INT8OID);
	check_type(target, 8, TIMESTAMPTZOID);
	*nfiles = (int) Min(SPI_processed, INT_MAX);
	files = MemoryContextAllocExtended(target->context, (Size) *nfiles * sizeof(SmPublished),
									   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (int i = 0; i < *nfiles; i++)
	{
		HeapTuple	tuple = SPI_tuptable->vals[i];
		SmPublished *file = &files[i];

		CHECK_FOR_INTERRUPTS();
		file->section = text_column(target, tuple, 1);
		file->name = text_column(target, tuple, 2);
		file->kind = text_column(target, tuple, 3);
		file->loc = text_column(target, tuple, 4);
		file->digest = text_column(target, tuple, 5);
		file->is_index = strcmp(file->kind, SM_KIND_INDEX) == 0;
		file->url_count = DatumGetInt32(column_value(tuple, 6, Int32GetDatum(0)));
		file->byte_count = DatumGetInt64(column_value(tuple, 7, Int64GetDatum(0)));
		file->lastmod = DatumGetTimestampTz(column_value(tuple, 8, TimestampTzGetDatum(DT_NOBEGIN)));
		file->recipe = text_column(target, tuple, 10);
		if (SPI_getvalue(tuple, SPI_tuptable->tupdesc, 9) != NULL)
			file->first_key = text_column(target, tuple, 9);
		file->has_content = true;

		if (SPI_getvalue(tuple, SPI_tuptable->tupdesc, 2) == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NOT_NULL_VIOLATION),
					 errmsg("the target table \"%s\" has a file without a name",
							RelationGetRelationName(target->rel))));
	}
	SPI_freetuptable(SPI_tuptable);

	qsort(files, *nfiles, sizeof(SmPublished), compare_names);
	for (int i = 1; i < *nfiles; i++)
		if (compare_names(&files[i - 1], &files[i]) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNIQUE_VIOLATION),
					 errmsg("the target table \"%s\" has more than one file named \"%s\"",
							RelationGetRelationName(target->rel), sm_clip(files[i].name)),
					 errhint("Give it a primary key: PRIMARY KEY (name).")));
	read_missing_content(target, files, *nfiles, active_snapshot);
	return files;
}

void
sm_target_read(SmTarget *target)
{
	sm_target_flush(target);
	target->files = read_files(target, false, &target->nfiles);
}

/*
 * Read in a subtransaction and roll it back, to release the locks that reading took.
 */
void
sm_target_peek(SmTarget *target)
{
	MemoryContext oldcontext = CurrentMemoryContext;
	ResourceOwner oldowner = CurrentResourceOwner;

	open_target(target, AccessShareLock);
	BeginInternalSubTransaction(NULL);
	PG_TRY();
	{
		SPI_connect();
		sm_target_read(target);
		SPI_finish();
	}
	PG_FINALLY();
	{
		RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(oldcontext);
		CurrentResourceOwner = oldowner;
	}
	PG_END_TRY();
	close_target(target, AccessShareLock);
}

bool
sm_published_has_same_key(const SmPublished *a, const SmPublished *b)
{
	return strcmp(a->recipe, b->recipe) == 0 &&
		(a->first_key == NULL) == (b->first_key == NULL) &&
		(a->first_key == NULL || strcmp(a->first_key, b->first_key) == 0);
}

bool
sm_published_is_same(const SmPublished *a, const SmPublished *b)
{
	return strcmp(a->section, b->section) == 0 &&
		strcmp(a->name, b->name) == 0 &&
		strcmp(a->kind, b->kind) == 0 &&
		strcmp(a->loc, b->loc) == 0 &&
		strcmp(a->digest, b->digest) == 0 &&
		sm_published_has_same_key(a, b) &&
		a->url_count == b->url_count &&
		a->byte_count == b->byte_count &&
		a->lastmod == b->lastmod &&
		a->has_content == b->has_content;
}

/*
 * Raise an error if the transaction's snapshot is older than the last run, and so does
 * not see the files that it wrote.
 */
static void
check_serializable(const SmTarget *target)
{
	SmPublished *latest;
	int			nlatest;
	bool		same;

	PushActiveSnapshot(GetLatestSnapshot());
	latest = read_files(target, true, &nlatest);
	PopActiveSnapshot();

	same = nlatest == target->nfiles;
	for (int i = 0; same && i < nlatest; i++)
		same = sm_published_is_same(&latest[i], &target->files[i]);
	if (!same)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent update of the target table \"%s\"",
						RelationGetRelationName(target->rel))));
}

void
sm_target_lock(SmTarget *target)
{
	/*
	 * Check the privileges again before the lock is taken: the query may have
	 * changed the role.
	 */
	open_target(target, AccessShareLock);
	close_target(target, AccessShareLock);

	open_target(target, TARGET_LOCK);
	find_all_inheritors(target->relid, TARGET_LOCK, NULL);
	/* under the lock, so that this time is later than that of any earlier run */
	target->now = GetCurrentTimestamp();

	SPI_connect();
	sm_check_name(target->relid, target->name, "target");
	sm_target_read(target);
	if (IsolationUsesXactSnapshot())
		check_serializable(target);
}

void
sm_target_check_base(const SmTarget *target, const SmUrlBase *base, const char *section)
{
	const char *url = base->url[SM_FORM_PLAIN];
	size_t		len = base->len[SM_FORM_PLAIN];

	for (int i = 0; i < target->nfiles; i++)
	{
		const SmPublished *file = &target->files[i];

		if (file->is_index || file->loc[0] == '\0' ||
			(section && strcmp(file->section, section) == 0) ||
			(strncmp(file->loc, url, len) == 0 && strcmp(file->loc + len, file->name) == 0))
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("base_url \"%.*s\" is not that of the target's other files", (int) len, url),
				 errdetail("A file of section \"%s\" has the loc \"%s\".", file->section,
						   sm_for_message(sm_span(file->loc, strlen(file->loc)))),
				 errhint("Use a table for each site, or one table with a partition for each site.")));
	}
}

void
sm_target_read_contents(const SmTarget *target, Datum names, SmTakeContent take, void *arg)
{
	Oid			types[] = {TEXTARRAYOID};
	MemoryContext context = CurrentMemoryContext;
	SPITupleTable *table;

	if (SPI_execute_with_args(psprintf("SELECT name, content FROM %s"
									   " WHERE name OPERATOR(pg_catalog.=) ANY ($1)",
									   target->sql_name),
							  1, types, &names, NULL, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the target");
	check_type(target, 2, BYTEAOID);
	MemoryContextSwitchTo(context);

	table = SPI_tuptable;
	for (uint64 i = 0; i < table->numvals; i++)
	{
		bool		isnull;
		char	   *name = SPI_getvalue(table->vals[i], table->tupdesc, 1);
		Datum		content = SPI_getbinval(table->vals[i], table->tupdesc, 2, &isnull);

		CHECK_FOR_INTERRUPTS();
		take(arg, name, content, isnull);
		pfree(name);
	}
	SPI_freetuptable(table);
}

/* Run a prepared statement, which must change nrows rows of the target. */
static void
change_rows(const SmTarget *target, SPIPlanPtr plan, Datum *values, const char *nulls, int nrows)
{
	if (SPI_execute_plan(plan, values, nulls, false, 0) < 0)
		elog(ERROR, "could not change the target");
	if (SPI_processed != (uint64) nrows)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the target table \"%s\" could not be changed",
						target->name->relname),
				 errdetail("A statement changed " UINT64_FORMAT " rows instead of %d, which may be the doing of a trigger, a rule, or a function of the query.",
						   SPI_processed, nrows)));
}

/* INSERT one row: $1 is the first column of sitemap_file, and so on. */
static SPIPlanPtr
prepare_insert(const SmTarget *target)
{
	Oid			types[SM_FILE_NCOLUMNS];
	StringInfoData columns;
	StringInfoData values;

	initStringInfo(&columns);
	initStringInfo(&values);
	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
	{
		const char *comma = i > 0 ? ", " : "";

		types[i] = sm_file_columns[i].type;
		appendStringInfo(&columns, "%s%s", comma, sm_file_columns[i].name);
		appendStringInfo(&values, "%s$%d", comma, i + 1);
	}
	return sm_prepare(psprintf("INSERT INTO %s (%s) VALUES (%s)",
							   target->sql_name, columns.data, values.data),
					  SM_FILE_NCOLUMNS, types, 0);
}

void
sm_target_insert(SmTarget *target, Datum *values, const bool *isnull)
{
	char		nulls[SM_FILE_NCOLUMNS];

	if (target->insert == NULL)
		target->insert = prepare_insert(target);
	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
		nulls[i] = isnull[i] ? 'n' : ' ';
	change_rows(target, target->insert, values, nulls, 1);
}

/*
 * Prepare the statement for a batch: an UPDATE of the batch's columns in the rows of
 * its names, or a DELETE if names are all it has.  Each parameter is an array with the
 * values of a column.  A custom plan lets the planner see the names: it looks them up
 * in an index or a hash table, a foreign partition sends no other files, and a cluster
 * that is sharded by name finds the shards.
 */
static SPIPlanPtr
prepare_batch(const SmTarget *target, const SmBatch *batch)
{
	Oid			types[SM_FILE_NCOLUMNS];
	int			ntypes = 0;
	StringInfoData columns;
	StringInfoData settings;
	char	   *condition = NULL;
	char	   *statement;

	initStringInfo(&columns);
	initStringInfo(&settings);
	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
	{
		const char *name = sm_file_columns[i].name;

		if (batch->columns[i] == NULL)
			continue;
		appendStringInfo(&columns, "%spg_catalog.unnest($%d) AS %s",
						 ntypes > 0 ? ", " : "", ntypes + 1, name);
		types[ntypes++] = get_array_type(sm_file_columns[i].type);

		/*
		 * the name is not updated: a cluster sharded by it would refuse that
		 */
		if (i == SM_FILE_NAME)
			condition = psprintf("old.name OPERATOR(pg_catalog.=) ANY ($%d)", ntypes);
		else
			appendStringInfo(&settings, "%s%s = new.%s", settings.len > 0 ? ", " : "", name, name);
	}
	if (settings.len == 0)
		statement = psprintf("DELETE FROM %s AS old WHERE %s", target->sql_name, condition);
	else
		statement = psprintf("UPDATE %s AS old SET %s FROM (SELECT %s) AS new"
							 " WHERE old.name OPERATOR(pg_catalog.=) new.name AND %s",
							 target->sql_name, settings.data, columns.data, condition);
	return sm_prepare(statement, ntypes, types, CURSOR_OPT_CUSTOM_PLAN);
}

/* Write the rows of a batch, and empty it. */
static void
flush_batch(const SmTarget *target, SmBatch *batch)
{
	Datum		arrays[SM_FILE_NCOLUMNS];
	int			narrays = 0;
	int			nrows = batch->nrows;

	if (nrows == 0)
		return;
	if (batch->plan == NULL)
		batch->plan = prepare_batch(target, batch);
	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
		if (batch->columns[i])
			arrays[narrays++] = makeArrayResult(batch->columns[i], CurrentMemoryContext);
	MemoryContextReset(batch->context);
	memset(batch->columns, 0, sizeof(batch->columns));
	batch->nrows = 0;
	batch->nbytes = 0;
	change_rows(target, batch->plan, arrays, NULL, nrows);
}

void
sm_target_flush(SmTarget *target)
{
	flush_batch(target, &target->updates);
	flush_batch(target, &target->key_updates);
	flush_batch(target, &target->deletions);
}

/* Begin a row of a batch.  nbytes: bytes of its content. */
static void
add_row(const SmTarget *target, SmBatch *batch, int64 nbytes)
{
	if (batch->nrows == BATCH_ROWS || batch->nbytes + nbytes > BATCH_BYTES)
		flush_batch(target, batch);
	if (batch->context == NULL)
		batch->context = AllocSetContextCreate(target->context, "sitemap_publish batch",
											   ALLOCSET_DEFAULT_SIZES);
	batch->nrows++;
	batch->nbytes += nbytes;
}

/* Set a column of the newest row of a batch. */
static void
add_column(SmBatch *batch, int column, Datum value, bool isnull)
{
	batch->columns[column] = accumArrayResult(batch->columns[column], value, isnull,
											  sm_file_columns[column].type, batch->context);
}

void
sm_target_update(SmTarget *target, const Datum *values, const bool *nulls)
{
	add_row(target, &target->updates, VARSIZE_ANY(DatumGetPointer(values[SM_FILE_CONTENT])));
	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
		add_column(&target->updates, i, values[i], nulls[i]);
}

void
sm_target_update_key(SmTarget *target, const Datum *values, const bool *nulls)
{
	static const int columns[] = {SM_FILE_NAME, SM_FILE_FIRST_KEY, SM_FILE_RECIPE};

	add_row(target, &target->key_updates, 0);
	for (int i = 0; i < (int) lengthof(columns); i++)
		add_column(&target->key_updates, columns[i], values[columns[i]], nulls[columns[i]]);
}

void
sm_target_delete(SmTarget *target, const SmPublished *file)
{
	add_row(target, &target->deletions, 0);
	add_column(&target->deletions, SM_FILE_NAME, CStringGetTextDatum(file->name), false);
}

void
sm_target_changed(const SmTarget *target, const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not serialize access due to concurrent update of the target table \"%s\"",
					target->name->relname),
			 errdetail("File \"%s\" was changed while the query ran.", name),
			 errhint("Publish again.")));
}

void
sm_target_close(SmTarget *target)
{
	sm_target_flush(target);
	sm_check_name(target->relid, target->name, "target");
	SPI_finish();
	close_target(target, NoLock);
}
