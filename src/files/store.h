/*
 * store.h
 *	  Gzips files and puts them into a tuplestore, as rows of type sitemap_file.
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
 * Put a file.  Its content is compressed, unless it is NULL or the file is an index.
 * The file may wait for the compression while the caller goes on.
 */
extern void sm_file_store_put(SmFileStore *store, const SmFile *file);

/* Put the files that still wait.  Call this before the tuplestore is read. */
extern void sm_file_store_finish(SmFileStore *store);

#endif
