/*
 * escape.h
 *	  Percent-encoding of parts of a URL.
 */
#ifndef SM_ESCAPE_H
#define SM_ESCAPE_H

#include "text/span.h"

/* how the URL is written */
typedef enum SmUrlForm
{
	SM_FORM_PLAIN,				/* percent-encoded only */
	SM_FORM_XML					/* percent-encoded, "&" and "'" as entities;
								 * no other special character is left */
} SmUrlForm;

/* Write the percent-encoding of a byte.  Returns its end. */
extern char *sm_put_escape(char *d, unsigned char c);

/*
 * Percent-encode the bytes from s to end, and return the end of what was written to d,
 * at most 6 bytes for each.  They are a path, which a query and a fragment may follow.
 * *entity_bytes grows by the extra bytes of entities, which do not count as characters of
 * the URL.
 */
extern char *sm_escape(const char *s, const char *end, SmUrlForm form, char *d,
					   size_t *entity_bytes);

/*
 * Percent-encode a reference, relative or absolute, in SM_FORM_XML, without splitting it
 * into its parts: for the href of a stylesheet and the path of a base URL.  dst needs
 * 6 * len bytes.
 */
extern size_t sm_url_encode_reference(const char *src, size_t len, char *dst);

/* The length of the reserved and unreserved characters of RFC 3986 that a text begins with. */
extern size_t sm_url_reserved_length(SmSpan text);

/*
 * Percent-encode one segment of a path, or a value of a query string: everything but
 * the unreserved characters of RFC 3986 and the reserved characters in keep.  dst needs
 * 3 * segment.len bytes.
 */
extern size_t sm_url_encode_segment(SmSpan segment, SmSpan keep, char *dst);

#endif
