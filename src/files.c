/*
 * files.c
 *	  sitemap_files: a query → every file of a set, the index last.
 *
 * The query's rows come through a DestReceiver, one after the other, so that
 * nothing but the file that is being written is held in memory, and the query
 * may use parallel workers.  A file is closed when the next entry does not fit,
 * and so we know at that time that there will be more than one.
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "commands/progress.h"
#include "core/digest.h"
#include "document.h"
#include "element.h"
#include "encoding.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "fragment.h"
#include "funcapi.h"
#include "gzip.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "options.h"
#include "parser/parse_coerce.h"
#include "row.h"
#include "toast.h"
#include "utils/backend_progress.h"
#include "utils/backend_status.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(sitemap_files);

/* rows between two updates of the progress view */
#define PROGRESS_ROWS	1024

/* bytes that the entry of an index can have: a loc, a lastmod, their tags */
#define INDEX_ENTRY_MAX	(6 * SM_URL_MAX + 128)

/* The columns of type sitemap_file. */
enum
{
	FILE_SECTION,
	FILE_NAME,
	FILE_KIND,
	FILE_LOC,
	FILE_LASTMOD,
	FILE_URL_COUNT,
	FILE_BYTE_COUNT,
	FILE_DIGEST,
	FILE_CONTENT,
	FILE_NCOLUMNS
};

static const Oid file_column_types[FILE_NCOLUMNS] = {
	[FILE_SECTION] = TEXTOID,
	[FILE_NAME] = TEXTOID,
	[FILE_KIND] = TEXTOID,
	[FILE_LOC] = TEXTOID,
	[FILE_LASTMOD] = TIMESTAMPTZOID,
	[FILE_URL_COUNT] = INT4OID,
	[FILE_BYTE_COUNT] = INT8OID,
	[FILE_DIGEST] = TEXTOID,
	[FILE_CONTENT] = BYTEAOID
};

/* The columns that a query can have. */
typedef enum ColumnName
{
	COLUMN_LOC,
	COLUMN_LASTMOD,
	COLUMN_CHANGEFREQ,
	COLUMN_PRIORITY,
	COLUMN_EXTENSIONS,
	COLUMN_URL,
	NCOLUMNS
} ColumnName;

static const char *const column_names[NCOLUMNS] = {
	"loc", "lastmod", "changefreq", "priority", "extensions", "url"
};

static const char *const column_types[NCOLUMNS] = {
	"text", "timestamptz, timestamp, date or text", "text or an enum",
	"float8, float4, numeric, bigint, int or smallint", "xml or xml[]", "xml"
};

typedef struct Column
{
	int			index;			/* in the query's row, -1 if it has none */
	Oid			type;			/* domains resolved */
	bool		is_text;		/* a text-like column whose datum is that of text */
	FmgrInfo	output;			/* and for one whose is not */
} Column;

typedef struct FilesState
{
	DestReceiver receiver;		/* must be first */
	const SmOptions *options;
	MemoryContext context;		/* for all of the call */
	MemoryContext row_context;	/* for one row */
	Column		columns[NCOLUMNS];
	SmElementWriter writer;
	SmElementWriter index_writer;
	SmDocument	doc;			/* the file being written */
	List	   *indexes;		/* of SmDocument, the last one not full */
	int			nfiles;			/* files without indexes, closed so far */
	SmGzip	   *gzip;			/* NULL for no compression */
	Tuplestorestate *tuplestore;
	TupleDesc	tupdesc;
	bool		progress;		/* the progress view is ours to fill */
	uint64		nrows;
	uint64		nbytes;			/* of closed files, uncompressed */
} FilesState;

/* Is a value of this type text, or does its output function make it text? */
static bool
is_text_like(Oid type)
{
	char		category;
	bool		preferred;

	get_type_category_preferred(type, &category, &preferred);
	return category == TYPCATEGORY_STRING || category == TYPCATEGORY_ENUM;
}

static bool
type_is_allowed(ColumnName name, Oid type)
{
	switch (name)
	{
		case COLUMN_LOC:
		case COLUMN_CHANGEFREQ:
			return is_text_like(type);
		case COLUMN_LASTMOD:
			return type == TIMESTAMPTZOID || type == TIMESTAMPOID || type == DATEOID ||
				is_text_like(type);
		case COLUMN_PRIORITY:
			return type == FLOAT8OID || type == FLOAT4OID || type == NUMERICOID ||
				type == INT2OID || type == INT4OID || type == INT8OID;
		case COLUMN_EXTENSIONS:
			return type == XMLOID || type == XMLARRAYOID;
		case COLUMN_URL:
			return type == XMLOID;
		case NCOLUMNS:
			break;
	}
	return false;
}

/* Find the query's columns by their names; anything that we do not know is an error. */
static void
find_columns(TupleDesc desc, Column columns[NCOLUMNS])
{
	for (int name = 0; name < NCOLUMNS; name++)
		columns[name].index = -1;

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);
		Column	   *column;
		int			name;

		for (name = 0; name < NCOLUMNS; name++)
			if (strcmp(NameStr(att->attname), column_names[name]) == 0)
				break;
		if (name == NCOLUMNS)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("column \"%s\" of the query is not one that a sitemap has",
							NameStr(att->attname)),
					 errhint("The columns are loc, lastmod, changefreq, priority and extensions; or url alone.")));
		column = &columns[name];
		if (column->index >= 0)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("column \"%s\" of the query is there twice", NameStr(att->attname))));

		column->index = i;
		column->type = getBaseType(att->atttypid);
		if (!type_is_allowed((ColumnName) name, column->type))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of the query must be of type %s, not %s",
							column_names[name], column_types[name],
							format_type_be(att->atttypid))));
		if (is_text_like(column->type))
		{
			Oid			output;
			bool		is_varlena;

			getTypeOutputInfo(column->type, &output, &is_varlena);
			column->is_text = IsBinaryCoercible(column->type, TEXTOID);
			fmgr_info(output, &column->output);
		}
	}

	if (columns[COLUMN_LOC].index < 0 && columns[COLUMN_URL].index < 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("the query has no column \"loc\""),
				 errhint("The columns are loc, lastmod, changefreq, priority and extensions; or url alone.")));
	if (columns[COLUMN_URL].index >= 0 && desc->natts > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
				 errmsg("column \"url\" of the query must be the only one"),
				 errdetail("It has all that a sitemap says of a page.")));
}

static bool
has_value(const FilesState *state, const TupleTableSlot *slot, ColumnName name)
{
	int			index = state->columns[name].index;

	return index >= 0 && !slot->tts_isnull[index];
}

static Datum
value_of(const FilesState *state, const TupleTableSlot *slot, ColumnName name)
{
	return slot->tts_values[state->columns[name].index];
}

static bool
read_text_column(FilesState *state, const TupleTableSlot *slot, ColumnName name,
				 SmLoss loss, SmSpan *result)
{
	Column	   *column = &state->columns[name];
	Datum		value = value_of(state, slot, name);

	if (!column->is_text)
		value = CStringGetTextDatum(OutputFunctionCall(&column->output, value));
	return sm_read_text(value, result, &state->writer.problems, loss, column_names[name]);
}

static double
read_priority(Oid type, Datum value)
{
	switch (type)
	{
		case FLOAT8OID:
			return DatumGetFloat8(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return DatumGetInt64(value);
		default:
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
	}
}

static SmLastmodType
lastmod_type(Oid type)
{
	switch (type)
	{
		case TIMESTAMPTZOID:
		case TIMESTAMPOID:
			return SM_LASTMOD_TIMESTAMP;
		case DATEOID:
			return SM_LASTMOD_DATE;
		default:
			return SM_LASTMOD_TEXT;
	}
}

/* Read a row that has columns of its own; false if it was left out. */
static bool
read_columns(FilesState *state, const TupleTableSlot *slot, SmRow *row)
{
	SmProblems *problems = &state->writer.problems;

	memset(row, 0, sizeof(*row));
	problems->loc = (SmSpan) {NULL, 0};
	if (!read_text_column(state, slot, COLUMN_LOC, SM_LOSES_ROW, &row->loc))
		return false;
	problems->loc = row->loc;

	if (has_value(state, slot, COLUMN_LASTMOD))
	{
		SmLastmodType type = lastmod_type(state->columns[COLUMN_LASTMOD].type);

		if (type != SM_LASTMOD_TEXT)
			sm_read_lastmod(value_of(state, slot, COLUMN_LASTMOD), type, row, problems);
		else if (read_text_column(state, slot, COLUMN_LASTMOD, SM_LOSES_ELEMENT,
								  &row->lastmod_text))
			row->lastmod_type = type;
	}
	if (has_value(state, slot, COLUMN_CHANGEFREQ))
		read_text_column(state, slot, COLUMN_CHANGEFREQ, SM_LOSES_ELEMENT, &row->changefreq);
	if (has_value(state, slot, COLUMN_PRIORITY))
	{
		row->has_priority = true;
		row->priority = read_priority(state->columns[COLUMN_PRIORITY].type,
									  value_of(state, slot, COLUMN_PRIORITY));
	}
	if (has_value(state, slot, COLUMN_EXTENSIONS))
	{
		Datum		value = value_of(state, slot, COLUMN_EXTENSIONS);

		if (state->columns[COLUMN_EXTENSIONS].type == XMLARRAYOID)
			sm_read_extensions(value, row, problems);
		else
		{
			row->extensions = palloc_object(SmSpan);
			if (sm_read_text(value, row->extensions, problems, SM_LOSES_ELEMENT, "extension"))
				row->nextensions = 1;
		}
	}
	return true;
}

/* Read a row that is a <url> element; false if it was left out. */
static bool
read_url_column(FilesState *state, const TupleTableSlot *slot, SmRow *row)
{
	SmProblems *problems = &state->writer.problems;
	SmSpan		xml;

	problems->loc = (SmSpan) {NULL, 0};
	return sm_read_text(value_of(state, slot, COLUMN_URL), &xml, problems,
						SM_LOSES_ROW, "url") &&
		sm_read_url(xml, row, problems);
}

/* The name of a file, or of an index: section, what tells it apart, endings. */
static char *
file_name(const FilesState *state, const char *middle, int number, const char *ending)
{
	return psprintf("%s%s%s%s%s", state->options->section, middle,
					number > 0 ? psprintf("%d", number) : "", ending,
					state->gzip ? ".gz" : "");
}

static char *
file_loc(const FilesState *state, const char *name)
{
	const SmUrlBase *base = &state->options->base;

	return psprintf("%.*s%s", (int) base->len[SM_FORM_PLAIN], base->url[SM_FORM_PLAIN], name);
}

/* Hand out a document as a row of the result. */
static void
put_file(FilesState *state, SmDocument *doc, const char *name)
{
	static const char *const kinds[] = {
		[SM_URLSET] = "urlset", [SM_INDEX] = "index", [SM_TEXT] = "text"
	};
	Datum		values[FILE_NCOLUMNS];
	bool		nulls[FILE_NCOLUMNS] = {false};
	struct varlena *content = sm_document_close(doc);
	size_t		size = VARSIZE(content) - VARHDRSZ;
	char		digest[SM_DIGEST_HEX_LEN + 1] = {0};

	sm_digest_hex(sm_digest(VARDATA(content), size, 0), digest);
	if (state->gzip)
		content = sm_gzip(state->gzip, VARDATA(content), size);
	else
		content = sm_toast_compress(content);

	values[FILE_SECTION] = CStringGetTextDatum(state->options->section);
	values[FILE_NAME] = CStringGetTextDatum(name);
	values[FILE_KIND] = CStringGetTextDatum(kinds[doc->kind]);
	values[FILE_LOC] = CStringGetTextDatum(file_loc(state, name));
	values[FILE_LASTMOD] = TimestampTzGetDatum((doc->lastmod - SM_POSTGRES_EPOCH) * USECS_PER_SEC);
	nulls[FILE_LASTMOD] = !doc->has_lastmod;
	values[FILE_URL_COUNT] = Int32GetDatum(doc->count);
	values[FILE_BYTE_COUNT] = Int64GetDatum((int64) size);
	values[FILE_DIGEST] = CStringGetTextDatum(digest);
	values[FILE_CONTENT] = PointerGetDatum(content);
	tuplestore_putvalues(state->tuplestore, state->tupdesc, values, nulls);
}

/* Add a file to the index, or to a further one if that is full. */
static void
add_to_index(FilesState *state, const SmDocument *file, const char *name)
{
	SmRow		row = {0};
	SmEntry		entry;
	SmEntry		longest = {.len = INDEX_ENTRY_MAX};
	SmDocument *index;
	char	   *loc = file_loc(state, name);

	row.loc = (SmSpan) {loc, strlen(loc)};
	if (file->has_lastmod)
	{
		row.lastmod_type = SM_LASTMOD_TIMESTAMP;
		row.lastmod = (file->lastmod - SM_POSTGRES_EPOCH) * USECS_PER_SEC;
	}

	index = state->indexes != NIL ? llast(state->indexes) : NULL;
	if (index == NULL || !sm_document_fits(index, &longest))
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(state->context);

		index = palloc_object(SmDocument);
		sm_document_init(index, SM_INDEX, state->options->protocol,
						 state->options->stylesheet, true);
		state->indexes = lappend(state->indexes, index);
		MemoryContextSwitchTo(oldcontext);
	}

	sm_append_entry(&state->index_writer, &row, &index->buf, &entry);
	sm_document_add(index, &entry);
}

static void
report_progress(const FilesState *state)
{
	const int	params[] = {
		PROGRESS_COPY_BYTES_PROCESSED, PROGRESS_COPY_TUPLES_PROCESSED,
		PROGRESS_COPY_TUPLES_EXCLUDED
	};
	int64		values[lengthof(params)];

	if (!state->progress)
		return;
	values[0] = state->nbytes + state->doc.end - state->doc.room;
	values[1] = state->nrows - state->writer.problems.nrows;
	values[2] = state->writer.problems.nrows;
	pgstat_progress_update_multi_param(lengthof(params), params, values);
}

/* Close the file that is being written, of several or not, and hand it out. */
static void
close_file(FilesState *state, bool several)
{
	char	   *name;

	state->nfiles++;
	name = file_name(state, several ? "-" : "", several ? state->nfiles : 0,
					 state->options->kind == SM_TEXT ? ".txt" : ".xml");
	state->nbytes += sm_document_size(&state->doc);
	put_file(state, &state->doc, name);
	if (several && state->options->index != SM_INDEX_NEVER)
		add_to_index(state, &state->doc, name);
	sm_document_reset(&state->doc);
	report_progress(state);
}

/* Add the entry at the end of the buffer to this file, or to the next one. */
static bool
add_entry(FilesState *state, SmEntry *entry)
{
	SmDocument *doc = &state->doc;

	if (unlikely(!sm_document_fits(doc, entry)))
	{
		char	   *bytes;

		if (!sm_document_fits_alone(doc, entry))
		{
			doc->buf.len = doc->end;
			return sm_problem(&state->writer.problems, SM_LOSES_ROW,
							  ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
							  "invalid url: its entry of %d bytes does not fit into a sitemap of " INT64_FORMAT " bytes",
							  entry->len, doc->max_bytes);
		}

		/* the footer is written over what follows the last entry */
		bytes = pnstrdup(doc->buf.data + doc->end, entry->len);
		close_file(state, true);
		appendBinaryStringInfo(&doc->buf, bytes, entry->len);
	}
	sm_document_add(doc, entry);
	return true;
}

static void
startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
	/* find_columns has seen the columns before the query began */
}

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	FilesState *state = (FilesState *) self;
	MemoryContext oldcontext;
	SmRow		row;
	SmEntry		entry;
	bool		is_url = state->columns[COLUMN_URL].index >= 0;

	CHECK_FOR_INTERRUPTS();

	state->writer.problems.row_number = ++state->nrows;
	slot_getallattrs(slot);

	/* no page, no entry; just as in the aggregates */
	if (!has_value(state, slot, is_url ? COLUMN_URL : COLUMN_LOC))
		return true;

	MemoryContextReset(state->row_context);
	oldcontext = MemoryContextSwitchTo(state->row_context);
	if ((is_url ? read_url_column(state, slot, &row) : read_columns(state, slot, &row)) &&
		sm_append_entry(&state->writer, &row, &state->doc.buf, &entry))
		add_entry(state, &entry);
	MemoryContextSwitchTo(oldcontext);

	if (state->nrows % PROGRESS_ROWS == 0)
		report_progress(state);
	return true;
}

static void
nothing_to_do(DestReceiver *self)
{
}

/* Hand out the last file and the indexes. */
static void
finish(FilesState *state)
{
	ListCell   *lc;

	if (state->doc.count > 0)
		close_file(state, state->nfiles > 0 || state->options->index == SM_INDEX_ALWAYS);

	foreach(lc, state->indexes)
	{
		int			number = foreach_current_index(lc) + 1;

		put_file(state, lfirst(lc),
				 file_name(state, number > 1 ? "-index-" : "", number > 1 ? number : 0, ".xml"));
	}
}

/* ALTER TYPE can change the type of the result under us. */
static void
check_result_type(TupleDesc desc)
{
	bool		ok = desc->natts == FILE_NCOLUMNS;

	for (int i = 0; ok && i < FILE_NCOLUMNS; i++)
		ok = TupleDescAttr(desc, i)->atttypid == file_column_types[i];
	if (!ok)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the result type sitemap_file is not as the extension made it"),
				 errhint("Undo the ALTER TYPE, or drop the extension and create it again.")));
}

static void
init_state(FilesState *state, const SmOptions *options, ReturnSetInfo *rsinfo)
{
	state->receiver.receiveSlot = receive;
	state->receiver.rStartup = startup;
	state->receiver.rShutdown = nothing_to_do;
	state->receiver.rDestroy = nothing_to_do;
	state->receiver.mydest = DestTuplestore;

	state->options = options;
	state->context = CurrentMemoryContext;
	state->row_context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_files row",
											   ALLOCSET_DEFAULT_SIZES);
	state->tuplestore = rsinfo->setResult;
	state->tupdesc = rsinfo->setDesc;
	check_result_type(state->tupdesc);

	sm_element_writer_init(&state->writer, options->kind);
	state->writer.ascii = false;	/* files are UTF-8 in every database */
	state->writer.protocol = options->protocol;
	state->writer.base = &options->base;
	if (options->skip_invalid)
		sm_problems_init_skip(&state->writer.problems);
	sm_element_writer_init(&state->index_writer, SM_INDEX);

	sm_document_init(&state->doc, options->kind, options->protocol, options->stylesheet, true);
	state->doc.max_entries = options->max_urls;
	state->doc.max_bytes = Min(state->doc.max_bytes, options->max_bytes);

	if (options->compression > 0)
		state->gzip = sm_gzip_create(options->compression);
}

/* Does a query write or lock rows, it or one inside of it? */
static bool
changes_rows(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		Query	   *query = castNode(Query, node);

		return query->commandType != CMD_SELECT || query->rowMarks != NIL ||
			query_tree_walker(query, changes_rows, context, 0);
	}
	return expression_tree_walker(node, changes_rows, context);
}

/* Is it one SELECT that changes nothing?  An error if not; its columns if so. */
static TupleDesc
check_plan(SPIPlanPtr plan)
{
	List	   *sources = SPI_plan_get_plan_sources(plan);
	CachedPlanSource *source;
	Query	   *query;

	if (list_length(sources) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("the query must be one statement, not %d", list_length(sources))));
	source = linitial(sources);

	/* a rule can make more or less than one query of a statement */
	query = list_length(source->query_list) == 1 ? linitial(source->query_list) : NULL;
	if (query == NULL || query->commandType != CMD_SELECT || source->resultDesc == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_CURSOR_DEFINITION),
				 errmsg("the query must be a SELECT, TABLE or WITH statement")));
	if (changes_rows((Node *) query, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("the query must not write or lock rows")));
	return source->resultDesc;
}

static void
run_query(FilesState *state)
{
	SPIExecuteOptions options = {0};
	SPIPlanPtr	plan;
	bool		was_read_only = XactReadOnly;
	int			result;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	plan = SPI_prepare_cursor(state->options->query, 0, NULL, CURSOR_OPT_PARALLEL_OK);
	if (plan == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_CURSOR_DEFINITION),
				 errmsg("the query cannot be prepared: %s", SPI_result_code_string(SPI_result))));
	find_columns(check_plan(plan), state->columns);

	/* no limit of rows, which would forbid parallel workers */
	options.read_only = true;
	options.dest = &state->receiver;

	/*
	 * SPI's read_only stops the statement from writing but not the functions
	 * that it calls.  The end of a (sub)transaction restores this as well.
	 */
	PG_TRY();
	{
		XactReadOnly = true;
		result = SPI_execute_plan_extended(plan, &options);
	}
	PG_FINALLY();
	{
		XactReadOnly = was_read_only;
	}
	PG_END_TRY();
	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_plan_extended failed: %s", SPI_result_code_string(result));
	SPI_finish();
}

Datum
sitemap_files(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	MemoryContext oldcontext;
	FilesState *state;

	InitMaterializedSRF(fcinfo, 0);

	context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_files",
									ALLOCSET_DEFAULT_SIZES);
	oldcontext = MemoryContextSwitchTo(context);
	state = palloc0_object(FilesState);
	init_state(state, sm_read_options(fcinfo, 0), (ReturnSetInfo *) fcinfo->resultinfo);

	/*
	 * A backend has one slot in the progress views, and a COPY of our result
	 * may own it.  Should we fail, the end of the (sub)transaction gives it
	 * back.
	 */
	state->progress = MyBEEntry &&
		MyBEEntry->st_progress_command == PROGRESS_COMMAND_INVALID;
	if (state->progress)
	{
		pgstat_progress_start_command(PROGRESS_COMMAND_COPY, InvalidOid);
		pgstat_progress_update_param(PROGRESS_COPY_COMMAND, PROGRESS_COPY_COMMAND_TO);
		pgstat_progress_update_param(PROGRESS_COPY_TYPE, PROGRESS_COPY_TYPE_CALLBACK);
	}
	run_query(state);
	finish(state);
	if (state->progress)
		pgstat_progress_end_command();
	sm_problems_warn(&state->writer.problems, "sitemap_files");

	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
	return (Datum) 0;
}
