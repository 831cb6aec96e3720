/*
 * decimal.c
 *	  Small decimal numbers by integer arithmetic.
 *
 * Rounding in floating point would not give the same result on every machine, since
 * x87 keeps more digits than SSE.
 */
#include "text/decimal.h"

#include <stdint.h>
#include <string.h>

/*
 * A number from 0 to 9 in millionths, rounded to the nearest, one half up.  0.0000005
 * becomes 0, since its double is a little less than half a millionth.
 */
static uint32_t
micros_of(double value)
{
	uint64_t	bits;
	int			exponent;
	uint64_t	mantissa;
	uint64_t	product;
	int			shift;

	/*
	 * value is mantissa * 2^(exponent - 53), read from the bits of IEEE 754
	 * since frexp and ldexp cost more than the rest of this function.  Zero
	 * and subnormal numbers get an exponent so small that they become 0.
	 */
	memcpy(&bits, &value, sizeof(bits));
	exponent = (int) (bits >> 52 & 0x7FF) - 1022;
	mantissa = (bits & 0xFFFFFFFFFFFFF) | (uint64_t) 1 << 52;

	/*
	 * mantissa * 10^6 without its lowest 32 bits, which rounding does not
	 * look at
	 */
	product = (mantissa >> 32) * 1000000 + ((mantissa & UINT32_MAX) * 1000000 >> 32);
	shift = 53 - 32 - exponent;

	/* a product below 2^41, shifted by 43, is nearer to 0 than to 1 */
	if (shift > 42)
		return 0;
	return (uint32_t) (((product >> (shift - 1)) + 1) >> 1);
}

size_t
sm_decimal_format(double value, char *dst)
{
	uint32_t	micros = micros_of(value);
	char	   *d = dst;

	*d++ = '0' + micros / 1000000;
	*d++ = '.';
	micros %= 1000000;
	do
	{
		micros *= 10;
		*d++ = '0' + micros / 1000000;
		micros %= 1000000;
	} while (micros > 0);
	return d - dst;
}
