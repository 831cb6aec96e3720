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

#include "core/url.h"
#include "core/xml.h"
#include "core/xmlreader.h"
#include "encoding.h"
#include "fragment.h"
#include "mb/pg_wchar.h"
#include "utils/memutils.h"

/*
 * Bytes between two things that libxml2 reports: the length of a tag, comment
 * or instruction.  It compares each attribute of a tag with all the others.
 */
#define MARKUP_MAX		262144

/*
 * Bytes of a namespace's name, and what the queue may grow to with extensions.
 * A few bytes use a namespace, whose name is written with each extension.
 */
#define NAMESPACE_MAX	256
#define EXTENSIONS_MAX	SM_MAX_BYTES

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

typedef struct Buffer
{
	char	   *data;
	size_t		len;
	size_t		size;
} Buffer;

typedef struct Binding
{
	const xmlChar *prefix;		/* NULL for xmlns="…" */
	const xmlChar *uri;
	int			depth;			/* of the element that declares it */
} Binding;

struct SmXmlParser
{
	MemoryContext context;
	MemoryContextCallback callback;
	xmlParserCtxtPtr ctxt;
	SmFault    *fault;
	bool		no_memory;
	size_t		silence;		/* bytes pushed since the last callback */

	/* the queue: complete entries, and the one that is being parsed */
	Buffer		bytes;
	Buffer		items;
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
	size_t		start;			/* of its bytes */

	/* in an extension */
	bool		tag_open;		/* its ">" is not yet written */
	Buffer		blanks;			/* after a tag, and perhaps only indentation */
	bool		only_blanks;	/* nothing else came after that tag */
	size_t		outer_name_end; /* where outer declarations go */
	int			ndeclared;
	Binding		declared[SM_XML_BINDINGS_MAX];
	int			nouter;
	Binding		outer[SM_XML_BINDINGS_MAX]; /* used, and declared around it */
};

/* Is this document done with? */
static bool
stopped(const SmXmlParser *p)
{
	return p->no_memory || sm_is_fault(p->fault);
}

static void
fault(SmXmlParser *p, const char *message, const char *detail)
{
	sm_fault(p->fault, ERRCODE_INVALID_XML_DOCUMENT, xmlSAX2GetLineNumber(p->ctxt),
			 message, detail);
}

/* Make room for size bytes more; false if there is no memory. */
static bool
reserve(SmXmlParser *p, Buffer *buffer, size_t size)
{
	size_t		new_size = Max(2 * buffer->size, 1024);
	char	   *data;

	if (size <= buffer->size - buffer->len)
		return true;
	if (size > MaxAllocHugeSize / 4 || buffer->size > MaxAllocHugeSize / 4)
	{
		p->no_memory = true;
		return false;
	}
	while (new_size - buffer->len < size)
		new_size *= 2;
	data = MemoryContextAllocExtended(p->context, new_size,
									  MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
	if (data == NULL)
	{
		p->no_memory = true;
		return false;
	}
	if (buffer->data)
	{
		memcpy(data, buffer->data, buffer->len);
		pfree(buffer->data);
	}
	buffer->data = data;
	buffer->size = new_size;
	return true;
}

static void
append(SmXmlParser *p, Buffer *buffer, const void *s, size_t len)
{
	if (len > 0 && reserve(p, buffer, len))
	{
		memcpy(buffer->data + buffer->len, s, len);
		buffer->len += len;
	}
}

static void
put(SmXmlParser *p, const char *s)
{
	append(p, &p->bytes, s, strlen(s));
}

static void
put_escaped(SmXmlParser *p, const xmlChar *s, size_t len)
{
	size_t		escaped;

	if (!reserve(p, &p->bytes, SM_XML_ESCAPE_BOUND(len)))
		return;
	escaped = sm_xml_escape((const char *) s, len, sm_ascii_only(),
							p->bytes.data + p->bytes.len);
	if (escaped != SM_XML_MALFORMED)	/* libxml2 would have said so */
		p->bytes.len += escaped;
}

static void
put_name(SmXmlParser *p, const xmlChar *prefix, const xmlChar *name)
{
	if (prefix)
	{
		put(p, (const char *) prefix);
		put(p, ":");
	}
	put(p, (const char *) name);
}

static void
put_attribute(SmXmlParser *p, const xmlChar *prefix, const xmlChar *name,
			  const xmlChar *value, size_t len)
{
	put(p, " ");
	put_name(p, prefix, name);
	put(p, "=\"");
	put_escaped(p, value, len);
	put(p, "\"");
}

static void
put_declaration(SmXmlParser *p, const Binding *binding)
{
	static const xmlChar xmlns[] = "xmlns";
	const xmlChar *uri = binding->uri ? binding->uri : (const xmlChar *) "";

	put_attribute(p, binding->prefix ? xmlns : NULL,
				  binding->prefix ? binding->prefix : xmlns,
				  uri, strlen((const char *) uri));
}

/* Move what was put last, all from one place on, to an earlier place. */
static void
move_back(SmXmlParser *p, size_t from, size_t to)
{
	Buffer	   *bytes = &p->bytes;
	size_t		len = bytes->len - from;

	/* a copy at the end, since what is in between moves there */
	if (!reserve(p, bytes, len))
		return;
	memcpy(bytes->data + bytes->len, bytes->data + from, len);
	memmove(bytes->data + to + len, bytes->data + to, from - to);
	memcpy(bytes->data + to, bytes->data + bytes->len, len);
}

/* A prefix is used: remember it if the extension does not declare it. */
static void
use_prefix(SmXmlParser *p, const xmlChar *prefix, const xmlChar *uri)
{
	if (uri == NULL || (prefix && xmlStrEqual(prefix, BAD_CAST "xml")))
		return;
	for (int i = p->ndeclared - 1; i >= 0; i--)
		if (xmlStrEqual(p->declared[i].prefix, prefix))
			return;
	for (int i = 0; i < p->nouter; i++)
		if (xmlStrEqual(p->outer[i].prefix, prefix))
			return;
	if (p->nouter == SM_XML_BINDINGS_MAX)
	{
		fault(p, "an extension has more than " SM_STRING(SM_XML_BINDINGS_MAX) " namespaces", NULL);
		return;
	}
	p->outer[p->nouter].prefix = prefix;
	p->outer[p->nouter].uri = uri;
	p->nouter++;
}

/*
 * Put what waited for what comes next: the end of a tag, and blanks, unless they
 * were indentation.
 */
static void
put_pending(SmXmlParser *p, bool keep_blanks)
{
	Buffer	   *blanks = &p->blanks;

	if (p->tag_open)
		put(p, ">");
	p->tag_open = false;
	if (blanks->len > 0 && (keep_blanks || memchr(blanks->data, '\n', blanks->len) == NULL))
		put_escaped(p, (const xmlChar *) blanks->data, blanks->len);
	blanks->len = 0;
}

static void
start_extension(SmXmlParser *p, const xmlChar *name, const xmlChar *prefix,
				const xmlChar *uri, int nnamespaces, const xmlChar **namespaces,
				int nattributes, const xmlChar **attributes)
{
	bool		outermost = p->bytes.len == p->start;

	put_pending(p, false);
	put(p, "<");
	put_name(p, prefix, name);
	if (outermost)
		p->outer_name_end = p->bytes.len;

	for (int i = 0; i < nnamespaces; i++)
	{
		Binding    *binding = &p->declared[p->ndeclared];

		if (p->ndeclared == SM_XML_BINDINGS_MAX)
		{
			fault(p, "an extension has more than " SM_STRING(SM_XML_BINDINGS_MAX) " namespaces", NULL);
			return;
		}
		binding->prefix = namespaces[2 * i];
		binding->uri = namespaces[2 * i + 1];
		binding->depth = p->depth;
		put_declaration(p, binding);
		p->ndeclared++;
	}
	use_prefix(p, prefix, uri);

	/* each has a name, a prefix, a namespace, and the two ends of its value */
	for (int i = 0; i < nattributes; i++, attributes += 5)
	{
		put_attribute(p, attributes[1], attributes[0], attributes[3],
					  attributes[4] - attributes[3]);
		if (attributes[1])
			use_prefix(p, attributes[1], attributes[2]);
	}
	p->tag_open = true;
	p->only_blanks = true;
}

static void
end_extension(SmXmlParser *p, const xmlChar *name, const xmlChar *prefix)
{
	if (p->tag_open && p->blanks.len == 0)
		put(p, "/>");
	else
	{
		/* blanks that are all that an element has are no indentation */
		put_pending(p, p->tag_open);
		put(p, "</");
		put_name(p, prefix, name);
		put(p, ">");
	}
	p->tag_open = false;
	p->only_blanks = true;
	while (p->ndeclared > 0 && p->declared[p->ndeclared - 1].depth == p->depth)
		p->ndeclared--;
}

/* Add the declarations that the extension leans on, so that it stands alone. */
static void
declare_outer(SmXmlParser *p)
{
	size_t		end = p->bytes.len;

	for (int i = 0; i < p->nouter; i++)
		put_declaration(p, &p->outer[i]);
	p->nouter = 0;
	move_back(p, end, p->outer_name_end);
	if (p->bytes.len > EXTENSIONS_MAX)
		fault(p, "the extensions of an entry are longer than a sitemap can be", NULL);
}

static void
queue_item(SmXmlParser *p, ItemKind kind, size_t start, size_t len)
{
	Item		item = {kind, start, len, p->entry_line};

	append(p, &p->items, &item, sizeof(item));
}

/* Queue a child of an entry that has its own column, unless it is blank. */
static void
queue_child(SmXmlParser *p)
{
	size_t		len = p->bytes.len - p->start;
	const char *text = p->bytes.data + p->start;
	const char *trimmed = len > 0 ? sm_trim(text, &len) : text;

	if (len > 0)
		queue_item(p, p->child, p->start + (trimmed - text), len);
	else if (p->child == ITEM_LOC)
		p->seen[ITEM_LOC] = false;
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
		fault(p, "its root element is neither urlset nor sitemapindex", NULL);
}

static void
start_entry(SmXmlParser *p)
{
	p->in_entry = true;
	p->entry_line = xmlSAX2GetLineNumber(p->ctxt);
	memset(p->seen, 0, sizeof(p->seen));
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
check_tag(SmXmlParser *p, int nnamespaces, const xmlChar **namespaces, int nattributes)
{
	if (nnamespaces + nattributes > SM_XML_ATTRIBUTES_MAX)
		fault(p, "an element has more than " SM_STRING(SM_XML_ATTRIBUTES_MAX) " attributes", NULL);
	for (int i = 0; i < nnamespaces; i++)
	{
		const xmlChar *uri = namespaces[2 * i + 1];

		if (uri && strlen((const char *) uri) > NAMESPACE_MAX)
			fault(p, "the name of a namespace has more than " SM_STRING(NAMESPACE_MAX) " bytes", NULL);
	}
}

/* The callbacks of libxml2 */

static void
on_start(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
		 int nnamespaces, const xmlChar **namespaces,
		 int nattributes, int ndefaulted, const xmlChar **attributes)
{
	SmXmlParser *p = arg;

	p->silence = 0;
	if (stopped(p))
		return;
	check_tag(p, nnamespaces, namespaces, nattributes);
	if (stopped(p))
		return;
	if (++p->depth > SM_XML_DEPTH_MAX + 2)
		fault(p, "its elements are nested too deep", NULL);
	else if (p->depth == 1)
		start_root(p, name, uri);
	else if (p->depth == 2)
	{
		if (in_sitemap_namespace(p, uri) && xmlStrEqual(name, BAD_CAST p->entry_name))
			start_entry(p);
	}
	else if (p->in_entry)
	{
		if (p->depth == 3)
			start_child(p, name, uri);
		if (p->child == ITEM_EXTENSION)
			start_extension(p, name, prefix, uri, nnamespaces, namespaces,
							nattributes, attributes);
	}
}

static void
on_end(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
	SmXmlParser *p = arg;

	p->silence = 0;
	if (stopped(p))
		return;
	if (p->in_entry)
	{
		if (p->child == ITEM_EXTENSION && p->depth > 2)
			end_extension(p, name, prefix);
		if (p->depth == 2)
			end_entry(p);
		else if (p->depth == 3 && p->child == ITEM_EXTENSION)
		{
			declare_outer(p);
			queue_item(p, ITEM_EXTENSION, p->start, p->bytes.len - p->start);
		}
		else if (p->depth == 3 && p->child < NCHILDREN)
			queue_child(p);
	}
	p->depth--;
}

static void
on_text(void *arg, const xmlChar *s, int len)
{
	SmXmlParser *p = arg;

	p->silence = 0;
	if (stopped(p) || !p->in_entry || p->depth < 3)
		return;
	if (p->child == ITEM_EXTENSION)
	{
		if (p->only_blanks && sm_xml_is_blank(sm_span((const char *) s, len)))
		{
			append(p, &p->blanks, s, len);
			return;
		}
		put_pending(p, true);
		p->only_blanks = false;
		put_escaped(p, s, len);
	}
	else if (p->child < NCHILDREN && p->depth == 3)
		append(p, &p->bytes, s, len);
}

/* libxml2 before 2.14 takes overlong UTF-8 in a section as it stands. */
static void
on_cdata(void *arg, const xmlChar *s, int len)
{
	SmXmlParser *p = arg;

	if (!pg_verify_mbstr(PG_UTF8, (const char *) s, len, true))
		fault(p, "it is not well-formed XML", "Input is not proper UTF-8");
	on_text(p, s, len);
}

static void
on_comment(void *arg, const xmlChar *text)
{
	((SmXmlParser *) arg)->silence = 0;
}

static void
on_instruction(void *arg, const xmlChar *target, const xmlChar *data)
{
	((SmXmlParser *) arg)->silence = 0;
}

static void
on_doctype(void *arg, const xmlChar *name, const xmlChar *external_id, const xmlChar *system_id)
{
	SmXmlParser *p = arg;

	fault(p, "it has a document type declaration", NULL);
	xmlStopParser(p->ctxt);
}

static void
on_error(void *arg, ErrorPtr error)
{
	SmXmlParser *p = arg;

	/* a namespace may have any name */
	if (error->level >= XML_ERR_ERROR && error->code != XML_WAR_NS_URI && !p->no_memory)
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
	p->outer_name_end -= p->taken;
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

	if (p->no_memory || status == XML_ERR_NO_MEMORY)
		out_of_memory();
	if (status != 0)
		fault(p, "it is not well-formed XML", NULL);
}

void
sm_xml_parser_push(SmXmlParser *p, SmSpan piece)
{
	forget_taken(p);
	p->silence += piece.len;
	push(p, piece, false);
	if (p->silence > MARKUP_MAX)
		fault(p, "it has a tag, comment or instruction of more than " SM_STRING(MARKUP_MAX) " bytes", NULL);
}

void
sm_xml_parser_finish(SmXmlParser *p)
{
	forget_taken(p);
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
				row->has_priority = sm_read_decimal(value, &row->priority);
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
