/*
 * parse.c
 *	  sitemap_parse: a sitemap, an index or a text sitemap → its entries, as rows.
 *
 * The document is read in pieces and its entries leave as rows at once, so what
 * is kept of it is what was given, a piece, and an entry.  Its faults end the
 * reading: with an error, or a warning and the entries before.
 */
#include "postgres.h"

#include "argument.h"
#include "catalog/pg_type.h"
#include "core/text.h"
#include "core/url.h"
#include "core/xmlreader.h"
#include "encoding.h"
#include "fault.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "row.h"
#include "source.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"
#include "xmlparse.h"

PG_FUNCTION_INFO_V1(sitemap_parse_bytea);
PG_FUNCTION_INFO_V1(sitemap_parse_text);

/* The arguments' places. */
enum
{
	ARG_DOCUMENT,
	ARG_MAX_BYTES,
	ARG_ON_ERROR
};

/* The result's columns. */
enum
{
	COLUMN_LOC,
	COLUMN_LASTMOD,
	COLUMN_CHANGEFREQ,
	COLUMN_PRIORITY,
	COLUMN_EXTENSIONS,
	NCOLUMNS
};

typedef struct ParseState
{
	SmSource   *source;
	bool		is_utf8;		/* whatever the document says of itself */
	SmFault		fault;
	int64		nentries;		/* rows so far */
	Tuplestorestate *tuplestore;
	TupleDesc	tupdesc;
	MemoryContext row_context;	/* of the row that is being made */
} ParseState;

/* What comes before the document's first character. */
typedef struct Start
{
	bool		blanks;			/* there were some */
	int64		lines;			/* complete ones */
} Start;

/* A column's value; NULL for none.  False if the database's encoding lacks a character. */
static bool
put_text(SmSpan value, Datum *datum, bool *null)
{
	*datum = (Datum) 0;
	*null = value.len == 0;
	if (*null)
		return true;
	if (value.len > MaxAllocSize - VARHDRSZ)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a value of the sitemap is too long")));
	*datum = PointerGetDatum(sm_to_text(value));
	return DatumGetPointer(*datum) != NULL;
}

static bool
put_extensions(const SmRow *row, Datum *datum, bool *null)
{
	Datum	   *elements;

	*null = row->nextensions == 0;
	if (*null)
		return true;
	elements = palloc_array(Datum, row->nextensions);
	for (int i = 0; i < row->nextensions; i++)
	{
		bool		is_null;

		if (!put_text(row->extensions[i], &elements[i], &is_null))
			return false;
	}
	*datum = PointerGetDatum(construct_array(elements, row->nextensions, XMLOID, -1,
											 false, TYPALIGN_INT));
	return true;
}

/* Put an entry into the result; false at a fault. */
static bool
put_entry(ParseState *state, const SmRow *row, int64 line)
{
	Datum		values[NCOLUMNS];
	bool		nulls[NCOLUMNS];
	MemoryContext oldcontext = MemoryContextSwitchTo(state->row_context);
	bool		ok;

	ok = put_text(row->loc, &values[COLUMN_LOC], &nulls[COLUMN_LOC]) &&
		put_text(row->lastmod_text, &values[COLUMN_LASTMOD], &nulls[COLUMN_LASTMOD]) &&
		put_text(row->changefreq, &values[COLUMN_CHANGEFREQ], &nulls[COLUMN_CHANGEFREQ]) &&
		put_extensions(row, &values[COLUMN_EXTENSIONS], &nulls[COLUMN_EXTENSIONS]);
	if (ok)
	{
		values[COLUMN_PRIORITY] = Float8GetDatum(row->priority);
		nulls[COLUMN_PRIORITY] = !row->has_priority;
		tuplestore_putvalues(state->tuplestore, state->tupdesc, values, nulls);
		state->nentries++;
	}
	else
		sm_fault(&state->fault, ERRCODE_UNTRANSLATABLE_CHARACTER, line,
				 "an entry has a character that the database's encoding lacks", NULL);
	MemoryContextSwitchTo(oldcontext);
	MemoryContextReset(state->row_context);
	return ok;
}

/* Put the entries that were parsed so far; false at a fault. */
static bool
put_parsed(ParseState *state, SmXmlParser *parser, int64 lines_before)
{
	SmRow		row;
	int64		line;

	while (sm_xml_parser_next(parser, &row, &line))
		if (!put_entry(state, &row, lines_before + line))
			return false;
	return true;
}

/* Parse an XML document whose first piece that is not blank is given. */
static void
parse_xml(ParseState *state, SmSpan piece, const Start *start)
{
	SmFault		xml_fault = {0};
	SmXmlParser *parser = sm_xml_parser_create(state->is_utf8, &xml_fault);

	/* one stands for all: no declaration may follow */
	if (start->blanks)
		sm_xml_parser_push(parser, sm_span(" ", 1));
	do
	{
		sm_xml_parser_push(parser, piece);
		if (!put_parsed(state, parser, start->lines))
			return;
	} while (!sm_is_fault(&xml_fault) &&
			 sm_source_next(state->source, &piece, &state->fault));

	/*
	 * where the document breaks off, it is no surprise that something is
	 * missing
	 */
	if (!sm_is_fault(&xml_fault) && !sm_is_fault(&state->fault))
	{
		sm_xml_parser_finish(parser);
		if (!put_parsed(state, parser, start->lines))
			return;
	}
	if (sm_is_fault(&xml_fault))
	{
		state->fault = xml_fault;
		state->fault.line += start->lines;
	}
}

/* Does it begin with a scheme and "://"?  A message or another format does not. */
static bool
begins_url(SmSpan line)
{
	size_t		scheme = sm_url_scheme(line.s, line.len);

	return scheme > 0 && line.len - scheme >= 3 && memcmp(line.s + scheme, "://", 3) == 0;
}

/* Put a line of a text sitemap, if there is something in it; false at a fault. */
static bool
put_line(ParseState *state, SmSpan content, int64 line)
{
	SmRow		row = {0};

	if (!pg_verify_mbstr(PG_UTF8, content.s, content.len, true))
	{
		sm_fault(&state->fault, ERRCODE_CHARACTER_NOT_IN_REPERTOIRE, line,
				 "it is neither XML nor text in UTF-8", NULL);
		return false;
	}
	row.loc = sm_trim(content);
	if (row.loc.len == 0)
		return true;
	if (!begins_url(row.loc))
	{
		sm_fault(&state->fault, ERRCODE_INVALID_XML_DOCUMENT, line,
				 "it is neither XML nor a URL", NULL);
		return false;
	}
	return put_entry(state, &row, line);
}

/* Parse a text sitemap whose first piece that is not blank is given. */
static void
parse_text(ParseState *state, SmSpan piece, const Start *start)
{
	int64		line = start->lines + 1;
	StringInfoData begun;		/* a line that goes on in the next piece */

	initStringInfo(&begun);
	do
	{
		const char *end;

		while ((end = memchr(piece.s, '\n', piece.len)) != NULL)
		{
			SmSpan		content = sm_span(piece.s, end - piece.s);

			if (begun.len > 0)
			{
				appendBinaryStringInfo(&begun, content.s, content.len);
				content = sm_span(begun.data, begun.len);
			}
			if (!put_line(state, content, line++))
				return;
			resetStringInfo(&begun);
			piece.len -= end + 1 - piece.s;
			piece.s = end + 1;
		}
		appendBinaryStringInfo(&begun, piece.s, piece.len);
	} while (sm_source_next(state->source, &piece, &state->fault));

	/* where the document breaks off, its last line may have */
	if (!sm_is_fault(&state->fault))
		put_line(state, sm_span(begun.data, begun.len), line);
}

/*
 * Pass over blanks and marks of UTF-8 at the start, which may be there twice or
 * after blanks, where tools join files.
 */
static void
skip_start(ParseState *state, SmSpan *piece, Start *start)
{
	static const char mark[] = "\xEF\xBB\xBF";

	while (piece->len > 0)
	{
		size_t		len = 1;

		if (piece->len >= 3 && memcmp(piece->s, mark, 3) == 0)
		{
			state->is_utf8 = true;
			len = 3;
		}
		else if (!sm_xml_is_blank(sm_span(piece->s, 1)))
			return;
		else
		{
			start->blanks = true;
			start->lines += piece->s[0] == '\n';
		}
		*piece = sm_span(piece->s + len, piece->len - len);
	}
}

/*
 * In UTF-16 a document begins with a byte order mark, or with a "<" before or
 * after a zero.
 */
static bool
begins_xml(SmSpan piece)
{
	return memchr("<\0\xFE\xFF", piece.s[0], 4) != NULL;
}

static void
parse(ParseState *state)
{
	SmSpan		piece;
	Start		start = {0};

	while (sm_source_next(state->source, &piece, &state->fault))
	{
		skip_start(state, &piece, &start);
		if (piece.len == 0)
			continue;
		if (begins_xml(piece))
			parse_xml(state, piece, &start);
		else
			parse_text(state, piece, &start);
		return;
	}
	sm_fault(&state->fault, ERRCODE_INVALID_XML_DOCUMENT, 0, "it is empty", NULL);
}

/* An error, or a warning. */
static void
report_fault(const ParseState *state, bool partial)
{
	const SmFault *fault = &state->fault;
	const char *where = fault->line > 0 ? psprintf(", line " INT64_FORMAT, fault->line) : "";

	if (partial)
		ereport(WARNING,
				(errmsg_plural("sitemap_parse returned " INT64_FORMAT " entry, and nothing of what follows",
							   "sitemap_parse returned " INT64_FORMAT " entries, and nothing of what follows",
							   (unsigned long) state->nentries, state->nentries),
				 errdetail("Invalid sitemap%s: %s.%s%s", where, fault->message,
						   fault->detail[0] ? " " : "", fault->detail)));
	else
		ereport(ERROR,
				(errcode(fault->sqlerrcode),
				 errmsg("invalid sitemap%s: %s", where, fault->message),
				 state->nentries > 0 ?
				 errdetail_plural("%s%sIt comes after " INT64_FORMAT " entry.",
								  "%s%sIt comes after " INT64_FORMAT " entries.",
								  (unsigned long) state->nentries, fault->detail,
								  fault->detail[0] ? " " : "", state->nentries) :
				 fault->detail[0] ? errdetail_internal("%s", fault->detail) : 0,
				 fault->sqlerrcode == ERRCODE_PROGRAM_LIMIT_EXCEEDED ?
				 errhint("If it can be trusted, raise max_bytes.") : 0));
}

/* sitemap_parse(document, max_bytes, on_error) */
static Datum
parse_document(FunctionCallInfo fcinfo, bool is_text)
{
	static const SmChoice on_error[] = {{"error", false}, {"partial", true}, {NULL, 0}};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	int64		max_bytes = sm_int64_argument(fcinfo, ARG_MAX_BYTES, "max_bytes", 1, PG_INT64_MAX);
	bool		partial = sm_choice_argument(fcinfo, ARG_ON_ERROR, "on_error", on_error);
	MemoryContext context;
	MemoryContext oldcontext;
	ParseState	state = {.is_utf8 = is_text};
	SmSpan		document;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(ARG_DOCUMENT))
		return (Datum) 0;

	context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_parse",
									ALLOCSET_DEFAULT_SIZES);
	oldcontext = MemoryContextSwitchTo(context);
	if (is_text)
	{
		SmProblems	problems = {0};

		sm_read_text(PG_GETARG_DATUM(ARG_DOCUMENT), &document, &problems, SM_LOC_INVALID,
					 "document");
	}
	else
	{
		bytea	   *bytes = PG_GETARG_BYTEA_PP(ARG_DOCUMENT);

		document = sm_span(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	}
	state.source = sm_source_create(document, !is_text, max_bytes);
	state.tuplestore = rsinfo->setResult;
	state.tupdesc = rsinfo->setDesc;
	state.row_context = AllocSetContextCreate(context, "sitemap_parse row",
											  ALLOCSET_DEFAULT_SIZES);

	parse(&state);
	if (sm_is_fault(&state.fault))
		report_fault(&state, partial);

	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
	return (Datum) 0;
}

Datum
sitemap_parse_bytea(PG_FUNCTION_ARGS)
{
	return parse_document(fcinfo, false);
}

Datum
sitemap_parse_text(PG_FUNCTION_ARGS)
{
	return parse_document(fcinfo, true);
}
