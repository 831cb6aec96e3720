/*
 * alternate.c
 *	  Links to a page in other languages.
 */
#include "postgres.h"

#include "entry/element.h"
#include "entry/value.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "text/ascii.h"
#include "text/iso.h"
#include "text/text.h"
#include "utils/jsonb.h"
#include "web/namespace.h"

/* Is a value null or an empty array, as which PHP writes an empty map? */
static bool
is_none(const JsonbValue *value)
{
	return value->type == jbvNull ||
		(value->type == jbvBinary && JsonContainerIsArray(value->val.binary.data) &&
		 JsonContainerSize(value->val.binary.data) == 0);
}

int
sm_read_alternates(Datum object, SmLink **links, SmProblems *problems, const char *what)
{
	Jsonb	   *hrefs = DatumGetJsonbP(object);
	JsonbIterator *it;
	JsonbIteratorToken token;
	JsonbValue	value;
	SmLink		link = {sm_no_span(), sm_no_span()};
	int			n = 0;

	if (!JB_ROOT_IS_OBJECT(hrefs))
	{
		if (JB_ROOT_COUNT(hrefs) == 0 || (JsonbExtractScalar(&hrefs->root, &value) && value.type == jbvNull))
			return 0;
		sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_PARAMETER_VALUE,
				   "An example is {\"en\": \"https://www.example.com/en\", \"x-default\": \"https://www.example.com/\"}.",
				   "%s must be a JSON object", what);
		return 0;
	}

	*links = palloc_array(SmLink, JB_ROOT_COUNT(hrefs));
	it = JsonbIteratorInit(&hrefs->root);
	while ((token = JsonbIteratorNext(&it, &value, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();

		if (token == WJB_KEY)
			sm_read_string(value.val.string.val, value.val.string.len, &link.hreflang, problems,
						   SM_EXTENSION_INVALID, "hreflang");
		if (token != WJB_VALUE || is_none(&value) || link.hreflang.s == NULL)
			continue;
		if (value.type != jbvString)
			sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_PARAMETER_VALUE, NULL,
					   "the value of \"%s\" in %s must be a string",
					   sm_for_message(link.hreflang), what);
		else
		{
			sm_read_string(value.val.string.val, value.val.string.len, &link.href, problems,
						   SM_EXTENSION_INVALID, "href");
			if (sm_trim(link.href).len > 0)
				(*links)[n++] = link;
		}
	}
	return n;
}

/* A hint for an invalid hreflang: what to write instead, if that is known. */
static const char *
hreflang_hint(SmSpan hreflang)
{
	char		room[SM_HREFLANG_MAX];
	SmSpan		suggested = sm_iso_suggest_hreflang(hreflang, room);

	if (suggested.len > 0)
		return psprintf("Write \"%.*s\".", (int) suggested.len, suggested.s);
	return "A language code is ISO 639-1, then perhaps ISO 15924 for the script, then perhaps ISO 3166-1 alpha-2 for the country, with hyphens between them, such as de, de-AT, zh-Hant and zh-Hant-TW. A country alone is not a language.";
}

/*
 * Add the language of a link of the page, a valid code.  Returns false if the page has a link
 * for the language, or too many links.
 */
static bool
add_language(SmEntryWriter *w, SmSpan hreflang)
{
	if (w->nlanguages == SM_MAX_ALTERNATES)
		return sm_refuse(&w->problems, SM_EXTENSION_INVALID, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
						 "invalid extensions: a url can have at most %d alternates", SM_MAX_ALTERNATES);

	for (int i = 0; i < w->nlanguages; i++)
		if (sm_equal_ignoring_case(w->languages[i], hreflang))
			return sm_refuse(&w->problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_PARAMETER_VALUE, NULL,
							 "invalid hreflang \"%s\": a url can have one alternate for each language",
							 sm_for_message(hreflang));
	w->languages[w->nlanguages++] = hreflang;
	w->page->namespaces |= SM_NS_XHTML;
	return true;
}

bool
sm_append_alternate(SmEntryWriter *w, const SmLink *link)
{
	SmSpan		hreflang = sm_trim(link->hreflang);
	SmHreflang	status = sm_iso_hreflang(hreflang);
	int			start = w->buf->len;
	int			code;
	int			href;

	if (status == SM_HREFLANG_INVALID)
	{
		sm_problem(&w->problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_PARAMETER_VALUE,
				   hreflang_hint(hreflang),
				   "invalid hreflang \"%s\": must be x-default or a language code",
				   sm_for_message(link->hreflang));
		/* the audit goes on: the link counts, although its code is invalid */
		if (w->value_callback == NULL)
			return false;
	}
	sm_append(w->buf, SM_LITERAL("<xhtml:link rel=\"alternate\" hreflang=\""));
	code = w->buf->len;
	sm_append(w->buf, hreflang.s, hreflang.len);
	sm_call_back(w, SM_ROLE_HREFLANG, code);
	sm_append(w->buf, SM_LITERAL("\" href=\""));
	href = w->buf->len;
	if (sm_append_url(w, link->href, SM_EXTENSION_INVALID, "href") &&
		(w->page == NULL || status == SM_HREFLANG_INVALID || add_language(w, hreflang)))
	{
		sm_call_back(w, SM_ROLE_ALTERNATE, href);
		sm_append(w->buf, SM_LITERAL("\"/>"));
		if (status != SM_HREFLANG_INVALID)
			return true;
	}
	w->buf->len = start;
	return false;
}
