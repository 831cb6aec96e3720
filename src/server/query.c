/*
 * query.c
 *	  Runs a query given as text, and passes on its rows one by one.
 */
#include "postgres.h"

#include "server/query.h"

#include "access/xact.h"
#include "compat.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_param.h"
#include "server/table.h"
#include "utils/builtins.h"
#include "utils/guc_tables.h"
#include "utils/memutils.h"
#include "utils/plancache.h"

/* Does a query, or a subquery in it, write or lock rows? */
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

/*
 * The one statement of a plan.  Raises an error unless it is a SELECT that
 * changes nothing.
 */
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

	/* a rule can rewrite a statement to several queries, or to none */
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

/*
 * Raise an error unless a query that is about to run has the columns that
 * sm_query_open has found.  The columns can differ: a query with parameters is prepared a
 * second time, and any query is prepared again after a change of search_path and by
 * sm_query_check.
 */
static void
check_columns(const SmQuery *query, TupleDesc desc)
{
	TupleDesc	expected = query->desc;

	if (desc->natts != expected->natts)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the query has %d columns, and had %d when it was prepared",
						desc->natts, expected->natts)));
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute is = TupleDescAttr(desc, i);
		Form_pg_attribute was = TupleDescAttr(expected, i);

		if (is->atttypid != was->atttypid || strcmp(NameStr(is->attname), NameStr(was->attname)) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column %d of the query is \"%s\" of type %s, and was \"%s\" of type %s when it was prepared",
							i + 1, NameStr(is->attname), format_type_be(is->atttypid),
							NameStr(was->attname), format_type_be(was->atttypid)),
					 query->nparameters > 0 ?
					 errhint("The parameters have the type of the column \"key\". Cast them where another type is meant.") : 0));
		if (i == query->key_index && is->attcollation != was->attcollation)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"key\" of the query has another collation than when it was prepared")));
	}
}

static void
start_rows(DestReceiver *self, int operation, TupleDesc desc)
{
	SmReceiver *receiver = (SmReceiver *) self;
	MemoryContext oldcontext = MemoryContextSwitchTo(receiver->context);

	if (receiver->query)
		check_columns(receiver->query, desc);
	if (receiver->start)
		receiver->start(receiver, desc);
	MemoryContextSwitchTo(oldcontext);
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	SmReceiver *receiver = (SmReceiver *) self;
	MemoryContext oldcontext;
	bool		wants_more;

	CHECK_FOR_INTERRUPTS();

	MemoryContextReset(receiver->row_context);
	oldcontext = MemoryContextSwitchTo(receiver->row_context);
	receiver->nrows++;
	receiver->is_receiving = true;
	wants_more = receiver->receive(receiver, slot);
	receiver->is_receiving = false;
	MemoryContextSwitchTo(oldcontext);
	return wants_more;
}

static void
end_rows(DestReceiver *self)
{
}

void
sm_receiver_init(SmReceiver *receiver, void (*start) (SmReceiver *self, TupleDesc desc),
				 bool (*receive) (SmReceiver *self, TupleTableSlot *slot))
{
	receiver->dest.rStartup = start_rows;
	receiver->dest.receiveSlot = receive_row;
	receiver->dest.rShutdown = end_rows;
	receiver->dest.rDestroy = end_rows;
	/* any kind but DestNone, by which SPI knows that rows are discarded */
	receiver->dest.mydest = DestTuplestore;

	receiver->query = NULL;
	receiver->start = start;
	receiver->receive = receive;
	receiver->context = CurrentMemoryContext;
	receiver->row_context = AllocSetContextCreate(CurrentMemoryContext, "sitemap row",
												  ALLOCSET_DEFAULT_SIZES);
	receiver->nrows = 0;
	receiver->is_running = false;
	receiver->is_receiving = false;
}

/*
 * Raise an error if the text is only the name of a table.  This is a common
 * mistake, and the parser's error does not explain it.
 */
static void
refuse_table_name(const char *text)
{
	if (OidIsValid(sm_find_table(text)))
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("the query must be a SELECT, TABLE or WITH statement"),
				 errhint("To read the table, write TABLE %s.", text)));
}

SPIPlanPtr
sm_prepare(const char *statement, int nargs, const Oid *types, int options)
{
	MemoryContext context = CurrentMemoryContext;
	SPIPlanPtr	plan = SPI_prepare_cursor(statement, nargs, unconstify(Oid *, types), options);

	MemoryContextSwitchTo(context);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare_cursor failed: %s", SPI_result_code_string(SPI_result));
	return plan;
}

uint64
sm_execute(SPIPlanPtr plan, Datum *values, const char *nulls)
{
	MemoryContext context = CurrentMemoryContext;
	int			result = SPI_execute_plan(plan, values, nulls, false, 0);

	MemoryContextSwitchTo(context);
	if (result < 0)
		elog(ERROR, "SPI_execute_plan failed: %s", SPI_result_code_string(result));
	return SPI_processed;
}

void
sm_run_changes(const char *statement, DestReceiver *dest)
{
	SPIExecuteOptions options = {.dest = dest};
	SPIPlanPtr	plan;
	List	   *sources;
	CachedPlanSource *source;
	int			result;

	SPI_connect();
	plan = sm_prepare(statement, 0, NULL, 0);
	sources = SPI_plan_get_plan_sources(plan);
	source = sources == NIL ? NULL : linitial(sources);

	/*
	 * EXECUTE and FETCH would call dest with another resource owner.  A rule
	 * can put a NOTIFY before another statement.
	 */
	if (list_length(sources) != 1 || source->resultDesc == NULL ||
		(list_length(source->query_list) == 1 &&
		 linitial_node(Query, source->query_list)->commandType == CMD_UTILITY))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_CURSOR_DEFINITION),
				 errmsg("changes must be one statement that returns rows"),
				 errhint("Use SELECT, or DELETE ... RETURNING, and return the keys of the changed rows.")));
	result = SPI_execute_plan_extended(plan, &options);
	if (result < 0)
		elog(ERROR, "SPI_execute_plan_extended failed: %s", SPI_result_code_string(result));
	SPI_finish();
}

void
sm_query_context(const SmReceiver *receiver)
{
	if (receiver && receiver->nrows > 0)
		errcontext("after " UINT64_FORMAT " rows of the query", receiver->nrows);
	else
		errcontext("in the query");
}

/* Error context of a query that runs, except in errors about its rows. */
static void
add_context(void *arg)
{
	const SmReceiver *receiver = arg;

	if (!receiver->is_receiving)
		sm_query_context(receiver);
}

static void
execute_plan(SPIPlanPtr plan, ParamListInfo params, SmReceiver *receiver)
{
	/* no limit of rows, which would forbid parallel workers */
	SPIExecuteOptions options = {.params = params,.read_only = true,.dest = &receiver->dest};
	bool		was_read_only = XactReadOnly;
	int			level = NewGUCNestLevel();
	ErrorContextCallback context = {.callback = add_context,.arg = receiver};
	struct config_generic *setting;
	int			result;

	/*
	 * SPI's read_only keeps the statement from writing, but not the functions
	 * that it calls.  XactReadOnly also stops the functions, except on
	 * temporary tables.  After an error the end of the (sub)transaction
	 * restores it.
	 */
	XactReadOnly = true;
	context.previous = error_context_stack;
	error_context_stack = &context;
	receiver->is_running = true;
	result = SPI_execute_plan_extended(plan, &options);
	receiver->is_running = false;
	error_context_stack = context.previous;

	/*
	 * PostgreSQL 16 and later refuse GUC_ACTION_SAVE for
	 * transaction_read_only, so restore it by hand.  But leave it on if a
	 * function of the query has set it, which shows as an entry in the
	 * setting's stack.
	 */
	setting = find_option("transaction_read_only", false, false, ERROR);
	XactReadOnly = was_read_only ||
		(XactReadOnly && setting->stack != NULL && setting->stack->nest_level >= level);
	AtEOXact_GUC(true, level);

	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_plan_extended failed: %s", SPI_result_code_string(result));
}

void
sm_run_query(const char *query, SmReceiver *receiver)
{
	SPIPlanPtr	plan;

	refuse_table_name(query);
	SPI_connect();
	plan = sm_prepare(query, 0, NULL, CURSOR_OPT_PARALLEL_OK);
	check_plan(plan);
	execute_plan(plan, NULL, receiver);
	SPI_finish();
}

/* The parameters of a query. Their types follow from their use. */
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
 * A query with parameters is prepared twice.  The first plan tells the type of
 * column key.  sm_query_set_key makes the second one with parameters of that type.
 */
void
sm_query_open(SmQuery *query, const char *text)
{
	MemoryContext context = CurrentMemoryContext;
	Parameters	parameters = {0};
	SPIPrepareOptions options = {.parserSetup = parameters_setup,.parserSetupArg = &parameters};
	CachedPlanSource *source;

	memset(query, 0, sizeof(*query));
	refuse_table_name(text);
	SPI_connect();
	if (strchr(text, '$') != NULL)
		query->plan = SPI_prepare_extended(text, &options);
	if (parameters.n == 0)
		query->plan = sm_prepare(text, 0, NULL, CURSOR_OPT_PARALLEL_OK);
	source = check_plan(query->plan);
	MemoryContextSwitchTo(context);

	query->desc = CreateTupleDescCopy(source->resultDesc);
	query->nparameters = parameters.n;
	query->key_index = -1;
}

/* The plan's only statement. */
static CachedPlanSource *
plan_source(SPIPlanPtr plan)
{
	return linitial(SPI_plan_get_plan_sources(plan));
}

/* Prepare a statement that has the bounds of a range as parameters. */
static SPIPlanPtr
prepare_bounded(const SmQuery *query, const char *statement, int options)
{
	Oid			types[2] = {query->key_type->type, query->key_type->type};

	/* a custom plan lets the planner see the values of the bounds */
	return sm_prepare(statement, 2, types, options | CURSOR_OPT_CUSTOM_PLAN);
}

void
sm_query_set_key(SmQuery *query, int index, const SmKeyType *type)
{
	query->key_index = index;
	query->key_type = type;
	if (query->nparameters > 2 || (query->nparameters > 0 && index < 0))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_PARAMETER),
				 errmsg("there is no parameter $%d", index < 0 ? 1 : query->nparameters),
				 index < 0 ?
				 errhint("Without a column \"key\" the query's text takes no parameters. Put values into it with format() and %%L.") :
				 errhint("A query with a column \"key\" has $1 and $2, the bounds of a range of keys.")));
	if (query->nparameters > 0)
	{
		query->plan = prepare_bounded(query, plan_source(query->plan)->query_string,
									  CURSOR_OPT_PARALLEL_OK);
		check_plan(query->plan);
	}
}

void
sm_query_close(SmQuery *query)
{
	MemoryContext context = CurrentMemoryContext;

	SPI_finish();
	MemoryContextSwitchTo(context);
}

void
sm_query_check(SmQuery *query)
{
	const char *text = plan_source(query->plan)->query_string;
	SPIPlanPtr	plan = query->nparameters > 0 ?
		prepare_bounded(query, text, CURSOR_OPT_PARALLEL_OK) :
		sm_prepare(text, 0, NULL, CURSOR_OPT_PARALLEL_OK);

	check_columns(query, check_plan(plan)->resultDesc);
	SPI_freeplan(query->plan);
	query->plan = plan;
}

/*
 * Wrap the query with bounds: it becomes a subquery, and the planner pushes the
 * comparisons into it.
 */
static char *
wrap_query(const SmQuery *query, bool has_from, bool has_to)
{
	CachedPlanSource *source = plan_source(query->plan);
	const RawStmt *stmt = source->raw_parse_tree;
	const char *text = source->query_string + Max(stmt->stmt_location, 0);
	int			len = stmt->stmt_len > 0 ? stmt->stmt_len : (int) strlen(text);
	StringInfoData wrapped;

	/* the query may end with a comment, which the line feed ends */
	initStringInfo(&wrapped);
	appendStringInfo(&wrapped, "SELECT * FROM (%.*s\n) AS sitemap WHERE true", len, text);
	if (has_from)
		appendStringInfo(&wrapped, " AND key %s $1",
						 sm_key_operator(query->key_type, BTGreaterEqualStrategyNumber));
	if (has_to)
		appendStringInfo(&wrapped, " AND key %s $2",
						 sm_key_operator(query->key_type, BTLessStrategyNumber));
	return wrapped.data;
}

/*
 * The plan for the rows within bounds.  Ranges are small, so they are read without
 * parallel workers.
 */
static SPIPlanPtr
find_plan(SmQuery *query, bool has_from, bool has_to)
{
	SPIPlanPtr *plan = &query->ranges[has_from][has_to];

	Assert(query->key_index >= 0 || !(has_from || has_to));
	if (!has_from && !has_to)
		return query->plan;
	if (*plan == NULL)
		*plan = prepare_bounded(query,
								query->nparameters > 0 ? plan_source(query->plan)->query_string :
								wrap_query(query, has_from, has_to), 0);
	return *plan;
}

/* The parameters of find_plan's plan. */
static ParamListInfo
make_bounds(const SmQuery *query, const Datum *from, const Datum *to)
{
	const Datum *bounds[] = {from, to};
	ParamListInfo params;

	if (query->nparameters == 0 && from == NULL && to == NULL)
		return NULL;
	params = makeParamList(lengthof(bounds));
	for (size_t i = 0; i < lengthof(bounds); i++)
	{
		params->params[i].value = bounds[i] ? *bounds[i] : (Datum) 0;
		params->params[i].isnull = bounds[i] == NULL;
		params->params[i].pflags = PARAM_FLAG_CONST;
		params->params[i].ptype = query->key_type->type;
	}
	return params;
}

void
sm_query_run(SmQuery *query, const Datum *from, const Datum *to, SmReceiver *receiver)
{
	MemoryContext context = CurrentMemoryContext;

	receiver->query = query;
	execute_plan(find_plan(query, from != NULL, to != NULL), make_bounds(query, from, to), receiver);
	MemoryContextSwitchTo(context);
}

bool
sm_query_orders_by_key(const SmQuery *query)
{
	const Query *select = linitial_node(Query, plan_source(query->plan)->query_list);
	const TargetEntry *key = list_nth_node(TargetEntry, select->targetList, query->key_index);
	const SortGroupClause *first;

	if (select->sortClause == NIL)
		return false;
	first = linitial_node(SortGroupClause, select->sortClause);
	/* DESC puts nulls first */
	return first->tleSortGroupRef == key->ressortgroupref && !first->nulls_first;
}

double
sm_query_cost(SmQuery *query, const Datum *from, const Datum *to)
{
	CachedPlan *plan = GetCachedPlan(plan_source(find_plan(query, from != NULL, to != NULL)),
									 make_bounds(query, from, to), NULL, NULL);
	double		cost = linitial_node(PlannedStmt, plan->stmt_list)->planTree->total_cost;

	ReleaseCachedPlan(plan, NULL);
	return cost;
}
