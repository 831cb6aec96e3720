/*
 * tap.h
 *	  What the unit tests share: results in the Test Anything Protocol.
 *
 * A test prints its results as they come and the plan last.
 */
#ifndef SM_TAP_H
#define SM_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/span.h"

/* A loop over strings that are written down where they are needed. */
#define foreach_string(item, ...) \
	for (const char *const *item = (const char *const[]) {__VA_ARGS__, NULL}; *item; item++)

/* The same over what is given, and what is wanted of it. */
typedef struct Pair
{
	const char *given;
	const char *wanted;
} Pair;

#define foreach_pair(pair, ...) \
	for (const Pair *pair = (const Pair[]) {__VA_ARGS__, {NULL, NULL}}; pair->given; pair++)

static int	tap_tests = 0;
static int	tap_failures = 0;

/* Print bytes on one line, and so that no "#" begins a TAP directive. */
static inline void
tap_print(const char *s, size_t len)
{
	for (size_t i = 0; i < len && i < 200; i++)
	{
		unsigned char c = (unsigned char) s[i];

		if (c == '\\' || c == '#')
			printf("\\%c", c);
		else if (c >= 0x20 && c < 0x7F)
			putchar(c);
		else
			printf("\\x%02X", c);
	}
	if (len > 200)
		printf(" ... (%zu bytes)", len);
}

static inline bool
ok_bytes(bool passed, const char *name, size_t name_len)
{
	tap_failures += !passed;
	printf("%s %d - ", passed ? "ok" : "not ok", ++tap_tests);
	tap_print(name, name_len);
	putchar('\n');
	return passed;
}

static inline bool
ok(bool passed, const char *name)
{
	return ok_bytes(passed, name, strlen(name));
}

/* Two byte strings are equal. */
static inline bool
is(const char *got, size_t got_len, const char *wanted, size_t wanted_len, const char *name)
{
	bool		passed = got_len == wanted_len && memcmp(got, wanted, got_len) == 0;

	ok(passed, name);
	if (!passed)
	{
		printf("#    got: ");
		tap_print(got, got_len);
		printf("\n# wanted: ");
		tap_print(wanted, wanted_len);
		putchar('\n');
	}
	return passed;
}

static inline bool
is_string(SmSpan got, const char *wanted, const char *name)
{
	return is(got.s, got.len, wanted, strlen(wanted), name);
}

static inline bool
is_number(long long got, long long wanted, const char *name)
{
	bool		passed = ok(got == wanted, name);

	if (!passed)
		printf("#    got: %lld\n# wanted: %lld\n", got, wanted);
	return passed;
}

/*
 * An allocation of just len bytes, so that a sanitizer sees a step beyond.  It lasts until
 * four more are made.
 */
static inline char *
exactly(const char *src, size_t len)
{
	static char *latest[4];
	static unsigned n = 0;
	char	  **copy = &latest[n++ % 4];

	free(*copy);
	*copy = malloc(len > 0 ? len : 1);
	if (*copy == NULL)
		abort();
	if (src != NULL && len > 0)
		memcpy(*copy, src, len);
	return *copy;
}

/* A string in such an allocation. */
static inline SmSpan
exact(const char *text)
{
	return sm_span(exactly(text, strlen(text)), strlen(text));
}

/* A text that lasts until four more are made. */
static inline const char *
text_of(const char *format,...)
{
	static char latest[4][1024];
	static unsigned n = 0;
	char	   *text = latest[n++ % 4];
	va_list		args;

	va_start(args, format);
	vsnprintf(text, sizeof(latest[0]), format, args);
	va_end(args);
	return text;
}

/* UTF-8 by arithmetic alone, surrogates and all. */
static inline size_t
put_utf8(uint32_t c, char *dst)
{
	size_t		n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = n - 1; i > 0; i--)
	{
		dst[i] = (char) (0x80 + c % 64);
		c /= 64;
	}
	dst[0] = (char) ((n == 1 ? 0 : n == 2 ? 0xC0 : n == 3 ? 0xE0 : 0xF0) + c);
	return n;
}

/* The plan; for main() to return. */
static inline int
done(void)
{
	printf("1..%d\n", tap_tests);
	return tap_failures > 0;
}

#endif
