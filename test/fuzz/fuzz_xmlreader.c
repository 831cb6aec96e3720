/*
 * fuzz_xmlreader.c
 *	  Fuzzes web/xmlreader.
 *
 * Tokens lie in the input one after the other, nested as they should be.  In a
 * build with libxml2, what the reader takes inside a document or as a document is
 * also well-formed to that, and what it refuses is refused by that too.
 */
#include "web/xmlreader.h"

#include "fuzz.h"

/* What keeps this from being well-formed, as a document or as element content; NULL if nothing does. */
static const char *
complaint(const char *src, size_t len, bool is_document)
{
	SmXmlReader r;
	const char *expected = NULL;
	int			depth = 0;
	bool		undeclared = false;

	if (is_document)
		sm_xml_reader_init_document(&r, src, len);
	else
		sm_xml_reader_init(&r, src, len);
	for (;;)
	{
		SmXmlToken	token = sm_xml_next(&r);

		if (token == SM_XML_ERROR)
		{
			CHECK(r.message != NULL);
			return r.message;
		}
		if (token == SM_XML_END_OF_INPUT)
		{
			CHECK(depth == 0);
			CHECK(expected == NULL || expected == src + len);
			return undeclared ? "undeclared namespace prefix" : NULL;
		}

		CHECK(expected == NULL || r.raw.s == expected);
		CHECK(r.raw.s >= src && r.raw.len <= (size_t) (src + len - r.raw.s));
		expected = r.raw.s + r.raw.len;
		if (token == SM_XML_END)
			depth--;
		CHECK(depth >= 0 && r.depth == depth);
		if (token == SM_XML_START)
		{
			depth++;
			undeclared = undeclared || r.undeclared.s != NULL;
			CHECK(is_document || r.undeclared.s == NULL);
			CHECK(r.name.len > 0);
			CHECK(r.nattributes >= 0 && r.nattributes <= SM_XML_ATTRIBUTES_MAX);
		}
		else if (token != SM_XML_END)
			CHECK(r.raw.len > 0);
	}
}

#ifdef USE_LIBXML2

#include <libxml/parser.h>

#if LIBXML_VERSION >= 21200
typedef const xmlError *ErrorPtr;
#else
typedef xmlErrorPtr ErrorPtr;
#endif

/* A namespace that is no URI is no error, though libxml2 says so. */
static void
on_error(void *arg, ErrorPtr error)
{
	if (error->level >= XML_ERR_ERROR && error->code != XML_WAR_NS_URI)
		*(bool *) arg = false;
}

/* What libxml2 thinks of a document; false if not well-formed. */
static bool
libxml2_accepts_document(const char *src, size_t len)
{
	xmlParserCtxtPtr ctxt = xmlNewParserCtxt();
	bool		result = true;

	xmlSetStructuredErrorFunc(&result, on_error);
	xmlFreeDoc(xmlCtxtReadMemory(ctxt, src, len, NULL, "UTF-8",
								 XML_PARSE_NONET | XML_PARSE_IGNORE_ENC));
	xmlSetStructuredErrorFunc(NULL, NULL);
	xmlFreeParserCtxt(ctxt);
	return result;
}

/* What libxml2 thinks of the fragment inside a document. */
static bool
libxml2_accepts_fragment(const char *src, size_t len)
{
	static const char head[] = "<urlset xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'"
		" xmlns:video='http://www.google.com/schemas/sitemap-video/1.1'"
		" xmlns:news='http://www.google.com/schemas/sitemap-news/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>";
	static const char tail[] = "</urlset>";
	char	   *document = exactly(NULL, sizeof(head) + len + sizeof(tail));
	size_t		n = sizeof(head) - 1;
	bool		result;

	memcpy(document, head, n);
	memcpy(document + n, src, len);
	memcpy(document + n + len, tail, sizeof(tail));
	result = libxml2_accepts_document(document, n + len + sizeof(tail) - 1);
	free(document);
	return result;
}

/* Is this refused for a limit of the reader's own? */
static bool
is_our_limit(const char *message)
{
	return strstr(message, "64") != NULL ||
		strstr(message, "the name of a namespace") != NULL ||
		strstr(message, "document type") != NULL;
}

static void
compare(const char *src, size_t len, bool is_document, const char *message)
{
	bool		(*judge) (const char *src, size_t len) =
		is_document ? libxml2_accepts_document : libxml2_accepts_fragment;
	SmSpan		encoding;
	size_t		declaration = sm_xml_declaration(sm_span(src, len), &encoding);

	/* in a declaration, libxml2 checks more */
	src += declaration;
	len -= declaration;
	if (len >= 6 && memcmp(src, "<?xml", 5) == 0)
		return;
	/* libxml2 passes over a byte order mark, and over what follows a zero behind the root */
	if (memchr(src, 0, len) != NULL ||
		(is_document && len >= 3 && memcmp(src, "\xEF\xBB\xBF", 3) == 0))
		return;
	if (message == NULL)
		CHECK(judge(src, len));
	else if (!is_our_limit(message))
		CHECK(!judge(src, len));
}

#endif

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char	   *src = exactly(data, size);

	for (int is_document = 0; is_document <= 1; is_document++)
	{
		const char *message = complaint(src, size, is_document);

#ifdef USE_LIBXML2
		compare(src, size, is_document, message);
#else
		(void) message;
#endif
	}
	free(src);
	return 0;
}
