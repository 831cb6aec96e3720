/*
 * feeddate.h
 *	  The dates of feeds, RFC 822 and RFC 3339, as W3C dates.
 */
#ifndef SM_FEEDDATE_H
#define SM_FEEDDATE_H

#include "core/span.h"

/* room for the longest date that is written, and longest RFC 3339 date that is read */
#define SM_FEED_DATE_MAX	64

/*
 * Write a date of a feed as a W3C date: the same day and time with the same
 * offset from UTC.  dst has SM_FEED_DATE_MAX bytes; no terminator.  Returns the
 * length, 0 for a text that is not a date or a date that does not exist.
 *
 * RFC 822, with the years of four digits of its successors, is the form of RSS:
 * "Sat, 07 Sep 2002 09:42:31 +0200" becomes "2002-09-07T09:42:31+02:00".  Day of
 * the week, seconds and time may be missing.  RFC 3339 is the form of Atom; it differs from a W3C date only in that letters can be in lower case, and a blank can stand before the time.
 */
extern size_t sm_feed_date(SmSpan text, char *dst);

#endif
