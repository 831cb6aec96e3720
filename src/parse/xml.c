/*
 * xml.c
 *	  Reads sitemaps, indexes, RSS and Atom, entry by entry.
 *
 * Elements that the protocol does not know are skipped, but no page in them is lost
 * silently: an entry inside of another element, as in <urlset><urls><url>, is read
 * and reported as a problem.
 */
#include "postgres.h"

#include "parse/xml.h"

#include "core/namespace.h"
#include "core/text.h"
#include "miscadmin.h"
#include "parse/syndication.h"
#include "server/encoding.h"
#include "utils/memutils.h"

/*
 * An error less than this many bytes before the end of a document that was cut off
 * is blamed on the cut and not reported by itself.  The longest construct that the
 * reader needs as a whole, an XML declaration, is shorter.
 */
#define CUT_MAX		100

static const SmXmlKind kinds[] = {
	{"urlset", "urlset", "url", false, sm_entry_read},
	{"index", "sitemapindex", "sitemap", false, sm_entry_read},
	{"rss", "rss", "item", true, sm_rss_read_item},
	{"atom", "feed", "entry", true, sm_atom_read_entry}
};

void
sm_xml_parser_init(SmXmlParser *p, const SmInput *input, SmProblems *problems)
{
	memset(p, 0, sizeof(*p));
	sm_xml_reader_init_document(&p->reader, input->content.s, input->content.len);
	p->problems = problems;
	p->is_cut = input->broken != NULL;
	sm_extension_copies_init(&p->copies, &p->reader, input->content.len, problems);
	p->entries.reader = &p->reader;
	p->entries.problems = problems;
	p->entries.prefix = "";
	p->entries.sqlerrcode = ERRCODE_INVALID_XML_DOCUMENT;
	p->entries.read_extension = sm_extension_copy;
	p->entries.read_extension_arg = &p->copies;
}

/* The kind of the root element that has just begun, or NULL. */
static const SmXmlKind *
find_kind(const SmXmlReader *r)
{
	for (size_t i = 0; i < lengthof(kinds); i++)
		if (sm_span_is(r->name, kinds[i].root))
			return &kinds[i];
	return NULL;
}

/* Stop at an error: the document cannot be read further. Returns false. */
static bool
stop(SmXmlParser *p)
{
	const SmXmlReader *r = &p->reader;

	if (p->is_cut && r->end - r->p < CUT_MAX)
		return false;
	p->problems->place = r->p;
	if (r->undeclared.s)
		sm_problem(p->problems, SM_DOCUMENT_INVALID, ERRCODE_INVALID_XML_DOCUMENT, NULL,
				   "the namespace prefix \"%s\" is not declared", sm_for_message(r->undeclared));
	else
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
				   "the root element \"%s\" is none of urlset, sitemapindex, rss and feed",
				   sm_for_message(p->reader.name));
		p->problems->rest_lost = true;
		return false;
	}
	p->entries.entry_name = sm_span(p->kind->entry, strlen(p->kind->entry));
	p->entries.own_uri = p->reader.uri;
	return true;
}

/* Report a problem of the entry that is being read. */
static bool
entry_problem(SmXmlParser *p, const char *message)
{
	return sm_problem(p->problems, SM_URL_ELEMENT_INVALID, ERRCODE_INVALID_XML_DOCUMENT,
					  NULL, "%s", message);
}

/* Report the element around an entry if it is not the root, unless just reported. */
static void
check_wrapper(SmXmlParser *p)
{
	const SmXmlReader *r = &p->reader;
	SmSpan		wrapper = r->open[r->depth - 1].qname;

	if (r->depth == 1 || p->kind->is_feed || wrapper.s == p->wrapper)
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
	sm_extension_copies_begin_entry(&p->copies);
	if (!p->kind->read_entry(&p->entries, row))
		return false;
	if (p->entries.has_entry_inside)
		return entry_problem(p, "there is an entry inside of an entry");
	row->loc = sm_trim(row->loc);
	row->lastmod_text = sm_trim(row->lastmod_text);
	row->changefreq = sm_trim(row->changefreq);
	return row->loc.len > 0 || entry_problem(p, "the entry's URL is blank");
}

/* Skip the rest of the element at this depth. */
static bool
leave(SmXmlReader *r, int depth)
{
	while (r->nopen > depth)
	{
		CHECK_FOR_INTERRUPTS();
		if (sm_xml_next(r) == SM_XML_ERROR)
			return false;
	}
	return true;
}

/* Does an element look like an entry in the wrong place? */
static bool
is_like_entry(const SmXmlReader *r)
{
	static const char *const names[] = {"url", "sitemap"};

	for (size_t i = 0; i < lengthof(names); i++)
		if (r->name.len == strlen(names[i]) &&
			pg_strncasecmp(r->name.s, names[i], r->name.len) == 0)
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
			return stop(p);
		if (token == SM_XML_END_OF_INPUT)
			return false;
		if (token != SM_XML_START)
			continue;
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
		else if (!p->kind->is_feed && is_like_entry(r))
			sm_problem(p->problems, SM_URL_ELEMENT_INVALID, ERRCODE_INVALID_XML_DOCUMENT, NULL,
					   is_own ? "element \"%s\" is no entry of a %s" :
					   "element \"%s\" is in another namespace than the %s",
					   sm_for_message(r->open[depth].qname), p->kind->root);
		else
			continue;

		/* free what was allocated for the entry, which is skipped */
		MemoryContextReset(CurrentMemoryContext);
		if (r->message || !leave(r, depth))
			return stop(p);
	}
}

const char *
sm_xml_kind(const SmInput *input)
{
	SmXmlReader r;
	SmXmlToken	token;

	sm_xml_reader_init_document(&r, input->content.s, input->content.len);
	do
		token = sm_xml_next(&r);
	while (token == SM_XML_TEXT || token == SM_XML_COMMENT || token == SM_XML_PI);
	if (token == SM_XML_START)
	{
		const SmXmlKind *kind = find_kind(&r);

		return kind ? kind->kind : NULL;
	}
	return NULL;
}
