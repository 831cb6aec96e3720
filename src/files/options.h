/*
 * options.h
 *	  The options of a set, as the arguments of a function give them.
 */
#ifndef SM_OPTIONS_H
#define SM_OPTIONS_H

#include "core/url.h"
#include "entry/entry.h"
#include "fmgr.h"

typedef enum SmIndexMode
{
	SM_INDEX_AUTO,				/* an index if there is more than one file */
	SM_INDEX_ALWAYS,
	SM_INDEX_NEVER
} SmIndexMode;

typedef struct SmOptions
{
	char	   *query;
	SmUrlBase	base;
	char	   *section;		/* base of the file names */
	SmKind		kind;			/* SM_URLSET or SM_TEXT */
	int			compression;	/* 0 for none, 1 to 9 for gzip */
	int			max_urls;
	int64		max_bytes;
	bool		stable;			/* split by content */
	SmIndexMode index;
	bool		skip_invalid;
	char	   *stylesheet;		/* the processing instruction, or NULL */
	SmProtocol	protocol;
} SmOptions;

/* Defaults of the options that have different defaults in sitemap_publish. */
typedef struct SmOptionDefaults
{
	int			compression;
	bool		stable;
} SmOptionDefaults;

/* for sitemap_files and sitemap_audit */
extern const SmOptionDefaults sm_files_defaults;

/*
 * Read the arguments, query first, into the current memory context.  first: number of
 * argument query.  An option that is NULL gets its default.  Raises an error if an
 * argument is not valid.
 */
extern SmOptions *sm_read_options(FunctionCallInfo fcinfo, int first,
								  const SmOptionDefaults *defaults);

/* The same for sitemap_publish_index.  first: number of argument base_url. */
extern SmOptions *sm_read_index_options(FunctionCallInfo fcinfo, int first);

#endif
