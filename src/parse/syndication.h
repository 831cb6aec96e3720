/*
 * syndication.h
 *	  Entries of feeds: items of RSS 2.0, entries of Atom 1.0 and 0.3.
 */
#ifndef SM_PARSE_FEED_H
#define SM_PARSE_FEED_H

#include "entry/reader.h"

/*
 * Read an item or entry that has just begun into a row, its link as loc and its
 * date as lastmod.  Returns the same as sm_entry_read.
 */
extern bool sm_rss_read_item(SmEntryReader *e, SmRow *row);
extern bool sm_atom_read_entry(SmEntryReader *e, SmRow *row);

#endif
