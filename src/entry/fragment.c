/*
 * fragment.c
 *	  Copies extension elements from xml values into a document.
 *
 * PostgreSQL accepts xml values that no XML parser would.  So each value is read
 * token by token, and only tokens that are well-formed are written to a document.
 */
#include "postgres.h"

#include "entry/element.h"

#include "core/ascii.h"
#include "core/namespace.h"
#include "core/text.h"
#include "core/xml.h"
#include "core/xmlreader.h"
#include "entry/reader.h"
#include "entry/value.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "server/encoding.h"

/* Ends an entry, so nothing inside an entry may look like it: see core/entries.c. */
#define END_OF_ENTRY	"</url>"

/*
 * A child of the outermost element, in the same namespace.  Its value is a fact about
 * the page.  always: the value is needed even if found_media is NULL, for a rule or as the
 * date of the news.
 */
typedef struct ValueElement
{
	uint32		ns;
	bool		always;
	const char *name;
	SmFactName	fact;
} ValueElement;

static const ValueElement value_elements[] = {
	{SM_NS_IMAGE, false, "loc", SM_FACT_IMAGE_LOC},
	{SM_NS_VIDEO, false, "thumbnail_loc", SM_FACT_THUMBNAIL_LOC},
	{SM_NS_VIDEO, true, "content_loc", SM_FACT_CONTENT_LOC},
	{SM_NS_VIDEO, true, "player_loc", SM_FACT_PLAYER_LOC},
	{SM_NS_NEWS, true, "publication_date", SM_FACT_PUBLICATION_DATE}
};

/* An xml value that is being copied. */
typedef struct Fragment
{
	SmElementWriter *w;
	SmSpan		xml;
	SmXmlCharset charset;
	bool		is_clean;		/* it can be copied unchanged */
	const char *rest;			/* is_clean: what is not yet copied of the
								 * outermost element */
	uint32		namespaces;		/* that the document has to declare, SM_NS_… */

	/* facts about the page */
	uint32		top;			/* namespace of the outermost element, SM_NS_… */
	const ValueElement *inside; /* the child that is being read, or NULL */
	int			value_start;	/* where its value begins in values */
	StringInfoData values;

	SmXmlReader reader;
} Fragment;

/* Can raw XML be copied into a document unchanged? */
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

/*
 * Does a tag contain a name with a character that would become a reference?  Only
 * values of attributes can have references.
 */
static bool
has_name_beyond_ascii(SmSpan tag, SmXmlCharset charset)
{
	char		quote = '\0';

	if (charset != SM_XML_AS_REFERENCES)
		return false;
	for (size_t i = 0; i < tag.len; i++)
	{
		char		c = tag.s[i];

		if (quote == '\0' && IS_HIGHBIT_SET(c))
			return true;
		if (c == quote)
			quote = '\0';
		else if (quote == '\0' && (c == '"' || c == '\''))
			quote = c;
	}
	return false;
}

/* Write a part of XML on one line and with the same meaning. */
static void
append_part(Fragment *f, SmSpan raw, SmXmlPart part, SmXmlCharset charset)
{
	f->w->buf->len += sm_xml_escape(raw.s, raw.len, part, charset,
									sm_reserve(f->w->buf, SM_XML_ESCAPE_BOUND(raw.len)));
}

/*
 * The flag of a namespace, if an attribute declares it with the usual prefix and URI;
 * else 0.
 */
static uint32
own_declaration(const SmXmlAttribute *a)
{
	const SmNamespace *declared = sm_namespace_by_prefix(a->name);

	return declared && sm_span_is(a->prefix, "xmlns") &&
		sm_span_equal(declared->uri, a->value) ? declared->flag : 0;
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
		uint32		own = own_declaration(a);
		const char *to = a->prefix.s;

		if (own == 0)
			continue;
		f->namespaces |= own;
		while (sm_is_space(to[-1]))
			to--;
		append_part(f, sm_span(from, to - from), SM_XML_IN_TAG, f->charset);
		from = a->value.s + a->value.len + 1;	/* after the quote */
	}
	if (from == r->raw.s)
		return false;
	append_part(f, sm_span(from, r->raw.s + r->raw.len - from), SM_XML_IN_TAG, f->charset);
	return true;
}

/* Write the token just read, and change in it what cannot go into a document. */
static void
append_token(Fragment *f, SmXmlToken token)
{
	const SmXmlReader *r = &f->reader;
	SmXmlCharset charset = f->charset;

	if (token == SM_XML_START && r->depth == 0 && append_without_own(f))
	{
		f->rest = r->raw.s + r->raw.len;
		return;
	}
	if (f->is_clean)
	{
		/* outermost elements are copied at their end, comments at once */
		if (r->depth == 0 && token != SM_XML_END)
			f->rest = r->raw.s;
		if (r->depth == 0 && token != SM_XML_START)
			sm_append(f->w->buf, f->rest, r->raw.s + r->raw.len - f->rest);
		return;
	}
	switch (token)
	{
		case SM_XML_START:
		case SM_XML_END:
			if (token == SM_XML_END && sm_span_is(r->raw, END_OF_ENTRY))
				sm_append(f->w->buf, SM_LITERAL("</url >"));
			else
				append_part(f, r->raw, SM_XML_IN_TAG, charset);
			return;
		case SM_XML_TEXT:
			append_part(f, r->raw, SM_XML_IN_TEXT, charset);
			return;
		default:
			break;
	}

	/* CDATA sections, comments and instructions have no references */
	if (charset == SM_XML_AS_CHARACTERS)
		charset = SM_XML_AS_GIVEN;
	if (is_clean(r->raw, charset))
		sm_append(f->w->buf, r->raw.s, r->raw.len);
	else if (token == SM_XML_CDATA)
		append_part(f, r->data, SM_XML_IN_CDATA, charset);

	/* a comment or instruction that is not clean is dropped */
}

static bool
beyond_ascii(SmProblems *problems)
{
	return sm_refuse(problems, SM_EXTENSION_INVALID, ERRCODE_FEATURE_NOT_SUPPORTED, NULL,
					 "invalid extension: names outside ASCII are not supported in a database with encoding \"%s\"",
					 GetDatabaseEncodingName());
}

/*
 * Check the names of the namespaces that a tag declares.  A name must have only one
 * spelling, so it must not contain a character that would be written as a reference.
 */
static bool
check_declarations(const Fragment *f)
{
	const SmXmlReader *r = &f->reader;

	for (int i = 0; i < r->nattributes; i++)
	{
		const SmXmlAttribute *a = &r->attributes[i];

		if (!sm_xml_is_declaration(a))
			continue;
		if (memchr(a->value.s, '\\', a->value.len))
			return sm_refuse(f->w->problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_XML_CONTENT, NULL,
							 "invalid extension: the name of the namespace \"%s\" has a backslash",
							 sm_for_message(a->value));
		if (f->charset == SM_XML_AS_REFERENCES && !sm_is_ascii(a->value))
			return beyond_ascii(f->w->problems);
	}
	return true;
}

/*
 * Check a token by itself.  Text is allowed only inside of elements.  An element must
 * have a namespace, and not that of sitemaps: without one it would inherit that.  If the
 * value is not clean, names must not need references.
 */
static bool
check_token(const Fragment *f, SmXmlToken token)
{
	const SmXmlReader *r = &f->reader;

	if (r->depth == 0 &&
		(token == SM_XML_CDATA || (token == SM_XML_TEXT && !sm_xml_is_blank(r->raw))))
		return sm_refuse(f->w->problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_XML_CONTENT, NULL,
						 "invalid extension: text outside of the elements");
	if (token == SM_XML_START && sm_namespace_is_sitemap(r->uri))
		return sm_refuse(f->w->problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_XML_CONTENT,
						 SM_DECLARE_HINT,
						 "invalid extension: the element \"%s\" has no namespace, or the namespace of sitemaps",
						 sm_for_message(r->name));
	if (f->is_clean)
		return true;
	if (token == SM_XML_START && !check_declarations(f))
		return false;
	if ((token == SM_XML_START || token == SM_XML_END) && has_name_beyond_ascii(r->raw, f->charset))
		return beyond_ascii(f->w->problems);
	return true;
}

/* An outermost element begins. */
static void
note_element(Fragment *f)
{
	const SmXmlReader *r = &f->reader;
	SmRules    *rules = f->w->rules;

	f->top = sm_namespace_flag(r->uri);
	if (f->top == SM_NS_IMAGE && sm_span_is(r->name, "image"))
		sm_rules_note(rules, SM_FACT_IMAGE, sm_no_span());
	else if (f->top == SM_NS_NEWS && sm_span_is(r->name, "news"))
		sm_rules_note(rules, SM_FACT_NEWS, sm_no_span());
	else if (f->top == SM_NS_XHTML && sm_span_is(r->name, "link"))
	{
		SmSpan		hreflang = sm_xml_attribute(r, "hreflang");

		if (hreflang.s != NULL)
			sm_rules_note_link(rules, hreflang, sm_xml_attribute(r, "href"));
	}
}

/* A child of an outermost element begins. */
static void
note_child(Fragment *f)
{
	const SmXmlReader *r = &f->reader;
	SmRules    *rules = f->w->rules;

	if (f->top == 0 || f->top == SM_NS_XHTML || sm_namespace_flag(r->uri) != f->top)
		return;
	for (size_t i = 0; i < lengthof(value_elements); i++)
	{
		const ValueElement *element = &value_elements[i];

		if (element->ns == f->top && (element->always || rules->found_media) &&
			sm_span_is(r->name, element->name))
		{
			f->inside = element;
			f->value_start = f->values.len;
		}
	}
	/* the values together are never longer than the XML, so they do not move */
	if (f->inside && f->values.data == NULL)
	{
		f->values.maxlen = f->xml.len + 1;
		f->values.data = palloc(f->values.maxlen);
	}
	if (f->top == SM_NS_VIDEO && sm_span_is(r->name, "uploader"))
	{
		SmSpan		info = sm_xml_attribute(r, "info");

		if (info.s != NULL)
			sm_rules_note(rules, SM_FACT_UPLOADER_INFO, sm_xml_resolve(info));
	}
}

/* Note what the token just read says about the page. */
static void
note_token(Fragment *f, SmXmlToken token)
{
	int			depth = f->reader.depth;

	if (token == SM_XML_START && depth == 0)
		note_element(f);
	else if (token == SM_XML_START && depth == 1)
		note_child(f);
	else if (f->inside && token == SM_XML_END && depth == 1)
	{
		sm_rules_note(f->w->rules, f->inside->fact,
					  sm_trim(sm_span(f->values.data + f->value_start,
									  f->values.len - f->value_start)));
		f->inside = NULL;
	}
	else if (f->inside && depth == 2 && (token == SM_XML_TEXT || token == SM_XML_CDATA))
		sm_xml_append_content(&f->values, &f->reader, token);
}

/* Check the tokens of the value, append them, and note the facts that they state. */
static bool
copy_tokens(Fragment *f)
{
	SmXmlToken	token;

	while ((token = sm_xml_next(&f->reader)) != SM_XML_END_OF_INPUT)
	{
		CHECK_FOR_INTERRUPTS();

		if (token == SM_XML_ERROR)
			return sm_xml_malformed(f->w->problems, SM_EXTENSION_INVALID, &f->reader, "extension");
		if (!check_token(f, token))
			return false;
		if (token == SM_XML_TEXT && f->reader.depth == 0)
			continue;			/* blanks between elements */
		note_token(f, token);
		append_token(f, token);
	}
	return true;
}

bool
sm_append_fragment(SmElementWriter *w, SmSpan xml)
{
	Fragment	f;
	int			start = w->buf->len;
	bool		is_valid;

	if (xml.len > SM_MAX_BYTES)
		return sm_refuse(w->problems, SM_EXTENSION_INVALID, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
						 "invalid extension: %zu bytes are more than a sitemap can have",
						 xml.len);
	memset(&f, 0, offsetof(Fragment, reader));
	f.w = w;
	f.xml = xml;

	/*
	 * If the database is not UTF-8, files get characters, and SQL values get
	 * references.
	 */
	f.charset = w->ascii ? SM_XML_AS_REFERENCES :
		sm_ascii_only() ? SM_XML_AS_CHARACTERS : SM_XML_AS_GIVEN;
	f.is_clean = is_clean(xml, f.charset);
	sm_xml_reader_init(&f.reader, xml.s, xml.len, sm_namespace_lookup, &f.namespaces);
	sm_rules_begin(w->rules);

	is_valid = copy_tokens(&f) &&
		sm_rules_add_facts(w->rules, w->problems, SM_EXTENSION_INVALID);
	if (is_valid)
		w->rules->namespaces |= f.namespaces;
	else
		w->buf->len = start;
	if (f.values.data)
		pfree(f.values.data);
	return is_valid;
}
