/*
 * error.h
 *	  Work in a subtransaction, whose errors are caught.
 */
#ifndef SM_ERROR_H
#define SM_ERROR_H

/*
 * Do work in a subtransaction, and keep what it did unless it raises an error.  Returns the
 * error, in the current memory context, or NULL.
 */
extern ErrorData *sm_try(void (*work) (void *arg), void *arg);

/* The same, but always undo what work did, which also releases its locks. */
extern ErrorData *sm_try_and_undo(void (*work) (void *arg), void *arg);

/*
 * Is an error a cancel request or a timeout of this session?  A foreign server's timeout and
 * a RAISE in a function can have the same SQLSTATE.
 */
extern bool sm_is_cancel(const ErrorData *error);

#endif
