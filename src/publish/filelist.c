/*
 * filelist.c
 *	  The files that a target has: read, sorted, found by name, and put into the order of
 *	  their keys.
 */
#include "postgres.h"

#include "publish/filelist.h"

#include "access/htup_details.h"
#include "miscadmin.h"
#include "server/error.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

static const char *
text_or_null(const Datum *values, const bool *nulls, int column)
{
	return nulls[column] ? NULL : TextDatumGetCString(values[column]);
}

/* table: the target's name, for errors. */
static SmOldFile *
read_file(HeapTuple row, TupleDesc desc, const char *table)
{
	SmOldFile  *old = palloc0_object(SmOldFile);
	Datum		values[SM_FILE_NCOLUMNS];
	bool		nulls[SM_FILE_NCOLUMNS];

	memset(nulls, true, sizeof(nulls));
	heap_deform_tuple(row, desc, values, nulls);
	old->has_content = DatumGetBool(values[SM_FILE_BASE_URL]);
	old->section = text_or_null(values, nulls, SM_FILE_SECTION);
	old->name = text_or_null(values, nulls, SM_FILE_NAME);
	if (old->name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NOT_NULL_VIOLATION),
				 errmsg("the target table \"%s\" has a file without a name", table)));
	old->kind = text_or_null(values, nulls, SM_FILE_KIND);
	old->loc = text_or_null(values, nulls, SM_FILE_LOC);
	old->lastmod = nulls[SM_FILE_LASTMOD] ? DT_NOBEGIN :
		DatumGetTimestampTz(values[SM_FILE_LASTMOD]);
	if (!nulls[SM_FILE_URL_COUNT])
		old->url_count = DatumGetInt32(values[SM_FILE_URL_COUNT]);
	if (!nulls[SM_FILE_BYTE_COUNT])
		old->byte_count = DatumGetInt64(values[SM_FILE_BYTE_COUNT]);
	old->digest = text_or_null(values, nulls, SM_FILE_DIGEST);
	old->first_key = text_or_null(values, nulls, SM_FILE_FIRST_KEY);
	old->recipe = text_or_null(values, nulls, SM_FILE_RECIPE);
	return old;
}

/* Are two texts equal?  NULL equals NULL. */
static bool
same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

bool
sm_old_file_is_index(const SmOldFile *old)
{
	return old->kind && strcmp(old->kind, sm_file_kinds[SM_INDEX]) == 0;
}

void
sm_old_file_compare(SmOldFile *old, SmFile *file)
{
	if (old == NULL)
		return;
	old->fate = SM_OLD_REWRITTEN;
	if (!old->has_content ||
		!same_text(old->kind, sm_file_kinds[file->kind]) ||
		!same_text(old->loc, file->loc) ||
		!same_text(old->digest, file->digest) ||
		old->url_count != file->url_count ||
		old->byte_count != file->byte_count)
		return;

	/* only the compression may differ */
	old->fate = SM_OLD_SAME_DOCUMENT;
	file->content = NULL;

	/* without a first key, the recipe does not matter */
	if (!same_text(old->first_key, file->first_key) ||
		(file->first_key && !same_text(old->recipe, file->recipe)) ||
		file->shown_checksum != old->shown_checksum)
		return;
	old->fate = SM_OLD_SAME_ROW;
	file->shown = NULL;
}

/* The order of names, -9 before -10. */
static int
compare_names(const void *a, const void *b)
{
	const char *left = (*(SmOldFile *const *) a)->name;
	const char *right = (*(SmOldFile *const *) b)->name;
	size_t		left_len = strlen(left);
	size_t		right_len = strlen(right);

	if (left_len != right_len)
		return left_len < right_len ? -1 : 1;
	return memcmp(left, right, left_len);
}

/* The order of an index: by section, then by name. */
static int
compare_files(const void *a, const void *b)
{
	const char *left = (*(SmOldFile *const *) a)->section;
	const char *right = (*(SmOldFile *const *) b)->section;
	int			order = strcmp(left ? left : "", right ? right : "");

	return order != 0 ? order : compare_names(a, b);
}

static void
sort_files(SmFileList *list, int (*compare) (const void *a, const void *b))
{
	list->compare = compare;
	qsort(list->files, list->nfiles, sizeof(SmOldFile *), compare);
}

SmFileList *
sm_file_list_read(const SPITupleTable *rows, const char *table)
{
	/*
	 * for many small chunks; larger blocks would waste up to half of the
	 * memory
	 */
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish files",
												  ALLOCSET_DEFAULT_MINSIZE,
												  ALLOCSET_DEFAULT_INITSIZE, 1024 * 1024);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	SmFileList *list = palloc0_object(SmFileList);

	list->context = context;
	list->nfiles = (int) rows->numvals;
	list->files = palloc_extended(list->nfiles * sizeof(SmOldFile *), MCXT_ALLOC_HUGE);
	for (int i = 0; i < list->nfiles; i++)
	{
		CHECK_FOR_INTERRUPTS();
		list->files[i] = read_file(rows->vals[i], rows->tupdesc, table);
		list->url_count += list->files[i]->url_count;
	}
	sort_files(list, compare_files);
	MemoryContextSwitchTo(oldcontext);
	return list;
}

SmOldFile *
sm_file_list_find(const SmFileList *list, const char *section, const char *name)
{
	const SmOldFile file = {.section = section,.name = name};
	const SmOldFile *wanted = &file;
	SmOldFile **found = bsearch(&wanted, list->files, list->nfiles, sizeof(SmOldFile *), list->compare);

	return found ? *found : NULL;
}

SmOldFile *
sm_file_list_find_name(SmFileList *list, const char *name)
{
	if (list->compare != compare_names)
		sort_files(list, compare_names);
	return sm_file_list_find(list, NULL, name);
}

SmFileList *
sm_file_list_indexes(const SmFileList *list, const char *section, bool of_site)
{
	SmFileList *indexes = palloc0_object(SmFileList);

	indexes->compare = list->compare;
	indexes->files = palloc_extended(list->nfiles * sizeof(SmOldFile *), MCXT_ALLOC_HUGE);
	for (int i = 0; i < list->nfiles; i++)
	{
		SmOldFile  *file = list->files[i];

		if (!sm_old_file_is_index(file) || file->digest == NULL || file->section == NULL)
			continue;
		if (strcmp(file->section, SM_INDEX_SECTION) == 0 ? of_site : same_text(file->section, section))
			indexes->files[indexes->nfiles++] = file;
	}
	return indexes;
}

static int
compare_keys(const void *a, const void *b, void *key_type)
{
	return sm_key_compare(key_type, (*(SmOldFile *const *) a)->key, (*(SmOldFile *const *) b)->key);
}

static void
read_first_keys(void *arg)
{
	const SmOldFiles *old = arg;

	for (int i = 0; i < old->nfiles; i++)
		old->files[i]->key = sm_key_from_text(old->key_type, old->files[i]->first_key);
}

const char *
sm_file_list_order(const SmFileList *list, SmKeyType *key_type, SmOldFiles *old)
{
	size_t		size = list->nfiles * sizeof(SmOldFile *);
	SmOldFiles	ordered = {.nfiles = list->nfiles,.key_type = key_type};
	ErrorData  *error;

	if (list->nfiles == 0)
		return "the section has no files";
	for (int i = 0; i < list->nfiles; i++)
		if (list->files[i]->first_key == NULL)
			return psprintf("file \"%s\" has no first_key", list->files[i]->name);
	ordered.files = palloc_extended(size, MCXT_ALLOC_HUGE);
	memcpy(ordered.files, list->files, size);
	error = sm_try(read_first_keys, &ordered, true);
	if (error && ERRCODE_TO_CATEGORY(error->sqlerrcode) != ERRCODE_DATA_EXCEPTION)
		ReThrowError(error);
	if (error)
		return "a first_key cannot be read";

	qsort_arg(ordered.files, ordered.nfiles, sizeof(SmOldFile *), compare_keys, key_type);
	for (int i = 1; i < ordered.nfiles; i++)
		if (compare_keys(&ordered.files[i - 1], &ordered.files[i], key_type) == 0)
			return "two files have the same first_key";
	*old = ordered;
	return NULL;
}
