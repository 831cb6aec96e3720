/*
 * iso.h
 *	  Language and country codes: ISO 639, ISO 15924, ISO 3166-1 alpha-2.
 */
#ifndef SM_ISO_H
#define SM_ISO_H

#include "text/span.h"

/* Is it an ISO 3166-1 alpha-2 code, in either case? */
extern bool sm_iso_country(SmSpan code);

typedef enum SmHreflang
{
	SM_HREFLANG_INVALID,
	SM_HREFLANG_VALID,
	SM_HREFLANG_LONG			/* valid, but Google documents only languages
								 * of two letters */
} SmHreflang;

/*
 * Is it a value for hreflang?  It can be "x-default" in small letters; or a language of
 * two letters, or of three if it has no code of two, optionally followed by a script of
 * four letters and by a country, joined by hyphens.  These codes may be in either case.
 */
extern SmHreflang sm_iso_hreflang(SmSpan code);

/*
 * What a valid value probably means, if it is taken for a country: "ko" for "kr", which is
 * Kanuri; "es" for "es-LA", which is Laos.  Empty for any other value.
 */
extern SmSpan sm_iso_likely_hreflang(SmSpan code);

/* room for a language of three letters, a script and a country, and for "x-default" */
#define SM_HREFLANG_MAX		11

/*
 * What an invalid value for hreflang probably means: "en-US" for "en_US", "es" for
 * "es-419", "de" for "deu", "x-default" for "X-Default".  It may be in dst; empty if that is
 * unknown.
 */
extern SmSpan sm_iso_suggest_hreflang(SmSpan given, char dst[SM_HREFLANG_MAX]);

#endif
