/*
 * extension.h
 *	  An extension of an entry, copied as XML that declares its own namespaces.
 */
#ifndef SM_PARSE_EXTENSION_H
#define SM_PARSE_EXTENSION_H

#include "core/xmlreader.h"
#include "lib/stringinfo.h"
#include "server/problem.h"

/* The copies of a document's extensions, and their totals. */
typedef struct SmExtensionCopies
{
	SmXmlReader *reader;
	SmProblems *problems;
	uint64		allowed;		/* bytes that all copies may have together */
	uint64		copied;			/* bytes of all copies so far */
	size_t		entry_len;		/* bytes of the copies for the current entry */
	int			entry_count;	/* number of these copies */
	StringInfoData out;			/* the copy that is being written */
	StringInfoData content;		/* text that is being read */
} SmExtensionCopies;

/* Prepare to copy from a document of document_len bytes. */
extern void sm_extension_copies_init(SmExtensionCopies *copies, SmXmlReader *reader,
									 size_t document_len, SmProblems *problems);

/* An entry begins. */
extern void sm_extension_copies_begin_entry(SmExtensionCopies *copies);

/*
 * Copy the element that has just begun, up to its end, into the current memory
 * context: with all declarations that its names need, without comments,
 * instructions and indentation.  Returns false if it is not well-formed, or is
 * too large, which is a problem of its entry.  arg: an SmExtensionCopies.
 */
extern bool sm_extension_copy(void *arg, SmSpan *copy);

#endif
