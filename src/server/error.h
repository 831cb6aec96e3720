/*
 * error.h
 *	  Errors that are caught: to undo some work, or to say more about a cancellation.
 */
#ifndef SM_ERROR_H
#define SM_ERROR_H

#include "fmgr.h"

/*
 * Do work in a subtransaction.  work returns whether to keep what it did.  If it returns
 * false or raises an error, the subtransaction is rolled back, which also releases its
 * locks.  Returns the error, in the current memory context, or NULL.
 */
extern ErrorData *sm_try(bool (*work) (void *arg), void *arg);

/*
 * Call a function.  An error query_canceled that is neither a cancel request nor a timeout
 * of this session, such as the timeout of a foreign server, gets a line of context that says
 * so.  sitemap_run looks for that line: only a cancellation of its own session ends the call.
 */
extern Datum sm_call_marking_cancels(PGFunction function, FunctionCallInfo fcinfo);

#endif
