/*
 * utf8.h
 *	  UTF-8 for unit tests that try every character.
 */
#ifndef SM_TEST_UTF8_H
#define SM_TEST_UTF8_H

#include <stddef.h>
#include <stdint.h>

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

#endif
