/*
 * encoding.h
 *	  Conversion between the database's encoding and UTF-8.
 *
 * Elsewhere in src, entries and documents are in UTF-8; names, queries and messages are in
 * the database's encoding.
 */
#ifndef SM_ENCODING_H
#define SM_ENCODING_H

#include "compat.h"
#include "mb/pg_wchar.h"
#include "text/span.h"

/* What sm_to_utf8 does in a database that is not in UTF-8. */
extern bool sm_convert_to_utf8(SmSpan *value);

/*
 * Convert a value of the database to UTF-8.  The result is the value itself if it
 * needs no conversion, else a copy in the current memory context.  Returns false if
 * the value is not valid text, or has a character that is not in Unicode.
 */
static inline bool
sm_to_utf8(const char *s, size_t len, SmSpan *result)
{
	*result = sm_span(s, len);
	return GetDatabaseEncoding() == PG_UTF8 || sm_convert_to_utf8(result);
}

/* Why a value cannot be converted to UTF-8, in words that follow "invalid loc: ". */
extern char *sm_encoding_message(void);

/* Is text in an encoding UTF-8, or can it be converted to UTF-8? */
extern bool sm_can_convert(int encoding);

/*
 * Convert text from one encoding to another, up to the first invalid byte.  Returns how
 * many bytes are left, 0 if all are valid.
 */
extern size_t sm_convert(SmSpan value, int from, int to, SmSpan *result);

/*
 * Convert UTF-8 to a string of the database, for a message.  The string is clipped to a
 * reasonable length, and at a character that the database's encoding lacks.
 */
extern char *sm_for_message(SmSpan value);

/*
 * A URL, or a text in place of a URL, for a message: with "***" for the user name and the
 * password that it may have.  The result is the text itself if it has none.
 */
extern SmSpan sm_without_secret(SmSpan url);

/* Clip a string of the database to the same length. */
extern char *sm_clip(const char *string);

/*
 * Convert UTF-8 to a text value of the database.  Returns NULL if the database's
 * encoding lacks a character.
 */
extern text *sm_to_text(SmSpan value);

/*
 * Must XML for the database be written in ASCII, with references to all other
 * characters?  Yes, unless the encoding of the database is UTF-8.
 */
static inline bool
sm_ascii_only(void)
{
	return GetDatabaseEncoding() != PG_UTF8;
}

#endif
