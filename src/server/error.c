/*
 * error.c
 *	  An internal subtransaction, as PL/pgSQL has one for a block with EXCEPTION.
 */
#include "postgres.h"

#include "server/error.h"

#include "access/xact.h"
#include "utils/resowner.h"

ErrorData *
sm_try(void (*work) (void *arg), void *arg, bool keep)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData  *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		work(arg);
		if (keep)
			ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	if (error || !keep)
		RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return error;
}

/* PostgreSQL's function ProcessInterrupts raises both. */
bool
sm_is_cancel(const ErrorData *error)
{
	return error->sqlerrcode == ERRCODE_QUERY_CANCELED && error->funcname != NULL &&
		strcmp(error->funcname, "ProcessInterrupts") == 0;
}
