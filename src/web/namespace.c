/*
 * namespace.c
 *	  The table of known namespaces, and the elements that belong there.
 */
#include "web/namespace.h"

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

const SmSpan *
sm_namespace_meant(SmSpan name, bool has_hreflang, SmSpan uri)
{
	const SmNamespace *meant = has_hreflang && sm_span_is(name, "link") ?
		sm_namespace_by_prefix(sm_span_of("xhtml")) : sm_namespace_by_prefix(name);

	return meant && !sm_span_equal(meant->uri, uri) ? &meant->uri : NULL;
}

bool
sm_namespace_is_sitemap(SmSpan uri)
{
	return uri.len == 0 || sm_span_is(uri, SM_NAMESPACE) || sm_span_is(uri, SM_NAMESPACE_084);
}
