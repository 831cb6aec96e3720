/*
 * options.h
 *	  The arguments of sitemap_files, which others have too, read and checked.
 */
#ifndef SM_OPTIONS_H
#define SM_OPTIONS_H

#include "core/url.h"
#include "fmgr.h"
#include "sitemap.h"

typedef enum SmIndexMode
{
	SM_INDEX_AUTO,				/* where there is more than one file */
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

/*
 * Read the arguments from query on, the first of which is argument first, into
 * the current memory context.  An error if one is not valid.
 */
extern SmOptions *sm_read_options(FunctionCallInfo fcinfo, int first);

/*
 * The same for the arguments of sitemap_publish_index from base_url on, all that
 * an index is made with.
 */
extern SmOptions *sm_read_index_options(FunctionCallInfo fcinfo, int first);

#endif
