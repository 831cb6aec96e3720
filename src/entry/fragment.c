/*
 * fragment.c
 *	  Copies extension elements from xml values into a document.
 *
 * PostgreSQL accepts xml values that no XML parser would.  So each value is read
 * token by token, and only tokens that are well-formed are written to a document.
 */
#include "postgres.h"

#include "entry/element.h"

#include "entry/reader.h"
#include "entry/value.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "text/ascii.h"
#include "text/text.h"
#include "web/namespace.h"
#include "web/userinfo.h"
#include "web/xml.h"
#include "web/xmlreader.h"

/* Ends an entry, so nothing inside an entry may look like it: see publish/entries.c. */
#define END_OF_ENTRY	"</url>"

/* An xml value that is being copied. */
typedef struct Fragment
{
	SmEntryWriter *w;
	SmXmlCharset charset;
	bool		is_clean;		/* its tokens can be copied unchanged, except
								 * declarations that the document has */
	SmXmlReader reader;
} Fragment;

/* Can all tokens of raw XML be copied into a document unchanged? */
static bool
is_clean(SmSpan raw, SmXmlCharset charset)
{
	for (size_t i = 0; i < raw.len; i++)
	{
		unsigned char c = raw.s[i];

		/* nearly all characters: small letters, digits, and what is in URLs */
		if ((c > '\\' && c < 0x80) || (c > '&' && c < '<'))
			continue;
		if (c == '\t' || c == '\n' || c == '\r' || c == '\\' ||
			(c >= 0x80 && charset == SM_XML_AS_REFERENCES) ||
			(c == '&' && charset == SM_XML_AS_CHARACTERS) ||
			(c == '<' && sm_span_begins(sm_span(raw.s + i, raw.len - i), END_OF_ENTRY)))
			return false;
	}
	return true;
}

/* Write a part of XML on one line and with the same meaning. */
static void
append_part(Fragment *f, SmSpan raw, SmXmlPart part)
{
	f->w->buf->len += sm_xml_escape(raw.s, raw.len, part, f->charset,
									sm_reserve(f->w->buf, SM_XML_ESCAPE_BOUND(raw.len)));
}

/*
 * Write the outermost tag without the declarations that the document has.  Returns
 * false, and writes nothing, if the tag has none of these declarations.
 */
static bool
append_without_own(Fragment *f)
{
	const SmXmlReader *r = &f->reader;
	const char *from = r->raw.s;

	for (int i = 0; i < r->nattributes; i++)
	{
		const SmXmlAttribute *a = &r->attributes[i];
		const SmNamespace *own = sm_namespace_by_prefix(a->name);
		const char *to = a->prefix.s;

		if (own == NULL || !sm_span_is(a->prefix, "xmlns") || !sm_span_equal(own->uri, a->value))
			continue;
		f->reader.namespaces |= own->flag;
		while (sm_is_space(to[-1]))
			to--;
		append_part(f, sm_span(from, to - from), SM_XML_IN_TAG);
		from = a->value.s + a->value.len + 1;	/* after the quote */
	}
	if (from == r->raw.s)
		return false;
	append_part(f, sm_span(from, r->raw.s + r->raw.len - from), SM_XML_IN_TAG);
	return true;
}

/* Write the token just read, and change in it what cannot go into a document. */
static void
append_token(Fragment *f, SmXmlToken token)
{
	const SmXmlReader *r = &f->reader;

	if (token == SM_XML_START && r->depth == 0 && append_without_own(f))
		return;
	if (f->is_clean)
		sm_append(f->w->buf, r->raw.s, r->raw.len);
	else if (token == SM_XML_TEXT)
		append_part(f, r->raw, SM_XML_IN_TEXT);
	else if (token == SM_XML_CDATA)
		append_part(f, r->data, SM_XML_IN_CDATA);
	else if (sm_span_is(r->raw, END_OF_ENTRY))
		sm_append(f->w->buf, SM_LITERAL("</url >"));
	else
		append_part(f, r->raw, SM_XML_IN_TAG);
}

/* Are the names in a tag ASCII? */
static bool
has_ascii_names(const SmXmlReader *r)
{
	bool		is_ascii = sm_is_ascii(r->prefix) && sm_is_ascii(r->name);

	for (int i = 0; i < r->nattributes; i++)
	{
		const SmXmlAttribute *a = &r->attributes[i];

		is_ascii = is_ascii && sm_is_ascii(a->prefix) && sm_is_ascii(a->name) &&
			(!sm_xml_is_declaration(a) || sm_is_ascii(a->value));
	}
	return is_ascii;
}

/* Refuse a text, or a value of an attribute, with a URL that has a user name or password. */
static bool
check_user(const Fragment *f, SmSpan value)
{
	char	   *copy;
	bool		has_user;

	/* a reference can be an "@" */
	if (memchr(value.s, '@', value.len) == NULL && memchr(value.s, '&', value.len) == NULL)
		return true;
	copy = palloc(value.len);
	has_user = sm_url_has_user(sm_trim(sm_span(copy, sm_xml_unescape(value.s, value.len, copy))));
	pfree(copy);
	return !has_user ||
		sm_refuse(&f->w->problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_XML_CONTENT,
				  sm_url_hint(SM_URL_USER),
				  "invalid extension: a URL has a user name or password before the host");
}

/*
 * Check a token by itself.  Text is allowed only inside of elements.  An element must
 * have a namespace, and not that of sitemaps: without one it would inherit that.  No reference
 * can stand for a character of a name.
 */
static bool
check_token(const Fragment *f, SmXmlToken token)
{
	const SmXmlReader *r = &f->reader;

	if (r->depth == 0 &&
		(token == SM_XML_CDATA || (token == SM_XML_TEXT && !sm_xml_is_blank(r->raw))))
		return sm_refuse(&f->w->problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_XML_CONTENT, NULL,
						 "invalid extension: text outside of the elements");
	if (token == SM_XML_START && sm_namespace_is_sitemap(r->uri))
		return sm_refuse(&f->w->problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_XML_CONTENT,
						 SM_DECLARE_HINT,
						 "invalid extension: the element \"%s\" has no namespace, or the namespace of sitemaps",
						 sm_for_message(r->name));
	if (token == SM_XML_START && f->charset == SM_XML_AS_REFERENCES && !has_ascii_names(r))
		return sm_refuse(&f->w->problems, SM_EXTENSION_INVALID, ERRCODE_FEATURE_NOT_SUPPORTED, NULL,
						 "invalid extension: names outside ASCII are not supported in a database with encoding \"%s\"",
						 GetDatabaseEncodingName());
	if (token == SM_XML_TEXT || token == SM_XML_CDATA)
		return check_user(f, token == SM_XML_TEXT ? r->raw : r->data);
	for (int i = 0; token == SM_XML_START && i < r->nattributes; i++)
	{
		const SmXmlAttribute *a = &r->attributes[i];

		if (sm_xml_is_declaration(a) && memchr(a->value.s, '\\', a->value.len))
			return sm_refuse(&f->w->problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_XML_CONTENT, NULL,
							 "invalid extension: the name of the namespace \"%s\" has a backslash",
							 sm_for_message(a->value));
		if (!check_user(f, a->value))
			return false;
	}
	return true;
}

/* Count an outermost element that has just begun, and tell its namespace. */
static bool
count_element(const Fragment *f)
{
	const SmXmlReader *r = &f->reader;
	uint32		ns = sm_namespace_flag(r->uri);
	const SmSpan *meant = f->w->value_callback ? sm_xml_meant(r) : NULL;

	if (f->w->value_callback)
		f->w->value_callback(f->w->value_callback_arg, meant ? SM_ROLE_WRONG_XML : SM_ROLE_XML,
							 meant ? *meant : r->uri);
	if ((ns == SM_NS_IMAGE && sm_span_is(r->name, "image")) ||
		(ns == SM_NS_NEWS && sm_span_is(r->name, "news")))
		return sm_count_element(f->w, ns, SM_EXTENSION_INVALID);
	return true;
}

/* Check the tokens of the value, and append them. */
static bool
copy_tokens(Fragment *f)
{
	SmXmlToken	token;

	while ((token = sm_xml_next(&f->reader)) != SM_XML_END_OF_INPUT)
	{
		CHECK_FOR_INTERRUPTS();

		if (token == SM_XML_ERROR)
			return sm_xml_malformed(&f->w->problems, SM_EXTENSION_INVALID, &f->reader, "extension");
		if (token == SM_XML_COMMENT || token == SM_XML_PI)
		{
			/* what stood before and after it can be "]]" and ">" */
			f->is_clean = false;
			continue;
		}
		if (!check_token(f, token))
			return false;
		if (f->reader.depth == 0)
		{
			if (token == SM_XML_TEXT)
				continue;		/* blanks between elements */
			if (token == SM_XML_START && !count_element(f))
				return false;
		}
		append_token(f, token);
	}
	return true;
}

bool
sm_append_fragment(SmEntryWriter *w, SmSpan xml)
{
	Fragment	f;
	int			start = w->buf->len;
	int			nimages = w->nimages;
	bool		has_news = w->page->has_news;

	if (xml.len > SM_MAX_BYTES)
		return sm_refuse(&w->problems, SM_EXTENSION_INVALID, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
						 "invalid extension: %zu bytes are more than a sitemap can have",
						 xml.len);
	f.w = w;

	/* outside UTF-8, files have characters, and SQL values references */
	f.charset = w->ascii ? SM_XML_AS_REFERENCES :
		sm_ascii_only() ? SM_XML_AS_CHARACTERS : SM_XML_AS_GIVEN;
	f.is_clean = is_clean(xml, f.charset);
	sm_xml_reader_init(&f.reader, xml.s, xml.len);
	if (copy_tokens(&f))
	{
		w->page->namespaces |= f.reader.namespaces;
		return true;
	}
	w->buf->len = start;
	w->nimages = nimages;
	w->page->has_news = has_news;
	return false;
}
