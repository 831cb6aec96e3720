/*
 * base_url.h
 *	  Reads a base_url, the URL of the directory that files will be served from.
 */
#ifndef SM_SERVER_BASE_URL_H
#define SM_SERVER_BASE_URL_H

#include "compat.h"
#include "core/url.h"

/* Raise an error if encoding a URL ran out of memory, which is no fault of the URL. */
extern void sm_url_check_memory(SmUrlStatus status);

/* Read a base_url, or raise an error. */
extern void sm_base_url_read(SmSpan url, SmUrlScope scope, SmUrlBase *base);

/* Raise an error for a base_url.  reason: a clause. */
pg_noreturn extern void sm_refuse_base_url(SmSpan url, const char *reason);

#endif
