/*
 * tap.h
 *	  What the unit tests share: results in the Test Anything Protocol.
 *
 * A test prints its results as they come and the plan last.
 */
#ifndef SM_TAP_H
#define SM_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A loop over strings that are written down where they are needed. */
#define foreach_string(item, ...) \
	for (const char *const *item = (const char *const[]) {__VA_ARGS__, NULL}; *item; item++)

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
is_number(long long got, long long wanted, const char *name)
{
	bool		passed = ok(got == wanted, name);

	if (!passed)
		printf("#    got: %lld\n# wanted: %lld\n", got, wanted);
	return passed;
}

/* An allocation of just len bytes, so that a sanitizer sees a step beyond. */
static inline char *
exactly(const char *src, size_t len)
{
	char	   *copy = malloc(len > 0 ? len : 1);

	if (copy == NULL)
		abort();
	if (src != NULL && len > 0)
		memcpy(copy, src, len);
	return copy;
}

/* The plan; for main() to return. */
static inline int
done(void)
{
	printf("1..%d\n", tap_tests);
	return tap_failures > 0;
}

#endif
