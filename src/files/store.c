/*
 * store.c
 *	  Gzips files and puts them into a tuplestore, as rows of type sitemap_file.
 *
 * A file waits while its content is compressed in a thread, and the query goes on to
 * the next files.  Files come into the tuplestore in the order in which they were put.
 */
#include "postgres.h"

#include "files/store.h"

#include "files/gzip.h"
#include "optimizer/cost.h"
#include "utils/datum.h"
#include "utils/memutils.h"

/* the most files that wait, each with a document and its compressed form */
#define MAX_WAITING_FILES		2

/* A file that waits, as a row. */
typedef struct Waiting
{
	SmGzip	   *gzip;
	MemoryContext context;		/* for the values */
	Datum		values[SM_FILE_NCOLUMNS];	/* all but the content */
	bool		nulls[SM_FILE_NCOLUMNS];
} Waiting;

struct SmFileStore
{
	Tuplestorestate *rows;
	TupleDesc	desc;
	bool		compress;
	Waiting		waiting[MAX_WAITING_FILES]; /* a ring */
	int			size;			/* used part of the ring */
	int			first;			/* the file that has waited longest */
	int			nwaiting;
};

SmFileStore *
sm_file_store_create(Tuplestorestate *rows, TupleDesc desc, int compression)
{
	SmFileStore *store = palloc0_object(SmFileStore);

	store->rows = rows;
	store->desc = desc;
	store->compress = compression > 0;
	store->size = Max(1, Min(MAX_WAITING_FILES, max_parallel_workers_per_gather));
	for (int i = 0; store->compress && i < store->size; i++)
	{
		store->waiting[i].gzip = sm_gzip_create(compression);
		store->waiting[i].context = AllocSetContextCreate(CurrentMemoryContext,
														  "sitemap file row",
														  ALLOCSET_SMALL_SIZES);
	}
	return store;
}

/* Wait for the file that has waited longest, and put it. */
static void
put_first(SmFileStore *store)
{
	Waiting    *row = &store->waiting[store->first];

	if (!row->nulls[SM_FILE_CONTENT])
		row->values[SM_FILE_CONTENT] = PointerGetDatum(sm_gzip_end(row->gzip));
	tuplestore_putvalues(store->rows, store->desc, row->values, row->nulls);
	MemoryContextReset(row->context);
	store->first = (store->first + 1) % store->size;
	store->nwaiting--;
}

/* Let a file wait while its content, unless NULL, is compressed. */
static void
add_waiting(SmFileStore *store, const SmFile *file)
{
	Waiting    *row = &store->waiting[(store->first + store->nwaiting) % store->size];
	MemoryContext oldcontext = MemoryContextSwitchTo(row->context);

	sm_file_to_row(file, row->values, row->nulls);
	if (file->shown)
		row->values[SM_FILE_SHOWN] = datumCopy(PointerGetDatum(file->shown), false, -1);
	MemoryContextSwitchTo(oldcontext);
	if (file->content)
		sm_gzip_begin(row->gzip, sm_span(VARDATA(file->content), VARSIZE(file->content) - VARHDRSZ));
	store->nwaiting++;
}

void
sm_file_store_put(SmFileStore *store, const SmFile *file)
{
	Datum		values[SM_FILE_NCOLUMNS];
	bool		nulls[SM_FILE_NCOLUMNS];

	if (store->compress && !sm_file_is_index(file))
	{
		if (store->nwaiting == store->size)
			put_first(store);
		add_waiting(store, file);
		return;
	}
	sm_file_store_finish(store);
	sm_file_to_row(file, values, nulls);
	tuplestore_putvalues(store->rows, store->desc, values, nulls);
}

void
sm_file_store_finish(SmFileStore *store)
{
	while (store->nwaiting > 0)
		put_first(store);
}
