/*
 * source.h
 *	  The bytes of a document, piece by piece, inflated where they are gzipped.
 */
#ifndef SM_SOURCE_H
#define SM_SOURCE_H

#include "fault.h"

typedef struct SmSource SmSource;

/*
 * Begin to read data, which must stay, in the current memory context.  Bytes
 * that begin as gzip does are inflated if may_be_gzip.  Of the document that
 * comes out there are max_bytes at the most; a fault says that there were more.
 */
extern SmSource *sm_source_create(SmSpan data, bool may_be_gzip, int64 max_bytes);

/*
 * The next piece, good until the next call; pieces but the last have the same
 * length.  False at the end, where *fault becomes what kept the rest from coming,
 * if anything did.
 */
extern bool sm_source_next(SmSource *source, SmSpan *piece, SmFault *fault);

#endif
