/*
 * test_iso.c
 *	  Unit tests of text/iso: languages and countries.
 */
#include "text/iso.h"

#include "tap.h"

static bool
country(const char *code, size_t len)
{
	char	   *copy = exactly(code, len);
	bool		result = sm_iso_country(sm_span(copy, len));

	free(copy);
	return result;
}

static SmHreflang
status(const char *code, size_t len)
{
	char	   *copy = exactly(code, len);
	SmHreflang	result = sm_iso_hreflang(sm_span(copy, len));

	free(copy);
	return result;
}

static bool
hreflang(const char *code, size_t len)
{
	return status(code, len) == SM_HREFLANG_VALID;
}

static void
suggested(const char *given, const char *wanted)
{
	char	   *copy = exactly(given, strlen(given));
	char	   *dst = exactly(NULL, SM_HREFLANG_MAX);
	SmSpan		result = sm_iso_suggest_hreflang(sm_span(copy, strlen(given)), dst);

	is(result.s, result.len, wanted, strlen(wanted), given);
	free(dst);
	free(copy);
}

static void
likely(const char *code, const char *wanted)
{
	char	   *copy = exactly(code, strlen(code));
	SmSpan		result = sm_iso_likely_hreflang(sm_span(copy, strlen(code)));

	is(result.s, result.len, wanted, strlen(wanted), code);
	free(copy);
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
		"en,de", "zh-Hans-CN-x", "-en", "be-BY-", "d\xC3\xA9", "cn", "jp", "deu", "GER", "zul-ZA", "fil_PH",
		"fil-", "fil-PHL", "fili", "f1l", "419")
		ok(status(*code, strlen(*code)) == SM_HREFLANG_INVALID, *code);
	foreach_string(code, "fil", "FIL", "haw", "ckb-Arab", "gsw-CH", "yue-Hant-HK", "cmn", "qaa")
		ok(status(*code, strlen(*code)) == SM_HREFLANG_LONG, *code);

	suggested("en_US", "en-US");
	suggested("EN_us.UTF-8", "en-US");
	suggested("ZH_hant_tw", "zh-Hant-TW");
	suggested("X-DEFAULT", "x-default");
	suggested("default", "x-default");
	suggested("es-419", "es");
	suggested("de-1996", "de");
	suggested("deu-AT", "de-AT");
	suggested("fil_ph", "fil-PH");
	suggested("cn", "zh");
	suggested("en-UK", "en-GB");
	suggested("us-en", "en-US");
	suggested("uk_ua", "uk-UA");
	suggested("en,de", "en");
	suggested("zh-CHS", "zh-Hans");
	suggested("zh_cht", "zh-Hant");
	suggested("vn", "vi");
	suggested("rs-RS", "sr-RS");
	suggested("es_LA", "es");
	suggested("lo_LA", "lo-LA");
	likely("kr", "ko");
	likely("KR-kr", "ko");
	likely("se", "sv");
	likely("ch", "de");
	likely("ie-IE", "en");
	likely("es-la", "es");
	foreach_string(code, "ko", "kr-NG", "se-NO", "lo-LA", "es", "ch-GU", "x-default", "")
		likely(*code, "");
	foreach_string(code, "", "us", "419", "german", "=en", "-", "x-y", "\xC3\xA9")
		suggested(*code, "");

	/* 249 assigned and XK; 183 since "bh" was withdrawn */
	is_number(count(country, false), 250, "number of countries");
	is_number(count(country, true), 250, "number of countries in upper case");
	is_number(count(hreflang, false), 183, "number of languages");
	is_number(count(hreflang, true), 183, "number of languages in upper case");
	return done();
}
