/*
 * xmlentry.c
 *	  Entries of a sitemap as XML, read into rows.
 */
#include "postgres.h"

#include "xmlentry.h"

#include "core/decimal.h"
#include "core/namespace.h"
#include "core/text.h"
#include "core/xml.h"
#include "encoding.h"
#include "miscadmin.h"

bool
sm_xml_malformed(SmProblems *problems, SmProblemName name, const SmXmlReader *r,
				 const char *what)
{
	if (r->undeclared.s)
		sm_problem(problems, name, ERRCODE_INVALID_XML_CONTENT, SM_DECLARE_HINT,
				   "invalid %s: the namespace prefix \"%s\" is not declared",
				   what, sm_for_message(r->undeclared));
	else
		sm_problem(problems, name, ERRCODE_INVALID_XML_CONTENT, NULL,
				   "invalid %s: %s", what, r->message);
	return false;
}

void
sm_xml_append_content(StringInfo buf, const SmXmlReader *r, SmXmlToken token)
{
	if (token == SM_XML_CDATA)
		appendBinaryStringInfo(buf, r->data.s, r->data.len);
	else
	{
		enlargeStringInfo(buf, r->raw.len);
		buf->len += sm_xml_unescape(r->raw.s, r->raw.len, buf->data + buf->len);
	}
}

/* Read the text of the element that has just begun, up to its end. */
static bool
read_content(SmXmlReader *r, SmSpan *content)
{
	StringInfoData unescaped;
	SmXmlToken	token;

	initStringInfo(&unescaped);
	while ((token = sm_xml_next(r)) != SM_XML_END)
	{
		CHECK_FOR_INTERRUPTS();

		if (token == SM_XML_TEXT || token == SM_XML_CDATA)
			sm_xml_append_content(&unescaped, r, token);
		else if (token == SM_XML_START)
		{
			r->message = "an element has elements inside that should have text only";
			return false;
		}
		else if (token != SM_XML_COMMENT && token != SM_XML_PI)
			return false;
	}
	*content = sm_span(unescaped.data, unescaped.len);
	return true;
}

/* Pass over the element that has just begun; *raw becomes all of it. */
static bool
skip_element(SmXmlReader *r, SmSpan *raw)
{
	int			depth = r->depth;
	SmXmlToken	token;

	*raw = r->raw;
	do
	{
		CHECK_FOR_INTERRUPTS();

		token = sm_xml_next(r);
		if (token == SM_XML_ERROR)
			return false;
	} while (token != SM_XML_END || r->depth != depth);
	raw->len = r->raw.s + r->raw.len - raw->s;
	return true;
}

/* Where an element of a <url> goes to; NULL if it is unknown. */
static SmSpan *
field_of(SmSpan name, SmRow *row, SmSpan *priority)
{
	if (sm_span_is(name, "loc"))
		return &row->loc;
	if (sm_span_is(name, "lastmod"))
		return &row->lastmod_text;
	if (sm_span_is(name, "changefreq"))
		return &row->changefreq;
	if (sm_span_is(name, "priority"))
		return priority;
	return NULL;
}

bool
sm_read_url(SmSpan xml, SmRow *row, SmProblems *problems)
{
	SmXmlReader r;
	uint32		used = 0;
	int			max_extensions = 0;
	bool		in_url = false;
	bool		seen = false;
	SmSpan		priority = sm_no_span();
	SmXmlToken	token;

	memset(row, 0, sizeof(*row));
	if (xml.len > SM_MAX_BYTES)
	{
		sm_problem(problems, SM_ENTRY_TOO_LARGE, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
				   "invalid url: it has %zu bytes, more than a sitemap can have",
				   xml.len);
		return false;
	}
	sm_xml_reader_init(&r, xml.s, xml.len, sm_namespace_lookup, &used);
	r.message = "it is not a single url element";

	while ((token = sm_xml_next(&r)) != SM_XML_END_OF_INPUT)
	{
		SmSpan	   *field;

		CHECK_FOR_INTERRUPTS();

		if (token == SM_XML_ERROR)
			return sm_xml_malformed(problems, SM_URL_ELEMENT_INVALID, &r, "url");
		if (token == SM_XML_COMMENT || token == SM_XML_PI ||
			(token == SM_XML_TEXT && sm_xml_is_blank(r.raw)))
			continue;
		if (token == SM_XML_END)
		{
			in_url = false;
			continue;
		}
		if (token != SM_XML_START || (!in_url && seen))
		{
			if (in_url)
				r.message = "it has text outside of its elements";
			return sm_xml_malformed(problems, SM_URL_ELEMENT_INVALID, &r, "url");
		}

		if (!in_url)
		{
			if (!sm_span_is(r.name, "url") || !sm_namespace_is_sitemap(r.uri))
				return sm_xml_malformed(problems, SM_URL_ELEMENT_INVALID, &r, "url");
			for (int i = 0; i < r.nattributes; i++)
			{
				if (r.attributes[i].prefix.len == 0 && sm_span_is(r.attributes[i].name, "xmlns"))
					continue;
				if (!sm_problem(problems, SM_URL_ELEMENT_INVALID, ERRCODE_INVALID_XML_CONTENT,
								SM_DECLARE_HINT, "invalid url: the url element has attributes"))
					return false;
				break;
			}
			in_url = seen = true;
			continue;
		}

		if (!sm_namespace_is_sitemap(r.uri))
		{
			if (row->nextensions == max_extensions)
			{
				max_extensions = Max(8, 2 * max_extensions);
				row->extensions = row->extensions ?
					repalloc_array(row->extensions, SmSpan, max_extensions) :
					palloc_array(SmSpan, max_extensions);
			}
			if (!skip_element(&r, &row->extensions[row->nextensions]))
				return sm_xml_malformed(problems, SM_URL_ELEMENT_INVALID, &r, "url");
			row->nextensions++;
			continue;
		}

		field = field_of(r.name, row, &priority);
		if (field == NULL || field->s != NULL)
		{
			SmSpan		ignored;

			if (!sm_problem(problems, SM_URL_ELEMENT_INVALID, ERRCODE_INVALID_XML_CONTENT, NULL,
							field == NULL ? "invalid url: it has an unknown element \"%s\"" :
							"invalid url: it has the element \"%s\" twice",
							sm_for_message(r.name)))
				return false;
			if (!skip_element(&r, &ignored))
				return sm_xml_malformed(problems, SM_URL_ELEMENT_INVALID, &r, "url");
		}
		else if (!read_content(&r, field))
			return sm_xml_malformed(problems, SM_URL_ELEMENT_INVALID, &r, "url");
	}

	if (!seen)
		return sm_xml_malformed(problems, SM_URL_ELEMENT_INVALID, &r, "url");
	if (row->loc.s == NULL &&
		!sm_problem(problems, SM_URL_ELEMENT_INVALID, ERRCODE_INVALID_XML_CONTENT, NULL,
					"invalid url: it has no loc"))
		return false;
	problems->loc = row->loc;
	if (row->lastmod_text.s != NULL)
		row->lastmod_type = SM_LASTMOD_TEXT;
	priority = sm_trim(priority);
	if (priority.len > 0)
	{
		row->has_priority = sm_decimal_read(priority, &row->priority);
		if (!row->has_priority)
			sm_problem(problems, SM_PRIORITY_INVALID, ERRCODE_INVALID_TEXT_REPRESENTATION, NULL,
					   "invalid priority \"%s\": it is not a decimal number",
					   sm_for_message(priority));
	}
	return true;
}
