/*
 * alternate.c
 *	  sitemap_alternate, sitemap_alternates: a page in another language.
 */
#include "postgres.h"

#include "entry/extension.h"

#include "catalog/pg_type.h"
#include "core/iso.h"
#include "core/text.h"
#include "entry/row.h"
#include "entry/value.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "utils/array.h"
#include "utils/datum.h"

PG_FUNCTION_INFO_V1(sitemap_alternate);
PG_FUNCTION_INFO_V1(sitemap_alternates);

bool
sm_append_alternate(StringInfo buf, const SmLink *link, SmUrlCache *cache,
					SmProblems *problems)
{
	SmSpan		hreflang = sm_trim(link->hreflang);
	int			start = buf->len;

	if (!sm_iso_hreflang(hreflang.s, hreflang.len))
	{
		sm_problem(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_PARAMETER_VALUE,
				   "A language code is ISO 639-1, then perhaps ISO 15924 for the script, then perhaps ISO 3166-1 alpha-2 for the country, with hyphens between them, such as de, de-AT, zh-Hant and zh-Hant-TW. A country alone is not a language.",
				   "invalid hreflang \"%s\": must be x-default or a language code",
				   sm_for_message(link->hreflang));
		return false;
	}
	sm_append(buf, SM_LITERAL("<xhtml:link rel=\"alternate\" hreflang=\""));
	sm_append(buf, hreflang.s, hreflang.len);
	sm_append(buf, SM_LITERAL("\" href=\""));
	if (!sm_append_url(buf, link->href, cache, problems, "href"))
	{
		buf->len = start;
		return false;
	}
	sm_append(buf, SM_LITERAL("\"/>"));
	return true;
}

Datum
sitemap_alternate(PG_FUNCTION_ARGS)
{
	SmExt		e;
	SmLink		link;

	sm_ext_begin(&e, fcinfo, "xhtml");
	link.hreflang = sm_ext_required(&e, 0, "hreflang");
	link.href = sm_ext_required(&e, 1, "href");
	sm_append_alternate(&e.buf, &link, &e.cache, &e.problems);
	return sm_ext_end(&e);
}

Datum
sitemap_alternates(PG_FUNCTION_ARGS)
{
	SmProblems	problems = {0};
	SmLink	   *links;
	int			n = sm_read_alternates(PG_GETARG_DATUM(0), &links, &problems, "hrefs");
	Datum	   *elements = palloc_array(Datum, n);
	SmExt		e;

	/* all elements share one buffer; each result is a copy */
	sm_ext_begin(&e, fcinfo, "xhtml");
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();

		e.buf.len = VARHDRSZ;
		sm_append_alternate(&e.buf, &links[i], &e.cache, &e.problems);
		elements[i] = datumCopy(sm_ext_end(&e), false, -1);
	}
	PG_RETURN_ARRAYTYPE_P(construct_array(elements, n, XMLOID, -1, false, TYPALIGN_INT));
}
