/*
 * fuzz.h
 *	  What the fuzzers share: a check that says what it checked.
 */
#ifndef SM_FUZZ_H
#define SM_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
	do { \
		if (!(condition)) \
		{ \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

extern int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An allocation of just len bytes, so that a sanitizer sees a step beyond. */
static inline char *
exactly(const void *src, size_t len)
{
	char	   *copy = malloc(len > 0 ? len : 1);

	CHECK(copy != NULL);
	if (src != NULL && len > 0)
		memcpy(copy, src, len);
	return copy;
}

static inline bool
equal(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a_len == b_len && memcmp(a, b, a_len) == 0;
}

#endif
