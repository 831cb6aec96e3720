/*
 * argument.h
 *	  Reads arguments of SQL functions, and other SQL values: in UTF-8 and within bounds.
 */
#ifndef SM_ARGUMENT_H
#define SM_ARGUMENT_H

#include "compat.h"
#include "core/span.h"
#include "fmgr.h"
#include "server/problem.h"

/*
 * An allowed value of an argument.  Case and surrounding blanks are ignored.  An array
 * of choices ends with a NULL name.
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
 * Read a string of the database as UTF-8.  The result may point into the string or into
 * the current memory context.  If the string cannot be read, this reports the problem
 * called name and sets s of the result to NULL.  what: noun phrase for the value.  Returns
 * whether the row may go on.
 */
extern bool sm_read_string(const char *s, size_t len, SmSpan *result, SmProblems *problems,
						   SmProblemName name, const char *what);

/* The same for a text or xml value. */
extern bool sm_read_text(Datum value, SmSpan *result, SmProblems *problems,
						 SmProblemName name, const char *what);

/*
 * Read a text or xml value as UTF-8, and raise an error if it cannot be read.  name:
 * name of the argument.
 */
extern SmSpan sm_read_argument(Datum value, const char *name);

/* The type of argument n, which tells overloaded functions apart. */
extern Oid	sm_argument_type(FunctionCallInfo fcinfo, int n);

/*
 * Raise an error if argument n is NULL; sm_text_argument also reads it.  name: its name, for
 * messages.
 */
extern void sm_require_argument(FunctionCallInfo fcinfo, int n, const char *name);
extern char *sm_text_argument(FunctionCallInfo fcinfo, int n, const char *name);

/*
 * Read argument n, an option: NULL stands for its default.  Raise an error if the
 * value is not between min and max, or is not one of the choices.
 */
extern int64 sm_integer_option(FunctionCallInfo fcinfo, int n, const char *name,
							   int64 min, int64 max, int64 default_value);
extern int	sm_choice_option(FunctionCallInfo fcinfo, int n, const char *name,
							 const SmChoice *choices, int default_value);

#endif
