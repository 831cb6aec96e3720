/*
 * files.h
 *	  The columns of type sitemap_file.
 */
#ifndef SM_FILES_H
#define SM_FILES_H

#include "set.h"

enum
{
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

/* the kind of an index, in the column of that name */
#define SM_KIND_INDEX	"index"

/* What that column has for a kind. */
extern const char *sm_kind_name(SmKind kind);

/*
 * Make the columns' values of a file, its content uncompressed, in the current
 * memory context; some point into the file.
 */
extern void sm_file_values(const SmFile *file, const char *section, Datum *values, bool *nulls);

#endif
