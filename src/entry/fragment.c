/*
 * fragment.c
 *	  Copies extension elements from xml values into a document.
 *
 * PostgreSQL accepts xml values that no XML parser would.  So each value is read
 * token by token, and only tokens that are well-formed are written to a document.
 */
#include "postgres.h"

#include "entry/fragment.h"

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

static SmXmlCharset
target_charset(bool ascii)
{
	/*
	 * in a database that is not UTF-8, files get characters, values
	 * references
	 */
	return ascii ? SM_XML_AS_REFERENCES : sm_ascii_only() ? SM_XML_AS_CHARACTERS : SM_XML_AS_GIVEN;
}

/* Ends an entry, so nothing inside an entry may look like it: see core/entries.c. */
#define END_OF_ENTRY	"</url>"

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
 * Does a tag have a name that would need a reference?  Names have no references, only
 * values of attributes do.
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
append_part(StringInfo buf, SmSpan raw, SmXmlPart part, SmXmlCharset charset)
{
	buf->len += sm_xml_escape(raw.s, raw.len, part, charset,
							  sm_reserve(buf, SM_XML_ESCAPE_BOUND(raw.len)));
}

/* Write one token, and change in it what cannot go into a document. */
static void
append_token(StringInfo buf, const SmXmlReader *r, SmXmlToken token, SmXmlCharset charset)
{
	switch (token)
	{
		case SM_XML_START:
		case SM_XML_END:
			if (token == SM_XML_END && sm_span_is(r->raw, END_OF_ENTRY))
				sm_append(buf, SM_LITERAL("</url >"));
			else
				append_part(buf, r->raw, SM_XML_IN_TAG, charset);
			return;
		case SM_XML_TEXT:
			append_part(buf, r->raw, SM_XML_IN_TEXT, charset);
			return;
		default:
			break;
	}

	/* CDATA sections, comments and instructions have no references */
	if (charset == SM_XML_AS_CHARACTERS)
		charset = SM_XML_AS_GIVEN;
	if (is_clean(r->raw, charset))
		sm_append(buf, r->raw.s, r->raw.len);
	else if (token == SM_XML_CDATA)
		append_part(buf, r->data, SM_XML_IN_CDATA, charset);

	/* a comment or instruction that is not clean is dropped */
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
static void
append_without_own(StringInfo buf, const SmXmlReader *r, SmXmlCharset charset)
{
	const char *from = r->raw.s;

	for (int i = 0; i < r->nattributes; i++)
	{
		const SmXmlAttribute *a = &r->attributes[i];
		const char *to = a->prefix.s;

		if (own_declaration(a) == 0)
			continue;
		while (sm_is_space(to[-1]))
			to--;
		append_part(buf, sm_span(from, to - from), SM_XML_IN_TAG, charset);
		from = a->value.s + a->value.len + 1;	/* after the quote */
	}
	append_part(buf, sm_span(from, r->raw.s + r->raw.len - from), SM_XML_IN_TAG, charset);
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
check_declarations(const SmXmlReader *r, SmXmlCharset charset, SmProblems *problems)
{
	for (int i = 0; i < r->nattributes; i++)
	{
		const SmXmlAttribute *a = &r->attributes[i];

		if (!sm_span_is(a->prefix, "xmlns") && !sm_span_is(a->name, "xmlns"))
			continue;
		if (memchr(a->value.s, '\\', a->value.len))
			return sm_refuse(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_XML_CONTENT, NULL,
							 "invalid extension: the name of the namespace \"%s\" has a backslash",
							 sm_for_message(a->value));
		if (charset == SM_XML_AS_REFERENCES && !sm_is_ascii(a->value))
			return beyond_ascii(problems);
	}
	return true;
}

/*
 * Check a token by itself: text is allowed only inside of elements, and elements only
 * in namespaces other than the namespace of sitemaps, which an element without a
 * namespace would inherit.  is_changed: the token will be rewritten.
 */
static bool
check_token(const SmXmlReader *r, SmXmlToken token, SmXmlCharset charset, bool is_changed,
			SmProblems *problems)
{
	if (r->depth == 0 &&
		(token == SM_XML_CDATA || (token == SM_XML_TEXT && !sm_xml_is_blank(r->raw))))
		return sm_refuse(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_XML_CONTENT, NULL,
						 "invalid extension: text outside of the elements");
	if (token == SM_XML_START && sm_namespace_is_sitemap(r->uri))
		return sm_refuse(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_XML_CONTENT,
						 SM_DECLARE_HINT,
						 "invalid extension: the element \"%s\" has no namespace, or the namespace of sitemaps",
						 sm_for_message(r->name));
	if (!is_changed)
		return true;
	if (token == SM_XML_START && !check_declarations(r, charset, problems))
		return false;
	if ((token == SM_XML_START || token == SM_XML_END) && has_name_beyond_ascii(r->raw, charset))
		return beyond_ascii(problems);
	return true;
}

/*
 * A child of the outermost element, in the same namespace.  Its value is a fact about
 * the page.  has_rule: the value is needed for a rule, whether or not found_media is
 * set.
 */
typedef struct ValueElement
{
	uint32		ns;
	bool		has_rule;
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

/* Collects the facts of an xml value. */
typedef struct Facts
{
	SmRules    *rules;
	SmSpan		xml;			/* the whole value */
	uint32		top;			/* namespace of the outermost element, SM_NS_… */
	const ValueElement *inside; /* the child that is being read, or NULL */
	int			value;			/* where its value begins in rules->values */
} Facts;

/* An outermost element begins. */
static void
note_element(Facts *facts, const SmXmlReader *r)
{
	facts->top = sm_namespace_flag(r->uri);
	if (facts->top == SM_NS_IMAGE && sm_span_is(r->name, "image"))
		sm_rules_note(facts->rules, SM_FACT_IMAGE, sm_no_span(), sm_no_span());
	else if (facts->top == SM_NS_NEWS && sm_span_is(r->name, "news"))
		sm_rules_note(facts->rules, SM_FACT_NEWS, sm_no_span(), sm_no_span());
	else if (facts->top == SM_NS_XHTML && sm_span_is(r->name, "link"))
	{
		SmSpan		hreflang = sm_xml_attribute(r, "hreflang");

		if (hreflang.s != NULL)
			sm_rules_note(facts->rules, SM_FACT_LINK, hreflang, sm_xml_attribute(r, "href"));
	}
}

/* A child of an outermost element begins. */
static void
note_child(Facts *facts, const SmXmlReader *r)
{
	SmRules    *rules = facts->rules;

	if (facts->top == 0 || facts->top == SM_NS_XHTML || sm_namespace_flag(r->uri) != facts->top)
		return;
	for (size_t i = 0; i < lengthof(value_elements); i++)
	{
		const ValueElement *element = &value_elements[i];

		if (element->ns == facts->top && (element->has_rule || rules->found_media) &&
			sm_span_is(r->name, element->name))
		{
			/*
			 * the values together are never longer than the XML, so they do
			 * not move
			 */
			if (rules->values.data == NULL)
				initStringInfo(&rules->values);
			enlargeStringInfo(&rules->values, facts->xml.len - rules->values.len);
			facts->inside = element;
			facts->value = rules->values.len;
		}
	}
	if (facts->top == SM_NS_VIDEO && sm_span_is(r->name, "uploader"))
	{
		SmSpan		info = sm_xml_attribute(r, "info");

		if (info.s != NULL)
			sm_rules_note(rules, SM_FACT_UPLOADER_INFO, sm_xml_resolve(info), sm_no_span());
	}
}

/* Note what a token says about the page. */
static void
note_token(Facts *facts, const SmXmlReader *r, SmXmlToken token)
{
	StringInfo	values = &facts->rules->values;

	if (token == SM_XML_START && r->depth == 0)
		note_element(facts, r);
	else if (token == SM_XML_START && r->depth == 1)
		note_child(facts, r);
	else if (facts->inside && token == SM_XML_END && r->depth == 1)
	{
		sm_rules_note(facts->rules, facts->inside->fact,
					  sm_trim(sm_span(values->data + facts->value, values->len - facts->value)),
					  sm_no_span());
		facts->inside = NULL;
	}
	else if (facts->inside && r->depth == 2 && (token == SM_XML_TEXT || token == SM_XML_CDATA))
		sm_xml_append_content(values, r, token);
}

/*
 * Read an xml value once: check its tokens, append them to buf, and collect its
 * facts.  Returns false for a problem; the caller then restores buf.
 */
static bool
read_fragment(StringInfo buf, SmSpan xml, SmXmlCharset charset, uint32 *namespaces,
			  SmRules *rules, SmProblems *problems)
{
	Facts		facts = {.rules = rules,.xml = xml};
	SmXmlReader r;
	SmXmlToken	token;
	bool		clean = is_clean(xml, charset);
	const char *start = xml.s;	/* the part of an element that is not yet
								 * written */

	sm_xml_reader_init(&r, xml.s, xml.len, sm_namespace_lookup, namespaces);
	while ((token = sm_xml_next(&r)) != SM_XML_END_OF_INPUT)
	{
		uint32		own;		/* flags of declarations that the document has */
		bool		is_changed;

		CHECK_FOR_INTERRUPTS();

		if (token == SM_XML_ERROR)
			return sm_xml_malformed(problems, SM_EXTENSION_INVALID, &r, "extension");

		/* the document declares these namespaces, so the element need not */
		own = token == SM_XML_START && r.depth == 0 ? own_declarations(&r) : 0;
		*namespaces |= own;
		is_changed = own != 0 || !clean;
		if (!check_token(&r, token, charset, is_changed, problems))
			return false;
		if (token == SM_XML_TEXT && r.depth == 0)
			continue;			/* blanks between elements */
		note_token(&facts, &r, token);

		if (is_changed || (r.depth == 0 && token != SM_XML_START && token != SM_XML_END))
		{
			if (own != 0)
				append_without_own(buf, &r, charset);
			else
				append_token(buf, &r, token, charset);
			start = r.raw.s + r.raw.len;
		}
		else if (r.depth == 0)
		{
			/* a clean element is copied as a whole, at its end */
			if (token == SM_XML_START)
				start = r.raw.s;
			else
				sm_append(buf, start, r.raw.s + r.raw.len - start);
		}
	}
	return true;
}

bool
sm_append_fragment(StringInfo buf, SmSpan xml, bool ascii, SmRules *rules,
				   SmProblems *problems)
{
	uint32		namespaces = 0;
	int			len = buf->len;

	if (xml.len > SM_MAX_BYTES)
		return sm_refuse(problems, SM_EXTENSION_INVALID, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
						 "invalid extension: %zu bytes are more than a sitemap can have",
						 xml.len);
	sm_rules_begin(rules);
	if (!read_fragment(buf, xml, target_charset(ascii), &namespaces, rules, problems) ||
		!sm_rules_add_facts(rules, problems, SM_EXTENSION_INVALID))
	{
		buf->len = len;
		return false;
	}
	rules->namespaces |= namespaces;
	return true;
}
