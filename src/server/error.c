/*
 * error.c
 *	  An internal subtransaction, as PL/pgSQL has one for a block with EXCEPTION, and an
 *	  error that is raised again.
 */
#include "postgres.h"

#include "server/error.h"

#include "access/xact.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

ErrorData *
sm_try(bool (*work) (void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData  *volatile error = NULL;
	volatile bool keep = false;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		keep = work(arg);
		if (keep)
			ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		keep = false;
	}
	PG_END_TRY();
	if (!keep)
		RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return error;
}

/*
 * PostgreSQL's function ProcessInterrupts raises all cancel requests and timeouts of a
 * session.  A foreign server's timeout and a RAISE in a function have the same SQLSTATE, but
 * are raised elsewhere.
 */
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
