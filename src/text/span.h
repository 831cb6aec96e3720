/*
 * span.h
 *	  A piece of text: a pointer and a length.  A span does not own its memory.
 */
#ifndef SM_SPAN_H
#define SM_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct SmSpan
{
	const char *s;
	size_t		len;
} SmSpan;

/* A string literal and its length, for initializers and arguments. */
#define SM_LITERAL(string)	(string), (sizeof(string) - 1)

/* The value of a macro that is a number, as a string literal. */
#define SM_STRING(number)	SM_STRING_(number)
#define SM_STRING_(number)	#number

static inline SmSpan
sm_span(const char *s, size_t len)
{
	SmSpan		span;

	span.s = s;
	span.len = len;
	return span;
}

/* A string without its terminator. */
static inline SmSpan
sm_span_of(const char *string)
{
	return sm_span(string, strlen(string));
}

/* Stands for NULL, as opposed to an empty text. */
static inline SmSpan
sm_no_span(void)
{
	return sm_span(NULL, 0);
}

/* The pointer of an empty span may be NULL, which memcmp does not take. */
static inline bool
sm_span_equal(SmSpan a, SmSpan b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.s, b.s, a.len) == 0);
}

/* Does a span equal a string?  The compiler knows the length of a literal. */
static inline bool
sm_span_is(SmSpan span, const char *string)
{
	return sm_span_equal(span, sm_span_of(string));
}

/* Does a span begin with this string? */
static inline bool
sm_span_begins(SmSpan span, const char *string)
{
	size_t		len = strlen(string);

	return span.len >= len && memcmp(span.s, string, len) == 0;
}

/* Copy bytes to dst.  Returns the end of the copy. */
static inline char *
sm_put(char *dst, const char *s, size_t len)
{
	memcpy(dst, s, len);
	return dst + len;
}

#endif
