/*
 * query_session.c
 *	  Looks in the parse tree of a query for conversions of dates and times that depend on
 *	  settings of the session.
 *
 * Such conversions are stable functions with an argument of a date or time type, among
 * them those that convert such a value to text.  now() has no argument: all sessions agree
 * on it, but not on CURRENT_DATE, CURRENT_TIME, LOCALTIME and LOCALTIMESTAMP, which depend
 * on TimeZone.
 * Text that is cast to a timestamptz is not reported: most has its time zone.
 *
 *	  to_char(changed, 'YYYY')	a timestamptz: depends on TimeZone
 *	  '/archive/' || day		a date: depends on DateStyle
 *	  coalesce(changed, day)	the cast of the date depends on TimeZone
 *	  coalesce(changed, '2026-03-01')	so does the literal
 *	  to_jsonb(changed) ->> 0	depends on TimeZone, unlike the column "news", which has JSON
 *	  changed AT TIME ZONE 'UTC'	immutable
 *
 * Some stable functions depend on no setting with the arguments that they have.  Literals are
 * found by analysing the query a second time, under other settings.
 */
#include "postgres.h"

#include "server/query_tree.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "server/error.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/formatting.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/ruleutils.h"
#include "utils/timestamp.h"

/*
 * Is it a date or time type, an interval, or an array or range of these?  A time without
 * time zone has one form.
 */
static bool
is_time_type(Oid type)
{
	Oid			element;

	type = getBaseType(type);
	element = get_element_type(type);
	if (!OidIsValid(element))
		element = get_range_subtype(type);
	if (OidIsValid(element))
		type = getBaseType(element);
	return type != TIMEOID &&
		(TypeCategory(type) == TYPCATEGORY_DATETIME || TypeCategory(type) == TYPCATEGORY_TIMESPAN);
}

/* Is it a timestamptz?  JSON and XML have all other dates and times in one form. */
static bool
is_timestamptz_type(Oid type)
{
	return getBaseType(type) == TIMESTAMPTZOID;
}

/* A search among the arguments of a node. */
typedef struct Search
{
	bool		(*is_meant) (Oid type);
	Node	   *found;
} Search;

static bool
find_walker(Node *argument, void *context)
{
	Search	   *search = context;

	if (argument && IsA(argument, List))
		return expression_tree_walker(argument, find_walker, context);
	if (argument && IsA(argument, TargetEntry))
		argument = (Node *) castNode(TargetEntry, argument)->expr;
	if (argument == NULL || IsA(argument, SortGroupClause) ||
		!search->is_meant(exprType(argument)))
		return false;
	search->found = argument;
	return true;
}

/* The first argument of a node whose type is meant, or NULL. */
static Node *
first_argument(Node *node, bool (*is_meant) (Oid type))
{
	Search		search = {.is_meant = is_meant};

	expression_tree_walker(node, find_walker, &search);
	return search.found;
}

/* check_functions_in_node callback: find a stable function. */
static bool
is_stable(Oid function, void *found)
{
	*(Oid *) found = function;
	return func_volatile(function) == PROVOLATILE_STABLE;
}

/* A constant text, in capital letters; "" for another expression. */
static char *
constant_text(Node *node)
{
	const Const *value = (Const *) node;
	char	   *string;

	if (!IsA(node, Const) || value->constisnull || value->consttype != TEXTOID)
		return "";
	string = TextDatumGetCString(value->constvalue);
	return asc_toupper(string, strlen(string));
}

/* Does a format of to_char show names by lc_time, or the time zone? */
static bool
shows_settings(Node *format)
{
	const char *text = constant_text(format);

	return *text == '\0' || strstr(text, "TM") || strstr(text, "TZ") || strstr(text, "OF");
}

/* Is an interval a constant of hours or less?  A day of a time zone can have 23 or 25. */
static bool
is_short_interval(Node *node)
{
	const Const *value = (Const *) node;
	const Interval *interval;

	if (!IsA(node, Const) || value->constisnull || value->consttype != INTERVALOID)
		return false;
	interval = DatumGetIntervalP(value->constvalue);
	return interval->month == 0 && interval->day == 0;
}

/* Is it now() or the like? */
static bool
is_now(Node *node)
{
	return IsA(node, SQLValueFunction) ||
		(IsA(node, FuncExpr) && castNode(FuncExpr, node)->args == NIL);
}

/* Is it a date or timestamp, cast to timestamptz at midnight or at that time? */
static bool
is_local_time(Node *node)
{
	return IsA(node, FuncExpr) && (castNode(FuncExpr, node)->funcid == F_TIMESTAMPTZ_DATE ||
								   castNode(FuncExpr, node)->funcid == F_TIMESTAMPTZ_TIMESTAMP);
}

/*
 * Does a stable function depend on no setting with these arguments?  A date that to_char
 * shows is cast to timestamptz and back.
 */
static bool
is_independent(Oid function, List *arguments)
{
	Node	   *first = linitial(arguments);
	Node	   *second = list_length(arguments) > 1 ? lsecond(arguments) : NULL;

	switch (function)
	{
		case F_TO_CHAR_TIMESTAMP_TEXT:
		case F_TO_CHAR_INTERVAL_TEXT:
			return !shows_settings(second);
		case F_TO_CHAR_TIMESTAMPTZ_TEXT:
			return is_local_time(first) && !shows_settings(second);
		case F_EXTRACT_TEXT_TIMESTAMPTZ:
		case F_DATE_PART_TEXT_TIMESTAMPTZ:
			return strcmp(constant_text(first), "EPOCH") == 0;
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
			return true;		/* stable in PostgreSQL 15 only */
		case F_TIMESTAMPTZ_PL_INTERVAL:
		case F_TIMESTAMPTZ_MI_INTERVAL:
			return is_now(first) || is_short_interval(second);
		case F_INTERVAL_PL_TIMESTAMPTZ:
			return is_now(second) || is_short_interval(first);
		default:
			return false;
	}
}

/* Does a function make a timestamptz of other values, in the time zone of the session? */
static bool
makes_local_time(Oid function, List *arguments)
{
	const char *format;

	if (function != F_TO_TIMESTAMP_TEXT_TEXT)
		return function == F_MAKE_TIMESTAMPTZ_INT4_INT4_INT4_INT4_INT4_FLOAT8;
	format = constant_text(lsecond(arguments));
	return strstr(format, "TZ") == NULL && strstr(format, "OF") == NULL;
}

static const char *
describe_conversion(Oid from, Oid to)
{
	return psprintf("a conversion of %s to %s", format_type_be(from), format_type_be(to));
}

/*
 * Look at the columns of a UNION, INTERSECT or EXCEPT.  The planner converts those of its
 * queries to the types of the result.
 */
static const char *
check_set_operation(const Query *query)
{
	ListCell   *cell;
	ListCell   *column;
	ListCell   *type;

	foreach(cell, query->rtable)
	{
		const RangeTblEntry *rte = lfirst_node(RangeTblEntry, cell);

		forboth(column, rte->subquery->targetList,
				type, castNode(SetOperationStmt, query->setOperations)->colTypes)
		{
			Node	   *value = (Node *) lfirst_node(TargetEntry, column)->expr;

			if (lfirst_oid(type) == TIMESTAMPTZOID && !is_timestamptz_type(exprType(value)))
				return describe_conversion(exprType(value), TIMESTAMPTZOID);
		}
	}
	return NULL;
}

static bool
is_json_type(Oid type)
{
	return type == JSONOID || type == JSONBOID;
}

/*
 * Look at a node that can call a function, by its name, as an operator or as a conversion.
 * reads_json: JSON that it makes is not a column of the result, but converted to text.
 */
static const char *
check_call(Node *node, bool reads_json)
{
	List	   *arguments = NIL;
	Node	   *time;
	Oid			function;
	Oid			type;

	if (!check_functions_in_node(node, is_stable, &function))
		return NULL;
	if (IsA(node, FuncExpr))
		arguments = castNode(FuncExpr, node)->args;
	else if (IsA(node, OpExpr))
		arguments = castNode(OpExpr, node)->args;
	type = exprType(node);
	time = first_argument(node, is_json_type(type) ? is_timestamptz_type : is_time_type);
	if (!(arguments && makes_local_time(function, arguments)) &&
		(time == NULL || (is_json_type(type) && !reads_json) ||
		 (arguments && is_independent(function, arguments))))
		return NULL;
	if (IsA(node, CoerceViaIO) ||
		(IsA(node, FuncExpr) && castNode(FuncExpr, node)->funcformat != COERCE_EXPLICIT_CALL &&
		 castNode(FuncExpr, node)->funcformat != COERCE_SQL_SYNTAX))
		return describe_conversion(exprType(time), type);
	if (IsA(node, OpExpr))
		return psprintf("the operator %s", format_operator(castNode(OpExpr, node)->opno));
	if (IsA(node, ScalarArrayOpExpr))
		return psprintf("the operator %s", format_operator(castNode(ScalarArrayOpExpr, node)->opno));
	return psprintf("the function %s", format_procedure(function));
}

/* Does a node of the tree depend on the session by itself?  Describe it, or return NULL. */
static const char *
check_node(Node *node, bool reads_json)
{
	switch (nodeTag(node))
	{
		case T_Query:
			return castNode(Query, node)->setOperations ? check_set_operation(castNode(Query, node)) : NULL;
		case T_SQLValueFunction:
			/* all sessions agree on CURRENT_TIMESTAMP, and on CURRENT_USER */
			return exprType(node) == TIMESTAMPTZOID || exprType(node) == NAMEOID ? NULL :
				deparse_expression(node, NIL, false, false);
		case T_XmlExpr:
			return first_argument(node, is_timestamptz_type) ?
				describe_conversion(TIMESTAMPTZOID, XMLOID) : NULL;
		default:
			return check_call(node, reads_json);
	}
}

/* A walk through the tree. */
typedef struct Walk
{
	const char *found;			/* what depends on the session */
	bool		reads_json;		/* the walk is below a node that makes
								 * something else of JSON */
	SmQuery    *query;			/* for analyze_differently */
	List	   *literals;		/* Const */
} Walk;

/* Does a node make something else of JSON? */
static bool
reads_json(Node *node)
{
	return (IsA(node, FuncExpr) || IsA(node, OpExpr) || IsA(node, CoerceViaIO)) &&
		!is_json_type(exprType(node)) && first_argument(node, is_json_type) != NULL;
}

/* Can a value of a type depend on how dates and times are read?  Types of users may have any. */
static bool
can_depend(Oid type)
{
	return is_time_type(type) || type >= FirstNormalObjectId;
}

/* Look for a node that depends on the session, and collect literals that may. */
static bool
find_dependence(Node *node, void *context)
{
	Walk	   *walk = context;
	bool		outer = walk->reads_json;
	bool		is_found;

	if (node == NULL)
		return false;
	if (IsA(node, Const) && can_depend(castNode(Const, node)->consttype))
		walk->literals = lappend(walk->literals, node);
	if ((walk->found = check_node(node, outer)) != NULL)
		return true;
	if (IsA(node, Query))
		return query_tree_walker(castNode(Query, node), find_dependence, context, 0);
	walk->reads_json = outer || reads_json(node);
	/* to_char of a date: not its cast, but what is cast */
	if (IsA(node, FuncExpr) && castNode(FuncExpr, node)->funcid == F_TO_CHAR_TIMESTAMPTZ_TEXT)
		node = linitial(castNode(FuncExpr, node)->args);
	is_found = expression_tree_walker(node, find_dependence, context);
	walk->reads_json = outer;
	return is_found;
}

static void
analyze_differently(void *arg)
{
	Walk	   *walk = arg;

	(void) find_dependence((Node *) sm_query_analyze_differently(walk->query), walk);
}

/*
 * Find a literal that other settings give another value.  Literals of views have been read
 * when these were created.
 */
static const char *
find_literal(SmQuery *query, const List *literals)
{
	Walk		again = {.query = query};
	ErrorData  *error;
	ListCell   *a;
	ListCell   *b;

	if (literals == NIL)
		return NULL;
	error = sm_try(analyze_differently, &again, true);
	if (error && error->sqlerrcode != ERRCODE_CHECK_VIOLATION &&
		ERRCODE_TO_CATEGORY(error->sqlerrcode) != ERRCODE_DATA_EXCEPTION)
		ReThrowError(error);
	if (error)
		return psprintf("a literal that other settings refuse (%s)", error->message);
	forboth(a, literals, b, again.literals)
	{
		Node	   *literal = lfirst(a);

		if (!equal(literal, lfirst(b)))
			return psprintf("the literal %s", deparse_expression(literal, NIL, false, false));
	}
	return NULL;
}

const char *
sm_query_session(SmQuery *query)
{
	Walk		walk = {0};

	return find_dependence((Node *) sm_query_tree(query), &walk) ? walk.found :
		find_literal(query, walk.literals);
}
