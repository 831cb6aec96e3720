/*
 * aggregate.c
 *	  The SQL aggregates: rows → one document.
 *
 * The state of every aggregate is an AggState: a document that grows in the
 * aggregate's memory context.  It holds everything that a transition needs from one
 * row to the next.  Nothing is kept in FmgrInfo, since Citus calls the transition
 * function with a fresh one for each row.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "entry/reader.h"
#include "entry/row.h"
#include "entry/value.h"
#include "entry/writer.h"
#include "files/document.h"
#include "fmgr.h"
#include "libpq/pqformat.h"
#include "server/argument.h"

PG_FUNCTION_INFO_V1(sitemap_agg_transfn);
PG_FUNCTION_INFO_V1(sitemap_index_agg_transfn);
PG_FUNCTION_INFO_V1(sitemap_text_agg_transfn);
PG_FUNCTION_INFO_V1(sitemap_agg_combine);
PG_FUNCTION_INFO_V1(sitemap_agg_serialize);
PG_FUNCTION_INFO_V1(sitemap_agg_deserialize);
PG_FUNCTION_INFO_V1(sitemap_agg_finalfn);

typedef struct AggState
{
	SmDocument	doc;
	SmEntryWriter writer;

	/* not of a state that combines others, which gets no more rows */
	uint64		nrows;			/* rows so far, including rows with a NULL */
	bool		is_xml;			/* a row is a <url>, not a loc and other
								 * values */
	Oid			lastmod_type;
} AggState;

#define AssertCheckAggState(state) \
	(AssertMacro((state)->doc.end == (state)->doc.buf.len), \
	 AssertMacro((state)->doc.totals.count <= (state)->doc.max_entries))

/* Make a state in the aggregate's memory context. */
static AggState *
make_state(MemoryContext aggcontext, SmKind kind)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(aggcontext);
	AggState   *state = palloc0_object(AggState);

	sm_document_init(&state->doc, kind, SM_PROTOCOL_09, NULL);
	sm_entry_writer_init(&state->writer, kind);
	MemoryContextSwitchTo(oldcontext);
	return state;
}

static MemoryContext
aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext aggcontext;

	if (!AggCheckCallContext(fcinfo, &aggcontext))
		elog(ERROR, "sitemap aggregate called in non-aggregate context");
	return aggcontext;
}

/* Raise an error: the rows exceed a limit. */
pg_noreturn static void
limit_exceeded(const SmDocument *doc)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("the rows do not fit into one sitemap%s", doc->kind == SM_INDEX ? " index" : ""),
			 errdetail("It can have %d entries, %d of them with news, and " INT64_FORMAT " bytes.",
					   doc->max_entries, SM_MAX_NEWS, doc->max_bytes),
			 errhint("Use sitemap_files to split the set into several sitemaps.")));
}

/*
 * Add a row.  Argument 1 is its loc or its <url>. A row with a NULL there is ignored,
 * as in other aggregates.  The caller resets the current memory context after each
 * row.
 */
static Datum
transition(FunctionCallInfo fcinfo, SmKind kind)
{
	MemoryContext aggcontext = aggregate_context(fcinfo);
	AggState   *state;
	SmProblems *problems;
	SmRow		row;
	SmEntry		entry;

	if (PG_ARGISNULL(0))
	{
		state = make_state(aggcontext, kind);
		state->is_xml = sm_argument_type(fcinfo, 1) == XMLOID;
		if (PG_NARGS() > 2)
			state->lastmod_type = sm_argument_type(fcinfo, 2);
	}
	else
		state = (AggState *) PG_GETARG_POINTER(0);
	AssertCheckAggState(state);

	state->nrows++;
	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(state);

	/* a parallel worker does not know how many rows the others have seen */
	problems = &state->writer.problems;
	problems->row_number = IsInParallelMode() ? 0 : state->nrows;
	problems->loc = sm_no_span();

	if (state->is_xml)
	{
		SmSpan		xml;

		sm_read_text(PG_GETARG_DATUM(1), &xml, problems, SM_URL_ELEMENT_INVALID, "url");
		sm_read_url(xml, &row, problems);
	}
	else
		sm_read_row_arguments(fcinfo, 1, state->lastmod_type, &row, problems);

	sm_append_entry(&state->writer, &row, &state->doc.buf, &entry);
	if (!sm_document_fits(&state->doc, &entry) &&
		sm_document_fits_alone(&state->doc, &entry, problems))
		limit_exceeded(&state->doc);
	sm_document_add(&state->doc, &entry);
	PG_RETURN_POINTER(state);
}

Datum
sitemap_agg_transfn(PG_FUNCTION_ARGS)
{
	return transition(fcinfo, SM_URLSET);
}

Datum
sitemap_index_agg_transfn(PG_FUNCTION_ARGS)
{
	return transition(fcinfo, SM_INDEX);
}

Datum
sitemap_text_agg_transfn(PG_FUNCTION_ARGS)
{
	return transition(fcinfo, SM_TEXT);
}

/*
 * Not strict: a group may have no rows in one worker.  The second state is in
 * short-lived memory, so its entries are copied.
 */
Datum
sitemap_agg_combine(PG_FUNCTION_ARGS)
{
	MemoryContext aggcontext = aggregate_context(fcinfo);
	AggState   *state = PG_ARGISNULL(0) ? NULL : (AggState *) PG_GETARG_POINTER(0);
	AggState   *other = PG_ARGISNULL(1) ? NULL : (AggState *) PG_GETARG_POINTER(1);
	SmDocument *doc;
	const SmDocument *more;
	int			more_len;

	if (other == NULL)
	{
		if (state == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(state);
	}
	if (state == NULL)
		state = make_state(aggcontext, other->doc.kind);
	AssertCheckAggState(state);

	doc = &state->doc;
	more = &other->doc;
	more_len = more->end - more->begin;
	doc->totals.count += more->totals.count;
	doc->totals.namespaces |= more->totals.namespaces;
	doc->totals.nnews += more->totals.nnews;
	if (doc->totals.count > doc->max_entries || doc->totals.nnews > SM_MAX_NEWS ||
		sm_document_size(doc) + more_len > doc->max_bytes)
		limit_exceeded(doc);
	appendBinaryStringInfo(&doc->buf, more->buf.data + more->begin, more_len);
	doc->end = doc->buf.len;
	PG_RETURN_POINTER(state);
}

/*
 * First the fields, in network byte order since a cluster may mix machines;
 * then the entries.
 */
Datum
sitemap_agg_serialize(PG_FUNCTION_ARGS)
{
	AggState   *state = (AggState *) PG_GETARG_POINTER(0);
	const SmDocument *doc = &state->doc;
	int			len = doc->end - doc->begin;
	StringInfoData buf;

	AssertCheckAggState(state);

	pq_begintypsend(&buf);
	enlargeStringInfo(&buf, len + 32);
	pq_sendint32(&buf, doc->totals.count);
	pq_sendint32(&buf, doc->totals.namespaces);
	pq_sendint32(&buf, doc->totals.nnews);
	pq_sendbyte(&buf, doc->kind);
	pq_sendbytes(&buf, doc->buf.data + doc->begin, len);
	PG_RETURN_BYTEA_P(sm_toast_compress(pq_endtypsend(&buf)));
}

/* The result points into the argument, and lives only until it is combined. */
Datum
sitemap_agg_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *serialized = PG_GETARG_BYTEA_PP(0);
	StringInfoData buf = {
		.data = VARDATA_ANY(serialized),
		.len = VARSIZE_ANY_EXHDR(serialized)
	};
	AggState   *state = palloc0_object(AggState);

	aggregate_context(fcinfo);
	state->doc.totals.count = pq_getmsgint(&buf, 4);
	state->doc.totals.namespaces = pq_getmsgint(&buf, 4);
	state->doc.totals.nnews = pq_getmsgint(&buf, 4);
	state->doc.kind = pq_getmsgbyte(&buf);
	state->doc.end = state->doc.buf.len = buf.len - buf.cursor;
	state->doc.buf.data = unconstify(char *, pq_getmsgbytes(&buf, state->doc.end));
	pq_getmsgend(&buf);
	PG_RETURN_POINTER(state);
}

/*
 * The document is completed in the buffer of the state.  A window adds rows to the
 * same state later, when the executor no longer needs the result.
 */
Datum
sitemap_agg_finalfn(PG_FUNCTION_ARGS)
{
	AggState   *state;

	aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (AggState *) PG_GETARG_POINTER(0);
	AssertCheckAggState(state);
	if (state->doc.totals.count == 0)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(sm_document_close(&state->doc));
}
