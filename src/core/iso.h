/*
 * iso.h
 *	  Language and country codes: ISO 639-1, ISO 15924, ISO 3166-1 alpha-2.
 */
#ifndef SM_ISO_H
#define SM_ISO_H

#include <stdbool.h>
#include <stddef.h>

/* Is it an ISO 3166-1 alpha-2 code, in either case? */
extern bool sm_iso_country(const char *code, size_t len);

/*
 * Is it a value for hreflang: "x-default", or a language of two letters, optionally
 * followed by a script of four letters and by a country, joined by hyphens?  Codes
 * may be in either case.
 */
extern bool sm_iso_hreflang(const char *code, size_t len);

#endif
