/*
 * fault.c
 *	  What is wrong with a document that is being read, and where.
 */
#include "postgres.h"

#include "fault.h"

void
sm_fault(SmFault *fault, int sqlerrcode, int64 line, const char *message,
		 const char *detail)
{
	size_t		len = 0;

	if (sm_is_fault(fault))
		return;
	fault->sqlerrcode = sqlerrcode;
	fault->line = line;
	fault->message = message;

	/* its first line, which may quote the document, but not break the message */
	for (; detail && *detail && *detail != '\n' && len < SM_FAULT_DETAIL_MAX - 2; detail++)
		fault->detail[len++] = (*detail >= ' ' && *detail < '\x7f') ? *detail : '?';
	while (len > 0 && strchr(" .!", fault->detail[len - 1]))
		len--;
	if (len > 0)
		fault->detail[len++] = '.';
	fault->detail[len] = '\0';
}
