/*
 * input.h
 *	  The document to parse: inflated, in UTF-8, as far as it can be read.
 */
#ifndef SM_PARSE_INPUT_H
#define SM_PARSE_INPUT_H

#include "entry/problem.h"

typedef struct SmInput
{
	SmSpan		content;		/* in UTF-8; invalid bytes are possible */
	bool		is_xml;			/* it begins with "<" */

	/*
	 * why content is only the beginning of the document; NULL if it is
	 * complete
	 */
	const char *broken;
	int			sqlerrcode;
	const char *hint;
} SmInput;

/*
 * Prepare a document.  is_text: it is of type text, and in UTF-8 already; else it may
 * be gzipped and in other encodings.  At most max_bytes of the inflated document are
 * prepared.  The content is in the document itself or in the current memory context.
 * Line numbers of later problems refer to the content.
 */
extern void sm_input_prepare(SmInput *input, SmSpan document, bool is_text,
							 int64 max_bytes, SmProblems *problems);

#endif
