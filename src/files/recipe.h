/*
 * recipe.h
 *	  The recipe of a set: what decides how its files look, except the rows.
 */
#ifndef SM_RECIPE_H
#define SM_RECIPE_H

#include "files/options.h"
#include "server/query.h"

/*
 * Make the recipe, in the current memory context: a digest of the query's text, the
 * definitions of the views that it reads, the type of the key, and the options that shape
 * files.  Sets with the same recipe and section make the same files from the same rows.
 */
extern char *sm_recipe_make(const SmOptions *options, const SmQuery *query);

#endif
