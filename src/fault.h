/*
 * fault.h
 *	  What is wrong with a document that is being read, and where.
 *
 * The first fault ends the reading.  It is only noted where it is found, since
 * that may be inside of a library that no error may jump out of, and what stood
 * before it may be wanted.
 */
#ifndef SM_FAULT_H
#define SM_FAULT_H

#include "sitemap.h"

#define SM_FAULT_DETAIL_MAX		200

typedef struct SmFault
{
	int			sqlerrcode;		/* 0: there is none */
	int64		line;			/* 0: nobody knows */
	const char *message;
	char		detail[SM_FAULT_DETAIL_MAX];	/* a sentence in ASCII, or
												 * empty */
} SmFault;

static inline bool
sm_is_fault(const SmFault *fault)
{
	return fault->sqlerrcode != 0;
}

/*
 * Note a fault, unless there is one already; it raises no error.  detail may be
 * NULL, and may come from the document.
 */
extern void sm_fault(SmFault *fault, int sqlerrcode, int64 line,
					 const char *message, const char *detail);

#endif
