/*
 * filelist.h
 *	  The files of a site in the target.
 */
#ifndef SM_PUBLISH_FILELIST_H
#define SM_PUBLISH_FILELIST_H

#include "files/file.h"

/*
 * Files sorted by name.  Their states and content are NULL; has_content says whether the
 * target has content.
 */
typedef struct SmFileList
{
	SmFile	   *files;
	int			nfiles;
	MemoryContext context;		/* for the files */
} SmFileList;

/* Create an empty list in the current memory context, with a context for its files. */
extern SmFileList *sm_file_list_create(void);

/*
 * Add a copy of a file, without states and content.  file has content if the target has
 * content, the same or any other.
 */
extern void sm_file_list_add(SmFileList *list, const SmFile *file);

/*
 * Sort the list, after the last file was added.  Returns a name that two files have, or
 * NULL.
 */
extern const char *sm_file_list_sort(SmFileList *list);

/* Find a file by its name; NULL if the list has no such file. */
extern SmFile *sm_file_list_find(const SmFileList *list, const char *name);

/*
 * Was this file made by a run of the section?  False for an index and for a file that
 * another program makes.
 */
extern bool sm_file_is_of_section(const SmFile *file, const char *section);

/*
 * Does the target have this document, under the same URL?  old: file in the target, or
 * NULL.  The compression may differ.
 */
extern bool sm_file_is_unchanged(const SmFile *old, const SmFile *file);

/* Do two files have the same first key and, if there is one, the same recipe? */
extern bool sm_file_has_same_key(const SmFile *a, const SmFile *b);

/* Are two files of lists equal? */
extern bool sm_file_is_same(const SmFile *a, const SmFile *b);

#endif
