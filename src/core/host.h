/*
 * host.h
 *	  The host of a URL: a DNS name, an IPv4 address, or an IPv6 address in brackets.
 */
#ifndef SM_HOST_H
#define SM_HOST_H

#include "core/url.h"

/* longest host in ASCII: a DNS name with a dot at its end */
#define SM_HOST_MAX		254

/*
 * Write a host in ASCII to dst, which holds SM_HOST_MAX bytes.  Returns an error
 * if browsers cannot open the host.
 */
extern SmUrlStatus sm_host_encode(const char *host, size_t len, char *dst, size_t *dst_len);

#endif
