/*
 * authority.h
 *	  The authority of a URL, "user@host:port", and the host in ASCII.
 */
#ifndef SM_AUTHORITY_H
#define SM_AUTHORITY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/urlstatus.h"

/* longest host in ASCII: a DNS name with a dot at its end */
#define SM_HOST_MAX		254

/* longest label of a DNS name */
#define SM_LABEL_MAX	63

/* The parts of an authority; host keeps the brackets of an IPv6 address. */
typedef struct SmAuthority
{
	const char *user;			/* NULL if there is none */
	size_t		user_len;
	const char *host;
	size_t		host_len;
	const char *port;			/* NULL if there is no colon */
	size_t		port_len;
} SmAuthority;

/* The length of the authority at s, which ends before the path, query or fragment. */
extern size_t sm_authority_length(const char *s, size_t len);

/*
 * Split an authority into its parts.  Returns false if anything but a port follows
 * the bracket of an IPv6 address.
 */
extern bool sm_authority_split(const char *s, size_t len, SmAuthority *a);

/* The port as a number: the scheme's default if none is given, 0 for a bad port. */
extern int	sm_authority_port(const SmAuthority *a, bool https);

/* Check a host, and write it in ASCII to dst, which holds SM_HOST_MAX bytes. */
extern SmUrlStatus sm_host_encode(const char *host, size_t len, char *dst, size_t *dst_len);

/*
 * Write the ASCII form of a UTF-8 host to dst of size bytes: IDNA2008, after the
 * mapping of UTS #46 (non-transitional).  The caller checks whether the ASCII
 * characters make a host name.
 */
extern SmUrlStatus sm_idna_to_ascii(const char *host, size_t len,
									char *dst, size_t size, size_t *dst_len);

/*
 * Can browsers open a host with this ASCII label?  They cannot if the label begins
 * with "xn--" and the rest is not Punycode, or decodes to a label with another ASCII
 * form.
 */
extern bool sm_idna_valid_label(const char *label, size_t len);

#endif
