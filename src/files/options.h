/*
 * options.h
 *	  The options of a set, as the arguments of a function give them.
 */
#ifndef SM_OPTIONS_H
#define SM_OPTIONS_H

#include "entry/entry.h"
#include "server/argument.h"
#include "web/url.h"

/*
 * The beginning of an index's name, the section of its row in a target, and the default
 * of the argument "section".
 */
#define SM_INDEX_SECTION	"sitemap"

typedef enum SmIndexMode
{
	SM_INDEX_AUTO,				/* an index if there is more than one file */
	SM_INDEX_ALWAYS,
	SM_INDEX_NEVER,
	SM_INDEX_OF_SECTION			/* always, and named after the section */
} SmIndexMode;

typedef struct SmOptions
{
	char	   *query;
	SmUrlBase	base;
	const char *section;		/* base of the file names */
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
 * Read the arguments of a function into the current memory context.  has_target: by default,
 * files are compressed and split by content.  Raises an error if an argument is not valid.
 */
extern SmOptions *sm_read_options(const SmArguments *args, bool has_target);

/* Read those of sitemap_publish_index, which the other functions have, too. */
extern SmOptions *sm_read_index_options(const SmArguments *args);

#endif
