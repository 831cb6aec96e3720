/*
 * file.h
 *	  A file of a set, its row of type sitemap_file, and sinks that receive files.
 */
#ifndef SM_FILE_H
#define SM_FILE_H

#include "files/document.h"
#include "server/table.h"
#include "text/digest.h"
#include "web/url.h"

/* A file of a set. */
typedef struct SmFile
{
	const char *base_url;
	const char *section;
	const char *name;
	SmKind		kind;
	const char *loc;			/* URL that it is served from */
	TimestampTz lastmod;		/* newest lastmod of its entries; DT_NOBEGIN
								 * if they have none */
	int			url_count;
	int64		byte_count;		/* of the document, uncompressed */
	const char *digest;			/* of the document */
	const char *first_key;		/* the key of its first row; NULL without keys */
	const char *recipe;			/* recipe of the set (set.c); NULL for none */
	struct varlena *shown;		/* states of its pages (shown.h), or NULL */
	uint64		shown_checksum; /* of the states; 0 if there are none */
	struct varlena *content;	/* the document, maybe gzipped; or NULL */
} SmFile;

/* What becomes of a file of earlier runs. */
typedef enum SmOldFileFate
{
	SM_OLD_GONE,				/* the new set has no file of its name */
	SM_OLD_REWRITTEN,			/* the new set has another document */
	SM_OLD_SAME_DOCUMENT,		/* only other columns of its row differ */
	SM_OLD_SAME_ROW				/* nothing changes */
} SmOldFileFate;

/*
 * A file of earlier runs, as its row in a target has it.  NULL is NULL, -infinity for
 * lastmod, and 0 for a number.
 */
typedef struct SmOldFile
{
	const char *section;
	const char *name;
	const char *kind;
	const char *loc;
	TimestampTz lastmod;		/* when its content last changed */
	int			url_count;
	int64		byte_count;
	const char *digest;			/* NULL if another program makes the file */
	const char *first_key;
	const char *recipe;
	bool		has_content;	/* content itself is not read */

	/* what a run finds out */
	Datum		key;			/* the value of first_key */
	uint64		shown_checksum; /* of its states; 0 if they are not read */
	SmOldFileFate fate;
	struct SmOldFile *next;		/* in the order in which files are written */
	struct varlena *value;		/* a column that was read: content or states */
} SmOldFile;

/*
 * Receives files with their documents.  put is called in a short-lived memory context,
 * and its file is valid during the call only.
 */
typedef struct SmFileSink SmFileSink;
struct SmFileSink
{
	void		(*put) (SmFileSink *self, const SmFile *file);
};

/*
 * Complete a document and pass it to a sink.  file: section, name, first_key, recipe
 * and states, to which this adds the rest; base: directory that the file is served from.
 */
extern void sm_put_document(SmDocument *doc, const SmUrlBase *base, SmFile *file,
							SmFileSink *sink);

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
	SM_FILE_SHOWN,
	SM_FILE_CONTENT,
	SM_FILE_NCOLUMNS
};

extern const SmTableColumn sm_file_columns[SM_FILE_NCOLUMNS];

/* The values of column kind, each by its SmKind. */
extern const char *const sm_file_kinds[];

/*
 * Convert a file to a row.  States and content are not copied.  compression: the level of
 * gzip for its content, unless it is 0 or the file is an index.
 */
extern void sm_file_to_row(const SmFile *file, int compression, Datum *values, bool *nulls);

#endif
