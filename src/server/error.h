/*
 * error.h
 *	  Work in a subtransaction, whose errors are caught.
 */
#ifndef SM_ERROR_H
#define SM_ERROR_H

/*
 * Do work in a subtransaction.  What it did is undone, and its locks are released, after an
 * error, or in any case unless keep is true.  Returns the error, in the current memory
 * context, or NULL.
 */
extern ErrorData *sm_try(void (*work) (void *arg), void *arg, bool keep);

/*
 * Is an error a cancel request or the statement_timeout of this session?  A foreign server's
 * timeout and a RAISE in a function can have the same SQLSTATE.
 */
extern bool sm_is_cancel(const ErrorData *error);

#endif
