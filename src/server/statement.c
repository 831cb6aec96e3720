/*
 * statement.c
 *	  Runs statements on a user's table, whose name must not lead to another table.
 *
 * A statement runs by SPI_execute_extended, which analyses it once and keeps no plan; only a
 * watch keeps the plan of its INSERT.  Whenever a statement is analysed, a hook of the parser
 * compares the relations that it names with the table.  Relations of PostgreSQL's own are
 * allowed.  The parser calls the hook for each parameter, with the query level of the
 * parameter and the levels around it.
 *
 *		UPDATE @table SET ... WHERE name = $1			checked at $1
 *		SELECT $1 FROM (SELECT FROM @table) s			not checked: the level of
 *														the table has no parameter
 */
#include "postgres.h"

#include "server/statement.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "parser/parse_node.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#define PLACEHOLDER		"@table"

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

/* Raise an error if a query level names another relation. */
static void
check_level(SmGuard *guard, const ParseState *level)
{
	ListCell   *cell;

	foreach(cell, level->p_rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, cell);

		if (rte->rtekind != RTE_RELATION || rte->relid < FirstNormalObjectId)
			continue;
		if (rte->relid != guard->table.relid)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the name of the %s \"%s\" has become that of another relation",
							guard->table.what, guard->table.name),
					 errhint("Try again.")));
		if (!list_member_ptr(guard->checked, rte))
		{
			guard->checked = lappend(guard->checked, rte);
			guard->nchecked++;
		}
	}
}

/* ParseParamRefHook: check the relations named so far, and make the parameter. */
static Node *
check_at_parameter(ParseState *pstate, ParamRef *ref)
{
	SmGuard    *guard = pstate->p_ref_hook_state;
	Param	   *param;

	for (const ParseState *level = pstate; level; level = level->parentParseState)
		check_level(guard, level);
	if (ref->number <= 0 || ref->number > guard->params->numParams)
		return NULL;			/* the parser raises the error */
	param = makeNode(Param);
	param->paramkind = PARAM_EXTERN;
	param->paramid = ref->number;
	param->paramtype = guard->params->params[ref->number - 1].ptype;
	param->paramtypmod = -1;
	param->paramcollid = get_typcollation(param->paramtype);
	param->location = ref->location;
	return (Node *) param;
}

/* ParserSetupHook; the levels inside inherit the hook. */
static void
set_up_parser(ParseState *pstate, void *arg)
{
	SmGuard    *guard = arg;

	guard->checked = NIL;
	guard->nchecked = 0;
	pstate->p_paramref_hook = check_at_parameter;
	pstate->p_ref_hook_state = guard;
}

/* The statement with the table's present name.  count: how often it has that. */
static char *
write_name(const SmTable *table, const char *statement, int *count)
{
	StringInfoData text;
	const char *rest;
	char	   *name;

	AcceptInvalidationMessages();
	name = sm_qualified_name(table->relid);
	initStringInfo(&text);
	for (*count = 0; (rest = strstr(statement, PLACEHOLDER)) != NULL; (*count)++)
	{
		appendBinaryStringInfo(&text, statement, rest - statement);
		appendStringInfoString(&text, name);
		statement = rest + strlen(PLACEHOLDER);
	}
	appendStringInfoString(&text, statement);
	return text.data;
}

/* Raise an error unless the parser has checked a statement wherever it has the name. */
static void
require_checks(const SmGuard *guard, int count, const char *statement)
{
	if (guard->nchecked != count)
		elog(ERROR, "a statement has its table %d times, checked %d times: %s",
			 count, guard->nchecked, statement);
}

uint64
sm_table_execute(const SmTable *table, const char *statement, ParamListInfo params,
				 SmAccess access, DestReceiver *dest)
{
	MemoryContext context = CurrentMemoryContext;
	SmGuard		guard = {.table = *table,.params = params};
	SPIExecuteOptions options = {.params = params,.read_only = access != SM_WRITE,.dest = dest};
	int			count;
	char	   *text = write_name(table, statement, &count);
	int			result;

	params->parserSetup = set_up_parser;
	params->parserSetupArg = &guard;
	if (options.read_only)
		PushActiveSnapshot(access == SM_READ ? GetTransactionSnapshot() : GetLatestSnapshot());
	result = SPI_execute_extended(text, &options);
	if (options.read_only)
		PopActiveSnapshot();
	MemoryContextSwitchTo(context);
	if (result < 0)
		elog(ERROR, "SPI_execute_extended failed: %s", SPI_result_code_string(result));
	require_checks(&guard, count, text);
	pfree(text);
	return SPI_processed;
}

SPIPlanPtr
sm_table_prepare(SmGuard *guard, const char *statement)
{
	SPIPrepareOptions options = {.parserSetup = set_up_parser,.parserSetupArg = guard};
	int			count;
	char	   *text = write_name(&guard->table, statement, &count);
	SPIPlanPtr	plan = SPI_prepare_extended(text, &options);

	if (plan == NULL)
		elog(ERROR, "SPI_prepare_extended failed: %s", SPI_result_code_string(SPI_result));
	require_checks(guard, count, text);
	return plan;
}

void
sm_execute_plan(SPIPlanPtr plan, const SPIExecuteOptions *options)
{
	int			result = SPI_execute_plan_extended(plan, options);

	if (result < 0)
		elog(ERROR, "SPI_execute_plan_extended failed: %s", SPI_result_code_string(result));
}
