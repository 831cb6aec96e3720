/*
 * recipe.c
 *	  Describes what decides the content and the names of a set's files, by a digest.
 */
#include "postgres.h"

#include "files/recipe.h"

#include "server/query_tree.h"
#include "text/digest.h"

char *
sm_recipe_make(const SmOptions *options, const SmQuery *query)
{
	StringInfoData text;
	char	   *recipe = palloc0(SM_DIGEST_HEX_LEN + 1);
	ListCell   *lc;

	/* URLs have no line feed, so each text has one meaning */
	initStringInfo(&text);
	appendStringInfo(&text, "%s %d %d %d %d " INT64_FORMAT " %d %d %d %d %u\n%s\n%s\n%s",
					 SITEMAP_VERSION, options->kind, options->compression > 0,
					 options->stable, options->max_urls, options->max_bytes,
					 options->skip_invalid, options->base.scope, options->protocol,
					 query->fixes_settings,
					 query->key_type ? query->key_type->type : InvalidOid,
					 options->base.url[SM_FORM_PLAIN],
					 options->stylesheet ? options->stylesheet : "",
					 options->query);
	foreach(lc, sm_query_views(query))
	{
		appendStringInfoChar(&text, '\0');
		appendStringInfoString(&text, sm_view_definition(lfirst_oid(lc)));
	}
	sm_digest_hex(sm_digest(text.data, text.len, 0), recipe);
	return recipe;
}
