/*
 * feeddate.c
 *	  The dates of feeds, RFC 822 and RFC 3339, as W3C dates.
 */
#include "core/feeddate.h"

#include "core/ascii.h"
#include "core/w3cdate.h"

/* The rest of a text that is being read. */
typedef struct Input
{
	const char *s;
	const char *end;
} Input;

static void
skip_blanks(Input *in)
{
	while (in->s < in->end && sm_is_space(*in->s))
		in->s++;
}

static bool
skip_char(Input *in, char c)
{
	if (in->s == in->end || *in->s != c)
		return false;
	in->s++;
	return true;
}

/* Read letters, up to any other character. */
static SmSpan
read_word(Input *in)
{
	const char *start = in->s;

	while (in->s < in->end && sm_is_letter(*in->s))
		in->s++;
	return sm_span(start, in->s - start);
}

/* Read a number of min to max digits; false if there is none. */
static bool
read_number(Input *in, int min, int max, int *value)
{
	int			n = 0;

	*value = 0;
	for (; n < max && in->s < in->end && sm_is_digit(*in->s); n++)
		*value = *value * 10 + (*in->s++ - '0');
	return n >= min && (in->s == in->end || !sm_is_digit(*in->s));
}

/* The month whose first three letters a word begins with; 0 for none. */
static int
month_of(SmSpan word)
{
	static const char *const months[] = {
		"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"
	};

	if (word.len < 3)
		return 0;
	word.len = 3;
	for (int i = 0; i < 12; i++)
		if (sm_equal_ignoring_case(word, sm_span_of(months[i])))
			return i + 1;
	return 0;
}

/*
 * Read a time zone: *offset is hours * 100 + minutes.  Returns false for an
 * unknown zone.
 */
static bool
read_zone(Input *in, int *offset)
{
	static const struct
	{
		const char *name;
		int			offset;
	}			zones[] = {
		{"gmt", 0}, {"utc", 0}, {"ut", 0}, {"z", 0},
		{"edt", -400}, {"est", -500}, {"cdt", -500}, {"cst", -600},
		{"mdt", -600}, {"mst", -700}, {"pdt", -700}, {"pst", -800}
	};
	SmSpan		word = read_word(in);
	bool		west;
	int			hours;
	int			minutes;

	for (size_t i = 0; i < sizeof(zones) / sizeof(zones[0]); i++)
	{
		if (sm_equal_ignoring_case(word, sm_span_of(zones[i].name)))
		{
			*offset = zones[i].offset;
			return true;
		}
	}
	west = in->s < in->end && *in->s == '-';
	if (word.len > 0 || !(skip_char(in, '+') || skip_char(in, '-')))
		return false;
	if (in->end - in->s == 5 && in->s[2] == ':')
	{
		if (!read_number(in, 2, 2, &hours) || !skip_char(in, ':') ||
			!read_number(in, 2, 2, &minutes))
			return false;
		*offset = hours * 100 + minutes;
	}
	else if (!read_number(in, 4, 4, offset))
		return false;
	if (west)
		*offset = -*offset;
	return true;
}

/* Write a number with the given number of digits; returns the end of it. */
static char *
put_number(char *dst, int value, int digits)
{
	for (int i = digits - 1; i >= 0; i--, value /= 10)
		dst[i] = '0' + value % 10;
	return dst + digits;
}

/* RFC 822, 1123 and 2822: "Sat, 07 Sep 2002 09:42:31 +0200". */
static size_t
from_rfc822(SmSpan text, char *dst)
{
	Input		in = {text.s, text.s + text.len};
	char	   *d = dst;
	const char *start;
	int			day;
	int			month;
	int			year;
	int			value;
	int			offset;

	if (read_word(&in).len > 0)
	{
		skip_blanks(&in);
		skip_char(&in, ',');
		skip_blanks(&in);
	}
	if (!read_number(&in, 1, 2, &day))
		return 0;
	skip_blanks(&in);
	month = month_of(read_word(&in));
	skip_blanks(&in);
	start = in.s;
	if (month == 0 || !read_number(&in, 2, 4, &year) || in.s - start == 3)
		return 0;
	if (in.s - start == 2)
		year += year < 50 ? 2000 : 1900;

	d = put_number(d, year, 4);
	*d++ = '-';
	d = put_number(d, month, 2);
	*d++ = '-';
	d = put_number(d, day, 2);
	skip_blanks(&in);
	if (in.s == in.end)
		return d - dst;

	if (!read_number(&in, 1, 2, &value) || !skip_char(&in, ':'))
		return 0;
	*d++ = 'T';
	d = put_number(d, value, 2);
	if (!read_number(&in, 2, 2, &value))
		return 0;
	*d++ = ':';
	d = put_number(d, value, 2);
	if (skip_char(&in, ':'))
	{
		if (!read_number(&in, 2, 2, &value))
			return 0;
		*d++ = ':';
		d = put_number(d, value, 2);
	}
	skip_blanks(&in);
	if (!read_zone(&in, &offset) || in.s < in.end)
		return 0;
	if (offset == 0)
		*d++ = 'Z';
	else
	{
		*d++ = offset < 0 ? '-' : '+';
		offset = offset < 0 ? -offset : offset;
		d = put_number(d, offset / 100, 2);
		*d++ = ':';
		d = put_number(d, offset % 100, 2);
	}
	return d - dst;
}

/* RFC 3339; a W3C date stays as it is. */
static size_t
from_rfc3339(SmSpan text, char *dst)
{
	if (text.len > SM_FEED_DATE_MAX)
		return 0;
	memcpy(dst, text.s, text.len);
	if (text.len > 10 && (dst[10] == 't' || dst[10] == ' '))
		dst[10] = 'T';
	if (text.len > 0 && dst[text.len - 1] == 'z')
		dst[text.len - 1] = 'Z';
	return text.len;
}

size_t
sm_feed_date(SmSpan text, char *dst)
{
	bool		is_rfc3339 = text.len >= 4 && sm_is_digit(text.s[2]) && sm_is_digit(text.s[3]);
	size_t		len = is_rfc3339 ? from_rfc3339(text, dst) : from_rfc822(text, dst);
	int64_t		seconds;

	return sm_w3c_parse(dst, len, &seconds) == SM_W3C_OK ? len : 0;
}
