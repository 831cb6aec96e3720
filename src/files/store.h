/*
 * store.h
 *	  Rows of type sitemap_file, gzipped and put into a tuplestore.
 */
#ifndef SM_FILE_STORE_H
#define SM_FILE_STORE_H

#include "files/file.h"
#include "utils/tuplestore.h"

typedef struct SmFileStore SmFileStore;

/*
 * Make a store in the current memory context, for rows with this descriptor.
 * compression: 0 for none, or 1 to 9.
 */
extern SmFileStore *sm_file_store_create(Tuplestorestate *rows, TupleDesc desc, int compression);

/*
 * Put a row.  Its content is compressed, unless it is NULL or the row is an index.
 * The row may wait for the compression while the caller goes on.
 */
extern void sm_file_store_put(SmFileStore *store, SmKind kind, const Datum *values,
							  const bool *nulls);

/* Put the rows that still wait. Call this before the tuplestore is read. */
extern void sm_file_store_finish(SmFileStore *store);

#endif
