/*
 * files.c
 *	  sitemap_files: the files of a set as rows, the index last.  set.c makes the
 *	  files, file.c describes one.
 */
#include "postgres.h"

#include "files/index.h"
#include "files/set.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(sitemap_files);

typedef struct FilesState
{
	SmFileSink	sink;			/* must be first */
	SmIndex    *index;			/* of the set */
	int			compression;	/* 0 for none, 1 to 9 for gzip */
	ReturnSetInfo *result;
	int			numbers[SM_FILE_NCOLUMNS];	/* of each column in the result,
											 * not positive if it lacks the
											 * column */
} FilesState;

/* Add a file to the result. */
static void
put_result_file(SmFileSink *self, const SmFile *file)
{
	FilesState *state = (FilesState *) self;
	TupleDesc	desc = state->result->setDesc;
	SmFile		stored = *file;
	Datum		values[SM_FILE_NCOLUMNS];
	bool		nulls[SM_FILE_NCOLUMNS];
	Datum	   *row_values = palloc0_array(Datum, desc->natts);
	bool	   *row_nulls = palloc_array(bool, desc->natts);

	memset(row_nulls, true, desc->natts);
	if (state->compression == 0 || file->kind == SM_INDEX)
		stored.content = sm_toast_compress(file->content);
	sm_file_to_row(&stored, state->compression, values, nulls);
	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
		if (state->numbers[i] > 0)
		{
			row_values[state->numbers[i] - 1] = values[i];
			row_nulls[state->numbers[i] - 1] = nulls[i];
		}
	tuplestore_putvalues(state->result->setResult, desc, row_values, row_nulls);

	if (file->kind != SM_INDEX)
		sm_index_add(state->index, sm_span_of(file->loc), file->lastmod);
}

/*
 * Find the columns of the result by name, and give them the types of this version.  The
 * executor raises an error if the type sitemap_file has others.  Until ALTER EXTENSION
 * UPDATE, it is the type of an older version, which may lack columns.
 */
static void
find_file_columns(TupleDesc desc, int *numbers)
{
	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
	{
		const SmTableColumn *column = &sm_file_columns[i];

		numbers[i] = SPI_fnumber(desc, column->name);
		if (numbers[i] > 0)
			TupleDescInitEntry(desc, numbers[i], column->name, column->type, -1, 0);
	}
	TupleDescFinalize(desc);
}

Datum
sitemap_files(PG_FUNCTION_ARGS)
{
	SmOptions  *options;
	SmSet	   *set;
	bool		has_index;		/* also of a single file */
	FilesState	state = {.sink = {.put = put_result_file},.result = (ReturnSetInfo *) fcinfo->resultinfo};

	InitMaterializedSRF(fcinfo, 0);
	find_file_columns(state.result->setDesc, state.numbers);
	options = sm_read_options(sm_call_arguments(fcinfo), false);
	state.compression = options->compression;
	has_index = options->index == SM_INDEX_ALWAYS || options->index == SM_INDEX_OF_SECTION;
	state.index = sm_index_create(options);

	set = sm_set_begin(options, &state.sink);
	if (set->query.fixes_settings)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a query with a column \"shown\" needs a target"),
				 errdetail("The target remembers what each page shows, and since when."),
				 errhint("Publish with sitemap_publish, or leave the column out.")));
	sm_set_make_all(set, has_index);
	if (has_index || (options->index == SM_INDEX_AUTO && set->names.nparts > 1))
		sm_index_put(state.index,
					 options->index == SM_INDEX_OF_SECTION ? options->section : SM_INDEX_SECTION,
					 options->section, &state.sink);
	sm_set_end(set, "sitemap_files");
	return (Datum) 0;
}
