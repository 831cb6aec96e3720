/*
 * decimal.c
 *	  Small decimal numbers: priority and rating.
 */
#include "core/decimal.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* significant digits that are read: later ones change a double in its last bit at most */
#define DIGITS_MAX	40

size_t
sm_decimal_format(double value, char *dst)
{
	/* value is not negative, so this rounds */
	uint32_t	micros = (uint32_t) (value * 1e6 + 0.5);
	uint32_t	unit = 100000;
	char	   *d = dst;

	*d++ = '0' + micros / 1000000;
	*d++ = '.';
	micros %= 1000000;
	do
	{
		*d++ = '0' + micros / unit;
		micros %= unit;
		unit /= 10;
	} while (micros > 0);
	return d - dst;
}

bool
sm_decimal_read(SmSpan text, double *value)
{
	char		digits[1 + DIGITS_MAX + sizeof("e-18446744073709551615")];
	const char *s = text.s;
	const char *end = s + text.len;
	size_t		n = 0;
	long		exponent = 0;
	bool		any = false;
	bool		point = false;
	bool		negative = false;

	if (s < end && (*s == '+' || *s == '-'))
		negative = *s++ == '-';
	for (; s < end; s++)
	{
		if (*s == '.' && !point)
		{
			point = true;
			continue;
		}
		if (*s < '0' || *s > '9')
			return false;
		any = true;
		if (n == DIGITS_MAX || (n == 0 && *s == '0'))
			exponent += n > 0;	/* not written, but it has its place */
		else
			digits[n++] = *s;
		exponent -= point;
	}
	if (!any)
		return false;

	/* without a point, strtod reads the same in every locale */
	snprintf(digits + n, sizeof(digits) - n, n > 0 ? "e%ld" : "0", exponent);
	*value = strtod(digits, NULL);
	if (negative)
		*value = -*value;
	return isfinite(*value);
}
