/*
 * filelist.h
 *	  A list of files that a target has, without their contents.
 */
#ifndef SM_PUBLISH_FILELIST_H
#define SM_PUBLISH_FILELIST_H

#include "executor/spi.h"
#include "files/set.h"

/*
 * The columns of a query for files, those of sitemap_file in their order.  In place of base_url
 * is an expression: is there content?  first_key and recipe can follow.
 */
#define SM_OLD_FILE_COLUMNS(has_content) \
	has_content ", section, name, kind, loc, lastmod, url_count, byte_count, digest"

/* Is a file an index? */
extern bool sm_old_file_is_index(const SmOldFile *old);

/*
 * Find out what becomes of a file, NULL for none, given its new version.  States and content
 * that need not be written are removed from that.
 */
extern void sm_old_file_compare(SmOldFile *old, SmFile *file);

/* Files that a target has. */
typedef struct SmFileList
{
	MemoryContext context;		/* for the list */
	SmOldFile **files;
	int			nfiles;
	int64		url_count;		/* of all files */
	int			(*compare) (const void *a, const void *b);	/* their order */
} SmFileList;

/*
 * Read the rows of a query for these columns, and put them into the order of an index: by
 * section, then by name, -9 before -10.  table: the target's name, for errors.
 */
extern SmFileList *sm_file_list_read(const SPITupleTable *rows, const char *table);

/* Find a file of a list in this order; NULL if there is none. */
extern SmOldFile *sm_file_list_find(const SmFileList *list, const char *section,
									const char *name);

/* Find a file of any section by its name, and put the list into the order of names. */
extern SmOldFile *sm_file_list_find_name(SmFileList *list, const char *name);

/*
 * Those files of a sorted list of a site that are the indexes of a section, or also of the
 * site.  The indexes of the section "sitemap" are the site's.
 */
extern SmFileList *sm_file_list_indexes(const SmFileList *list, const char *section,
										bool of_site);

/*
 * Read the first keys of the files, and set old to the files in the order of their keys.
 * Returns NULL, or why they have no order; then old stays as it was.
 */
extern const char *sm_file_list_order(const SmFileList *list, SmKeyType *key_type,
									  SmOldFiles *old);

#endif
