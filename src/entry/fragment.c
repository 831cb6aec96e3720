/*
 * fragment.c
 *	  Elements of extensions, given as xml values, are copied into a document.
 *
 * PostgreSQL accepts xml values that no XML parser would.  So each value is read
 * token by token, and only tokens that are well-formed are written to a document.
 */
#include "postgres.h"

#include "entry/fragment.h"

#include "core/namespace.h"
#include "core/text.h"
#include "core/xml.h"
#include "core/xmlreader.h"
#include "entry/reader.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "server/encoding.h"

/* The part of XML that append_rewritten rewrites. */
typedef enum TokenMode
{
	IN_TAG,
	IN_TEXT,
	IN_CDATA
} TokenMode;

/* How characters outside ASCII are written to a document. */
typedef enum Charset
{
	AS_GIVEN,
	AS_REFERENCES,				/* for a value in a database that is not UTF-8 */
	AS_CHARACTERS				/* for a file, from such a database */
} Charset;

static Charset
target_charset(bool ascii)
{
	return ascii ? AS_REFERENCES : sm_ascii_only() ? AS_CHARACTERS : AS_GIVEN;
}

/* Ends an entry, so nothing inside an entry may look like it: see core/entries.c. */
#define END_OF_ENTRY	"</url>"

/* Can raw XML be copied into a document byte for byte? */
static bool
is_clean(SmSpan raw, Charset charset)
{
	for (size_t i = 0; i < raw.len; i++)
	{
		unsigned char c = raw.s[i];

		/* nearly all characters: small letters, digits, and what is in URLs */
		if ((c > '\\' && c < 0x80) || (c > '&' && c < '<'))
			continue;
		if (c == '\t' || c == '\n' || c == '\r' || c == '\\' ||
			(c >= 0x80 && charset == AS_REFERENCES) ||
			(c == '&' && charset == AS_CHARACTERS) ||
			(c == '<' && sm_span_begins(sm_span(raw.s + i, raw.len - i), END_OF_ENTRY)))
			return false;
	}
	return true;
}

/*
 * Write a token, or the inside of a CDATA section as text, on one line and
 * with the same meaning.  A parser reads any line break as a line feed, and
 * any blank in an attribute's value as a space.  Returns false if a name has a
 * character that would have to be a reference: names have no references.
 */
static bool
append_rewritten(StringInfo buf, SmSpan raw, TokenMode mode, Charset charset)
{
	char		quote = '\0';

	for (size_t i = 0; i < raw.len; i++)
	{
		char		c = raw.s[i];
		uint32_t	code;
		size_t		n;

		if (c == '\r' && i + 1 < raw.len && raw.s[i + 1] == '\n')
			continue;			/* a CR LF counts as its line feed */
		if (mode == IN_TAG && (c == '"' || c == '\''))
		{
			if (quote == '\0')
				quote = c;
			else if (quote == c)
				quote = '\0';
		}

		if (c == '\t' || c == '\n' || c == '\r')
			appendStringInfoString(buf, mode == IN_TAG ? " " : c == '\t' ? "&#9;" : "&#10;");
		else if (c == '\\')
			appendStringInfoString(buf, "&#92;");
		else if (c == '>' && mode != IN_TAG)
			appendStringInfoString(buf, "&gt;");	/* text must not have
													 * "]]>" */
		else if (mode == IN_CDATA && (c == '&' || c == '<'))
			appendStringInfoString(buf, c == '&' ? "&amp;" : "&lt;");
		else if (charset == AS_CHARACTERS && mode != IN_CDATA && c == '&' &&
				 (n = sm_xml_reference(raw.s + i, raw.s + raw.len, &code)) > 0 &&
				 code >= 0x80)
		{
			enlargeStringInfo(buf, n);
			buf->len += sm_xml_unescape(raw.s + i, n, buf->data + buf->len);
			i += n - 1;
		}
		else if (charset == AS_REFERENCES && IS_HIGHBIT_SET(c))
		{
			n = sm_utf8_decode(raw.s + i, raw.s + raw.len, &code);
			if (mode == IN_TAG && quote == '\0')
				return false;
			appendStringInfo(buf, "&#x%X;", code);
			i += n - 1;
		}
		else
			appendStringInfoChar(buf, c);
	}
	return true;
}

/* Write one token, and change in it what cannot go into a document. */
static bool
append_token(StringInfo buf, const SmXmlReader *r, SmXmlToken token, Charset charset)
{
	switch (token)
	{
		case SM_XML_START:
		case SM_XML_END:
			if (token == SM_XML_END && sm_span_is(r->raw, END_OF_ENTRY))
			{
				appendStringInfoString(buf, "</url >");
				return true;
			}
			return append_rewritten(buf, r->raw, IN_TAG, charset);
		case SM_XML_TEXT:
			return append_rewritten(buf, r->raw, IN_TEXT, charset);
		default:
			break;
	}

	/* CDATA sections, comments and instructions have no references */
	if (charset == AS_CHARACTERS)
		charset = AS_GIVEN;
	if (is_clean(r->raw, charset))
		appendBinaryStringInfo(buf, r->raw.s, r->raw.len);
	else if (token == SM_XML_CDATA)
		return append_rewritten(buf, r->data, IN_CDATA, charset);

	/* a comment or instruction that is not clean is dropped */
	return true;
}

/*
 * The flag of a namespace, if an attribute declares it just as documents do;
 * else 0.
 */
static uint32
own_declaration(const SmXmlAttribute *a)
{
	const SmNamespace *namespace = sm_namespace_by_prefix(a->name);

	return namespace && sm_span_is(a->prefix, "xmlns") &&
		sm_span_equal(namespace->uri, a->value) ? namespace->flag : 0;
}

static uint32
own_declarations(const SmXmlReader *r)
{
	uint32		flags = 0;

	for (int i = 0; i < r->nattributes; i++)
		flags |= own_declaration(&r->attributes[i]);
	return flags;
}

/* Write a tag without the declarations that the document has. */
static bool
append_without_own(StringInfo buf, const SmXmlReader *r, Charset charset)
{
	const char *from = r->raw.s;

	for (int i = 0; i < r->nattributes; i++)
	{
		const SmXmlAttribute *a = &r->attributes[i];
		const char *to = a->prefix.s;

		if (own_declaration(a) == 0)
			continue;
		while (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\n' || to[-1] == '\r')
			to--;
		if (!append_rewritten(buf, sm_span(from, to - from), IN_TAG, charset))
			return false;
		from = a->value.s + a->value.len + 1;	/* behind the quote */
	}
	return append_rewritten(buf, sm_span(from, r->raw.s + r->raw.len - from), IN_TAG, charset);
}

static bool
beyond_ascii(SmProblems *problems)
{
	sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_FEATURE_NOT_SUPPORTED, NULL,
			   "invalid extension: names outside ASCII are not supported in a database with encoding \"%s\"",
			   GetDatabaseEncodingName());
	return false;
}

/*
 * Check the names of the namespaces that a tag declares.  A name has no references,
 * since it would have several spellings then.  So it must not have a character that
 * is written as one.
 */
static bool
check_declarations(const SmXmlReader *r, Charset charset, SmProblems *problems)
{
	for (int i = 0; i < r->nattributes; i++)
	{
		const SmXmlAttribute *a = &r->attributes[i];

		if (!sm_span_is(a->prefix, "xmlns") && !sm_span_is(a->name, "xmlns"))
			continue;
		if (memchr(a->value.s, '\\', a->value.len))
		{
			sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_XML_CONTENT, NULL,
					   "invalid extension: the name of the namespace \"%s\" has a backslash",
					   sm_for_message(a->value));
			return false;
		}
		for (size_t j = 0; charset == AS_REFERENCES && j < a->value.len; j++)
			if (IS_HIGHBIT_SET(a->value.s[j]))
				return beyond_ascii(problems);
	}
	return true;
}

/*
 * Do the work of sm_append_extension, which restores buf and page if this
 * fails.
 */
static bool
append_extension(StringInfo buf, SmSpan xml, Charset charset,
				 SmPage *page, SmProblems *problems)
{
	SmXmlReader r;
	SmXmlToken	token;
	SmPlace		place = {0};
	bool		clean;
	uint32		own;			/* flags of declarations that the document has */
	const char *start = NULL;	/* the part of an element that is not yet
								 * written */

	if (xml.len > SM_MAX_BYTES)
	{
		sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
				   "invalid extension: %zu bytes are more than a sitemap can have",
				   xml.len);
		return false;
	}

	clean = is_clean(xml, charset);
	sm_xml_reader_init(&r, xml.s, xml.len, sm_namespace_lookup, &page->namespaces);
	while ((token = sm_xml_next(&r)) != SM_XML_END_OF_INPUT)
	{
		CHECK_FOR_INTERRUPTS();

		if (token == SM_XML_ERROR)
			return sm_xml_malformed(problems, SM_EXTENSION_INVALID, &r, "extension");
		if (!sm_page_check(page, &place, &r, token, problems))
			return false;
		if (token == SM_XML_TEXT && r.depth == 0)
			continue;			/* blanks between elements */

		/* the document declares these namespaces, so the element need not */
		own = token == SM_XML_START && r.depth == 0 ? own_declarations(&r) : 0;
		page->namespaces |= own;
		if (own != 0 || !clean ||
			(r.depth == 0 && token != SM_XML_START && token != SM_XML_END))
		{
			if (token == SM_XML_START && !check_declarations(&r, charset, problems))
				return false;
			if (own != 0 ? !append_without_own(buf, &r, charset) :
				!append_token(buf, &r, token, charset))
				return beyond_ascii(problems);
			start = r.raw.s + r.raw.len;
		}
		else if (r.depth == 0)
		{
			/* a clean element is copied as a whole, at its end */
			if (token == SM_XML_START)
				start = r.raw.s;
			else
				appendBinaryStringInfo(buf, start, r.raw.s + r.raw.len - start);
		}
	}
	return true;
}

bool
sm_append_extension(StringInfo buf, SmSpan xml, bool ascii,
					SmPage *page, SmProblems *problems)
{
	SmPage		before = *page;
	int			len = buf->len;

	if (append_extension(buf, xml, target_charset(ascii), page, problems))
		return true;
	sm_page_restore(page, &before);
	buf->len = len;
	buf->data[len] = '\0';
	return false;
}
