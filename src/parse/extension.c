/*
 * extension.c
 *	  An extension of an entry, copied as XML that declares its own namespaces.
 *
 * A copy has the form in which sitemap_image and its kin write extensions, so that
 * the rows of sitemap_parse make the same document again.
 *
 * A copy can be much longer than the original.  In a document that declares a
 * prefix for a URI of 256 bytes once, each <x:a/> of 6 bytes is an extension whose
 * copy has to repeat the URI.  So the total length of the copies is limited, in
 * proportion to the length of the document.
 */
#include "postgres.h"

#include "parse/extension.h"

#include "core/xml.h"
#include "entry/reader.h"
#include "miscadmin.h"
#include "server/encoding.h"

/*
 * How many extensions an entry can have (our own limit), and how many bytes these can
 * have together.
 */
#define EXTENSIONS_MAX			10000
#define EXTENSIONS_BYTES_MAX	SM_MAX_BYTES

/*
 * The most bytes of all copies: COPIED_ALWAYS, plus the length of the document
 * times COPIED_RATIO_MAX.  Most documents need less than twice their length.
 */
#define COPIED_RATIO_MAX		10
#define COPIED_ALWAYS			1048576

/*
 * The namespace bindings that are in scope before an extension, and which of them
 * the names in it use.  The copy has to declare those.
 */
typedef struct OuterBindings
{
	int			nbindings;
	int			nused;
	int			used[SM_XML_BINDINGS_MAX];	/* in the order of their first use */
	bool		is_used[SM_XML_BINDINGS_MAX];
} OuterBindings;

/* bytes that a buffer keeps from one extension to the next */
#define BUFFER_MAX				65536

/* bytes escaped at a time */
#define PIECE_SIZE				4096

void
sm_extension_copies_init(SmExtensionCopies *copies, SmXmlReader *reader,
						 size_t document_len, SmProblems *problems)
{
	memset(copies, 0, sizeof(*copies));
	copies->reader = reader;
	copies->problems = problems;
	copies->allowed = COPIED_ALWAYS + (uint64) COPIED_RATIO_MAX * document_len;
	initStringInfo(&copies->out);
	initStringInfo(&copies->content);
}

void
sm_extension_copies_begin_entry(SmExtensionCopies *copies)
{
	copies->entry_len = 0;
	copies->entry_count = 0;
}

static bool
too_large(SmExtensionCopies *copies, const char *message)
{
	sm_problem(copies->problems, SM_URL_ELEMENT_INVALID, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
			   NULL, "%s", message);
	return false;
}

/*
 * Escape text that is known to be valid, piece by piece, so that the buffer grows
 * with what is written and not with what the text could become.
 */
static void
put_escaped(StringInfo out, SmSpan text)
{
	while (text.len > 0 && out->len <= EXTENSIONS_BYTES_MAX)
	{
		size_t		n = Min(text.len, PIECE_SIZE);

		/* do not cut a character in two */
		while (n < text.len && (text.s[n] & 0xC0) == 0x80)
			n++;
		enlargeStringInfo(out, SM_XML_ESCAPE_BOUND(n));
		out->len += sm_xml_escape(text.s, n, SM_XML_VALUE,
								  sm_ascii_only() ? SM_XML_AS_REFERENCES : SM_XML_AS_GIVEN,
								  out->data + out->len);
		text = sm_span(text.s + n, text.len - n);
	}
}

static void
put_span(StringInfo out, SmSpan span)
{
	appendBinaryStringInfo(out, span.s, span.len);
}

static void
put_name(StringInfo out, SmSpan prefix, SmSpan name)
{
	if (prefix.len > 0)
	{
		put_span(out, prefix);
		appendStringInfoChar(out, ':');
	}
	put_span(out, name);
}

/*
 * Put a declaration.  The reader compares URIs of namespaces without resolving
 * references, so the URI is copied as it is, between quotes that it does not
 * contain.
 */
static void
put_declaration(StringInfo out, const SmXmlBinding *binding)
{
	char		quote = memchr(binding->uri.s, '"', binding->uri.len) ? '\'' : '"';

	appendStringInfoString(out, binding->prefix.len > 0 ? " xmlns:" : " xmlns");
	put_span(out, binding->prefix);
	appendStringInfoChar(out, '=');
	appendStringInfoChar(out, quote);
	put_span(out, binding->uri);
	appendStringInfoChar(out, quote);
}

/* Put the value of an attribute. */
static void
put_value(StringInfo out, StringInfo content, SmSpan raw)
{
	resetStringInfo(content);
	enlargeStringInfo(content, raw.len);
	content->len = sm_xml_attribute_value(raw, content->data);
	put_escaped(out, sm_span(content->data, content->len));
	resetStringInfo(content);
}

/* Note that a prefix is used, if its binding is outside of the extension. */
static void
use_prefix(const SmXmlReader *r, SmSpan prefix, OuterBindings *outer)
{
	for (int i = r->nbindings - 1; i >= 0; i--)
	{
		if (!sm_span_equal(r->bindings[i].prefix, prefix))
			continue;
		if (i < outer->nbindings && r->bindings[i].uri.len > 0 && !outer->is_used[i])
		{
			outer->is_used[i] = true;
			outer->used[outer->nused++] = i;
		}
		return;
	}
}

/*
 * Put the declarations and attributes of a tag, and note the outer bindings that
 * the attributes use.
 */
static void
put_attributes(SmExtensionCopies *copies, OuterBindings *outer)
{
	const SmXmlReader *r = copies->reader;
	StringInfo	out = &copies->out;

	for (int i = r->open[r->depth].nbindings; i < r->nbindings; i++)
		put_declaration(out, &r->bindings[i]);
	for (int i = 0; i < r->nattributes; i++)
	{
		const SmXmlAttribute *a = &r->attributes[i];

		if (sm_span_is(a->prefix, "xmlns") || (a->prefix.len == 0 && sm_span_is(a->name, "xmlns")))
			continue;
		if (a->prefix.len > 0)
			use_prefix(r, a->prefix, outer);
		appendStringInfoChar(out, ' ');
		put_name(out, a->prefix, a->name);
		appendStringInfoString(out, "=\"");
		put_value(out, &copies->content, a->value);
		appendStringInfoChar(out, '"');
	}
}

/*
 * Put the text before a tag, as in "<a>text<b>".  Blanks with a line break are
 * indentation and dropped, unless they are all that an element has (is_all).
 */
static void
put_text(SmExtensionCopies *copies, bool only_blanks, bool is_all)
{
	StringInfo	content = &copies->content;

	if (!only_blanks || is_all || memchr(content->data, '\n', content->len) == NULL)
		put_escaped(&copies->out, sm_span(content->data, content->len));
	resetStringInfo(content);
}

/*
 * Write the extension to copies->out, without the declarations of outer bindings.
 * They belong at *name_end, after the name of the outermost element.
 */
static bool
write_extension(SmExtensionCopies *copies, OuterBindings *outer, int *name_end)
{
	SmXmlReader *r = copies->reader;
	StringInfo	out = &copies->out;
	int			depth = r->depth;
	bool		tag_is_open = false;	/* its ">" or "/>" has not been
										 * written */
	bool		only_blanks = true; /* the text since the last tag has only
									 * blanks */
	SmXmlToken	token = SM_XML_START;

	memset(outer, 0, sizeof(*outer));
	outer->nbindings = r->open[depth].nbindings;
	*name_end = 0;
	for (;;)
	{
		if (token == SM_XML_ERROR)
			return false;
		if (token == SM_XML_TEXT || token == SM_XML_CDATA)
		{
			int			before = copies->content.len;

			sm_xml_append_content(&copies->content, r, token);
			only_blanks = only_blanks &&
				sm_xml_is_blank(sm_span(copies->content.data + before, copies->content.len - before));
		}
		else if (token == SM_XML_START)
		{
			if (tag_is_open)
				appendStringInfoChar(out, '>');
			put_text(copies, only_blanks, false);
			appendStringInfoChar(out, '<');
			put_name(out, r->prefix, r->name);
			if (*name_end == 0)
				*name_end = out->len;
			use_prefix(r, r->prefix, outer);
			put_attributes(copies, outer);
			tag_is_open = true;
			only_blanks = true;
		}
		else if (token == SM_XML_END)
		{
			if (tag_is_open && copies->content.len == 0)
				appendStringInfoString(out, "/>");
			else
			{
				if (tag_is_open)
					appendStringInfoChar(out, '>');
				put_text(copies, only_blanks, tag_is_open);
				appendStringInfoString(out, "</");
				put_name(out, r->prefix, r->name);
				appendStringInfoChar(out, '>');
			}
			tag_is_open = false;
			only_blanks = true;
			if (r->depth == depth)
				return true;
		}
		if (out->len > EXTENSIONS_BYTES_MAX)
			return too_large(copies, "the extensions of an entry are longer than a sitemap can be");

		CHECK_FOR_INTERRUPTS();
		token = sm_xml_next(r);
	}
}

/* Empty a buffer and give most of its memory back. */
static void
shrink(StringInfo buffer)
{
	buffer->data = repalloc(buffer->data, BUFFER_MAX);
	buffer->maxlen = BUFFER_MAX;
	resetStringInfo(buffer);
}

bool
sm_extension_copy(void *arg, SmSpan *copy)
{
	SmExtensionCopies *copies = arg;
	const SmXmlReader *r = copies->reader;
	StringInfo	out = &copies->out;
	char	   *result;
	char	   *d;
	OuterBindings outer;
	int			name_end;
	int			end;

	if (++copies->entry_count > EXTENSIONS_MAX)
		return too_large(copies, "an entry has more than " SM_STRING(EXTENSIONS_MAX) " extensions");
	resetStringInfo(out);
	resetStringInfo(&copies->content);
	if (!write_extension(copies, &outer, &name_end))
		return false;

	/* the extension has ended, so only the outer bindings are in scope */
	end = out->len;
	for (int i = 0; i < outer.nused; i++)
		put_declaration(out, &r->bindings[outer.used[i]]);

	/* move the declarations from the end to the element's name */
	d = result = palloc(out->len);
	d = sm_put(d, out->data, name_end);
	d = sm_put(d, out->data + end, out->len - end);
	sm_put(d, out->data + name_end, end - name_end);
	*copy = sm_span(result, out->len);

	copies->entry_len += out->len;
	copies->copied += out->len;

	/* do not keep a long buffer while more copies are made */
	if (out->maxlen > BUFFER_MAX)
		shrink(out);
	if (copies->content.maxlen > BUFFER_MAX)
		shrink(&copies->content);
	if (copies->entry_len > EXTENSIONS_BYTES_MAX)
		return too_large(copies, "the extensions of an entry are longer than a sitemap can be");
	if (copies->copied > copies->allowed)
		return too_large(copies, "the extensions are more than " SM_STRING(COPIED_RATIO_MAX)
						 " times as long as the document");
	return true;
}
