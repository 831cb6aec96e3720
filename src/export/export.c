/*
 * export.c
 *	  sitemap_export: a query's rows → files in a directory of the server.
 *
 * 1. The query runs.  Each row is compared with the list of files that earlier exports
 *	  wrote.  A file is unchanged if the list has its size, its mtime and the digest of
 *	  the row.
 * 2. The list is written, with the old and the new version of each file.
 * 3. Changed files are written, indexes last, since an index must not list files that do
 *	  not exist yet.  Then listed files that the query did not return are removed.
 * 4. The list is written, with the new versions.
 *
 * If the query fails, nothing has changed.  At any moment, and after any crash, each
 * file in the directory is whole, old or new, and the list says which are ours.
 *
 * Rows are kept as the query returns them.  So content in a TOAST table is only a pointer
 * until it is read, and the content of an unchanged file is never read.  The query's
 * snapshot stays active until the end, and keeps VACUUM from removing the content.
 */
#include "postgres.h"

#include <time.h>

#include "access/detoast.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "export/export.h"
#include "export/list.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "server/argument.h"
#include "server/column.h"
#include "server/encoding.h"
#include "server/query.h"
#include "server/statement.h"
#include "storage/ipc.h"
#include "text/digest.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"
#include "web/url.h"

PG_FUNCTION_INFO_V1(sitemap_export);

/* a web server may read files, only we may write them */
#define FILE_MODE		(S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH)

/* The columns of the query that are used. */
enum
{
	EXPORT_NAME,
	EXPORT_CONTENT,
	EXPORT_KIND,
	EXPORT_DIGEST,
	EXPORT_LASTMOD,
	EXPORT_BASE_URL,
	EXPORT_NCOLUMNS
};

static const SmColumnRule column_rules[EXPORT_NCOLUMNS] = {
	[EXPORT_NAME] = {"name", "text",.takes_text = true},
	[EXPORT_CONTENT] = {"content", "bytea, text or xml",.takes_text = true,.oids = {BYTEAOID, XMLOID}},
	[EXPORT_KIND] = {"kind", "text",.takes_text = true},
	[EXPORT_DIGEST] = {"digest", "text",.takes_text = true},
	[EXPORT_LASTMOD] = {"lastmod", "timestamp with time zone",.oids = {TIMESTAMPTZOID}},
	[EXPORT_BASE_URL] = {"base_url", "text",.takes_text = true}
};

/* An export of a query, or of the files of a site in a target. */
typedef struct ExportState
{
	SmReceiver	receiver;		/* must be first */

	/* set by the caller */
	const char *directory;
	const char *query;			/* NULL for a target */
	Oid			target;
	const char *base_url;		/* of rows that have none, or of the site;
								 * NULL for none */
	bool		may_be_empty;	/* no row removes all files */
	ReturnSetInfo *result;		/* NULL for none */

	SmDir		dir;
	SmList		list;
	TupleDesc	desc;			/* of the query */
	SmColumn	column[EXPORT_NCOLUMNS];
	Tuplestorestate *sitemaps;	/* rows of all files except indexes */
	Tuplestorestate *indexes;
	uint64		nfiles;			/* in the query */
} ExportState;

static void
check_privilege(void)
{
	if (!has_privs_of_role(GetUserId(), ROLE_PG_WRITE_SERVER_FILES))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to export to a directory"),
				 errdetail("Only roles with privileges of the \"pg_write_server_files\" role may export to a directory of the server."),
				 errhint("A superuser can execute: GRANT pg_write_server_files TO %s. Without it, read the files by a query, and write them on the client's side.",
						 quote_identifier(GetUserNameFromId(GetUserId(), false)))));
}

static void
find_columns(SmReceiver *self, TupleDesc desc)
{
	ExportState *state = (ExportState *) self;

	sm_match_columns(desc, column_rules, EXPORT_NCOLUMNS, NULL, state->column);
	for (int which = EXPORT_NAME; which <= EXPORT_CONTENT; which++)
		if (state->column[which].index < 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("the query has no column \"%s\"", column_rules[which].name),
					 errhint("The columns are name and content, and kind where there is an index.")));
	state->desc = CreateTupleDescCopy(desc);
}

/* A column of a row; NULL if the query does not have it. */
static NullableDatum
get_column(const ExportState *state, TupleTableSlot *slot, int which)
{
	int			index = state->column[which].index;
	NullableDatum result = {.isnull = true};

	if (index >= 0)
		result.value = slot_getattr(slot, index + 1, &result.isnull);
	return result;
}

/* A column as text; NULL if it is null. */
static char *
get_text(ExportState *state, TupleTableSlot *slot, int which)
{
	SmColumn   *column = &state->column[which];
	NullableDatum value = get_column(state, slot, which);
	char	   *string = value.isnull ? NULL : OutputFunctionCall(&column->output, value.value);

	/* without the blanks that fill up a char(n) */
	if (string && column->type == BPCHAROID)
		string[bpchartruelen(string, strlen(string))] = '\0';
	return string;
}

static SmSpan
read_content(ExportState *state, TupleTableSlot *slot, const char *name)
{
	SmColumn   *column = &state->column[EXPORT_CONTENT];
	Datum		value = get_column(state, slot, EXPORT_CONTENT).value;

	if (column->type == BYTEAOID)
	{
		bytea	   *bytes = DatumGetByteaPP(value);

		return sm_span(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	}

	/* xml without its encoding declaration */
	value = CStringGetTextDatum(OutputFunctionCall(&column->output, value));
	return sm_read_argument(value, psprintf("content of file \"%s\"", sm_clip(name)));
}

/* The size of a row's content, which for bytea is known without reading it. */
static int64
content_size(ExportState *state, TupleTableSlot *slot, const char *name)
{
	if (state->column[EXPORT_CONTENT].type == BYTEAOID)
		return toast_raw_datum_size(get_column(state, slot, EXPORT_CONTENT).value) - VARHDRSZ;
	return read_content(state, slot, name).len;
}

/*
 * The mtime of a file to be written.  It is the row's lastmod, so that servers that export
 * the same rows agree on it.  But it is always later than the mtime of the file to be
 * replaced; otherwise a cache would mistake the new file for the old one.  old: the file to
 * be replaced, NULL for none.
 */
static int64
new_mtime(ExportState *state, TupleTableSlot *slot, const struct stat *old)
{
	NullableDatum value = get_column(state, slot, EXPORT_LASTMOD);
	TimestampTz lastmod = value.isnull ? DT_NOBEGIN : DatumGetTimestampTz(value.value);
	int64		oldest = old ? old->st_mtime + 1 : 0;

	if (!TIMESTAMP_NOT_FINITE(lastmod))
	{
		int64		mtime;

		/* rounded down, also before 2000 */
		lastmod -= (lastmod % USECS_PER_SEC + USECS_PER_SEC) % USECS_PER_SEC;
		mtime = timestamptz_to_time_t(lastmod);
		if (mtime >= Max(oldest, 0) && mtime <= PG_UINT32_MAX)
			return mtime;
	}
	return Max(time(NULL), oldest);
}

/*
 * Compare a row with its file.  digest: text that tells versions of the content apart, NULL
 * if only the content itself does.
 */
static void
compare_file(ExportState *state, TupleTableSlot *slot, const char *digest, SmListFile *file)
{
	struct stat st;
	bool		exists = sm_dir_stat_regular(&state->dir, file->name, &st);
	SmSpan		version = digest ? sm_span(digest, strlen(digest)) :
		read_content(state, slot, file->name);

	if (exists && !file->is_listed && strcmp(file->name, "sitemap.xml") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_FILE),
				 errmsg("file \"%s\" was not written by sitemap_export",
						sm_dir_path(&state->dir, file->name)),
				 errdetail("It is not in the directory's list of exported files."),
				 errhint("Rename or remove the file.")));
	file->put.digest = sm_digest(version.s, version.len, 0);
	if (exists && sm_list_is_ours(file, &st) && file->listed.digest == file->put.digest)
		file->action = "unchanged";
	else
	{
		file->action = exists ? "updated" : "created";
		file->is_written = true;
		file->put.size = content_size(state, slot, file->name);
		file->put.mtime = new_mtime(state, slot, exists ? &st : NULL);
	}
}

/* A base_url as runs write it. */
static char *
read_base_url(Datum value)
{
	SmUrlBase  *base = palloc_object(SmUrlBase);

	sm_base_url_read(sm_read_argument(value, "base_url"), SM_SCOPE_HOST, base);
	return pnstrdup(base->url[SM_FORM_PLAIN], base->len[SM_FORM_PLAIN]);
}

/* A base_url, or NULL for none, as the noun of a message. */
static const char *
describe_site(const char *base_url)
{
	return base_url ? psprintf("site \"%s\"", sm_clip(base_url)) : "files without base_url";
}

/*
 * Raise an error if a row is of another site than the directory.  Sites use the same
 * file names, and an export removes what its query lacks.  A directory without a site
 * gets that of the first row.
 */
static void
check_site(ExportState *state, const char *base_url)
{
	SmList	   *list = &state->list;

	if (list->site == NULL && base_url != NULL && state->nfiles == 0)
		list->site = MemoryContextStrdup(state->receiver.context, base_url);
	if (base_url != list->site &&
		(base_url == NULL || list->site == NULL || strcmp(base_url, list->site) != 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot export %s to the directory of %s",
						describe_site(base_url), describe_site(list->site)),
				 base_url == NULL ?
				 errhint("Add the column base_url to the query, or pass base_url to sitemap_export.") :
				 errhint("Give each site a directory of its own, in its jobs or in calls of sitemap_export. If \"%s\" has a line \"site\", delete it to give the directory to another site.",
						 sm_dir_path(list->dir, SM_LIST_NAME))));
}

static bool
add_row(SmReceiver *self, TupleTableSlot *slot)
{
	ExportState *state = (ExportState *) self;
	char	   *name = get_text(state, slot, EXPORT_NAME);
	char	   *kind = get_text(state, slot, EXPORT_KIND);
	char	   *digest = get_text(state, slot, EXPORT_DIGEST);
	char	   *base_url = get_text(state, slot, EXPORT_BASE_URL);
	bool		no_content = get_column(state, slot, EXPORT_CONTENT).isnull;
	SmListFile *file;

	/* a row of a target for a sitemap that another program makes */
	if (no_content && digest == NULL && state->column[EXPORT_DIGEST].index >= 0)
		return true;
	if (name == NULL || no_content)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("column \"%s\" of the query must not be null",
						column_rules[name ? EXPORT_CONTENT : EXPORT_NAME].name),
				 errdetail("It is null in row " UINT64_FORMAT ".", state->receiver.nrows)));
	/* most rows write it as runs do */
	if (base_url == NULL || state->list.site == NULL || strcmp(base_url, state->list.site) != 0)
		check_site(state, base_url ? read_base_url(CStringGetTextDatum(base_url)) : state->base_url);

	file = sm_list_find(&state->list, name);
	if (file->action)
		ereport(ERROR,
				(errcode(ERRCODE_CARDINALITY_VIOLATION),
				 errmsg("file name \"%s\" appears more than once in the query", name)));
	compare_file(state, slot, digest, file);
	state->nfiles++;
	tuplestore_puttupleslot(kind && strcmp(kind, "index") == 0 ? state->indexes : state->sitemaps,
							slot);
	return true;
}

static void
put_result(ExportState *state, const SmListFile *file, const char *action)
{
	Datum		values[] = {
		CStringGetTextDatum(file->name), CStringGetTextDatum(action),
		Int64GetDatum(file->is_written ? file->put.size : file->listed.size)
	};
	bool		nulls[] = {false, false, false};

	if (state->result)
		tuplestore_putvalues(state->result->setResult, state->result->setDesc, values, nulls);
}

/* Write the files of these rows that have changed. */
static void
write_files(ExportState *state, Tuplestorestate *rows)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(state->desc, &TTSOpsMinimalTuple);

	while (tuplestore_gettupleslot(rows, true, false, slot))
	{
		MemoryContext oldcontext;
		SmListFile *file;

		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(state->receiver.row_context);
		oldcontext = MemoryContextSwitchTo(state->receiver.row_context);
		file = sm_list_find(&state->list, get_text(state, slot, EXPORT_NAME));
		if (file->is_written)
			file->put.mtime = sm_dir_replace(&state->dir, file->name,
											 read_content(state, slot, file->name),
											 FILE_MODE, file->put.mtime);
		put_result(state, file, file->action);
		MemoryContextSwitchTo(oldcontext);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_end(rows);
	sm_dir_flush(&state->dir);
}

/*
 * Remove the listed files that the query did not return.  A file that somebody else
 * has changed stays, with a warning.
 */
static void
remove_files(ExportState *state)
{
	dlist_iter	iter;

	dlist_foreach(iter, &state->list.files)
	{
		SmListFile *file = dlist_container(SmListFile, node, iter.cur);
		struct stat st;

		CHECK_FOR_INTERRUPTS();
		if (file->action || !sm_dir_stat(&state->dir, file->name, &st))
			continue;
		if (sm_list_is_ours(file, &st))
		{
			sm_dir_remove(&state->dir, file->name);
			put_result(state, file, "deleted");
		}
		else
			ereport(WARNING,
					(errmsg("file \"%s\" was not removed", sm_dir_path(&state->dir, file->name)),
					 errdetail("It is no longer the file that sitemap_export wrote.")));
	}
	sm_dir_flush(&state->dir);
}

/* Read the files of a site in a target.  The target is found by its OID, not by its name. */
static void
read_target(ExportState *state)
{
	SmTable		target = {.relid = state->target,.what = "target table"};

	sm_table_open(&target, AccessShareLock);
	SPI_connect();
	sm_table_execute(&target,
					 "SELECT base_url, name, kind, lastmod, digest, content FROM @table"
					 " WHERE base_url OPERATOR(pg_catalog.=) $1",
					 sm_text_parameters(1, &state->base_url), SM_READ, &state->receiver.dest);
	SPI_finish();
	relation_close(target.rel, NoLock);
}

/* Open the directory, read the rows and write the files, while nobody else does. */
static void
mirror(ExportState *state)
{
	sm_dir_open(&state->dir, state->directory);
	sm_list_read(&state->list, &state->dir);
	if (state->base_url)
		check_site(state, state->base_url);

	/*
	 * At READ COMMITTED, take a new snapshot under the lock, so that the
	 * files are not older than those of the export before.
	 */
	PushActiveSnapshot(GetTransactionSnapshot());
	if (state->query)
		sm_run_query(state->query, &state->receiver);
	else
		read_target(state);
	if (state->nfiles == 0 && !state->may_be_empty && !dlist_is_empty(&state->list.files))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the query has no rows"),
				 errdetail("That would remove every file that was exported to directory \"%s\".",
						   state->directory),
				 errhint("If the site has no files any more, pass its base_url to sitemap_export.")));

	sm_list_write(&state->list, true);
	write_files(state, state->sitemaps);
	write_files(state, state->indexes);
	remove_files(state);
	sm_list_write(&state->list, false);
	PopActiveSnapshot();
}

/* After an error, or when the session ends. */
static void
close_after_error(int code, Datum arg)
{
	sm_dir_close((SmDir *) DatumGetPointer(arg));
}

static void
export_files(ExportState *state)
{
	check_privilege();
	sm_receiver_init(&state->receiver, find_columns, add_row);
	state->sitemaps = tuplestore_begin_heap(false, false, work_mem);
	state->indexes = tuplestore_begin_heap(false, false, work_mem);

	/*
	 * closed before the lock is released, or who waits for it would find the
	 * directory locked
	 */
	PG_ENSURE_ERROR_CLEANUP(close_after_error, PointerGetDatum(&state->dir));
	{
		mirror(state);
	}
	PG_END_ENSURE_ERROR_CLEANUP(close_after_error, PointerGetDatum(&state->dir));
	sm_dir_close(&state->dir);
	LockRelease(&state->dir.lock, ExclusiveLock, false);
}

Datum
sitemap_export(PG_FUNCTION_ARGS)
{
	ExportState state = {.dir = SM_DIR_CLOSED,.result = (ReturnSetInfo *) fcinfo->resultinfo};
	const SmArguments *args;

	InitMaterializedSRF(fcinfo, 0);
	args = sm_call_arguments(fcinfo);
	state.directory = sm_text_argument(args, "directory");
	state.query = sm_text_argument(args, "files");
	if (sm_has_argument(args, "base_url"))
		state.base_url = read_base_url(sm_argument(args, "base_url"));
	state.may_be_empty = state.base_url != NULL;
	export_files(&state);
	return (Datum) 0;
}

static void
add_job_context(void *directory)
{
	errcontext("in the export to directory \"%s\"", (char *) directory);
}

void
sm_export_site(char *directory, Oid target, char *base_url, bool may_be_empty)
{
	ExportState state = {
		.dir = SM_DIR_CLOSED,.directory = directory,.target = target,.base_url = base_url,.may_be_empty = may_be_empty
	};
	ErrorContextCallback callback = {error_context_stack, add_job_context, directory};

	error_context_stack = &callback;
	export_files(&state);
	error_context_stack = callback.previous;
}
