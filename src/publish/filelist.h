/*
 * filelist.h
 *	  A list of the files that a target has of a site, without their contents.
 */
#ifndef SM_PUBLISH_FILELIST_H
#define SM_PUBLISH_FILELIST_H

#include "files/set.h"

/* Files sorted by name, without content; has_content says whether the target has it. */
typedef struct SmFileList
{
	SmFile	  **files;
	int			nfiles;
	MemoryContext context;		/* for the files */

	/* the section that is published: its files are marked of_section */
	const char *section;		/* NULL for none */
	int			section_nfiles;
	int64		section_urls;
} SmFileList;

/* Create an empty list in the current memory context, with a context for its files. */
extern SmFileList *sm_file_list_create(const char *section);

/*
 * Add the file of a row without states.  The row's content is empty if the target has
 * content, and NULL otherwise.  arg: an SmFileList; this is an SmTakeFile (target.h).
 */
extern void sm_file_list_add(void *arg, TupleTableSlot *row);

/*
 * Sort the list, after the last file was added.  Returns a name that two files have, or
 * NULL.
 */
extern const char *sm_file_list_sort(SmFileList *list);

/* Find a file by its name; NULL if the list has no such file. */
extern SmFile *sm_file_list_find(const SmFileList *list, const char *name);

/*
 * Read the first keys of the section's files, and set old to these files in the order of
 * their keys.  Returns NULL, or why the files have no order; then old is empty.
 */
extern const char *sm_file_list_order(const SmFileList *list, SmKeyType *key_type,
									  SmOldFiles *old);

/*
 * Does the target have this document, under the same URL?  old: file in the target.  The
 * compression may differ.
 */
extern bool sm_file_is_unchanged(const SmFile *old, const SmFile *file);

/*
 * Do two files have the same first key and recipe?  Without a first key, the recipe does
 * not matter.
 */
extern bool sm_file_has_same_key(const SmFile *a, const SmFile *b);

/* Are two lists equal?  States and content are not compared. */
extern bool sm_file_lists_are_equal(const SmFileList *a, const SmFileList *b);

#endif
