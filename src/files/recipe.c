/*
 * recipe.c
 *	  Describes what decides the content and the names of a set's files, by digests.
 */
#include "postgres.h"

#include "files/recipe.h"

#include "server/query_tree.h"
#include "server/table.h"
#include "text/digest.h"

void
sm_recipe_make(SmRecipe *recipe, const SmOptions *options, const SmQuery *query)
{
	/*
	 * the query ends the text, and the URLs have no line feed, so each text
	 * has one meaning
	 */
	char	   *text = psprintf("%s %d %d %d %d " INT64_FORMAT " %d %d %d %d %u\n%s\n%s\n%s",
								SITEMAP_VERSION, options->kind, options->compression > 0,
								options->stable, options->max_urls, options->max_bytes,
								options->skip_invalid, options->base.scope, options->protocol,
								query->fixes_settings,
								query->key_type ? query->key_type->type : InvalidOid,
								options->base.url[SM_FORM_PLAIN],
								options->stylesheet ? options->stylesheet : "",
								options->query);
	List	   *views = sm_query_views(query);
	char	   *digests = palloc0((list_length(views) + 1) * SM_DIGEST_HEX_LEN + 1);
	ListCell   *lc;

	sm_digest_hex(sm_digest(text, strlen(text), 0), digests);
	recipe->text = digests;
	recipe->views = NIL;
	foreach(lc, views)
	{
		const char *definition = sm_view_definition(lfirst_oid(lc));

		digests += SM_DIGEST_HEX_LEN;
		sm_digest_hex(sm_digest(definition, strlen(definition), 0), digests);
		recipe->views = lappend(recipe->views, sm_qualified_name(lfirst_oid(lc)));
	}
}

const char *
sm_recipe_compare(const SmRecipe *recipe, const char *old)
{
	const char *digest = recipe->text;
	ListCell   *lc;

	if (old && strcmp(old, recipe->text) == 0)
		return NULL;
	if (old && strncmp(old, recipe->text, SM_DIGEST_HEX_LEN) == 0)
	{
		foreach(lc, recipe->views)
		{
			digest += SM_DIGEST_HEX_LEN;
			if (strstr(old, pnstrdup(digest, SM_DIGEST_HEX_LEN)) == NULL)
				return psprintf("the view %s has changed", (const char *) lfirst(lc));
		}
	}
	return "the query, an option, or what decides the order of keys has changed";
}
