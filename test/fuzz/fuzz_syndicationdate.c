/*
 * fuzz_syndicationdate.c
 *	  Fuzzes sm_syndication_date.
 *
 * What is written is a W3C date, and that stands for itself, as every W3C date
 * does that is not too long.
 */
#include "core/w3cdate.h"

#include "fuzz.h"

static SmW3cStatus
parse(const char *src, size_t len, int64_t *seconds)
{
	bool		has_time;

	return sm_w3c_parse(sm_span(src, len), false, &has_time, seconds);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char	   *src = exactly(data, size);
	char	   *date = exactly(NULL, SM_SYNDICATION_DATE_MAX);
	char	   *again = exactly(NULL, SM_SYNDICATION_DATE_MAX);
	size_t		len = sm_syndication_date(sm_span(src, size), date);
	bool		is_w3c;
	int64_t		seconds;

	CHECK(len <= SM_SYNDICATION_DATE_MAX);
	if (len > 0)
	{
		CHECK(parse(date, len, &seconds) == SM_W3C_OK);
		CHECK(equal(date, len, again, sm_syndication_date(sm_span(date, len), again)));
	}
	is_w3c = parse(src, size, &seconds) == SM_W3C_OK;
	if (is_w3c && size <= SM_SYNDICATION_DATE_MAX)
		CHECK(equal(date, len, src, size));
	free(src);
	free(date);
	free(again);
	return 0;
}
