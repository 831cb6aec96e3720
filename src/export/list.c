/*
 * list.c
 *	  The list of exported files, as it is kept in the directory.
 *
 * The list, ".sitemap_export", begins with a line for the site, if the files have a
 * base_url.  It is in the directory itself, so that no other name of the directory, and
 * no other table or database, leads around it.  Then the list has a line for each version
 * of a file that may be on disk: digest, size and mtime of what we wrote, and the name.
 * Lines that cannot be read are ignored.
 *
 * The list is written twice: before the first change to a file, with the old and the
 * new version of each file, and after the last change, with the new versions.  For
 * example, an export that replaces a.xml first writes
 *
 *		site https://www.example.com/
 *		0123456789abcdef 266 1767225600 a.xml
 *		fedcba9876543210 285 1767312000 a.xml
 *
 * and, after it has replaced the file, only the first and the last line.  A crash in
 * between leaves all lines.  Then the size and mtime of the file show which version it
 * is: a new mtime is always later than the old one.
 *
 * The list decides which files are removed.  So a list is ignored unless it belongs to
 * the user that the server runs as.
 */
#include "postgres.h"

#include "export/list.h"

#include <time.h>

#include "core/digest.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "server/argument.h"

#define LIST_NAME	".sitemap_export"

/* what the line of the site begins with */
#define SITE_PREFIX	"site "

char *
sm_list_path(const SmList *list)
{
	return sm_dir_path(list->dir, LIST_NAME);
}

/* Can the list name this site? */
static bool
is_site(const char *base_url)
{
	size_t		len = 0;

	while (base_url[len] > ' ' && base_url[len] <= '~')
		len++;
	return len > 0 && base_url[len] == '\0';
}

void
sm_list_set_site(SmList *list, const char *base_url)
{
	if (!is_site(base_url))
		sm_invalid_argument("base_url", base_url,
							"It is empty, or has a character that is not printable ASCII.");
	list->site = base_url;
	list->is_current = false;
}

/* Does a name have this ending, with or without ".gz" after it? */
static bool
ends_in(const char *name, const char *ending)
{
	size_t		len = strlen(name);
	size_t		n = strlen(ending);

	if (len >= 3 && strcmp(name + len - 3, ".gz") == 0)
		len -= 3;
	return len >= n && memcmp(name + len - n, ending, n) == 0;
}

/* What is wrong with the name of an exported file; NULL for nothing. */
static const char *
name_problem(const char *name)
{
	static const char *const endings[] = {".xml", ".txt", ".css", ".xsl", ".xslt"};
	size_t		len = strlen(name);

	if (len == 0)
		return "It is empty.";
	if (len > SM_NAME_MAX)
		return "It is longer than " SM_STRING(SM_NAME_MAX) " bytes.";
	if (name[0] == '.')
		return "It begins with a dot.";
	for (size_t i = 0; i < len; i++)
		if ((unsigned char) name[i] < ' ' || name[i] == 0x7F ||
			name[i] == '/' || name[i] == '\\')
			return "It has a slash, a backslash or a control character.";
	for (size_t i = 0; i < lengthof(endings); i++)
		if (ends_in(name, endings[i]))
			return NULL;
	return "It does not end in .xml, .txt, .css, .xsl or .xslt, nor in one of these and .gz.";
}

static SmListFile *
find_or_add(SmList *list, const char *name)
{
	bool		found;
	SmListFile *file = hash_search(list->by_name, name, HASH_ENTER, &found);

	if (!found)
	{
		file->is_listed = false;
		file->action = SM_FILE_NONE;
		dlist_push_tail(&list->files, &file->node);
	}
	return file;
}

SmListFile *
sm_list_find(SmList *list, const char *name)
{
	const char *problem = name_problem(name);

	if (problem != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid file name \"%.*s\"",
						pg_mbcliplen(name, strlen(name), SM_NAME_MAX), name),
				 errdetail("%s", problem)));
	return find_or_add(list, name);
}

/* A line of the list. */
static void
append_line(StringInfo dst, const SmVersion *version, const char *name)
{
	char		hex[SM_DIGEST_HEX_LEN];

	sm_digest_hex(version->digest, hex);
	appendBinaryStringInfo(dst, hex, SM_DIGEST_HEX_LEN);
	appendStringInfo(dst, " " INT64_FORMAT " " INT64_FORMAT " %s\n",
					 version->size, version->mtime, name);
}

/*
 * Read a line of len bytes.  Returns false if the list has to be rewritten: the line is
 * malformed or lacks its line feed, or it is not the first of the site or of its file.
 */
static bool
read_line(SmList *list, char *line, size_t len)
{
	char	   *name = line;
	StringInfoData expected;
	bool		is_valid;
	bool		is_first;
	SmVersion	version;
	SmListFile *file;
	struct stat st;

	if (line[len - 1] != '\n')
		return false;
	line[len - 1] = '\0';
	if (list->site == NULL && strncmp(line, SITE_PREFIX, strlen(SITE_PREFIX)) == 0 &&
		is_site(line + strlen(SITE_PREFIX)))
	{
		list->site = pstrdup(line + strlen(SITE_PREFIX));
		list->site_is_listed = true;
		return true;
	}
	version.digest = strtou64(name, &name, 16);
	version.size = strtoi64(name, &name, 10);
	version.mtime = strtoi64(name, &name, 10);
	name += *name == ' ';

	initStringInfo(&expected);
	append_line(&expected, &version, name);
	is_valid = (size_t) expected.len == len && memcmp(expected.data, line, len - 1) == 0 &&
		name_problem(name) == NULL && pg_verifymbstr(name, strlen(name), true);
	pfree(expected.data);
	if (!is_valid)
		return false;

	/*
	 * if a file has several lines, the line that matches the file on disk
	 * counts
	 */
	file = find_or_add(list, name);
	is_first = !file->is_listed;
	if (is_first || !sm_dir_stat(list->dir, name, &st) || !sm_list_is_ours(file, &st))
		file->listed = version;
	file->is_listed = true;
	return is_first;
}

void
sm_list_read(SmList *list, SmDir *dir)
{
	HASHCTL		ctl = {0};
	StringInfoData lines;
	struct stat st;
	size_t		len;

	memset(list, 0, sizeof(SmList));
	list->dir = dir;
	dlist_init(&list->files);
	ctl.keysize = SM_NAME_MAX + 1;
	ctl.entrysize = sizeof(SmListFile);
	ctl.hcxt = CurrentMemoryContext;
	list->by_name = hash_create("sitemap_export files", 64, &ctl,
								HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);

	if (!sm_dir_stat_regular(dir, LIST_NAME, &st))
		return;
	initStringInfo(&lines);
	if (!sm_dir_read_own(dir, LIST_NAME, &lines))
	{
		ereport(WARNING,
				(errmsg("file \"%s\" was ignored", sm_list_path(list)),
				 errdetail("It does not belong to the user that the server runs as, or that user may not read it. Files of earlier exports that this export does not replace are kept.")));
		return;
	}

	list->is_current = true;
	for (char *line = lines.data, *end = line + lines.len; line < end; line += len)
	{
		char	   *line_feed = memchr(line, '\n', end - line);

		CHECK_FOR_INTERRUPTS();
		len = (line_feed ? line_feed + 1 : end) - line;
		if (!read_line(list, line, len))
			list->is_current = false;
	}
	pfree(lines.data);
}

void
sm_list_write(SmList *list, bool with_old)
{
	StringInfoData lines;
	dlist_iter	iter;

	initStringInfo(&lines);
	if (list->site)
		appendStringInfo(&lines, SITE_PREFIX "%s\n", list->site);
	dlist_foreach(iter, &list->files)
	{
		SmListFile *file = dlist_container(SmListFile, node, iter.cur);

		CHECK_FOR_INTERRUPTS();
		if (file->is_listed && (with_old || file->action == SM_FILE_UNCHANGED))
			append_line(&lines, &file->listed, file->name);
		if (sm_list_is_written(file))
			append_line(&lines, &file->put, file->name);
	}
	sm_dir_replace(list->dir, LIST_NAME, sm_span(lines.data, lines.len),
				   S_IRUSR | S_IWUSR, time(NULL));
	sm_dir_flush(list->dir);
	pfree(lines.data);
}
