/*
 * filelist.h
 *	  A list of files that a target has, without their contents.
 */
#ifndef SM_PUBLISH_FILELIST_H
#define SM_PUBLISH_FILELIST_H

#include "files/set.h"

/*
 * The columns of a query for a target's files: those of sitemap_file up to the recipe, and
 * whether the row has content.
 */
#define SM_OLD_FILE_COLUMNS \
	"base_url, section, name, kind, loc, lastmod, url_count, byte_count, digest, first_key, recipe, content IS NOT NULL"
#define SM_OLD_FILE_HAS_CONTENT		(SM_FILE_RECIPE + 1)
#define SM_OLD_FILE_NCOLUMNS		(SM_OLD_FILE_HAS_CONTENT + 1)

/* Read a row with these columns, in the current memory context. */
extern SmOldFile *sm_old_file_read(const Datum *values, const bool *nulls);

/* Is a file an index? */
extern bool sm_old_file_is_index(const SmOldFile *old);

/* Does the target have this document, under the same URL?  The compression may differ. */
extern bool sm_old_file_is_same(const SmOldFile *old, const SmFile *file);

/*
 * Do two versions of a file have the same first key and recipe?  Without a first key, the
 * recipe does not matter.
 */
extern bool sm_old_file_has_key(const SmOldFile *old, const SmFile *file);

/* Files that earlier runs made, sorted by name. */
typedef struct SmFileList
{
	MemoryContext context;		/* for the files */
	SmOldFile **files;
	int			nfiles;
	int			max_files;		/* that the array has room for */
	int64		url_count;		/* of all files */
} SmFileList;

/* Create an empty list in the current memory context. */
extern SmFileList *sm_file_list_create(void);

/* Add a file to an SmFileList.  Sort the list after the last file was added. */
extern void sm_file_list_add(void *arg, const Datum *values, const bool *nulls);

/* Sort the list.  Returns a name that two files have, or NULL. */
extern const char *sm_file_list_sort(SmFileList *list);

/* Find a file by its name; NULL if the list has no such file. */
extern SmOldFile *sm_file_list_find(const SmFileList *list, const char *name);

/*
 * Read the first keys of the files, and set old to the files in the order of their keys.
 * Returns NULL, or why they have no order; then old is empty.
 */
extern const char *sm_file_list_order(const SmFileList *list, SmKeyType *key_type,
									  SmOldFiles *old);

#endif
