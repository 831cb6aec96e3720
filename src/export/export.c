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
 * until it is read, and the content of an unchanged file is never read.  The snapshot of
 * the calling statement, which the query shares, keeps VACUUM from removing the content.
 */
#include "postgres.h"

#include <time.h>

#include "access/detoast.h"
#include "access/htup_details.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "core/digest.h"
#include "executor/tuptable.h"
#include "export/list.h"
#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "server/argument.h"
#include "server/cancel.h"
#include "server/column.h"
#include "server/encoding.h"
#include "server/query.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

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

typedef struct ExportState
{
	SmReceiver	receiver;		/* must be first */
	SmDir		dir;
	SmList		list;
	TupleDesc	desc;			/* of the query */
	SmColumn	column[EXPORT_NCOLUMNS];
	Tuplestorestate *sitemaps;	/* rows of all files except indexes */
	Tuplestorestate *indexes;
	char	   *base_url;		/* of the first row that has one, or NULL */
	uint64		nwritten;		/* files to be written */
	ReturnSetInfo *result;
} ExportState;

static void
check_privilege(void)
{
	if (!has_privs_of_role(GetUserId(), ROLE_PG_WRITE_SERVER_FILES))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to export to a directory"),
				 errdetail("Only roles with privileges of the \"%s\" role may export to a directory of the server.",
						   "pg_write_server_files"),
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
static Datum
get_column(const ExportState *state, TupleTableSlot *slot, int which, bool *isnull)
{
	int			index = state->column[which].index;

	*isnull = true;
	return index < 0 ? (Datum) 0 : slot_getattr(slot, index + 1, isnull);
}

/*
 * Read a value as text: an xml value without its encoding declaration, a char(n)
 * without the blanks that fill it up.
 */
static char *
to_text(SmColumn *column, Datum value)
{
	char	   *string = OutputFunctionCall(&column->output, value);

	if (column->type == BPCHAROID)
		string[bpchartruelen(string, strlen(string))] = '\0';
	return string;
}

/* A column as text; NULL if it is null. */
static char *
get_text(ExportState *state, TupleTableSlot *slot, int which)
{
	bool		isnull;
	Datum		value = get_column(state, slot, which, &isnull);

	return isnull ? NULL : to_text(&state->column[which], value);
}

static SmSpan
read_content(ExportState *state, TupleTableSlot *slot, const char *name)
{
	SmColumn   *column = &state->column[EXPORT_CONTENT];
	bool		isnull;
	Datum		value = get_column(state, slot, EXPORT_CONTENT, &isnull);
	SmSpan		result;
	char	   *string;

	if (column->type == BYTEAOID)
	{
		bytea	   *bytes = DatumGetByteaPP(value);

		return sm_span(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	}

	string = to_text(column, value);
	if (!sm_to_utf8(string, strlen(string), &result))
		ereport(ERROR,
				(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
				 errmsg("invalid content of file \"%s\": bytes that are not text in encoding \"%s\" or have no counterpart in UTF-8",
						sm_clip(name), GetDatabaseEncodingName())));
	return result;
}

/* The size of a row's content, which for bytea is known without reading it. */
static int64
content_size(ExportState *state, TupleTableSlot *slot, const char *name)
{
	bool		isnull;

	if (state->column[EXPORT_CONTENT].type == BYTEAOID)
		return toast_raw_datum_size(get_column(state, slot, EXPORT_CONTENT, &isnull)) - VARHDRSZ;
	return read_content(state, slot, name).len;
}

/*
 * A row's digest as a number.  A digest of our own form is read; any other text is hashed.
 */
static uint64
read_digest(const char *digest)
{
	size_t		len = strlen(digest);

	if (len == SM_DIGEST_HEX_LEN && strspn(digest, "0123456789abcdef") == len)
		return strtou64(digest, NULL, 16);
	return sm_digest(digest, len, 0);
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
	bool		isnull;
	Datum		value = get_column(state, slot, EXPORT_LASTMOD, &isnull);
	int64		now = time(NULL);

	if (!isnull && !TIMESTAMP_NOT_FINITE(DatumGetTimestampTz(value)))
	{
		TimestampTz lastmod = DatumGetTimestampTz(value);
		int64		mtime;

		/* rounded down, also before 2000 */
		lastmod -= (lastmod % USECS_PER_SEC + USECS_PER_SEC) % USECS_PER_SEC;
		mtime = timestamptz_to_time_t(lastmod);
		if (mtime >= 0 && mtime <= PG_UINT32_MAX && (old == NULL || mtime > old->st_mtime))
			return mtime;
	}
	return old == NULL ? now : Max(now, old->st_mtime + 1);
}

/*
 * Compare a row with its file.  digest: NULL to compute it from the content.
 */
static void
compare_file(ExportState *state, TupleTableSlot *slot, const char *digest, SmListFile *file)
{
	struct stat st;
	bool		exists = sm_dir_stat_regular(&state->dir, file->name, &st);

	if (digest)
		file->put.digest = read_digest(digest);
	else
	{
		SmSpan		content = read_content(state, slot, file->name);

		file->put.digest = sm_digest(content.s, content.len, 0);
	}
	if (exists && sm_list_is_ours(file, &st) && file->listed.digest == file->put.digest)
		file->action = SM_FILE_UNCHANGED;
	else
	{
		file->action = exists ? SM_FILE_UPDATED : SM_FILE_CREATED;
		file->put.size = content_size(state, slot, file->name);
		file->put.mtime = new_mtime(state, slot, exists ? &st : NULL);
		state->nwritten++;
	}
}

/* Raise an error for a column of the row that must not be null. */
static void
check_not_null(const ExportState *state, int which, bool isnull)
{
	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("column \"%s\" of the query must not be null",
						column_rules[which].name),
				 errdetail("It is null in row " UINT64_FORMAT ".", state->receiver.nrows)));
}

/*
 * Raise an error if a row is of another site than earlier rows: sites use the same file
 * names.
 */
static void
check_site(ExportState *state, const char *base_url)
{
	if (base_url == NULL)
		return;
	if (state->base_url == NULL)
		state->base_url = MemoryContextStrdup(state->receiver.context, base_url);
	if (strcmp(state->base_url, base_url) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the query has files of two sites"),
				 errdetail("Their base_url are \"%s\" and \"%s\".",
						   sm_clip(state->base_url), sm_clip(base_url)),
				 errhint("Export each site into a directory of its own, with WHERE base_url = ... in the query.")));
}

static bool
add_row(SmReceiver *self, TupleTableSlot *slot)
{
	ExportState *state = (ExportState *) self;
	char	   *name = get_text(state, slot, EXPORT_NAME);
	char	   *kind = get_text(state, slot, EXPORT_KIND);
	char	   *digest = get_text(state, slot, EXPORT_DIGEST);
	bool		no_content;
	SmListFile *file;

	(void) get_column(state, slot, EXPORT_CONTENT, &no_content);
	/* a row of a target for a sitemap that another program makes */
	if (no_content && digest == NULL && state->column[EXPORT_DIGEST].index >= 0)
		return true;
	check_not_null(state, EXPORT_NAME, name == NULL);
	check_not_null(state, EXPORT_CONTENT, no_content);
	check_site(state, get_text(state, slot, EXPORT_BASE_URL));

	file = sm_list_find(&state->list, name);
	if (file->action != SM_FILE_NONE)
		ereport(ERROR,
				(errcode(ERRCODE_CARDINALITY_VIOLATION),
				 errmsg("file name \"%s\" appears more than once in the query", name)));
	compare_file(state, slot, digest, file);
	tuplestore_puttupleslot(kind && strcmp(kind, "index") == 0 ? state->indexes : state->sitemaps,
							slot);
	return true;
}

static void
put_result(ExportState *state, const SmListFile *file, int64 size)
{
	static const char *const actions[] = {
		[SM_FILE_CREATED] = "created",[SM_FILE_UPDATED] = "updated",
		[SM_FILE_UNCHANGED] = "unchanged",[SM_FILE_DELETED] = "deleted"
	};
	Datum		values[3];
	bool		nulls[3] = {false};

	values[0] = CStringGetTextDatum(file->name);
	values[1] = CStringGetTextDatum(actions[file->action]);
	values[2] = Int64GetDatum(size);
	tuplestore_putvalues(state->result->setResult, state->result->setDesc, values, nulls);
}

static void
write_file(ExportState *state, TupleTableSlot *slot)
{
	SmListFile *file = sm_list_find(&state->list, get_text(state, slot, EXPORT_NAME));

	if (sm_list_is_written(file))
	{
		SmSpan		content = read_content(state, slot, file->name);

		file->put.mtime = sm_dir_replace(&state->dir, file->name, content, FILE_MODE,
										 file->put.mtime);
		put_result(state, file, file->put.size);
	}
	else
		put_result(state, file, file->listed.size);
}

/* Write the files of these rows that have changed. */
static void
write_files(ExportState *state, Tuplestorestate *rows)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(state->desc, &TTSOpsMinimalTuple);

	while (tuplestore_gettupleslot(rows, true, false, slot))
	{
		MemoryContext oldcontext;

		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(state->receiver.row_context);
		oldcontext = MemoryContextSwitchTo(state->receiver.row_context);
		write_file(state, slot);
		MemoryContextSwitchTo(oldcontext);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_end(rows);
	if (state->nwritten > 0)
		sm_dir_flush(&state->dir);
}

/*
 * Remove the listed files that the query did not return.  A file that somebody else
 * has changed stays, with a warning.  Returns whether any file leaves the list.
 */
static bool
remove_files(ExportState *state)
{
	bool		any = false;
	ListCell   *lc;

	foreach(lc, sm_list_files(&state->list))
	{
		SmListFile *file = lfirst(lc);
		struct stat st;

		CHECK_FOR_INTERRUPTS();
		if (file->action != SM_FILE_NONE)
			continue;
		any = true;
		if (!sm_dir_stat(&state->dir, file->name, &st))
			continue;
		if (sm_list_is_ours(file, &st))
		{
			sm_dir_remove(&state->dir, file->name);
			file->action = SM_FILE_DELETED;
			put_result(state, file, file->listed.size);
		}
		else
			ereport(WARNING,
					(errmsg("file \"%s\" was not removed", sm_dir_path(&state->dir, file->name)),
					 errdetail("It is no longer the file that sitemap_export wrote.")));
	}
	if (any)
		sm_dir_flush(&state->dir);
	return any;
}

static void
init_state(ExportState *state, const char *directory, ReturnSetInfo *rsinfo)
{
	sm_receiver_init(&state->receiver, find_columns, add_row);
	sm_dir_open(&state->dir, directory);
	sm_list_read(&state->list, &state->dir);
	state->sitemaps = tuplestore_begin_heap(false, false, work_mem);
	state->indexes = tuplestore_begin_heap(false, false, work_mem);
	state->result = rsinfo;
}

static Datum
export_files(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	MemoryContext oldcontext;
	char	   *directory;
	char	   *files;
	ExportState *state;
	bool		any_gone;

	check_privilege();
	InitMaterializedSRF(fcinfo, 0);

	context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_export",
									ALLOCSET_DEFAULT_SIZES);
	oldcontext = MemoryContextSwitchTo(context);
	directory = sm_text_argument(fcinfo, 0, "directory");
	files = sm_text_argument(fcinfo, 1, "files");
	state = palloc0_object(ExportState);
	init_state(state, directory, (ReturnSetInfo *) fcinfo->resultinfo);

	sm_run_query(files, &state->receiver);
	if (tuplestore_tuple_count(state->sitemaps) + tuplestore_tuple_count(state->indexes) == 0 &&
		hash_get_num_entries(state->list.files) > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the query has no rows"),
				 errdetail("That would remove every file that was exported to directory \"%s\".",
						   directory),
				 errhint("To have no files in the directory, remove them yourself.")));

	if (state->nwritten > 0)
		sm_list_write(&state->list, true);
	write_files(state, state->sitemaps);
	write_files(state, state->indexes);
	any_gone = remove_files(state);
	if (state->nwritten > 0 || any_gone || !state->list.is_current)
		sm_list_write(&state->list, false);

	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
	return (Datum) 0;
}

Datum
sitemap_export(PG_FUNCTION_ARGS)
{
	return sm_call_marking_cancels(export_files, fcinfo);
}
