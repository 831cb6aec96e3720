/*
 * text.c
 *	  Text in UTF-8: its characters, and the blanks around it.
 */
#include "core/text.h"

size_t
sm_utf8_decode(const char *s, const char *end, uint32_t *c)
{
	const unsigned char *p = (const unsigned char *) s;
	size_t		left = end - s;

	if (left >= 1 && p[0] < 0x80)
	{
		*c = p[0];
		return 1;
	}
	if (left >= 2 && p[0] >= 0xC2 && p[0] <= 0xDF && (p[1] & 0xC0) == 0x80)
	{
		*c = (uint32_t) (p[0] & 0x1F) << 6 | (p[1] & 0x3F);
		return 2;
	}
	if (left >= 3 && (p[0] & 0xF0) == 0xE0 &&
		(p[1] & 0xC0) == 0x80 && (p[2] & 0xC0) == 0x80)
	{
		*c = (uint32_t) (p[0] & 0x0F) << 12 | (uint32_t) (p[1] & 0x3F) << 6 | (p[2] & 0x3F);
		return (*c >= 0x800 && (*c < 0xD800 || *c > 0xDFFF)) ? 3 : 0;
	}
	if (left >= 4 && (p[0] & 0xF8) == 0xF0 &&
		(p[1] & 0xC0) == 0x80 && (p[2] & 0xC0) == 0x80 && (p[3] & 0xC0) == 0x80)
	{
		*c = (uint32_t) (p[0] & 0x07) << 18 | (uint32_t) (p[1] & 0x3F) << 12 |
			(uint32_t) (p[2] & 0x3F) << 6 | (p[3] & 0x3F);
		return (*c >= 0x10000 && *c <= 0x10FFFF) ? 4 : 0;
	}
	return 0;
}

char *
sm_utf8_encode(char *dst, uint32_t c)
{
	if (c < 0x80)
		*dst++ = c;
	else if (c < 0x800)
	{
		*dst++ = 0xC0 | c >> 6;
		*dst++ = 0x80 | (c & 0x3F);
	}
	else if (c < 0x10000)
	{
		*dst++ = 0xE0 | c >> 12;
		*dst++ = 0x80 | (c >> 6 & 0x3F);
		*dst++ = 0x80 | (c & 0x3F);
	}
	else
	{
		*dst++ = 0xF0 | c >> 18;
		*dst++ = 0x80 | (c >> 12 & 0x3F);
		*dst++ = 0x80 | (c >> 6 & 0x3F);
		*dst++ = 0x80 | (c & 0x3F);
	}
	return dst;
}

/*
 * The length in bytes of the Unicode White_Space character at s, or, if
 * backward, before s; 0 if there is none.
 */
static size_t
blank_at(const unsigned char *s, size_t len, bool backward)
{
	const unsigned char *p;

	if (len >= 1)
	{
		p = backward ? s - 1 : s;
		if ((p[0] >= 0x09 && p[0] <= 0x0D) || p[0] == 0x20)
			return 1;
	}
	if (len >= 2)
	{
		p = backward ? s - 2 : s;
		if (p[0] == 0xC2 && (p[1] == 0x85 || p[1] == 0xA0))
			return 2;			/* NEL, NBSP */
	}
	if (len >= 3)
	{
		p = backward ? s - 3 : s;
		if (p[0] == 0xE2 && p[1] == 0x80 &&
			((p[2] >= 0x80 && p[2] <= 0x8A) ||	/* U+2000 to U+200A */
			 p[2] == 0xA8 || p[2] == 0xA9 || p[2] == 0xAF))
			return 3;
		if ((p[0] == 0xE1 && p[1] == 0x9A && p[2] == 0x80) ||	/* U+1680 */
			(p[0] == 0xE2 && p[1] == 0x81 && p[2] == 0x9F) ||	/* U+205F */
			(p[0] == 0xE3 && p[1] == 0x80 && p[2] == 0x80)) /* U+3000 */
			return 3;
	}
	return 0;
}

SmSpan
sm_trim(SmSpan text)
{
	const unsigned char *s = (const unsigned char *) text.s;
	size_t		n = text.len;
	size_t		blank;

	while (n > 0 && (*s <= 0x20 || *s >= 0x80) &&
		   (blank = blank_at(s, n, false)) > 0)
	{
		s += blank;
		n -= blank;
	}
	while (n > 0 && (s[n - 1] <= 0x20 || s[n - 1] >= 0x80) &&
		   (blank = blank_at(s + n, n, true)) > 0)
		n -= blank;
	return sm_span((const char *) s, n);
}
