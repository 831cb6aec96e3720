/*
 * fuzz_xml.c
 *	  Fuzzes escaping in web/xml.
 *
 * Any UTF-8 becomes content that the reader takes, as an element's text and as
 * an attribute's value, on one line, and that means the same characters but for
 * those that XML cannot carry.
 */
#include "web/xml.h"

#include "fuzz.h"
#include "text/text.h"
#include "web/xmlreader.h"

/* What is left of text in XML; SM_XML_MALFORMED if it is not UTF-8. */
static size_t
drop_illegal(const char *src, size_t len, char *dst)
{
	const char *s = src;
	const char *end = src + len;
	char	   *d = dst;

	while (s < end)
	{
		uint32_t	c;
		size_t		n = sm_utf8_decode(s, end, &c);

		if (n == 0)
			return SM_XML_MALFORMED;
		if (sm_xml_legal(c))
		{
			memcpy(d, s, n);
			d += n;
		}
		s += n;
	}
	return d - dst;
}

static void
check_means(SmSpan raw, const char *wanted, size_t wanted_len)
{
	char	   *copy = exactly(raw.s, raw.len);
	char	   *text = exactly(NULL, raw.len);

	CHECK(equal(text, sm_xml_unescape(copy, raw.len, text), wanted, wanted_len));
	free(copy);
	free(text);
}

/* Put the escaped text into an element twice, and read that. */
static void
check_content(const char *escaped, size_t len, const char *wanted, size_t wanted_len)
{
	size_t		size = 2 * len + 32;
	char	   *document = exactly(NULL, size);
	SmXmlReader r;
	int			n = snprintf(document, size, "<a b=\"%.*s\">%.*s</a>",
							 (int) len, escaped, (int) len, escaped);

	sm_xml_reader_init(&r, document, n);
	CHECK(sm_xml_next(&r) == SM_XML_START);
	CHECK(r.nattributes == 1);
	check_means(r.attributes[0].value, wanted, wanted_len);
	if (len > 0)
	{
		CHECK(sm_xml_next(&r) == SM_XML_TEXT);
		check_means(r.raw, wanted, wanted_len);
	}
	CHECK(sm_xml_next(&r) == SM_XML_END);
	CHECK(sm_xml_next(&r) == SM_XML_END_OF_INPUT);
	free(document);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char	   *src = exactly(data, size);
	char	   *wanted = exactly(NULL, size);
	char	   *escaped = exactly(NULL, SM_XML_ESCAPE_BOUND(size));
	size_t		wanted_len = drop_illegal(src, size, wanted);

	for (int ascii = 0; ascii <= 1; ascii++)
	{
		size_t		len = sm_xml_escape(src, size, SM_XML_VALUE, ascii ? SM_XML_AS_REFERENCES : SM_XML_AS_GIVEN, escaped);

		CHECK((len == SM_XML_MALFORMED) == (wanted_len == SM_XML_MALFORMED));
		if (len == SM_XML_MALFORMED)
			continue;
		for (size_t i = 0; i < len; i++)
		{
			unsigned char c = escaped[i];

			CHECK(c >= 0x20 && strchr("<>\"'\\", c) == NULL);
			CHECK(!ascii || c < 0x80);
		}
		check_content(escaped, len, wanted, wanted_len);
	}

	/* this one takes anything */
	sm_xml_unescape(src, size, wanted);
	free(src);
	free(wanted);
	free(escaped);
	return 0;
}
