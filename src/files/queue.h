/*
 * queue.h
 *	  A queue of files to compress, which ends in a tuplestore.
 */
#ifndef SM_FILE_QUEUE_H
#define SM_FILE_QUEUE_H

#include "files/file.h"
#include "utils/tuplestore.h"

typedef struct SmFileQueue SmFileQueue;

/*
 * Make a queue in the current memory context, for rows with this descriptor.
 * compression: 0 for none, or 1 to 9.
 */
extern SmFileQueue *sm_file_queue_create(Tuplestorestate *rows, TupleDesc desc, int compression);

/*
 * Put a file.  Its content is compressed, unless it is NULL or the file is an index.
 * The file may wait for the compression while the caller goes on.
 */
extern void sm_file_queue_put(SmFileQueue *queue, const SmFile *file);

/* Put the files that still wait.  Call this before the tuplestore is read. */
extern void sm_file_queue_finish(SmFileQueue *queue);

#endif
