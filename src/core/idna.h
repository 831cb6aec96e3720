/*
 * idna.h
 *	  Host names outside ASCII, through libidn2 where the build has it.
 */
#ifndef SM_IDNA_H
#define SM_IDNA_H

#include "core/url.h"

/*
 * Write the ASCII form (UTS #46, non-transitional) of a UTF-8 host into dst of
 * size bytes; whether its ASCII characters make a host name is for the caller
 * to check.  SM_URL_NO_IDNA says that this build cannot, SM_URL_NO_MEMORY that
 * it cannot now, SM_URL_BAD_HOST that the name has no such form.
 */
extern SmUrlStatus sm_idna_to_ascii(const char *host, size_t len,
									char *dst, size_t size, size_t *dst_len);

#endif
