/*
 * fuzz_decimal.c
 *	  Fuzzes text/decimal.
 *
 * A number from 0 to 9 is written as xs:decimal has it, means the nearest number
 * of six places, and is written in the same way again.
 */
#include "text/decimal.h"

#include <math.h>

#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char	   *text = exactly(NULL, SM_DECIMAL_MAX);
	char		terminated[SM_DECIMAL_MAX + 1] = {0};
	char		again[SM_DECIMAL_MAX];
	char		wanted[32];
	double		value;
	double		meaning;
	size_t		len;

	if (size == sizeof(value))
	{
		memcpy(&value, data, sizeof(value));
		if (value >= 0 && value <= 9)
		{
			len = sm_decimal_format(value, text);
			CHECK(len >= 3 && len <= 8);
			CHECK(text[0] >= '0' && text[0] <= '9' && text[1] == '.');
			for (size_t i = 2; i < len; i++)
				CHECK(text[i] >= '0' && text[i] <= '9');
			CHECK(len == 3 || text[len - 1] != '0');

			memcpy(terminated, text, len);
			meaning = strtod(terminated, NULL);
			/* the C library rounds as exactly, but one half to even */
			snprintf(wanted, sizeof(wanted), "%.6f", value);
			if (ldexp(value, 7) != floor(ldexp(value, 7)))
				CHECK(meaning == strtod(wanted, NULL));
			CHECK(equal(again, sm_decimal_format(meaning, again), text, len));
		}
	}
	free(text);
	return 0;
}
