/*
 * decimal.h
 *	  Small decimal numbers: priority, rating and max_shrink.
 */
#ifndef SM_DECIMAL_H
#define SM_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/* "5.000000" and a byte to spare */
#define SM_DECIMAL_MAX	9

/*
 * A number from 0 to 9 in millionths, rounded to the nearest, one half up.  0.0000005
 * becomes 0, since its double is a little less than half a millionth.
 */
extern uint32_t sm_decimal_micros(double value);

/* A share, from 0 to 1, of a count, rounded down: 0.7 of 100 is 70. */
extern int64_t sm_decimal_share(int64_t count, double share);

/*
 * Write a number from 0 to 9 with one decimal at least and six at most, rounded
 * to the nearest, with a point whatever the locale.  No terminator; returns the
 * length.
 */
extern size_t sm_decimal_format(double value, char *dst);

#endif
