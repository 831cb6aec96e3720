/*
 * decimal.h
 *	  Small decimal numbers: priority and rating.
 */
#ifndef SM_DECIMAL_H
#define SM_DECIMAL_H

#include <stddef.h>

/* "5.000000" and a byte to spare */
#define SM_DECIMAL_MAX	9

/*
 * Write a number from 0 to 9 with one decimal at least and six at most, rounded
 * to the nearest, with a point whatever the locale.  No terminator; returns the
 * length.
 */
extern size_t sm_decimal_format(double value, char *dst);

#endif
