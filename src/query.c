/*
 * query.c
 *	  A SELECT in text form → rows: which statements and columns are allowed,
 *	  and how the columns become a row.
 */
#include "postgres.h"

#include "query.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "parser/parse_param.h"
#include "row.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "xmlentry.h"

#define COLUMNS_HINT \
	"The columns are loc, lastmod, changefreq, priority and extensions, or url; and key."

static const char *const column_names[SM_NCOLUMNS] = {
	"loc", "lastmod", "changefreq", "priority", "extensions", "url", "key"
};

static const char *const column_types[SM_NCOLUMNS] = {
	"text", "timestamptz, timestamp, date or text", "text or an enum",
	"float8, float4, numeric, bigint, int or smallint", "xml or xml[]", "xml",
	"any that can be sorted"
};

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
type_is_allowed(SmColumnName name, Oid type)
{
	switch (name)
	{
		case SM_COLUMN_LOC:
		case SM_COLUMN_CHANGEFREQ:
			return is_text_like(type);
		case SM_COLUMN_LASTMOD:
			return type == TIMESTAMPTZOID || type == TIMESTAMPOID || type == DATEOID ||
				is_text_like(type);
		case SM_COLUMN_PRIORITY:
			return type == FLOAT8OID || type == FLOAT4OID || type == NUMERICOID ||
				type == INT2OID || type == INT4OID || type == INT8OID;
		case SM_COLUMN_EXTENSIONS:
			return type == XMLOID || type == XMLARRAYOID;
		case SM_COLUMN_URL:
			return type == XMLOID;
		case SM_COLUMN_KEY:
			return true;		/* sm_key_type_init looks at it */
	}
	return false;
}

/* The type below domains, those of an array's elements too where that is xml. */
static Oid
base_type(Oid type)
{
	Oid			base = getBaseType(type);
	Oid			element = get_element_type(base);

	if (OidIsValid(element) && getBaseType(element) == XMLOID)
		return XMLARRAYOID;
	return base;
}

/* Find the place of a name, SM_NCOLUMNS if it is none. */
static int
find_name(const char *name)
{
	int			i;

	for (i = 0; i < SM_NCOLUMNS; i++)
		if (strcmp(name, column_names[i]) == 0)
			break;
	return i;
}

void
sm_find_columns(TupleDesc desc, SmColumns *columns)
{
	for (int name = 0; name < SM_NCOLUMNS; name++)
		columns->column[name].index = -1;

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);
		int			name = find_name(NameStr(att->attname));
		SmColumn   *column;
		Oid			output;
		bool		is_varlena;

		if (name == SM_NCOLUMNS)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("unrecognized column \"%s\" in the query", NameStr(att->attname)),
					 errhint(COLUMNS_HINT)));
		column = &columns->column[name];
		if (column->index >= 0)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("column \"%s\" appears more than once in the query",
							column_names[name])));

		column->index = i;
		column->type = base_type(att->atttypid);
		if (!type_is_allowed((SmColumnName) name, column->type))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of the query must be of type %s, not %s",
							column_names[name], column_types[name],
							format_type_be(att->atttypid)),
					 name == SM_COLUMN_URL ?
					 errhint("A column of URLs must be named \"loc\".") :
					 errhint("Cast it, even where it is always NULL.")));
		if (name == SM_COLUMN_KEY)
			sm_key_type_init(&columns->key_type, att->atttypid, att->attcollation);
		column->is_text = IsBinaryCoercible(column->type, TEXTOID);
		getTypeOutputInfo(column->type, &output, &is_varlena);
		fmgr_info(output, &column->output);
	}

	if (columns->column[SM_COLUMN_LOC].index < 0 && columns->column[SM_COLUMN_URL].index < 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("the query has no column \"loc\""),
				 errhint(COLUMNS_HINT)));
	if (columns->column[SM_COLUMN_URL].index >= 0 &&
		desc->natts > (columns->column[SM_COLUMN_KEY].index >= 0 ? 2 : 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
				 errmsg("column \"url\" of the query must be the only one beside \"key\""),
				 errdetail("It has all that a sitemap says of a page.")));
}

/* Does the row have a value in this column?  The slot is deformed. */
static bool
has_value(const TupleTableSlot *slot, const SmColumn *column)
{
	return column->index >= 0 && !slot->tts_isnull[column->index];
}

static bool
read_text_column(const TupleTableSlot *slot, SmColumns *columns, SmColumnName name,
				 SmProblems *problems, SmProblemName problem, SmSpan *result)
{
	SmColumn   *column = &columns->column[name];
	Datum		value = slot->tts_values[column->index];

	if (!column->is_text)
		value = CStringGetTextDatum(OutputFunctionCall(&column->output, value));
	return sm_read_text(value, result, problems, problem, column_names[name]);
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

/* Read the columns beside loc; what cannot be read is left out. */
static void
read_optional_columns(const TupleTableSlot *slot, SmColumns *columns, SmRow *row,
					  SmProblems *problems)
{
	SmColumn   *lastmod = &columns->column[SM_COLUMN_LASTMOD];
	SmColumn   *priority = &columns->column[SM_COLUMN_PRIORITY];
	SmColumn   *extensions = &columns->column[SM_COLUMN_EXTENSIONS];

	if (has_value(slot, lastmod))
	{
		row->lastmod_type = lastmod_type(lastmod->type);
		if (row->lastmod_type == SM_LASTMOD_TEXT)
			read_text_column(slot, columns, SM_COLUMN_LASTMOD, problems,
							 SM_LASTMOD_INVALID, &row->lastmod_text);
		else
			sm_read_lastmod(slot->tts_values[lastmod->index], row->lastmod_type, row, problems);
	}
	if (has_value(slot, &columns->column[SM_COLUMN_CHANGEFREQ]))
		read_text_column(slot, columns, SM_COLUMN_CHANGEFREQ, problems,
						 SM_CHANGEFREQ_INVALID, &row->changefreq);
	if (has_value(slot, priority))
	{
		row->has_priority = true;
		row->priority = read_priority(priority->type, slot->tts_values[priority->index]);
	}
	if (has_value(slot, extensions))
	{
		Datum		value = slot->tts_values[extensions->index];

		if (extensions->type == XMLARRAYOID)
			sm_read_extensions(value, row, problems);
		else
		{
			row->extensions = palloc_object(SmSpan);
			sm_read_text(value, row->extensions, problems, SM_EXTENSION_INVALID, "extension");
			row->nextensions = row->extensions->s != NULL;
		}
	}
}

SmRowStatus
sm_read_slot(TupleTableSlot *slot, SmColumns *columns, SmRow *row, SmProblems *problems)
{
	SmColumn   *url = &columns->column[SM_COLUMN_URL];
	bool		is_url = url->index >= 0;

	slot_getallattrs(slot);
	if (!has_value(slot, is_url ? url : &columns->column[SM_COLUMN_LOC]))
		return SM_ROW_NULL;

	problems->loc = sm_no_span();
	if (is_url)
	{
		SmSpan		xml;

		sm_read_text(slot->tts_values[url->index], &xml, problems,
					 SM_URL_ELEMENT_INVALID, "url");
		return xml.s != NULL && sm_read_url(xml, row, problems) ? SM_ROW_OK : SM_ROW_SKIPPED;
	}

	memset(row, 0, sizeof(*row));
	if (!read_text_column(slot, columns, SM_COLUMN_LOC, problems, SM_LOC_INVALID, &row->loc))
		return SM_ROW_SKIPPED;
	problems->loc = row->loc;
	read_optional_columns(slot, columns, row, problems);
	return SM_ROW_OK;
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

/* The one statement of a plan, a SELECT that changes nothing.  An error if not. */
static CachedPlanSource *
check_plan(SPIPlanPtr plan)
{
	List	   *sources = SPI_plan_get_plan_sources(plan);
	CachedPlanSource *source;
	Query	   *query;

	if (sources == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("the query is empty")));
	if (list_length(sources) > 1)
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
	return source;
}

static void
start_nothing(DestReceiver *self, int operation, TupleDesc typeinfo)
{
}

static void
end_nothing(DestReceiver *self)
{
}

void
sm_receiver_init(DestReceiver *receiver,
				 void (*startup) (DestReceiver *self, int operation, TupleDesc typeinfo),
				 bool (*receive) (TupleTableSlot *slot, DestReceiver *self))
{
	receiver->receiveSlot = receive;
	receiver->rStartup = startup ? startup : start_nothing;
	receiver->rShutdown = end_nothing;
	receiver->rDestroy = end_nothing;
	/* one that takes a tuple's values, wherever they stand */
	receiver->mydest = DestTuplestore;
}

static SPIPlanPtr
prepare(const char *query, int nargs, Oid *types, int options)
{
	SPIPlanPtr	plan = SPI_prepare_cursor(query, nargs, types, options);

	if (plan == NULL)
		elog(ERROR, "SPI_prepare_cursor failed: %s", SPI_result_code_string(SPI_result));
	return plan;
}

static void
execute(SPIPlanPtr plan, ParamListInfo params, DestReceiver *dest)
{
	/* no limit of rows, which would forbid parallel workers */
	SPIExecuteOptions options = {.params = params,.read_only = true,.dest = dest};
	bool		was_read_only = XactReadOnly;
	int			result;

	/*
	 * SPI's read_only keeps the statement from writing, but not the functions
	 * that it calls.  This does, but for temporary tables.  After an error
	 * the end of the (sub)transaction restores it.
	 */
	XactReadOnly = true;
	result = SPI_execute_plan_extended(plan, &options);
	XactReadOnly = was_read_only;

	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_plan_extended failed: %s", SPI_result_code_string(result));
}

void
sm_run_query(const char *query, DestReceiver *dest)
{
	SPIPlanPtr	plan;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	plan = prepare(query, 0, NULL, CURSOR_OPT_PARALLEL_OK);
	check_plan(plan);
	execute(plan, NULL, dest);
	SPI_finish();
}

/* The parameters of a query, whose types follow from where they stand. */
typedef struct Parameters
{
	Oid		   *types;
	int			n;				/* the highest number */
} Parameters;

static void
parameters_setup(ParseState *pstate, void *arg)
{
	Parameters *parameters = arg;

	setup_parse_variable_parameters(pstate, &parameters->types, &parameters->n);
}

/*
 * A query with parameters is prepared twice: the first time tells the type of
 * column key, which is the parameters' type the second time.
 */
void
sm_query_open(SmQuery *query, const char *text)
{
	MemoryContext context = CurrentMemoryContext;
	Parameters	parameters = {0};
	SPIPrepareOptions options = {.parserSetup = parameters_setup,.parserSetupArg = &parameters};
	CachedPlanSource *source;

	memset(query, 0, sizeof(*query));
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (strchr(text, '$') != NULL)
		query->plan = SPI_prepare_extended(text, &options);
	if (parameters.n == 0)
		query->plan = prepare(text, 0, NULL, CURSOR_OPT_PARALLEL_OK);
	source = check_plan(query->plan);

	MemoryContextSwitchTo(context);
	sm_find_columns(source->resultDesc, &query->columns);

	query->has_bounds = parameters.n > 0;
	if (query->has_bounds)
	{
		Oid			types[2] = {query->columns.key_type.type, query->columns.key_type.type};

		if (!sm_query_has_key(query) || parameters.n > 2)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_PARAMETER),
					 errmsg("there is no parameter $%d",
							sm_query_has_key(query) ? parameters.n : 1),
					 errhint("A query with a column \"key\" has $1 and $2, the bounds of a range of keys.")));
		query->plan = prepare(text, 2, types, CURSOR_OPT_PARALLEL_OK | CURSOR_OPT_CUSTOM_PLAN);
		check_plan(query->plan);
		MemoryContextSwitchTo(context);
	}
}

void
sm_query_close(SmQuery *query)
{
	MemoryContext context = CurrentMemoryContext;

	SPI_finish();
	MemoryContextSwitchTo(context);
}

/*
 * A plan for a range that has these bounds.  The statement is a subquery of it,
 * which the planner pushes the comparisons down into.  Their parameters have
 * their values when it plans.
 */
static SPIPlanPtr
wrapped_plan(SmQuery *query, bool has_from, bool has_to)
{
	SPIPlanPtr *plan = &query->ranges[has_from][has_to];
	CachedPlanSource *source = linitial(SPI_plan_get_plan_sources(query->plan));
	const RawStmt *stmt = source->raw_parse_tree;
	const char *text = source->query_string + Max(stmt->stmt_location, 0);
	int			len = stmt->stmt_len > 0 ? stmt->stmt_len : (int) strlen(text);
	const SmKeyType *key = &query->columns.key_type;
	Oid			types[2] = {key->type, key->type};
	StringInfoData wrapped;

	if (*plan)
		return *plan;

	/* the line feed ends a comment */
	initStringInfo(&wrapped);
	appendStringInfo(&wrapped, "SELECT * FROM (%.*s\n) AS sitemap WHERE true", len, text);
	if (has_from)
		appendStringInfo(&wrapped, " AND key %s $1",
						 sm_key_operator(key, BTGreaterEqualStrategyNumber));
	if (has_to)
		appendStringInfo(&wrapped, " AND key %s $2", sm_key_operator(key, BTLessStrategyNumber));
	*plan = prepare(wrapped.data, 2, types, CURSOR_OPT_PARALLEL_OK | CURSOR_OPT_CUSTOM_PLAN);
	return *plan;
}

static ParamListInfo
make_bounds(const SmKeyType *key, const Datum *from, const Datum *to)
{
	const Datum *bounds[] = {from, to};
	ParamListInfo params = makeParamList(lengthof(bounds));

	for (size_t i = 0; i < lengthof(bounds); i++)
	{
		params->params[i].value = bounds[i] ? *bounds[i] : (Datum) 0;
		params->params[i].isnull = bounds[i] == NULL;
		params->params[i].pflags = PARAM_FLAG_CONST;
		params->params[i].ptype = key->type;
	}
	return params;
}

void
sm_query_run(SmQuery *query, const Datum *from, const Datum *to, DestReceiver *dest)
{
	MemoryContext context = CurrentMemoryContext;
	SPIPlanPtr	plan = query->plan;

	Assert(sm_query_has_key(query) || (from == NULL && to == NULL));
	if (!query->has_bounds && (from || to))
		plan = wrapped_plan(query, from != NULL, to != NULL);
	execute(plan,
			query->has_bounds || from || to ? make_bounds(&query->columns.key_type, from, to) : NULL,
			dest);
	MemoryContextSwitchTo(context);
}
