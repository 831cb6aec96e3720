/*
 * ascii.h
 *	  ASCII characters: their classes, case and hex digits, whatever the locale.
 */
#ifndef SM_ASCII_H
#define SM_ASCII_H

#include "core/span.h"

static inline char
sm_lower(char c)
{
	return (c >= 'A' && c <= 'Z') ? c + ('a' - 'A') : c;
}

static inline bool
sm_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Small and capital letters differ by one bit. */
static inline bool
sm_is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* A blank of XML */
static inline bool
sm_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The value of a hex digit, -1 for any other character */
static inline int
sm_hex_value(char c)
{
	if (sm_is_digit(c))
		return c - '0';
	c = sm_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The upper-case hex digit of the lowest four bits */
static inline char
sm_hex_digit(unsigned int value)
{
	return "0123456789ABCDEF"[value & 15];
}

static inline bool
sm_equal_ignoring_case(SmSpan a, SmSpan b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (sm_lower(a.s[i]) != sm_lower(b.s[i]))
			return false;
	return true;
}

#endif
