/*
 * test_w3cdate.c
 *	  Unit tests of text/w3cdate: W3C dates, written and checked.
 */
#include "text/w3cdate.h"

#include "tap.h"

#define FIRST_DAY	(-719162)	/* 0001-01-01 */
#define LAST_DAY	2932896		/* 9999-12-31 */

static SmW3cStatus
parse(SmSpan src, int64_t *seconds)
{
	bool		has_time;

	return sm_w3c_parse(src, false, &has_time, seconds);
}

/* The text as an instant, written again: the shortest way to say what it means. */
static void
means(const char *text, const char *wanted)
{
	char	   *dst = exactly(NULL, SM_W3C_SECONDS_LEN);
	int64_t		seconds;

	if (parse(exact(text), &seconds) != SM_W3C_OK || !sm_w3c_format_seconds(seconds, dst))
		ok(false, text);
	else
		is_string(sm_span(dst, SM_W3C_SECONDS_LEN), wanted, text);
}

static void
fails(const char *text, SmW3cStatus wanted)
{
	int64_t		seconds;

	is_number(parse(exact(text), &seconds), wanted, text);
}

static void
test_forms(void)
{
	means("2026", "2026-01-01T00:00:00Z");
	means("2026-11", "2026-11-01T00:00:00Z");
	means("2026-01-02", "2026-01-02T00:00:00Z");
	means("2026-01-02T03:04Z", "2026-01-02T03:04:00Z");
	means("2026-01-02T03:04+01:00", "2026-01-02T02:04:00Z");
	means("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z");
	means("2026-01-02T03:04:05-05:30", "2026-01-02T08:34:05Z");
	means("2026-01-02T03:04:05.6Z", "2026-01-02T03:04:05Z");
	means("2026-01-02T03:04:05.0Z", "2026-01-02T03:04:05Z");
	means("2026-01-02T03:04:05.102030405060708090Z", "2026-01-02T03:04:05Z");
	means("2026-01-02T03:04:05.999999999+00:00", "2026-01-02T03:04:05Z");
	means("1969-12-31T23:59:59.9Z", "1969-12-31T23:59:59Z");
	means("2026-01-02T00:00:00Z", "2026-01-02T00:00:00Z");
	means("2026-01-02T23:59:59Z", "2026-01-02T23:59:59Z");
	means("2026-01-02T03:04:05-00:00", "2026-01-02T03:04:05Z");
	means("2026-01-02T03:04:05+14:00", "2026-01-01T13:04:05Z");
	means("2026-01-02T03:04:05-14:00", "2026-01-02T17:04:05Z");
	means("2026-01-02T03:04:05+13:59", "2026-01-01T13:05:05Z");

	foreach_string(text,
		"", " ", "2", "202", "20260102", "2026-", "2026-1", "2026-01-", "2026-1-02", "2009-5-24",
		"2026-01-2", "2026-01-02T", "2026-01-02T03", "2026-01-02T03Z", "2026-01-02T03:04",
		"2026-01-02T03:04:05", "2026-01-02T03:04:05.5", "2026-01-02T03:04:05.Z",
		"2026-01-02T03:04:05,5Z", "2026-01-02T03:04.5Z", "2026-01-02T03:04:5Z",
		"2009-05-25 12:33:02", "2026-01-02 03:04:05Z", "2026-01-02t03:04:05Z",
		"2026-01-02T03:04:05z", "2026-01-02T03:04:05+01", "2026-01-02T03:04:05+0100",
		"2026-01-02T03:04:05-04", "2026-01-02T03:04:05+1:00", "2026-01-02T03:04:05 Z",
		"2026-01-02T03:04:05Z ", " 2026-01-02", "2026-01-02 ", "2026-01-02Z", "2026Z", "2026-01Z",
		"2026-01-02T03:04:05ZZ", "2026-01-02T03:04:05+01:00Z", "2026/01/02", "02.01.2026",
		"-026-01-02", "+2026-01-02", "12026-01-02", "2026-01-02T+3:04Z", "0x26-01-02",
		"2026-01-02T03:04:05Z\n", "now", "infinity", "-infinity", "2026-01-02 BC")
		fails(*text, SM_W3C_SYNTAX);
}

static void
test_range(void)
{
	foreach_string(text,
		"2026-02-30", "2026-02-29", "2026-04-31", "2026-06-31", "2026-09-31", "2026-11-31",
		"2026-01-32", "2026-00-10", "2026-13-10", "2026-13", "2026-00", "2026-01-00",
		"1900-02-29", "2100-02-29", "2024-02-30", "0000", "0000-01-01", "0000-12-31T23:59:59Z",
		"2026-01-02T24:00:00Z", "2026-01-02T23:60:00Z", "2026-01-02T23:59:60Z",
		"2026-01-02T03:04:05+14:01", "2026-01-02T03:04:05-14:01", "2026-01-02T03:04:05+15:00",
		"2026-01-02T03:04:05+99:99", "2026-01-02T03:04:05+01:60", "2026-01-02T03:04:05-13:60",
		"0001-01-01T00:00:00+00:01", "0001-01-01T13:59:59+14:00",
		"9999-12-31T23:59:59-00:01", "9999-12-31T10:00:00-14:00")
		fails(*text, SM_W3C_RANGE);

	means("2024-02-29", "2024-02-29T00:00:00Z");
	means("2000-02-29", "2000-02-29T00:00:00Z");
	means("0004-02-29", "0004-02-29T00:00:00Z");
	foreach_string(src, "0001", "0001-01-01T00:00:00Z", "0001-01-01T14:00:00+14:00")
		means(*src, "0001-01-01T00:00:00Z");
	means("0001-01-01T00:00:00-14:00", "0001-01-01T14:00:00Z");
	means("9999", "9999-01-01T00:00:00Z");
	means("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z");
	means("9999-12-31T09:59:59-14:00", "9999-12-31T23:59:59Z");
	means("9999-12-31T23:59:59+14:00", "9999-12-31T09:59:59Z");
}

static void
test_format(void)
{
	static const struct
	{
		int64_t		seconds;
		const char *text;
	}			cases[] = {
		{0, "1970-01-01T00:00:00Z"}, {-1, "1969-12-31T23:59:59Z"},
		{951782400, "2000-02-29T00:00:00Z"}, {1767323045, "2026-01-02T03:04:05Z"},
		{-62135596800, "0001-01-01T00:00:00Z"}, {253402300799, "9999-12-31T23:59:59Z"},
	};
	char	   *dst = exactly(NULL, SM_W3C_SECONDS_LEN);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		if (!sm_w3c_format_seconds(cases[i].seconds, dst))
			ok(false, cases[i].text);
		else
			is_string(sm_span(dst, SM_W3C_SECONDS_LEN), cases[i].text, cases[i].text);
	}
	/* seconds and days before 0001 and after 9999 */
	for (size_t i = 0; i < 4; i++)
	{
		ok(!sm_w3c_format_seconds((int64_t[]) {INT64_MIN, -62135596801, 253402300800, INT64_MAX}[i], dst), "no such second");
		ok(!sm_w3c_format_day((int64_t[]) {INT64_MIN, FIRST_DAY - 1, LAST_DAY + 1, INT64_MAX}[i], dst), "no such day");
	}
}

/* Walk through the calendar day by day, as one would by hand. */
static void
test_all_days(void)
{
	static const int days_in_month[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int64_t		day = FIRST_DAY;
	int			unwritten = 0;
	int			unread = 0;

	for (int year = 1; year <= 9999; year++)
	{
		bool		leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

		for (int month = 1; month <= 12; month++)
		{
			int			days = days_in_month[month - 1] + (month == 2 && leap);

			for (int n = 1; n <= days; n++, day++)
			{
				char		wanted[] = {
					'0' + year / 1000, '0' + year / 100 % 10, '0' + year / 10 % 10, '0' + year % 10, '-',
					'0' + month / 10, '0' + month % 10, '-', '0' + n / 10, '0' + n % 10
				};
				char		got[SM_W3C_DATE_LEN];
				int64_t		seconds;

				unwritten += !sm_w3c_format_day(day, got) || memcmp(got, wanted, sizeof(wanted)) != 0;
				unread += parse(sm_span(wanted, sizeof(wanted)), &seconds) != SM_W3C_OK ||
					seconds != day * SM_SECS_PER_DAY;
			}
		}
	}
	is_number(day, LAST_DAY + 1, "the calendar has as many days as ours");
	is_number(unwritten, 0, "every day from 0001 to 9999 is written");
	is_number(unread, 0, "every day from 0001 to 9999 is read");
}

/* A date of JSON: the instant and whether it has a time; NULL for none. */
static void
means_json(const char *text, const char *wanted, bool wanted_time)
{
	char		dst[SM_W3C_SECONDS_LEN];
	int64_t		seconds;
	bool		has_time;
	bool		is_valid = sm_w3c_parse(exact(text), true, &has_time, &seconds) == SM_W3C_OK;

	if (is_valid && wanted)
		ok(sm_w3c_format_seconds(seconds, dst) && has_time == wanted_time &&
		   memcmp(dst, wanted, sizeof(dst)) == 0, text);
	else
		ok(is_valid == (wanted != NULL), text);
}

static void
test_json(void)
{
	means_json("2026", "2026-01-01T00:00:00Z", false);
	means_json("2026-01-02", "2026-01-02T00:00:00Z", false);
	foreach_string(text, "2026-01-02T03:04:05", "2026-01-02T03:04:05.6", "2026-01-02T03:04:05Z")
		means_json(*text, "2026-01-02T03:04:05Z", true);
	means_json("2026-01-02T03:04:05.6+05:45", "2026-01-01T21:19:05Z", true);
	means_json("1880-01-01T00:00:00+00:53:28", "1879-12-31T23:06:32Z", true);
	means_json("2026-01-02T03:04:05-15:59:59", "2026-01-02T19:04:04Z", true);
	foreach_string(text,
		"2026-01-02T03:04:05+16:00", "2026-01-02T03:04:05+00:60", "2026-01-02T03:04:05+00:00:60",
		"2026-01-02T03:04:05+01", "2026-01-02T03:04:05+", "2026-01-02T", "2026-01-02 03:04:05",
		"infinity")
		means_json(*text, NULL, false);
}

int
main(void)
{
	test_forms();
	test_range();
	test_format();
	test_all_days();
	test_json();
	return done();
}
