/*
 * xml.h
 *	  XML 1.0 text: escaping, unescaping, and which characters are legal.
 *
 * Everything is UTF-8.  The caller gives the buffers.
 */
#ifndef SM_XML_H
#define SM_XML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returned for bytes that are not UTF-8. */
#define SM_XML_MALFORMED	((size_t) -1)

/* The longest that one byte becomes is "&quot;". */
#define SM_XML_ESCAPE_BOUND(len)	(6 * (size_t) (len))

/* May XML 1.0 carry this character at all?  Production [2]. */
extern bool sm_xml_legal(uint32_t c);

/*
 * Escape len bytes for text content or an attribute value, by the five entities.
 * Line feed, carriage return, tab and backslash become character references, so
 * that a document is one line, which COPY writes as it is.  Characters that XML
 * cannot carry are dropped.  With ascii, characters above U+007F become references
 * too.
 * Returns the length written to dst, or SM_XML_MALFORMED.
 */
extern size_t sm_xml_escape(const char *src, size_t len, bool ascii, char *dst);

/*
 * Resolve the references of raw text or of a raw attribute value that
 * sm_xml_next() has found well-formed.  dst needs len bytes.
 */
extern size_t sm_xml_unescape(const char *src, size_t len, char *dst);

/*
 * Read the reference at s, which begins with "&": *c is the character that it
 * stands for.  Returns the reference's length in bytes, 0 if it is neither one of
 * the five entities nor a legal character.
 */
extern size_t sm_xml_reference(const char *s, const char *end, uint32_t *c);

#endif
