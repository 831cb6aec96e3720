/*
 * extension_image.c
 *	  sitemap_image: an image of a page.
 */
#include "postgres.h"

#include "extension.h"

PG_FUNCTION_INFO_V1(sitemap_image);

Datum
sitemap_image(PG_FUNCTION_ARGS)
{
	static const char *const tags[] = {"caption", "geo_location", "title"};
	SmExt		e;
	SmSpan		license;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();

	sm_ext_begin(&e, fcinfo, "image");
	sm_ext_open_tag(&e, "image");
	sm_ext_url_tag(&e, "loc", sm_ext_required(&e, 0, "loc"));
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
