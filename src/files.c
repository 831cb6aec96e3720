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

#include "catalog/pg_type.h"
#include "commands/progress.h"
#include "core/digest.h"
#include "document.h"
#include "element.h"
#include "fmgr.h"
#include "funcapi.h"
#include "gzip.h"
#include "miscadmin.h"
#include "options.h"
#include "query.h"
#include "toast.h"
#include "utils/backend_progress.h"
#include "utils/backend_status.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(sitemap_files);

/* rows between two updates of the progress view */
#define PROGRESS_ROWS	1024

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

typedef struct FilesState
{
	DestReceiver receiver;		/* must be first */
	const SmOptions *options;
	MemoryContext context;		/* for all of the call */
	MemoryContext row_context;	/* for one row */
	SmColumns	columns;
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

/* PostgreSQL's form of the newest lastmod of a document that has one. */
static TimestampTz
document_lastmod(const SmDocument *doc)
{
	return (doc->lastmod - SM_POSTGRES_EPOCH) * USECS_PER_SEC;
}

/* Hand out a document as a row of the result. */
static void
put_file(FilesState *state, SmDocument *doc, const char *name)
{
	static const char *const kinds[] = {
		[SM_URLSET] = "urlset",[SM_INDEX] = "index",[SM_TEXT] = "text"
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
	values[FILE_LASTMOD] = TimestampTzGetDatum(document_lastmod(doc));
	nulls[FILE_LASTMOD] = !doc->has_lastmod;
	values[FILE_URL_COUNT] = Int32GetDatum(doc->count);
	values[FILE_BYTE_COUNT] = Int64GetDatum((int64) size);
	values[FILE_DIGEST] = CStringGetTextDatum(digest);
	values[FILE_CONTENT] = PointerGetDatum(content);
	tuplestore_putvalues(state->tuplestore, state->tupdesc, values, nulls);
	state->nbytes += size;
}

/* Begin an index, the first or a further one. */
static SmDocument *
begin_index(FilesState *state)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(state->context);
	SmDocument *index = palloc_object(SmDocument);

	sm_document_init(index, SM_INDEX, state->options->protocol,
					 state->options->stylesheet, true);
	state->indexes = lappend(state->indexes, index);
	MemoryContextSwitchTo(oldcontext);
	return index;
}

/* Add a file to the index, or to a further one if that is full. */
static void
add_to_index(FilesState *state, const SmDocument *file, const char *name)
{
	SmRow		row = {0};
	SmEntry		entry;
	SmDocument *index = state->indexes != NIL ? llast(state->indexes) : begin_index(state);
	char	   *loc = file_loc(state, name);

	row.loc = sm_span(loc, strlen(loc));
	if (file->has_lastmod)
	{
		row.lastmod_type = SM_LASTMOD_TIMESTAMP;
		row.lastmod = document_lastmod(file);
	}

	sm_append_entry(&state->index_writer, &row, &index->buf, &entry);
	if (!sm_document_fits(index, &entry))
	{
		index->buf.len = index->end;
		index = begin_index(state);
		sm_append_entry(&state->index_writer, &row, &index->buf, &entry);
	}
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
	put_file(state, &state->doc, name);
	if (several && state->options->index != SM_INDEX_NEVER)
		add_to_index(state, &state->doc, name);
	sm_document_reset(&state->doc);
	report_progress(state);
}

/* Put the entry at the end of the buffer into this file, or into the next one. */
static void
put_entry(FilesState *state, SmEntry *entry)
{
	SmDocument *doc = &state->doc;

	if (unlikely(!sm_document_fits(doc, entry)))
	{
		char	   *bytes;

		if (!sm_document_fits_alone(doc, entry, &state->writer.problems))
			return;

		/* the footer is written over what follows the last entry */
		bytes = pnstrdup(doc->buf.data + doc->end, entry->len);
		close_file(state, true);
		appendBinaryStringInfo(&doc->buf, bytes, entry->len);
	}
	sm_document_add(doc, entry);
}

static void
startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
	FilesState *state = (FilesState *) self;
	MemoryContext oldcontext = MemoryContextSwitchTo(state->context);

	sm_find_columns(typeinfo, &state->columns);
	MemoryContextSwitchTo(oldcontext);
}

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	FilesState *state = (FilesState *) self;
	MemoryContext oldcontext;
	SmRow		row;
	SmEntry		entry;

	CHECK_FOR_INTERRUPTS();

	state->writer.problems.row_number = ++state->nrows;

	/* a row without a page is no problem, just as in the aggregates */
	MemoryContextReset(state->row_context);
	oldcontext = MemoryContextSwitchTo(state->row_context);
	if (sm_read_slot(slot, &state->columns, &row, &state->writer.problems) == SM_ROW_OK &&
		sm_append_entry(&state->writer, &row, &state->doc.buf, &entry))
		put_entry(state, &entry);
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
put_rest(FilesState *state)
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
	sm_run_query(state->options->query, &state->receiver);
	put_rest(state);
	if (state->progress)
		pgstat_progress_end_command();
	sm_problems_warn(&state->writer.problems, "sitemap_files");

	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
	return (Datum) 0;
}
