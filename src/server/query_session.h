/*
 * query_session.h
 *	  Whether the settings of the session change the rows of a query.
 */
#ifndef SM_QUERY_SESSION_H
#define SM_QUERY_SESSION_H

#include "server/query.h"

/*
 * What in a query depends on settings such as TimeZone and DateStyle, as a noun phrase;
 * NULL if nothing is found.  Functions are judged by what they are declared as.
 */
extern const char *sm_query_session(const SmQuery *query);

#endif
