/*
 * manifest.c
 *	  The list of a directory's files that exports have written.
 *
 * The manifest, ".sitemap_export", has a line for each of our files: the digest
 * of what we wrote, a blank, the name.  Lines that cannot be read are ignored.
 *
 * While files are written the manifest is a journal: a line is flushed to disk
 * before the file gets its name.  So after a crash a name may have several
 * lines; the line with the digest of the file is the right one.  To begin the
 * journal an export replaces the manifest and keeps it open.  Lines go to that
 * open file, even if somebody gives the manifest's name to another file.
 *
 * A manifest decides which files are removed.  So it is ignored unless it
 * belongs to the user that the server runs as.
 */
#include "postgres.h"

#include "export/manifest.h"

#include <unistd.h>

#include "core/digest.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

#define MANIFEST_NAME	".sitemap_export"

/* Does a name have this ending, with or without ".gz" behind it? */
static bool
ends_in(const char *name, const char *ending)
{
	size_t		len = strlen(name);
	size_t		n = strlen(ending);

	if (len >= 3 && strcmp(name + len - 3, ".gz") == 0)
		len -= 3;
	return len >= n && memcmp(name + len - n, ending, n) == 0;
}

const char *
sm_manifest_name_problem(const char *name)
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

SmManifestFile *
sm_manifest_find(SmManifest *manifest, const char *name)
{
	bool		found;
	SmManifestFile *file = hash_search(manifest->files, name, HASH_ENTER, &found);

	if (!found)
	{
		file->digest = 0;
		file->ours = false;
		file->put = false;
	}
	return file;
}

/*
 * Read a line of the manifest.  Returns false if a new manifest would leave the
 * line out: the line is invalid, or an earlier line has the same name.
 */
static bool
read_line(SmManifest *manifest, char *line, size_t len)
{
	const char *name = line + SM_DIGEST_HEX_LEN + 1;
	SmManifestFile *file;
	uint64		digest;
	uint64		found;
	int64		size;

	/* a line that a crash cut off has no line feed */
	if (line[len - 1] != '\n')
		return false;
	line[--len] = '\0';
	if (strlen(line) != len || !pg_verifymbstr(line, len, true) ||
		strspn(line, "0123456789abcdef") != SM_DIGEST_HEX_LEN ||
		line[SM_DIGEST_HEX_LEN] != ' ' || sm_manifest_name_problem(name) != NULL)
		return false;
	digest = strtoull(line, NULL, 16);

	file = sm_manifest_find(manifest, name);
	if (!file->ours)
	{
		file->ours = true;
		file->digest = digest;
		return true;
	}

	/*
	 * an interrupted export has added another line for the name; the digest
	 * in that line counts if the file has it
	 */
	if (sm_dir_digest(manifest->dir, name, &found, &size) && found == digest)
		file->digest = digest;
	return false;
}

/*
 * Open the manifest; NULL if there is none that can be trusted.  A manifest
 * that we may not read is not ours.
 */
static SmDirFile *
open_manifest(const SmDir *dir)
{
	struct stat st;
	SmDirFile  *file;

	if (!sm_dir_stat_regular(dir, MANIFEST_NAME, &st))
		return NULL;
	file = sm_dir_open_file(dir, MANIFEST_NAME, &st);
	if (file != NULL && st.st_uid == geteuid())
		return file;
	if (file != NULL)
		sm_dir_close_file(file);
	ereport(WARNING,
			(errmsg("file \"%s\" was ignored", sm_dir_path(dir, MANIFEST_NAME)),
			 errdetail("It does not belong to the user that the server runs as. Files of earlier exports that this export does not replace are kept.")));
	return NULL;
}

void
sm_manifest_read(SmManifest *manifest, const SmDir *dir)
{
	HASHCTL		ctl = {0};
	StringInfoData lines;
	SmDirFile  *file;
	size_t		len;

	manifest->dir = dir;
	manifest->context = CurrentMemoryContext;
	manifest->journal = NULL;
	ctl.keysize = SM_NAME_MAX + 1;
	ctl.entrysize = sizeof(SmManifestFile);
	ctl.hcxt = CurrentMemoryContext;
	manifest->files = hash_create("sitemap_export files", 64, &ctl,
								  HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);

	file = open_manifest(dir);
	manifest->is_current = file != NULL;
	if (file == NULL)
		return;
	initStringInfo(&lines);
	while ((len = sm_dir_read(file)) > 0)
		appendBinaryStringInfo(&lines, dir->piece, len);
	sm_dir_close_file(file);

	for (char *line = lines.data, *end = line + lines.len; line < end; line += len)
	{
		char	   *line_feed = memchr(line, '\n', end - line);

		CHECK_FOR_INTERRUPTS();
		len = (line_feed ? line_feed + 1 : end) - line;
		if (!read_line(manifest, line, len))
			manifest->is_current = false;
	}
	pfree(lines.data);
}

static void
append_line(StringInfo dst, uint64 digest, const char *name)
{
	char		hex[SM_DIGEST_HEX_LEN];

	sm_digest_hex(digest, hex);
	appendBinaryStringInfo(dst, hex, SM_DIGEST_HEX_LEN);
	appendStringInfo(dst, " %s\n", name);
}

static int
compare_names(const ListCell *a, const ListCell *b)
{
	return strcmp(((SmManifestFile *) lfirst(a))->name, ((SmManifestFile *) lfirst(b))->name);
}

List *
sm_manifest_files(const SmManifest *manifest)
{
	List	   *result = NIL;
	HASH_SEQ_STATUS status;
	SmManifestFile *file;

	hash_seq_init(&status, manifest->files);
	while ((file = hash_seq_search(&status)) != NULL)
		if (file->ours)
			result = lappend(result, file);
	list_sort(result, compare_names);
	return result;
}

/* Write the manifest anew, a line for each of our files. */
static SmDirFile *
write_manifest(SmManifest *manifest)
{
	StringInfoData lines;
	SmDirFile  *written;
	ListCell   *lc;

	initStringInfo(&lines);
	foreach(lc, sm_manifest_files(manifest))
	{
		SmManifestFile *file = lfirst(lc);

		append_line(&lines, file->digest, file->name);
	}
	written = sm_dir_replace(manifest->dir, MANIFEST_NAME, sm_span(lines.data, lines.len),
							 S_IRUSR | S_IWUSR);
	manifest->is_current = true;
	return written;
}

void
sm_manifest_announce(SmManifest *manifest, const char *name, uint64 digest)
{
	StringInfoData line;

	if (manifest->journal == NULL)
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(manifest->context);

		manifest->journal = write_manifest(manifest);
		MemoryContextSwitchTo(oldcontext);
	}
	manifest->is_current = false;
	initStringInfo(&line);
	append_line(&line, digest, name);
	sm_dir_append(manifest->journal, sm_span(line.data, line.len));
	pfree(line.data);
}

void
sm_manifest_finish(SmManifest *manifest)
{
	if (manifest->journal != NULL)
		sm_dir_close_file(manifest->journal);
	if (!manifest->is_current)
		sm_dir_close_file(write_manifest(manifest));
}
