/*
 * elements.c
 *	  Looks for entries among the elements of a document.
 *
 * Elements that the protocol does not know are skipped, but no page in them is lost
 * silently: an entry inside another element, as in <urlset><urls><url>, is read and
 * reported as a problem.
 *
 * An extension element of an entry is returned as a slice of the document, plus the
 * declarations that its prefixes need, without indentation, comments and processing
 * instructions.  Example, with xmlns:i="urn:i" on the root:
 *
 *	  slice					result
 *	  <i:image>				<i:image xmlns:i="urn:i"><i:loc>http://a/</i:loc></i:image>
 *		<i:loc>http://a/</i:loc>
 *	  </i:image>
 *
 * A copy can be much longer than its slice.  In a document that declares a prefix for
 * a URI of 256 bytes once, each <x:a/> of 6 bytes is an extension element, and its copy
 * repeats the URI.  So the total length of the copies is limited, in proportion to the
 * length of the document.
 */
#include "postgres.h"

#include "parse/elements.h"

#include "entry/reader.h"
#include "entry/value.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "text/ascii.h"
#include "text/text.h"
#include "web/namespace.h"
#include "web/xml.h"

/*
 * In a document that was cut off, an error within this many bytes of the end comes from
 * the cut, and only the cut is reported.  The longest construct that the reader needs
 * as a whole, an XML declaration, is shorter.
 */
#define CUT_MAX					100

/* our own limit for the extension elements of an entry */
#define EXTENSIONS_MAX			10000

/*
 * The most bytes of all copies: COPIED_ALWAYS, plus the length of the document
 * times COPIED_RATIO_MAX.  Most documents need less than twice their length.
 */
#define COPIED_RATIO_MAX		10
#define COPIED_ALWAYS			1048576

/* A kind of document, known by its root element. */
typedef struct Kind
{
	const char *kind;			/* the result of sitemap_kind */
	const char *root;
	const char *entry;
} Kind;

struct SmXmlParser
{
	SmXmlReader reader;
	SmEntryReader entries;
	MemoryContext entry_context;	/* reset when an entry is skipped */
	SmProblems *problems;
	bool		is_cut;			/* the input is not the whole document */
	const Kind *kind;			/* NULL before the root element */
	const char *wrapper;		/* in the document, the name of the element
								 * last reported for entries in it; or NULL */

	/* the declarations that a copy needs in addition to its own */
	int			nbindings;		/* namespaces in scope around the element */
	bool		is_used[SM_XML_BINDINGS_MAX];
	StringInfoData declarations;	/* of the used ones */

	/* bytes that all copies may have together, and have so far */
	uint64		allowed;
	uint64		copied;
	int			entry_count;	/* copies for the current entry */
};

/* Report a problem of the entry that is being read.  Returns false: it is skipped. */
static bool
entry_problem(SmXmlParser *p, int sqlerrcode, const char *message)
{
	return sm_problem(p->problems, SM_URL_ELEMENT_INVALID, sqlerrcode, NULL, "%s", message);
}

/*
 * Put a part of the document, with references to characters outside ASCII if the
 * database is not UTF-8.
 */
static void
put_part(StringInfo out, SmSpan raw, SmXmlPart part)
{
	if (!sm_ascii_only())
	{
		sm_append(out, raw.s, raw.len);
		return;
	}
	enlargeStringInfo(out, SM_XML_ESCAPE_BOUND(raw.len));
	out->len += sm_xml_escape(raw.s, raw.len, part, SM_XML_AS_REFERENCES, out->data + out->len);
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
	sm_append(out, binding->prefix.s, binding->prefix.len);
	appendStringInfoChar(out, '=');
	appendStringInfoChar(out, quote);
	sm_append(out, binding->uri.s, binding->uri.len);
	appendStringInfoChar(out, quote);
}

/* A copied tag has this prefix: add its declaration, unless the copy has it. */
static void
use_prefix(SmXmlParser *p, SmSpan prefix)
{
	const SmXmlReader *r = &p->reader;

	for (int i = r->nbindings - 1; i >= 0; i--)
	{
		if (!sm_span_equal(r->bindings[i].prefix, prefix))
			continue;
		if (i < p->nbindings && r->bindings[i].uri.len > 0 && !p->is_used[i])
		{
			p->is_used[i] = true;
			put_declaration(&p->declarations, &r->bindings[i]);
		}
		return;
	}
}

static void
put_tag(SmXmlParser *p, StringInfo out)
{
	const SmXmlReader *r = &p->reader;
	const char *from = r->raw.s;

	use_prefix(p, r->prefix);
	for (int i = 0; i < r->nattributes; i++)
	{
		const SmXmlAttribute *a = &r->attributes[i];

		if (sm_xml_is_declaration(a))
			continue;
		if (a->prefix.len > 0)
			use_prefix(p, a->prefix);
		sm_append(out, from, a->value.s - from);
		put_part(out, a->value, SM_XML_IN_TAG);
		from = a->value.s + a->value.len;
	}
	sm_append(out, from, r->raw.s + r->raw.len - from);
}

/*
 * Copy the extension element that has just begun, up to its end, without the
 * declarations that it needs.  *is_valid becomes false if a prefix in the element is
 * undeclared.  Returns false if the element is not well-formed.
 */
static bool
copy_element(SmXmlParser *p, StringInfo out, bool *is_valid)
{
	SmXmlReader *r = &p->reader;
	int			depth = r->depth;
	int			begin = 0;		/* where the text after the last tag begins */
	bool		is_blank = true;	/* it has only blanks so far */
	bool		has_break = false;	/* it has a line break */
	SmXmlToken	last_tag = SM_XML_END;

	for (SmXmlToken token = SM_XML_START;; token = sm_xml_next(r))
	{
		CHECK_FOR_INTERRUPTS();

		if (token == SM_XML_ERROR)
			return false;
		if (token == SM_XML_TEXT)
		{
			put_part(out, r->raw, SM_XML_IN_TEXT);
			is_blank = is_blank && sm_xml_is_blank(r->raw);
			has_break = has_break || memchr(r->raw.s, '\n', r->raw.len);
		}
		else if (token == SM_XML_CDATA)
		{
			put_part(out, sm_ascii_only() ? r->data : r->raw, SM_XML_IN_CDATA);
			is_blank = false;
		}
		if (token != SM_XML_START && token != SM_XML_END)
			continue;

		/*
		 * blanks with a line break are indentation, unless they are all that
		 * an element has
		 */
		if (is_blank && has_break && (token == SM_XML_START || last_tag == SM_XML_END))
			out->len = begin;
		if (token == SM_XML_END)
			sm_append(out, r->raw.s, r->raw.len);
		else
		{
			if (r->undeclared.s && *is_valid)
				*is_valid = sm_xml_undeclared(p->problems, r, SM_EXTENSION_INVALID);
			put_tag(p, out);
		}
		if (token == SM_XML_END && r->depth == depth)
			return true;
		begin = out->len;
		is_blank = true;
		has_break = false;
		last_tag = token;
	}
}

/*
 * SmReadElement: copy the element that has just begun into the current memory
 * context.  arg: an SmXmlParser.
 */
static bool
copy_extension_element(void *arg, SmSpan *copy)
{
	SmXmlParser *p = arg;
	const SmXmlReader *r = &p->reader;
	StringInfo	declarations = &p->declarations;
	size_t		name_end = 1 + r->open[r->depth].qname.len; /* in the copy */
	bool		is_valid = r->undeclared.s == NULL;
	StringInfoData out;

	p->nbindings = r->open[r->depth].nbindings;
	memset(p->is_used, false, sizeof(p->is_used));
	resetStringInfo(declarations);
	initStringInfo(&out);
	if (++p->entry_count > EXTENSIONS_MAX)
		return entry_problem(p, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
							 "an entry has more than " SM_STRING(EXTENSIONS_MAX) " extension elements");
	if (!copy_element(p, &out, &is_valid))
		return false;
	if (!is_valid)
		return true;

	enlargeStringInfo(&out, declarations->len);
	memmove(out.data + name_end + declarations->len, out.data + name_end, out.len - name_end);
	memcpy(out.data + name_end, declarations->data, declarations->len);
	out.len += declarations->len;
	*copy = sm_span(out.data, out.len);

	p->copied += out.len;
	if (p->copied > p->allowed)
		return entry_problem(p, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
							 "the extension elements are more than " SM_STRING(COPIED_RATIO_MAX)
							 " times as long as the document");
	return true;
}

static const Kind kinds[] = {
	{"urlset", "urlset", "url"},
	{"index", "sitemapindex", "sitemap"}
};

SmXmlParser *
sm_xml_parser_create(const SmInput *input, MemoryContext entry_context, SmProblems *problems)
{
	SmXmlParser *p = palloc0_object(SmXmlParser);

	sm_xml_reader_init_document(&p->reader, input->content.s, input->content.len);
	p->entry_context = entry_context;
	p->problems = problems;
	p->is_cut = input->broken != NULL;
	p->entries.reader = &p->reader;
	p->entries.problems = problems;
	p->entries.read_element = copy_extension_element;
	p->entries.read_element_arg = p;
	p->allowed = COPIED_ALWAYS + (uint64) COPIED_RATIO_MAX * input->content.len;
	initStringInfo(&p->declarations);
	return p;
}

/* The kind of the root element that has just begun, or NULL. */
static const Kind *
find_kind(const SmXmlReader *r)
{
	/* the root's own prefix is not declared */
	if (r->undeclared.s == r->prefix.s)
		return NULL;
	for (size_t i = 0; i < lengthof(kinds); i++)
		if (sm_span_is(r->name, kinds[i].root))
			return &kinds[i];
	return NULL;
}

/* Stop at an error: the document cannot be read further. Returns false. */
static bool
stop_reading(SmXmlParser *p)
{
	const SmXmlReader *r = &p->reader;

	if (p->is_cut && r->end - r->p < CUT_MAX)
		return false;
	p->problems->place = r->p;
	sm_problem(p->problems, SM_DOCUMENT_INVALID, ERRCODE_INVALID_XML_DOCUMENT, NULL,
			   "%s", r->message);
	p->problems->rest_lost = true;
	return false;
}

/* The root element has begun. */
static bool
begin_root(SmXmlParser *p)
{
	p->kind = find_kind(&p->reader);
	if (p->kind == NULL)
	{
		p->problems->place = p->reader.raw.s;
		sm_problem(p->problems, SM_DOCUMENT_INVALID, ERRCODE_INVALID_XML_DOCUMENT, NULL,
				   "the root element \"%s\" is neither urlset nor sitemapindex",
				   sm_for_message(p->reader.open[0].qname));
		p->problems->rest_lost = true;
		return false;
	}
	p->entries.entry_name = sm_span_of(p->kind->entry);
	p->entries.own_uri = p->reader.uri;
	if (!sm_namespace_is_sitemap(p->reader.uri))
	{
		p->entries.nunknown = 1;
		p->entries.unknown = p->reader.open[0].qname;
	}
	return true;
}

/* Report the element around an entry if it is not the root, unless just reported. */
static void
check_wrapper(SmXmlParser *p)
{
	SmSpan		wrapper = p->reader.open[p->reader.depth - 1].qname;

	if (p->reader.depth == 1 || wrapper.s == p->wrapper)
		return;
	p->wrapper = wrapper.s;
	sm_problem(p->problems, SM_DOCUMENT_INVALID, ERRCODE_INVALID_XML_DOCUMENT,
			   "on_invalid => 'skip' reads these entries.",
			   "there are entries inside of an element \"%s\"", sm_for_message(wrapper));
}

/*
 * Read the entry that has just begun.  Returns false if it is skipped for a
 * problem, or is not well-formed.
 */
static bool
read_entry(SmXmlParser *p, SmRow *row)
{
	p->entry_count = 0;
	if (!sm_entry_read(&p->entries, row))
		return false;
	if (p->entries.has_entry_inside)
		return entry_problem(p, ERRCODE_INVALID_XML_DOCUMENT, "there is an entry inside of an entry");
	row->loc = sm_trim(row->loc);
	row->lastmod.v.span = sm_trim(row->lastmod.v.span);
	row->changefreq = sm_trim(row->changefreq);
	return row->loc.len > 0 ||
		entry_problem(p, ERRCODE_INVALID_XML_DOCUMENT, "the entry's URL is blank");
}

/* Skip the rest of the element at this depth, as far as it can be read. */
static void
leave_element(SmXmlReader *r, int depth)
{
	while (r->nopen > depth && sm_xml_next(r) != SM_XML_ERROR)
		CHECK_FOR_INTERRUPTS();
}

/* Does an element look like an entry of a sitemap or an index in the wrong place? */
static bool
is_like_entry(const SmXmlReader *r)
{
	for (size_t i = 0; i < lengthof(kinds); i++)
		if (sm_equal_ignoring_case(r->name, sm_span_of(kinds[i].entry)))
			return true;
	return false;
}

bool
sm_xml_parser_next(SmXmlParser *p, SmRow *row)
{
	SmXmlReader *r = &p->reader;

	for (;;)
	{
		SmXmlToken	token = sm_xml_next(r);
		int			depth = r->depth;
		bool		is_own;

		CHECK_FOR_INTERRUPTS();
		if (token == SM_XML_ERROR)
			return stop_reading(p);
		if (token == SM_XML_END_OF_INPUT)
			return false;
		if (token != SM_XML_START)
			continue;
		if (r->undeclared.s)
			sm_xml_undeclared(p->problems, r, SM_DOCUMENT_INVALID);
		if (p->kind == NULL)
		{
			if (!begin_root(p))
				return false;
			continue;
		}

		p->problems->place = r->raw.s;
		is_own = sm_entry_is_own(&p->entries);
		if (is_own && sm_span_equal(r->name, p->entries.entry_name))
		{
			check_wrapper(p);
			if (read_entry(p, row))
				return true;
		}
		else if (is_like_entry(r))
			sm_problem(p->problems, SM_URL_ELEMENT_INVALID, ERRCODE_INVALID_XML_DOCUMENT, NULL,
					   is_own ? "element \"%s\" is no entry of a %s" :
					   "element \"%s\" is not in the namespace of the %s",
					   sm_for_message(r->open[depth].qname), p->kind->root);
		else
		{
			/* free the message of an undeclared prefix */
			MemoryContextReset(p->entry_context);
			continue;
		}

		/* free what was allocated for the entry, which is skipped */
		MemoryContextReset(p->entry_context);
		leave_element(r, depth);
	}
}

uint64
sm_xml_parser_unknown(const SmXmlParser *p, SmSpan *first)
{
	*first = p->entries.unknown;
	return p->entries.nunknown;
}

const char *
sm_xml_kind(const SmInput *input)
{
	SmXmlReader r;
	SmXmlToken	token;
	const Kind *kind;

	sm_xml_reader_init_document(&r, input->content.s, input->content.len);
	do
		token = sm_xml_next(&r);
	while (token == SM_XML_TEXT || token == SM_XML_COMMENT || token == SM_XML_PI);
	kind = token == SM_XML_START ? find_kind(&r) : NULL;
	return kind ? kind->kind : NULL;
}
