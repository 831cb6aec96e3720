/*
 * argument.h
 *	  Reads arguments of SQL functions, and other SQL values: in UTF-8 and within bounds.
 */
#ifndef SM_ARGUMENT_H
#define SM_ARGUMENT_H

#include "compat.h"
#include "fmgr.h"
#include "web/url.h"

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
 * Read a text or xml value as UTF-8, and raise an error if it cannot be read.  name:
 * name of the argument.
 */
extern SmSpan sm_read_argument(Datum value, const char *name);

/* Raise an error if encoding a URL ran out of memory, which is no fault of the URL. */
extern void sm_url_check_memory(SmUrlStatus status);

/* Raise an error for a base_url.  reason: a clause. */
pg_noreturn extern void sm_refuse_base_url(SmSpan url, const char *reason);

/* Read a base_url, or raise an error. */
extern void sm_base_url_read(SmSpan url, SmUrlScope scope, SmUrlBase *base);

/* The type of argument n, which tells overloaded functions apart. */
extern Oid	sm_argument_type(FunctionCallInfo fcinfo, int n);

/*
 * The arguments of a function, found by name.  A function that an older version of the
 * extension created can lack some.  A missing argument counts as NULL.
 */
typedef struct SmArguments
{
	int			count;
	char	  **names;
	Oid		   *types;
	NullableDatum *values;
} SmArguments;

extern SmArguments *sm_call_arguments(FunctionCallInfo fcinfo);

/* Is there such an argument, and not NULL? */
extern bool sm_has_argument(const SmArguments *args, const char *name);

/* The value of an argument.  Raises an error if it is NULL. */
extern Datum sm_argument(const SmArguments *args, const char *name);
extern char *sm_text_argument(const SmArguments *args, const char *name);

/*
 * Read an option: NULL stands for its default.  Raise an error if the value is not between
 * min and max, or is not one of the choices.
 */
extern int64 sm_integer_option(const SmArguments *args, const char *name, int64 min,
							   int64 max, int64 default_value);
extern int	sm_choice_option(const SmArguments *args, const char *name,
							 const SmChoice *choices, int default_value);

#endif
