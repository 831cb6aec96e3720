/*
 * namespace.c
 *	  Namespaces of sitemaps and of extension elements.
 */
#include "core/namespace.h"

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

const SmSpan *
sm_namespace_lookup(void *used, SmSpan prefix)
{
	const SmNamespace *found = sm_namespace_by_prefix(prefix);

	if (found == NULL)
		return NULL;
	*(uint32_t *) used |= found->flag;
	return &found->uri;
}

uint32_t
sm_namespace_flag(SmSpan uri)
{
	for (int i = 0; i < SM_NNAMESPACES; i++)
		if (sm_span_equal(sm_namespaces[i].uri, uri))
			return sm_namespaces[i].flag;
	return 0;
}

bool
sm_namespace_is_sitemap(SmSpan uri)
{
	return uri.len == 0 || sm_span_is(uri, SM_NAMESPACE) || sm_span_is(uri, SM_NAMESPACE_084);
}
