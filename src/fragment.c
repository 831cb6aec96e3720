/*
 * fragment.c
 *	  XML values on their way into a document: extension elements, and whole
 *	  <url> elements taken apart into the values that they were made of.
 *
 * An xml value can come from anywhere, so each is read token by token, and
 * nothing reaches a document that the reader has not found well-formed.  The
 * rules that concern a page as a whole (how many images, each language once)
 * are checked here, since here is where elements meet their page.
 */
#include "postgres.h"

#include "fragment.h"

#include "core/decimal.h"
#include "core/digest.h"
#include "core/namespace.h"
#include "core/text.h"
#include "core/url.h"
#include "core/xml.h"
#include "core/xmlreader.h"
#include "encoding.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

#define DECLARE_HINT \
	"Declare the namespace on the element itself, as in xmlelement(name \"x:y\", xmlattributes('http://example.com/ns' AS \"xmlns:x\"))."

/* The languages that a page has alternates in. */
typedef struct Language
{
	SmSpan		hreflang;
	char		status;
} Language;

#define SH_PREFIX languages
#define SH_ELEMENT_TYPE Language
#define SH_KEY_TYPE SmSpan
#define SH_KEY hreflang
#define SH_HASH_KEY(table, key) ((uint32) sm_digest((key).s, (key).len, 0))
#define SH_EQUAL(table, a, b) sm_span_equal(a, b)
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* How the bytes of a token that cannot stand as they are get written. */
typedef enum TokenMode
{
	IN_TAG,
	IN_TEXT,
	IN_CDATA
} TokenMode;

/* A lookup for the reader: the prefixes that a document declares by itself. */
static const SmSpan *
document_namespace(void *arg, SmSpan prefix)
{
	const SmNamespace *namespace = sm_namespace_by_prefix(prefix);
	uint32	   *used = arg;

	if (namespace == NULL)
		return NULL;
	*used |= namespace->flag;
	return &namespace->uri;
}

static bool
malformed(SmProblems *problems, SmProblemName name, const SmXmlReader *r,
		  const char *what)
{
	if (r->undeclared.s)
		return sm_problem(problems, name, ERRCODE_INVALID_XML_CONTENT, DECLARE_HINT,
						  "invalid %s: the namespace prefix \"%s\" is not declared",
						  what, sm_for_message(r->undeclared));
	return sm_problem(problems, name, ERRCODE_INVALID_XML_CONTENT, NULL,
					  "invalid %s: %s", what, r->message);
}

/* What characters outside ASCII are to be in the document. */
typedef enum Charset
{
	AS_GIVEN,
	AS_REFERENCES,				/* it goes back into a database that is not
								 * UTF-8 */
	AS_CHARACTERS				/* it comes out of such a database */
} Charset;

static Charset
target_charset(bool ascii)
{
	return ascii ? AS_REFERENCES : sm_ascii_only() ? AS_CHARACTERS : AS_GIVEN;
}

/* May it stand in a document byte for byte? */
static bool
is_clean(SmSpan raw, Charset charset)
{
	for (size_t i = 0; i < raw.len; i++)
	{
		unsigned char c = raw.s[i];

		if (c == '\t' || c == '\n' || c == '\r' || c == '\\' ||
			(c >= 0x80 && charset == AS_REFERENCES) ||
			(c == '&' && charset == AS_CHARACTERS))
			return false;
	}
	return true;
}

/*
 * Write a token, or the inside of a CDATA section as text, so that it means
 * the same on one line.  A parser reads a line break of any kind as a line
 * feed, and any blank in an attribute's value as a space.  False if a name has
 * a character outside ASCII where that is asked for: names have no references.
 */
static bool
append_rewritten(StringInfo buf, SmSpan raw, TokenMode mode, Charset charset)
{
	char		quote = '\0';

	for (size_t i = 0; i < raw.len; i++)
	{
		char		c = raw.s[i];
		uint32_t	code;
		size_t		n;

		if (c == '\r' && i + 1 < raw.len && raw.s[i + 1] == '\n')
			continue;			/* the line feed stands for both */
		if (mode == IN_TAG && (c == '"' || c == '\''))
		{
			if (quote == '\0')
				quote = c;
			else if (quote == c)
				quote = '\0';
		}

		if (c == '\t' || c == '\n' || c == '\r')
			appendStringInfoString(buf, mode == IN_TAG ? " " : c == '\t' ? "&#9;" : "&#10;");
		else if (c == '\\')
			appendStringInfoString(buf, "&#92;");
		else if (c == '>' && mode != IN_TAG)
			appendStringInfoString(buf, "&gt;");	/* "]]" may stand before
													 * it */
		else if (mode == IN_CDATA && (c == '&' || c == '<'))
			appendStringInfoString(buf, c == '&' ? "&amp;" : "&lt;");
		else if (charset == AS_CHARACTERS && mode != IN_CDATA && c == '&' &&
				 (n = sm_xml_reference(raw.s + i, raw.s + raw.len, &code)) > 0 &&
				 code >= 0x80)
		{
			enlargeStringInfo(buf, n);
			buf->len += sm_xml_unescape(raw.s + i, n, buf->data + buf->len);
			i += n - 1;
		}
		else if (charset == AS_REFERENCES && IS_HIGHBIT_SET(c))
		{
			n = sm_utf8_decode(raw.s + i, raw.s + raw.len, &code);
			if (mode == IN_TAG && quote == '\0')
				return false;
			appendStringInfo(buf, "&#x%X;", code);
			i += n - 1;
		}
		else
			appendStringInfoChar(buf, c);
	}
	return true;
}

/* Write one token of an extension that cannot go into a document as it is. */
static bool
append_token(StringInfo buf, const SmXmlReader *r, SmXmlToken token, Charset charset)
{
	switch (token)
	{
		case SM_XML_START:
		case SM_XML_END:
			return append_rewritten(buf, r->raw, IN_TAG, charset);
		case SM_XML_TEXT:
			return append_rewritten(buf, r->raw, IN_TEXT, charset);
		default:
			break;
	}

	/*
	 * the others have no references, so nothing in them stands for a
	 * character
	 */
	if (charset == AS_CHARACTERS)
		charset = AS_GIVEN;
	if (is_clean(r->raw, charset))
		appendBinaryStringInfo(buf, r->raw.s, r->raw.len);
	else if (token == SM_XML_CDATA)
		return append_rewritten(buf, r->data, IN_CDATA, charset);

	/*
	 * a comment or instruction that is not clean is left out: nobody misses
	 * it
	 */
	return true;
}

/* Does it declare one of our prefixes, as the document does?  0 if not. */
static uint32
own_declaration(const SmXmlAttribute *a)
{
	const SmNamespace *namespace = sm_span_is(a->prefix, "xmlns") ?
		sm_namespace_by_prefix(a->name) : NULL;

	return namespace && sm_span_equal(namespace->uri, a->value) ? namespace->flag : 0;
}

static uint32
own_declarations(const SmXmlReader *r)
{
	uint32		flags = 0;

	for (int i = 0; i < r->nattributes; i++)
		flags |= own_declaration(&r->attributes[i]);
	return flags;
}

/* Write a tag without the declarations that are left to the document. */
static bool
append_without_own(StringInfo buf, const SmXmlReader *r, Charset charset)
{
	const char *from = r->raw.s;

	for (int i = 0; i < r->nattributes; i++)
	{
		const SmXmlAttribute *a = &r->attributes[i];
		const char *to = a->prefix.s;

		if (own_declaration(a) == 0)
			continue;
		while (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\n' || to[-1] == '\r')
			to--;
		if (!append_rewritten(buf, sm_span(from, to - from), IN_TAG, charset))
			return false;
		from = a->value.s + a->value.len + 1;	/* behind the quote */
	}
	return append_rewritten(buf, sm_span(from, r->raw.s + r->raw.len - from), IN_TAG, charset);
}

/* Add what a token of text or a CDATA section says. */
static void
append_content(StringInfo buf, const SmXmlReader *r, SmXmlToken token)
{
	if (token == SM_XML_CDATA)
		appendBinaryStringInfo(buf, r->data.s, r->data.len);
	else
	{
		enlargeStringInfo(buf, r->raw.len);
		buf->len += sm_xml_unescape(r->raw.s, r->raw.len, buf->data + buf->len);
	}
}

/* What a raw attribute value says, without the blanks around it. */
static SmSpan
meaning_of(SmSpan raw)
{
	char	   *text = palloc(raw.len + 1);

	return sm_trim(sm_span(text, sm_xml_unescape(raw.s, raw.len, text)));
}

/* Remember a link of the page; false if there is one for its language. */
static bool
add_alternate(SmExtensions *extensions, SmSpan hreflang, SmSpan href)
{
	SmAlternate *alternate;
	bool		found;

	for (char *c = unconstify(char *, hreflang.s); c < hreflang.s + hreflang.len; c++)
		*c = sm_lower(*c);
	if (extensions->languages == NULL)
		extensions->languages = languages_create(CurrentMemoryContext, 16, NULL);
	languages_insert(extensions->languages, hreflang, &found);
	if (found)
		return false;

	if (extensions->nalternates == extensions->max_alternates)
	{
		extensions->max_alternates = Max(16, 2 * extensions->max_alternates);
		extensions->alternates = extensions->alternates ?
			repalloc_array(extensions->alternates, SmAlternate, extensions->max_alternates) :
			palloc_array(SmAlternate, extensions->max_alternates);
	}
	alternate = &extensions->alternates[extensions->nalternates++];
	alternate->hreflang = hreflang;
	alternate->href = href;
	return true;
}

/*
 * Is one host the other, or the domain that the other is in, "www." aside?  Who
 * owns which part of a domain name cannot be known without a public list, so
 * two different subdomains do not count as one domain.
 */
static bool
same_domain(SmSpan a, SmSpan b)
{
	SmSpan	   *spans[] = {&a, &b};
	SmSpan		tmp;

	for (int i = 0; i < 2; i++)
	{
		if (spans[i]->len > 4 && pg_strncasecmp(spans[i]->s, "www.", 4) == 0)
		{
			spans[i]->s += 4;
			spans[i]->len -= 4;
		}
	}
	if (a.len < b.len)
	{
		tmp = a;
		a = b;
		b = tmp;
	}
	return b.len > 0 &&
		pg_strncasecmp(a.s + a.len - b.len, b.s, b.len) == 0 &&
		(a.len == b.len || a.s[a.len - b.len - 1] == '.');
}

/* The rules that the tag <video:uploader> has with regard to its page. */
static bool
check_uploader(const SmXmlReader *r, const SmExtensions *extensions,
			   SmProblems *problems)
{
	for (int i = 0; i < r->nattributes; i++)
	{
		const SmXmlAttribute *a = &r->attributes[i];
		SmSpan		info;
		SmSpan		host;
		SmSpan		page;

		if (a->prefix.len > 0 || !sm_span_is(a->name, "info"))
			continue;
		info = meaning_of(a->value);
		host.s = sm_url_host(info.s, info.len, &host.len);
		page.s = sm_url_host(extensions->loc.s, extensions->loc.len, &page.len);
		if (!same_domain(page, host))
			return sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_PARAMETER_VALUE, NULL,
							  "invalid uploader_info \"%s\": it must be on the domain of the page",
							  sm_for_message(info));
	}
	return true;
}

/* The rules that an extension element has with regard to its page. */
static bool
check_extension(const SmXmlReader *r, uint32 ns, SmExtensions *extensions,
				SmProblems *problems)
{
	if (ns == SM_NS_IMAGE && sm_span_is(r->name, "image") &&
		++extensions->images > SM_MAX_IMAGES)
		return sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
						  "invalid extensions: a url can have at most %d images", SM_MAX_IMAGES);

	if (ns == SM_NS_NEWS && sm_span_is(r->name, "news") && ++extensions->news > 1)
		return sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_PARAMETER_VALUE, NULL,
						  "invalid extensions: a url can have at most one news element");

	if (ns == SM_NS_XHTML && sm_span_is(r->name, "link"))
	{
		SmSpan		hreflang = sm_no_span();
		SmSpan		href = sm_no_span();

		for (int i = 0; i < r->nattributes; i++)
		{
			if (r->attributes[i].prefix.len > 0)
				continue;
			if (sm_span_is(r->attributes[i].name, "hreflang"))
				hreflang = r->attributes[i].value;
			else if (sm_span_is(r->attributes[i].name, "href"))
				href = r->attributes[i].value;
		}
		if (hreflang.s != NULL && !add_alternate(extensions, meaning_of(hreflang), href))
			return sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_PARAMETER_VALUE, NULL,
							  "invalid hreflang \"%s\": a url can have one alternate for each language",
							  sm_for_message(hreflang));
	}
	return true;
}

/* Are two URLs the same but for the case of scheme and host, which mean the same? */
static bool
same_url(SmSpan a, SmSpan b)
{
	size_t		host_len;
	size_t		origin_len = sm_url_host(a.s, a.len, &host_len) + host_len - a.s;

	return a.len == b.len &&
		pg_strncasecmp(a.s, b.s, origin_len) == 0 &&
		memcmp(a.s + origin_len, b.s + origin_len, a.len - origin_len) == 0;
}

/* Where in an extension a reader is, as far as rules depend on it. */
typedef struct Position
{
	uint32		top;			/* namespace of the outermost element, SM_NS_… */
	const char *inside;			/* the element right in it that has a rule for
								 * its value, by name, or NULL */
	StringInfoData value;		/* that one's, so far */
} Position;

/* The name of an element that check_value has a rule for, or NULL. */
static const char *
with_rule(const SmXmlReader *r, uint32 top)
{
	static const struct
	{
		uint32		ns;
		const char *name;
	}			elements[] = {
		{SM_NS_VIDEO, "content_loc"},
		{SM_NS_VIDEO, "player_loc"},
		{SM_NS_NEWS, "publication_date"}
	};

	for (size_t i = 0; i < lengthof(elements); i++)
		if (elements[i].ns == top && sm_span_is(r->name, elements[i].name) &&
			sm_namespace_flag(r->uri) == top)
			return elements[i].name;
	return NULL;
}

/* Check the value of such an element, now that it has come to its end. */
static bool
check_value(const Position *position, SmExtensions *extensions, SmProblems *problems)
{
	SmSpan		value = sm_trim(sm_span(position->value.data, position->value.len));

	if (position->top == SM_NS_NEWS)
		extensions->news_date = value;
	else if (extensions->loc.len > 0 && same_url(value, meaning_of(extensions->loc)))
		return sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_PARAMETER_VALUE, NULL,
						  "invalid %s \"%s\": it must differ from the loc of the page",
						  position->inside, sm_for_message(value));
	return true;
}

static bool
check_start(const SmXmlReader *r, Position *position, SmExtensions *extensions,
			SmProblems *problems)
{
	/* one without a namespace would be in the sitemap's, once it is inside */
	if (sm_namespace_is_sitemap(r->uri))
		return sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_XML_CONTENT,
						  DECLARE_HINT,
						  "invalid extension: the element \"%s\" is in no namespace of its own",
						  sm_for_message(r->name));
	if (r->depth == 0)
	{
		position->top = sm_namespace_flag(r->uri);
		return position->top == 0 ||
			check_extension(r, position->top, extensions, problems);
	}
	if (r->depth > 1 || (position->top != SM_NS_VIDEO && position->top != SM_NS_NEWS))
		return true;

	position->inside = with_rule(r, position->top);
	if (position->inside)
		initStringInfo(&position->value);
	if (position->top == SM_NS_VIDEO && sm_span_is(r->name, "uploader") &&
		sm_namespace_flag(r->uri) == SM_NS_VIDEO && extensions->loc.len > 0)
		return check_uploader(r, extensions, problems);
	return true;
}

/* Check a token against the rules of its place. */
static bool
check_token(const SmXmlReader *r, SmXmlToken token, Position *position,
			SmExtensions *extensions, SmProblems *problems)
{
	switch (token)
	{
		case SM_XML_START:
			return check_start(r, position, extensions, problems);

		case SM_XML_END:
			if (position->inside && r->depth == 1)
			{
				if (!check_value(position, extensions, problems))
					return false;
				position->inside = NULL;
			}
			return true;

		case SM_XML_TEXT:
		case SM_XML_CDATA:
			if (r->depth == 0 && (token == SM_XML_CDATA || !sm_xml_is_blank(r->raw)))
				return sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_XML_CONTENT, NULL,
								  "invalid extension: it has text outside of its elements");
			if (position->inside && r->depth == 2)
				append_content(&position->value, r, token);
			return true;

		default:
			return true;
	}
}

/* sm_append_extension, which undoes what this has done where it fails. */
static bool
append_extension(StringInfo buf, SmSpan xml, Charset charset,
				 SmExtensions *extensions, SmProblems *problems)
{
	SmXmlReader r;
	SmXmlToken	token;
	Position	position = {0};
	bool		clean;
	uint32		own;			/* declarations that are left to the document */
	const char *start = NULL;	/* of what is not yet written of an element */

	if (xml.len > SM_MAX_BYTES)
		return sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
						  "invalid extension: it has %zu bytes, more than a sitemap can have",
						  xml.len);

	clean = is_clean(xml, charset);
	sm_xml_reader_init(&r, xml.s, xml.len, document_namespace, &extensions->namespaces);
	while ((token = sm_xml_next(&r)) != SM_XML_END_OF_INPUT)
	{
		CHECK_FOR_INTERRUPTS();

		if (token == SM_XML_ERROR)
			return malformed(problems, SM_EXTENSION_INVALID, &r, "extension");
		if (!check_token(&r, token, &position, extensions, problems))
			return false;
		if (token == SM_XML_TEXT && r.depth == 0)
			continue;			/* blanks between elements */

		/* an element that stands alone does not need to, in a document */
		own = token == SM_XML_START && r.depth == 0 ? own_declarations(&r) : 0;
		extensions->namespaces |= own;
		if (own != 0 || !clean ||
			(r.depth == 0 && token != SM_XML_START && token != SM_XML_END))
		{
			if (own != 0 ? !append_without_own(buf, &r, charset) :
				!append_token(buf, &r, token, charset))
				return sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_FEATURE_NOT_SUPPORTED, NULL,
								  "invalid extension: names outside ASCII are not supported in a database with encoding \"%s\"",
								  GetDatabaseEncodingName());
			start = r.raw.s + r.raw.len;
		}
		else if (r.depth == 0)
		{
			/* an element that is clean goes in at once */
			if (token == SM_XML_START)
				start = r.raw.s;
			else
				appendBinaryStringInfo(buf, start, r.raw.s + r.raw.len - start);
		}
	}
	return true;
}

bool
sm_append_extension(StringInfo buf, SmSpan xml, bool ascii,
					SmExtensions *extensions, SmProblems *problems)
{
	SmExtensions before = *extensions;
	int			len = buf->len;

	if (append_extension(buf, xml, target_charset(ascii), extensions, problems))
		return true;

	for (int i = before.nalternates; i < extensions->nalternates; i++)
		languages_delete(extensions->languages, extensions->alternates[i].hreflang);

	/* the array may have moved, its first entries have not changed */
	before.alternates = extensions->alternates;
	before.max_alternates = extensions->max_alternates;
	before.languages = extensions->languages;
	*extensions = before;
	buf->len = len;
	buf->data[len] = '\0';
	return false;
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
			append_content(&unescaped, r, token);
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
		return sm_problem(problems, SM_ENTRY_TOO_LARGE, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
						  "invalid url: it has %zu bytes, more than a sitemap can have",
						  xml.len);
	sm_xml_reader_init(&r, xml.s, xml.len, document_namespace, &used);
	r.message = "it is not a single url element";

	while ((token = sm_xml_next(&r)) != SM_XML_END_OF_INPUT)
	{
		SmSpan	   *field;

		CHECK_FOR_INTERRUPTS();

		if (token == SM_XML_ERROR)
			return malformed(problems, SM_URL_ELEMENT_INVALID, &r, "url");
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
			return malformed(problems, SM_URL_ELEMENT_INVALID, &r, "url");
		}

		if (!in_url)
		{
			if (!sm_span_is(r.name, "url") || !sm_namespace_is_sitemap(r.uri))
				return malformed(problems, SM_URL_ELEMENT_INVALID, &r, "url");
			for (int i = 0; i < r.nattributes; i++)
			{
				if (r.attributes[i].prefix.len == 0 && sm_span_is(r.attributes[i].name, "xmlns"))
					continue;
				sm_problem(problems, SM_URL_ELEMENT_INVALID, ERRCODE_INVALID_XML_CONTENT,
						   DECLARE_HINT, "invalid url: the url element has attributes");
				if (!problems->report)
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
				return malformed(problems, SM_URL_ELEMENT_INVALID, &r, "url");
			row->nextensions++;
			continue;
		}

		field = field_of(r.name, row, &priority);
		if (field == NULL || field->s != NULL)
		{
			SmSpan		ignored;

			sm_problem(problems, SM_URL_ELEMENT_INVALID, ERRCODE_INVALID_XML_CONTENT, NULL,
					   field == NULL ? "invalid url: it has an unknown element \"%s\"" :
					   "invalid url: it has the element \"%s\" twice",
					   sm_for_message(r.name));
			if (!problems->report)
				return false;
			if (!skip_element(&r, &ignored))
				return malformed(problems, SM_URL_ELEMENT_INVALID, &r, "url");
		}
		else if (!read_content(&r, field))
			return malformed(problems, SM_URL_ELEMENT_INVALID, &r, "url");
	}

	if (!seen)
		return malformed(problems, SM_URL_ELEMENT_INVALID, &r, "url");
	if (row->loc.s == NULL)
	{
		sm_problem(problems, SM_URL_ELEMENT_INVALID, ERRCODE_INVALID_XML_CONTENT, NULL,
				   "invalid url: it has no loc");
		if (!problems->report)
			return false;
	}
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
