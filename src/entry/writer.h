/*
 * writer.h
 *	  Writes entries: a <url>, a <sitemap>, or a line of a text sitemap.
 */
#ifndef SM_WRITER_H
#define SM_WRITER_H

#include "entry/element.h"

/* Prepare to write entries into an SQL value.  Problems are raised as errors. */
extern void sm_entry_writer_init(SmEntryWriter *w, SmKind kind);

/*
 * Append a row to buf, checked, encoded and escaped, and describe it in entry.
 * Returns false if the row cannot be written; then buf is unchanged.  In sitemap_audit
 * the rest of the row is still checked, and entry gets its lastmod.
 */
extern bool sm_append_entry(SmEntryWriter *w, const SmRow *row, StringInfo buf,
							SmEntry *entry);

#endif
