/*
 * xml.h
 *	  XML 1.0 text: escaping, unescaping, and which characters are legal.
 *
 * Everything is UTF-8.  The caller provides the buffers.
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

/* May XML 1.0 contain this character?  Production [2]. */
extern bool sm_xml_legal(uint32_t c);

/* The kind of a text to escape. */
typedef enum SmXmlPart
{
	SM_XML_VALUE,				/* plain text: a value for an element or an
								 * attribute */

	/* parts of well-formed XML, with their markup */
	SM_XML_IN_TAG,
	SM_XML_IN_TEXT,
	SM_XML_IN_CDATA				/* the inside of a CDATA section, which
								 * becomes text */
} SmXmlPart;

/* How characters above U+007F are written. */
typedef enum SmXmlCharset
{
	SM_XML_AS_GIVEN,
	SM_XML_AS_REFERENCES,
	SM_XML_AS_CHARACTERS		/* in tags and text, references to them become
								 * characters */
} SmXmlCharset;

/*
 * Escape text for a document, which has to be one line that COPY writes unchanged.  So a
 * backslash becomes a character reference.  Line feeds, carriage returns and tabs become
 * references in text, and spaces in tags.  A value gets the five entities, and loses
 * characters that XML cannot carry.  In parts of XML, CR and CR LF count as a line feed.
 * dst needs SM_XML_ESCAPE_BOUND(len) bytes.  Returns the length written to it, or
 * SM_XML_MALFORMED.
 */
extern size_t sm_xml_escape(const char *src, size_t len, SmXmlPart part,
							SmXmlCharset charset, char *dst);

/*
 * Resolve the references of raw text or of a raw attribute value that
 * sm_xml_next() has found well-formed.  dst needs len bytes, and can be src.
 */
extern size_t sm_xml_unescape(const char *src, size_t len, char *dst);

/*
 * Read the reference at s, which begins with "&": *c is the character that it
 * stands for.  Returns the reference's length in bytes, 0 if it is neither one of
 * the five entities nor a legal character.
 */
extern size_t sm_xml_reference(const char *s, const char *end, uint32_t *c);

#endif
