/*
 * w3cdate.c
 *	  W3C NOTE-datetime: the dates of the sitemap protocol.
 *
 * Days are counted in eras of 400 years that begin on 1 March, which puts the
 * leap day last and makes the starts of months a linear function.
 */
#include "core/w3cdate.h"

#include <string.h>

#include "core/ascii.h"

#define DAYS_PER_ERA	146097
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

static int64_t
day_of(unsigned int year, unsigned int month, unsigned int day)
{
	unsigned int y = year - (month <= 2);	/* not negative: year is at least
											 * 1 */
	unsigned int m = month > 2 ? month - 3 : month + 9;
	unsigned int era = y / 400;
	unsigned int year_of_era = y % 400;
	unsigned int day_of_year = (153 * m + 2) / 5 + day - 1;

	return (int64_t) era * DAYS_PER_ERA +
		year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
		EPOCH_OFFSET;
}

static unsigned int
days_in_month(unsigned int year, unsigned int month)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	if (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0))
		return 29;
	return days[month - 1];
}

/*
 * Year and month are linear functions of the day, and the divisions in these
 * functions are replaced by multiplications (Neri and Schneider, "Euclidean
 * affine functions and their application to calendar algorithms", 2022).
 */
bool
sm_w3c_format_day(int64_t day, char *dst)
{
	uint32_t	n;
	uint32_t	century;
	uint32_t	day_of_century;
	uint64_t	product;
	uint32_t	year_of_century;
	uint32_t	day_of_year;
	uint32_t	month;
	bool		next_year;

	if (day < MIN_DAY || day > MAX_DAY)
		return false;

	n = 4 * (uint32_t) (day + EPOCH_OFFSET) + 3;
	century = n / DAYS_PER_ERA;
	day_of_century = n % DAYS_PER_ERA / 4;

	product = UINT64_C(2939745) * (4 * day_of_century + 3);
	year_of_century = (uint32_t) (product >> 32);
	day_of_year = (uint32_t) product / 2939745 / 4;

	/* the era's years begin on 1 March: January and February are of the next */
	next_year = day_of_year >= 306;
	month = 2141 * day_of_year + 197913;
	if (year_of_century == 99 && next_year)
	{
		year_of_century = 0;
		century++;
	}
	else
		year_of_century += next_year;

	put2(dst, century);
	put2(dst + 2, year_of_century);
	dst[4] = '-';
	put2(dst + 5, next_year ? (month >> 16) - 12 : month >> 16);
	dst[7] = '-';
	put2(dst + 8, (month & 0xFFFF) / 2141 + 1);
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

/* Read exactly n digits at *s and move past them; false if they are not there. */
static bool
digits(const char **s, const char *end, int n, unsigned int *value)
{
	*value = 0;
	for (; n > 0; n--, (*s)++)
	{
		if (*s == end || !sm_is_digit(**s))
			return false;
		*value = *value * 10 + (**s - '0');
	}
	return true;
}

static bool
literal(const char **s, const char *end, char c)
{
	if (*s == end || **s != c)
		return false;
	(*s)++;
	return true;
}

SmW3cStatus
sm_w3c_parse(const char *src, size_t len, int64_t *seconds)
{
	const char *s = src;
	const char *end = src + len;
	unsigned int year;
	unsigned int month = 1;
	unsigned int day = 1;
	unsigned int hour = 0;
	unsigned int minute = 0;
	unsigned int second = 0;
	unsigned int zone_hour = 0;
	unsigned int zone_minute = 0;
	bool		west = false;

	if (!digits(&s, end, 4, &year))
		return SM_W3C_SYNTAX;
	if (s < end && (!literal(&s, end, '-') || !digits(&s, end, 2, &month)))
		return SM_W3C_SYNTAX;
	if (s < end && (!literal(&s, end, '-') || !digits(&s, end, 2, &day)))
		return SM_W3C_SYNTAX;
	if (s < end)
	{
		if (!literal(&s, end, 'T') || !digits(&s, end, 2, &hour) ||
			!literal(&s, end, ':') || !digits(&s, end, 2, &minute))
			return SM_W3C_SYNTAX;
		if (literal(&s, end, ':'))
		{
			if (!digits(&s, end, 2, &second))
				return SM_W3C_SYNTAX;
			if (literal(&s, end, '.'))
			{
				unsigned int ignored;

				if (!digits(&s, end, 1, &ignored))
					return SM_W3C_SYNTAX;
				while (s < end && sm_is_digit(*s))
					s++;
			}
		}
		if (!literal(&s, end, 'Z'))
		{
			west = s < end && *s == '-';
			if (!(literal(&s, end, '+') || literal(&s, end, '-')) ||
				!digits(&s, end, 2, &zone_hour) || !literal(&s, end, ':') ||
				!digits(&s, end, 2, &zone_minute))
				return SM_W3C_SYNTAX;
		}
		if (s < end)
			return SM_W3C_SYNTAX;
	}

	if (year < 1 || month < 1 || month > 12 ||
		day < 1 || day > days_in_month(year, month) ||
		hour > 23 || minute > 59 || second > 59 ||
		zone_minute > 59 || zone_hour * 60 + zone_minute > 14 * 60)
		return SM_W3C_RANGE;

	*seconds = day_of(year, month, day) * SM_SECS_PER_DAY +
		hour * 3600 + minute * 60 + second;
	if (west)
		*seconds += zone_hour * 3600 + zone_minute * 60;
	else
		*seconds -= zone_hour * 3600 + zone_minute * 60;

	/*
	 * the offset from UTC can move an instant out of the years that can be
	 * written
	 */
	if (*seconds < (int64_t) MIN_DAY * SM_SECS_PER_DAY ||
		*seconds >= (int64_t) (MAX_DAY + 1) * SM_SECS_PER_DAY)
		return SM_W3C_RANGE;
	return SM_W3C_OK;
}
