/*
 * site.c
 *	  Makes the index of a site, and that of a section, from the URLs and times of the
 *	  files in the target.
 */
#include "postgres.h"

#include "publish/site.h"

#include "miscadmin.h"
#include "server/encoding.h"
#include "utils/memutils.h"

/* The files of a site become entries of its index. */
typedef struct Site
{
	const SmTarget *target;
	SmIndex    *index;
	SmIndex    *section_index;	/* of the section's files, NULL for none */
	SmUrlBase	base;			/* of the site, for locs of its host */
	SmUrlCache	cache;
} Site;

/* Add a sitemap to the indexes.  It must be on the site. */
static void
list_sitemap(Site *site, const SmOldFile *file)
{
	const SmUrlBase *base = &site->base;
	SmSpan		loc;
	char	   *url;
	size_t		len;

	if (file->loc == NULL || *file->loc == '\0')
		return;
	/* the index refuses a loc that cannot be converted */
	if (!sm_to_utf8(file->loc, strlen(file->loc), &loc))
		loc = sm_span_of(file->loc);
	url = palloc(sm_url_bound(loc.len, base, SM_URL_MAX));
	if (sm_url_encode(loc.s, loc.len, base, &site->cache, SM_FORM_PLAIN, SM_URL_MAX, url, &len) == SM_URL_OTHER_SITE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an index cannot list a sitemap of another host"),
				 errdetail("In the target, file \"%s\" of the site \"%s\" has the loc \"%s\".",
						   file->name, site->target->base_url, sm_clip(file->loc)),
				 errhint("Scheme, host and port of loc and base_url must be the same.")));
	sm_index_add(site->index, loc, file->lastmod);
	if (site->section_index && file->digest && file->section &&
		strcmp(file->section, site->target->section) == 0)
		sm_index_add(site->section_index, loc, file->lastmod);
	pfree(url);
}

void
sm_site_index(const SmTarget *target, const SmOptions *options, SmFileSink *sink)
{
	const char *section = target->section;
	SmFileList *files = sm_target_list_site(target);
	Site	   *site = palloc0_object(Site);

	site->target = target;
	site->index = sm_index_create(options);
	if (section && options->index == SM_INDEX_OF_SECTION && strcmp(section, SM_INDEX_SECTION) != 0)
		site->section_index = sm_index_create(options);
	site->base = options->base;
	site->base.scope = SM_SCOPE_HOST;
	for (int i = 0; i < files->nfiles; i++)
	{
		const SmOldFile *file = files->files[i];

		CHECK_FOR_INTERRUPTS();
		if (!sm_old_file_is_index(file))
			list_sitemap(site, file);
		else if (file->digest == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("an index cannot list another index"),
					 errdetail("In the target, file \"%s\" is of kind \"index\" and has no digest.",
							   file->name),
					 errhint("Add the sitemaps of that index one by one.")));
	}
	MemoryContextDelete(files->context);
	if (site->section_index)
		sm_index_put(site->section_index, section, section, sink);
	sm_index_put(site->index, SM_INDEX_SECTION, SM_INDEX_SECTION, sink);
}
