/*
 * list.c
 *	  The list of a directory's files that exports have written.
 *
 * The list, ".sitemap_export", has a line for each version of a file that may be
 * on disk: digest, size and mtime of what we wrote, and the name.  Lines that
 * cannot be read are ignored.
 *
 * The list is written twice: before the first change to a file, with the old and the
 * new version of each file, and after the last change, with the new versions.  For
 * example, an export that replaces a.xml first writes
 *
 *		0123456789abcdef 266 1767225600 a.xml
 *		fedcba9876543210 285 1767312000 a.xml
 *
 * and, after it has replaced the file, only the second line.  A crash in between leaves
 * both lines.  Then the size and mtime of the file show which version it is: a new mtime
 * is always later than the old one.
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

#define LIST_NAME	".sitemap_export"

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
	SmListFile *file = hash_search(list->files, name, HASH_ENTER, &found);

	if (!found)
	{
		file->is_listed = false;
		file->action = SM_FILE_NONE;
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
 * malformed or lacks its line feed, or it is not the first of its file.
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

	list->dir = dir;
	list->is_current = false;
	ctl.keysize = SM_NAME_MAX + 1;
	ctl.entrysize = sizeof(SmListFile);
	ctl.hcxt = CurrentMemoryContext;
	list->files = hash_create("sitemap_export files", 64, &ctl,
							  HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);

	if (!sm_dir_stat_regular(dir, LIST_NAME, &st))
		return;
	initStringInfo(&lines);
	if (!sm_dir_read_own(dir, LIST_NAME, &lines))
	{
		ereport(WARNING,
				(errmsg("file \"%s\" was ignored", sm_dir_path(dir, LIST_NAME)),
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

static int
compare_names(const ListCell *a, const ListCell *b)
{
	return strcmp(((SmListFile *) lfirst(a))->name, ((SmListFile *) lfirst(b))->name);
}

List *
sm_list_files(const SmList *list)
{
	List	   *result = NIL;
	HASH_SEQ_STATUS status;
	SmListFile *file;

	hash_seq_init(&status, list->files);
	while ((file = hash_seq_search(&status)) != NULL)
		result = lappend(result, file);
	list_sort(result, compare_names);
	return result;
}

void
sm_list_write(SmList *list, bool with_old)
{
	StringInfoData lines;
	ListCell   *lc;

	initStringInfo(&lines);
	foreach(lc, sm_list_files(list))
	{
		SmListFile *file = lfirst(lc);

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
