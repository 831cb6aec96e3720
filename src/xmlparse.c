/*
 * xmlparse.c
 *	  XML sitemaps and indexes, taken apart by libxml2.
 *
 * libxml2 calls us back from the middle of its work, and no error may jump over
 * its frames.  So nothing raises one while it runs: entries go into a queue, a
 * fault is noted, and so is that memory ran out.  All else happens between two
 * pushes.  What libxml2 has for itself comes from malloc, and is freed when the
 * memory context goes.
 *
 * An entity could stand for another file, or for gigabytes; only a document type
 * declaration can define one, so that ends the parsing.  The server uses libxml2
 * as well: what we set for the whole process, we set back before we return.
 */
#include "postgres.h"

#include "xmlparse.h"

#ifdef USE_LIBXML2

#include <libxml/parser.h>
#include <libxml/SAX2.h>

#include "core/decimal.h"
#include "core/namespace.h"
#include "core/text.h"
#include "core/url.h"
#include "core/xmlreader.h"
#include "fragment.h"
#include "mb/pg_wchar.h"
#include "utils/memutils.h"
#include "xmlcopy.h"

/*
 * Bytes between two things that libxml2 reports: the length of a tag, comment
 * or instruction.  It compares each attribute of a tag with all the others.
 */
#define MARKUP_MAX		262144

/*
 * Bytes of a namespace's name, extensions of an entry, and bytes of all of them.
 * A few bytes of a document are an extension, and use a namespace, whose name is
 * written with each extension.
 */
#define NAMESPACE_MAX			256
#define EXTENSIONS_MAX			10000
#define EXTENSIONS_BYTES_MAX	SM_MAX_BYTES

/*
 * Bytes of all extensions of a document, to those of the document itself, which
 * hardly ever come to twice as many.  A small document may have more.
 */
#define EXTENSIONS_RATIO_MAX	10
#define EXTENSIONS_ALLOWED		1048576

/*
 * Different names in a document: of elements, attributes, prefixes, namespaces
 * and instructions.  libxml2 keeps each, in a table that does not grow with
 * them, and takes some 10 MB of them for a lack of memory.
 */
#define NAMES_MAX				10000
#define NAMES_BYTES_MAX			2000000

#if LIBXML_VERSION >= 21200
typedef const xmlError *ErrorPtr;
#else
typedef xmlErrorPtr ErrorPtr;
#endif

/* What the queue has; the first ones are the children of an entry in our namespace. */
typedef enum ItemKind
{
	ITEM_LOC,
	ITEM_LASTMOD,
	ITEM_CHANGEFREQ,
	ITEM_PRIORITY,
	ITEM_EXTENSION,
	ITEM_ENTRY_END,
	ITEM_NONE					/* nothing that is kept */
} ItemKind;

#define NCHILDREN	(ITEM_PRIORITY + 1)

static const struct
{
	const char *name;
	const char *twice;			/* message */
}			children[NCHILDREN] = {
	[ITEM_LOC] = {"loc", "an entry has two elements \"loc\""},
	[ITEM_LASTMOD] = {"lastmod", "an entry has two elements \"lastmod\""},
	[ITEM_CHANGEFREQ] = {"changefreq", "an entry has two elements \"changefreq\""},
	[ITEM_PRIORITY] = {"priority", "an entry has two elements \"priority\""}
};

typedef struct Item
{
	ItemKind	kind;
	size_t		start;			/* of its bytes */
	size_t		len;
	int64		line;			/* ITEM_ENTRY_END: where the entry begins */
} Item;

struct SmXmlParser
{
	MemoryContext context;
	MemoryContextCallback callback;
	xmlParserCtxtPtr ctxt;
	SmFault    *fault;
	uint64		pushed;			/* bytes of the document so far */
	size_t		silence;		/* those since the last callback */
	bool		cr_before;		/* the last callback was for a section, whose
								 * text ended in a carriage return */

	/* the queue: complete entries, and the one that is being parsed */
	SmBuffer	bytes;
	SmBuffer	items;
	size_t		next;			/* item to be taken */
	size_t		taken;			/* bytes of the entries that were taken */
	int			nentries;		/* complete ones that were not */
	SmSpan	   *extensions;		/* of the entry taken last */
	int			max_extensions;

	/* where we are */
	int			depth;			/* elements open */
	const char *entry_name;		/* url or sitemap */
	const xmlChar *namespace;	/* of the root */
	bool		in_entry;
	int64		entry_line;
	bool		seen[NCHILDREN];
	ItemKind	child;			/* of the entry: what we are in */
	size_t		start;			/* of its bytes, unless it is an extension */
	SmXmlCopy	copy;			/* of an extension */
	int			nextensions;	/* of the entry, so far */
	uint64		copied;			/* bytes of extensions of the document */
};

static bool
no_memory(const SmXmlParser *p)
{
	return p->bytes.failed || p->items.failed ||
		p->copy.out.failed || p->copy.blanks.failed;
}

/* Is this document done with? */
static bool
stopped(const SmXmlParser *p)
{
	return no_memory(p) || sm_is_fault(p->fault);
}

static void
fault(SmXmlParser *p, const char *message, const char *detail)
{
	sm_fault(p->fault, ERRCODE_INVALID_XML_DOCUMENT, xmlSAX2GetLineNumber(p->ctxt),
			 message, detail);
}

/* A fault of something that has a name: of another kind of document, mostly. */
static void
fault_with_name(SmXmlParser *p, const char *message, const xmlChar *name)
{
	char		detail[SM_FAULT_DETAIL_MAX];

	snprintf(detail, sizeof(detail), "It is named %s", (const char *) name);
	fault(p, message, detail);
}

static void
queue_item(SmXmlParser *p, ItemKind kind, size_t start, size_t len)
{
	Item		item = {kind, start, len, p->entry_line};

	sm_buffer_append(&p->items, &item, sizeof(item));
}

/* Queue a child of an entry that has its own column, unless it is blank. */
static void
queue_child(SmXmlParser *p)
{
	SmSpan		content = sm_span(p->bytes.data + p->start, p->bytes.len - p->start);
	SmSpan		trimmed = sm_trim(content);

	if (trimmed.len > 0)
		queue_item(p, p->child, p->start + (trimmed.s - content.s), trimmed.len);
	else if (p->child == ITEM_LOC)
		p->seen[ITEM_LOC] = false;
}

/* Queue the extension that was copied. */
static void
queue_extension(SmXmlParser *p)
{
	const SmBuffer *out = &p->copy.out;

	if (++p->nextensions > EXTENSIONS_MAX)
		fault(p, "an entry has more than " SM_STRING(EXTENSIONS_MAX) " extensions", NULL);
	else if (out->len > EXTENSIONS_BYTES_MAX - Min(p->bytes.len, EXTENSIONS_BYTES_MAX))
		fault(p, "the extensions of an entry are longer than a sitemap can be", NULL);
	else if (out->len > EXTENSIONS_ALLOWED + EXTENSIONS_RATIO_MAX * p->pushed - p->copied)
		fault(p, "its extensions are more than " SM_STRING(EXTENSIONS_RATIO_MAX) " times as long as it is", NULL);
	else
	{
		queue_item(p, ITEM_EXTENSION, p->bytes.len, out->len);
		sm_buffer_append(&p->bytes, out->data, out->len);
		p->copied += out->len;
	}
}

/* Sitemaps are written with all sorts of namespaces; their root says which. */
static bool
in_sitemap_namespace(const SmXmlParser *p, const xmlChar *uri)
{
	return uri == NULL || xmlStrEqual(uri, p->namespace) ||
		xmlStrEqual(uri, BAD_CAST SM_NAMESPACE) ||
		xmlStrEqual(uri, BAD_CAST SM_NAMESPACE_084);
}

static void
start_root(SmXmlParser *p, const xmlChar *name, const xmlChar *uri)
{
	p->namespace = uri;
	if (xmlStrEqual(name, BAD_CAST "urlset"))
		p->entry_name = "url";
	else if (xmlStrEqual(name, BAD_CAST "sitemapindex"))
		p->entry_name = "sitemap";
	else
		fault_with_name(p, "its root element is neither urlset nor sitemapindex", name);
}

static void
start_entry(SmXmlParser *p)
{
	p->in_entry = true;
	p->entry_line = xmlSAX2GetLineNumber(p->ctxt);
	p->nextensions = 0;
	memset(p->seen, 0, sizeof(p->seen));
}

/*
 * An element beside the entries, which is passed over, or an entry.  One that may
 * have been meant to be an entry is neither.
 */
static void
start_outer(SmXmlParser *p, const xmlChar *name, const xmlChar *uri)
{
	if (!in_sitemap_namespace(p, uri))
		return;
	if (xmlStrEqual(name, BAD_CAST p->entry_name))
		start_entry(p);
	else if (xmlStrcasecmp(name, BAD_CAST "url") == 0 ||
			 xmlStrcasecmp(name, BAD_CAST "sitemap") == 0)
		fault_with_name(p, "an element is no entry here", name);
}

static void
end_entry(SmXmlParser *p)
{
	p->in_entry = false;
	if (!p->seen[ITEM_LOC])
	{
		sm_fault(p->fault, ERRCODE_INVALID_XML_DOCUMENT, p->entry_line,
				 "an entry has no loc", NULL);
		return;
	}
	queue_item(p, ITEM_ENTRY_END, p->bytes.len, 0);
	p->nentries++;
}

static void
start_child(SmXmlParser *p, const xmlChar *name, const xmlChar *uri)
{
	p->start = p->bytes.len;
	p->child = ITEM_EXTENSION;
	if (!in_sitemap_namespace(p, uri))
		return;
	for (p->child = 0; p->child < NCHILDREN; p->child++)
	{
		if (!xmlStrEqual(name, BAD_CAST children[p->child].name))
			continue;
		if (p->seen[p->child])
			fault(p, children[p->child].twice, NULL);
		p->seen[p->child] = true;
		return;
	}
	p->child = ITEM_NONE;
}

/*
 * libxml2 compares each attribute of a tag with all the others, and looks for a
 * prefix among all that are in scope; sitemap_files takes no more, either.
 */
static void
check_tag(SmXmlParser *p, const SmXmlTag *tag)
{
	if (tag->nnamespaces + tag->nattributes > SM_XML_ATTRIBUTES_MAX)
		fault(p, "an element has more than " SM_STRING(SM_XML_ATTRIBUTES_MAX) " attributes", NULL);
	for (int i = 0; i < tag->nnamespaces; i++)
	{
		const xmlChar *uri = tag->namespaces[2 * i + 1];

		if (uri && strlen((const char *) uri) > NAMESPACE_MAX)
			fault(p, "the name of a namespace has more than " SM_STRING(NAMESPACE_MAX) " bytes", NULL);
	}
}

/* libxml2 has come to something. */
static void
note_callback(SmXmlParser *p)
{
	p->silence = 0;
	p->cr_before = false;
}

static void
put_content(SmXmlParser *p, const xmlChar *s, size_t len)
{
	if (stopped(p) || !p->in_entry || p->depth < 3)
		return;
	if (p->child == ITEM_EXTENSION)
		sm_xml_copy_text(&p->copy, s, len);
	else if (p->child < NCHILDREN && p->depth == 3)
		sm_buffer_append(&p->bytes, s, len);
}

/* The callbacks of libxml2 */

static void
on_start(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
		 int nnamespaces, const xmlChar **namespaces,
		 int nattributes, int ndefaulted, const xmlChar **attributes)
{
	SmXmlParser *p = arg;
	SmXmlTag	tag = {name, prefix, uri, nnamespaces, namespaces, nattributes, attributes};

	note_callback(p);
	if (stopped(p))
		return;
	check_tag(p, &tag);
	if (stopped(p))
		return;
	if (++p->depth > SM_XML_DEPTH_MAX + 2)
		fault(p, "its elements are nested too deep", NULL);
	else if (p->depth == 1)
		start_root(p, name, uri);
	else if (p->depth == 2)
		start_outer(p, name, uri);
	else if (p->in_entry)
	{
		if (p->depth == 3)
			start_child(p, name, uri);
		if (p->child == ITEM_EXTENSION)
		{
			const char *wrong = sm_xml_copy_start(&p->copy, &tag);

			if (wrong)
				fault(p, wrong, NULL);
		}
	}
}

static void
on_end(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
	SmXmlParser *p = arg;

	note_callback(p);
	if (stopped(p))
		return;
	if (p->in_entry)
	{
		if (p->child == ITEM_EXTENSION && p->depth > 2)
			sm_xml_copy_end(&p->copy, name, prefix);
		if (p->depth == 2)
			end_entry(p);
		else if (p->depth == 3 && p->child == ITEM_EXTENSION)
			queue_extension(p);
		else if (p->depth == 3 && p->child < NCHILDREN)
			queue_child(p);
	}
	p->depth--;
}

static void
on_text(void *arg, const xmlChar *s, int len)
{
	note_callback(arg);
	put_content(arg, s, len);
}

/*
 * The text of a section, or a part of it.  A line of it may end with a line feed,
 * a carriage return or both, and ends with a line feed by XML's rules, which
 * libxml2 forgets here.  Before 2.14 it takes overlong UTF-8 as it stands, too.
 */
static void
on_cdata(void *arg, const xmlChar *s, int len)
{
	SmXmlParser *p = arg;
	const xmlChar *end = s + len;
	const xmlChar *cr;
	bool		cr_before = p->cr_before;

	note_callback(p);
	if (!pg_verify_mbstr(PG_UTF8, (const char *) s, len, true))
		fault(p, "it is not well-formed XML", "Input is not proper UTF-8");

	if (cr_before && s < end && *s == '\n')
		s++;
	while ((cr = memchr(s, '\r', end - s)) != NULL)
	{
		put_content(p, s, cr - s);
		put_content(p, (const xmlChar *) "\n", 1);
		s = cr + 1;
		if (s == end)
			p->cr_before = true;
		else if (*s == '\n')
			s++;
	}
	put_content(p, s, end - s);
}

static void
on_comment(void *arg, const xmlChar *text)
{
	note_callback(arg);
}

static void
on_instruction(void *arg, const xmlChar *target, const xmlChar *data)
{
	note_callback(arg);
}

static void
on_doctype(void *arg, const xmlChar *name, const xmlChar *external_id, const xmlChar *system_id)
{
	SmXmlParser *p = arg;

	fault_with_name(p, "it has a document type declaration", name);
	xmlStopParser(p->ctxt);
}

static void
on_error(void *arg, ErrorPtr error)
{
	SmXmlParser *p = arg;

	/* a namespace may have any name */
	if (error->level >= XML_ERR_ERROR && error->code != XML_WAR_NS_URI && !no_memory(p))
		fault(p, "it is not well-formed XML", error->message);
}

static void
print_nothing(void *arg, const char *format,...)
{
}

static void
free_parser(void *arg)
{
	SmXmlParser *p = arg;
	xmlDocPtr	doc;

	if (p->ctxt == NULL)
		return;
	/* where it keeps entities, which we do not let come to that */
	doc = p->ctxt->myDoc;
	xmlFreeParserCtxt(p->ctxt);
	xmlFreeDoc(doc);
}

static void
out_of_memory(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OUT_OF_MEMORY),
			 errmsg("out of memory"),
			 errdetail("Could not parse an XML document.")));
}

SmXmlParser *
sm_xml_parser_create(bool is_utf8, SmFault *fault)
{
	SmXmlParser *p = palloc0(sizeof(SmXmlParser));
	xmlSAXHandler handler = {
		.initialized = XML_SAX2_MAGIC,
		.internalSubset = on_doctype,
		.startElementNs = on_start,
		.endElementNs = on_end,
		.characters = on_text,
		.ignorableWhitespace = on_text,
		.cdataBlock = on_cdata,
		.comment = on_comment,
		.processingInstruction = on_instruction,
		.serror = on_error
	};

	p->context = CurrentMemoryContext;
	p->fault = fault;
	sm_buffer_init(&p->bytes, p->context);
	sm_buffer_init(&p->items, p->context);
	sm_xml_copy_init(&p->copy, p->context);
	p->callback.func = free_parser;
	p->callback.arg = p;
	MemoryContextRegisterResetCallback(p->context, &p->callback);

	xmlInitParser();
	p->ctxt = xmlCreatePushParserCtxt(&handler, p, NULL, 0, NULL);
	if (p->ctxt == NULL)
		out_of_memory();

	/*
	 * NOENT: the "&amp;" of an attribute comes as "&"; there are no other
	 * entities
	 */
	xmlCtxtUseOptions(p->ctxt, XML_PARSE_NONET | XML_PARSE_NOENT |
					  (is_utf8 ? XML_PARSE_IGNORE_ENC : 0));
	return p;
}

/* Forget what was taken from the queue, and move the rest to its begin. */
static void
forget_taken(SmXmlParser *p)
{
	Item	   *items = (Item *) p->items.data;
	size_t		nitems = p->items.len / sizeof(Item);

	if (p->next == 0)
		return;
	nitems -= p->next;
	memmove(items, items + p->next, nitems * sizeof(Item));
	for (size_t i = 0; i < nitems; i++)
		items[i].start -= p->taken;
	p->items.len = nitems * sizeof(Item);
	p->next = 0;

	p->bytes.len -= p->taken;
	memmove(p->bytes.data, p->bytes.data + p->taken, p->bytes.len);
	p->start -= p->taken;
	p->taken = 0;
}

static void
push(SmXmlParser *p, SmSpan piece, bool finish)
{
	xmlStructuredErrorFunc server_handler = xmlStructuredError;
	void	   *server_context = xmlStructuredErrorContext;
	xmlGenericErrorFunc server_printer = xmlGenericError;
	void	   *server_stream = xmlGenericErrorContext;
	int			status;

	/*
	 * errors of conversion may go to the handler of the whole process, and to
	 * the one that prints to stderr
	 */
	xmlSetStructuredErrorFunc(p, on_error);
	xmlSetGenericErrorFunc(NULL, print_nothing);
	status = xmlParseChunk(p->ctxt, piece.s, (int) piece.len, finish);
	xmlSetGenericErrorFunc(server_stream, server_printer);
	xmlSetStructuredErrorFunc(server_context, server_handler);

	if (no_memory(p) || status == XML_ERR_NO_MEMORY)
		out_of_memory();
	if (status != 0)
		fault(p, "it is not well-formed XML", NULL);
	if (xmlDictSize(p->ctxt->dict) > NAMES_MAX ||
		xmlDictGetUsage(p->ctxt->dict) > NAMES_BYTES_MAX)
		fault(p, "it has more than " SM_STRING(NAMES_MAX) " different names, or too long ones", NULL);
}

void
sm_xml_parser_push(SmXmlParser *p, SmSpan piece)
{
	forget_taken(p);
	p->pushed += piece.len;
	p->silence += piece.len;
	push(p, piece, false);
	if (p->silence > MARKUP_MAX)
		fault(p, "it has a tag, section, comment or instruction of more than " SM_STRING(MARKUP_MAX) " bytes", NULL);
}

void
sm_xml_parser_finish(SmXmlParser *p)
{
	forget_taken(p);
	if (p->depth > 0 && !stopped(p))
		fault(p, "it ends too early", NULL);
	push(p, sm_no_span(), true);
}

bool
sm_xml_parser_next(SmXmlParser *p, SmRow *row, int64 *line)
{
	if (p->nentries == 0)
		return false;

	memset(row, 0, sizeof(*row));
	for (;;)
	{
		const Item *item = (Item *) p->items.data + p->next++;
		SmSpan		value = sm_span(p->bytes.data + item->start, item->len);

		switch (item->kind)
		{
			case ITEM_LOC:
				row->loc = value;
				break;
			case ITEM_LASTMOD:
				row->lastmod_type = SM_LASTMOD_TEXT;
				row->lastmod_text = value;
				break;
			case ITEM_CHANGEFREQ:
				row->changefreq = value;
				break;
			case ITEM_PRIORITY:
				row->has_priority = sm_decimal_read(value, &row->priority);
				break;
			case ITEM_EXTENSION:
				if (row->nextensions == p->max_extensions)
				{
					p->max_extensions = Max(8, 2 * p->max_extensions);
					p->extensions = p->extensions ?
						repalloc_array(p->extensions, SmSpan, p->max_extensions) :
						MemoryContextAlloc(p->context, p->max_extensions * sizeof(SmSpan));
				}
				p->extensions[row->nextensions++] = value;
				row->extensions = p->extensions;
				break;
			case ITEM_ENTRY_END:
				p->nentries--;
				p->taken = item->start;
				*line = item->line;
				return true;
			case ITEM_NONE:
				break;
		}
	}
}

#else

SmXmlParser *
sm_xml_parser_create(bool is_utf8, SmFault *fault)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("this build of sitemap cannot parse XML"),
			 errhint("Rebuild sitemap with libxml2.")));
}

void
sm_xml_parser_push(SmXmlParser *parser, SmSpan piece)
{
}

void
sm_xml_parser_finish(SmXmlParser *parser)
{
}

bool
sm_xml_parser_next(SmXmlParser *parser, SmRow *row, int64 *line)
{
	return false;
}

#endif
