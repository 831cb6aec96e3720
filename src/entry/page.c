/*
 * page.c
 *	  Rules for the extension elements of a page: a limit of images, one link for
 *	  each language, no video whose URL is the page's.
 */
#include "postgres.h"

#include "entry/page.h"

#include "core/ascii.h"
#include "core/digest.h"
#include "core/namespace.h"
#include "core/text.h"
#include "core/url.h"
#include "core/xml.h"
#include "entry/reader.h"
#include "entry/value.h"
#include "server/encoding.h"

/* longest hreflang, in bytes */
#define MAX_HREFLANG	255

/* A language for which the page has a link. */
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

/* Empty the buffer for the value of an element. */
static void
begin_value(SmPage *page)
{
	if (page->value.data == NULL)
		initStringInfo(&page->value);
	else
		resetStringInfo(&page->value);
}

/*
 * Add a link.  is_raw: hreflang and href are as in XML, with references.  Returns
 * false for a problem.
 */
static bool
add_alternate(SmPage *page, SmSpan given, SmSpan href, bool is_raw, SmProblems *problems)
{
	SmSpan		hreflang;
	SmAlternate *alternate;
	bool		found;

	if (page->nalternates == SM_MAX_ALTERNATES)
	{
		sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
				   "invalid extensions: a url can have at most %d alternates", SM_MAX_ALTERNATES);
		return false;
	}
	if (given.len > MAX_HREFLANG)
	{
		sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
				   "invalid hreflang \"%s\": more than %d bytes",
				   sm_for_message(given), MAX_HREFLANG);
		return false;
	}
	hreflang = is_raw ? sm_xml_resolve(given) :
		sm_trim(sm_span(pnstrdup(given.s, given.len), given.len));
	for (char *c = unconstify(char *, hreflang.s); c < hreflang.s + hreflang.len; c++)
		*c = sm_lower(*c);
	if (page->languages == NULL)
		page->languages = languages_create(CurrentMemoryContext, 16, NULL);
	languages_insert(page->languages, hreflang, &found);
	if (found)
	{
		sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_PARAMETER_VALUE, NULL,
				   "invalid hreflang \"%s\": a url can have one alternate for each language",
				   sm_for_message(given));
		return false;
	}

	if (page->nalternates == page->max_alternates)
	{
		page->max_alternates = Max(16, 2 * page->max_alternates);
		page->alternates = page->alternates ?
			repalloc_array(page->alternates, SmAlternate, page->max_alternates) :
			palloc_array(SmAlternate, page->max_alternates);
	}
	alternate = &page->alternates[page->nalternates++];
	alternate->hreflang = hreflang;
	alternate->href = href;
	alternate->is_raw = is_raw;
	return true;
}

bool
sm_page_add_alternate(SmPage *page, const SmLink *link, SmProblems *problems)
{
	if (!add_alternate(page, link->hreflang, link->href, false, problems))
		return false;
	page->namespaces |= SM_NS_XHTML;
	return true;
}

static bool
add_image(SmPage *page, SmProblems *problems)
{
	if (page->images == SM_MAX_IMAGES)
	{
		sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
				   "invalid extensions: a url can have at most %d images", SM_MAX_IMAGES);
		return false;
	}
	page->images++;
	return true;
}

bool
sm_page_add_image(SmPage *page, SmSpan url, SmProblems *problems)
{
	if (!add_image(page, problems))
		return false;
	page->namespaces |= SM_NS_IMAGE;
	if (page->found_media)
		page->found_media(page->found_media_arg, "image", url);
	return true;
}

/*
 * Are two hosts the same, or is one a subdomain of the other?  A leading
 * "www."  is ignored.  Two subdomains of one domain count as different: only a
 * public list of suffixes could tell whether they have one owner.
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

/* A URL in ready-made XML as it would be written; the URL itself if it is not valid. */
static SmSpan
encoded_url(SmSpan url)
{
	SmUrlCache	cache = {.raw_len = 0};
	SmSpan		encoded;

	return sm_encode_url(url, &cache, &encoded) ? encoded : url;
}

/* A page can have many URLs. */
static void
free_encoded_url(SmSpan encoded, SmSpan url)
{
	if (encoded.s != url.s)
		pfree(unconstify(char *, encoded.s));
}

/* Check <video:uploader>: its info must be on the domain of the page. */
static bool
check_uploader(const SmXmlReader *r, SmPage *page, SmProblems *problems)
{
	for (int i = 0; i < r->nattributes; i++)
	{
		const SmXmlAttribute *a = &r->attributes[i];
		SmSpan		info;
		SmSpan		url;
		SmSpan		host;
		SmSpan		page_host;
		bool		is_valid;

		if (a->prefix.len > 0 || !sm_span_is(a->name, "info"))
			continue;
		info = sm_xml_resolve(a->value);
		url = encoded_url(info);
		host.s = sm_url_host(url.s, url.len, &host.len);
		page_host.s = sm_url_host(page->loc.s, page->loc.len, &page_host.len);
		is_valid = same_domain(page_host, host);
		free_encoded_url(url, info);
		if (!is_valid)
		{
			sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_PARAMETER_VALUE, NULL,
					   "invalid uploader_info \"%s\": must be on the domain of the page",
					   sm_for_message(info));
			return false;
		}
	}
	return true;
}

/*
 * Check the outermost element of an extension: the number of images and of
 * news, and the languages of links.
 */
static bool
check_extension(const SmXmlReader *r, uint32 ns, SmPage *page,
				SmProblems *problems)
{
	if (ns == SM_NS_IMAGE && sm_span_is(r->name, "image"))
		return add_image(page, problems);

	if (ns == SM_NS_NEWS && sm_span_is(r->name, "news") && ++page->news > 1)
	{
		sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_PARAMETER_VALUE, NULL,
				   "invalid extensions: a url can have at most one news element");
		return false;
	}

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
		if (hreflang.s != NULL)
			return add_alternate(page, hreflang, href, true, problems);
	}
	return true;
}

/* Are two URLs the same, ignoring the case of scheme and host? */
static bool
same_url(SmSpan a, SmSpan b)
{
	size_t		host_len;
	size_t		origin_len = sm_url_host(a.s, a.len, &host_len) + host_len - a.s;

	return a.len == b.len &&
		pg_strncasecmp(a.s, b.s, origin_len) == 0 &&
		memcmp(a.s + origin_len, b.s + origin_len, a.len - origin_len) == 0;
}

/*
 * A child of the outermost element, in the same namespace, whose value is needed.
 * has_rule: the value is needed for a rule, whether or not found_media is set.
 */
typedef struct ValueElement
{
	uint32		ns;
	bool		has_rule;
	const char *name;
	const char *media;			/* noun phrase for the value, a URL; NULL if
								 * the value is no URL */
} ValueElement;

static const ValueElement value_elements[] = {
	{SM_NS_IMAGE, false, "loc", "image"},
	{SM_NS_VIDEO, false, "thumbnail_loc", "video thumbnail"},
	{SM_NS_VIDEO, true, "content_loc", "video"},
	{SM_NS_VIDEO, true, "player_loc", "video player"},
	{SM_NS_NEWS, true, "publication_date", NULL}
};

/* Find the child element that has just begun, if its value is needed. */
static const ValueElement *
value_element(const SmXmlReader *r, const SmPlace *place, const SmPage *page)
{
	for (size_t i = 0; i < lengthof(value_elements); i++)
	{
		const ValueElement *element = &value_elements[i];

		if (element->ns == place->top && (element->has_rule || page->found_media) &&
			sm_span_is(r->name, element->name) && sm_namespace_flag(r->uri) == place->top)
			return element;
	}
	return NULL;
}

/* Check the value of the child element that has just ended. */
static bool
check_value(const SmPlace *place, SmPage *page, SmProblems *problems)
{
	SmSpan		value = sm_trim(sm_span(page->value.data, page->value.len));
	SmSpan		url;
	bool		is_page;

	if (place->inside->media && page->found_media)
		page->found_media(page->found_media_arg, place->inside->media, value);
	if (place->top == SM_NS_NEWS)
	{
		page->news_date = sm_span(pnstrdup(value.s, value.len), value.len);
		return true;
	}
	if (!place->inside->has_rule || page->loc.len == 0)
		return true;
	if (page->loc_text.s == NULL)
		page->loc_text = sm_xml_resolve(page->loc);
	url = encoded_url(value);
	is_page = same_url(url, page->loc_text);
	free_encoded_url(url, value);
	if (is_page)
	{
		sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_PARAMETER_VALUE, NULL,
				   "invalid %s \"%s\": must differ from the loc of the page",
				   place->inside->name, sm_for_message(value));
		return false;
	}
	return true;
}

static bool
check_start(const SmXmlReader *r, SmPlace *place, SmPage *page,
			SmProblems *problems)
{
	/*
	 * In a document, an element without a namespace would inherit the
	 * sitemap's.
	 */
	if (sm_namespace_is_sitemap(r->uri))
	{
		sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_XML_CONTENT,
				   SM_DECLARE_HINT,
				   "invalid extension: the element \"%s\" has no namespace, or that of sitemaps",
				   sm_for_message(r->name));
		return false;
	}
	if (r->depth == 0)
	{
		place->top = sm_namespace_flag(r->uri);
		return place->top == 0 ||
			check_extension(r, place->top, page, problems);
	}
	if (r->depth > 1 || (place->top != SM_NS_VIDEO && place->top != SM_NS_NEWS &&
						 !(place->top == SM_NS_IMAGE && page->found_media)))
		return true;

	place->inside = value_element(r, place, page);
	if (place->inside)
		begin_value(page);
	if (place->top == SM_NS_VIDEO && sm_span_is(r->name, "uploader") &&
		sm_namespace_flag(r->uri) == SM_NS_VIDEO && page->loc.len > 0)
		return check_uploader(r, page, problems);
	return true;
}

bool
sm_page_check(SmPage *page, SmPlace *place, const SmXmlReader *r, SmXmlToken token,
			  SmProblems *problems)
{
	switch (token)
	{
		case SM_XML_START:
			return check_start(r, place, page, problems);

		case SM_XML_END:
			if (place->inside && r->depth == 1)
			{
				if (!check_value(place, page, problems))
					return false;
				place->inside = NULL;
			}
			return true;

		case SM_XML_TEXT:
		case SM_XML_CDATA:
			if (r->depth == 0 && (token == SM_XML_CDATA || !sm_xml_is_blank(r->raw)))
			{
				sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_XML_CONTENT, NULL,
						   "invalid extension: text outside of the elements");
				return false;
			}
			if (place->inside && r->depth == 2)
				sm_xml_append_content(&page->value, r, token);
			return true;

		default:
			return true;
	}
}

void
sm_page_restore(SmPage *page, const SmPage *before)
{
	for (int i = before->nalternates; i < page->nalternates; i++)
		languages_delete(page->languages, page->alternates[i].hreflang);

	/*
	 * keep the arrays: they may have grown, but the elements from before are
	 * unchanged
	 */
	page->namespaces = before->namespaces;
	page->images = before->images;
	page->news = before->news;
	page->news_date = before->news_date;
	page->nalternates = before->nalternates;
}
