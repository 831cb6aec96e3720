/*
 * site.c
 *	  Makes the index of a site, and that of a section, from the URLs and times of the
 *	  files in the target.
 */
#include "postgres.h"

#include "publish/site.h"

#include "miscadmin.h"
#include "server/encoding.h"

/* The loc of a sitemap, in UTF-8.  Raises an error unless it is on the host of base. */
static SmSpan
loc_on_site(const SmOldFile *file, const SmUrlBase *base, SmUrlCache *cache)
{
	SmSpan		loc;
	char	   *url;
	size_t		len;

	/* the index refuses a loc that cannot be converted */
	if (!sm_to_utf8(file->loc, strlen(file->loc), &loc))
		loc = sm_span_of(file->loc);
	url = palloc(sm_url_bound(loc.len, base, SM_URL_MAX));
	if (sm_url_encode(loc.s, loc.len, base, cache, SM_FORM_PLAIN, SM_URL_MAX, url, &len) == SM_URL_OTHER_SITE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an index cannot list a sitemap of another host"),
				 errdetail("In the target, file \"%s\" of the site \"%s\" has the loc \"%s\".",
						   file->name, base->url[SM_FORM_PLAIN], sm_clip(file->loc)),
				 errhint("Scheme, host and port of loc and base_url must be the same.")));
	pfree(url);
	return loc;
}

/* Make the index of a section, NULL for the site, from the site's files. */
static void
put_index(const SmFileList *files, const SmOptions *options, const char *section,
		  SmFileSink *sink)
{
	const char *name = section ? section : SM_INDEX_SECTION;
	SmIndex    *index = sm_index_create(options);
	SmUrlCache *cache = palloc0_object(SmUrlCache);
	SmUrlBase	base = options->base;

	base.scope = SM_SCOPE_HOST;
	for (int i = 0; i < files->nfiles; i++)
	{
		const SmOldFile *file = files->files[i];
		bool		is_index = sm_old_file_is_index(file);

		CHECK_FOR_INTERRUPTS();
		if (is_index && file->digest == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("an index cannot list another index"),
					 errdetail("In the target, file \"%s\" is of kind \"index\" and has no digest.",
							   file->name),
					 errhint("Add the sitemaps of that index one by one.")));
		if (is_index || file->loc == NULL || *file->loc == '\0')
			continue;
		if (section == NULL ||
			(file->digest && file->section && strcmp(file->section, section) == 0))
			sm_index_add(index, loc_on_site(file, &base, cache), file->lastmod);
	}
	sm_index_put(index, name, name, sink);
}

void
sm_site_index(const SmFileList *files, const SmOptions *options, SmFileSink *sink)
{
	const char *section = options->section;

	if (section && options->index == SM_INDEX_OF_SECTION && strcmp(section, SM_INDEX_SECTION) != 0)
		put_index(files, options, section, sink);
	put_index(files, options, NULL, sink);
}
