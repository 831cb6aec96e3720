/*
 * argument.h
 *	  Arguments of functions that are called on NULL, read and checked.
 */
#ifndef SM_ARGUMENT_H
#define SM_ARGUMENT_H

#include "fmgr.h"
#include "sitemap.h"

/* A value that an argument may have; the last of them has no name. */
typedef struct SmChoice
{
	const char *name;
	int			value;
} SmChoice;

/* Raise the error for a value that argument name must not have; detail is a sentence. */
pg_noreturn extern void sm_invalid_argument(const char *name, const char *value,
											const char *detail);

/*
 * Argument n, which is called name.  Each is an error where it is NULL, not from
 * min to max, or none of the choices.
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
