/*
 * alternate.c
 *	  Links to a page in other languages; sitemap_alternate and sitemap_alternates.
 */
#include "postgres.h"

#include "entry/alternate.h"

#include "catalog/pg_type.h"
#include "core/ascii.h"
#include "core/iso.h"
#include "core/text.h"
#include "entry/row.h"
#include "entry/value.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "server/argument.h"
#include "server/encoding.h"
#include "utils/array.h"
#include "utils/datum.h"
#include "utils/xml.h"

PG_FUNCTION_INFO_V1(sitemap_alternate);
PG_FUNCTION_INFO_V1(sitemap_alternates);

/*
 * The hreflang that an invalid value probably stands for.  Common mistakes are a
 * country's code for a language's, as cn for zh, and UK for GB.
 */
static const char *
hreflang_hint(SmSpan hreflang)
{
	static const struct
	{
		const char *code;
		const char *hint;
	}			languages[] = {
		{"cn", "Chinese is zh."}, {"cz", "Czech is cs."}, {"dk", "Danish is da."},
		{"gr", "Greek is el."}, {"jp", "Japanese is ja."}, {"kr", "Korean is ko."},
		{"ua", "Ukrainian is uk."}
	};
	SmSpan		language = sm_span(hreflang.s, Min(hreflang.len, 2));

	for (size_t i = 0; i < lengthof(languages); i++)
		if (sm_equal_ignoring_case(language, sm_span_of(languages[i].code)) &&
			(hreflang.len == 2 || hreflang.s[2] == '-'))
			return languages[i].hint;
	if (hreflang.len > 3 &&
		sm_equal_ignoring_case(sm_span(hreflang.s + hreflang.len - 3, 3), sm_span_of("-UK")))
		return "For the United Kingdom it is GB.";
	return "A language code is ISO 639-1, then perhaps ISO 15924 for the script, then perhaps ISO 3166-1 alpha-2 for the country, with hyphens between them, such as de, de-AT, zh-Hant and zh-Hant-TW. A country alone is not a language.";
}

bool
sm_append_alternate(StringInfo buf, SmLink *link, const SmUrlBase *base,
					SmUrlCache *cache, SmProblems *problems)
{
	SmSpan		hreflang = sm_trim(link->hreflang);
	SmSpan		href = link->href;
	int			start = buf->len;
	SmUrlStatus status;

	if (!sm_iso_hreflang(hreflang.s, hreflang.len))
		return sm_refuse(problems, SM_EXTENSION_INVALID, ERRCODE_INVALID_PARAMETER_VALUE,
						 hreflang_hint(hreflang),
						 "invalid hreflang \"%s\": must be x-default or a language code",
						 sm_for_message(link->hreflang));
	sm_append(buf, SM_LITERAL("<xhtml:link rel=\"alternate\" hreflang=\""));
	sm_append(buf, hreflang.s, hreflang.len);
	sm_append(buf, SM_LITERAL("\" href=\""));
	status = sm_append_url(buf, &link->href, base, cache);
	if (status != SM_URL_OK)
	{
		sm_append_url_problem(problems, SM_EXTENSION_INVALID, "href", href, status);
		buf->len = start;
		return false;
	}
	sm_append(buf, SM_LITERAL("\"/>"));
	return true;
}

/* A required argument of sitemap_alternate. */
static SmSpan
required_argument(FunctionCallInfo fcinfo, int n, const char *name)
{
	SmSpan		value = sm_unless_blank(sm_read_argument(PG_GETARG_DATUM(n), name));

	if (value.s == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s is required, and must not be null or blank", name)));
	return value;
}

Datum
sitemap_alternate(PG_FUNCTION_ARGS)
{
	SmProblems	problems = {0};
	SmUrlCache	cache;
	StringInfoData buf;
	SmLink		link;

	link.hreflang = required_argument(fcinfo, 0, "hreflang");
	link.href = required_argument(fcinfo, 1, "href");
	cache.raw_len = 0;
	initStringInfo(&buf);
	buf.len = VARHDRSZ;
	sm_append_alternate(&buf, &link, NULL, &cache, &problems);
	SET_VARSIZE(buf.data, buf.len);
	PG_RETURN_XML_P(buf.data);
}

Datum
sitemap_alternates(PG_FUNCTION_ARGS)
{
	SmProblems	problems = {0};
	SmUrlCache	cache;
	StringInfoData buf;
	SmLink	   *links;
	int			n = sm_read_alternates(PG_GETARG_DATUM(0), &links, &problems, "hrefs");
	Datum	   *elements = palloc_array(Datum, n);

	/* all elements share one buffer; each result is a copy */
	cache.raw_len = 0;
	initStringInfo(&buf);
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();

		buf.len = VARHDRSZ;
		sm_append_alternate(&buf, &links[i], NULL, &cache, &problems);
		SET_VARSIZE(buf.data, buf.len);
		elements[i] = datumCopy(PointerGetDatum(buf.data), false, -1);
	}
	PG_RETURN_ARRAYTYPE_P(construct_array(elements, n, XMLOID, -1, false, TYPALIGN_INT));
}
