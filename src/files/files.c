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
	SmIndex    *index;			/* the index of the set, NULL for none */
	int			compression;	/* 0 for none, 1 to 9 for gzip */
	ReturnSetInfo *result;
	int		   *columns;		/* of sitemap_file, for each attribute of the
								 * result; -1 for none */
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

	if (state->compression == 0 || file->kind == SM_INDEX)
		stored.content = sm_toast_compress(file->content);
	sm_file_to_row(&stored, state->compression, values, nulls);
	for (int i = 0; i < desc->natts; i++)
	{
		int			column = state->columns[i];

		row_nulls[i] = column < 0 || nulls[column];
		if (!row_nulls[i])
			row_values[i] = values[column];
	}
	tuplestore_putvalues(state->result->setResult, desc, row_values, row_nulls);

	if (state->index && file->kind != SM_INDEX)
		sm_index_add(state->index, sm_span_of(file->loc), file->lastmod);
}

/*
 * Find the columns of the result by name, and give them the types of this version.  The
 * executor raises an error if the type sitemap_file has others.  Until ALTER EXTENSION
 * UPDATE, it is the type of an older version, which may lack columns.
 */
static int *
map_columns(TupleDesc desc)
{
	int		   *columns = palloc_array(int, desc->natts);

	for (int i = 0; i < desc->natts; i++)
	{
		columns[i] = SM_FILE_NCOLUMNS - 1;
		while (columns[i] >= 0 &&
			   namestrcmp(&TupleDescAttr(desc, i)->attname, sm_file_columns[columns[i]].name) != 0)
			columns[i]--;
		if (columns[i] >= 0)
			TupleDescInitEntry(desc, i + 1, sm_file_columns[columns[i]].name,
							   sm_file_columns[columns[i]].type, -1, 0);
	}
	TupleDescFinalize(desc);
	return columns;
}

Datum
sitemap_files(PG_FUNCTION_ARGS)
{
	SmOptions  *options;
	SmSet	   *set;
	bool		has_index;		/* also of a single file */
	FilesState	state = {.sink = {.put = put_result_file},.result = (ReturnSetInfo *) fcinfo->resultinfo};

	InitMaterializedSRF(fcinfo, 0);
	state.columns = map_columns(state.result->setDesc);
	options = sm_read_options(sm_call_arguments(fcinfo), false);
	state.compression = options->compression;
	has_index = options->index == SM_INDEX_ALWAYS || options->index == SM_INDEX_OF_SECTION;
	if (options->index != SM_INDEX_NEVER)
		state.index = sm_index_create(options);

	set = sm_set_begin(options, &state.sink);
	if (set->query.fixes_settings)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a query with a column \"shown\" needs a target"),
				 errdetail("The target remembers what each page shows, and since when."),
				 errhint("Publish with sitemap_publish, or leave the column out.")));
	sm_set_make_all(set, has_index);
	if (has_index || (state.index && set->names.nparts > 1))
		sm_index_put(state.index,
					 options->index == SM_INDEX_OF_SECTION ? options->section : SM_INDEX_SECTION,
					 options->section, &state.sink);
	sm_set_end(set, "sitemap_files");
	return (Datum) 0;
}
