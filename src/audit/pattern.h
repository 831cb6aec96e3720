/*
 * pattern.h
 *	  Patterns of text.  A list of patterns has "|" between them, and small letters.
 *
 * Example: "[" LETTER NAME "]" is a letter, then perhaps letters, digits, "_" and "-", all in
 * brackets, as in "[row_id]".
 */
#ifndef SM_PATTERN_H
#define SM_PATTERN_H

#include "text/span.h"

/* Elements of patterns; each other character stands for itself, ignoring case. */
#define ANY			"\001"		/* anything up to the next character of the
								 * pattern */
#define TOKEN		"\002"		/* the same without a blank, "<", "?", and a
								 * comma and quotation mark, which JSON has */
#define WORD		"\003"		/* letters, digits and "_", or nothing */
#define NAME		"\004"		/* the same and "-" */
#define LETTER		"\005"		/* a letter */
#define DIGITS		"\006"		/* one digit or more */
#define HEX			"\007"		/* a hex digit */
#define GUID		"\010"		/* 32 hex digits and "-" or more */
#define ONE_OF(set) "\011" set "\011"
#define WORD_END	"\012"		/* the end, or before what no WORD has */

#define TEXT_END	"\015"		/* the end */

/* Conditions on what is before a pattern, which begin it. */
#define NOT_NUMBER	"\013"		/* not after a digit */
#define IN_WORD		"\014"		/* after a letter of any script */

/* Is it one of these characters? */
static inline bool
sm_is_one_of(char c, const char *characters)
{
	return c != '\0' && strchr(characters, c) != NULL;
}

/* The next pattern of a list, or NULL. */
extern const char *sm_next_pattern(const char *pattern);

/*
 * The end of what the first pattern of a list that matches at s matches, or NULL.  begin:
 * where the text begins.  is_whole: the pattern has to match up to end.  list may be NULL.
 */
extern const char *sm_match(const char *list, const char *begin, const char *s, const char *end,
							bool is_whole);

#endif
