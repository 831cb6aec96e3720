/*
 * query_session.c
 *	  Looks in the parse tree of a query for conversions of dates and times that depend on
 *	  settings of the session.
 *
 * Such conversions are stable functions with an argument of a date or time type, and
 * conversions of such a value to text.  now() has no argument: all sessions agree on it,
 * but not on CURRENT_DATE, CURRENT_TIME, LOCALTIME and LOCALTIMESTAMP, which depend on TimeZone.
 * Text that is cast to a timestamptz is not reported: most has its time zone.
 *
 *	  to_char(changed, 'YYYY')	a timestamptz: depends on TimeZone
 *	  '/archive/' || day		a date: depends on DateStyle
 *	  coalesce(changed, day)	the cast of the date depends on TimeZone
 *	  changed AT TIME ZONE 'UTC'	immutable
 *
 * Some stable functions depend on no setting with the arguments that they have.
 */
#include "postgres.h"

#include "server/query_session.h"

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "server/query_tree.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/formatting.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
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

/* The first argument of a date or time type; NULL if there is none. */
static Node *
time_argument(List *arguments)
{
	ListCell   *cell;

	foreach(cell, arguments)
	{
		Node	   *argument = lfirst(cell);

		if (IsA(argument, TargetEntry))
			argument = (Node *) castNode(TargetEntry, argument)->expr;
		if (is_time_type(exprType(argument)))
			return argument;
	}
	return NULL;
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

/* Does a call depend on the session?  JSON has dates and times in one form. */
static bool
is_dependent_call(Oid function, List *arguments, Oid result)
{
	if (makes_local_time(function, arguments))
		return true;
	return result != JSONOID && result != JSONBOID &&
		time_argument(arguments) != NULL && func_volatile(function) == PROVOLATILE_STABLE &&
		!is_independent(function, arguments);
}

/* Does the conversion of a value of this type to text depend on the session? */
static bool
is_dependent_output(Oid type)
{
	Oid			output;
	bool		is_varlena;

	if (!is_time_type(type))
		return false;
	getTypeOutputInfo(type, &output, &is_varlena);

	/*
	 * arrays and ranges have stable functions, and call those of their
	 * elements
	 */
	return func_volatile(output) == PROVOLATILE_STABLE;
}

static const char *
describe_conversion(Oid from, Oid to)
{
	return psprintf("a conversion of %s to %s", format_type_be(from), format_type_be(to));
}

/*
 * Does the planner convert a column of a UNION or the like, from one type to another, and
 * does that depend on the session?
 */
static bool
is_dependent_column(Oid from, Oid to)
{
	Oid			function;

	switch (from == to ? COERCION_PATH_NONE :
			find_coercion_pathway(to, from, COERCION_IMPLICIT, &function))
	{
		case COERCION_PATH_FUNC:
			return is_time_type(from) && func_volatile(function) == PROVOLATILE_STABLE;
		case COERCION_PATH_COERCEVIAIO:
			return is_dependent_output(from);
		default:
			return false;
	}
}

/* Describe CURRENT_DATE and the like; NULL for what all sessions agree on. */
static const char *
check_current_time(SQLValueFunctionOp op)
{
	switch (op)
	{
		case SVFOP_CURRENT_DATE:
			return "CURRENT_DATE";
		case SVFOP_CURRENT_TIME:
		case SVFOP_CURRENT_TIME_N:
			return "CURRENT_TIME";
		case SVFOP_LOCALTIME:
		case SVFOP_LOCALTIME_N:
			return "LOCALTIME";
		case SVFOP_LOCALTIMESTAMP:
		case SVFOP_LOCALTIMESTAMP_N:
			return "LOCALTIMESTAMP";
		default:
			return NULL;
	}
}

/* Look at the columns of a UNION, INTERSECT or EXCEPT. */
static const char *
check_set_operation(const Query *query, const SetOperationStmt *operation)
{
	Node	   *sides[] = {operation->larg, operation->rarg};

	check_stack_depth();
	for (size_t i = 0; i < lengthof(sides); i++)
	{
		List	   *types = NIL;
		const char *found;
		ListCell   *from;
		ListCell   *to;

		if (IsA(sides[i], SetOperationStmt))
		{
			const SetOperationStmt *inner = castNode(SetOperationStmt, sides[i]);

			if ((found = check_set_operation(query, inner)) != NULL)
				return found;
			types = inner->colTypes;
		}
		else
		{
			const Query *side = rt_fetch(castNode(RangeTblRef, sides[i])->rtindex,
										 query->rtable)->subquery;

			foreach(from, side->targetList)
				if (!lfirst_node(TargetEntry, from)->resjunk)
				types = lappend_oid(types, exprType((Node *) lfirst_node(TargetEntry, from)->expr));
		}
		forboth(from, types, to, operation->colTypes)
			if (is_dependent_column(lfirst_oid(from), lfirst_oid(to)))
			return describe_conversion(lfirst_oid(from), lfirst_oid(to));
	}
	return NULL;
}

/* Describe a call that depends on the session; NULL for another. */
static const char *
check_function(Oid function, List *arguments, Oid result, bool is_cast)
{
	if (!is_dependent_call(function, arguments, result))
		return NULL;
	return is_cast ? describe_conversion(exprType(time_argument(arguments)), result) :
		psprintf("the function %s", format_procedure(function));
}

/* XML has a timestamptz in the time zone of the session. */
static const char *
check_xml(const XmlExpr *xml)
{
	ListCell   *cell;

	foreach(cell, list_concat_copy(xml->args, xml->named_args))
		if (getBaseType(exprType(lfirst(cell))) == TIMESTAMPTZOID)
		return describe_conversion(TIMESTAMPTZOID, XMLOID);
	return NULL;
}

static const char *
check_operator(Oid operator, List *arguments, Oid result)
{
	return is_dependent_call(get_opcode(operator), arguments, result) ?
		psprintf("the operator %s", format_operator(operator)) : NULL;
}

/* Does a node of the tree depend on the session by itself?  Describe it, or return NULL. */
static const char *
check_node(Node *node)
{
	switch (nodeTag(node))
	{
		case T_FuncExpr:
			{
				const FuncExpr *call = castNode(FuncExpr, node);

				return check_function(call->funcid, call->args, call->funcresulttype,
									  call->funcformat == COERCE_IMPLICIT_CAST ||
									  call->funcformat == COERCE_EXPLICIT_CAST);
			}
		case T_Aggref:
			return check_function(castNode(Aggref, node)->aggfnoid, castNode(Aggref, node)->args,
								  castNode(Aggref, node)->aggtype, false);
		case T_WindowFunc:
			return check_function(castNode(WindowFunc, node)->winfnoid, castNode(WindowFunc, node)->args,
								  castNode(WindowFunc, node)->wintype, false);
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			return check_operator(((OpExpr *) node)->opno, ((OpExpr *) node)->args,
								  ((OpExpr *) node)->opresulttype);
		case T_ScalarArrayOpExpr:
			return check_operator(castNode(ScalarArrayOpExpr, node)->opno,
								  castNode(ScalarArrayOpExpr, node)->args, BOOLOID);
		case T_SQLValueFunction:
			return check_current_time(castNode(SQLValueFunction, node)->op);
		case T_XmlExpr:
			return check_xml(castNode(XmlExpr, node));
		case T_CoerceViaIO:
			{
				Oid			from = exprType((Node *) castNode(CoerceViaIO, node)->arg);

				return is_dependent_output(from) ?
					describe_conversion(from, castNode(CoerceViaIO, node)->resulttype) : NULL;
			}
		case T_Query:
			{
				const Query *query = castNode(Query, node);

				return query->setOperations ?
					check_set_operation(query, castNode(SetOperationStmt, query->setOperations)) : NULL;
			}
		default:
			return NULL;
	}
}

/* Look for a node that depends on the session.  context: where to store what it is. */
static bool
find_dependence(Node *node, void *context)
{
	const char **found = context;

	if (node == NULL)
		return false;
	if ((*found = check_node(node)) != NULL)
		return true;
	if (IsA(node, Query))
		return query_tree_walker(castNode(Query, node), find_dependence, context, 0);
	/* to_char of a date: not its cast, but what is cast */
	if (IsA(node, FuncExpr) && castNode(FuncExpr, node)->funcid == F_TO_CHAR_TIMESTAMPTZ_TEXT)
		node = linitial(castNode(FuncExpr, node)->args);
	return expression_tree_walker(node, find_dependence, context);
}

const char *
sm_query_session(const SmQuery *query)
{
	const char *found = NULL;

	find_dependence((Node *) sm_query_tree(query), &found);
	return found;
}
