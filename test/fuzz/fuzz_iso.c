/*
 * fuzz_iso.c
 *	  Fuzzes text/iso.
 *
 * What is accepted has the form of such a code, is a hreflang without its last
 * part too, and is accepted in the other case.  What is suggested is accepted.
 */
#include "text/iso.h"

#include <regex.h>

#include "fuzz.h"

/* Does it match, with no NUL in it? */
static bool
has_form(const char *src, size_t len, const char *form)
{
	char	   *text = exactly(NULL, len + 1);
	regex_t		regex;
	bool		result;

	memcpy(text, src, len);
	text[len] = '\0';
	CHECK(regcomp(&regex, form, REG_EXTENDED | REG_NOSUB) == 0);
	result = strlen(text) == len && regexec(&regex, text, 0, NULL, 0) == 0;
	regfree(&regex);
	free(text);
	return result;
}

static char *
other_case(const char *src, size_t len)
{
	char	   *text = exactly(src, len);

	for (size_t i = 0; i < len; i++)
		if (text[i] != '-')
			text[i] ^= 0x20;
	return text;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char	   *src = exactly(data, size);
	char	   *other = other_case(src, size);
	SmHreflang	status;
	char	   *dst;
	SmSpan		suggested;

	if (sm_iso_country(sm_span(src, size)))
	{
		CHECK(has_form(src, size, "^[A-Za-z]{2}$"));
		CHECK(sm_iso_country(sm_span(other, size)));
	}
	status = sm_iso_hreflang(sm_span(src, size));
	if (status != SM_HREFLANG_INVALID && !equal(src, size, "x-default", 9))
	{
		size_t		language = status == SM_HREFLANG_LONG ? 3 : 2;

		CHECK(has_form(src, size, "^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-[A-Za-z]{2})?$"));
		CHECK(sm_iso_hreflang(sm_span(other, size)) == status);
		CHECK(sm_iso_hreflang(sm_span(src, language)) == status);
		if (size > 3 && src[size - 3] == '-')
		{
			CHECK(sm_iso_country(sm_span(src + size - 2, 2)));
			CHECK(sm_iso_hreflang(sm_span(src, size - 3)) == status);
		}
	}
	dst = exactly(NULL, SM_HREFLANG_MAX);
	suggested = sm_iso_suggest_hreflang(sm_span(src, size), dst);
	CHECK(suggested.len == 0 || sm_iso_hreflang(suggested) != SM_HREFLANG_INVALID);
	CHECK(suggested.len > 0 || status == SM_HREFLANG_INVALID);
	free(dst);
	free(other);
	free(src);
	return 0;
}
