/*
 * entry.h
 *	  Shared types: a row of SQL values, the entry that it becomes in a document,
 *	  and the limits of the protocol.
 */
#ifndef SM_ENTRY_H
#define SM_ENTRY_H

#include "compat.h"
#include "datatype/timestamp.h"
#include "entry/shown.h"
#include "text/span.h"

/* Limits of the protocol, sitemaps.org: for a sitemap and for an index alike. */
#define SM_MAX_ENTRIES		50000
#define SM_MAX_BYTES		52428800

/* Limits of protocol 0.84, Google Sitemaps */
#define SM_MAX_BYTES_084	10485760
#define SM_MAX_INDEX_084	1000

/* Google's limits: news items of a sitemap, images of a page */
#define SM_MAX_NEWS			1000
#define SM_MAX_IMAGES		1000

/* our own limit: there are fewer languages */
#define SM_MAX_ALTERNATES	1000

typedef enum SmProtocol
{
	SM_PROTOCOL_09,
	SM_PROTOCOL_084
} SmProtocol;

typedef enum SmKind
{
	SM_URLSET,
	SM_INDEX,
	SM_TEXT
} SmKind;

typedef enum SmValueType
{
	SM_VALUE_NONE,				/* NULL or blank */
	SM_VALUE_TEXT,				/* text, maybe of a number or a date */
	SM_VALUE_INTEGER,			/* integer */
	SM_VALUE_FLOAT,				/* number */
	SM_VALUE_DAY,				/* integer, a DateADT */
	SM_VALUE_INSTANT,			/* integer, a Timestamp in UTC */
	SM_VALUE_ARRAY				/* items, blank ones with s NULL */
} SmValueType;

/* A value of a row or of an item, not yet checked. */
typedef struct SmValue
{
	SmValueType type;
	int			n;				/* of an array */
	union
	{
		SmSpan		span;		/* UTF-8 */
		int64		integer;
		double		number;
		SmSpan	   *items;
	}			v;
} SmValue;

/* One row: the values of a <url> or <sitemap>, text in UTF-8, not yet checked. */
typedef struct SmRow
{
	SmSpan		loc;
	SmValue		lastmod;		/* instant, day or text */
	SmSpan		changefreq;		/* empty for none */
	bool		has_priority;
	double		priority;

	/* of a query with a column "shown" */
	bool		as_instant;		/* lastmod is written as an instant */
	bool		has_shown;		/* the column is not NULL */
	uint64		shown;			/* digest of its value */

	/* jsonb, 0 for none */
	Datum		alternates;		/* hreflang to URL */
	Datum		image_items;
	Datum		videos;
	Datum		news;

	int			nimages;
	SmSpan	   *images;			/* URLs */
	int			nextensions;
	SmSpan	   *extensions;		/* XML */
} SmRow;

/* An entry, written to the end of a buffer. */
typedef struct SmEntry
{
	int			len;			/* bytes */
	int			loc;			/* offset of its encoded loc */
	int			loc_len;		/* 0: invalid, only for sitemap_audit */
	uint32		namespaces;		/* SM_NS_… that the document must declare */
	bool		has_news;
	bool		has_lastmod;
	int64		lastmod;		/* seconds since 1970-01-01 UTC */
	bool		has_shown;		/* column "shown" is not NULL */
	SmShownPage shown;			/* to remember, if so */
} SmEntry;

/* Seconds from 1970-01-01 to PostgreSQL's epoch, 2000-01-01 */
#define SM_POSTGRES_EPOCH \
	((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY)

#endif
