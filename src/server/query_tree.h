/*
 * query_tree.h
 *	  What the parse tree of a query says about its rows.
 */
#ifndef SM_QUERY_TREE_H
#define SM_QUERY_TREE_H

#include "server/query.h"

/* Do the rows have an order, by an ORDER BY or since no table is read? */
extern bool sm_query_has_order(const SmQuery *query);

/*
 * Does a LIMIT or OFFSET decide which rows the query returns?  Then a new or deleted row
 * removes or adds others.
 */
extern bool sm_query_has_limit(const SmQuery *query);

/*
 * The name of a table that the query reads and whose row security does not apply to the
 * current role, its owner for example; NULL for none.
 */
extern const char *sm_query_unsecured(const SmQuery *query);

#endif
