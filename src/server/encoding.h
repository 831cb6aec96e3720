/*
 * encoding.h
 *	  Conversion between the database's encoding and UTF-8.  All other files work
 *	  in UTF-8.
 */
#ifndef SM_ENCODING_H
#define SM_ENCODING_H

#include "compat.h"
#include "core/span.h"

/*
 * A value of the database as UTF-8: the value itself if no conversion is
 * needed, else a copy in the current memory context.  Returns false if it is
 * not valid text, or has a character that is not in Unicode.
 */
extern bool sm_to_utf8(const char *s, size_t len, SmSpan *result);

/* Can text in an encoding be converted to UTF-8? */
extern bool sm_can_convert(int encoding);

/*
 * Convert text in an encoding to UTF-8, up to the first invalid byte.  Returns how
 * many bytes are left, 0 if all are valid.
 */
extern size_t sm_convert(SmSpan value, int encoding, SmSpan *result);

/*
 * Convert UTF-8 to a string of the database, for a message: clipped to a
 * reasonable length, and cut off at a character that the encoding lacks.
 */
extern char *sm_for_message(SmSpan value);

/* A string of the database, clipped to the same length. */
extern char *sm_clip(const char *string);

/*
 * UTF-8 as a text value of the database, whole; NULL if it has a character that
 * the database's encoding lacks.
 */
extern text *sm_to_text(SmSpan value);

/*
 * Must XML for the database be written in ASCII? Yes if the encoding of the
 * database is not UTF-8: references then stand for all other characters.
 */
extern bool sm_ascii_only(void);

#endif
