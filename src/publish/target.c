/*
 * target.c
 *	  The locks of a run, and its statements on the target.
 *
 * Locks, in the order in which a run takes them.  All are held to the end of the
 * transaction.
 *
 *	1. The section's lock (server/lock.h).  Runs of one section queue up here before they
 *	   take a snapshot, so no run reads older rows than the run before it.  It also
 *	   protects the files of the section, which are listed once.
 *	2. RowExclusiveLock on the table, as INSERT, UPDATE and DELETE take it.  It
 *	   conflicts neither with runs of other sections nor with VACUUM.
 *	3. The site's lock, after the query.  It protects the index, and the times of the
 *	   feed.  sitemap_publish_index has no query, and takes only 2 and 3.
 *
 * A feed is locked as the table is, but before 1.
 *
 * A transaction that publishes two sections of a site holds lock 3 when it waits for lock
 * 1 of the second section.  If another session runs the second section, it holds its lock
 * 1 and waits for lock 3.  PostgreSQL ends such a deadlock with 40P01 in one of them.
 *
 * Statements on the target run through SPI with the caller's privileges, and fire
 * triggers.  Each statement names one table.  A statement on one file has the file's values
 * as parameters.  Foreign partitions and sharded tables support such statements.  No
 * statement but an INSERT names base_url, section or name in its new values, because a
 * sharded table refuses to change the columns that it is sharded by.
 *
 * At REPEATABLE READ, the list of files can be older than the target.  PostgreSQL refuses
 * to change a row that another run has changed since.  A file that another run has
 * inserted since is found before an INSERT, with the newest snapshot: not every target has
 * a unique key.
 */
#include "postgres.h"

#include "publish/target.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "server/lock.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"
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

bool
sm_may_publish(Oid relid)
{
	const AclMode needed = ACL_SELECT | ACL_INSERT | ACL_UPDATE | ACL_DELETE;

	return get_rel_name(relid) != NULL &&
		pg_class_aclmask(relid, GetUserId(), needed, ACLMASK_ALL) == needed;
}

/* Raise an error unless the caller may publish in the table. */
static void
check_privileges(const SmTarget *target)
{
	char	   *name = get_rel_name(target->table.relid);

	/* if there is no such table, sm_table_open says so */
	if (name && !sm_may_publish(target->table.relid))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for table %s", name),
				 errdetail("Publishing in a table needs the privileges SELECT, INSERT, UPDATE and DELETE.")));
}

/* The files that a SELECT of SM_OLD_FILE_COLUMNS has returned. */
static SmFileList *
read_files(const SmTarget *target)
{
	SmFileList *list = sm_file_list_read(SPI_tuptable);

	SPI_freetuptable(SPI_tuptable);
	for (int i = 0; i < list->nfiles; i++)
		if (list->files[i]->name == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NOT_NULL_VIOLATION),
					 errmsg("the target table \"%s\" has a file without a name",
							target->table.name)));
	return list;
}

pg_noreturn static void
name_is_twice(const SmTarget *target, const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNIQUE_VIOLATION),
			 errmsg("the target table \"%s\" has more than one file named \"%s\"",
					target->table.name, sm_clip(name)),
			 errhint("Give it a primary key: PRIMARY KEY (base_url, name).")));
}

/* List the files of the site that meet a condition, by a statement without a plan to keep. */
static SmFileList *
list_files(const SmTarget *target, const char *columns, const char *condition)
{
	MemoryContext context = CurrentMemoryContext;

	SPI_execute(psprintf("SELECT %s FROM %s WHERE %s AND %s", columns, target->table.sql_name,
						 target->of_site, condition),
				false, 0);
	MemoryContextSwitchTo(context);
	return read_files(target);
}

/* The same, but only files that no other program makes. */
static SmFileList *
list_our_files(const SmTarget *target, const char *condition)
{
	SmFileList *list = list_files(target, SM_OLD_FILE_COLUMNS,
								  psprintf("digest IS NOT NULL AND %s", condition));
	const char *twice = sm_file_list_sort(list);

	if (twice)
		name_is_twice(target, twice);
	return list;
}

SmFileList *
sm_target_list_indexes(const SmTarget *target, bool of_site)
{
	return
		list_our_files(target,
					   psprintf("kind OPERATOR(pg_catalog.=) '" SM_KIND_INDEX "'"
								" AND (section OPERATOR(pg_catalog.=) %s"
								" %s section OPERATOR(pg_catalog.%s) '" SM_INDEX_SECTION "')",
								target->section ? quote_literal_cstr(target->section) : "NULL",
								of_site ? "OR" : "AND", of_site ? "=" : "<>"));
}

SmFileList *
sm_target_list_site(const SmTarget *target)
{
	SmFileList *list = list_files(target, SM_INDEX_COLUMNS, "true");

	(void) sm_file_list_sort(list);
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
check_one_site(const SmTarget *target)
{
	if (!OidIsValid(sm_find_index(target->table.rel, is_for_one_site)))
		return;
	sm_execute(sm_prepare(psprintf("SELECT base_url FROM %s WHERE NOT (%s) LIMIT 1",
								   target->table.sql_name, target->of_site),
						  0, NULL, 0),
			   NULL, NULL);
	if (SPI_processed > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("base_url \"%s\" is not that of the target's other files", target->base_url),
				 errdetail("The target table \"%s\" has files of \"%s\", and its names are unique.",
						   target->table.name,
						   sm_clip(SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1))),
				 errhint("For many sites in one table, use PRIMARY KEY (base_url, name).")));
}

/* While the query ran, it can have changed the role, and others the name of the schema. */
void
sm_target_lock_site(SmTarget *target)
{
	target->activity = SM_IN_TARGET;
	(void) sm_lock(SM_LOCK_SITE, target->table.relid, target->base_url, "");
	target->now = Max(GetCurrentTimestamp(), target->now);
	sm_table_check_name(&target->table);
	sm_table_check_row_security(&target->table);
}

/*
 * Raise an error if a statement of this session is reading or writing the table: it would
 * see some of our changes, and not others.
 */
static void
check_use(Relation rel)
{
	if (rel->rd_refcnt != (rel->rd_isnailed ? 2 : 1))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("cannot publish in \"%s\" because it is being used by active queries in this session",
						RelationGetRelationName(rel))));
}

void
sm_target_open(SmTarget *target, Oid relid, const SmOptions *options)
{
	const char *function = options->section ? "sitemap_publish()" : "sitemap_publish_index()";
	MemoryContext context = CurrentMemoryContext;

	PreventCommandDuringRecovery(function);
	target->table = target_table;
	target->table.relid = relid;
	target->label = get_rel_name(relid);
	target->label = target->label == NULL ? psprintf("%u", relid) :
		psprintf("%s.%s", get_namespace_name(get_rel_namespace(relid)), target->label);
	target->section = options->section;
	target->base_url = pnstrdup(options->base.url[SM_FORM_PLAIN], options->base.len[SM_FORM_PLAIN]);
	target->of_site = psprintf("base_url OPERATOR(pg_catalog.=) %s",
							   quote_literal_cstr(target->base_url));
	target->now = DT_NOBEGIN;
	SPI_connect();
	MemoryContextSwitchTo(context);

	/* whoever may not publish must not hold up those who may */
	check_privileges(target);
	if (target->section)
		(void) sm_lock(SM_LOCK_SECTION, relid, target->base_url, target->section);
	sm_table_open(&target->table, RowExclusiveLock);
	sm_table_check_kind(&target->table);
	sm_table_check_row_security(&target->table);
	if (!RelationUsesLocalBuffers(target->table.rel))
		PreventCommandIfReadOnly(function);
	check_use(target->table.rel);
	sm_table_check_columns(&target->table);
	check_one_site(target);
	if (target->section)
		target->sitemaps =
			list_our_files(target,
						   psprintf("section OPERATOR(pg_catalog.=) %s"
									" AND (kind OPERATOR(pg_catalog.=) '" SM_KIND_INDEX "') IS NOT TRUE",
									quote_literal_cstr(target->section)));
	target->activity = SM_IN_QUERY;
}

void
sm_target_close(SmTarget *target)
{
	MemoryContext context = CurrentMemoryContext;

	sm_table_check_name(&target->table);
	SPI_finish();
	MemoryContextSwitchTo(context);
	relation_close(target->table.rel, NoLock);
}

/*
 * Statements on one file have columns of sitemap_file as parameters: all columns, or the
 * first three, which are enough to find the file.
 */
#define BY_NAME		"base_url OPERATOR(pg_catalog.=) $1 AND name OPERATOR(pg_catalog.=) $3"
#define OF_FILE		BY_NAME " AND section OPERATOR(pg_catalog.=) $2"
#define NAME_NPARAMS	(SM_FILE_NAME + 1)

static SPIPlanPtr
prepare(const char *statement, int nparams)
{
	Oid			types[SM_FILE_NCOLUMNS];

	for (int i = 0; i < nparams; i++)
		types[i] = sm_file_columns[i].type;
	return sm_prepare(statement, nparams, types, 0);
}

/* The parameters that find a file. */
static void
set_name(const SmTarget *target, const char *section, const char *name,
		 Datum values[NAME_NPARAMS])
{
	values[SM_FILE_BASE_URL] = CStringGetTextDatum(target->base_url);
	values[SM_FILE_SECTION] = CStringGetTextDatum(section);
	values[SM_FILE_NAME] = CStringGetTextDatum(name);
}

SmOldFile *
sm_target_find(SmTarget *target, const char *name)
{
	Datum		values[NAME_NPARAMS];
	SmFileList *list;

	if (target->find == NULL)
		target->find = prepare(psprintf("SELECT " SM_OLD_FILE_COLUMNS " FROM %s WHERE " BY_NAME,
										target->table.sql_name), NAME_NPARAMS);
	set_name(target, "", name, values);
	sm_execute_read(target->find, values, true);
	list = read_files(target);
	if (list->nfiles > 1)
		name_is_twice(target, name);
	return list->nfiles == 0 ? NULL : list->files[0];
}

SPIPlanPtr
sm_target_prepare_read(const SmTarget *target, int column)
{
	return prepare(psprintf("SELECT %s::pg_catalog.bytea FROM %s WHERE " OF_FILE, sm_file_columns[column].name,
							target->table.sql_name),
				   NAME_NPARAMS);
}

struct varlena *
sm_target_read(SmTarget *target, SPIPlanPtr plan, const SmOldFile *file)
{
	SmActivity	activity = target->activity;
	MemoryContext context = CurrentMemoryContext;
	Datum		values[NAME_NPARAMS];
	bool		isnull = true;
	Datum		value = 0;

	target->activity = SM_IN_TARGET;
	set_name(target, file->section, file->name, values);
	SPI_connect();
	if (sm_execute_read(plan, values, false) > 0)
		value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	MemoryContextSwitchTo(context);
	if (!isnull)
		value = datumCopy(value, false, -1);
	SPI_finish();
	MemoryContextSwitchTo(context);
	target->activity = activity;
	return isnull ? NULL : (struct varlena *) DatumGetPointer(value);
}

/* Run a statement that must change one row. */
static void
change_row(SPIPlanPtr plan, Datum *values, const char *nulls)
{
	uint64		changed = sm_execute(plan, values, nulls);

	if (changed != 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a trigger, rule, function or other session interfered: 1 row expected, " UINT64_FORMAT " changed",
						changed)));
}

/* An INSERT of a file, or an UPDATE of its columns after the name.  last: the last column. */
static SPIPlanPtr
prepare_write(const SmTarget *target, bool is_new, int last)
{
	StringInfoData columns;
	StringInfoData values;

	initStringInfo(&columns);
	initStringInfo(&values);
	for (int i = is_new ? 0 : SM_FILE_NAME + 1; i <= last; i++)
		if (sm_table_has_column(&target->table, i))
		{
			const char *comma = columns.len > 0 ? ", " : "";

			appendStringInfo(&columns, "%s%s", comma, sm_file_columns[i].name);
			appendStringInfo(&values, "%s$%d", comma, i + 1);
		}
	return prepare(psprintf(is_new ? "INSERT INTO %s (%s) VALUES (%s)" :
							"UPDATE %s SET (%s) = ROW (%s) WHERE " OF_FILE,
							target->table.sql_name, columns.data, values.data),
				   last + 1);
}

void
sm_target_write(SmTarget *target, bool is_new, Datum *values, const bool *isnull)
{
	bool		has_content = !isnull[SM_FILE_CONTENT];
	SPIPlanPtr *plan = is_new ? &target->insert :
		has_content ? &target->update : &target->update_row;
	char		nulls[SM_FILE_NCOLUMNS];

	if (*plan == NULL)
		*plan = prepare_write(target, is_new, is_new || has_content ? SM_FILE_CONTENT : SM_FILE_SHOWN);
	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
		nulls[i] = isnull[i] ? 'n' : ' ';
	change_row(*plan, values, nulls);
}

void
sm_target_delete(SmTarget *target, const SmOldFile *file)
{
	Datum		values[NAME_NPARAMS];

	if (target->delete == NULL)
		target->delete = prepare(psprintf("DELETE FROM %s WHERE " OF_FILE, target->table.sql_name),
								 NAME_NPARAMS);
	set_name(target, file->section, file->name, values);
	change_row(target->delete, values, NULL);
}
