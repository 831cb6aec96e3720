/*
 * file.h
 *	  A file of a set, its row of type sitemap_file, and sinks that receive files.
 */
#ifndef SM_FILE_H
#define SM_FILE_H

#include "core/digest.h"
#include "core/url.h"
#include "files/document.h"

/* A complete file, not yet compressed. */
typedef struct SmFile
{
	SmKind		kind;
	const char *base_url;
	const char *name;
	const char *loc;			/* URL that it will be served from */
	const TimestampTz *lastmod; /* newest lastmod of its entries, or NULL */
	int			url_count;
	int64		byte_count;
	char		digest[SM_DIGEST_HEX_LEN + 1];
	const char *first_key;		/* the key of its first row, or NULL */
	const char *recipe;			/* recipe of the set (set.c), or NULL */
	struct varlena *document;	/* byte_count bytes */
} SmFile;

/*
 * Receives files.  put is called in a short-lived memory context, and its file
 * is valid during the call only.
 */
typedef struct SmFileSink SmFileSink;
struct SmFileSink
{
	void		(*put) (SmFileSink *self, const SmFile *file);
};

/*
 * Complete a document and pass it to a sink as a file with this name, below
 * base.
 */
extern void sm_put_document(SmDocument *doc, const SmUrlBase *base, const char *name,
							const char *first_key, const char *recipe, SmFileSink *sink);

/* The columns of type sitemap_file. */
enum
{
	SM_FILE_BASE_URL,
	SM_FILE_SECTION,
	SM_FILE_NAME,
	SM_FILE_KIND,
	SM_FILE_LOC,
	SM_FILE_LASTMOD,
	SM_FILE_URL_COUNT,
	SM_FILE_BYTE_COUNT,
	SM_FILE_DIGEST,
	SM_FILE_FIRST_KEY,
	SM_FILE_RECIPE,
	SM_FILE_CONTENT,
	SM_FILE_NCOLUMNS
};

typedef struct SmFileColumn
{
	const char *name;
	Oid			type;
} SmFileColumn;

extern const SmFileColumn sm_file_columns[SM_FILE_NCOLUMNS];

/* value of column kind for an index */
#define SM_KIND_INDEX	"index"

/*
 * Make the values of columns for a file, with uncompressed content, in the
 * current memory context.  Some point into the file.
 */
extern void sm_file_values(const SmFile *file, const char *section, Datum *values, bool *nulls);

#endif
