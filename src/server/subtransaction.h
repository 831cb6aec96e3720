/*
 * subtransaction.h
 *	  Work that is undone as a whole if it fails.
 */
#ifndef SM_SUBTRANSACTION_H
#define SM_SUBTRANSACTION_H

#include "utils/elog.h"

/*
 * Do work in a subtransaction.  work returns whether to keep what it did.  If it returns
 * false or raises an error, the subtransaction is rolled back, which also releases its
 * locks.  Returns the error, in the current memory context, or NULL.
 */
extern ErrorData *sm_try(bool (*work) (void *arg), void *arg);

#endif
