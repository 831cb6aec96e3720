/*
 * recipe.h
 *	  The recipe of a set: what decides how its files look, except the rows.
 */
#ifndef SM_RECIPE_H
#define SM_RECIPE_H

#include "files/options.h"
#include "nodes/pg_list.h"
#include "server/query.h"

typedef struct SmRecipe
{
	const char *text;			/* digests: of the query's text, the options
								 * that shape files and the type of the key;
								 * then of each view's definition */
	List	   *views;			/* names of the views that the query reads */
} SmRecipe;

/*
 * Make the recipe, in the current memory context.  Sets with the same recipe and section
 * make the same files from the same rows.
 */
extern void sm_recipe_make(SmRecipe *recipe, const SmOptions *options, const SmQuery *query);

/*
 * How does the recipe differ from the text of an older one, NULL for none?  NULL if it does
 * not; else a phrase for the user, which names a view that has changed.
 */
extern const char *sm_recipe_compare(const SmRecipe *recipe, const char *old);

#endif
