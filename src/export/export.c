/*
 * export.c
 *	  sitemap_export: a query's rows → files in a directory of the server.
 *
 * The rows come through a DestReceiver and are written one by one.  An index
 * must not list files that are not there yet.  So rows of an index wait in a
 * tuplestore, and are written after the other files, before any file is removed.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "export/mirror.h"
#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "server/argument.h"
#include "server/encoding.h"
#include "server/query.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(sitemap_export);

/* The columns of the query that are used. */
enum
{
	EXPORT_NAME,
	EXPORT_CONTENT,
	EXPORT_KIND,
	EXPORT_NCOLUMNS
};

static const char *const column_names[EXPORT_NCOLUMNS] = {"name", "content", "kind"};

typedef struct ExportColumn
{
	int			index;			/* in the query's row, -1 if it has none */
	bool		is_bytea;
	bool		is_bpchar;
	FmgrInfo	output;			/* output function of the type */
} ExportColumn;

typedef struct ExportState
{
	SmReceiver	receiver;		/* must be first */
	SmMirror   *mirror;
	ExportColumn column[EXPORT_NCOLUMNS];
	TupleDesc	typeinfo;		/* of the query */
	Tuplestorestate *indexes;	/* rows of index files, written after the
								 * others */
	uint64		nrows;
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
				 errhint("Anyone can read the files by a query, and write them on the client's side.")));
}

static bool
type_is_allowed(int which, Oid base)
{
	char		category;
	bool		preferred;

	get_type_category_preferred(base, &category, &preferred);
	if (which == EXPORT_CONTENT)
		return base == BYTEAOID || base == XMLOID || category == TYPCATEGORY_STRING;
	return category == TYPCATEGORY_STRING || category == TYPCATEGORY_ENUM;
}

static void
set_column(ExportColumn *column, int which, int index, Oid atttypid)
{
	Oid			base = getBaseType(atttypid);
	Oid			output;
	bool		is_varlena;

	if (!type_is_allowed(which, base))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of the query must be of type %s, not %s",
						column_names[which],
						which == EXPORT_CONTENT ? "bytea, text or xml" : "text",
						format_type_be(atttypid))));
	if (column->index >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_COLUMN),
				 errmsg("column \"%s\" appears more than once in the query",
						column_names[which])));

	column->index = index;
	column->is_bytea = base == BYTEAOID;
	column->is_bpchar = base == BPCHAROID;
	getTypeOutputInfo(base, &output, &is_varlena);
	fmgr_info(output, &column->output);
}

static void
start(SmReceiver *self, TupleDesc desc)
{
	ExportState *state = (ExportState *) self;

	for (int which = 0; which < EXPORT_NCOLUMNS; which++)
	{
		ExportColumn *column = &state->column[which];

		column->index = -1;
		for (int i = 0; i < desc->natts; i++)
		{
			Form_pg_attribute att = TupleDescAttr(desc, i);

			if (strcmp(NameStr(att->attname), column_names[which]) == 0)
				set_column(column, which, i, att->atttypid);
		}
		if (column->index < 0 && which != EXPORT_KIND)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("the query has no column \"%s\"", column_names[which]),
					 errhint("The columns are name and content, and kind where there is an index.")));
	}
	state->typeinfo = CreateTupleDescCopy(desc);
}

static bool
is_null(const ExportState *state, TupleTableSlot *slot, int which)
{
	int			index = state->column[which].index;

	return index < 0 || slot_attisnull(slot, index + 1);
}

/*
 * Read a column that is not null, as text: an xml value without its encoding
 * declaration, a char(n) without the blanks that fill it up.
 */
static char *
read_text(ExportState *state, TupleTableSlot *slot, int which)
{
	ExportColumn *column = &state->column[which];
	bool		isnull;
	char	   *string = OutputFunctionCall(&column->output,
											slot_getattr(slot, column->index + 1, &isnull));

	if (column->is_bpchar)
		string[bpchartruelen(string, strlen(string))] = '\0';
	return string;
}

static SmSpan
read_content(ExportState *state, TupleTableSlot *slot, const char *name)
{
	ExportColumn *column = &state->column[EXPORT_CONTENT];
	SmSpan		result;
	char	   *string;

	if (column->is_bytea)
	{
		bool		isnull;
		bytea	   *bytes = DatumGetByteaPP(slot_getattr(slot, column->index + 1, &isnull));

		return sm_span(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	}

	string = read_text(state, slot, EXPORT_CONTENT);
	if (!sm_to_utf8(string, strlen(string), &result))
		ereport(ERROR,
				(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
				 errmsg("invalid content of file \"%s\": bytes that are not text in encoding \"%s\" or have no counterpart in UTF-8",
						sm_clip(name), GetDatabaseEncodingName())));
	return result;
}

static void
put_result(ExportState *state, const char *name, SmFileAction action, int64 size)
{
	static const char *const actions[] = {
		[SM_FILE_CREATED] = "created",[SM_FILE_UPDATED] = "updated",
		[SM_FILE_UNCHANGED] = "unchanged",[SM_FILE_DELETED] = "deleted"
	};
	Datum		values[3];
	bool		nulls[3] = {false};

	values[0] = CStringGetTextDatum(name);
	values[1] = CStringGetTextDatum(actions[action]);
	values[2] = Int64GetDatum(size);
	tuplestore_putvalues(state->result->setResult, state->result->setDesc, values, nulls);
}

static void
put_deleted(void *arg, const char *name, int64 size)
{
	put_result(arg, name, SM_FILE_DELETED, size);
}

/* Write the file of a row, in which neither name nor content is null. */
static void
write_file(ExportState *state, TupleTableSlot *slot)
{
	char	   *name = read_text(state, slot, EXPORT_NAME);
	SmSpan		content = read_content(state, slot, name);
	SmFileAction action = sm_mirror_put(state->mirror, name, content);

	put_result(state, name, action, content.len);
}

static bool
receive(SmReceiver *self, TupleTableSlot *slot)
{
	ExportState *state = (ExportState *) self;

	state->nrows++;
	for (int which = EXPORT_NAME; which <= EXPORT_CONTENT; which++)
		if (is_null(state, slot, which))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("column \"%s\" of the query must not be null",
							column_names[which]),
					 errdetail("It is null in row " UINT64_FORMAT ".", state->nrows)));

	if (!is_null(state, slot, EXPORT_KIND) &&
		strcmp(read_text(state, slot, EXPORT_KIND), "index") == 0)
		tuplestore_puttupleslot(state->indexes, slot);
	else
		write_file(state, slot);
	return true;
}

static void
write_indexes(ExportState *state)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(state->typeinfo, &TTSOpsMinimalTuple);

	while (tuplestore_gettupleslot(state->indexes, true, false, slot))
	{
		MemoryContext oldcontext;

		CHECK_FOR_INTERRUPTS();

		MemoryContextReset(state->receiver.row_context);
		oldcontext = MemoryContextSwitchTo(state->receiver.row_context);
		write_file(state, slot);
		MemoryContextSwitchTo(oldcontext);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_end(state->indexes);
}

static void
init_state(ExportState *state, const char *directory, ReturnSetInfo *rsinfo)
{
	sm_receiver_init(&state->receiver, start, receive);
	state->mirror = sm_mirror_open(directory);
	state->indexes = tuplestore_begin_heap(false, false, work_mem);
	state->result = rsinfo;
}

Datum
sitemap_export(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	MemoryContext oldcontext;
	char	   *directory;
	char	   *files;
	ExportState *state;

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
	if (state->nrows == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the query has no rows"),
				 errdetail("That would remove every file that was exported to directory \"%s\".",
						   directory),
				 errhint("To have no files in the directory, remove them yourself.")));
	write_indexes(state);
	sm_mirror_finish(state->mirror, put_deleted, state);

	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
	return (Datum) 0;
}
