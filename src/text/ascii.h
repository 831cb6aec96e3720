/*
 * ascii.h
 *	  ASCII characters: their classes, case and hex digits, whatever the locale.
 */
#ifndef SM_ASCII_H
#define SM_ASCII_H

#include <stdint.h>

#include "text/span.h"

/*
 * Classes of characters in URLs, RFC 3986: what needs no encoding in a component.  "&"
 * and "'" are in no such class, since XML needs entities for them: see escape.c.
 */
#define SM_IN_PATH		0x01
#define SM_IN_QUERY		0x02	/* or a fragment */
#define SM_UNRESERVED	0x04

/* in a robots.txt: reserved characters that are written as they are */
#define SM_ROBOTS_AS_IS	0x08

/* in XML: what may begin a name (letters and "_"); what may follow in a name */
#define SM_NAME_START	0x10
#define SM_NAME			0x20

/* in XML: what text may have without a further check */
#define SM_PLAIN_TEXT	0x40

extern const uint8_t sm_ascii_classes[256];

/* The classes of a byte; none for a byte outside ASCII. */
#define SM_CLASSES(c)	(sm_ascii_classes[(unsigned char) (c)])

static inline char
sm_lower(char c)
{
	return (c >= 'A' && c <= 'Z') ? c + ('a' - 'A') : c;
}

static inline char
sm_upper(char c)
{
	return (c >= 'a' && c <= 'z') ? c - ('a' - 'A') : c;
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

static inline bool
sm_is_word_char(char c)
{
	return sm_is_letter(c) || sm_is_digit(c) || c == '_';
}

/* A blank of XML */
static inline bool
sm_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The first character from s on that is no blank of XML, or end */
static inline const char *
sm_skip_space(const char *s, const char *end)
{
	while (s < end && sm_is_space(*s))
		s++;
	return s;
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

/* Are all of these bytes ASCII? */
static inline bool
sm_is_ascii(SmSpan span)
{
	for (size_t i = 0; i < span.len; i++)
		if ((unsigned char) span.s[i] >= 0x80)
			return false;
	return true;
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
