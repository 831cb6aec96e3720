/*
 * parse_feed.h
 *	  Entries of feeds: items of RSS 2.0, entries of Atom 1.0 and 0.3.
 */
#ifndef SM_PARSE_FEED_H
#define SM_PARSE_FEED_H

#include "xmlentry.h"

/*
 * Read an item or entry that has just begun, its link and its date, as
 * sm_entry_read reads an entry of a sitemap.
 */
extern bool sm_feed_read_rss(SmEntryReader *e, SmRow *row);
extern bool sm_feed_read_atom(SmEntryReader *e, SmRow *row);

#endif
