/*
 * fragment.h
 *	  Ready-made XML as extension elements of a page.
 */
#ifndef SM_FRAGMENT_H
#define SM_FRAGMENT_H

#include "entry/element.h"

/*
 * Append ready-made XML to w->buf.  Returns false for a problem; then w->buf and the counts
 * of the page are unchanged.
 *
 * The XML has to be well-formed, without elements in the namespace of sitemaps.  Line breaks
 * and tabs become references in text and spaces in tags; backslashes become references.
 * Comments and processing instructions are left out.  In a database that is not UTF-8, functions such as
 * sitemap_image write a character outside ASCII as a reference.  In a file each such reference
 * becomes the character, as in a file from a UTF-8 database.
 */
extern bool sm_append_fragment(SmEntryWriter *w, SmSpan xml);

#endif
