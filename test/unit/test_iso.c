/*
 * test_iso.c
 *	  Unit tests of text/iso: languages and countries.
 */
#include "text/iso.h"

#include "tap.h"

static bool
is_language(SmSpan code)
{
	return sm_iso_hreflang(code) == SM_HREFLANG_VALID;
}

static void
suggested(const char *given, const char *wanted)
{
	char	   *dst = exactly(NULL, SM_HREFLANG_MAX);

	is_string(sm_iso_suggest_hreflang(exact(given), dst), wanted, given);
}

/* Of the two-letter codes, how many are there? */
static int
count(bool (*check) (SmSpan), bool upper)
{
	int			n = 0;

	for (char a = 'a'; a <= 'z'; a++)
		for (char b = 'a'; b <= 'z'; b++)
			n += check(sm_span((char[]) {upper ? a - 32 : a, upper ? b - 32 : b}, 2));
	return n;
}

int
main(void)
{
	foreach_string(code,
		"ad", "AD", "Zw", "zw", "us", "GB", "de", "fr", "xk", "bq", "ss", "tw")
		ok(sm_iso_country(exact(*code)), *code);
	foreach_string(code,
		"", "u", "uk", "usa", "aa", "zz", "a ", "d\xC3", "..", "yu", "su", "an", "cs", "eu", "de ",
		"840", "\x01\x02", "[]", "{|")
		ok(!sm_iso_country(exact(*code)), *code);

	foreach_string(code,
		"x-default", "en", "EN", "aa", "zu", "de-AT", "de-at", "DE-at", "zh-Hans", "zh-Hant-TW",
		"ZH-HANT-TW", "sr-Latn-RS", "en-GB", "az-Cyrl")
		ok(is_language(exact(*code)), *code);
	foreach_string(code,
		"", "e", "us", "uk-", "en-", "en-UK", "en_GB", "en-GBR", "eng", "eng-GB", "en--GB", "en-GB-",
		"en-GB-Latn", "en-Lat", "en-Latin", "en-Latn-", "en-Latn-G", "en-La1n", "xx", "xx-GB", "x-",
		"x-defaul", "x-defaults", "X-DEFAULT", "x default", "es-419", "de-1996", " en", "en ",
		"en,de", "zh-Hans-CN-x", "-en", "be-BY-", "d\xC3\xA9", "cn", "jp", "deu", "GER", "zul-ZA", "fil_PH",
		"fil-", "fil-PHL", "fili", "f1l", "419")
		ok(sm_iso_hreflang(exact(*code)) == SM_HREFLANG_INVALID, *code);
	foreach_string(code, "fil", "FIL", "haw", "ckb-Arab", "gsw-CH", "yue-Hant-HK", "cmn", "qaa")
		ok(sm_iso_hreflang(exact(*code)) == SM_HREFLANG_LONG, *code);

	foreach_pair(pair,
		{"en_US", "en-US"}, {"EN_us.UTF-8", "en-US"}, {"ZH_hant_tw", "zh-Hant-TW"},
		{"X-DEFAULT", "x-default"}, {"default", "x-default"}, {"es-419", "es"}, {"de-1996", "de"},
		{"deu-AT", "de-AT"}, {"fil_ph", "fil-PH"}, {"cn", "zh"}, {"en-UK", "en-GB"},
		{"us-en", "en-US"}, {"uk_ua", "uk-UA"}, {"en,de", "en"}, {"zh-CHS", "zh-Hans"},
		{"zh_cht", "zh-Hant"}, {"vn", "vi"}, {"rs-RS", "sr-RS"}, {"es_LA", "es"},
		{"lo_LA", "lo-LA"})
		suggested(pair->given, pair->wanted);
	foreach_pair(pair,
		{"kr", "ko"}, {"KR-kr", "ko"}, {"se", "sv"}, {"ch", "de"}, {"ie-IE", "en"}, {"es-la", "es"})
		is_string(sm_iso_likely_hreflang(exact(pair->given)), pair->wanted, pair->given);
	foreach_string(code, "ko", "kr-NG", "se-NO", "lo-LA", "es", "ch-GU", "x-default", "")
		is_string(sm_iso_likely_hreflang(exact(*code)), "", *code);
	foreach_string(code, "", "us", "419", "german", "=en", "-", "x-y", "\xC3\xA9")
		suggested(*code, "");

	/* 249 assigned and XK; 183 since "bh" was withdrawn */
	is_number(count(sm_iso_country, false), 250, "number of countries");
	is_number(count(sm_iso_country, true), 250, "number of countries in upper case");
	is_number(count(is_language, false), 183, "number of languages");
	is_number(count(is_language, true), 183, "number of languages in upper case");
	return done();
}
