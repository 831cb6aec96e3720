/*
 * query_tree.c
 *	  Looks at the parse tree of a query, in which views are subqueries.
 *
 * A query can select from only one view, subquery or CTE.  Then that can have the ORDER BY
 * that decides about the rows of the result.  A LIMIT that does can be in any of several.
 */
#include "postgres.h"

#include "server/query_tree.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "server/table.h"
#include "utils/plancache.h"
#include "utils/rls.h"

/* The query, in which views are subqueries. */
static Query *
query_tree(const SmQuery *query)
{
	CachedPlanSource *source = linitial(SPI_plan_get_plan_sources(query->plan));

	return linitial_node(Query, source->query_list);
}

const char *
sm_query_unsecured(const SmQuery *query)
{
	CachedPlanSource *source = linitial(SPI_plan_get_plan_sources(query->plan));
	ListCell   *cell;

	foreach(cell, source->relationOids)
	{
		if (check_enable_rls(lfirst_oid(cell), InvalidOid, true) == RLS_NONE_ENV)
			return sm_qualified_name(lfirst_oid(cell));
	}
	return NULL;
}

/* A query, and the query around it, whose CTEs it can use. */
typedef struct Scope
{
	Query	   *query;
	const struct Scope *outer;	/* NULL for none */
	bool		is_cte;			/* several queries can select from it */
} Scope;

static Scope *
enter_scope(Query *query, const Scope *outer, bool is_cte)
{
	Scope	   *scope = palloc_object(Scope);

	scope->query = query;
	scope->outer = outer;
	scope->is_cte = is_cte;
	return scope;
}

/* The CTE that a range table entry names. */
static Scope *
find_cte(const RangeTblEntry *rte, const Scope *scope)
{
	ListCell   *cell;

	for (Index i = 0; scope && i < rte->ctelevelsup; i++)
		scope = scope->outer;
	if (scope == NULL)
		return NULL;
	foreach(cell, scope->query->cteList)
	{
		const CommonTableExpr *cte = lfirst_node(CommonTableExpr, cell);

		if (strcmp(cte->ctename, rte->ctename) == 0)
			return enter_scope(castNode(Query, cte->ctequery), scope, true);
	}
	return NULL;
}

/* The view, subquery or CTE that a range table entry is, or NULL. */
static Scope *
find_subquery(const RangeTblEntry *rte, const Scope *scope)
{
	if (rte->rtekind == RTE_SUBQUERY)
		return enter_scope(rte->subquery, scope, false);
	if (rte->rtekind == RTE_CTE && !rte->self_reference)
		return find_cte(rte, scope);
	return NULL;
}

/* The only view, subquery or CTE that a query selects from, or NULL. */
static Scope *
only_subquery(const Scope *scope)
{
	const Query *query = scope->query;

	if (query->setOperations || list_length(query->jointree->fromlist) != 1 ||
		!IsA(linitial(query->jointree->fromlist), RangeTblRef))
		return NULL;
	return find_subquery(rt_fetch(linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex,
								  query->rtable), scope);
}

bool
sm_query_has_order(const SmQuery *set_query)
{
	const Scope *scope = enter_scope(query_tree(set_query), NULL, false);

	while (scope && scope->query->sortClause == NIL)
	{
		const Query *query = scope->query;

		/* one row, or those of a function in the SELECT list */
		if (!query->setOperations && query->jointree->fromlist == NIL)
			return true;
		if (query->distinctClause || query->groupClause || query->groupingSets ||
			query->hasWindowFuncs)
			return false;
		scope = only_subquery(scope);
	}
	return scope != NULL;
}

/*
 * Is the number of a LIMIT or OFFSET something else than the constants NULL and 0, which have
 * no effect?  An expression is not evaluated: it could call functions of users.
 */
static bool
has_effect(Node *number, bool is_offset)
{
	const Const *value = (Const *) strip_implicit_coercions(number);

	if (value == NULL || !IsA(value, Const) ||
		(value->consttype != INT4OID && value->consttype != INT8OID))
		return value != NULL;
	return !value->constisnull &&
		!(is_offset && (value->consttype == INT4OID ? DatumGetInt32(value->constvalue) :
						DatumGetInt64(value->constvalue)) == 0);
}

/*
 * A LATERAL subquery gives each row its own, so a limit in it decides about no other rows.
 * seen: the CTEs that have been looked at, each once however many queries select from it.
 */
static bool
has_limit(const Scope *scope, List **seen)
{
	Query	   *query = scope->query;
	ListCell   *cell;

	CHECK_FOR_INTERRUPTS();
	check_stack_depth();
	if (scope->is_cte)
	{
		if (list_member_ptr(*seen, query))
			return false;
		*seen = lappend(*seen, query);
	}
	if (has_effect(query->limitCount, false) || has_effect(query->limitOffset, true))
		return true;
	foreach(cell, query->rtable)
	{
		const Scope *inner = find_subquery(lfirst_node(RangeTblEntry, cell), scope);

		if (inner != NULL && !lfirst_node(RangeTblEntry, cell)->lateral && has_limit(inner, seen))
			return true;
	}
	return false;
}

bool
sm_query_has_limit(const SmQuery *query)
{
	List	   *seen = NIL;

	return has_limit(enter_scope(query_tree(query), NULL, false), &seen);
}
