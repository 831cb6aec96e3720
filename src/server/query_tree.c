/*
 * query_tree.c
 *	  Looks at the parse tree of a query, in which views are subqueries.
 *
 * A query can select from only one view, subquery or CTE.  Then that can have the ORDER BY
 * or LIMIT that decides about the rows of the result.
 */
#include "postgres.h"

#include "server/query_tree.h"

#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/plancache.h"

Query *
sm_query_tree(const SmQuery *query)
{
	CachedPlanSource *source = linitial(SPI_plan_get_plan_sources(query->plan));

	return linitial_node(Query, source->query_list);
}

/*
 * The only view, subquery or CTE that a query selects from, or NULL.  queries: the query,
 * then the queries around it, whose CTEs it can use; becomes the same of the result.
 */
static Query *
only_subquery(List **queries)
{
	Query	   *query = linitial(*queries);
	Query	   *result = NULL;
	const RangeTblEntry *rte;

	if (query->setOperations || list_length(query->jointree->fromlist) != 1 ||
		!IsA(linitial(query->jointree->fromlist), RangeTblRef))
		return NULL;
	rte = rt_fetch(linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex, query->rtable);
	if (rte->rtekind == RTE_SUBQUERY)
		result = rte->subquery;
	else if (rte->rtekind == RTE_CTE && !rte->self_reference)
	{
		ListCell   *cell;

		*queries = list_copy_tail(*queries, rte->ctelevelsup);
		query = linitial(*queries);
		foreach(cell, query->cteList)
		{
			const CommonTableExpr *cte = lfirst_node(CommonTableExpr, cell);

			if (strcmp(cte->ctename, rte->ctename) == 0)
				result = castNode(Query, cte->ctequery);
		}
	}
	if (result)
		*queries = lcons(result, *queries);
	return result;
}

bool
sm_query_has_order(const SmQuery *set_query)
{
	Query	   *query = sm_query_tree(set_query);
	List	   *queries = list_make1(query);

	while (query && query->sortClause == NIL)
	{
		/* one row, or those of a function in the SELECT list */
		if (!query->setOperations && query->jointree->fromlist == NIL)
			return true;
		if (query->distinctClause || query->groupClause || query->groupingSets ||
			query->hasWindowFuncs)
			return false;
		query = only_subquery(&queries);
	}
	return query != NULL;
}

/* Is the number of a LIMIT or OFFSET something else than NULL or 0, which have no effect? */
static bool
has_effect(Node *number, bool is_offset)
{
	const Const *value = (Const *) eval_const_expressions(NULL, number);

	if (value == NULL || !IsA(value, Const))
		return value != NULL;
	return !value->constisnull && !(is_offset && DatumGetInt64(value->constvalue) == 0);
}

/* queries: the query, then the queries around it */
static bool
has_limit(List *queries)
{
	const Query *query = linitial(queries);
	ListCell   *cell;

	if (has_effect(query->limitCount, false) || has_effect(query->limitOffset, true))
		return true;
	if (query->setOperations == NULL)
		return only_subquery(&queries) != NULL && has_limit(queries);
	foreach(cell, query->rtable)
	{
		const RangeTblEntry *rte = lfirst_node(RangeTblEntry, cell);

		if (rte->rtekind == RTE_SUBQUERY && has_limit(lcons(rte->subquery, queries)))
			return true;
	}
	return false;
}

bool
sm_query_has_limit(const SmQuery *query)
{
	return has_limit(list_make1(sm_query_tree(query)));
}
