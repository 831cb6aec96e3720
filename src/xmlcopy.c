/*
 * xmlcopy.c
 *	  An element of a document that libxml2 parses, as XML that stands alone.
 */
#include "postgres.h"

#ifdef USE_LIBXML2

#include "xmlcopy.h"

#include "core/xml.h"
#include "encoding.h"

static void
put(SmXmlCopy *copy, const char *s)
{
	sm_buffer_append(&copy->out, s, strlen(s));
}

/* Put UTF-8 that is known to be valid. */
static void
put_escaped(SmXmlCopy *copy, const char *s, size_t len)
{
	SmBuffer   *out = &copy->out;
	size_t		escaped;

	if (!sm_buffer_reserve(out, SM_XML_ESCAPE_BOUND(len)))
		return;
	escaped = sm_xml_escape(s, len, sm_ascii_only(), out->data + out->len);
	if (escaped != SM_XML_MALFORMED)	/* libxml2 would have said so */
		out->len += escaped;
}

static void
put_name(SmXmlCopy *copy, const xmlChar *prefix, const xmlChar *name)
{
	if (prefix)
	{
		put(copy, (const char *) prefix);
		put(copy, ":");
	}
	put(copy, (const char *) name);
}

static void
put_attribute(SmXmlCopy *copy, const xmlChar *prefix, const xmlChar *name,
			  const xmlChar *value, size_t len)
{
	put(copy, " ");
	put_name(copy, prefix, name);
	put(copy, "=\"");
	put_escaped(copy, (const char *) value, len);
	put(copy, "\"");
}

static void
put_declaration(SmXmlCopy *copy, const SmXmlDeclaration *declaration)
{
	static const xmlChar xmlns[] = "xmlns";
	const xmlChar *prefix = declaration->prefix;
	const xmlChar *uri = declaration->uri ? declaration->uri : (const xmlChar *) "";

	put_attribute(copy, prefix ? xmlns : NULL, prefix ? prefix : xmlns, uri,
				  strlen((const char *) uri));
}

/*
 * Put what waited for what comes next: the end of a tag, and blanks, unless they
 * were indentation.
 */
static void
put_pending(SmXmlCopy *copy, bool keep_blanks)
{
	SmBuffer   *blanks = &copy->blanks;

	if (copy->tag_open)
		put(copy, ">");
	copy->tag_open = false;
	if (blanks->len > 0 && (keep_blanks || memchr(blanks->data, '\n', blanks->len) == NULL))
		put_escaped(copy, blanks->data, blanks->len);
	blanks->len = 0;
}

/* Move what was put last, all from one place on, to an earlier place. */
static void
move_back(SmBuffer *out, size_t from, size_t to)
{
	size_t		len = out->len - from;

	/* a copy at the end, since what is in between moves there */
	if (!sm_buffer_reserve(out, len))
		return;
	memcpy(out->data + out->len, out->data + from, len);
	memmove(out->data + to + len, out->data + to, from - to);
	memcpy(out->data + to, out->data + out->len, len);
}

/* Add the declarations that the element leans on. */
static void
declare_outer(SmXmlCopy *copy)
{
	size_t		end = copy->out.len;

	for (int i = 0; i < copy->nouter; i++)
		put_declaration(copy, &copy->outer[i]);
	move_back(&copy->out, end, copy->name_end);
}

/* Add a declaration to those of one kind; false if they are too many. */
static bool
add_declaration(SmXmlDeclaration *declarations, int *n, const xmlChar *prefix,
				const xmlChar *uri, int depth)
{
	if (*n == SM_XML_BINDINGS_MAX)
		return false;
	declarations[*n].prefix = prefix;
	declarations[*n].uri = uri;
	declarations[*n].depth = depth;
	(*n)++;
	return true;
}

static bool
declares(const SmXmlDeclaration *declarations, int n, const xmlChar *prefix)
{
	for (int i = 0; i < n; i++)
		if (xmlStrEqual(declarations[i].prefix, prefix))
			return true;
	return false;
}

/* A prefix is used: remember it if the element does not declare it. */
static bool
use_prefix(SmXmlCopy *copy, const xmlChar *prefix, const xmlChar *uri)
{
	return uri == NULL || xmlStrEqual(prefix, BAD_CAST "xml") ||
		declares(copy->declared, copy->ndeclared, prefix) ||
		declares(copy->outer, copy->nouter, prefix) ||
		add_declaration(copy->outer, &copy->nouter, prefix, uri, 0);
}

void
sm_xml_copy_init(SmXmlCopy *copy, MemoryContext context)
{
	memset(copy, 0, sizeof(*copy));
	sm_buffer_init(&copy->out, context);
	sm_buffer_init(&copy->blanks, context);
}

const char *
sm_xml_copy_start(SmXmlCopy *copy, const SmXmlTag *tag)
{
	const xmlChar **attribute = tag->attributes;
	bool		ok = true;

	if (copy->depth++ == 0)
	{
		copy->out.len = 0;
		copy->nouter = 0;
	}
	put_pending(copy, false);
	put(copy, "<");
	put_name(copy, tag->prefix, tag->name);
	if (copy->depth == 1)
		copy->name_end = copy->out.len;

	for (int i = 0; ok && i < tag->nnamespaces; i++)
	{
		ok = add_declaration(copy->declared, &copy->ndeclared, tag->namespaces[2 * i],
							 tag->namespaces[2 * i + 1], copy->depth);
		if (ok)
			put_declaration(copy, &copy->declared[copy->ndeclared - 1]);
	}
	ok = ok && use_prefix(copy, tag->prefix, tag->uri);
	for (int i = 0; ok && i < tag->nattributes; i++, attribute += 5)
	{
		put_attribute(copy, attribute[1], attribute[0], attribute[3],
					  attribute[4] - attribute[3]);
		ok = attribute[1] == NULL || use_prefix(copy, attribute[1], attribute[2]);
	}
	copy->tag_open = true;
	copy->only_blanks = true;
	return ok ? NULL : "an extension has more than " SM_STRING(SM_XML_BINDINGS_MAX) " namespaces";
}

void
sm_xml_copy_text(SmXmlCopy *copy, const xmlChar *s, size_t len)
{
	const char *text = (const char *) s;

	if (copy->only_blanks && sm_xml_is_blank(sm_span(text, len)))
	{
		sm_buffer_append(&copy->blanks, text, len);
		return;
	}
	put_pending(copy, true);
	copy->only_blanks = false;
	put_escaped(copy, text, len);
}

void
sm_xml_copy_end(SmXmlCopy *copy, const xmlChar *name, const xmlChar *prefix)
{
	if (copy->tag_open && copy->blanks.len == 0)
		put(copy, "/>");
	else
	{
		/* blanks that are all that an element has are no indentation */
		put_pending(copy, copy->tag_open);
		put(copy, "</");
		put_name(copy, prefix, name);
		put(copy, ">");
	}
	copy->tag_open = false;
	copy->only_blanks = true;
	while (copy->ndeclared > 0 && copy->declared[copy->ndeclared - 1].depth == copy->depth)
		copy->ndeclared--;
	if (--copy->depth == 0)
		declare_outer(copy);
}

#endif
