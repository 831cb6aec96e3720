/*
 * mirror.c
 *	  A directory of the server that is made to hold a set of files.
 *
 * Whoever looks into the directory, at any moment and after any crash, finds
 * each file whole, old or new: a file is written beside, flushed to disk and
 * renamed.
 *
 * The manifest, ".sitemap_export", tells which files are ours.  It has a line
 * for each: the digest of what we wrote, a blank, the name.  While files are
 * written it is a journal: the line is flushed to disk before the file gets
 * its name.  So after a crash a name may have several lines, of which the file
 * itself tells the true one.  Only a file that has the digest of its line is
 * ever removed; a line that cannot be read counts for nothing.
 *
 * One session at a time, by a lock on the directory that ends with the process
 * however that ends.  The one name for what is being written relies on it.
 */
#include "postgres.h"

#include "mirror.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/string.h"
#include "core/digest.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "utils/hsearch.h"

#define MANIFEST_NAME	".sitemap_export"
#define TEMPORARY_NAME	".sitemap_export.tmp"

/* most bytes in a name */
#define MAX_NAME		255

/* bytes read, written and hashed at a time; a digest in a manifest depends on it */
#define PIECE			(1024 * 1024)

/* for a web server to read, and for nobody but us to write */
#define FILE_MODE		(S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH)

typedef struct MirrorFile
{
	char		name[MAX_NAME + 1]; /* hash key, must be first */
	uint64		digest;			/* of what we wrote */
	bool		ours;			/* we wrote it, so far as we know */
	bool		put;			/* in this export */
} MirrorFile;

struct SmMirror
{
	char	   *directory;		/* absolute, without symbolic links */
	char	   *manifest;		/* path */
	char	   *temporary;		/* path */
	int			lock;			/* descriptor of the directory */
	int			journal;		/* of the manifest, -1 if it is not open */
	bool		is_current;		/* the manifest is as files would have it */
	HTAB	   *files;			/* of MirrorFile */
	char	   *piece;			/* PIECE bytes, to read into */
};

static char *
file_path(const SmMirror *mirror, const char *name)
{
	return psprintf("%s/%s", mirror->directory, name);
}

/* Why a name cannot be that of a file; NULL if it can. */
static const char *
name_problem(const char *name)
{
	size_t		len = strlen(name);

	if (len == 0)
		return "It is empty.";
	if (len > MAX_NAME)
		return "It is longer than " SM_STRING(MAX_NAME) " bytes.";
	if (name[0] == '.')
		return "It begins with a dot.";
	for (size_t i = 0; i < len; i++)
		if ((unsigned char) name[i] < ' ' || name[i] == 0x7F ||
			name[i] == '/' || name[i] == '\\')
			return "It has a slash, a backslash or a control character.";
	return NULL;
}

/* Is there a file of that name?  An error if it is anything but a file. */
static bool
file_exists(const char *path, struct stat *st)
{
	if (lstat(path, st) != 0)
	{
		if (errno == ENOENT)
			return false;
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not stat file \"%s\": %m", path)));
	}
	if (!S_ISREG(st->st_mode))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a regular file", path),
				 errdetail("Only regular files are replaced.")));
	return true;
}

static int
open_file(const char *path, int flags)
{
	int			fd = OpenTransientFile(path, flags | O_NOFOLLOW | PG_BINARY);

	if (fd < 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not open file \"%s\": %m", path)));
	return fd;
}

/* Open a file to compare it; -1 for one that we may not read, so it is none of ours. */
static int
open_if_readable(const char *path)
{
	int			fd = OpenTransientFile(path, O_RDONLY | O_NOFOLLOW | PG_BINARY);

	if (fd < 0 && errno != EACCES)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not open file \"%s\": %m", path)));
	return fd;
}

static void
close_file(int fd, const char *path)
{
	if (CloseTransientFile(fd) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not close file \"%s\": %m", path)));
}

static void
flush_file(int fd, const char *path)
{
	if (pg_fsync(fd) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not fsync file \"%s\": %m", path)));
}

/* Read the next piece, which is a full one until the file ends. */
static size_t
read_piece(const SmMirror *mirror, int fd, const char *path)
{
	size_t		len = 0;
	ssize_t		n;

	CHECK_FOR_INTERRUPTS();
	do
	{
		n = read(fd, mirror->piece + len, PIECE - len);
		if (n < 0)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not read file \"%s\": %m", path)));
		len += n;
	} while (n > 0 && len < PIECE);
	return len;
}

static void
write_bytes(int fd, const char *path, const char *data, size_t len)
{
	for (size_t done = 0; done < len; done += PIECE)
	{
		size_t		n = Min(len - done, PIECE);

		CHECK_FOR_INTERRUPTS();
		errno = 0;
		if (write(fd, data + done, n) != (ssize_t) n)
		{
			/* if write didn't set errno, assume problem is no disk space */
			if (errno == 0)
				errno = ENOSPC;
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not write to file \"%s\": %m", path)));
		}
	}
}

/*
 * The digest of a content: that of its last piece, with that of the piece
 * before as the seed, and so on.  Thus no file needs to be in memory as a whole.
 */
static uint64
content_digest(SmSpan content)
{
	uint64		digest = 0;

	for (size_t done = 0; done < content.len; done += PIECE)
		digest = sm_digest(content.s + done, Min(content.len - done, PIECE), digest);
	return digest;
}

/* Is this a file, and its content of that digest? */
static bool
has_digest(const SmMirror *mirror, const char *path, const struct stat *st, uint64 digest)
{
	uint64		found = 0;
	size_t		len;
	int			fd;

	if (!S_ISREG(st->st_mode))
		return false;
	fd = open_if_readable(path);
	if (fd < 0)
		return false;
	while ((len = read_piece(mirror, fd, path)) > 0)
		found = sm_digest(mirror->piece, len, found);
	close_file(fd, path);
	return found == digest;
}

/* Does the file have this content? */
static bool
has_content(const SmMirror *mirror, const char *path, SmSpan content)
{
	int			fd = open_if_readable(path);
	size_t		done = 0;
	size_t		len;

	if (fd < 0)
		return false;
	while ((len = read_piece(mirror, fd, path)) > 0)
	{
		if (len > content.len - done || memcmp(mirror->piece, content.s + done, len) != 0)
			break;
		done += len;
	}
	close_file(fd, path);
	return len == 0 && done == content.len;
}

/* Create the temporary file; the server's own umask lets nobody else read. */
static int
create_temporary(const SmMirror *mirror, mode_t mode)
{
	mode_t		oumask = umask(S_IWGRP | S_IWOTH);
	int			fd;

	PG_TRY();
	{
		fd = OpenTransientFilePerm(mirror->temporary, O_WRONLY | O_CREAT | O_EXCL | PG_BINARY,
								   mode);
	}
	PG_FINALLY();
	{
		umask(oumask);
	}
	PG_END_TRY();

	if (fd < 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not create file \"%s\": %m", mirror->temporary)));
	return fd;
}

static void
unlink_temporary(int code, Datum arg)
{
	unlink(DatumGetCString(arg));
}

/*
 * Replace a file, or create it: at once, and for good when this returns.  The
 * temporary file is gone then, also after an error and when the session is
 * terminated.
 */
static void
replace_file(const SmMirror *mirror, const char *path, SmSpan content, mode_t mode)
{
	PG_ENSURE_ERROR_CLEANUP(unlink_temporary, CStringGetDatum(mirror->temporary));
	{
		int			fd = create_temporary(mirror, mode);

		write_bytes(fd, mirror->temporary, content.s, content.len);
		flush_file(fd, mirror->temporary);
		close_file(fd, mirror->temporary);

		/* durable_rename would have to open a file that we may not write to */
		if (rename(mirror->temporary, path) != 0)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not rename file \"%s\" to \"%s\": %m",
							mirror->temporary, path)));

		/* not fsync_fname: for the server's data, a failure is a PANIC */
		fsync_fname_ext(mirror->directory, true, false, ERROR);
	}
	PG_END_ENSURE_ERROR_CLEANUP(unlink_temporary, CStringGetDatum(mirror->temporary));
}

/* Find what we know of a name, which is valid; nothing if it is new to us. */
static MirrorFile *
find_file(SmMirror *mirror, const char *name)
{
	bool		found;
	MirrorFile *file = hash_search(mirror->files, name, HASH_ENTER, &found);

	if (!found)
	{
		file->digest = 0;
		file->ours = false;
		file->put = false;
	}
	return file;
}

/* Take in a line of the manifest.  False if it is not what it should be. */
static bool
read_line(SmMirror *mirror, char *line, size_t len)
{
	const char *name = line + SM_DIGEST_HEX_LEN + 1;
	MirrorFile *file;
	uint64		digest;
	char	   *path;
	struct stat st;

	/* what was torn off by a crash has no line feed */
	if (line[len - 1] != '\n')
		return false;
	line[--len] = '\0';
	if (strlen(line) != len || !pg_verifymbstr(line, len, true) ||
		strspn(line, "0123456789abcdef") != SM_DIGEST_HEX_LEN ||
		line[SM_DIGEST_HEX_LEN] != ' ' || name_problem(name) != NULL)
		return false;
	digest = strtoull(line, NULL, 16);

	file = find_file(mirror, name);
	if (!file->ours)
	{
		file->ours = true;
		file->digest = digest;
		return true;
	}

	/* a further line of an export that was cut off: did it come that far? */
	path = file_path(mirror, name);
	if (lstat(path, &st) == 0 && has_digest(mirror, path, &st, digest))
		file->digest = digest;
	pfree(path);
	return false;
}

static void
read_manifest(SmMirror *mirror)
{
	struct stat st;
	StringInfoData line;
	FILE	   *file;

	mirror->is_current = false;
	if (!file_exists(mirror->manifest, &st))
		return;
	file = AllocateFile(mirror->manifest, PG_BINARY_R);
	if (file == NULL)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not open file \"%s\": %m", mirror->manifest)));

	mirror->is_current = true;
	initStringInfo(&line);
	while (pg_get_line_buf(file, &line))
	{
		CHECK_FOR_INTERRUPTS();
		if (!read_line(mirror, line.data, line.len))
			mirror->is_current = false;
	}
	if (ferror(file))
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read file \"%s\": %m", mirror->manifest)));
	FreeFile(file);
	pfree(line.data);
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
	return strcmp(((MirrorFile *) lfirst(a))->name, ((MirrorFile *) lfirst(b))->name);
}

/* Our files, in the order of their names. */
static List *
our_files(const SmMirror *mirror)
{
	List	   *result = NIL;
	HASH_SEQ_STATUS status;
	MirrorFile *file;

	hash_seq_init(&status, mirror->files);
	while ((file = hash_seq_search(&status)) != NULL)
		if (file->ours)
			result = lappend(result, file);
	list_sort(result, compare_names);
	return result;
}

/* Write the manifest anew, a line for each of our files. */
static void
write_manifest(SmMirror *mirror)
{
	StringInfoData lines;
	ListCell   *lc;

	initStringInfo(&lines);
	foreach(lc, our_files(mirror))
	{
		MirrorFile *file = lfirst(lc);

		append_line(&lines, file->digest, file->name);
	}
	replace_file(mirror, mirror->manifest, sm_span(lines.data, lines.len),
				 S_IRUSR | S_IWUSR);
	mirror->is_current = true;
}

/* Put on record, for good, that a file is going to be ours. */
static void
write_journal(SmMirror *mirror, uint64 digest, const char *name)
{
	StringInfoData line;

	if (mirror->journal < 0)
	{
		/* to have a manifest, and one whose last line is whole */
		if (!mirror->is_current)
			write_manifest(mirror);
		mirror->journal = open_file(mirror->manifest, O_WRONLY | O_APPEND);
	}
	mirror->is_current = false;
	initStringInfo(&line);
	append_line(&line, digest, name);
	write_bytes(mirror->journal, mirror->manifest, line.data, line.len);
	flush_file(mirror->journal, mirror->manifest);
}

/*
 * Resolve symbolic links once: where a deployment moves the one that leads to
 * the directory, all files go where it led when we began.
 */
static char *
resolve_directory(const char *directory)
{
	char	   *resolved;
	char	   *result;

	if (!is_absolute_path(directory))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("relative path not allowed for sitemap_export"),
				 errdetail("The directory is \"%s\".", directory)));
	resolved = realpath(directory, NULL);
	if (resolved == NULL)
	{
		/* which would be internal errors, in some versions */
		int			code = errno == ELOOP ? ERRCODE_WRONG_OBJECT_TYPE :
			errno == ENAMETOOLONG ? ERRCODE_NAME_TOO_LONG : 0;

		ereport(ERROR,
				(code != 0 ? errcode(code) : errcode_for_file_access(),
				 errmsg("could not open directory \"%s\": %m", directory)));
	}
	result = pstrdup(resolved);
	free(resolved);

	/* longer paths would be cut off in fd.c */
	if (strlen(result) + 1 + MAX_NAME >= MAXPGPATH)
		ereport(ERROR,
				(errcode(ERRCODE_NAME_TOO_LONG),
				 errmsg("path of directory \"%s\" is too long", result)));
	return result;
}

static int
lock_directory(const char *directory)
{
	int			fd = OpenTransientFile(directory, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not open directory \"%s\": %m", directory)));
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	if (errno == EWOULDBLOCK)
		ereport(ERROR,
				(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
				 errmsg("could not lock directory \"%s\"", directory),
				 errdetail("Another sitemap_export is writing to it.")));
	ereport(ERROR,
			(errcode_for_file_access(),
			 errmsg("could not lock directory \"%s\": %m", directory)));
}

SmMirror *
sm_mirror_open(const char *directory)
{
	SmMirror   *mirror = palloc0_object(SmMirror);
	HASHCTL		ctl = {0};

	mirror->directory = resolve_directory(directory);
	mirror->manifest = file_path(mirror, MANIFEST_NAME);
	mirror->temporary = file_path(mirror, TEMPORARY_NAME);
	mirror->lock = lock_directory(mirror->directory);
	mirror->journal = -1;
	mirror->piece = palloc(PIECE);

	ctl.keysize = MAX_NAME + 1;
	ctl.entrysize = sizeof(MirrorFile);
	ctl.hcxt = CurrentMemoryContext;
	mirror->files = hash_create("sitemap_export files", 64, &ctl,
								HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);

	/*
	 * A process that was killed may have left it.  On a read-only file system
	 * none did, and whether that is an error depends on what there is to
	 * write.
	 */
	if (unlink(mirror->temporary) != 0 && errno != ENOENT && errno != EROFS)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not remove file \"%s\": %m", mirror->temporary)));
	read_manifest(mirror);
	return mirror;
}

SmFileAction
sm_mirror_put(SmMirror *mirror, const char *name, SmSpan content)
{
	const char *problem = name_problem(name);
	uint64		digest;
	char	   *path;
	struct stat st;
	bool		exists;
	MirrorFile *file;

	if (problem != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid file name \"%.*s\"",
						pg_mbcliplen(name, strlen(name), MAX_NAME), name),
				 errdetail("%s", problem)));
	file = find_file(mirror, name);
	if (file->put)
		ereport(ERROR,
				(errcode(ERRCODE_CARDINALITY_VIOLATION),
				 errmsg("file name \"%s\" appears more than once in the query", name)));
	file->put = true;

	path = file_path(mirror, name);
	digest = content_digest(content);
	exists = file_exists(path, &st);
	if (exists && st.st_size == (off_t) content.len && has_content(mirror, path, content))
	{
		/* but who wrote it, if it was not us the last time? */
		if (file->ours && file->digest != digest)
		{
			file->ours = false;
			mirror->is_current = false;
		}
		return SM_FILE_UNCHANGED;
	}

	write_journal(mirror, digest, name);
	replace_file(mirror, path, content, FILE_MODE);
	file->ours = true;
	file->digest = digest;
	return exists ? SM_FILE_UPDATED : SM_FILE_CREATED;
}

/* Remove one of our files, if it still is ours. */
static void
remove_file(SmMirror *mirror, MirrorFile *file, SmMirrorDeleted deleted, void *arg)
{
	char	   *path = file_path(mirror, file->name);
	struct stat st;

	if (lstat(path, &st) != 0)
	{
		if (errno != ENOENT)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not stat file \"%s\": %m", path)));
		/* somebody else was faster */
	}
	else if (!has_digest(mirror, path, &st, file->digest))
		ereport(WARNING,
				(errmsg("file \"%s\" was not removed", path),
				 errdetail("It is not what sitemap_export wrote any more.")));
	else if (unlink(path) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not remove file \"%s\": %m", path)));
	else
		deleted(arg, file->name, st.st_size);

	file->ours = false;
	mirror->is_current = false;
}

void
sm_mirror_finish(SmMirror *mirror, SmMirrorDeleted deleted, void *arg)
{
	ListCell   *lc;

	foreach(lc, our_files(mirror))
	{
		MirrorFile *file = lfirst(lc);

		if (!file->put)
			remove_file(mirror, file, deleted, arg);
	}

	if (mirror->journal >= 0)
		close_file(mirror->journal, mirror->manifest);
	/* this makes the removals last, too */
	if (!mirror->is_current)
		write_manifest(mirror);
	close_file(mirror->lock, mirror->directory);
}
