/*
 * parse.c
 *	  sitemap_parse, which returns the entries of a document as rows, and
 *	  sitemap_kind, which tells what kind of document it is.
 *
 * The whole document is in memory, an entry only until its row is stored.
 *
 * A text sitemap has a URL on each line.  Lines end in LF, CR or both.  A line has to
 * begin with a scheme and "://", which tells a text sitemap from an error page or
 * another format.  The rest of the URL is not checked.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "parse/elements.h"
#include "parse/input.h"
#include "server/argument.h"
#include "server/encoding.h"
#include "text/text.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"
#include "web/url.h"

PG_FUNCTION_INFO_V1(sitemap_parse);
PG_FUNCTION_INFO_V1(sitemap_kind);

/* the most bytes of a document that sitemap_kind looks at */
#define KIND_BYTES	1048576

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

typedef struct Parsing
{
	SmInput		input;
	SmProblems	problems;
	ReturnSetInfo *result;
	MemoryContext row_context;	/* of one entry */
	uint64		nrelative;		/* locs without a scheme */
	char	   *relative;		/* the first of them */
} Parsing;

/*
 * The next line of a text sitemap that is not blank; false if there is none.  rest: the part
 * of the input that has not been read.
 */
static bool
next_line(const SmInput *input, SmSpan *rest, SmSpan *line)
{
	while (rest->len > 0)
	{
		const char *s = rest->s;
		const char *end = s + rest->len;

		CHECK_FOR_INTERRUPTS();

		while (s < end && *s != '\n' && *s != '\r')
			s++;
		if (s == end && input->broken)
			return false;		/* the line may be incomplete */
		*line = sm_trim(sm_span(rest->s, s - rest->s));
		if (s < end)
			s++;
		*rest = sm_span(s, end - s);
		if (line->len > 0)
			return true;
	}
	return false;
}

static bool
is_utf8(SmSpan line)
{
	return pg_verify_mbstr(PG_UTF8, line.s, line.len, true);
}

/* Read the next URL into a row, and report lines that are not URLs; false at the end. */
static bool
next_url(const SmInput *input, SmSpan *rest, SmProblems *problems, SmRow *row)
{
	memset(row, 0, sizeof(*row));
	while (next_line(input, rest, &row->loc))
	{
		problems->place = row->loc.s;
		if (!is_utf8(row->loc))
			sm_problem(problems, SM_URL_ELEMENT_INVALID, ERRCODE_CHARACTER_NOT_IN_REPERTOIRE,
					   NULL, "the line is neither XML nor text in UTF-8");
		else if (!sm_url_begins(row->loc.s, row->loc.len))
			sm_problem(problems, SM_URL_ELEMENT_INVALID, ERRCODE_INVALID_XML_DOCUMENT,
					   NULL, "the line is neither XML nor a URL");
		else
			return true;
	}
	return false;
}

/* Does an input begin like a text sitemap? */
static bool
is_text_sitemap(const SmInput *input)
{
	SmSpan		rest = input->content;
	SmSpan		line;

	return next_line(input, &rest, &line) && is_utf8(line) && sm_url_begins(line.s, line.len);
}

/*
 * Make the value of a column, NULL for an empty span.  Returns false if the
 * encoding of the database lacks a character.
 */
static bool
put_text(SmSpan value, Datum *datum, bool *null)
{
	*null = value.len == 0;
	*datum = *null ? (Datum) 0 : PointerGetDatum(sm_to_text(value));
	return *null || DatumGetPointer(*datum) != NULL;
}

static bool
put_extensions(const SmRow *row, Datum *datum, bool *null)
{
	ArrayBuildState *elements;

	*null = row->nextensions == 0;
	if (*null)
		return true;
	elements = initArrayResult(XMLOID, CurrentMemoryContext, false);
	for (int i = 0; i < row->nextensions; i++)
	{
		Datum		element;
		bool		is_null;

		if (!put_text(row->extensions[i], &element, &is_null))
			return false;
		accumArrayResult(elements, element, is_null, XMLOID, CurrentMemoryContext);
	}
	*datum = makeArrayResult(elements, CurrentMemoryContext);
	return true;
}

/* Add an entry to the result. */
static void
put_entry(Parsing *state, const SmRow *row)
{
	Datum		values[NCOLUMNS];
	bool		nulls[NCOLUMNS];

	if (put_text(row->loc, &values[COLUMN_LOC], &nulls[COLUMN_LOC]) &&
		put_text(row->lastmod.v.span, &values[COLUMN_LASTMOD], &nulls[COLUMN_LASTMOD]) &&
		put_text(row->changefreq, &values[COLUMN_CHANGEFREQ], &nulls[COLUMN_CHANGEFREQ]) &&
		put_extensions(row, &values[COLUMN_EXTENSIONS], &nulls[COLUMN_EXTENSIONS]))
	{
		values[COLUMN_PRIORITY] = Float8GetDatum(row->priority);
		nulls[COLUMN_PRIORITY] = !row->has_priority;
		tuplestore_putvalues(state->result->setResult, state->result->setDesc, values, nulls);
	}
	else
		sm_problem(&state->problems, SM_URL_ELEMENT_INVALID, ERRCODE_UNTRANSLATABLE_CHARACTER,
				   NULL, "the entry has a character that the database's encoding lacks");
}

static void
parse_entries(Parsing *state)
{
	const SmInput *input = &state->input;
	SmProblems *problems = &state->problems;
	SmXmlParser *xml = input->is_xml ? sm_xml_parser_create(input, state->row_context, problems) : NULL;
	SmSpan		rest = input->content;
	MemoryContext oldcontext;
	SmRow		row;
	SmSpan		unknown;
	uint64		nunknown;

	oldcontext = MemoryContextSwitchTo(state->row_context);
	while (xml ? sm_xml_parser_next(xml, &row) : next_url(input, &rest, problems, &row))
	{
		if (row.loc.len > 0 && !sm_url_begins(row.loc.s, row.loc.len) && state->nrelative++ == 0)
			state->relative = MemoryContextStrdup(oldcontext, sm_for_message(row.loc));
		put_entry(state, &row);
		MemoryContextReset(state->row_context);
	}
	MemoryContextSwitchTo(oldcontext);
	if (state->nrelative > 0)
		ereport(NOTICE,
				(errmsg_plural(UINT64_FORMAT " loc has no scheme, such as \"%s\"",
							   UINT64_FORMAT " locs have no scheme, such as \"%s\"",
							   state->nrelative, state->nrelative, state->relative),
				 errdetail("Search engines accept only absolute URLs in a sitemap.")));
	nunknown = xml ? sm_xml_parser_unknown(xml, &unknown) : 0;
	if (nunknown > 0)
		ereport(NOTICE,
				(errmsg_plural(UINT64_FORMAT " element is unknown or in a wrong namespace, such as \"%s\"",
							   UINT64_FORMAT " elements are unknown or in a wrong namespace, such as \"%s\"",
							   nunknown, nunknown, sm_for_message(unknown)),
				 errdetail("Search engines ignore them.")));

	if (input->broken && !problems->rest_lost)
	{
		if (problems->place)
			problems->place = input->content.s + input->content.len;
		problems->rest_lost = true;
		sm_problem(problems, SM_DOCUMENT_INVALID, input->sqlerrcode, input->hint,
				   "%s", input->broken);
	}
	sm_problems_warn(problems, "sitemap_parse");
}

/* Read the document, argument 0 of type text or bytea.  A bytea is read up to max_len, if not 0. */
static SmSpan
read_document(FunctionCallInfo fcinfo, int32 max_len, bool *is_text)
{
	Datum		document = PG_GETARG_DATUM(0);
	struct varlena *bytes;
	SmSpan text;

	*is_text = sm_argument_type(fcinfo, 0) == TEXTOID;
	if (*is_text)
	{
		bytes = PG_DETOAST_DATUM_PACKED(document);
		if (!sm_to_utf8(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), &text))
			ereport(ERROR,
					(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
					 errmsg("the document has %s", sm_encoding_message()),
					 errhint("Pass the document as bytea, such as convert_to(document, '%s'): then the encoding that it declares counts.",
							 GetDatabaseEncodingName())));
		return text;
	}
	bytes = max_len > 0 ? PG_DETOAST_DATUM_SLICE(document, 0, max_len) :
		PG_DETOAST_DATUM_PACKED(document);
	return sm_span(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
}

/* sitemap_parse(document, max_bytes, on_invalid) */
Datum
sitemap_parse(PG_FUNCTION_ARGS)
{
	static const SmChoice on_invalid[] = {{"error", false}, {"skip", true}, {NULL, 0}};
	const SmArguments *args = sm_call_arguments(fcinfo);
	int64		max_bytes = sm_integer_option(args, "max_bytes", 1, PG_INT64_MAX, SM_MAX_BYTES);
	bool		skip = sm_choice_option(args, "on_invalid", on_invalid, false);
	Parsing		state = {.result = (ReturnSetInfo *) fcinfo->resultinfo};
	SmSpan		document;
	bool		is_text;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		return (Datum) 0;

	state.row_context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_parse row",
											  ALLOCSET_DEFAULT_SIZES);
	if (skip)
		sm_problems_init_skip(&state.problems);
	state.problems.in_document = true;
	document = read_document(fcinfo, 0, &is_text);
	sm_input_prepare(&state.input, document, is_text, max_bytes, &state.problems);
	parse_entries(&state);
	return (Datum) 0;
}

/* sitemap_kind(document): NULL if it is of no kind that sitemap_parse reads */
Datum
sitemap_kind(PG_FUNCTION_ARGS)
{
	bool		is_text;
	SmSpan		document = read_document(fcinfo, KIND_BYTES + 1, &is_text);
	SmProblems	problems;
	SmInput		input;
	const char *kind;

	/* skip mode, since an invalid document also has a kind */
	sm_problems_init_skip(&problems);
	sm_input_prepare(&input, document, is_text, KIND_BYTES, &problems);
	kind = input.is_xml ? sm_xml_kind(&input) : is_text_sitemap(&input) ? "text" : NULL;
	if (kind == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(kind));
}
