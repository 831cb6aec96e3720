/*
 * decimal.c
 *	  Small decimal numbers: priority and rating.
 */
#include "core/decimal.h"

#include <stdint.h>

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
