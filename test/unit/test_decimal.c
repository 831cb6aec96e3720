/*
 * test_decimal.c
 *	  Unit tests of text/decimal: priority and rating as decimals.
 */
#include "text/decimal.h"

#include <locale.h>

#include "tap.h"

static void
formats(double value, const char *wanted, const char *name)
{
	char	   *dst = exactly(NULL, SM_DECIMAL_MAX);

	is_string(sm_span(dst, sm_decimal_format(value, dst)), wanted, name);
}

int
main(void)
{
	static const struct
	{
		double		value;
		const char *text;
	}			cases[] = {
		{0.8, "0.8"}, {(double) 0.8f, "0.8"}, {1, "1.0"}, {-0.0, "0.0"}, {1e-5, "0.00001"},
		{(double) 0.1f, "0.1"}, {(double) 0.7f, "0.7"}, {0.1234564, "0.123456"}, {0.1234566, "0.123457"},
		{0.0000014, "0.000001"}, {0.0000016, "0.000002"}, {4e-7, "0.0"}, {6e-7, "0.000001"}, {5e-324, "0.0"},
		/* no double is these numbers: the nearest one is less or more, the next one is not */
		{5e-7, "0.0"}, {0x1.0c6f7a0b5ed8ep-21, "0.000001"},
		{0.9999995, "1.0"}, {0x1.ffffef39085f4p-1, "0.999999"},
		{0.1000005, "0.100001"}, {0x1.999a1fd1569f4p-4, "0.1"},
		{4.0000005, "4.0"}, {0x1.00000218def42p+2, "4.000001"},
		/* exactly one half */
		{0x1p-7, "0.007813"}, {3 * 0x1p-7, "0.023438"}, {4 + 0x1p-7, "4.007813"},
		{1e-300, "0.0"}, {0.9999994, "0.999999"}, {0.9999996, "1.0"},
		{1.0 / 3, "0.333333"}, {2.0 / 3, "0.666667"}, {4.9999999, "5.0"},
	};
	int			wrong = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		formats(cases[i].value, cases[i].text, text_of("%.9g is %s", cases[i].value, cases[i].text));

	/* every number of micros, against the C library */
	for (int micros = 0; micros <= 5000000; micros++)
	{
		char		dst[SM_DECIMAL_MAX];
		char		wanted[32];
		size_t		len = sm_decimal_format(micros / 1e6, dst);
		int			wanted_len = snprintf(wanted, sizeof(wanted), "%.6f", micros / 1e6);

		while (wanted[wanted_len - 1] == '0' && wanted[wanted_len - 2] != '.')
			wanted_len--;
		if (len != (size_t) wanted_len || memcmp(dst, wanted, len) != 0)
			wrong++;
	}
	is_number(wrong, 0, "all decimals from 0 to 5 with six places");

	/* where the machine has such a locale; elsewhere this repeats a test */
	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
		setlocale(LC_NUMERIC, "fr_FR.UTF-8");
	formats(0.8, "0.8", "a point whatever the locale");
	return done();
}
