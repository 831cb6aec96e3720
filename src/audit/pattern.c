/*
 * pattern.c
 *	  Matches patterns.  A pattern is tried where its first character was found, and looks at
 *	  no more than PIECE_MAX bytes from there on, so the time is linear.
 */
#include "audit/pattern.h"

#include "text/ascii.h"

/* The longest piece that a pattern matches within a text, in bytes. */
#define PIECE_MAX	100

const char *
sm_next_pattern(const char *pattern)
{
	pattern += strcspn(pattern, "|");
	return *pattern ? pattern + 1 : NULL;
}

/* The end of a run of characters from s on: letters, digits, "_" and these. */
static const char *
end_of_word(const char *s, const char *end, const char *others)
{
	while (s < end && (sm_is_word_char(*s) || sm_is_one_of(*s, others)))
		s++;
	return s;
}

/*
 * Where the text goes on after an element of a pattern that stands for anything.  next:
 * the rest of the pattern, which is at the end of the text if the text matches as a whole.
 */
static const char *
skip_anything(const char *next, const char *s, const char *end, bool is_whole)
{
	size_t		rest = strcspn(next, "|");

	if (rest == 0)
		return end;
	if (is_whole)
		return (size_t) (end - s) >= rest ? end - rest : NULL;
	return memchr(s, *next, end - s);
}

/* The end of what a pattern matches at s, or NULL. */
static const char *
match_pattern(const char *p, const char *begin, const char *s, const char *end, bool is_whole)
{
	if (!is_whole && end - s > PIECE_MAX)
		end = s + PIECE_MAX;
	for (; s && *p != '\0' && *p != '|'; p++)
	{
		const char *from = s;
		char		c = s < end ? *s : '\0';
		const char *next = s < end ? s + 1 : NULL;

		switch (*p)
		{
			case '\001':		/* ANY */
				s = skip_anything(p + 1, s, end, is_whole);
				break;
			case '\002':		/* TOKEN */
				s = skip_anything(p + 1, s, end, is_whole);
				for (; s && from < s; from++)
					if (sm_is_one_of(*from, " \",<?"))
						s = NULL;
				break;
			case '\003':		/* WORD */
				s = end_of_word(s, end, "");
				break;
			case '\004':		/* NAME */
				s = end_of_word(s, end, "-");
				break;
			case '\005':		/* LETTER */
				s = sm_is_letter(c) ? next : NULL;
				break;
			case '\006':		/* DIGITS */
				while (s < end && sm_is_digit(*s))
					s++;
				if (s == from)
					s = NULL;
				break;
			case '\007':		/* HEX */
				s = sm_hex_value(c) >= 0 ? next : NULL;
				break;
			case '\010':		/* GUID */
				while (s < end && (sm_hex_value(*s) >= 0 || *s == '-'))
					s++;
				if (s - from < 32)
					s = NULL;
				break;
			case '\011':		/* ONE_OF */
				for (s = NULL; *++p != '\011';)
					if (*p == c)
						s = next;
				break;
			case '\012':		/* WORD_END */
				if (sm_is_word_char(c))
					s = NULL;
				break;
			case '\013':		/* NOT_NUMBER */
				if (s > begin && sm_is_digit(s[-1]))
					s = NULL;
				break;
			case '\014':		/* IN_WORD */
				if (s == begin || !(sm_is_letter(s[-1]) || (unsigned char) s[-1] >= 0x80))
					s = NULL;
				break;
			case '\015':		/* TEXT_END */
				if (s < end)
					s = NULL;
				break;
			default:
				s = sm_lower(c) == *p ? next : NULL;
		}
	}
	return is_whole && s != end ? NULL : s;
}

const char *
sm_match(const char *list, const char *begin, const char *s, const char *end, bool is_whole)
{
	const char *stop = NULL;

	for (; list && stop == NULL; list = sm_next_pattern(list))
		stop = match_pattern(list, begin, s, end, is_whole);
	return stop;
}
