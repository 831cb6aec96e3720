/*
 * index.h
 *	  The files of a set → the index documents that list them.
 */
#ifndef SM_INDEX_H
#define SM_INDEX_H

#include "document.h"
#include "element.h"
#include "nodes/pg_list.h"

typedef struct SmIndex
{
	MemoryContext context;
	SmProtocol	protocol;
	const char *stylesheet;
	SmElementWriter writer;
	List	   *documents;		/* of SmDocument, all but the last one full */
} SmIndex;

/* Begin an index in the current memory context. */
extern SmIndex *sm_index_create(SmProtocol protocol, const char *stylesheet);

/*
 * Add a file by its URL; lastmod is NULL where nobody knows it.  The limits are
 * the protocol's, and beyond them another document begins.
 */
extern void sm_index_add(SmIndex *index, const char *loc, const TimestampTz *lastmod);

#endif
