/*
 * section.h
 *	  The files of a section in the target, in the order of their first keys.
 */
#ifndef SM_PUBLISH_SECTION_H
#define SM_PUBLISH_SECTION_H

#include "publish/target.h"
#include "server/key.h"

typedef struct SmSection
{
	int			nfiles;
	SmFile	  **files;
	Datum	   *first_keys;		/* ascending */
} SmSection;

/*
 * Find the files of a section in a list, and read their first keys.  Returns NULL, or why
 * they have no order: then the section has no files.
 */
extern const char *sm_section_read(SmSection *section, const SmFileList *list, const char *name,
								   SmKeyType *key_type);

#endif
