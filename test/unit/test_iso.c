/*
 * test_iso.c
 *	  Unit tests of core/iso: languages and countries.
 */
#include "core/iso.h"

#include "tap.h"

static bool
country(const char *code, size_t len)
{
	char	   *copy = exactly(code, len);
	bool		result = sm_iso_country(copy, len);

	free(copy);
	return result;
}

static bool
hreflang(const char *code, size_t len)
{
	char	   *copy = exactly(code, len);
	bool		result = sm_iso_hreflang(copy, len);

	free(copy);
	return result;
}

/* Of the two-letter codes, how many are there? */
static int
count(bool (*check) (const char *, size_t), bool upper)
{
	int			n = 0;

	for (char a = 'a'; a <= 'z'; a++)
		for (char b = 'a'; b <= 'z'; b++)
			n += check((char[]) {upper ? a - 32 : a, upper ? b - 32 : b}, 2);
	return n;
}

int
main(void)
{
	foreach_string(code,
		"ad", "AD", "Zw", "zw", "us", "GB", "de", "fr", "xk", "bq", "ss", "tw")
		ok(country(*code, strlen(*code)), *code);
	foreach_string(code,
		"", "u", "uk", "usa", "aa", "zz", "a ", "d\xC3", "..", "yu", "su", "an", "cs", "eu", "de ",
		"840", "\x01\x02", "[]", "{|")
		ok(!country(*code, strlen(*code)), *code);

	foreach_string(code,
		"x-default", "en", "EN", "aa", "zu", "de-AT", "de-at", "DE-at", "zh-Hans", "zh-Hant-TW",
		"ZH-HANT-TW", "sr-Latn-RS", "en-GB", "az-Cyrl")
		ok(hreflang(*code, strlen(*code)), *code);
	foreach_string(code,
		"", "e", "us", "uk-", "en-", "en-UK", "en_GB", "en-GBR", "eng", "eng-GB", "en--GB", "en-GB-",
		"en-GB-Latn", "en-Lat", "en-Latin", "en-Latn-", "en-Latn-G", "en-La1n", "xx", "xx-GB", "x-",
		"x-defaul", "x-defaults", "X-DEFAULT", "x default", "es-419", "de-1996", " en", "en ",
		"en,de", "zh-Hans-CN-x", "-en", "be-BY-", "d\xC3\xA9", "cn", "jp")
		ok(!hreflang(*code, strlen(*code)), *code);

	/* 249 assigned and XK; 183 since "bh" was withdrawn */
	is_number(count(country, false), 250, "number of countries");
	is_number(count(country, true), 250, "number of countries in upper case");
	is_number(count(hreflang, false), 183, "number of languages");
	is_number(count(hreflang, true), 183, "number of languages in upper case");
	return done();
}
