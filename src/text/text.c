/*
 * text.c
 *	  Decodes only well-formed UTF-8: no overlong forms, no surrogates.
 */
#include "text/text.h"

size_t
sm_utf8_decode(const char *s, const char *end, uint32_t *c)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first = s < end ? *s : 0x80;
	size_t		n = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF8 ? 4 : 0;

	if (n > (size_t) (end - s))
		return 0;
	*c = n <= 1 ? first : first & (0x7F >> n);
	for (size_t i = 1; i < n; i++)
	{
		if ((s[i] & 0xC0) != 0x80)
			return 0;
		*c = *c << 6 | (s[i] & 0x3F);
	}
	return *c >= smallest[n] && *c <= 0x10FFFF && (*c < 0xD800 || *c > 0xDFFF) ? n : 0;
}

char *
sm_utf8_encode(char *dst, uint32_t c)
{
	int			n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (int i = n - 1; i > 0; i--)
	{
		dst[i] = 0x80 | (c & 0x3F);
		c >>= 6;
	}
	/* as many high bits as there are bytes, if more than one */
	dst[0] = n == 1 ? c : (0xF00 >> n & 0xFF) | c;
	return dst + n;
}

bool
sm_is_white_space(uint32_t c)
{
	return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
		(c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
		c == 0x205F || c == 0x3000;
}

SmSpan
sm_trim_blanks(SmSpan text)
{
	uint32_t	c;
	size_t		n;

	while (text.len > 0 && sm_may_be_blank(text.s[0]) &&
		   (n = sm_utf8_decode(text.s, text.s + text.len, &c)) > 0 && sm_is_white_space(c))
		text = sm_span(text.s + n, text.len - n);
	while (text.len > 0 && sm_may_be_blank(text.s[text.len - 1]))
	{
		const char *end = text.s + text.len;
		const char *last = end - 1; /* the last character */

		while (last > text.s && (*last & 0xC0) == 0x80)
			last--;
		n = sm_utf8_decode(last, end, &c);
		if (n == 0 || last + n < end || !sm_is_white_space(c))
			break;
		text.len = last - text.s;
	}
	return text;
}
