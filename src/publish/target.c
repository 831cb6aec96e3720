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
 *	   15 bits of a hash of base_url and section.  It is held to the end of the
 *	   transaction.  Runs of one section queue up here before they take a snapshot,
 *	   so a run sees all that earlier runs saw.
 *	3. ExclusiveLock on the site: the same with a hash of base_url.  It is taken after
 *	   the query, and held to the end of the transaction.  Under this lock the files
 *	   of the site are read again and compared with the new ones.
 *	4. RowExclusiveLock on the table, as INSERT, UPDATE and DELETE take it.  It
 *	   conflicts neither with runs of other sites nor with VACUUM.
 *
 * Nothing else takes locks such as 2 and 3.  Two sections, or two sites, that have
 * the same hash wait for each other, which is harmless.  The hash of a section is odd
 * and the hash of a site is even, so no section waits for a site.
 *
 * A transaction that publishes two sections of a site holds lock 3 when it waits for lock
 * 2 of the second section.  If another session runs the second section, it holds its lock
 * 2 and waits for lock 3.  PostgreSQL ends such a deadlock with 40P01 in one of them.
 *
 * Statements on the target run through SPI with the caller's privileges, and fire
 * triggers.  Each names one table and has its values as parameters, which foreign
 * partitions and sharded tables support.  Only a run with a feed reads content, which
 * foreign partitions would have to send.
 */
#include "postgres.h"

#include "publish/target.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "publish/table.h"
#include "server/encoding.h"
#include "server/query.h"
#include "storage/lmgr.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#define TARGET_HINT \
	"Create the target with CREATE TABLE ... OF sitemap_file (PRIMARY KEY (base_url, name))."

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

/* Open and check the table with a lock, and find its name. */
static void
open_target(SmTarget *target, LOCKMODE lockmode)
{
	Relation	rel = sm_table_open(target->relid, lockmode, "target");
	MemoryContext oldcontext = MemoryContextSwitchTo(target->context);

	check_table(rel, target->function);
	sm_table_check_columns(rel, "target", sm_file_columns, SM_FILE_NCOLUMNS, TARGET_HINT);
	target->rel = rel;
	target->name = sm_table_name(rel);
	target->sql_name = sm_table_sql_name(target->name);
	target->of_site = psprintf("base_url OPERATOR(pg_catalog.=) %s",
							   quote_literal_cstr(target->base_url));
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
sm_target_create(Oid relid, const SmUrlBase *base, const char *function)
{
	SmTarget   *target = palloc0_object(SmTarget);

	target->relid = relid;
	target->base_url = pnstrdup(base->url[SM_FORM_PLAIN], base->len[SM_FORM_PLAIN]);
	target->function = function;
	target->context = CurrentMemoryContext;
	PreventCommandDuringRecovery(function);
	open_target(target, AccessShareLock);
	close_target(target, AccessShareLock);
	return target;
}

/* Lock an object of the table: a section or, for NULL, the site. */
static void
lock_object(const SmTarget *target, const char *section)
{
	char	   *object = psprintf("%s %s", target->base_url, section ? section : "");
	uint32		hash = hash_bytes((const unsigned char *) object, strlen(object));

	LockDatabaseObject(RelationRelationId, target->relid,
					   (uint16) (section ? hash | 1 : hash & ~1), ExclusiveLock);
}

void
sm_target_lock_section(const SmTarget *target, const char *section)
{
	lock_object(target, section);
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(((const SmPublished *) a)->name, ((const SmPublished *) b)->name);
}

SmPublished *
sm_target_find(const SmTarget *target, const char *name)
{
	SmPublished key = {.name = name};

	/* bsearch takes no null pointer */
	if (target->nfiles == 0)
		return NULL;
	return bsearch(&key, target->files, target->nfiles, sizeof(SmPublished), compare_names);
}

bool
sm_published_is_own(const SmPublished *file, const char *section)
{
	return !file->is_index && file->digest[0] != '\0' && strcmp(file->section, section) == 0;
}

/* Receives rows of the target. */
typedef struct Reader
{
	SmReceiver	receiver;		/* must be first */
	SmTarget   *target;
	int			ncolumns;
	const int  *columns;		/* of sitemap_file */

	/* for contents */
	SmTakeContent take;
	void	   *arg;
} Reader;

/*
 * Raise an error unless the columns have the types of sitemap_file.  After the
 * target's schema was renamed, the target's name can find another table with other
 * types.
 */
static void
check_types(SmReceiver *self, TupleDesc desc)
{
	Reader	   *reader = (Reader *) self;
	const SmTarget *target = reader->target;

	for (int i = 0; i < reader->ncolumns; i++)
	{
		if (TupleDescAttr(desc, i)->atttypid == sm_file_columns[reader->columns[i]].type)
			continue;
		sm_table_check_name(target->relid, target->name, "target");
		elog(ERROR, "column \"%s\" of the target has another type than before",
			 sm_file_columns[reader->columns[i]].name);
	}
}

/*
 * Select columns of the site's files, with the active snapshot or a new one.
 * condition: text that follows the condition of_site, with parameters from params.
 */
static void
select_columns(Reader *reader, const char *condition, ParamListInfo params, bool active_snapshot)
{
	SPIExecuteOptions options = {.params = params,.read_only = active_snapshot,
	.dest = &reader->receiver.dest};
	MemoryContext context = CurrentMemoryContext;
	StringInfoData statement;

	initStringInfo(&statement);
	for (int i = 0; i < reader->ncolumns; i++)
		appendStringInfo(&statement, "%s %s", i == 0 ? "SELECT" : ",",
						 sm_file_columns[reader->columns[i]].name);
	appendStringInfo(&statement, " FROM %s WHERE %s%s", reader->target->sql_name,
					 reader->target->of_site, condition);
	SPI_execute_extended(statement.data, &options);
	MemoryContextSwitchTo(context);
}

/*
 * A text of a file, in the memory of the files.  last: the same text of the file read
 * before, reused if equal, as it mostly is.
 */
static const char *
keep_text(const SmTarget *target, const TupleTableSlot *slot, int i, const char *last)
{
	const char *s = slot->tts_isnull[i] ? "" : TextDatumGetCString(slot->tts_values[i]);

	if (last && strcmp(s, last) == 0)
		return last;
	return MemoryContextStrdup(target->files_context, s);
}

/* Take a row of all columns but the content. */
static bool
receive_file(SmReceiver *self, TupleTableSlot *slot)
{
	SmTarget   *target = ((Reader *) self)->target;
	const Datum *values = slot->tts_values;
	const bool *nulls = slot->tts_isnull;
	static const SmPublished none = {0};
	const SmPublished *last;
	SmPublished *file;

	slot_getallattrs(slot);
	if (nulls[SM_FILE_NAME])
		ereport(ERROR,
				(errcode(ERRCODE_NOT_NULL_VIOLATION),
				 errmsg("the target table \"%s\" has a file without a name",
						target->name->relname)));

	/* the array doubles when its size is a power of 2 */
	if (target->files == NULL)
		target->files = MemoryContextAlloc(target->files_context, sizeof(SmPublished));
	else if ((target->nfiles & (target->nfiles - 1)) == 0)
		target->files = repalloc_huge(target->files,
									  2 * (Size) target->nfiles * sizeof(SmPublished));
	file = &target->files[target->nfiles];
	last = target->nfiles > 0 ? file - 1 : &none;

	file->section = keep_text(target, slot, SM_FILE_SECTION, last->section);
	file->name = keep_text(target, slot, SM_FILE_NAME, NULL);
	file->kind = keep_text(target, slot, SM_FILE_KIND, last->kind);
	file->loc = keep_text(target, slot, SM_FILE_LOC, NULL);
	file->digest = keep_text(target, slot, SM_FILE_DIGEST, NULL);
	file->first_key = nulls[SM_FILE_FIRST_KEY] ? NULL :
		keep_text(target, slot, SM_FILE_FIRST_KEY, NULL);
	file->recipe = keep_text(target, slot, SM_FILE_RECIPE, last->recipe);
	file->is_index = strcmp(file->kind, SM_KIND_INDEX) == 0;
	file->url_count = nulls[SM_FILE_URL_COUNT] ? 0 : DatumGetInt32(values[SM_FILE_URL_COUNT]);
	file->byte_count = nulls[SM_FILE_BYTE_COUNT] ? 0 : DatumGetInt64(values[SM_FILE_BYTE_COUNT]);
	file->lastmod = nulls[SM_FILE_LASTMOD] ? DT_NOBEGIN : DatumGetTimestampTz(values[SM_FILE_LASTMOD]);
	file->has_content = true;
	file->kept = false;
	target->nfiles++;
	return true;
}

static bool
receive_missing(SmReceiver *self, TupleTableSlot *slot)
{
	bool		isnull;
	Datum		name = slot_getattr(slot, 1, &isnull);
	SmPublished *file;

	file = isnull ? NULL : sm_target_find(((Reader *) self)->target, TextDatumGetCString(name));
	if (file)
		file->has_content = false;
	return true;
}

/*
 * Read the files of the site, with the active snapshot or a new one, in the
 * order of strcmp for sm_target_find.  Each name appears once.
 *
 * A second statement finds the files without content, with "content IS NULL" in WHERE:
 * as a column, it would make foreign partitions send the content.
 */
static void
read_files(SmTarget *target, bool active_snapshot)
{
	static const int columns[] = {
		SM_FILE_BASE_URL, SM_FILE_SECTION, SM_FILE_NAME, SM_FILE_KIND, SM_FILE_LOC,
		SM_FILE_LASTMOD, SM_FILE_URL_COUNT, SM_FILE_BYTE_COUNT, SM_FILE_DIGEST, SM_FILE_FIRST_KEY, SM_FILE_RECIPE
	};
	static const int name[] = {SM_FILE_NAME};
	Reader		files = {.target = target,.ncolumns = lengthof(columns),.columns = columns};
	Reader		missing = {.target = target,.ncolumns = lengthof(name),.columns = name};

	StaticAssertStmt(lengthof(columns) == SM_FILE_CONTENT, "all columns but the last");
	target->files_context = AllocSetContextCreate(target->context, "sitemap_publish target",
												  ALLOCSET_DEFAULT_SIZES);
	target->files = NULL;
	target->nfiles = 0;
	sm_receiver_init(&files.receiver, check_types, receive_file);
	select_columns(&files, "", NULL, active_snapshot);

	qsort(target->files, target->nfiles, sizeof(SmPublished), compare_names);
	for (int i = 1; i < target->nfiles; i++)
		if (compare_names(&target->files[i - 1], &target->files[i]) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNIQUE_VIOLATION),
					 errmsg("the target table \"%s\" has more than one file named \"%s\"",
							target->name->relname, sm_clip(target->files[i].name)),
					 errhint("Give it a primary key: PRIMARY KEY (base_url, name).")));

	sm_receiver_init(&missing.receiver, check_types, receive_missing);
	select_columns(&missing, " AND content IS NULL", NULL, active_snapshot);
}

static void
flush(SmTarget *target)
{
	sm_batch_flush(&target->inserts);
	sm_batch_flush(&target->updates);
	sm_batch_flush(&target->key_updates);
	sm_batch_flush(&target->deletions);
}

void
sm_target_read(SmTarget *target)
{
	flush(target);
	MemoryContextDelete(target->files_context);
	read_files(target, false);
}

/* Has the table a unique index on name alone? */
static bool
is_for_one_site(Relation rel)
{
	AttrNumber	name = get_attnum(RelationGetRelid(rel), sm_file_columns[SM_FILE_NAME].name);
	List	   *indexes = RelationGetIndexList(rel);
	bool		found = false;
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		found |= index->rd_index->indisunique && index->rd_index->indnkeyatts == 1 &&
			index->rd_index->indkey.values[0] == name && RelationGetIndexPredicate(index) == NIL;
		index_close(index, AccessShareLock);
	}
	list_free(indexes);
	return found;
}

/* Raise an error if the table is for one site, and has files of another. */
static void
check_site(const SmTarget *target)
{
	if (!is_for_one_site(target->rel))
		return;
	SPI_execute(psprintf("SELECT base_url FROM %s WHERE NOT (%s) LIMIT 1",
						 target->sql_name, target->of_site),
				false, 0);
	if (SPI_processed > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("base_url \"%s\" is not that of the target's other files", target->base_url),
				 errdetail("The target table \"%s\" has files of \"%s\", and its names are unique.",
						   target->name->relname,
						   sm_clip(SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1))),
				 errhint("For many sites in one table, use PRIMARY KEY (base_url, name).")));
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
		check_site(target);
		read_files(target, false);
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
sm_published_is_same(const SmPublished *a, const SmPublished *b)
{
	return strcmp(a->section, b->section) == 0 &&
		strcmp(a->name, b->name) == 0 &&
		strcmp(a->kind, b->kind) == 0 &&
		strcmp(a->loc, b->loc) == 0 &&
		strcmp(a->digest, b->digest) == 0 &&
		(a->first_key == NULL) == (b->first_key == NULL) &&
		(a->first_key == NULL || strcmp(a->first_key, b->first_key) == 0) &&
		strcmp(a->recipe, b->recipe) == 0 &&
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
	SmTarget	latest = *target;
	bool		same;

	PushActiveSnapshot(GetLatestSnapshot());
	read_files(&latest, true);
	PopActiveSnapshot();

	same = latest.nfiles == target->nfiles;
	for (int i = 0; same && i < latest.nfiles; i++)
		same = sm_published_is_same(&latest.files[i], &target->files[i]);
	if (!same)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent update of the target table \"%s\"",
						target->name->relname)));
	MemoryContextDelete(latest.files_context);
}

typedef enum Change
{
	INSERT_ROWS,
	UPDATE_ROWS,
	DELETE_ROWS
} Change;

/*
 * Prepare a batch of rows that have some columns of sitemap_file, name among them.
 * Updates find their rows by base_url and name, and do not set these: a cluster that is
 * sharded by them would refuse that.
 */
static void
init_batch(const SmTarget *target, SmBatch *batch, Change change, const int *columns, int ncolumns)
{
	StringInfoData names;
	StringInfoData values;
	StringInfoData settings;
	char	   *by_name = NULL;

	initStringInfo(&names);
	initStringInfo(&values);
	initStringInfo(&settings);
	for (int i = 0; i < ncolumns; i++)
	{
		const char *name = sm_file_columns[columns[i]].name;
		const char *comma = i > 0 ? ", " : "";

		appendStringInfo(&names, "%s%s", comma, name);
		appendStringInfo(&values, "%spg_catalog.unnest($%d) AS %s", comma, i + 1, name);
		if (columns[i] == SM_FILE_NAME)
			by_name = psprintf("old.%s AND old.name OPERATOR(pg_catalog.=) ANY ($%d)",
							   target->of_site, i + 1);
		else if (columns[i] != SM_FILE_BASE_URL)
			appendStringInfo(&settings, "%s%s = new.%s", settings.len > 0 ? ", " : "", name, name);
	}

	if (change == INSERT_ROWS)
		sm_batch_init(batch, psprintf("INSERT INTO %s (%s) SELECT %s",
									  target->sql_name, names.data, values.data), true);
	else if (change == UPDATE_ROWS)
		sm_batch_init(batch, psprintf("UPDATE %s AS old SET %s FROM (SELECT %s) AS new"
									  " WHERE old.name OPERATOR(pg_catalog.=) new.name AND %s",
									  target->sql_name, settings.data, values.data, by_name), true);
	else
		sm_batch_init(batch, psprintf("DELETE FROM %s AS old WHERE %s",
									  target->sql_name, by_name), true);
	for (int i = 0; i < ncolumns; i++)
		sm_batch_add_column(batch, sm_file_columns[columns[i]].type);
}

/* The columns of key_updates and of deletions. */
static const int key_columns[] = {SM_FILE_NAME, SM_FILE_FIRST_KEY, SM_FILE_RECIPE};
static const int name_column[] = {SM_FILE_NAME};

static void
init_batches(SmTarget *target)
{
	int			all_columns[SM_FILE_NCOLUMNS];

	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
		all_columns[i] = i;
	init_batch(target, &target->inserts, INSERT_ROWS, all_columns, SM_FILE_NCOLUMNS);
	init_batch(target, &target->updates, UPDATE_ROWS, all_columns, SM_FILE_NCOLUMNS);
	init_batch(target, &target->key_updates, UPDATE_ROWS, key_columns, lengthof(key_columns));
	init_batch(target, &target->deletions, DELETE_ROWS, name_column, lengthof(name_column));
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

	lock_object(target, NULL);
	open_target(target, RowExclusiveLock);
	init_batches(target);

	SPI_connect();
	sm_table_check_name(target->relid, target->name, "target");
	check_site(target);
	read_files(target, false);
	if (IsolationUsesXactSnapshot())
		check_serializable(target);

	/* set under the lock, to be later than the times of any earlier run */
	target->now = target->run = GetCurrentTimestamp();
	for (int i = 0; i < target->nfiles; i++)
		if (!TIMESTAMP_NOT_FINITE(target->files[i].lastmod) &&
			IS_VALID_TIMESTAMP(target->files[i].lastmod + 1))
			target->run = Max(target->run, target->files[i].lastmod + 1);
}

/* Receives a name and a content. */
static bool
receive_content(SmReceiver *self, TupleTableSlot *slot)
{
	Reader	   *reader = (Reader *) self;

	slot_getallattrs(slot);
	reader->take(reader->arg, TextDatumGetCString(slot->tts_values[0]), slot->tts_values[1],
				 slot->tts_isnull[1]);
	return true;
}

void
sm_target_read_contents(const SmTarget *target, Datum names, SmTakeContent take, void *arg)
{
	static const int columns[] = {SM_FILE_NAME, SM_FILE_CONTENT};
	Reader		reader = {.target = unconstify(SmTarget *, target),.ncolumns = lengthof(columns),
	.columns = columns,.take = take,.arg = arg};
	ParamListInfo params = makeParamList(1);

	params->params[0] = (ParamExternData)
	{
		.value = names,.pflags = PARAM_FLAG_CONST,.ptype = TEXTARRAYOID
	};
	sm_receiver_init(&reader.receiver, check_types, receive_content);
	select_columns(&reader, " AND name OPERATOR(pg_catalog.=) ANY ($1)", params, false);
}

void
sm_target_insert(SmTarget *target, const Datum *values, const bool *nulls)
{
	sm_batch_put(&target->inserts, values, nulls);
}

void
sm_target_update(SmTarget *target, const Datum *values, const bool *nulls)
{
	sm_batch_put(&target->updates, values, nulls);
}

void
sm_target_update_key(SmTarget *target, const Datum *values, const bool *nulls)
{
	Datum		key_values[lengthof(key_columns)];
	bool		key_nulls[lengthof(key_columns)];

	for (int i = 0; i < (int) lengthof(key_columns); i++)
	{
		key_values[i] = values[key_columns[i]];
		key_nulls[i] = nulls[key_columns[i]];
	}
	sm_batch_put(&target->key_updates, key_values, key_nulls);
}

void
sm_target_delete(SmTarget *target, const SmPublished *file)
{
	Datum		name = CStringGetTextDatum(file->name);
	bool		isnull = false;

	sm_batch_put(&target->deletions, &name, &isnull);
}

TimestampTz
sm_target_lastmod(SmTarget *target, const SmPublished *old)
{
	TimestampTz lastmod = target->now;

	if (old && !TIMESTAMP_NOT_FINITE(old->lastmod) &&
		IS_VALID_TIMESTAMP(old->lastmod + USECS_PER_SEC))
		lastmod = Max(lastmod, old->lastmod + USECS_PER_SEC);
	target->run = Max(target->run, lastmod);
	return lastmod;
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
	flush(target);
	sm_table_check_name(target->relid, target->name, "target");
	SPI_finish();
	close_target(target, NoLock);
}
