/*
 * query.c
 *	  Runs a query given as text, and passes on its rows one by one.
 *
 * The rows go to a DestReceiver, which is called in the executor's memory context and
 * resource owner.  start_rows and receive_row switch to the receiver's own.
 */
#include "postgres.h"

#include "server/query.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_param.h"
#include "server/error.h"
#include "server/statement.h"
#include "server/table.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

static void
fix_setting(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true,
							 0, false);
}

/*
 * The settings that change the text of a value of PostgreSQL's own types, and how a query with
 * a column "shown" has them.  search_path stays as it is, and so do settings that affect only
 * how text is read, since the query is written for them: array_nulls, timezone_abbreviations,
 * and the order of day and month in DateStyle.
 *
 * is_kept: the session keeps what they make of a value, in the plans of PL/pgSQL: literals that
 * are read, and results of functions that count as immutable, such as byteaout and quote_ident.
 */
static const struct FixedSetting
{
	const char *name;
	const char *value;
	bool		is_kept;
}			fixed_settings[] = {
	{"DateStyle", "ISO", true}, /* dates and timestamps */
	{"IntervalStyle", "postgres", true},	/* intervals */
	{"TimeZone", "GMT", true},	/* timestamptz, and its date */
	{"bytea_output", "hex", true},	/* bytea */
	{"extra_float_digits", "3", true},	/* float4 and float8, and geometric
										 * types */
	{"lc_monetary", "C", true}, /* money, and to_char() with L */
	{"lc_numeric", "C", false}, /* to_char() with D and G */
	{"lc_time", "C", false},	/* to_char() with TM */
	{"quote_all_identifiers", "off", true}, /* regclass, format() with %I */
	{"xmlbinary", "base64", false}	/* bytea in XML */
};

static void
fix_settings(void)
{
	for (size_t i = 0; i < lengthof(fixed_settings); i++)
		fix_setting(fixed_settings[i].name, fixed_settings[i].value);
}

/* Does the session have the setting, as far as it matters? */
static bool
has_setting(const struct FixedSetting *setting)
{
	const char *value;
	size_t		len;
	long		offset;

	if (strcmp(setting->name, "TimeZone") == 0)
		return pg_get_timezone_offset(session_timezone, &offset) && offset == 0;
	if (strcmp(setting->name, "extra_float_digits") == 0)
		return extra_float_digits > 0;
	/* in DateStyle, the order of day and month follows a comma */
	value = GetConfigOption(setting->name, false, false);
	len = strcspn(value, ",");
	return len == strlen(setting->value) && memcmp(value, setting->value, len) == 0;
}

/* Do the fixed settings change what the session keeps? */
static bool
settings_matter(void)
{
	for (size_t i = 0; i < lengthof(fixed_settings); i++)
		if (fixed_settings[i].is_kept && !has_setting(&fixed_settings[i]))
			return true;
	return false;
}

/*
 * Call a function under the settings of a query.  Where they change what the session keeps, its
 * plans are invalidated before and after the call.
 */
static void
call_under_settings(const SmQuery *query, void (*function) (void *arg), void *arg)
{
	bool		resets;
	int			level;

	if (!query->fixes_settings)
	{
		function(arg);
		return;
	}
	resets = settings_matter();
	level = NewGUCNestLevel();
	fix_settings();
	if (resets)
		ResetPlanCache();
	PG_TRY();
	{
		function(arg);
	}
	PG_FINALLY();
	{
		if (resets)
			ResetPlanCache();
	}
	PG_END_TRY();
	AtEOXact_GUC(true, level);
}

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

/* Raise an error unless a plan is one SELECT that changes nothing. */
static void
check_plan(SPIPlanPtr plan)
{
	List	   *queries = SPI_is_cursor_plan(plan) ? sm_plan_source(plan)->query_list : NIL;

	if (queries == NIL || linitial_node(Query, queries)->commandType != CMD_SELECT)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_CURSOR_DEFINITION),
				 errmsg("the query must be one SELECT, TABLE or WITH statement")));
	/* a rule can put a SELECT before a DELETE ... RETURNING */
	if (changes_rows((Node *) queries, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("the query must not write or lock rows")));
}

/*
 * Raise an error unless a query that is about to run has the columns that
 * sm_query_open has found.  The columns can differ: a query with parameters is prepared a
 * second time, and any query is prepared again after a change of search_path and by
 * sm_query_analyze_again.
 */
static void
check_columns(const SmQuery *query, TupleDesc desc)
{
	bool		same = desc->natts == query->desc->natts;

	for (int i = 0; same && i < desc->natts; i++)
	{
		Form_pg_attribute is = TupleDescAttr(desc, i);
		Form_pg_attribute was = TupleDescAttr(query->desc, i);

		same = is->atttypid == was->atttypid && is->attcollation == was->attcollation &&
			strcmp(NameStr(is->attname), NameStr(was->attname)) == 0;
	}
	if (!same)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the query has other columns than when it was prepared"),
				 query->nparameters > 0 ?
				 errhint("The parameters have the type of the column \"key\". Cast them where another type is meant.") : 0));
}

static void
start_rows(DestReceiver *self, int operation, TupleDesc desc)
{
	SmReceiver *receiver = (SmReceiver *) self;
	MemoryContext oldcontext = MemoryContextSwitchTo(receiver->context);
	ResourceOwner oldowner = CurrentResourceOwner;

	CurrentResourceOwner = receiver->owner;
	if (receiver->query)
		check_columns(receiver->query, desc);
	if (receiver->start)
		receiver->start(receiver, desc);
	CurrentResourceOwner = oldowner;
	MemoryContextSwitchTo(oldcontext);
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	SmReceiver *receiver = (SmReceiver *) self;
	ResourceOwner oldowner = CurrentResourceOwner;
	MemoryContext oldcontext;
	bool		wants_more;

	CHECK_FOR_INTERRUPTS();

	MemoryContextReset(receiver->row_context);
	oldcontext = MemoryContextSwitchTo(receiver->row_context);
	CurrentResourceOwner = receiver->owner;
	receiver->nrows++;
	wants_more = receiver->receive(receiver, slot);
	CurrentResourceOwner = oldowner;
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
	memset(receiver, 0, sizeof(*receiver));
	receiver->dest.rStartup = start_rows;
	receiver->dest.receiveSlot = receive_row;
	receiver->dest.rShutdown = end_rows;
	receiver->dest.rDestroy = end_rows;
	/* any kind but DestNone, by which SPI knows that rows are discarded */
	receiver->dest.mydest = DestTuplestore;

	receiver->start = start;
	receiver->receive = receive;
	receiver->context = CurrentMemoryContext;
	receiver->row_context = AllocSetContextCreate(CurrentMemoryContext, "sitemap row",
												  ALLOCSET_DEFAULT_SIZES);
	receiver->owner = CurrentResourceOwner;
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
				 errmsg("the query must be one SELECT, TABLE or WITH statement"),
				 errhint("To read the table, write TABLE %s.", text)));
}

/* What sm_run_changes is given, and what it finds out. */
typedef struct ChangesWork
{
	const char *statement;
	SPIExecuteOptions options;
	bool		is_volatile;
} ChangesWork;

static void
run_changes(void *arg)
{
	ChangesWork *work = arg;
	SPIPlanPtr	plan;
	List	   *queries;

	SPI_connect();
	plan = SPI_prepare(work->statement, 1, &work->options.params->params[0].ptype);
	if (!SPI_is_cursor_plan(plan))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_CURSOR_DEFINITION),
				 errmsg("changes must be one statement that returns rows"),
				 errhint("Use SELECT, or DELETE ... RETURNING, and return the keys of the changed rows.")));
	SPI_execute_plan_extended(plan, &work->options);
	queries = sm_plan_source(plan)->query_list;
	work->is_volatile = linitial_node(Query, queries)->commandType == CMD_UTILITY ||
		contain_volatile_functions((Node *) queries);
	SPI_finish();
}

bool
sm_run_changes(const SmQuery *pages, const char *statement, TimestampTz since, DestReceiver *dest)
{
	ChangesWork work = {.statement = statement,.options = {.dest = dest,.params = makeParamList(1)}};

	sm_set_parameter(work.options.params, 1, TIMESTAMPTZOID, TimestampTzGetDatum(since), false);
	call_under_settings(pages, run_changes, &work);
	return work.is_volatile;
}

void
sm_hint_search_path(void)
{
	if (geterrcode() == ERRCODE_UNDEFINED_TABLE && getinternalerrposition() > 0)
		errhint("A table without a schema is searched in the search_path, here %s.",
				namespace_search_path);
}

/* Error context: how many rows the query has returned.  arg: their receiver, or NULL. */
static void
add_query_context(void *arg)
{
	const SmReceiver *receiver = arg;

	sm_hint_search_path();
	if (receiver && receiver->nrows > 0)
		errcontext("after " UINT64_FORMAT " %s of the query", receiver->nrows,
				   receiver->nrows == 1 ? "row" : "rows");
	else
		errcontext("in the query");
}

/*
 * ParserSetupHook: the types of parameters follow from their use, until the key's type is
 * known.
 */
static void
set_up_parameters(ParseState *pstate, void *arg)
{
	SmQuery    *query = arg;

	if (query->key_type)
		setup_parse_fixed_parameters(pstate, query->types, 2);
	else
		setup_parse_variable_parameters(pstate, &query->types, &query->nparameters);
}

/*
 * Prepare a text.  A literal such as '2026-01-01' is converted now.  A custom plan lets the
 * planner see the values of the bounds.
 */
static SPIPlanPtr
prepare_query(SmQuery *query, const char *text, int cursor_options)
{
	SPIPrepareOptions options = {
		.parserSetup = set_up_parameters,.parserSetupArg = query,
		.cursorOptions = cursor_options | CURSOR_OPT_CUSTOM_PLAN
	};
	SPIPlanPtr	plan = SPI_prepare_extended(text, &options);

	check_plan(plan);
	return plan;
}

/*
 * Wrap the query with bounds: it becomes a subquery, and the planner pushes the
 * comparisons into it.  A bound that is NULL leaves no comparison in the plan.
 */
static char *
wrap_query(const SmQuery *query)
{
	const RawStmt *stmt = sm_plan_source(query->plan)->raw_parse_tree;
	const char *text = query->source + Max(stmt->stmt_location, 0);
	int			len = stmt->stmt_len > 0 ? stmt->stmt_len : (int) strlen(text);

	/* the query may end with a comment, which the line feed ends */
	return psprintf("SELECT * FROM (%.*s\n) AS sitemap"
					" WHERE ($1 IS NULL OR key OPERATOR(pg_catalog.>=) $1)"
					" AND ($2 IS NULL OR key OPERATOR(pg_catalog.<) $2)", len, text);
}

/*
 * What runs in a subtransaction that cannot write, because it can run code of users: to
 * prepare, estimate or execute a query.
 */
typedef struct Work
{
	void		(*function) (struct Work *self);
	SmQuery    *query;
	const Datum *from;			/* first key of a range; NULL for no bound */
	const Datum *to;			/* key after the range; NULL for no bound */
	SmReceiver *receiver;		/* for run: receives the rows */
	double		cost;			/* by estimate */
} Work;

/* Prepare the query, or prepare it again. */
static void
prepare_all(Work *work)
{
	SmQuery    *query = work->query;

	if (query->plan)
		SPI_freeplan(query->plan);
	query->plan = prepare_query(query, query->source, CURSOR_OPT_PARALLEL_OK);
}

static bool
is_range(const Work *work)
{
	return work->from || work->to;
}

/* The plan for the rows within the bounds.  Ranges are small: no parallel workers. */
static SPIPlanPtr
find_plan(const Work *work)
{
	SmQuery    *query = work->query;

	if (!is_range(work))
		return query->plan;
	if (query->range == NULL)
		query->range = prepare_query(query, query->nparameters == 0 ? wrap_query(query) : query->source, 0);
	return query->range;
}

/* The bounds as parameters of a plan. */
static ParamListInfo
make_bounds(const Work *work)
{
	const SmQuery *query = work->query;
	const Datum *bounds[] = {work->from, work->to};
	ParamListInfo params;

	if (query->key_type == NULL || (query->nparameters == 0 && !is_range(work)))
		return NULL;
	params = makeParamList(lengthof(bounds));
	for (size_t i = 0; i < lengthof(bounds); i++)
		sm_set_parameter(params, i + 1, query->key_type->type, bounds[i] ? *bounds[i] : (Datum) 0,
						 bounds[i] == NULL);
	return params;
}

/* Estimate the cost of run. */
static void
estimate(Work *work)
{
	SPIPlanPtr	plan = find_plan(work);
	CachedPlan *cached = GetCachedPlan(sm_plan_source(plan), make_bounds(work), NULL, NULL);

	work->cost = linitial_node(PlannedStmt, cached->stmt_list)->planTree->total_cost;
	ReleaseCachedPlan(cached, NULL);
}

/* Give the rows to the receiver.  There is no limit, which would forbid parallel workers. */
static void
run(Work *work)
{
	SPIPlanPtr	plan = find_plan(work);
	SPIExecuteOptions options = {.params = make_bounds(work),.read_only = true,.dest = &work->receiver->dest};

	SPI_execute_plan_extended(plan, &options);
}

/*
 * SPI's read_only keeps the statement from writing, but not the functions that it calls.
 * XactReadOnly also stops the functions, except on temporary tables.  The end of the
 * subtransaction restores it, after an error as well.
 */
static void
do_work(void *arg)
{
	Work	   *work = arg;
	ErrorContextCallback context = {.previous = error_context_stack,.callback = add_query_context,
	.arg = work->receiver};
	int			level = NewGUCNestLevel();

	XactReadOnly = true;
	/* to compile the plan of a range can take longer than to read it */
	if (is_range(work))
		fix_setting("jit", "off");
	error_context_stack = &context;
	work->function(work);
	error_context_stack = context.previous;
	AtEOXact_GUC(true, level);
}

/* Do the work in a subtransaction that cannot write. */
static void
try_work(void *arg)
{
	ErrorData  *error = NULL;

	/*
	 * On a standby, where no transaction writes, a conflict with recovery in
	 * a subtransaction would end the session.
	 */
	if (XactReadOnly)
		do_work(arg);
	else
		error = sm_try(do_work, arg, true);
	if (error)
		ReThrowError(error);
}

/* Do the work under the settings of its query.  The current memory context stays. */
static void
do_read_only(Work *work)
{
	MemoryContext context = CurrentMemoryContext;

	call_under_settings(work->query, try_work, work);
	MemoryContextSwitchTo(context);
}

void
sm_query_open(SmQuery *query, const char *text)
{
	MemoryContext context = CurrentMemoryContext;

	memset(query, 0, sizeof(*query));
	query->source = text;

	refuse_table_name(text);
	SPI_connect();
	sm_query_analyze_again(query);
	MemoryContextSwitchTo(context);
	query->desc = CreateTupleDescCopy(sm_plan_source(query->plan)->resultDesc);
}

void
sm_query_analyze_again(SmQuery *query)
{
	Work		work = {.function = prepare_all,.query = query};

	do_read_only(&work);
}

/*
 * The plan of sm_query_open told the columns.  A query with parameters is prepared again with
 * parameters of the type of column key, and one with fixed settings under these.  Raises an
 * error for parameters other than the bounds of a range of keys.
 */
void
sm_query_prepare(SmQuery *query, SmKeyType *key_type, bool fixes_settings)
{
	if (query->nparameters > 2 || (query->nparameters > 0 && key_type == NULL))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_PARAMETER),
				 errmsg("there is no parameter $%d", key_type ? query->nparameters : 1),
				 errhint("Parameters are $1 and $2, the bounds of a range of keys, in a query with a column \"key\". Put other values into the query with format() and %%L.")));
	query->key_type = key_type;
	query->fixes_settings = fixes_settings;
	if (key_type)
	{
		query->types = palloc_array(Oid, 2);
		query->types[0] = query->types[1] = key_type->type;
	}
	if (query->nparameters > 0 || fixes_settings)
		sm_query_analyze_again(query);
}

void
sm_query_close(SmQuery *query)
{
	MemoryContext context = CurrentMemoryContext;

	SPI_finish();
	MemoryContextSwitchTo(context);
}

/*
 * As pg_get_viewdef writes them.  Constants in them depend on settings such as DateStyle,
 * names on search_path.  In the active snapshot, a view can be older than the definition that
 * the query was prepared with.
 */
void
sm_query_append_views(const SmQuery *query, StringInfo dst)
{
	List	   *views = NIL;
	ListCell   *cell;
	int			level;

	foreach(cell, sm_plan_source(query->plan)->relationOids)
	{
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_VIEW)
			views = list_append_unique_oid(views, lfirst_oid(cell));
	}
	if (views == NIL)
		return;
	level = NewGUCNestLevel();
	fix_settings();
	fix_setting("search_path", "pg_catalog, pg_temp");
	PushActiveSnapshot(GetLatestSnapshot());
	foreach(cell, views)
	{
		Datum		definition = DirectFunctionCall1(pg_get_viewdef, ObjectIdGetDatum(lfirst_oid(cell)));

		appendStringInfoChar(dst, '\0');
		appendStringInfoString(dst, TextDatumGetCString(definition));
	}
	PopActiveSnapshot();
	AtEOXact_GUC(true, level);
}

void
sm_query_run(SmQuery *query, const Datum *from, const Datum *to, SmReceiver *receiver)
{
	Work		work = {.function = run,.query = query,.from = from,.to = to,.receiver = receiver};

	Assert(query->key_type != NULL || (from == NULL && to == NULL));
	receiver->query = query;
	do_read_only(&work);
}

void
sm_run_query(const char *text, SmReceiver *receiver)
{
	SmQuery		query;

	sm_query_open(&query, text);
	sm_query_prepare(&query, NULL, false);
	sm_query_run(&query, NULL, NULL, receiver);
	sm_query_close(&query);
}

double
sm_query_cost(SmQuery *query, const Datum *from, const Datum *to)
{
	Work		work = {.function = estimate,.query = query,.from = from,.to = to};

	do_read_only(&work);
	return work.cost;
}
