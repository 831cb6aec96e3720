/*
 * statement.c
 *	  Runs statements on a user's table, whose name must not lead to another table.
 *
 * A statement that is run once goes to SPI_execute_extended, which analyses it once and keeps
 * no plan.  Other statements are prepared.  PostgreSQL analyses these again when something
 * that they name has changed, such as any schema.
 *
 * Whenever a statement is analysed, hooks of the parser compare the relations that it names
 * with the table.  Relations of PostgreSQL's own are allowed.  The parser calls the hooks for
 * each parameter and each column, with the query level of that and the levels around it.
 *
 *		UPDATE @table SET ... WHERE name = $1			checked at name and $1
 *		SELECT $1 FROM (SELECT FROM @table) s			not checked: the level of
 *														the table has neither
 */
#include "postgres.h"

#include "server/statement.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "parser/parse_node.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#define PLACEHOLDER		"@table"

struct SmStatement
{
	const SmTable *table;
	const char *sql;			/* with placeholders */
	int			options;		/* of the cursor */
	MemoryContext context;		/* of the statement */
	char	   *name;			/* of the table, in the plan */
	SPIPlanPtr	plan;			/* NULL until needed */

	/* set when the statement is run, for the parser */
	ParamListInfo params;
	List	   *checked;		/* entries of range tables that are the table */
	int			nunchecked;		/* references not yet checked */
};

void
sm_set_parameter(ParamListInfo params, int number, Oid type, Datum value, bool isnull)
{
	ParamExternData *param = &params->params[number - 1];

	param->value = value;
	param->isnull = isnull;
	param->pflags = PARAM_FLAG_CONST;
	param->ptype = type;
}

ParamListInfo
sm_text_parameters(int n, const char *const *values)
{
	ParamListInfo params = makeParamList(n);

	for (int i = 0; i < n; i++)
		sm_set_parameter(params, i + 1, TEXTOID, values[i] ? CStringGetTextDatum(values[i]) : (Datum) 0,
						 values[i] == NULL);
	return params;
}

/*
 * PreParseColumnRefHook: raise an error if a query level names another relation, and leave the
 * column to the parser.
 */
static Node *
check_at_column(ParseState *pstate, ColumnRef *ref)
{
	SmStatement *statement = pstate->p_ref_hook_state;
	ListCell   *cell;

	for (const ParseState *level = pstate; level; level = level->parentParseState)
	{
		foreach(cell, level->p_rtable)
		{
			RangeTblEntry *rte = lfirst_node(RangeTblEntry, cell);

			if (rte->rtekind != RTE_RELATION || rte->relid < FirstNormalObjectId ||
				list_member_ptr(statement->checked, rte))
				continue;
			if (rte->relid != statement->table->relid)
				ereport(ERROR,
						(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						 errmsg("the name of the %s \"%s\" has become that of another relation",
								statement->table->what, statement->table->name),
						 errhint("Try again.")));
			statement->checked = lappend(statement->checked, rte);
			statement->nunchecked--;
		}
	}
	return NULL;
}

/* ParseParamRefHook: do the same, and make the parameter. */
static Node *
check_at_parameter(ParseState *pstate, ParamRef *ref)
{
	SmStatement *statement = pstate->p_ref_hook_state;
	Param	   *param;

	(void) check_at_column(pstate, NULL);
	if (statement->params == NULL || ref->number <= 0 ||
		ref->number > statement->params->numParams)
		return NULL;			/* the parser raises the error */
	param = makeNode(Param);
	param->paramkind = PARAM_EXTERN;
	param->paramid = ref->number;
	param->paramtype = statement->params->params[ref->number - 1].ptype;
	param->paramtypmod = -1;
	param->paramcollid = get_typcollation(param->paramtype);
	param->location = ref->location;
	return (Node *) param;
}

/* ParserSetupHook; the levels inside inherit the hooks. */
static void
set_up_parser(ParseState *pstate, void *arg)
{
	SmStatement *statement = arg;

	statement->checked = NIL;
	pstate->p_pre_columnref_hook = check_at_column;
	pstate->p_paramref_hook = check_at_parameter;
	pstate->p_ref_hook_state = statement;
}

/* The table's present name. */
static char *
present_name(const SmTable *table)
{
	AcceptInvalidationMessages();
	return sm_qualified_name(table->relid);
}

/* The text of a statement, with the table's name. */
static char *
write_name(SmStatement *statement, const char *name)
{
	const char *sql = statement->sql;
	StringInfoData result;
	const char *rest;

	initStringInfo(&result);
	statement->nunchecked = 0;
	while ((rest = strstr(sql, PLACEHOLDER)) != NULL)
	{
		appendBinaryStringInfo(&result, sql, rest - sql);
		appendStringInfoString(&result, name);
		sql = rest + strlen(PLACEHOLDER);
		statement->nunchecked++;
	}
	appendStringInfoString(&result, sql);
	return result.data;
}

/* Raise an error unless the parser has checked a statement wherever it has the name. */
static void
require_checks(const SmStatement *statement)
{
	if (statement->nunchecked != 0)
		elog(ERROR, "a statement has its table %d times unchecked: %s",
			 statement->nunchecked, statement->sql);
}

/* Run a plan, or the text of a statement without a plan. */
static SmResult
execute(SPIPlanPtr plan, const char *sql, ParamListInfo params, SmAccess access,
		DestReceiver *dest)
{
	MemoryContext context = CurrentMemoryContext;
	SPIExecuteOptions options = {.params = params,.read_only = access != SM_WRITE,.dest = dest};
	SmResult	result;
	int			code;

	if (options.read_only)
		PushActiveSnapshot(access == SM_READ ? GetTransactionSnapshot() : GetLatestSnapshot());
	code = plan ? SPI_execute_plan_extended(plan, &options) : SPI_execute_extended(sql, &options);
	if (options.read_only)
		PopActiveSnapshot();
	MemoryContextSwitchTo(context);
	if (code < 0)
		elog(ERROR, "SPI failed: %s", SPI_result_code_string(code));
	result.count = SPI_processed;
	result.rows = SPI_tuptable;
	return result;
}

SmResult
sm_table_execute(const SmTable *table, const char *sql, ParamListInfo params, SmAccess access,
				 DestReceiver *dest)
{
	SmStatement statement = {.table = table,.sql = sql,.params = params};
	char	   *named = write_name(&statement, present_name(table));
	SmResult	result;

	params->parserSetup = set_up_parser;
	params->parserSetupArg = &statement;
	result = execute(NULL, named, params, access, dest);
	require_checks(&statement);
	pfree(named);
	return result;
}

/* MemoryContextCallbackFunction */
static void
free_plan(void *plan)
{
	SPI_freeplan(plan);
}

SmStatement *
sm_table_prepare(const SmTable *table, const char *sql, int options)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "sitemap statement",
												  ALLOCSET_SMALL_SIZES);
	SmStatement *statement = MemoryContextAllocZero(context, sizeof(SmStatement));

	statement->table = table;
	statement->sql = MemoryContextStrdup(context, sql);
	statement->options = options;
	statement->context = context;
	return statement;
}

/*
 * Make the plan of a statement, with the table's present name.  The plan is saved, because
 * PostgreSQL does not notice that another one has become invalid.  The statement's memory
 * context frees it, and any plan before it, which can be running: a trigger of the table can
 * rename a schema, then cause the same statement.
 */
static void
make_plan(SmStatement *statement, const char *name)
{
	SPIPrepareOptions options = {
		.parserSetup = set_up_parser,.parserSetupArg = statement,
		.cursorOptions = statement->options
	};
	MemoryContextCallback *callback = MemoryContextAlloc(statement->context,
														 sizeof(MemoryContextCallback));
	MemoryContext context = CurrentMemoryContext;
	char	   *named = write_name(statement, name);
	SPIPlanPtr	plan = SPI_prepare_extended(named, &options);

	MemoryContextSwitchTo(context);
	require_checks(statement);
	pfree(named);
	statement->name = MemoryContextStrdup(statement->context, name);
	SPI_keepplan(plan);
	callback->func = free_plan;
	callback->arg = plan;
	MemoryContextRegisterResetCallback(statement->context, callback);
	statement->plan = plan;
}

SmResult
sm_statement_execute(SmStatement *statement, ParamListInfo params, SmAccess access)
{
	char	   *name = present_name(statement->table);

	statement->params = params;
	if (statement->plan == NULL || strcmp(statement->name, name) != 0)
		make_plan(statement, name);
	pfree(name);
	return execute(statement->plan, NULL, params, access, NULL);
}

void
sm_statement_free(SmStatement *statement)
{
	MemoryContextDelete(statement->context);
}
