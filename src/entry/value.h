/*
 * value.h
 *	  What all elements need: room in a buffer, blank values, refused URLs, dates.
 */
#ifndef SM_VALUE_H
#define SM_VALUE_H

#include "entry/entry.h"
#include "entry/problem.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "server/encoding.h"
#include "utils/memutils.h"
#include "web/url.h"

/*
 * Make room for size more bytes at the end of buf, and return a pointer to that end.
 * The contents of buf may move.
 */
static inline char *
sm_reserve(StringInfo buf, size_t size)
{
	if (unlikely(size >= (size_t) (buf->maxlen - buf->len)))
	{
		if (size > MaxAllocSize / 2)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("a value is too long for a sitemap")));
		enlargeStringInfo(buf, (int) size);
	}
	return buf->data + buf->len;
}

/* Append a literal, or other bytes, to buf. */
static inline void
sm_append(StringInfo buf, const char *s, size_t len)
{
	memcpy(sm_reserve(buf, len), s, len);
	buf->len += (int) len;
}

/* Report that a string cannot be read.  Returns whether the row may go on. */
extern bool sm_encoding_problem(SmSpan *result, SmProblems *problems, SmProblemName name,
								const char *what);

/*
 * Read a string of the database as UTF-8.  The result may point into the string.  If the
 * string cannot be read, this reports a problem and sets s of the result to NULL.  what: noun
 * phrase for the value.  Returns whether the row may go on.
 */
static inline bool
sm_read_string(const char *s, size_t len, SmSpan *result, SmProblems *problems,
			   SmProblemName name, const char *what)
{
	return sm_to_utf8(s, len, result) || sm_encoding_problem(result, problems, name, what);
}

/* The same for a text or xml value. */
static inline bool
sm_read_text(Datum value, SmSpan *result, SmProblems *problems, SmProblemName name,
			 const char *what)
{
	struct varlena *text = PG_DETOAST_DATUM_PACKED(value);

	return sm_read_string(VARDATA_ANY(text), VARSIZE_ANY_EXHDR(text), result, problems,
						  name, what);
}

/*
 * The value, untrimmed.  A value of nothing but blanks and characters
 * that XML does not allow counts as not given: s of the result is NULL.
 */
extern SmSpan sm_unless_blank(SmSpan value);

/*
 * Report that a URL was refused.  Out of memory is not a problem of the row, and is always
 * an error.  what: noun phrase for the URL in the message.
 */
extern bool sm_url_problem(SmProblems *problems, SmProblemName name, const char *what,
						   SmUrlStatus status);

/*
 * Read a number in the form of xsd:decimal, the type of <priority>: no exponent, no
 * infinity.  Returns false for any other text.
 */
extern bool sm_read_decimal(SmSpan text, double *value);

/* Seconds from 1970-01-01 UTC to a timestamp, without a fraction. */
static inline int64
sm_timestamp_seconds(Timestamp value)
{
	return value / USECS_PER_SEC - (value % USECS_PER_SEC < 0) + SM_POSTGRES_EPOCH;
}

/*
 * Append a date to buf, and store its instant in *seconds.  Returns false if nothing was appended,
 * because the date is missing, blank or invalid.  what: noun phrase for the date in a problem.
 */
extern bool sm_append_date(StringInfo buf, const SmValue *date, SmProblems *problems,
						   SmProblemName name, const char *what, int64 *seconds);

#endif
