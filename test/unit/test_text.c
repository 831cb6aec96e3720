/*
 * test_text.c
 *	  Unit tests of text/text and text/span: decoding UTF-8, dropping blanks, comparing.
 *	  test_xml.c has text that is not UTF-8.
 */
#include "text/text.h"

#include "tap.h"

static bool
is_white_space(uint32_t c)
{
	return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
		(c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
		c == 0x205F || c == 0x3000;
}

static void
test_every_character(void)
{
	int			undecoded = 0;
	int			blanks = 0;
	int			wrong = 0;

	for (uint32_t c = 0; c <= 0x10FFFF; c++)
	{
		char		utf8[4];
		char		src[17];
		size_t		n = put_utf8(c, utf8);
		bool		surrogate = c >= 0xD800 && c <= 0xDFFF;
		uint32_t	decoded;
		SmSpan		trimmed;

		if (sm_utf8_decode(utf8, utf8 + n, &decoded) != (surrogate ? 0 : n) ||
			(!surrogate && decoded != c))
			undecoded++;
		if (sm_utf8_decode(utf8, utf8 + n - 1, &decoded) != 0)
			undecoded++;

		/* twice on each side of a letter */
		for (size_t i = 0; i < 4; i++)
			memcpy(src + i * n + (i >= 2), utf8, n);
		src[2 * n] = 'x';
		trimmed = sm_trim(sm_span(src, 4 * n + 1));
		blanks += trimmed.len == 1;
		if (is_white_space(c) ? (trimmed.len != 1 || trimmed.s != src + 2 * n) :
			(trimmed.len != 4 * n + 1 || trimmed.s != src))
			wrong++;
	}
	is_number(undecoded, 0, "every character is decoded, no surrogate, and nothing cut off");
	is_number(blanks, 25, "Unicode has 25 blanks");
	is_number(wrong, 0, "every blank is trimmed, and nothing else");
}

static void
test_trim(void)
{
	SmSpan		none = sm_trim(sm_no_span());

	ok(none.s == NULL && none.len == 0, "no text stays none");
	foreach_string(src,
		"", " ", "\r\n", "\xC2\xA0\xE2\x80\x83\xE3\x80\x80 \t", "\xE2\x80\xA8\xE2\x80\xA9\xC2\x85")
		is_number(sm_trim(exact(*src)).len, 0, "nothing is left of blanks");
	/* a part of a blank is no blank, at either end */
	foreach_string(src,
		"\xC2", "\xA0", "\xE2\x80", "\x80\x80", "\x80", "\xE3\x80", "\xE1\x9A", "\xE2\x81")
	{
		SmSpan		copy = exact(*src);
		SmSpan		trimmed = sm_trim(copy);

		ok(trimmed.s == copy.s && trimmed.len == copy.len, "a part of a blank stays");
	}
}

/* memcmp takes no NULL, which UndefinedBehaviorSanitizer would report. */
static void
test_no_span(void)
{
	const char *volatile null = NULL;
	const char *volatile empty = "";

	ok(sm_span_equal(sm_span(null, 0), sm_span(empty, 0)), "no span equals an empty one");
	ok(sm_span_is(sm_span(null, 0), empty), "and an empty string");
}

int
main(void)
{
	test_every_character();
	test_trim();
	test_no_span();
	return done();
}
