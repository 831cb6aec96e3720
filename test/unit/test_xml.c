/*
 * test_xml.c
 *	  Unit tests of web/xml: escaping and unescaping.
 */
#include "web/xml.h"

#include "tap.h"

static const SmXmlCharset charsets[] = {SM_XML_AS_GIVEN, SM_XML_AS_REFERENCES};

/* Escape text; no span if it is malformed. */
static SmSpan
escape(SmSpan src, SmXmlPart part, SmXmlCharset charset)
{
	char	   *dst = exactly(NULL, SM_XML_ESCAPE_BOUND(src.len));
	size_t		len = sm_xml_escape(exactly(src.s, src.len), src.len, part, charset, dst);

	return len == SM_XML_MALFORMED ? sm_no_span() : sm_span(dst, len);
}

static void
escapes(SmSpan src, SmXmlPart part, SmXmlCharset charset, const char *wanted)
{
	SmSpan		escaped = escape(src, part, charset);

	if (escaped.s == NULL)
		ok(false, src.s);
	else
		is_string(escaped, wanted, src.s);
}

static void
unescapes(const char *src, const char *wanted)
{
	char	   *dst = exactly(NULL, strlen(src));

	is_string(sm_span(dst, sm_xml_unescape(exact(src).s, strlen(src), dst)), wanted, src);
}

static bool
is_legal(uint32_t c)
{
	if (c < 0x20)
		return c == '\t' || c == '\n' || c == '\r';
	return c != 0xFFFE && c != 0xFFFF && !(c >= 0xD800 && c <= 0xDFFF);
}

/* Each character between two others, both ways of writing it, and back. */
static void
test_all_characters(void)
{
	int			illegal = 0;
	int			wrong = 0;
	int			wrong_ascii = 0;
	int			not_back = 0;

	for (uint32_t c = 0; c <= 0x10FFFF; c++)
	{
		char		src[6] = "a";
		char		wanted[16];
		char		wanted_ascii[16];
		char		back[SM_XML_ESCAPE_BOUND(sizeof(src))];
		size_t		n = put_utf8(c, src + 1);

		illegal += sm_xml_legal(c) != is_legal(c);
		if (c >= 0xD800 && c <= 0xDFFF)
			continue;

		src[1 + n] = 'b';
		if (c < 0x80 && c > 0 && strchr("\t\n\r\\", (int) c))
			snprintf(wanted, sizeof(wanted), "a&#%d;b", (int) c);
		else if (c < 0x80 && c > 0 && strchr("&<>\"'", (int) c))
			snprintf(wanted, sizeof(wanted), "a&%s;b",
					 c == '&' ? "amp" : c == '<' ? "lt" : c == '>' ? "gt" : c == '"' ? "quot" : "apos");
		else if (!is_legal(c))
			snprintf(wanted, sizeof(wanted), "ab");
		else
			snprintf(wanted, sizeof(wanted), "%.*s", (int) n + 2, src);
		strcpy(wanted_ascii, wanted);
		if (c >= 0x80 && is_legal(c))
			snprintf(wanted_ascii, sizeof(wanted_ascii), "a&#x%X;b", (unsigned int) c);

		for (int ascii = 0; ascii <= 1; ascii++)
		{
			SmSpan		escaped = escape(sm_span(src, n + 2), SM_XML_VALUE, charsets[ascii]);
			size_t		len = sm_xml_unescape(escaped.s, escaped.len, back);

			*(ascii ? &wrong_ascii : &wrong) += !sm_span_is(escaped, ascii ? wanted_ascii : wanted);
			not_back += !sm_span_equal(sm_span(back, len), is_legal(c) ? sm_span(src, n + 2) : sm_span_of("ab"));
		}
	}
	is_number(illegal, 0, "every character is known to be legal or not");
	is_number(wrong, 0, "every character is escaped, kept or dropped");
	is_number(wrong_ascii, 0, "every character is escaped, kept or dropped in ASCII");
	is_number(not_back, 0, "every character is unescaped");
}

static void
test_escape(void)
{
	foreach_pair(pair,
		{"", ""}, {"plain", "plain"}, {"a]]>b", "a]]&gt;b"},
		{"<a href=\"x\">Tom & Jerry's</a>", "&lt;a href=&quot;x&quot;&gt;Tom &amp; Jerry&apos;s&lt;/a&gt;"},
		{"a\x01" "b\x0B" "c\xEF\xBF\xBE" "d\xEF\xBF\xBF" "e", "abcde"}, {"\x01\x0B\xEF\xBF\xBE", ""},
		{"\x7F\xC2\x85\xF0\x9F\x98\x80", "\x7F\xC2\x85\xF0\x9F\x98\x80"},
		{"a\tb\nc\rd\\e\r\n", "a&#9;b&#10;c&#13;d&#92;e&#13;&#10;"}, {"&amp;", "&amp;amp;"},
		{"\"\"\"\"''''", "&quot;&quot;&quot;&quot;&apos;&apos;&apos;&apos;"}, {"\xEF\xBB\xBF" "a", "\xEF\xBB\xBF" "a"})
		escapes(sm_span_of(pair->given), SM_XML_VALUE, SM_XML_AS_GIVEN, pair->wanted);
	escapes(sm_span("a\0b", 3), SM_XML_VALUE, SM_XML_AS_GIVEN, "ab");

	foreach_pair(pair,
		{"caf\xC3\xA9 & \xD0\xBF", "caf&#xE9; &amp; &#x43F;"}, {"\x7F\xC2\x80\xC2\x85", "\x7F&#x80;&#x85;"},
		{"\xEF\xBF\xBD\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", "&#xFFFD;&#x10000;&#x10FFFF;"},
		{"a\x01\xEF\xBF\xBE" "b\t", "ab&#9;"})
		escapes(sm_span_of(pair->given), SM_XML_VALUE, SM_XML_AS_REFERENCES, pair->wanted);
}

/* Bytes that are not UTF-8, alone and in the midst of text. */
static void
test_malformed(void)
{
	static const struct
	{
		const char *bytes;
		const char *name;
	}			cases[] = {
		{"\x80", "first continuation byte"}, {"\xBF", "last continuation byte"},
		{"\xC0\x80", "overlong NUL"}, {"\xC0\xAF", "overlong slash"}, {"\xC1\xBF", "overlong DEL"},
		{"\xE0\x80\x80", "overlong in three"}, {"\xE0\x9F\xBF", "last overlong in three"},
		{"\xF0\x80\x80\x80", "overlong in four"}, {"\xF0\x8F\xBF\xBF", "last overlong in four"},
		{"\xED\xA0\x80", "first surrogate"}, {"\xED\xAF\xBF", "last high surrogate"},
		{"\xED\xB0\x80", "first low surrogate"}, {"\xED\xBF\xBF", "last surrogate"},
		{"\xED\xA0\xBD\xED\xB8\x80", "surrogate pair"},
		{"\xF4\x90\x80\x80", "first above U+10FFFF"}, {"\xF5\x80\x80\x80", "far above U+10FFFF"},
		{"\xF7\xBF\xBF\xBF", "last of four bytes"}, {"\xF8\x88\x80\x80\x80", "five bytes"},
		{"\xFC\x84\x80\x80\x80\x80", "six bytes"}, {"\xFE", "byte FE"}, {"\xFF", "byte FF"},
		{"\xC3", "cut off after one of two"}, {"\xE2", "cut off after one of three"},
		{"\xE2\x82", "cut off after two of three"}, {"\xF0", "cut off after one of four"},
		{"\xF0\x9F", "cut off after two of four"}, {"\xF0\x9F\x98", "cut off after three of four"},
		{"\xC3\xC3", "second of two is no continuation"}, {"\xC3(", "second of two is ASCII"},
		{"\xE2(\xA1", "second of three is ASCII"}, {"\xE2\x82(", "third of three is ASCII"},
		{"\xF0(\x8C\xBC", "second of four is ASCII"}, {"\xF0\x90(\xBC", "third of four is ASCII"},
		{"\xF0\x90\x8C(", "fourth of four is ASCII"}, {"\xE9t\xE9", "Latin-1"},
	};
	static const char *const around[][2] = {
		{"", ""}, {"abc", ""}, {"", "abc"}, {"a & b \xC3\xA9", "\xC3\xA9 c"}
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		bool		refused = true;

		for (int j = 0; j < 4; j++)
		{
			const char *text = text_of("%s%s%s", around[j][0], cases[i].bytes, around[j][1]);

			for (int ascii = 0; ascii <= 1; ascii++)
				refused &= escape(sm_span_of(text), SM_XML_VALUE, charsets[ascii]).s == NULL;
		}
		ok(refused, cases[i].name);
	}
}

static void
test_parts(void)
{
	static const struct
	{
		SmXmlPart	part;
		SmXmlCharset charset;
		const char *src;
		const char *wanted;
	}			cases[] = {
		{SM_XML_IN_TAG, SM_XML_AS_GIVEN, "<a\r\nb='&lt;>\t\\\r'>", "<a b='&lt;> &#92; '>"},
		{SM_XML_IN_TAG, SM_XML_AS_REFERENCES, "<a b=\"\xC3\xA9\">", "<a b=\"&#xE9;\">"},
		{SM_XML_IN_TAG, SM_XML_AS_CHARACTERS, "<a b=\"&#xE9;&#233;&#65;\">", "<a b=\"\xC3\xA9\xC3\xA9&#65;\">"},
		{SM_XML_IN_TEXT, SM_XML_AS_GIVEN, "\r\n\r\ta>\"'&amp;\xC3\xA9", "&#10;&#10;&#9;a&gt;\"'&amp;\xC3\xA9"},
		{SM_XML_IN_TEXT, SM_XML_AS_CHARACTERS, "&#x1F600;&gt;&quot;", "\xF0\x9F\x98\x80&gt;&quot;"},
		{SM_XML_IN_CDATA, SM_XML_AS_GIVEN, "<&\">&#65;\r", "&lt;&amp;\"&gt;&amp;#65;&#10;"},
		{SM_XML_IN_CDATA, SM_XML_AS_CHARACTERS, "&#233;", "&amp;#233;"},
		{SM_XML_VALUE, SM_XML_AS_CHARACTERS, "&#233;\r\n", "&amp;#233;&#13;&#10;"}
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		escapes(sm_span_of(cases[i].src), cases[i].part, cases[i].charset, cases[i].wanted);
}

static void
test_reference(void)
{
	static const struct
	{
		const char *text;
		uint32_t	c;
	}			good[] = {
		{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''},
		{"&#9;", 9}, {"&#10;", 10}, {"&#13;", 13}, {"&#x9;", 9}, {"&#xA;", 10}, {"&#xd;", 13},
		{"&#32;", ' '}, {"&#65;", 'A'}, {"&#x41;", 'A'}, {"&#0000000000000065;", 'A'},
		{"&#x000000000000041;", 'A'}, {"&#127;", 127}, {"&#x85;", 0x85}, {"&#xe9;", 0xE9},
		{"&#xD7FF;", 0xD7FF}, {"&#xE000;", 0xE000}, {"&#xFFFD;", 0xFFFD}, {"&#65533;", 0xFFFD},
		{"&#x10000;", 0x10000}, {"&#x10FFFF;", 0x10FFFF}, {"&#x10ffff;", 0x10FFFF},
		{"&#1114111;", 0x10FFFF},
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
	{
		SmSpan		src = exact(good[i].text);
		uint32_t	c = 0;

		ok(sm_xml_reference(src.s, src.s + src.len, &c) == src.len && c == good[i].c, good[i].text);
	}

	foreach_string(text,
		"&", "&;", "&a", "&amp", "&AMP;", "&amp ;", "& amp;", "&nbsp;", "&lt", "&apos", "&#", "&#;",
		"&#x", "&#x;", "&#x", "&#xg;", "&#a;", "&#X41;", "&#6 5;", "&# 65;", "&#-65;", "&#+65;", "&#65",
		"&#x41", "&#0;", "&#x0;", "&#1;", "&#8;", "&#11;", "&#x1F;", "&#xD800;", "&#xDFFF;", "&#xFFFE;",
		"&#xFFFF;", "&#x110000;", "&#1114112;", "&#99999999999999999999;", "&#xFFFFFFFFFFFFFFFFFF;",
		"&#4294967361;", "&#x100000041;")
	{
		SmSpan		src = exact(*text);
		uint32_t	c;

		ok(sm_xml_reference(src.s, src.s + src.len, &c) == 0, *text);
	}
}

static void
test_unescape(void)
{
	unescapes("", "");
	unescapes("plain", "plain");
	unescapes("&lt;a&gt; &amp;amp; &quot;&apos;", "<a> &amp; \"'");
	unescapes("&#9;&#10;&#13;&#92;&#x20;", "\t\n\r\\ ");
	unescapes("&#127;&#128;&#x7FF;&#x800;", "\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80");
	unescapes("&#xFFFD;&#x10000;&#x10FFFF;", "\xEF\xBF\xBD\xF0\x90\x80\x80\xF4\x8F\xBF\xBF");
	unescapes("caf\xC3\xA9", "caf\xC3\xA9");
	unescapes("http://h/?a=1&amp;b=&apos;2&apos;", "http://h/?a=1&b='2'");
}

int
main(void)
{
	test_escape();
	test_malformed();
	test_all_characters();
	test_parts();
	test_reference();
	test_unescape();
	return done();
}
