/*
 * w3cdate.h
 *	  W3C NOTE-datetime: the dates of the sitemap protocol.
 *
 * Instants are seconds since 1970-01-01 00:00:00 UTC, without leap seconds, in
 * the proleptic Gregorian calendar.  Years 0001 to 9999 can be written.
 */
#ifndef SM_W3CDATE_H
#define SM_W3CDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/span.h"

#define SM_W3C_DATE_LEN		10	/* 2026-01-02 */
#define SM_W3C_SECONDS_LEN	20	/* 2026-01-02T03:04:05Z */

#define SM_SECS_PER_DAY		86400

typedef enum SmW3cStatus
{
	SM_W3C_OK,
	SM_W3C_SYNTAX,				/* none of the six forms */
	SM_W3C_RANGE				/* no such date or time, or before year 1 or
								 * after 9999 */
} SmW3cStatus;

/* Write a day (days since 1970-01-01) as YYYY-MM-DD; false outside 0001..9999. */
extern bool sm_w3c_format_day(int64_t day, char *dst);

/* Write an instant as YYYY-MM-DDThh:mm:ssZ; false outside 0001..9999. */
extern bool sm_w3c_format_seconds(int64_t seconds, char *dst);

/*
 * Check that a text is one of the six forms and a real date.  *seconds is the
 * instant at which the date begins, without a fraction of a second; a form
 * without time is read as UTC.  *has_time: does the date have a time of day?
 *
 * is_json: read a date as PostgreSQL writes it in JSON, which is nearly a W3C datetime:
 * a time may lack its offset from UTC, which is then 0, and an offset can have seconds.
 */
extern SmW3cStatus sm_w3c_parse(SmSpan text, bool is_json, bool *has_time, int64_t *seconds);

#endif
