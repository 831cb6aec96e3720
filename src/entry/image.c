/*
 * image.c
 *	  sitemap_image: an image of a page.
 */
#include "postgres.h"

#include "entry/extension.h"

#include "entry/value.h"

PG_FUNCTION_INFO_V1(sitemap_image);

/* Begin an image with its loc. name: noun phrase for the loc in a problem. */
static bool
begin_image(StringInfo buf, SmSpan loc, SmUrlCache *cache, SmProblems *problems,
			const char *name)
{
	sm_append(buf, SM_LITERAL("<image:image><image:loc>"));
	if (!sm_append_url(buf, loc, cache, problems, name))
		return false;
	sm_append(buf, SM_LITERAL("</image:loc>"));
	return true;
}

bool
sm_append_image(StringInfo buf, SmSpan loc, SmUrlCache *cache, SmProblems *problems)
{
	int			start = buf->len;

	if (!begin_image(buf, loc, cache, problems, "image"))
	{
		buf->len = start;
		return false;
	}
	sm_append(buf, SM_LITERAL("</image:image>"));
	return true;
}

Datum
sitemap_image(PG_FUNCTION_ARGS)
{
	static const char *const tags[] = {"caption", "geo_location", "title"};
	SmExt		e;
	SmSpan		license;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();

	sm_ext_begin(&e, fcinfo, "image");
	begin_image(&e.buf, sm_ext_required(&e, 0, "loc"), &e.cache, &e.problems, "loc");
	for (size_t i = 0; i < lengthof(tags); i++)
	{
		SmSpan		value = sm_ext_text(&e, i + 1, tags[i]);

		if (value.s != NULL)
			sm_ext_text_tag(&e, tags[i], value);
	}
	license = sm_ext_text(&e, 4, "license");
	if (license.s != NULL)
		sm_ext_url_tag(&e, "license", license);
	sm_ext_close_tag(&e, "image");
	return sm_ext_end(&e);
}
