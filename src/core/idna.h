/*
 * idna.h
 *	  Host names outside ASCII, through libidn2 where the build has it.
 */
#ifndef SM_IDNA_H
#define SM_IDNA_H

#include "core/url.h"

/*
 * Write the ASCII form of a UTF-8 host into dst of size bytes: IDNA2008, after
 * the mapping of UTS #46 (non-transitional).  The caller checks whether the
 * ASCII characters make a host name.  SM_URL_NO_IDNA: this build cannot.
 * SM_URL_NO_MEMORY: it cannot now.  SM_URL_NOT_IDNA2008: a character has no
 * place there, though browsers may know it.  SM_URL_BAD_HOST: all else.
 */
extern SmUrlStatus sm_idna_to_ascii(const char *host, size_t len,
									char *dst, size_t size, size_t *dst_len);

/*
 * Can browsers open a host with this ASCII label?  False for a label that
 * begins with "xn--" and stands for nothing: what follows is not Punycode, or
 * that of a label which is spelled in another way.
 */
extern bool sm_idna_valid_label(const char *label, size_t len);

#endif
