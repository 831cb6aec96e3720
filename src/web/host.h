/*
 * host.h
 *	  The host of a URL in ASCII, and why a host or a URL is refused.
 */
#ifndef SM_HOST_H
#define SM_HOST_H

#include "text/span.h"

/* longest host in ASCII: a DNS name with a dot at its end */
#define SM_HOST_MAX		254

/* longest label of a DNS name */
#define SM_LABEL_MAX	63

typedef enum SmUrlStatus
{
	SM_URL_OK,
	SM_URL_EMPTY,				/* nothing but blanks */
	SM_URL_NO_SCHEME,			/* relative without a base URL */
	SM_URL_LOST_SCHEME,			/* as in "www.example.com/a" */
	SM_URL_BAD_REFERENCE,		/* a colon in the first segment, but no scheme */
	SM_URL_BAD_SCHEME,			/* neither http nor https */
	SM_URL_USER,				/* a user name or password before the host */
	SM_URL_NO_HOST,
	SM_URL_BAD_HOST,			/* browsers cannot open it */
	SM_URL_NOT_IDNA2008,		/* the host has a character that IDNA2008 does
								 * not allow, though browsers may */
	SM_URL_NO_IDNA,				/* a non-ASCII host in a build without libidn2 */
	SM_URL_NO_MEMORY,			/* libidn2 ran out of memory */
	SM_URL_BAD_PORT,
	SM_URL_ENCODED_DOTS,		/* "%2e" or the like as a segment of the path */
	SM_URL_TOO_LONG,
	SM_URL_LONG_REFERENCE,		/* relative, and too long to be resolved */
	SM_URL_BAD_BASE,			/* a base URL with a query or a fragment */
	SM_URL_OTHER_SITE,			/* outside of SM_SCOPE_HOST */
	SM_URL_OTHER_PATH			/* outside of SM_SCOPE_PATH */
} SmUrlStatus;

/*
 * Check a host, and write it in ASCII to dst, which holds SM_HOST_MAX bytes.  An IPv6
 * address is in brackets.
 */
extern SmUrlStatus sm_host_encode(SmSpan host, char *dst, size_t *dst_len);

/*
 * Write the ASCII form of a UTF-8 host to dst of size bytes: IDNA2008, after the
 * mapping of UTS #46 (non-transitional).  The caller checks whether the ASCII
 * characters make a host name.
 */
extern SmUrlStatus sm_idna_to_ascii(const char *host, size_t len,
									char *dst, size_t size, size_t *dst_len);

/*
 * May a host have this ASCII label?  If it begins with "xn--", the rest must be Punycode.
 * Without libidn2 the rest is not checked.
 */
extern bool sm_idna_valid_label(const char *label, size_t len);

#endif
