/*
 * w3cdate.c
 *	  Counts days in years that begin on 1 March.  So a leap day is the last day of a
 *	  year, and the first day of a month is a linear function of the month.
 */
#include "text/w3cdate.h"

#include <string.h>

#include "text/ascii.h"

#define EPOCH_OFFSET	719468	/* days from 0000-03-01 to 1970-01-01 */

#define MIN_DAY			(-719162)	/* 0001-01-01 */
#define MAX_DAY			2932896 /* 9999-12-31 */

/* Write a number below 100 as two digits. */
static void
put2(char *dst, unsigned int n)
{
	static const char digits[] =
		"00010203040506070809101112131415161718192021222324"
		"25262728293031323334353637383940414243444546474849"
		"50515253545556575859606162636465666768697071727374"
		"75767778798081828384858687888990919293949596979899";

	memcpy(dst, digits + 2 * n, 2);
}

/* The first day of a month, since 1970-01-01.  Month 13 is the January after. */
static int64_t
first_day(unsigned int year, unsigned int month)
{
	unsigned int y = year - (month <= 2);	/* not negative: year is at least
											 * 1 */
	unsigned int m = month > 2 ? month - 3 : month + 9;

	return (int64_t) y * 365 + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 - EPOCH_OFFSET;
}

bool
sm_w3c_format_day(int64_t day, char *dst)
{
	unsigned int quarters;		/* before the next day, since 0000-03-01 */
	unsigned int year;
	unsigned int day_of_year;
	unsigned int m;

	if (day < MIN_DAY || day > MAX_DAY)
		return false;

	/*
	 * first_day in reverse, in quarters of a day: a century has 146097 of
	 * them, a year has 1461; leap days are at the end of both
	 */
	quarters = 4 * (unsigned int) (day + EPOCH_OFFSET) + 3;
	year = quarters / 146097 * 100;
	quarters = quarters % 146097 | 3;
	year += quarters / 1461;
	day_of_year = quarters % 1461 / 4;
	m = (5 * day_of_year + 2) / 153;
	year += m >= 10;

	put2(dst, year / 100);
	put2(dst + 2, year % 100);
	dst[4] = '-';
	put2(dst + 5, m < 10 ? m + 3 : m - 9);
	dst[7] = '-';
	put2(dst + 8, day_of_year - (153 * m + 2) / 5 + 1);
	return true;
}

bool
sm_w3c_format_seconds(int64_t seconds, char *dst)
{
	int64_t		day = seconds / SM_SECS_PER_DAY;
	int			rest = (int) (seconds % SM_SECS_PER_DAY);
	unsigned int second;

	if (rest < 0)
	{
		rest += SM_SECS_PER_DAY;
		day--;
	}
	if (!sm_w3c_format_day(day, dst))
		return false;
	second = (unsigned int) rest;
	dst[10] = 'T';
	put2(dst + 11, second / 3600);
	dst[13] = ':';
	put2(dst + 14, second / 60 % 60);
	dst[16] = ':';
	put2(dst + 17, second % 60);
	dst[19] = 'Z';
	return true;
}

/*
 * Read a part of a date, such as "-00": each 0 stands for a digit.  Moves *s past the part, and
 * sets *value to the number that its digits make.  Returns false if the part is not there.
 */
static bool
read_part(const char **s, const char *end, const char *form, unsigned int *value)
{
	const char *p = *s;

	*value = 0;
	for (; *form; form++, p++)
	{
		if (p == end || (*form == '0' ? !sm_is_digit(*p) : *p != *form))
			return false;
		if (*form == '0')
			*value = *value * 10 + (*p - '0');
	}
	*s = p;
	return true;
}

/* Read an offset from UTC, in seconds; in JSON it may be missing or have seconds. */
static bool
read_offset(const char **s, const char *end, bool is_json, int *value)
{
	unsigned int hour;
	unsigned int minute;
	unsigned int second = 0;
	bool		west = *s < end && **s == '-';

	*value = 0;
	if (read_part(s, end, "Z", &second) || (is_json && *s == end))
		return true;
	if (!read_part(s, end, west ? "-00" : "+00", &hour) || !read_part(s, end, ":00", &minute))
		return false;
	if (is_json)
		read_part(s, end, ":00", &second);

	/* an impossible offset becomes one that is out of range */
	*value = minute > 59 || second > 59 ? SM_SECS_PER_DAY :
		(int) (hour * 3600 + minute * 60 + second);
	if (west)
		*value = -*value;
	return true;
}

SmW3cStatus
sm_w3c_parse(SmSpan text, bool is_json, bool *has_time, int64_t *seconds)
{
	const char *s = text.s;
	const char *end = s + text.len;
	unsigned int year;
	unsigned int month = 1;
	unsigned int day = 1;
	unsigned int hour = 0;
	unsigned int minute = 0;
	unsigned int second = 0;
	unsigned int digit;
	int			zone = 0;
	int			max_zone = is_json ? 16 * 3600 - 1 : 14 * 3600;

	if (!read_part(&s, end, "0000", &year) ||
		(s < end && !read_part(&s, end, "-00", &month)) ||
		(s < end && !read_part(&s, end, "-00", &day)))
		return SM_W3C_SYNTAX;
	*has_time = s < end;
	if (*has_time)
	{
		if (!read_part(&s, end, "T00", &hour) || !read_part(&s, end, ":00", &minute))
			return SM_W3C_SYNTAX;
		if (read_part(&s, end, ":00", &second) && read_part(&s, end, ".0", &digit))
			while (s < end && sm_is_digit(*s))
				s++;
		if (!read_offset(&s, end, is_json, &zone) || s < end)
			return SM_W3C_SYNTAX;
	}

	if (year < 1 || month < 1 || month > 12 ||
		day < 1 || day > first_day(year, month + 1) - first_day(year, month) ||
		hour > 23 || minute > 59 || second > 59 ||
		zone > max_zone || zone < -max_zone)
		return SM_W3C_RANGE;

	*seconds = (first_day(year, month) + day - 1) * SM_SECS_PER_DAY +
		hour * 3600 + minute * 60 + second - zone;

	/* the offset from UTC can move an instant out of the range of years */
	if (*seconds < (int64_t) MIN_DAY * SM_SECS_PER_DAY ||
		*seconds >= (int64_t) (MAX_DAY + 1) * SM_SECS_PER_DAY)
		return SM_W3C_RANGE;
	return SM_W3C_OK;
}
