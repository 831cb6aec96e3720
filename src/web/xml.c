/*
 * xml.c
 *	  Escapes and unescapes in one pass, character by character.
 */
#include "web/xml.h"

#include <string.h>

#include "text/ascii.h"
#include "text/text.h"

/* Is this one of the bytes that need no check and no escaping? */
static bool
is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 &&
		c != '&' && c != '<' && c != '>' && c != '"' && c != '\'' && c != '\\';
}

bool
sm_xml_legal(uint32_t c)
{
	return c == 0x9 || c == 0xA || c == 0xD ||
		(c >= 0x20 && c <= 0xD7FF) ||
		(c >= 0xE000 && c <= 0xFFFD) ||
		(c >= 0x10000 && c <= 0x10FFFF);
}

/* Write a hexadecimal character reference. */
static char *
write_reference(char *d, uint32_t c)
{
	int			shift = 28;

	memcpy(d, "&#x", 3);
	d += 3;
	while ((c >> shift) == 0)
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*d++ = sm_hex_digit(c >> shift);
	*d++ = ';';
	return d;
}

/* What a character of ASCII becomes in a document; NULL if it stays. */
static const char *
replacement(char c, SmXmlPart part)
{
	bool		is_data = part == SM_XML_VALUE || part == SM_XML_IN_CDATA;

	switch (c)
	{
		case '&':
			return is_data ? "&amp;" : NULL;
		case '<':
			return is_data ? "&lt;" : NULL;
		case '>':
			return part != SM_XML_IN_TAG ? "&gt;" : NULL;
		case '"':
			return part == SM_XML_VALUE ? "&quot;" : NULL;
		case '\'':
			return part == SM_XML_VALUE ? "&apos;" : NULL;
		case '\t':
			return part == SM_XML_IN_TAG ? " " : "&#9;";
		case '\n':
			return part == SM_XML_IN_TAG ? " " : "&#10;";
		case '\r':
			return part == SM_XML_IN_TAG ? " " : part == SM_XML_VALUE ? "&#13;" : "&#10;";
		case '\\':
			return "&#92;";
		default:
			return NULL;
	}
}

size_t
sm_xml_escape(const char *src, size_t len, SmXmlPart part, SmXmlCharset charset, char *dst)
{
	bool		has_references = part == SM_XML_IN_TAG || part == SM_XML_IN_TEXT;
	const char *s = src;
	const char *end = src + len;
	char	   *d = dst;

	while (s < end)
	{
		const char *text;
		uint32_t	c;
		uint32_t	referenced;
		size_t		n;
		size_t		reference;

		while (s < end && is_plain((unsigned char) *s))
			*d++ = *s++;
		if (s == end)
			break;

		if (*s == '\r' && part != SM_XML_VALUE && s + 1 < end && s[1] == '\n')
		{
			s++;				/* CR LF counts as its line feed */
			continue;
		}
		n = sm_utf8_decode(s, end, &c);
		if (n == 0)
			return SM_XML_MALFORMED;
		text = replacement(*s, part);
		if (text)
			d = sm_put(d, text, strlen(text));
		else if (charset == SM_XML_AS_REFERENCES && c >= 0x80 && sm_xml_legal(c))
			d = write_reference(d, c);
		else if (charset == SM_XML_AS_CHARACTERS && has_references && c == '&' &&
				 (reference = sm_xml_reference(s, end, &referenced)) > 0 && referenced >= 0x80)
		{
			d = sm_utf8_encode(d, referenced);
			n = reference;
		}
		else if (sm_xml_legal(c))
			d = sm_put(d, s, n);
		s += n;
	}
	return d - dst;
}

size_t
sm_xml_reference(const char *s, const char *end, uint32_t *c)
{
	static const struct
	{
		const char *text;
		unsigned char len;
		unsigned char c;
	}			entities[] = {
		{SM_LITERAL("&amp;"), '&'}, {SM_LITERAL("&lt;"), '<'}, {SM_LITERAL("&gt;"), '>'},
		{SM_LITERAL("&quot;"), '"'}, {SM_LITERAL("&apos;"), '\''}
	};
	const char *p = s + 2;
	uint32_t	value = 0;
	int			digits = 0;
	int			base = 10;

	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++)
	{
		if ((size_t) (end - s) >= entities[i].len &&
			memcmp(s, entities[i].text, entities[i].len) == 0)
		{
			*c = entities[i].c;
			return entities[i].len;
		}
	}

	if (end - s < 4 || s[1] != '#')
		return 0;
	if (*p == 'x')
	{
		base = 16;
		p++;
	}
	for (; p < end && *p != ';'; p++, digits++)
	{
		int			digit = sm_hex_value(*p);

		if (digit < 0 || digit >= base)
			return 0;
		value = value * base + digit;
		if (value > 0x10FFFF)
			return 0;
	}
	if (p == end || digits == 0 || !sm_xml_legal(value))
		return 0;
	*c = value;
	return p + 1 - s;
}

size_t
sm_xml_unescape(const char *src, size_t len, char *dst)
{
	const char *s = src;
	const char *end = src + len;
	char	   *d = dst;
	uint32_t	c;
	size_t		n;

	while (s < end)
	{
		if (*s == '&' && (n = sm_xml_reference(s, end, &c)) > 0)
		{
			d = sm_utf8_encode(d, c);
			s += n;
		}
		else
			*d++ = *s++;
	}
	return d - dst;
}
