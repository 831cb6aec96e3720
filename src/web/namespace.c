/*
 * namespace.c
 *	  The table of known namespaces, and the names that are like them.
 */
#include "web/namespace.h"

#include "text/ascii.h"

const SmNamespace sm_namespaces[SM_NNAMESPACES] = {
	{SM_NS_IMAGE, {SM_LITERAL("image")}, {SM_LITERAL("http://www.google.com/schemas/sitemap-image/1.1")}},
	{SM_NS_VIDEO, {SM_LITERAL("video")}, {SM_LITERAL("http://www.google.com/schemas/sitemap-video/1.1")}},
	{SM_NS_NEWS, {SM_LITERAL("news")}, {SM_LITERAL("http://www.google.com/schemas/sitemap-news/0.9")}},
	{SM_NS_XHTML, {SM_LITERAL("xhtml")}, {SM_LITERAL("http://www.w3.org/1999/xhtml")}},
};

const SmNamespace *
sm_namespace_by_prefix(SmSpan prefix)
{
	for (int i = 0; i < SM_NNAMESPACES; i++)
		if (sm_span_equal(sm_namespaces[i].prefix, prefix))
			return &sm_namespaces[i];
	return NULL;
}

uint32_t
sm_namespace_flag(SmSpan uri)
{
	for (int i = 0; i < SM_NNAMESPACES; i++)
		if (sm_span_equal(sm_namespaces[i].uri, uri))
			return sm_namespaces[i].flag;
	return 0;
}

/* The part of a name that its versions share: "google.com/schemas/sitemap-image". */
static SmSpan
stem(SmSpan uri)
{
	static const char *const starts[] = {"http://", "https://", "www."};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
	{
		size_t		len = strlen(starts[i]);

		if (uri.len > len && sm_equal_ignoring_case(sm_span(uri.s, len), sm_span_of(starts[i])))
			uri = sm_span(uri.s + len, uri.len - len);
	}
	while (uri.len > 0 && strchr("0123456789./", uri.s[uri.len - 1]))
		uri.len--;
	return uri;
}

const SmSpan *
sm_namespace_nearest(SmSpan uri)
{
	static const SmSpan others[] = {
		{SM_LITERAL(SM_NAMESPACE)}, {SM_LITERAL(SM_NAMESPACE_084)},
		{SM_LITERAL("http://www.google.com/schemas/sitemap-mobile/1.0")},
		{SM_LITERAL("http://www.google.com/schemas/sitemap-pagemap/1.0")}
	};
	const size_t nothers = sizeof(others) / sizeof(others[0]);
	const SmSpan *nearest = NULL;

	for (size_t i = 0; i < SM_NNAMESPACES + nothers; i++)
	{
		const SmSpan *known = i < nothers ? &others[i] : &sm_namespaces[i - nothers].uri;

		if (sm_span_equal(*known, uri))
			return NULL;
		if (nearest == NULL && sm_equal_ignoring_case(stem(*known), stem(uri)))
			nearest = known;
	}
	return nearest;
}

bool
sm_namespace_is_sitemap(SmSpan uri)
{
	return uri.len == 0 || sm_span_is(uri, SM_NAMESPACE) || sm_span_is(uri, SM_NAMESPACE_084);
}
