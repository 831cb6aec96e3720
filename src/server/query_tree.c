/*
 * query_tree.c
 *	  Looks at the parse tree of a query, in which views are subqueries.
 */
#include "postgres.h"

#include "server/query_tree.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "server/table.h"
#include "utils/rls.h"

const char *
sm_query_unsecured(const SmQuery *query)
{
	ListCell   *cell;

	foreach(cell, sm_plan_source(query->plan)->relationOids)
	{
		if (check_enable_rls(lfirst_oid(cell), InvalidOid, true) == RLS_NONE_ENV)
			return sm_qualified_name(lfirst_oid(cell));
	}
	return NULL;
}

/*
 * Enter the only view, subquery or CTE that a query selects from.  levels: the query, then
 * those around it, innermost first.  NIL if there is none.
 */
static List *
enter_subquery(List *levels)
{
	const Query *query = linitial_node(Query, levels);
	const RangeTblEntry *rte;
	ListCell   *cell;

	if (query->setOperations || list_length(query->jointree->fromlist) != 1 ||
		!IsA(linitial(query->jointree->fromlist), RangeTblRef))
		return NIL;
	rte = rt_fetch(linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex, query->rtable);
	if (rte->rtekind == RTE_SUBQUERY)
		return lcons(rte->subquery, levels);
	if (rte->rtekind != RTE_CTE)
		return NIL;
	levels = list_copy_tail(levels, rte->ctelevelsup);
	foreach(cell, linitial_node(Query, levels)->cteList)
	{
		const CommonTableExpr *cte = lfirst_node(CommonTableExpr, cell);

		if (strcmp(cte->ctename, rte->ctename) == 0)
			return lcons(cte->ctequery, levels);
	}
	return NIL;
}

bool
sm_query_has_order(const SmQuery *set_query)
{
	List	   *levels = list_make1(linitial(sm_plan_source(set_query->plan)->query_list));

	while (levels != NIL)
	{
		const Query *query = linitial_node(Query, levels);

		/*
		 * without FROM, there is one row, or those of a function in the
		 * SELECT list
		 */
		if (query->sortClause || (!query->setOperations && query->jointree->fromlist == NIL))
			return true;
		if (query->distinctClause || query->groupClause || query->groupingSets ||
			query->hasWindowFuncs)
			return false;
		levels = enter_subquery(levels);
	}
	return false;
}

/*
 * Is the number of a LIMIT or OFFSET something else than the constants NULL and 0, which have
 * no effect?  An expression is not evaluated: it could call functions of users.
 */
static bool
has_effect(Node *number, bool is_offset)
{
	const Const *value = (Const *) strip_implicit_coercions(number);

	if (value == NULL || !IsA(value, Const))
		return value != NULL;
	return !value->constisnull && !(is_offset && value->constbyval && value->constvalue == 0);
}

/* A LATERAL subquery gives each row its own, so a limit in it decides about no other rows. */
static bool
has_limit(const Query *query)
{
	ListCell   *cell;

	CHECK_FOR_INTERRUPTS();
	check_stack_depth();
	if (has_effect(query->limitCount, false) || has_effect(query->limitOffset, true))
		return true;
	foreach(cell, query->cteList)
	{
		if (has_limit(castNode(Query, lfirst_node(CommonTableExpr, cell)->ctequery)))
			return true;
	}
	foreach(cell, query->rtable)
	{
		const RangeTblEntry *rte = lfirst_node(RangeTblEntry, cell);

		if (rte->rtekind == RTE_SUBQUERY && !rte->lateral && has_limit(rte->subquery))
			return true;
	}
	return false;
}

bool
sm_query_has_limit(const SmQuery *query)
{
	return has_limit(linitial_node(Query, sm_plan_source(query->plan)->query_list));
}
