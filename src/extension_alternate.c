/*
 * extension_alternate.c
 *	  sitemap_alternate, sitemap_alternates: a page in another language.
 */
#include "postgres.h"

#include "extension.h"

#include "catalog/pg_type.h"
#include "core/iso.h"
#include "encoding.h"
#include "utils/array.h"
#include "utils/jsonb.h"

PG_FUNCTION_INFO_V1(sitemap_alternate);
PG_FUNCTION_INFO_V1(sitemap_alternates);

static void
alternate(SmExt *e, SmSpan hreflang, SmSpan href)
{
	hreflang = sm_ext_trimmed(hreflang);
	if (hreflang.s == NULL)
		sm_ext_missing("hreflang");
	if (sm_ext_unless_blank(href).s == NULL)
		sm_ext_missing("href");
	if (!sm_iso_hreflang(hreflang.s, hreflang.len))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid hreflang \"%s\": it must be x-default or a language code",
						sm_for_message(hreflang)),
				 errdetail("A language code is ISO 639-1, then perhaps ISO 15924 for the script, then perhaps ISO 3166-1 alpha-2 for the country, with hyphens between them."),
				 errhint("Examples are de, de-AT, zh-Hant and zh-Hant-TW; a country alone is not a language.")));
	sm_ext_begin_tag(e, "link");
	appendStringInfoString(&e->buf, " rel=\"alternate\"");
	sm_ext_attribute(e, "hreflang", "hreflang", hreflang);
	appendStringInfoString(&e->buf, " href=\"");
	sm_ext_append_url(e, "href", href);
	appendStringInfoString(&e->buf, "\"/>");
}

Datum
sitemap_alternate(PG_FUNCTION_ARGS)
{
	SmExt		e;

	sm_ext_begin(&e, fcinfo, "xhtml");
	alternate(&e, sm_ext_text(&e, 0, "hreflang"), sm_ext_text(&e, 1, "href"));
	return sm_ext_end(&e);
}

static SmSpan
jsonb_text(const JsonbValue *value, const char *name)
{
	SmSpan		result;

	if (!sm_to_utf8(value->val.string.val, value->val.string.len, &result))
		ereport(ERROR,
				(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
				 errmsg("invalid %s: it cannot be converted to UTF-8", name)));
	return result;
}

Datum
sitemap_alternates(PG_FUNCTION_ARGS)
{
	Jsonb	   *hrefs = PG_GETARG_JSONB_P(0);
	JsonbIterator *it;
	JsonbIteratorToken token;
	JsonbValue	value;
	SmSpan		hreflang = sm_no_span();
	Datum	   *links;
	int			n = 0;

	if (!JB_ROOT_IS_OBJECT(hrefs))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hrefs must be a JSON object"),
				 errhint("An example is {\"en\": \"https://www.example.com/en\", \"x-default\": \"https://www.example.com/\"}.")));

	links = palloc_array(Datum, JB_ROOT_COUNT(hrefs));
	it = JsonbIteratorInit(&hrefs->root);
	while ((token = JsonbIteratorNext(&it, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			hreflang = jsonb_text(&value, "hreflang");
		else if (token == WJB_VALUE && value.type == jbvNull)
			continue;
		else if (token == WJB_VALUE && value.type == jbvString)
		{
			SmExt		e;

			sm_ext_begin(&e, fcinfo, "xhtml");
			alternate(&e, hreflang, jsonb_text(&value, "href"));
			links[n++] = sm_ext_end(&e);
		}
		else if (token == WJB_VALUE)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the value of \"%s\" in hrefs must be a string",
							sm_for_message(hreflang))));
	}
	PG_RETURN_ARRAYTYPE_P(construct_array(links, n, XMLOID, -1, false, TYPALIGN_INT));
}
