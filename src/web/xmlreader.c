/*
 * xmlreader.c
 *	  Reads one token at a time, without recursion: the open elements and the namespaces
 *	  in scope are on stacks of fixed size.
 */
#include "web/xmlreader.h"

#include <string.h>

#include "text/ascii.h"
#include "text/text.h"
#include "web/namespace.h"
#include "web/xml.h"

#define XML_URI		"http://www.w3.org/XML/1998/namespace"
#define XMLNS_URI	"http://www.w3.org/2000/xmlns/"

/* Note what is wrong.  Returns false. */
static bool
fail(SmXmlReader *r, const char *message)
{
	r->message = message;
	return false;
}

bool
sm_xml_is_blank(SmSpan span)
{
	return sm_skip_space(span.s, span.s + span.len) == span.s + span.len;
}

static void
skip_space(SmXmlReader *r)
{
	r->p = sm_skip_space(r->p, r->end);
}

static inline bool
looking_at(const SmXmlReader *r, const char *string)
{
	return sm_span_begins(sm_span(r->p, r->end - r->p), string);
}

/*
 * Read a part of an XML declaration, " name='value'", and move *s past it.  Returns false if
 * there is none.
 */
static bool
read_pseudo_attribute(const char **s, const char *end, SmSpan *name, SmSpan *value)
{
	const char *p = sm_skip_space(*s, end);
	const char *close;

	name->s = p;
	while (p < end && sm_is_letter(*p))
		p++;
	name->len = p - name->s;
	p = sm_skip_space(p, end);
	if (name->s == *s || name->len == 0 || p == end || *p != '=')
		return false;
	p = sm_skip_space(p + 1, end);
	if (p == end || (*p != '"' && *p != '\''))
		return false;
	close = memchr(p + 1, *p, end - p - 1);
	if (close == NULL)
		return false;
	*value = sm_span(p + 1, close - p - 1);
	*s = close + 1;
	return true;
}

/* What it says of the version, and in which order, does not matter to a reader. */
size_t
sm_xml_declaration(SmSpan text, SmSpan *encoding)
{
	const char *s;
	const char *end = text.s + text.len;
	SmSpan		name;
	SmSpan		value;

	*encoding = sm_no_span();
	if (!sm_span_begins(text, "<?xml"))
		return 0;
	s = text.s + strlen("<?xml");
	while (read_pseudo_attribute(&s, end, &name, &value))
		if (sm_span_is(name, "encoding"))
			*encoding = value;
	s = sm_skip_space(s, end);
	return sm_span_begins(sm_span(s, end - s), "?>") ? s + 2 - text.s : 0;
}

/* XML 1.0, fifth edition, production [4]: the part outside ASCII. */
static bool
is_name_start(uint32_t c)
{
	return (c >= 0xC0 && c <= 0x2FF && c != 0xD7 && c != 0xF7) ||
		(c >= 0x370 && c <= 0x1FFF && c != 0x37E) ||
		c == 0x200C || c == 0x200D ||
		(c >= 0x2070 && c <= 0x218F) || (c >= 0x2C00 && c <= 0x2FEF) ||
		(c >= 0x3001 && c <= 0xD7FF) || (c >= 0xF900 && c <= 0xFDCF) ||
		(c >= 0xFDF0 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0xEFFFF);
}

/* Production [4a]: the part outside ASCII. */
static bool
is_name_char(uint32_t c)
{
	return is_name_start(c) || c == 0xB7 || (c >= 0x300 && c <= 0x36F) || c == 0x203F || c == 0x2040;
}

/* Read a name without colon; false if there is none. */
static bool
read_ncname(SmXmlReader *r, SmSpan *name)
{
	uint32_t	c;
	size_t		n;

	*name = sm_span(r->p, 0);
	if (r->p == r->end)
		return false;
	if (SM_CLASSES(*r->p) & SM_NAME_START)
		n = 1;
	else if ((n = sm_utf8_decode(r->p, r->end, &c)) == 0 || !is_name_start(c))
		return false;
	for (r->p += n; r->p < r->end; r->p += n)
	{
		if (SM_CLASSES(*r->p) & SM_NAME)
			n = 1;
		else if ((unsigned char) *r->p < 0x80 ||
				 (n = sm_utf8_decode(r->p, r->end, &c)) == 0 || !is_name_char(c))
			break;
	}
	name->len = r->p - name->s;
	return true;
}

static bool
read_qname(SmXmlReader *r, SmSpan *prefix, SmSpan *name)
{
	*prefix = sm_span(r->p, 0);
	if (!read_ncname(r, name))
		return false;
	if (r->p < r->end && *r->p == ':')
	{
		*prefix = *name;
		r->p++;
		return read_ncname(r, name);
	}
	return true;
}

/* Move over a character. */
static bool
skip_character(SmXmlReader *r)
{
	uint32_t	c;
	size_t		n = sm_utf8_decode(r->p, r->end, &c);

	if (n == 0)
		return fail(r, "not valid UTF-8");
	if (!sm_xml_legal(c))
		return fail(r, "character that XML does not allow");
	r->p += n;
	return true;
}

/* Move to the string that ends a construct, over legal characters. */
static bool
skip_until(SmXmlReader *r, const char *terminator)
{
	while (r->p < r->end)
	{
		if (*r->p == *terminator && looking_at(r, terminator))
			return true;
		if (!skip_character(r))
			return false;
	}
	return fail(r, "unexpected end");
}

/* Move over legal text and references, up to the stop character or the end of the input. */
static bool
skip_text(SmXmlReader *r, char stop, bool in_attribute)
{
	while (r->p < r->end && *r->p != stop)
	{
		if (SM_CLASSES(*r->p) & SM_PLAIN_TEXT)
		{
			r->p++;
			continue;
		}
		if (*r->p == '<' && in_attribute)
			return fail(r, "\"<\" in the value of an attribute");
		if (*r->p == ']' && !in_attribute && looking_at(r, "]]>"))
			return fail(r, "\"]]>\" in text");
		if (*r->p == '&')
		{
			uint32_t	c;
			size_t		n = sm_xml_reference(r->p, r->end, &c);

			if (n == 0)
				return fail(r, "\"&\" does not begin a valid reference; write \"&amp;\"");
			r->p += n;
			continue;
		}
		if (!skip_character(r))
			return false;
	}
	return true;
}

/* The namespace of a prefix.  Returns false for an undeclared prefix in a fragment. */
static bool
resolve_prefix(SmXmlReader *r, SmSpan prefix, SmSpan *uri)
{
	const SmNamespace *known;

	for (int i = r->nbindings - 1; i >= 0; i--)
	{
		if (sm_span_equal(r->bindings[i].prefix, prefix))
		{
			*uri = r->bindings[i].uri;
			return true;
		}
	}
	*uri = sm_span("", 0);
	if (prefix.len == 0)
		return true;
	if (sm_span_is(prefix, "xml"))
		*uri = sm_span_of(XML_URI);
	else if (!r->is_document && (known = sm_namespace_by_prefix(prefix)) != NULL)
	{
		r->namespaces |= known->flag;
		*uri = known->uri;
	}
	else
	{
		*uri = r->undeclared = prefix;
		return r->is_document;
	}
	return true;
}

/*
 * Namespace names are compared as written, so each must have only one spelling:
 * "&amp;" is the only reference allowed, and a space the only blank.
 */
static bool
is_namespace_name(SmSpan value)
{
	for (size_t i = 0; i < value.len; i++)
	{
		char		c = value.s[i];

		if (c == '\t' || c == '\n' || c == '\r')
			return false;
		if (c == '&' && (value.len - i < 5 || memcmp(value.s + i, "&amp;", 5) != 0))
			return false;
	}
	return true;
}

/* Bring the declarations among the attributes into scope. */
static bool
declare_namespaces(SmXmlReader *r)
{
	for (int i = 0; i < r->nattributes; i++)
	{
		const SmXmlAttribute *a = &r->attributes[i];
		SmXmlBinding *binding = &r->bindings[r->nbindings];
		bool		is_default = a->prefix.len == 0;

		if (!sm_xml_is_declaration(a))
			continue;
		if (!is_namespace_name(a->value))
			return fail(r, "the name of a namespace has a reference, a tab or a line break");
		/* the prefix xml may be bound only to its own namespace */
		if (sm_span_is(a->name, "xml") && sm_span_is(a->value, XML_URI))
			continue;
		if (sm_span_is(a->name, "xml") ||
			(!is_default && (sm_span_is(a->name, "xmlns") || a->value.len == 0)) ||
			sm_span_is(a->value, XML_URI) || sm_span_is(a->value, XMLNS_URI))
			return fail(r, "declaration of a reserved prefix or namespace, or of a prefix without namespace");

		/* names are compared for each attribute, so their length is limited */
		if (a->value.len > SM_XML_URI_MAX)
			return fail(r, "the name of a namespace has more than " SM_STRING(SM_XML_URI_MAX) " bytes");
		if (r->nbindings == SM_XML_BINDINGS_MAX)
			return fail(r, "more than " SM_STRING(SM_XML_BINDINGS_MAX) " namespaces in scope");

		binding->prefix = is_default ? sm_span("", 0) : a->name;
		binding->uri = a->value;
		r->nbindings++;
	}
	return true;
}

/* Check that no two attributes have the same namespace and local name. */
static bool
check_attributes(SmXmlReader *r)
{
	SmSpan		uris[SM_XML_ATTRIBUTES_MAX];

	for (int i = 0; i < r->nattributes; i++)
	{
		const SmXmlAttribute *a = &r->attributes[i];

		uris[i] = sm_span("", 0);
		if (sm_span_is(a->prefix, "xmlns"))
			uris[i] = sm_span_of(XMLNS_URI);
		else if (a->prefix.len > 0 && !resolve_prefix(r, a->prefix, &uris[i]))
			return fail(r, "undeclared namespace prefix");
		for (int j = 0; j < i; j++)
			if (sm_span_equal(a->name, r->attributes[j].name) && sm_span_equal(uris[i], uris[j]))
				return fail(r, "an element has an attribute twice");
	}
	return true;
}

static bool
read_start(SmXmlReader *r)
{
	const char *tag = r->p;
	SmSpan		qname;

	r->undeclared = sm_no_span();
	r->p++;						/* "<" */
	qname.s = r->p;
	if (!read_qname(r, &r->prefix, &r->name))
		return fail(r, "\"<\" begins no markup; write \"&lt;\"");
	qname.len = r->p - qname.s;

	r->nattributes = 0;
	for (;;)
	{
		const char *before = r->p;
		SmXmlAttribute *a = &r->attributes[r->nattributes];
		char		quote;

		skip_space(r);
		if (r->p == r->end)
			return fail(r, "unexpected end");
		if (*r->p == '>' || *r->p == '/')
			break;
		if (r->p == before)
			return fail(r, "an element's tag is malformed");
		if (r->nattributes == SM_XML_ATTRIBUTES_MAX)
			return fail(r, "an element has more than " SM_STRING(SM_XML_ATTRIBUTES_MAX) " attributes");
		if (!read_qname(r, &a->prefix, &a->name))
			return fail(r, "an element's tag is malformed");
		skip_space(r);
		if (r->p == r->end || *r->p != '=')
			return fail(r, "an attribute has no value");
		r->p++;
		skip_space(r);
		if (r->p == r->end || (*r->p != '"' && *r->p != '\''))
			return fail(r, "an attribute's value is not quoted");
		quote = *r->p++;
		a->value.s = r->p;
		if (!skip_text(r, quote, true))
			return false;
		if (r->p == r->end)
			return fail(r, "unexpected end");
		a->value.len = r->p - a->value.s;
		r->p++;
		r->nattributes++;
	}
	if (*r->p == '/')
	{
		r->p++;
		if (r->p == r->end || *r->p != '>')
			return fail(r, "an element's tag is malformed");
		r->pending_end = true;
	}
	r->p++;						/* ">" */
	r->raw = sm_span(tag, r->p - tag);

	if (r->is_document && r->nopen == 0 && r->had_root)
		return fail(r, "second root element");
	r->had_root = true;
	if (r->nopen == SM_XML_DEPTH_MAX + (r->is_document ? SM_XML_DOCUMENT_DEPTH : 0))
		return fail(r, "elements are nested more than " SM_STRING(SM_XML_DEPTH_MAX) " deep");
	r->open[r->nopen].nbindings = r->nbindings;
	if (r->nattributes > 0 && !(declare_namespaces(r) && check_attributes(r)))
		return false;
	if (sm_span_is(r->prefix, "xmlns"))
		return fail(r, "an element has the reserved prefix \"xmlns\"");
	if (!resolve_prefix(r, r->prefix, &r->uri))
		return fail(r, "undeclared namespace prefix");
	r->open[r->nopen].qname = qname;
	r->depth = r->nopen++;
	return true;
}

/* The end of the innermost element */
static void
close_element(SmXmlReader *r)
{
	r->nopen--;
	r->depth = r->nopen;
	r->nbindings = r->open[r->nopen].nbindings;
}

static bool
read_end(SmXmlReader *r)
{
	const char *tag = r->p;
	SmSpan		qname;
	size_t		len;

	if (r->nopen == 0)
		return fail(r, "tags do not match");
	qname = r->open[r->nopen - 1].qname;
	r->p += 2;					/* "</" */
	len = r->end - r->p;
	if (len > qname.len)
		len = qname.len;
	if (memcmp(r->p, qname.s, len) != 0)
		return fail(r, "tags do not match");
	r->p += len;
	skip_space(r);
	if (r->p == r->end || *r->p != '>')
		return fail(r, "tags do not match");
	r->p++;
	r->raw = sm_span(tag, r->p - tag);
	close_element(r);
	return true;
}

/* Read a construct with fixed delimiters; data is the part between them. */
static bool
read_delimited(SmXmlReader *r, const char *open, const char *close)
{
	r->raw.s = r->p;
	r->p += strlen(open);
	r->data.s = r->p;
	if (!skip_until(r, close))
		return false;
	r->data.len = r->p - r->data.s;
	r->p += strlen(close);
	r->raw.len = r->p - r->raw.s;
	r->depth = r->nopen;
	return true;
}

static bool
read_comment(SmXmlReader *r)
{
	if (!read_delimited(r, "<!--", "--"))
		return false;
	/* the first "--" must end the comment */
	if (r->p == r->end || *r->p != '>')
		return fail(r, "\"--\" inside a comment");
	r->p++;
	r->raw.len++;
	return true;
}

/* Skip blanks.  Returns false if there are none. */
static bool
read_space(SmXmlReader *r)
{
	const char *start = r->p;

	skip_space(r);
	return r->p > start;
}

/* Read a string in quotes, and the blanks before it. */
static bool
read_quoted(SmXmlReader *r)
{
	const char *quote;

	if (!read_space(r) || r->p == r->end || (*r->p != '"' && *r->p != '\''))
		return false;
	quote = *r->p++ == '"' ? "\"" : "'";
	if (!skip_until(r, quote))
		return false;
	r->p++;
	return true;
}

/* Read a document type declaration, such as <!DOCTYPE urlset SYSTEM "sitemap.dtd">. */
static bool
read_doctype(SmXmlReader *r)
{
	SmSpan		prefix;
	SmSpan		name;
	bool		is_valid;

	if (!r->is_document || r->had_doctype || r->had_root)
		return fail(r, "misplaced document type declaration");
	r->had_doctype = true;
	r->raw.s = r->p;
	r->p += strlen("<!DOCTYPE");
	is_valid = read_space(r) && read_qname(r, &prefix, &name);
	if (is_valid && read_space(r) && (looking_at(r, "SYSTEM") || looking_at(r, "PUBLIC")))
	{
		bool		is_public = *r->p == 'P';

		r->p += strlen("SYSTEM");
		is_valid = (!is_public || read_quoted(r)) && read_quoted(r);
		skip_space(r);
	}
	if (!is_valid || r->p == r->end || *r->p != '>')
		return fail(r, "a document type declaration is malformed or has an internal subset");
	r->p++;
	r->raw.len = r->p - r->raw.s;
	r->depth = 0;
	return true;
}

static bool
read_pi(SmXmlReader *r)
{
	const char *pi = r->p;
	SmSpan		target;

	r->p += 2;					/* "<?" */
	if (!read_ncname(r, &target) ||
		!(looking_at(r, "?>") || (r->p < r->end && sm_is_space(*r->p))))
		return fail(r, "malformed processing instruction");
	if (sm_equal_ignoring_case(target, sm_span_of("xml")))
		return fail(r, "XML declaration is malformed or not at the beginning");
	r->p = pi;
	return read_delimited(r, "<?", "?>");
}

/* Is the reader before or after the root of a document, where only blanks are allowed as text? */
static bool
is_outside_root(const SmXmlReader *r)
{
	return r->is_document && r->nopen == 0;
}

static bool
read_text(SmXmlReader *r)
{
	bool		is_valid;

	r->raw.s = r->p;
	is_valid = skip_text(r, '<', false);
	r->raw.len = r->p - r->raw.s;
	if (is_outside_root(r) && !sm_xml_is_blank(r->raw))
	{
		r->p = r->raw.s;
		skip_space(r);
		return fail(r, "text outside of the root element");
	}
	r->depth = r->nopen;
	return is_valid;
}

void
sm_xml_reader_init(SmXmlReader *r, const char *src, size_t len)
{
	SmSpan		encoding;

	/* not memset: the arrays are large, and are read only up to their counts */
	r->message = NULL;
	r->undeclared = sm_no_span();
	r->p = src;
	r->end = src + len;
	r->namespaces = 0;
	r->is_document = r->had_doctype = r->had_root = r->pending_end = false;
	r->nopen = 0;
	r->nbindings = 0;

	r->p += sm_xml_declaration(sm_span(src, len), &encoding);
}

void
sm_xml_reader_init_document(SmXmlReader *r, const char *src, size_t len)
{
	sm_xml_reader_init(r, src, len);
	r->is_document = true;
}

SmXmlToken
sm_xml_next(SmXmlReader *r)
{
	if (r->message)
		return SM_XML_ERROR;
	if (r->pending_end)
	{
		r->pending_end = false;
		r->raw = sm_span(r->p, 0);
		close_element(r);
		return SM_XML_END;
	}
	if (r->p == r->end)
	{
		if (r->nopen > 0)
			fail(r, "unexpected end");
		else if (r->is_document && !r->had_root)
			fail(r, "root element is missing");
		return r->message ? SM_XML_ERROR : SM_XML_END_OF_INPUT;
	}
	if (*r->p != '<')
		return read_text(r) ? SM_XML_TEXT : SM_XML_ERROR;
	if (r->end - r->p > 1 && (SM_CLASSES(r->p[1]) & SM_NAME_START))
		return read_start(r) ? SM_XML_START : SM_XML_ERROR;
	if (looking_at(r, "</"))
		return read_end(r) ? SM_XML_END : SM_XML_ERROR;
	if (looking_at(r, "<!--"))
		return read_comment(r) ? SM_XML_COMMENT : SM_XML_ERROR;
	if (looking_at(r, "<![CDATA[") && !is_outside_root(r))
		return read_delimited(r, "<![CDATA[", "]]>") ? SM_XML_CDATA : SM_XML_ERROR;
	if (looking_at(r, "<!DOCTYPE"))
		return read_doctype(r) ? SM_XML_COMMENT : SM_XML_ERROR;
	if (looking_at(r, "<?"))
		return read_pi(r) ? SM_XML_PI : SM_XML_ERROR;
	return read_start(r) ? SM_XML_START : SM_XML_ERROR;
}
