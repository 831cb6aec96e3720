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

/* Remove characters with the Unicode property White_Space from both ends. */
extern SmSpan sm_trim(SmSpan text);

#endif
