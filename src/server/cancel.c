/*
 * cancel.c
 *	  Adds a line of context to a cancellation that is not this session's.
 *
 * PostgreSQL's function ProcessInterrupts raises all cancel requests and timeouts of a
 * session.  A foreign server's timeout and a RAISE in a function have the same SQLSTATE, but
 * are raised elsewhere.
 */
#include "postgres.h"

#include "server/cancel.h"

#include "utils/memutils.h"

Datum
sm_call_marking_cancels(PGFunction function, FunctionCallInfo fcinfo)
{
	MemoryContext context = CurrentMemoryContext;
	Datum		result = (Datum) 0;

	PG_TRY();
	{
		result = function(fcinfo);
	}
	PG_CATCH();
	{
		if (geterrcode() == ERRCODE_QUERY_CANCELED)
		{
			ErrorData  *error;

			MemoryContextSwitchTo(context);
			error = CopyErrorData();
			if (error->funcname == NULL || strcmp(error->funcname, "ProcessInterrupts") != 0)
				errcontext("not a cancel request or timeout of this session");
			FreeErrorData(error);
		}
		PG_RE_THROW();
	}
	PG_END_TRY();
	return result;
}
