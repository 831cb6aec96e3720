/*
 * queue.c
 *	  Gzips files and puts them into a tuplestore, as rows of type sitemap_file.
 *
 * A file waits while its content is compressed in a thread, and the query goes on to
 * the next files.  Files come into the tuplestore in the order in which they were put.
 */
#include "postgres.h"

#include "files/queue.h"

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
	bool		compresses;		/* does gzip make the content? */
	MemoryContext context;		/* for the values */
	Datum		values[SM_FILE_NCOLUMNS];	/* without the content that gzip
											 * makes */
	bool		nulls[SM_FILE_NCOLUMNS];
} Waiting;

struct SmFileQueue
{
	Tuplestorestate *rows;
	TupleDesc	desc;
	bool		compress;
	int			size;			/* how many files may wait */
	int			nwaiting;
	Waiting		waiting[MAX_WAITING_FILES]; /* the first has waited longest */
};

SmFileQueue *
sm_file_queue_create(Tuplestorestate *rows, TupleDesc desc, int compression)
{
	SmFileQueue *queue = palloc0_object(SmFileQueue);

	queue->rows = rows;
	queue->desc = desc;
	queue->compress = compression > 0;
	queue->size = Max(1, Min(MAX_WAITING_FILES, max_parallel_workers_per_gather));
	for (int i = 0; i < queue->size; i++)
	{
		if (queue->compress)
			queue->waiting[i].gzip = sm_gzip_create(compression);
		queue->waiting[i].context = AllocSetContextCreate(CurrentMemoryContext,
														  "sitemap file row",
														  ALLOCSET_SMALL_SIZES);
	}
	return queue;
}

/* Wait for the file that has waited longest, and put it. */
static void
put_first(SmFileQueue *queue)
{
	Waiting		first = queue->waiting[0];

	if (first.compresses)
		first.values[SM_FILE_CONTENT] = PointerGetDatum(sm_gzip_end(first.gzip));
	tuplestore_putvalues(queue->rows, queue->desc, first.values, first.nulls);
	MemoryContextReset(first.context);
	queue->nwaiting--;
	memmove(&queue->waiting[0], &queue->waiting[1], queue->nwaiting * sizeof(Waiting));
	queue->waiting[queue->nwaiting] = first;
}

void
sm_file_queue_put(SmFileQueue *queue, const SmFile *file)
{
	bool		compresses = queue->compress && file->content && !sm_file_is_index(file);
	Waiting    *row;
	MemoryContext oldcontext;

	if (queue->nwaiting == queue->size)
		put_first(queue);
	row = &queue->waiting[queue->nwaiting++];
	row->compresses = compresses;
	oldcontext = MemoryContextSwitchTo(row->context);
	sm_file_to_row(file, row->values, row->nulls);
	if (file->shown)
		row->values[SM_FILE_SHOWN] = datumCopy(PointerGetDatum(file->shown), false, -1);
	MemoryContextSwitchTo(oldcontext);
	if (compresses)
		sm_gzip_begin(row->gzip, sm_span(VARDATA(file->content), VARSIZE(file->content) - VARHDRSZ));
	if (!queue->compress || sm_file_is_index(file))
		sm_file_queue_finish(queue);
}

void
sm_file_queue_finish(SmFileQueue *queue)
{
	while (queue->nwaiting > 0)
		put_first(queue);
}
