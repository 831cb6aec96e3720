/*
 * names.h
 *	  The names of a set's files, and which of them are in use.
 */
#ifndef SM_NAMES_H
#define SM_NAMES_H

#include "files/options.h"
#include "utils/hsearch.h"

/* Names that the parts of a set have got. */
typedef struct SmNames
{
	const SmOptions *options;
	MemoryContext context;
	int			nparts;
	HTAB	   *stems;			/* in a stable split; of StemCount */
} SmNames;

/* Begin with no names.  context: memory context of the names that follow. */
extern void sm_names_init(SmNames *names, const SmOptions *options, MemoryContext context);

/* The name of the next part.  hash: of its first loc, in a stable split. */
extern char *sm_names_next(SmNames *names, uint64 hash);

/*
 * Count an old file, which stays, as the next part of a stable split.  Returns whether the
 * part would get the name that the file has.
 */
extern bool sm_names_keep(SmNames *names, const char *name);

/* The name of the only file of a set, and of the first of several parts. */
extern char *sm_only_name(const SmOptions *options);
extern char *sm_first_name(const SmOptions *options);

/*
 * The name of an index.  section: SM_INDEX_SECTION, or the section that it is named after;
 * number: 1, or higher for further indexes.
 */
extern char *sm_index_name(const char *section, int number);

#endif
