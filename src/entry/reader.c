/*
 * reader.c
 *	  Reads an entry of a sitemap token by token.
 */
#include "postgres.h"

#include "entry/reader.h"

#include "entry/value.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "text/text.h"
#include "web/namespace.h"
#include "web/xml.h"

bool
sm_xml_malformed(SmProblems *problems, SmProblemName name, const SmXmlReader *r,
				 const char *what)
{
	if (r->undeclared.s)
		return sm_refuse(problems, name, ERRCODE_INVALID_XML_CONTENT, SM_DECLARE_HINT,
						 "invalid %s: the namespace prefix \"%s\" is not declared",
						 what, sm_for_message(r->undeclared));
	return sm_refuse(problems, name, ERRCODE_INVALID_XML_CONTENT, NULL,
					 "invalid %s: %s", what, r->message);
}

bool
sm_xml_undeclared(SmProblems *problems, const SmXmlReader *r, SmProblemName name)
{
	problems->place = r->raw.s;
	return sm_refuse(problems, name, ERRCODE_INVALID_XML_DOCUMENT, NULL,
					 "the namespace prefix \"%s\" is not declared", sm_for_message(r->undeclared));
}

/* Append the text of a token, SM_XML_TEXT or SM_XML_CDATA, to buf. */
static void
append_content(StringInfo buf, const SmXmlReader *r, SmXmlToken token)
{
	SmSpan		content = token == SM_XML_CDATA ? r->data : r->raw;
	char	   *start;
	char	   *d;

	enlargeStringInfo(buf, content.len);
	start = d = buf->data + buf->len;
	for (size_t i = 0; i < content.len; i++)
	{
		/* CR, or CR LF, counts as LF */
		if (content.s[i] != '\r')
			*d++ = content.s[i];
		else if (i + 1 == content.len || content.s[i + 1] != '\n')
			*d++ = '\n';
	}
	buf->len += token == SM_XML_CDATA ? (size_t) (d - start) : sm_xml_unescape(start, d - start, start);
}

bool
sm_entry_is_own(const SmEntryReader *e)
{
	SmSpan		uri = e->reader->uri;

	return sm_namespace_is_sitemap(uri) ||
		(e->own_uri.len > 0 && sm_span_equal(uri, e->own_uri));
}

/* Read the next token of an entry.  Sets has_entry_inside if another entry begins. */
static SmXmlToken
next_token(SmEntryReader *e)
{
	SmXmlToken	token = sm_xml_next(e->reader);

	CHECK_FOR_INTERRUPTS();
	if (token == SM_XML_START && !e->strict &&
		sm_span_equal(e->reader->name, e->entry_name) && sm_entry_is_own(e))
		e->has_entry_inside = true;
	if (token == SM_XML_START && e->reader->undeclared.s)
		sm_xml_undeclared(e->problems, e->reader,
						  sm_entry_is_own(e) ? SM_DOCUMENT_INVALID : SM_EXTENSION_INVALID);
	return token;
}

/* Read the text of the element that has just begun. */
static bool
read_element_text(SmEntryReader *e, SmSpan *text)
{
	SmXmlReader *r = e->reader;
	int			depth = r->depth;
	SmSpan		name = r->name;
	SmXmlToken	token;
	StringInfoData buf = {0};

	*text = sm_span("", 0);
	while ((token = next_token(e)) != SM_XML_END || r->depth != depth)
	{
		if (token == SM_XML_ERROR)
			return false;
		if (token == SM_XML_START && e->strict)
			return sm_refuse(e->problems, SM_URL_ELEMENT_INVALID, ERRCODE_INVALID_XML_CONTENT, NULL,
							 "invalid url: element \"%s\" has an element inside",
							 sm_for_message(name));
		if ((token != SM_XML_TEXT && token != SM_XML_CDATA) || r->depth != depth + 1)
			continue;

		/* most texts are one token without references */
		if (token == SM_XML_TEXT && buf.data == NULL && text->len == 0 &&
			memchr(r->raw.s, '&', r->raw.len) == NULL && memchr(r->raw.s, '\r', r->raw.len) == NULL)
		{
			*text = r->raw;
			continue;
		}
		if (buf.data == NULL)
		{
			initStringInfo(&buf);
			appendBinaryStringInfo(&buf, text->s, text->len);
		}
		append_content(&buf, r, token);
		*text = sm_span(buf.data, buf.len);
	}
	return true;
}

const SmSpan *
sm_xml_meant(const SmXmlReader *r)
{
	bool		has_hreflang = false;

	for (int i = 0; i < r->nattributes; i++)
		has_hreflang |= r->attributes[i].prefix.len == 0 && sm_span_is(r->attributes[i].name, "hreflang");
	return sm_namespace_meant(r->name, has_hreflang, r->uri);
}

/* Count the element that has just begun as unknown. */
static void
count_unknown(SmEntryReader *e)
{
	if (e->nunknown++ == 0)
		e->unknown = e->reader->open[e->reader->depth].qname;
}

static bool
skip_element(SmEntryReader *e)
{
	int			depth = e->reader->depth;
	SmXmlToken	token;

	while ((token = next_token(e)) != SM_XML_END || e->reader->depth != depth)
		if (token == SM_XML_ERROR)
			return false;
	return true;
}

/* The field of a row for a child of an entry; NULL if the child is unknown. */
static SmSpan *
field_of(SmSpan name, SmRow *row, SmSpan *priority)
{
	if (sm_span_is(name, "loc"))
		return &row->loc;
	if (sm_span_is(name, "lastmod"))
		return &row->lastmod.v.span;
	if (sm_span_is(name, "changefreq"))
		return &row->changefreq;
	if (sm_span_is(name, "priority"))
		return priority;
	return NULL;
}

bool
sm_entry_read(SmEntryReader *e, SmRow *row)
{
	SmXmlReader *r = e->reader;
	int			sqlerrcode = e->strict ? ERRCODE_INVALID_XML_CONTENT : ERRCODE_INVALID_XML_DOCUMENT;
	const char *prefix = e->strict ? "invalid url: " : "";
	SmSpan		priority = sm_no_span();
	StringInfoData elements = {0};	/* of SmSpan */
	SmXmlToken	token;

	memset(row, 0, sizeof(*row));
	e->has_entry_inside = false;
	while ((token = next_token(e)) != SM_XML_END)
	{
		SmSpan	   *field;

		if (token == SM_XML_ERROR)
			return false;
		if (e->strict && (token == SM_XML_CDATA || (token == SM_XML_TEXT && !sm_xml_is_blank(r->raw))))
			return sm_refuse(e->problems, SM_URL_ELEMENT_INVALID, ERRCODE_INVALID_XML_CONTENT, NULL,
							 "invalid url: there is text between the elements");
		if (token != SM_XML_START)
			continue;

		if (!sm_entry_is_own(e))
		{
			SmSpan		element = sm_no_span();

			if (sm_xml_meant(r))
				count_unknown(e);
			if (!e->read_element(e->read_element_arg, &element))
				return false;
			if (elements.data == NULL)
				initStringInfo(&elements);
			if (element.s != NULL)
				appendBinaryStringInfo(&elements, (char *) &element, sizeof(element));
			continue;
		}
		field = field_of(r->name, row, &priority);
		if (field && field->s == NULL)
		{
			if (!read_element_text(e, field))
				return false;
			if (e->strict)
				e->problems->loc = row->loc;
			continue;
		}
		e->problems->place = r->raw.s;
		if (field == NULL)
			count_unknown(e);
		if ((field || e->strict) &&
			!sm_problem(e->problems, SM_URL_ELEMENT_INVALID, sqlerrcode, NULL,
						field ? "%selement \"%s\" appears twice" : "%sunknown element \"%s\"",
						prefix, sm_for_message(r->name)))
			return false;
		if (!skip_element(e))
			return false;
	}

	if (row->loc.s == NULL &&
		!sm_problem(e->problems, SM_URL_ELEMENT_INVALID, sqlerrcode, NULL,
					"%selement \"loc\" is missing", prefix))
		return false;
	if (row->lastmod.v.span.s != NULL)
		row->lastmod.type = SM_VALUE_TEXT;
	row->extensions = (SmSpan *) elements.data;
	row->nextensions = elements.len / sizeof(SmSpan);
	priority = sm_trim(priority);
	if (priority.len > 0)
	{
		row->has_priority = sm_read_decimal(priority, &row->priority);
		if (!row->has_priority && e->strict)
			sm_problem(e->problems, SM_PRIORITY_INVALID, ERRCODE_INVALID_TEXT_REPRESENTATION, NULL,
					   "invalid priority \"%s\": not a decimal number",
					   sm_for_message(priority));
	}
	return true;
}

/* SmReadElement: the element as it is written. arg: an SmEntryReader. */
static bool
read_raw(void *arg, SmSpan *element)
{
	SmEntryReader *e = arg;

	*element = e->reader->raw;
	if (!skip_element(e))
		return false;
	element->len = e->reader->raw.s + e->reader->raw.len - element->s;
	return true;
}

/*
 * The next token outside of the <url> element, except blanks, comments and processing
 * instructions.
 */
static SmXmlToken
next_outside(SmXmlReader *r)
{
	SmXmlToken	token;

	do
	{
		CHECK_FOR_INTERRUPTS();
		token = sm_xml_next(r);
	} while (token == SM_XML_COMMENT || token == SM_XML_PI ||
			 (token == SM_XML_TEXT && sm_xml_is_blank(r->raw)));
	return token;
}

bool
sm_read_url(SmSpan xml, SmRow *row, SmProblems *problems)
{
	SmXmlReader r;
	SmEntryReader e = {
		.reader = &r,.problems = problems,.strict = true,
		.read_element = read_raw,.read_element_arg = &e
	};
	SmXmlToken	token;

	memset(row, 0, sizeof(*row));
	sm_xml_reader_init(&r, xml.s, xml.len);

	token = next_outside(&r);
	if (token == SM_XML_START && sm_span_is(r.name, "url") && sm_entry_is_own(&e))
	{
		bool		has_attributes = false;

		for (int i = 0; i < r.nattributes; i++)
			has_attributes |= r.attributes[i].prefix.len > 0 || !sm_span_is(r.attributes[i].name, "xmlns");
		if (has_attributes &&
			!sm_problem(problems, SM_URL_ELEMENT_INVALID, ERRCODE_INVALID_XML_CONTENT,
						SM_DECLARE_HINT, "invalid url: attributes of the url element are not allowed"))
			return false;
		if (!sm_entry_read(&e, row))
			return r.message ? sm_xml_malformed(problems, SM_URL_ELEMENT_INVALID, &r, "url") : false;
		token = next_outside(&r);
		if (token == SM_XML_END_OF_INPUT)
			return true;
	}
	if (token != SM_XML_ERROR)
		r.message = "must be one url element";
	return sm_xml_malformed(problems, SM_URL_ELEMENT_INVALID, &r, "url");
}
