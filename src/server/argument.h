/*
 * argument.h
 *	  Arguments of SQL functions that are not STRICT, read and checked.
 */
#ifndef SM_ARGUMENT_H
#define SM_ARGUMENT_H

#include "compat.h"
#include "core/span.h"
#include "fmgr.h"

/*
 * A value that an argument may have.  An array of them ends with a NULL name.
 */
typedef struct SmChoice
{
	const char *name;
	int			value;
} SmChoice;

/* Raise an error about the value of an argument.  detail: a sentence. */
pg_noreturn extern void sm_invalid_argument(const char *name, const char *value,
											const char *detail);

/*
 * Read argument n.  name: its name, for messages.  All of these raise an error if
 * the argument is NULL, outside of min to max, or not one of the choices.
 */
extern void sm_require_argument(FunctionCallInfo fcinfo, int n, const char *name);
extern char *sm_text_argument(FunctionCallInfo fcinfo, int n, const char *name);
extern int32 sm_int32_argument(FunctionCallInfo fcinfo, int n, const char *name,
							   int32 min, int32 max);
extern int64 sm_int64_argument(FunctionCallInfo fcinfo, int n, const char *name,
							   int64 min, int64 max);
extern int	sm_choice_argument(FunctionCallInfo fcinfo, int n, const char *name,
							   const SmChoice *choices);

#endif
