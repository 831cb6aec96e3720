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
 * Statements on the target (server/statement.h) run with the caller's privileges, and fire
 * triggers.  Each statement names one table, once.  Foreign partitions and sharded tables
 * support such statements.  No statement but an INSERT names base_url, section or name in
 * its new values, because a sharded table refuses to change the columns that it is sharded
 * by.
 *
 * At REPEATABLE READ, the list of the section's files can be older than the target.
 * PostgreSQL refuses to change a row that another run has changed since.  The files of the
 * site are listed with the newest snapshot.  So a file that another run has inserted since
 * is found before an INSERT, even in a target without a unique key, and an index lists what
 * the target has.
 */
#include "postgres.h"

#include "publish/target.h"

#include "access/htup_details.h"
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

/* Conditions on the parameters $1, the base_url, $2, the section, and $3, the name of a file. */
#define OF_SECTION	"base_url OPERATOR(pg_catalog.=) $1 AND section OPERATOR(pg_catalog.=) $2"
#define OF_FILE		OF_SECTION " AND name OPERATOR(pg_catalog.=) $3"

/* List the files that a SELECT of SM_OLD_FILE_COLUMNS returns. */
static SmFileList *
list_files(const SmTarget *target, const char *sql, ParamListInfo params, SmAccess access)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(target->context);
	SPITupleTable *rows = sm_table_execute(&target->table, sql, params, access, NULL).rows;
	SmFileList *list = sm_file_list_read(rows, target->table.name);

	SPI_freetuptable(rows);
	MemoryContextSwitchTo(oldcontext);
	return list;
}

/*
 * List the sitemaps of the section that no other program makes.  Raises an error if two have
 * one name.
 */
static SmFileList *
list_section(const SmTarget *target)
{
	const char *values[] = {target->base_url, target->section, sm_file_kinds[SM_INDEX]};
	SmFileList *list = list_files(target,
								  "SELECT " SM_OLD_FILE_COLUMNS("content IS NOT NULL") ", first_key, recipe FROM @table"
								  " WHERE " OF_SECTION
								  " AND digest IS NOT NULL AND (kind OPERATOR(pg_catalog.=) $3) IS NOT TRUE",
								  sm_text_parameters(lengthof(values), values), SM_READ);

	for (int i = 1; i < list->nfiles; i++)
		if (strcmp(list->files[i - 1]->name, list->files[i]->name) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNIQUE_VIOLATION),
					 errmsg("the target table \"%s\" has more than one file named \"%s\"",
							target->table.name, sm_clip(list->files[i]->name)),
					 errhint("Give it a primary key: PRIMARY KEY (base_url, name).")));
	return list;
}

/*
 * List the files of the site, with the newest snapshot.  Partitions can be foreign tables,
 * whose servers would send all content: a file with a digest counts as one with content.
 */
static SmFileList *
list_site(const SmTarget *target)
{
	return list_files(target,
					  "SELECT " SM_OLD_FILE_COLUMNS("digest IS NOT NULL") " FROM @table"
					  " WHERE base_url OPERATOR(pg_catalog.=) $1",
					  sm_text_parameters(1, &target->base_url), SM_READ_NEWEST);
}

const SmOldFile *
sm_target_find(SmTarget *target, const char *name)
{
	if (target->site == NULL)
		target->site = list_site(target);
	return sm_file_list_find_name(target->site, name);
}

SmFileList *
sm_target_list_indexes(SmTarget *target, bool of_site)
{
	if (target->site)
		MemoryContextDelete(target->site->context);
	target->site = list_site(target);
	return sm_file_list_indexes(target->site, target->section, of_site);
}

/* Is an index unique and on name alone? */
static bool
is_for_one_site(HeapTuple index)
{
	Form_pg_index form = (Form_pg_index) GETSTRUCT(index);

	return form->indisunique && form->indnkeyatts == 1 &&
		form->indkey.values[0] == get_attnum(form->indrelid, "name") &&
		heap_attisnull(index, Anum_pg_index_indpred, NULL);
}

/* Raise an error if the table is for one site, and has files of another. */
static void
check_one_site(const SmTarget *target)
{
	SmResult	other;

	if (!OidIsValid(sm_find_index(target->table.rel, is_for_one_site)))
		return;
	other = sm_table_execute(&target->table,
							 "SELECT base_url FROM @table WHERE base_url OPERATOR(pg_catalog.<>) $1 LIMIT 1",
							 sm_text_parameters(1, &target->base_url), SM_READ, NULL);
	if (other.count > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("base_url \"%s\" is not that of the target's other files", target->base_url),
				 errdetail("The target table \"%s\" has files of \"%s\", and its names are unique.",
						   target->table.name,
						   sm_clip(SPI_getvalue(other.rows->vals[0], other.rows->tupdesc, 1))),
				 errhint("For many sites in one table, use PRIMARY KEY (base_url, name).")));
}

void
sm_target_lock_site(SmTarget *target)
{
	target->place = target->in_target;
	(void) sm_lock(SM_LOCK_SITE, target->table.relid, target->base_url, "");
	target->now = Max(GetCurrentTimestamp(), target->now);
	/* the query can have changed the role */
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

	PreventCommandDuringRecovery(function);
	target->context = CurrentMemoryContext;
	target->table = target_table;
	target->table.relid = relid;
	target->place = target->in_target = psprintf("in the target \"%s\"", sm_table_label(relid));
	target->section = options->section;
	target->base_url = pnstrdup(options->base.url[SM_FORM_PLAIN], options->base.len[SM_FORM_PLAIN]);
	target->now = DT_NOBEGIN;
	SPI_connect();
	MemoryContextSwitchTo(target->context);

	/* whoever may not publish must not hold up those who may */
	check_privileges(target);
	if (target->section)
		(void) sm_lock(SM_LOCK_SECTION, relid, target->base_url, target->section);
	sm_table_open(&target->table, RowExclusiveLock);
	sm_table_check_row_security(&target->table);
	if (!RelationUsesLocalBuffers(target->table.rel))
		PreventCommandIfReadOnly(function);
	check_use(target->table.rel);
	check_one_site(target);
	if (target->section)
		target->sitemaps = list_section(target);
	target->place = NULL;
}

void
sm_target_close(SmTarget *target)
{
	SPI_finish();
	relation_close(target->table.rel, NoLock);
}

/* The parameters $1 to $3 of a statement on one file. */
static ParamListInfo
name_parameters(const SmTarget *target, const char *section, const char *name)
{
	const char *values[] = {target->base_url, section, name};

	return sm_text_parameters(lengthof(values), values);
}

void
sm_target_read(SmTarget *target, int column, SmOldFile *const *files, int nfiles)
{
	const char *place = target->place;
	MemoryContext context = CurrentMemoryContext;
	ParamListInfo params = name_parameters(target, target->section, NULL);
	Datum	   *names = palloc_array(Datum, nfiles);
	SmResult	result;

	for (int i = 0; i < nfiles; i++)
	{
		files[i]->value = NULL;
		names[i] = CStringGetTextDatum(files[i]->name);
	}
	sm_set_parameter(params, 3, TEXTARRAYOID,
					 PointerGetDatum(construct_array(names, nfiles, TEXTOID, -1, false, TYPALIGN_INT)), false);
	target->place = target->in_target;
	SPI_connect();
	MemoryContextSwitchTo(context);
	result = sm_table_execute(&target->table,
							  psprintf("SELECT name, %s FROM @table WHERE " OF_SECTION
									   " AND name OPERATOR(pg_catalog.=) ANY ($3)", sm_file_columns[column].name),
							  params, SM_READ, NULL);
	for (uint64 i = 0; i < result.count; i++)
	{
		HeapTuple	row = result.rows->vals[i];
		TupleDesc	desc = result.rows->tupdesc;
		SmOldFile  *file = sm_file_list_find(target->sitemaps, target->section, SPI_getvalue(row, desc, 1));
		bool		isnull;
		Datum		value = SPI_getbinval(row, desc, 2, &isnull);

		if (file && !isnull)
			file->value = (struct varlena *) DatumGetPointer(datumCopy(value, false, -1));
	}
	SPI_finish();
	target->place = place;
}

void
sm_target_conflict(const SmTarget *target, const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not serialize access due to concurrent update of the target table \"%s\"",
					target->table.name),
			 errdetail("Another transaction has inserted the file \"%s\".", name)));
}

pg_noreturn static void
interfered(uint64 changed)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("a trigger, rule, function or other session interfered: 1 row expected, " UINT64_FORMAT " changed",
					changed)));
}

/* Is there a row of the file that is $1 to $3? */
static bool
has_row(const SmTarget *target, ParamListInfo params, SmAccess access)
{
	return sm_table_execute(&target->table, "SELECT FROM @table WHERE " OF_FILE, params, access, NULL).count > 0;
}

/*
 * Run a statement that must change one row, of the file that is $1 to $3.  Returns false if
 * it changed none and there is none.
 */
static bool
change_row(SmTarget *target, SmStatement *statement, ParamListInfo params)
{
	uint64		changed = sm_statement_execute(statement, params, SM_WRITE).count;

	if (changed == 0 && !has_row(target, params, SM_READ_NEWEST))
		return false;
	if (changed == 0 && !has_row(target, params, SM_READ))
		sm_target_conflict(target, TextDatumGetCString(params->params[SM_FILE_NAME].value));
	if (changed != 1)
		interfered(changed);
	return true;
}

/* Prepare a statement, whose plan serves to the end of the run. */
static SmStatement *
prepare(const SmTarget *target, const char *sql, int options)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(target->context);
	SmStatement *statement = sm_table_prepare(&target->table, sql, options);

	MemoryContextSwitchTo(oldcontext);
	return statement;
}

/* The parameter of an UPDATE: does the file keep its content?  It follows the columns. */
#define KEEPS_CONTENT	(SM_FILE_NCOLUMNS + 1)

/* Prepare an INSERT of a file, or an UPDATE of its columns after name. */
static SmStatement *
prepare_write(const SmTarget *target, bool is_new)
{
	StringInfoData columns;
	StringInfoData values;

	initStringInfo(&columns);
	initStringInfo(&values);
	for (int i = is_new ? 0 : SM_FILE_NAME + 1; i < SM_FILE_NCOLUMNS; i++)
	{
		const char *comma = columns.len > 0 ? ", " : "";

		if (!sm_table_has_column(&target->table, i))
			continue;
		appendStringInfo(&columns, "%s%s", comma, sm_file_columns[i].name);

		/* the planner decides the CASE: no foreign server sends content */
		if (i == SM_FILE_CONTENT && !is_new)
			appendStringInfo(&values, "%sCASE WHEN $%d THEN content ELSE $%d END", comma,
							 KEEPS_CONTENT, i + 1);
		else
			appendStringInfo(&values, "%s$%d", comma, i + 1);
	}
	if (is_new)
		return prepare(target, psprintf("INSERT INTO @table (%s) VALUES (%s)", columns.data, values.data), 0);
	return prepare(target,
				   psprintf("UPDATE @table SET (%s) = ROW (%s) WHERE " OF_FILE, columns.data, values.data),
				   CURSOR_OPT_CUSTOM_PLAN);
}

void
sm_target_write(SmTarget *target, bool is_new, const Datum *values, const bool *isnull,
				TimestampTz lastmod)
{
	ParamListInfo params = makeParamList(KEEPS_CONTENT);
	SmStatement **statement = is_new ? &target->insert : &target->update;

	if (*statement == NULL)
		*statement = prepare_write(target, is_new);
	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
		sm_set_parameter(params, i + 1, sm_file_columns[i].type, values[i], isnull[i]);
	sm_set_parameter(params, SM_FILE_LASTMOD + 1, TIMESTAMPTZOID, TimestampTzGetDatum(lastmod),
					 TIMESTAMP_IS_NOBEGIN(lastmod));
	sm_set_parameter(params, KEEPS_CONTENT, BOOLOID, BoolGetDatum(isnull[SM_FILE_CONTENT]), false);
	if (!change_row(target, *statement, params))
		interfered(0);
}

bool
sm_target_delete(SmTarget *target, const SmOldFile *file)
{
	if (target->delete == NULL)
		target->delete = prepare(target, "DELETE FROM @table WHERE " OF_FILE, CURSOR_OPT_CUSTOM_PLAN);
	return change_row(target, target->delete, name_parameters(target, file->section, file->name));
}
