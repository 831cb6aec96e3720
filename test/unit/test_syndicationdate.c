/*
 * test_syndicationdate.c
 *	  Unit tests of sm_syndication_date: dates of RSS and Atom as W3C dates.
 */
#include "core/w3cdate.h"

#include "tap.h"

/* The text becomes this W3C date; an empty one where it is no date. */
static void
becomes(const char *text, const char *wanted)
{
	char	   *src = exactly(text, strlen(text));
	char	   *dst = exactly(NULL, SM_SYNDICATION_DATE_MAX);

	is(dst, sm_syndication_date(sm_span(src, strlen(text)), dst), wanted, strlen(wanted), text);
	free(src);
	free(dst);
}

static void
test_rfc822(void)
{
	/* from the specifications of RSS 2.0 and of RFC 2822 */
	becomes("Sat, 07 Sep 2002 00:00:01 GMT", "2002-09-07T00:00:01Z");
	becomes("Tue, 10 Jun 2003 04:00:00 GMT", "2003-06-10T04:00:00Z");
	becomes("Fri, 21 Nov 1997 09:55:06 -0600", "1997-11-21T09:55:06-06:00");
	becomes("21 Nov 97 09:55:06 GMT", "1997-11-21T09:55:06Z");

	/* what may be missing, and what is written in other ways */
	becomes("7 Sep 2002 00:00:01 +0530", "2002-09-07T00:00:01+05:30");
	becomes("Sat, 07 Sep 2002 09:42 +0200", "2002-09-07T09:42+02:00");
	becomes("Sat, 7 Sep 2002 9:42:31 +0200", "2002-09-07T09:42:31+02:00");
	becomes("Sat, 07 Sep 2002", "2002-09-07");
	becomes("saturday 07 SEPTEMBER 2002 00:00:01 gmt", "2002-09-07T00:00:01Z");
	becomes("Sat,07 Sep 2002 00:00:01 +02:00", "2002-09-07T00:00:01+02:00");
	becomes("Sat,\t07\nSep  2002\r\n00:00:01   UT", "2002-09-07T00:00:01Z");
	becomes("1 Jan 49 00:00:00 UTC", "2049-01-01T00:00:00Z");
	becomes("1 Jan 50 00:00:00 Z", "1950-01-01T00:00:00Z");

	foreach_string(zone, "EDT -04:00", "EST -05:00", "CDT -05:00", "CST -06:00", "MDT -06:00", "MST -07:00",
				   "PDT -07:00", "PST -08:00", "+0000 Z", "-0000 Z", "-0030 -00:30", "+1400 +14:00")
	{
		char		text[64];
		char		wanted[64];
		size_t		len = strchr(*zone, ' ') - *zone;

		sprintf(text, "Mon, 29 Feb 2016 23:59:59 %.*s", (int) len, *zone);
		sprintf(wanted, "2016-02-29T23:59:59%s", *zone + len + 1);
		becomes(text, wanted);
	}

	foreach_string(text, "", "x", "Sat", "Sat,", "Sat, 07", "Sat, 07 Sep", "07 Sep 2", "07 Sep 200", "07 Sep 20020",
				   "007 Sep 2002", "07 Foo 2002", "31 Sep 2002", "29 Feb 2015 00:00 GMT", "07 Sep 2002 00", "07 Sep 2002 00:00",
				   "07 Sep 2002 00:00:00", "07 Sep 2002 00:00:0 GMT", "07 Sep 2002 24:00 GMT", "07 Sep 2002 00:60 GMT",
				   "07 Sep 2002 00:00 A", "07 Sep 2002 00:00 CET", "07 Sep 2002 00:00 +200", "07 Sep 2002 00:00 +1500",
				   "07 Sep 2002 00:00 +02:", "07 Sep 2002 00:00 GMT x", "07 Sep 2002 00:00 GMT+1", "Sep 07 2002", "yesterday",
				   "07/09/2002", "0 Sep 2002", "1 Jan 0000")
		becomes(*text, "");
}

static void
test_rfc3339(void)
{
	foreach_string(text, "2003-12-13T18:30:02Z", "2003-12-13T18:30:02.25Z", "2003-12-13T18:30:02+01:00",
				   "2003-12-13T18:30:02.25+01:00", "2003-12-13", "2003-12", "2003", "2003-12-13T18:30Z",
				   "2003-12-13T18:30:02.1234567890123456789012345678901234567890123Z")
		becomes(*text, *text);
	becomes("2003-12-13t18:30:02z", "2003-12-13T18:30:02Z");
	becomes("2003-12-13 18:30:02Z", "2003-12-13T18:30:02Z");
	becomes("2003-12-13 18:30:02-05:00", "2003-12-13T18:30:02-05:00");

	foreach_string(text, "2003-12-13T18:30:02", "2003-02-29", "2003-12-13T25:00:00Z", "20031213", "2003-12-13T18:30:02ZZ",
				   "2003-12-13T18:30:02.12345678901234567890123456789012345678901234567890Z")
		becomes(*text, "");
}

int
main(void)
{
	test_rfc822();
	test_rfc3339();
	return done();
}
