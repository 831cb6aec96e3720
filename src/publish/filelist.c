/*
 * filelist.c
 *	  A sorted array of the files of a site.
 */
#include "postgres.h"

#include "publish/filelist.h"

#include "utils/memutils.h"

SmFileList *
sm_file_list_create(const char *section)
{
	SmFileList *list = palloc0_object(SmFileList);

	list->section = section;
	list->context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish files",
										  ALLOCSET_DEFAULT_SIZES);
	return list;
}

void
sm_file_list_add(void *arg, TupleTableSlot *row)
{
	SmFileList *list = arg;
	MemoryContext oldcontext = MemoryContextSwitchTo(list->context);
	SmFile	   *file = palloc0_object(SmFile);

	/* the array doubles when its size is a power of 2 */
	if (list->files == NULL)
		list->files = palloc_object(SmFile *);
	else if ((list->nfiles & (list->nfiles - 1)) == 0)
		list->files = repalloc_huge(list->files, 2 * (Size) list->nfiles * sizeof(SmFile *));
	list->files[list->nfiles++] = file;

	sm_file_from_row(file, row);
	file->has_content = file->content != NULL;
	file->content = NULL;

	/* false for an index and for a file that another program makes */
	file->of_section = list->section && !sm_file_is_index(file) && file->digest[0] != '\0' &&
		strcmp(file->section, list->section) == 0;
	if (file->of_section)
	{
		list->section_nfiles++;
		list->section_urls += file->url_count;
	}
	MemoryContextSwitchTo(oldcontext);
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp((*(SmFile *const *) a)->name, (*(SmFile *const *) b)->name);
}

const char *
sm_file_list_sort(SmFileList *list)
{
	qsort(list->files, list->nfiles, sizeof(SmFile *), compare_names);
	for (int i = 1; i < list->nfiles; i++)
		if (compare_names(&list->files[i - 1], &list->files[i]) == 0)
			return list->files[i]->name;
	return NULL;
}

SmFile *
sm_file_list_find(const SmFileList *list, const char *name)
{
	const SmFile wanted = {.name = name};
	const SmFile *key = &wanted;
	SmFile	  **found = NULL;

	/* bsearch takes no null pointer */
	if (list->nfiles > 0)
		found = bsearch(&key, list->files, list->nfiles, sizeof(SmFile *), compare_names);
	return found ? *found : NULL;
}

static int
compare_keys(const void *a, const void *b, void *key_type)
{
	return sm_key_compare(key_type, (*(SmFile *const *) a)->key, (*(SmFile *const *) b)->key);
}

const char *
sm_file_list_order(const SmFileList *list, SmKeyType *key_type, SmOldFiles *old)
{
	int			nfiles = list->section_nfiles;
	SmFile	  **files = palloc_extended(nfiles * sizeof(SmFile *), MCXT_ALLOC_HUGE);
	const char **texts = palloc_extended(nfiles * sizeof(char *), MCXT_ALLOC_HUGE);
	Datum	   *keys = palloc_extended(nfiles * sizeof(Datum), MCXT_ALLOC_HUGE);
	int			n = 0;

	old->nfiles = 0;
	for (int i = 0; i < list->nfiles; i++)
	{
		SmFile	   *file = list->files[i];

		if (!file->of_section)
			continue;
		if (file->first_key == NULL)
			return psprintf("file \"%s\" has no first_key", file->name);
		files[n] = file;
		texts[n++] = file->first_key;
	}
	if (n == 0)
		return "the section has no files";
	if (!sm_key_try_from_texts(key_type, texts, n, keys))
		return "a first_key cannot be read";
	for (int i = 0; i < n; i++)
		files[i]->key = keys[i];

	qsort_arg(files, n, sizeof(SmFile *), compare_keys, key_type);
	for (int i = 1; i < n; i++)
		if (compare_keys(&files[i - 1], &files[i], key_type) == 0)
			return "two files have the same first_key";
	for (int i = 0; i < n; i++)
		files[i]->number = i;
	old->nfiles = n;
	old->files = files;
	return NULL;
}

static bool
is_same_document(const SmFile *a, const SmFile *b)
{
	return strcmp(a->section, b->section) == 0 &&
		strcmp(a->kind, b->kind) == 0 &&
		strcmp(a->loc, b->loc) == 0 &&
		strcmp(a->digest, b->digest) == 0 &&
		a->url_count == b->url_count &&
		a->byte_count == b->byte_count;
}

bool
sm_file_is_unchanged(const SmFile *old, const SmFile *file)
{
	return old->has_content && is_same_document(old, file);
}

bool
sm_file_has_same_key(const SmFile *a, const SmFile *b)
{
	if (a->first_key == NULL || b->first_key == NULL)
		return a->first_key == b->first_key;
	return strcmp(a->first_key, b->first_key) == 0 && strcmp(a->recipe, b->recipe) == 0;
}

bool
sm_file_lists_are_equal(const SmFileList *a, const SmFileList *b)
{
	bool		equal = a->nfiles == b->nfiles;

	for (int i = 0; equal && i < a->nfiles; i++)
	{
		const SmFile *x = a->files[i];
		const SmFile *y = b->files[i];

		equal = strcmp(x->name, y->name) == 0 && is_same_document(x, y) &&
			sm_file_has_same_key(x, y) && x->lastmod == y->lastmod &&
			x->has_content == y->has_content;
	}
	return equal;
}
