/*
 * feeddate.h
 *	  The dates of feeds, RFC 822 and RFC 3339, as W3C dates.
 */
#ifndef SM_FEEDDATE_H
#define SM_FEEDDATE_H

#include "core/span.h"

/* longest RFC 3339 date that is read; no date that is written is longer */
#define SM_FEED_DATE_MAX	64

/*
 * Write a date of a feed as a W3C date: the same day and time with the same
 * offset from UTC.  dst has SM_FEED_DATE_MAX bytes; no terminator.  Returns the
 * length, 0 for a text that is not a date or a date that does not exist.
 *
 * RSS has dates of RFC 822, with a year of two or four digits: "Sat, 07 Sep 2002
 * 09:42:31 +0200" becomes "2002-09-07T09:42:31+02:00".  The day of the week, the
 * seconds and the time may be missing.  Atom has dates of RFC 3339, which are W3C dates
 * but may have letters in lower case, and a blank before the time.
 */
extern size_t sm_feed_date(SmSpan text, char *dst);

#endif
