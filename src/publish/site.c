/*
 * site.c
 *	  Makes the index of a site, and that of a section, from the URLs and times of the
 *	  files in the target.
 */
#include "postgres.h"

#include "publish/site.h"

#include "catalog/pg_type.h"
#include "nodes/value.h"
#include "server/encoding.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

/* What is read of a file. */
enum
{
	SITE_SECTION,
	SITE_NAME,
	SITE_KIND,
	SITE_LOC,
	SITE_LASTMOD,
	SITE_IS_OURS,				/* false if another program makes the file */
	SITE_NCOLUMNS
};

/* In the order of the index: by section, then by name, -9 before -10. */
#define SELECT_FILES \
	"SELECT section, name, kind, loc, lastmod, digest IS NOT NULL FROM %s WHERE %s" \
	" ORDER BY section COLLATE pg_catalog.\"C\" NULLS FIRST, pg_catalog.octet_length(name)," \
	" name COLLATE pg_catalog.\"C\""

/* Receives the files of a site. */
typedef struct Site
{
	SmReceiver	receiver;		/* must be first */
	const SmTarget *target;
	SmIndex    *index;
	SmIndex    *section_index;	/* of the section's files, NULL for none */
	SmUrlBase	base;			/* of the site, for locs of its host */
	SmUrlCache	cache;
	List	   *indexes;		/* names of its indexes, String nodes */
} Site;

static void
start_site(SmReceiver *self, TupleDesc desc)
{
	static const SmTableColumn columns[SITE_NCOLUMNS] = {
		[SITE_SECTION] = {.name = "section",.type = TEXTOID},
		[SITE_NAME] = {.name = "name",.type = TEXTOID},
		[SITE_KIND] = {.name = "kind",.type = TEXTOID},
		[SITE_LOC] = {.name = "loc",.type = TEXTOID},
		[SITE_LASTMOD] = {.name = "lastmod",.type = TIMESTAMPTZOID},
		[SITE_IS_OURS] = {.name = "digest",.type = BOOLOID}
	};

	sm_target_check_types(((Site *) self)->target, desc, columns, SITE_NCOLUMNS);
}

static const char *
text_or_empty(const TupleTableSlot *row, int column)
{
	return row->tts_isnull[column] ? "" : TextDatumGetCString(row->tts_values[column]);
}

/*
 * Note the name of an index, if it is the site's.  An index that another program makes is
 * an error.
 */
static void
list_index(Site *site, const TupleTableSlot *row)
{
	const char *name = TextDatumGetCString(row->tts_values[SITE_NAME]);
	MemoryContext oldcontext;

	if (!DatumGetBool(row->tts_values[SITE_IS_OURS]))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an index cannot list another index"),
				 errdetail("In the target, file \"%s\" is of kind \"index\" and has no digest.",
						   name),
				 errhint("Add the sitemaps of that index one by one.")));
	if (strcmp(text_or_empty(row, SITE_SECTION), SM_INDEX_SECTION) != 0)
		return;
	oldcontext = MemoryContextSwitchTo(site->receiver.context);
	site->indexes = lappend(site->indexes, makeString(pstrdup(name)));
	MemoryContextSwitchTo(oldcontext);
}

/* Add a sitemap to the indexes.  It must be on the site. */
static void
list_sitemap(Site *site, const TupleTableSlot *row)
{
	const char *given = text_or_empty(row, SITE_LOC);
	const SmUrlBase *base = &site->base;
	TimestampTz lastmod = DT_NOBEGIN;
	SmSpan		loc;
	char	   *url;
	size_t		len;

	/* the index refuses a loc that cannot be converted */
	if (!sm_to_utf8(given, strlen(given), &loc))
		loc = sm_span_of(given);
	if (loc.len == 0)
		return;
	url = palloc(sm_url_bound(loc.len, base, SM_URL_MAX));
	if (sm_url_encode(loc.s, loc.len, base, &site->cache, SM_FORM_PLAIN, SM_URL_MAX, url, &len) == SM_URL_OTHER_SITE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an index cannot list a sitemap of another host"),
				 errdetail("In the target, file \"%s\" of the site \"%s\" has the loc \"%s\".",
						   TextDatumGetCString(row->tts_values[SITE_NAME]), site->target->base_url, sm_clip(given)),
				 errhint("Scheme, host and port of loc and base_url must be the same.")));
	if (!row->tts_isnull[SITE_LASTMOD])
		lastmod = DatumGetTimestampTz(row->tts_values[SITE_LASTMOD]);
	sm_index_add(site->index, loc, lastmod);
	if (site->section_index && DatumGetBool(row->tts_values[SITE_IS_OURS]) &&
		strcmp(text_or_empty(row, SITE_SECTION), site->target->section) == 0)
		sm_index_add(site->section_index, loc, lastmod);
}

static bool
receive_file(SmReceiver *self, TupleTableSlot *row)
{
	Site	   *site = (Site *) self;

	slot_getallattrs(row);
	sm_target_check_name(site->target, row->tts_isnull[SITE_NAME]);
	if (strcmp(text_or_empty(row, SITE_KIND), SM_KIND_INDEX) == 0)
		list_index(site, row);
	else
		list_sitemap(site, row);
	return true;
}

List *
sm_site_index(const SmTarget *target, const SmOptions *options, SmFileSink *sink)
{
	const char *section = target->section;
	Site	   *site = palloc0_object(Site);

	sm_receiver_init(&site->receiver, start_site, receive_file);
	site->target = target;
	site->index = sm_index_create(options);
	if (section && options->index == SM_INDEX_OF_SECTION && strcmp(section, SM_INDEX_SECTION) != 0)
		site->section_index = sm_index_create(options);
	site->base = options->base;
	site->base.scope = SM_SCOPE_HOST;
	sm_target_select(psprintf(SELECT_FILES, target->table.sql_name, target->of_site),
					 &site->receiver);
	if (site->section_index)
		sm_index_put(site->section_index, section, section, sink);
	sm_index_put(site->index, SM_INDEX_SECTION, SM_INDEX_SECTION, sink);
	return site->indexes;
}
