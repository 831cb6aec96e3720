/*
 * idna.h
 *	  Host names outside ASCII, and the ASCII labels that stand for them.
 */
#ifndef SM_IDNA_H
#define SM_IDNA_H

#include "core/url.h"

/* longest label of a DNS name */
#define SM_LABEL_MAX	63

/*
 * Write the ASCII form of a UTF-8 host into dst of size bytes: IDNA2008, after
 * the mapping of UTS #46 (non-transitional). The caller checks whether the
 * ASCII characters make a host name.  Errors are SM_URL_NO_IDNA: the build has
 * no libidn2; SM_URL_NO_MEMORY: libidn2 ran out of memory;
 * SM_URL_NOT_IDNA2008: IDNA2008 does not allow a character, though browsers
 * may; SM_URL_BAD_HOST: anything else.
 */
extern SmUrlStatus sm_idna_to_ascii(const char *host, size_t len,
									char *dst, size_t size, size_t *dst_len);

/*
 * Can browsers open a host with this ASCII label?  They cannot if it begins
 * with "xn--" and the rest is not Punycode, or is Punycode of a label that has
 * another ASCII form.
 */
extern bool sm_idna_valid_label(const char *label, size_t len);

#endif
