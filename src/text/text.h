/*
 * text.h
 *	  Text in UTF-8: its characters, and the blanks around it.
 */
#ifndef SM_TEXT_H
#define SM_TEXT_H

#include <stdint.h>

#include "text/span.h"

/*
 * Decode the UTF-8 character at s.  Returns its length in bytes, 0 if it is
 * malformed (overlong, a surrogate, above U+10FFFF, cut off).
 */
extern size_t sm_utf8_decode(const char *s, const char *end, uint32_t *c);

/*
 * Write a character as UTF-8 to dst, which has room for 4 bytes.  Returns the end of
 * what was written.
 */
extern char *sm_utf8_encode(char *dst, uint32_t c);

/* Does a character have the Unicode property White_Space? */
extern bool sm_is_white_space(uint32_t c);

/* May a character with this first or last byte be white space? */
static inline bool
sm_may_be_blank(unsigned char byte)
{
	return byte <= 0x20 || byte >= 0x80;
}

/* What sm_trim does if a text may have blanks at an end. */
extern SmSpan sm_trim_blanks(SmSpan text);

/* Remove characters with the Unicode property White_Space from both ends. */
static inline SmSpan
sm_trim(SmSpan text)
{
	if (text.len > 0 && !sm_may_be_blank(text.s[0]) && !sm_may_be_blank(text.s[text.len - 1]))
		return text;
	return sm_trim_blanks(text);
}

#endif
