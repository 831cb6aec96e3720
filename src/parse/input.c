/*
 * input.c
 *	  Inflates a document, up to max_bytes, and converts it to UTF-8.
 *
 * In a damaged document the part before the damage is prepared, since skip mode
 * returns its entries.
 */
#include "postgres.h"

#include "parse/input.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "server/gzip.h"
#include "text/ascii.h"
#include "text/text.h"
#include "utils/memutils.h"
#include "web/xmlreader.h"

#define UTF8_MARK	"\xEF\xBB\xBF"

/* Record why the rest of the document cannot be prepared. */
static void
break_off(SmInput *input, int sqlerrcode, const char *reason)
{
	input->sqlerrcode = sqlerrcode;
	input->broken = reason;
	input->hint = NULL;
}

/*
 * Record that the last nleft bytes of the document cannot be converted.  If a cut in the
 * middle of a character explains them, the reason for the cut stays.
 */
static void
break_off_conversion(SmInput *input, size_t nleft, const char *reason)
{
	if (nleft > 0 && (input->broken == NULL || nleft >= MAX_MULTIBYTE_CHAR_LEN))
		break_off(input, ERRCODE_CHARACTER_NOT_IN_REPERTOIRE, reason);
}

/*
 * Inflate the content, and once more what was gzipped twice, as by a web server that
 * compresses a compressed file.
 */
static void
inflate_content(SmInput *input, int64 limit)
{
	for (int i = 0; i < 2 && sm_is_gzip(input->content); i++)
	{
		const char *reason = sm_gunzip(input->content, limit, &input->content);

		if (reason && input->broken == NULL)
			break_off(input, ERRCODE_INVALID_BINARY_REPRESENTATION, reason);
	}
}

/* Is the document in UTF-32?  Of its first character, one half is zero. */
static bool
is_utf32(SmSpan document)
{
	const char *p = document.s;

	return document.len >= 4 && ((p[0] == 0 && p[1] == 0) != (p[2] == 0 && p[3] == 0));
}

/*
 * Is the document in UTF-16, and in which byte order?  It begins with a byte order
 * mark, or with an ASCII character, which is a zero byte and another byte.
 */
static bool
is_utf16(SmSpan document, bool *big_endian)
{
	const unsigned char *p = (const unsigned char *) document.s;

	if (document.len < 2)
		return false;
	*big_endian = p[0] == 0 || (p[0] == 0xFE && p[1] == 0xFF);
	return *big_endian ? p[1] != 0 : p[1] == 0 || (p[0] == 0xFF && p[1] == 0xFE);
}

/* Convert UTF-16, up to the first invalid character. */
static void
convert_utf16(SmInput *input, SmSpan document, bool big_endian)
{
	const unsigned char *p = (const unsigned char *) document.s;
	const unsigned char *end = p + document.len;
	char	   *buf = palloc_extended(document.len / 2 * 3 + 4, MCXT_ALLOC_HUGE);
	char	   *d = buf;
	int			high = big_endian ? 0 : 1;

	while (end - p >= 2)
	{
		uint32		c = p[high] << 8 | p[1 - high];
		int			units = 1;

		CHECK_FOR_INTERRUPTS();

		if (c >= 0xD800 && c <= 0xDFFF)
		{
			uint32		low = end - p >= 4 ? p[2 + high] << 8 | p[3 - high] : 0;

			if (c >= 0xDC00 || low < 0xDC00 || low > 0xDFFF)
				break;
			c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
			units = 2;
		}
		d = sm_utf8_encode(d, c);
		p += 2 * units;
	}
	break_off_conversion(input, end - p, "the document has bytes that are not UTF-16");
	input->content = sm_span(buf, d - buf);
}

/* Find an encoding by its name in XML; -1 if we cannot convert from it. */
static int
find_encoding(SmSpan name)
{
	/*
	 * Names that PostgreSQL does not have.  UTF-16 is declared by mistake:
	 * such a document has been converted before.  Documents that declare
	 * GB2312 or KS C 5601 use its superset.
	 */
	static const struct
	{
		const char *name;
		int			encoding;
	}			others[] = {
		{"ascii", PG_UTF8}, {"us-ascii", PG_UTF8}, {"utf-16", PG_UTF8}, {"utf-16le", PG_UTF8},
		{"utf-16be", PG_UTF8}, {"iso-8859-8-i", PG_ISO_8859_8}, {"gb2312", PG_GBK},
		{"ks_c_5601-1987", PG_UHC}, {"x-sjis", PG_SJIS}, {"windows-31j", PG_SJIS},
		{"cp1250", PG_WIN1250}, {"cp1251", PG_WIN1251}, {"cp1252", PG_WIN1252},
		{"big5-hkscs", PG_BIG5}, {"tis-620", PG_WIN874}
	};
	int			encoding = name.len < NAMEDATALEN ? pg_char_to_encoding(pnstrdup(name.s, name.len)) : -1;

	for (size_t i = 0; i < lengthof(others); i++)
		if (sm_equal_ignoring_case(name, sm_span_of(others[i].name)))
			encoding = others[i].encoding;
	return sm_can_convert(encoding) ? encoding : -1;
}

/*
 * Convert XML from the encoding with this name, up to the first invalid
 * character.
 */
static void
convert_declared(SmInput *input, SmSpan name, SmProblems *problems)
{
	int			encoding = find_encoding(name);

	if (encoding < 0)
	{
		input->content.len = 0;
		break_off(input, ERRCODE_FEATURE_NOT_SUPPORTED,
				  psprintf("the encoding \"%s\" is not supported", sm_for_message(name)));
	}
	else if (encoding != PG_UTF8)
	{
		break_off_conversion(input, sm_convert(input->content, encoding, PG_UTF8, &input->content),
							 psprintf("the document has bytes that are not text in encoding \"%s\"",
									  sm_for_message(name)));
		problems->begin = input->content.s;
	}
}

/* Does a document begin like a page in HTML? */
static bool
is_html(SmSpan document)
{
	static const SmSpan begins[] = {{SM_LITERAL("<!doctype html")}, {SM_LITERAL("<html")}};

	for (size_t i = 0; i < lengthof(begins); i++)
		if (sm_equal_ignoring_case(sm_span(document.s, Min(document.len, begins[i].len)), begins[i]))
			return true;
	return false;
}

/*
 * Skip blanks and byte order marks of UTF-8.  Both can appear twice in joined files.
 */
static SmSpan
skip_start(SmSpan s, bool *has_blanks, bool *has_mark)
{
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();

		if (s.len >= 3 && memcmp(s.s, UTF8_MARK, 3) == 0)
		{
			*has_mark = true;
			s = sm_span(s.s + 3, s.len - 3);
		}
		else if (s.len > 0 && sm_xml_is_blank(sm_span(s.s, 1)))
		{
			*has_blanks = true;
			s = sm_span(s.s + 1, s.len - 1);
		}
		else
			return s;
	}
}

void
sm_input_prepare(SmInput *input, SmSpan document, bool is_text, int64 max_bytes,
				 SmProblems *problems)
{
	int64		limit = Min(max_bytes, (int64) MaxAllocSize);
	bool		has_blanks = false;
	bool		is_utf8 = is_text;	/* even if the document declares another
									 * encoding */
	bool		is_utf16_text = false;
	bool		big_endian;
	SmSpan		encoding;

	memset(input, 0, sizeof(*input));
	input->content = document;
	if (!is_text)
		inflate_content(input, limit);
	if (input->content.len > (uint64) limit)
	{
		input->content.len = limit;
		break_off(input, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
				  limit == max_bytes ? "the document is longer than max_bytes" :
				  "the document is longer than 1 GB");
		if (limit == max_bytes)
			input->hint = "If it can be trusted, raise max_bytes.";
	}

	if (!is_text && is_utf32(input->content))
	{
		input->content.len = 0;
		break_off(input, ERRCODE_FEATURE_NOT_SUPPORTED, "the encoding \"UTF-32\" is not supported");
		return;
	}
	if (!is_text && is_utf16(input->content, &big_endian))
	{
		convert_utf16(input, input->content, big_endian);
		is_utf16_text = is_utf8 = true;
	}

	problems->begin = input->content.s;
	input->content = skip_start(input->content, &has_blanks, &is_utf8);
	problems->place = input->content.s;
	if (input->content.len == 0)
	{
		problems->place = NULL;
		if (input->broken == NULL)
			break_off(input, ERRCODE_INVALID_XML_DOCUMENT, "the document is empty");
		return;
	}
	input->is_xml = input->content.s[0] == '<';
	if (!input->is_xml)
	{
		if (is_utf16_text)
		{
			input->content.len = 0;
			break_off(input, ERRCODE_CHARACTER_NOT_IN_REPERTOIRE,
					  "a text sitemap has to be in UTF-8, and this one is in UTF-16");
		}
		return;
	}
	if (is_html(input->content))
	{
		input->content.len = 0;
		break_off(input, ERRCODE_INVALID_XML_DOCUMENT, "the document is an HTML page");
		input->hint = "It may be an error page or a login page of the server that it comes from.";
		return;
	}
	if (sm_xml_declaration(input->content, &encoding) > 0)
	{
		if (has_blanks)
			sm_problem(problems, SM_DOCUMENT_INVALID, ERRCODE_INVALID_XML_DOCUMENT,
					   "on_invalid => 'skip' ignores them.",
					   "there are blanks before the XML declaration");
		if (!is_utf8 && encoding.s)
			convert_declared(input, encoding, problems);
	}
}
