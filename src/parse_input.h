/*
 * parse_input.h
 *	  The bytes of a document that others have written: inflated, and as UTF-8.
 */
#ifndef SM_PARSE_INPUT_H
#define SM_PARSE_INPUT_H

#include "problem.h"

typedef struct SmInput
{
	SmSpan		content;		/* in UTF-8, unless it claims to be and is not */
	bool		is_xml;			/* it begins with "<" */

	/* why content is only the begin of the document; NULL if it is all of it */
	const char *broken;
	int			sqlerrcode;
	const char *hint;
} SmInput;

/*
 * Prepare a document.  is_text: it is a value of type text and already in UTF-8;
 * else gzip and other encodings are looked for.  No more than max_bytes are
 * inflated.  The content is in the document itself or in the current memory context,
 * and problems count its lines.
 */
extern void sm_input_prepare(SmInput *input, SmSpan document, bool is_text,
							 int64 max_bytes, SmProblems *problems);

#endif
