/*
 * fuzz_w3cdate.c
 *	  Fuzzes text/w3cdate.
 *
 * A text that is accepted means an instant that can be written, and what is
 * written means the same instant.
 */
#include "text/w3cdate.h"

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
	char		text[SM_W3C_SECONDS_LEN];
	char		day[SM_W3C_DATE_LEN];
	int64_t		seconds;
	int64_t		again;

	if (parse(src, size, &seconds) == SM_W3C_OK)
	{
		CHECK(sm_w3c_format_seconds(seconds, text));
		CHECK(parse(text, sizeof(text), &again) == SM_W3C_OK);
		CHECK(again == seconds);

		/* a date with no offset is written as it stands */
		CHECK(size >= 4);
		if (src[size - 1] == 'Z' || size <= 10)
			CHECK(memcmp(text, src, size < 16 ? size : 16) == 0);
		if (size == sizeof(text) && src[size - 1] == 'Z')
			CHECK(memcmp(text, src, size) == 0);
	}
	free(src);

	/* any number at all */
	if (size == sizeof(seconds))
	{
		memcpy(&seconds, data, sizeof(seconds));
		if (sm_w3c_format_seconds(seconds, text))
		{
			CHECK(parse(text, sizeof(text), &again) == SM_W3C_OK);
			CHECK(again == seconds);
		}
		if (sm_w3c_format_day(seconds, day))
		{
			CHECK(parse(day, sizeof(day), &again) == SM_W3C_OK);
			CHECK(again == seconds * SM_SECS_PER_DAY);
		}
	}
	return 0;
}
