/*
 * list.c
 *	  The list of exported files, as it is kept in the directory.
 *
 * The list, ".sitemap_export", begins with a line for the site, if the files have a
 * base_url, and one for the database, so that a copy of a database does not write into
 * the directory of the original.  The database is known by its name, which a promoted standby
 * and a restored database keep.  The list is in the directory itself, where no other name of
 * the directory, and no other table, leads around it.  Then it has a line for each version of
 * a file that may be on disk: digest, size and mtime of what we wrote, and the name.  Lines
 * that cannot be read are ignored.
 *
 * The list is written, if it changes, before the first change to a file, with the old and the
 * new version of each file, and after the last change, with the new versions.  For example, an
 * export that replaces a.xml first writes
 *
 *		site https://www.example.com/
 *		database shop
 *		0123456789abcdef 266 1767225600 a.xml
 *		fedcba9876543210 285 1767312000 a.xml
 *
 * and, after it has replaced the file, all but the third line.  A crash in between leaves
 * all lines.  Then the size and mtime of the file show which version it is: a new mtime is
 * always later than the old one.
 *
 * The list decides which files are removed.  So it must belong to the user that the server
 * runs as.
 */
#include "postgres.h"

#include "export/list.h"

#include <time.h>

#include "commands/dbcommands.h"
#include "common/string.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "text/digest.h"
#include "text/text.h"
#include "utils/lsyscache.h"
#include "web/escape.h"

/* what the lines of the site and of the database begin with */
#define SITE_PREFIX		"site "
#define DATABASE_PREFIX	"database "

/* Can this be the name of an exported file? */
static bool
is_valid_name(const char *name)
{
	static const char *const endings[] = {
		".xml", ".txt", ".css", ".xsl", ".xslt", ".xml.gz", ".txt.gz", ".css.gz", ".xsl.gz", ".xslt.gz"
	};

	if (strlen(name) > SM_NAME_MAX || name[0] == '.')
		return false;
	for (const char *c = name; *c; c++)
		if ((unsigned char) *c < ' ' || *c == 0x7F || *c == '/' || *c == '\\')
			return false;
	for (size_t i = 0; i < lengthof(endings); i++)
		if (pg_str_endswith(name, endings[i]))
			return true;
	return false;
}

SmListFile *
sm_list_find(SmList *list, const char *name)
{
	SmListFile *file;
	bool		found;

	if (!is_valid_name(name))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid file name \"%.*s\"",
						pg_mbcliplen(name, strlen(name), SM_NAME_MAX), name),
				 errdetail("A name ends in .xml, .txt, .css, .xsl or .xslt, or in one of these and .gz. It has at most %d bytes, no slash, backslash or control character, and no dot at its beginning.",
						   SM_NAME_MAX)));
	file = hash_search(list->by_name, name, HASH_ENTER, &found);
	if (!found)
	{
		file->is_listed = file->is_written = false;
		file->action = NULL;
		dlist_push_tail(&list->files, &file->node);
	}
	return file;
}

static void
append_version(StringInfo dst, const SmVersion *version, const char *name)
{
	char		hex[SM_DIGEST_HEX_LEN];

	sm_digest_hex(version->digest, hex);
	appendBinaryStringInfo(dst, hex, SM_DIGEST_HEX_LEN);
	appendStringInfo(dst, " " INT64_FORMAT " " INT64_FORMAT " %s\n",
					 version->size, version->mtime, name);
}

/* Read the line of a version. */
static void
read_version(SmList *list, char *line)
{
	char	   *name = line;
	SmVersion	version;
	SmListFile *file;
	struct stat st;

	version.digest = strtou64(name, &name, 16);
	version.size = strtoi64(name, &name, 10);
	version.mtime = strtoi64(name, &name, 10);
	if (*name++ != ' ' || !is_valid_name(name) || !pg_verifymbstr(name, strlen(name), true))
		return;

	/* of several lines for a file, that of the version on disk counts */
	file = sm_list_find(list, name);
	if (!file->is_listed || !sm_dir_stat(list->dir, name, &st) || !sm_list_is_ours(file, &st))
		file->listed = version;
	file->is_listed = true;
}

/* The name of this database, percent-encoded. */
static char *
database_name(void)
{
	SmSpan		name = sm_span_of(get_database_name(MyDatabaseId));
	char	   *encoded = palloc(3 * name.len + 1);

	encoded[sm_url_encode_segment(name, sm_span("", 0), encoded)] = '\0';
	return encoded;
}

/* Raise an error unless the database of a list is this one. */
static void
check_database(const SmList *list, const char *database)
{
	if (strcmp(database, database_name()) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot export from database \"%s\" to the directory of database \"%s\"",
						database_name(), sm_clip(database)),
				 errhint("Give each database a directory of its own. To give this directory to another database, delete the line \"database\" of \"%s\".",
						 sm_dir_path(list->dir, SM_LIST_NAME))));
}

void
sm_list_read(SmList *list, SmDir *dir)
{
	HASHCTL		ctl = {.keysize = SM_NAME_MAX + 1,.entrysize = sizeof(SmListFile),
	.hcxt = CurrentMemoryContext};
	StringInfoData lines;
	struct stat st;
	char	   *line_feed;

	list->dir = dir;
	dlist_init(&list->files);
	list->by_name = hash_create("sitemap_export files", 64, &ctl,
								HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
	initStringInfo(&list->text);

	if (!sm_dir_stat_regular(dir, SM_LIST_NAME, &st))
		return;
	sm_dir_read_own(dir, SM_LIST_NAME, &list->text);
	initStringInfo(&lines);
	appendBinaryStringInfo(&lines, list->text.data, list->text.len);
	for (char *line = lines.data, *end = line + lines.len;
		 (line_feed = memchr(line, '\n', end - line)) != NULL; line = line_feed + 1)
	{
		CHECK_FOR_INTERRUPTS();
		*line_feed = '\0';
		if (strncmp(line, DATABASE_PREFIX, strlen(DATABASE_PREFIX)) == 0)
			check_database(list, line + strlen(DATABASE_PREFIX));
		else if (strncmp(line, SITE_PREFIX, strlen(SITE_PREFIX)) == 0)
			list->site = list->site ? list->site : line + strlen(SITE_PREFIX);
		else
			read_version(list, line);
	}
}

void
sm_list_write(SmList *list, bool with_old)
{
	StringInfoData text;
	dlist_iter	iter;

	initStringInfo(&text);
	if (list->site)
		appendStringInfo(&text, SITE_PREFIX "%s\n", list->site);
	appendStringInfo(&text, DATABASE_PREFIX "%s\n", database_name());
	dlist_foreach(iter, &list->files)
	{
		SmListFile *file = dlist_container(SmListFile, node, iter.cur);

		CHECK_FOR_INTERRUPTS();
		if (file->is_listed && (with_old || (file->action && !file->is_written)))
			append_version(&text, &file->listed, file->name);
		if (file->is_written)
			append_version(&text, &file->put, file->name);
	}
	if (text.len != list->text.len || memcmp(text.data, list->text.data, text.len) != 0)
	{
		sm_dir_replace(list->dir, SM_LIST_NAME, sm_span(text.data, text.len),
					   S_IRUSR | S_IWUSR, time(NULL));
		sm_dir_flush(list->dir);
	}
	pfree(list->text.data);
	list->text = text;
}
