/*
 * cancel.h
 *	  Tells a cancellation of this session from one that a statement raised.
 */
#ifndef SM_CANCEL_H
#define SM_CANCEL_H

#include "fmgr.h"

/*
 * Call a function.  If it fails with query_canceled, but no cancel request or timeout of
 * this session is the reason, a line of the error's context says so.  sitemap_run looks for
 * that line: only a cancellation of its own session ends the call.
 */
extern Datum sm_call_marking_cancels(PGFunction function, FunctionCallInfo fcinfo);

#endif
