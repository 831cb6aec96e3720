/*
 * namespace.h
 *	  Namespaces of sitemaps and of extension elements.
 */
#ifndef SM_NAMESPACE_H
#define SM_NAMESPACE_H

#include <stdint.h>

#include "text/span.h"

#define SM_NAMESPACE		"http://www.sitemaps.org/schemas/sitemap/0.9"
#define SM_NAMESPACE_084	"http://www.google.com/schemas/sitemap/0.84"

/* Extension elements; a document declares their namespaces if its entries use them. */
#define SM_NS_IMAGE		0x01
#define SM_NS_VIDEO		0x02
#define SM_NS_NEWS		0x04
#define SM_NS_XHTML		0x08

typedef struct SmNamespace
{
	uint32_t	flag;			/* SM_NS_... */
	SmSpan		prefix;
	SmSpan		uri;
} SmNamespace;

#define SM_NNAMESPACES	4
extern const SmNamespace sm_namespaces[SM_NNAMESPACES];

/* The extension namespace with this prefix, or NULL. */
extern const SmNamespace *sm_namespace_by_prefix(SmSpan prefix);

/* The flag of an extension namespace, 0 for any other URI. */
extern uint32_t sm_namespace_flag(SmSpan uri);

/*
 * The namespace that an element of an entry is meant for, by its name, if it is in another:
 * image, video, news, and a link with the attribute hreflang.  NULL for other elements.
 */
extern const SmSpan *sm_namespace_meant(SmSpan name, bool has_hreflang, SmSpan uri);

/* Is it a namespace of sitemaps, or none at all? */
extern bool sm_namespace_is_sitemap(SmSpan uri);

#endif
