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
	MemoryContext context;		/* for the values */
	Datum		values[SM_FILE_NCOLUMNS];	/* all but the content */
	bool		nulls[SM_FILE_NCOLUMNS];
} Waiting;

struct SmFileQueue
{
	Tuplestorestate *rows;
	TupleDesc	desc;
	bool		compress;
	Waiting		waiting[MAX_WAITING_FILES]; /* a ring */
	int			size;			/* length of the ring, up to MAX_WAITING_FILES */
	int			first;			/* the file that has waited longest */
	int			nwaiting;
};

SmFileQueue *
sm_file_queue_create(Tuplestorestate *rows, TupleDesc desc, int compression)
{
	SmFileQueue *queue = palloc0_object(SmFileQueue);

	queue->rows = rows;
	queue->desc = desc;
	queue->compress = compression > 0;
	queue->size = Max(1, Min(MAX_WAITING_FILES, max_parallel_workers_per_gather));
	for (int i = 0; queue->compress && i < queue->size; i++)
	{
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
	Waiting    *row = &queue->waiting[queue->first];

	if (!row->nulls[SM_FILE_CONTENT])
		row->values[SM_FILE_CONTENT] = PointerGetDatum(sm_gzip_end(row->gzip));
	tuplestore_putvalues(queue->rows, queue->desc, row->values, row->nulls);
	MemoryContextReset(row->context);
	queue->first = (queue->first + 1) % queue->size;
	queue->nwaiting--;
}

/* Let a file wait while its content, unless NULL, is compressed. */
static void
add_waiting(SmFileQueue *queue, const SmFile *file)
{
	Waiting    *row = &queue->waiting[(queue->first + queue->nwaiting) % queue->size];
	MemoryContext oldcontext = MemoryContextSwitchTo(row->context);

	sm_file_to_row(file, row->values, row->nulls);
	if (file->shown)
		row->values[SM_FILE_SHOWN] = datumCopy(PointerGetDatum(file->shown), false, -1);
	MemoryContextSwitchTo(oldcontext);
	if (file->content)
		sm_gzip_begin(row->gzip, sm_span(VARDATA(file->content), VARSIZE(file->content) - VARHDRSZ));
	queue->nwaiting++;
}

void
sm_file_queue_put(SmFileQueue *queue, const SmFile *file)
{
	Datum		values[SM_FILE_NCOLUMNS];
	bool		nulls[SM_FILE_NCOLUMNS];

	if (queue->compress && !sm_file_is_index(file))
	{
		if (queue->nwaiting == queue->size)
			put_first(queue);
		add_waiting(queue, file);
		return;
	}
	sm_file_queue_finish(queue);
	sm_file_to_row(file, values, nulls);
	tuplestore_putvalues(queue->rows, queue->desc, values, nulls);
}

void
sm_file_queue_finish(SmFileQueue *queue)
{
	while (queue->nwaiting > 0)
		put_first(queue);
}
