/*
 * filelist.h
 *	  A list of files that a target has, without their contents.
 */
#ifndef SM_PUBLISH_FILELIST_H
#define SM_PUBLISH_FILELIST_H

#include "executor/spi.h"
#include "files/set.h"

/*
 * The columns of a query for files: those of sitemap_file without the states, and has_content,
 * an expression, in place of the content.
 */
#define SM_OLD_FILE_COLUMNS(has_content) \
	"base_url, section, name, kind, loc, lastmod, url_count, byte_count, digest, first_key, recipe," \
	" NULL::pg_catalog.bytea, " has_content

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
	SmOldFile **files;
	int			nfiles;
	int64		url_count;		/* of all files */
	int			(*compare) (const void *a, const void *b);	/* their order */
} SmFileList;

/* Read the rows of a query for these columns, in the current memory context. */
extern SmFileList *sm_file_list_read(const SPITupleTable *rows);

/*
 * Sort the list by name, -9 before -10; unless by_name, first by section, which is the order
 * of an index.
 */
extern void sm_file_list_sort(SmFileList *list, bool by_name);

/* A name that two files of a sorted list have, of one section unless by_name; or NULL. */
extern const char *sm_file_list_duplicate(const SmFileList *list);

/* Find a file of a sorted list, of any section if by_name; NULL if there is none. */
extern SmOldFile *sm_file_list_find(const SmFileList *list, const char *section,
									const char *name);

/*
 * Those files of a sorted list of a site that are the indexes of a section, or also of the
 * site.  The indexes of the section "sitemap" are the site's.
 */
extern SmFileList *sm_file_list_indexes(const SmFileList *list, const char *section,
										bool of_site);

/*
 * Read the first keys of the files, and set old to the files in the order of their keys.
 * Returns NULL, or why they have no order; then old is empty.
 */
extern const char *sm_file_list_order(const SmFileList *list, SmKeyType *key_type,
									  SmOldFiles *old);

#endif
