/*
 * section.c
 *	  The files of a section in the target, in the order of their first keys.
 */
#include "postgres.h"

#include "publish/section.h"

#include "utils/memutils.h"

typedef struct KeyedFile
{
	SmFile	   *file;
	Datum		first_key;
} KeyedFile;

static int
compare_files(const void *a, const void *b, void *arg)
{
	return sm_key_compare(arg, ((const KeyedFile *) a)->first_key,
						  ((const KeyedFile *) b)->first_key);
}

/* Read the first keys.  Returns false if one cannot be read. */
static bool
read_first_keys(KeyedFile *keyed, int nfiles, SmKeyType *key_type)
{
	const char **texts = palloc_extended(nfiles * sizeof(char *), MCXT_ALLOC_HUGE);
	Datum	   *values = palloc_extended(nfiles * sizeof(Datum), MCXT_ALLOC_HUGE);
	bool		ok;

	for (int i = 0; i < nfiles; i++)
		texts[i] = keyed[i].file->first_key;
	ok = sm_key_try_from_texts(key_type, texts, nfiles, values);
	for (int i = 0; ok && i < nfiles; i++)
		keyed[i].first_key = values[i];
	pfree(texts);
	pfree(values);
	return ok;
}

const char *
sm_section_read(SmSection *section, const SmFileList *list, const char *name, SmKeyType *key_type)
{
	KeyedFile  *keyed = palloc_extended(list->nfiles * sizeof(KeyedFile), MCXT_ALLOC_HUGE);
	int			nfiles = 0;

	section->nfiles = 0;
	for (int i = 0; i < list->nfiles; i++)
	{
		SmFile	   *file = &list->files[i];

		if (!sm_file_is_of_section(file, name))
			continue;
		if (file->first_key == NULL)
			return psprintf("file \"%s\" has no first_key", file->name);
		keyed[nfiles++].file = file;
	}
	if (nfiles == 0)
		return "the section has no files";
	if (!read_first_keys(keyed, nfiles, key_type))
		return "a first_key cannot be read";

	qsort_arg(keyed, nfiles, sizeof(KeyedFile), compare_files, key_type);
	for (int i = 1; i < nfiles; i++)
		if (compare_files(&keyed[i - 1], &keyed[i], key_type) == 0)
			return "two files have the same first_key";

	section->files = palloc_extended(nfiles * sizeof(SmFile *), MCXT_ALLOC_HUGE);
	section->first_keys = palloc_extended(nfiles * sizeof(Datum), MCXT_ALLOC_HUGE);
	for (int i = 0; i < nfiles; i++)
	{
		section->files[i] = keyed[i].file;
		section->first_keys[i] = keyed[i].first_key;
	}
	section->nfiles = nfiles;
	pfree(keyed);
	return NULL;
}
