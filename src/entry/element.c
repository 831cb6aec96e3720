/*
 * element.c
 *	  URLs of extension elements, and the limits for elements of a page.
 */
#include "postgres.h"

#include "entry/element.h"

#include "entry/value.h"
#include "server/encoding.h"
#include "web/namespace.h"

bool
sm_append_url(SmEntryWriter *w, SmSpan url, SmProblemName problem, const char *what)
{
	SmUrlStatus status;
	size_t		len;

	/* too long for any document: stop before the size overflows */
	if (url.len > SM_MAX_BYTES)
		return sm_refuse(&w->problems, problem, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
						 "%s is too long for a sitemap: %zu bytes", what, url.len);
	status = sm_url_encode(url.s, url.len, w->link_base, &w->link_cache, SM_FORM_XML, SM_URL_UNLIMITED,
						   sm_reserve(w->buf, sm_url_bound(url.len, w->link_base, SM_URL_UNLIMITED)),
						   &len);
	if (status == SM_URL_OK)
	{
		w->buf->len += len;
		return true;
	}
	sm_url_problem(&w->problems, problem,
				   psprintf("%s \"%s\"", what, sm_for_message(sm_without_secret(url))), status);
	return false;
}

bool
sm_count_element(SmEntryWriter *w, uint32 ns, SmProblemName problem)
{
	if (ns == SM_NS_IMAGE && w->nimages == SM_MAX_IMAGES)
		return sm_refuse(&w->problems, problem, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
						 "invalid extensions: a url can have at most %d images", SM_MAX_IMAGES);
	if (ns == SM_NS_NEWS && w->page->has_news)
		return sm_refuse(&w->problems, problem, ERRCODE_INVALID_PARAMETER_VALUE, NULL,
						 "invalid extensions: a url can have at most one news element");
	w->nimages += ns == SM_NS_IMAGE;
	w->page->has_news |= ns == SM_NS_NEWS;
	return true;
}
