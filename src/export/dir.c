/*
 * dir.c
 *	  A directory of the server: locked, and the files in it read and replaced.
 *
 * The lock is an flock() on the directory itself, which ends with the process at
 * the latest.  Since one export at a time writes to a directory, one temporary
 * name is enough.
 */
#include "postgres.h"

#include "export/dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/digest.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "storage/fd.h"
#include "storage/ipc.h"

/* name of a file while it is written */
#define TEMPORARY_NAME	".sitemap_export.tmp"

/* bytes read, written and hashed at a time; a digest in a manifest depends on it */
#define PIECE			(1024 * 1024)

/*
 * Resolve symbolic links once.  All files then go to one directory, even if a
 * deployment changes a link meanwhile.
 */
static char *
resolve_directory(const char *path)
{
	char	   *resolved;
	char	   *result;

	if (!is_absolute_path(path))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("relative path not allowed for sitemap_export"),
				 errdetail("The directory is \"%s\".", sm_clip(path))));
	resolved = realpath(path, NULL);
	if (resolved == NULL)
	{
		/* errcode_for_file_access has no code for these in some versions */
		int			code = errno == ELOOP ? ERRCODE_WRONG_OBJECT_TYPE :
			errno == ENAMETOOLONG ? ERRCODE_NAME_TOO_LONG : 0;

		ereport(ERROR,
				(code != 0 ? errcode(code) : errcode_for_file_access(),
				 errmsg("could not open directory \"%s\": %m", sm_clip(path))));
	}
	result = pstrdup(resolved);
	free(resolved);
	return result;
}

/*
 * Remove the temporary file of a process that was killed.  A read-only file
 * system is no error yet: perhaps every file in it is up to date.
 */
static void
remove_temporary(const SmDir *dir)
{
	if (unlinkat(dir->fd, TEMPORARY_NAME, 0) != 0 && errno != ENOENT && errno != EROFS)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not remove file \"%s\": %m", sm_dir_path(dir, TEMPORARY_NAME))));
}

void
sm_dir_open(SmDir *dir, const char *path)
{
	dir->path = resolve_directory(path);
	dir->piece = palloc(PIECE);
	dir->fd = OpenTransientFile(dir->path, O_RDONLY | O_DIRECTORY);
	if (dir->fd < 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not open directory \"%s\": %m", dir->path)));
	if (flock(dir->fd, LOCK_EX | LOCK_NB) != 0)
	{
		if (errno == EWOULDBLOCK)
			ereport(ERROR,
					(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
					 errmsg("could not lock directory \"%s\"", dir->path),
					 errdetail("Another sitemap_export is writing to it.")));
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not lock directory \"%s\": %m", dir->path)));
	}
	remove_temporary(dir);
}

void
sm_dir_close(SmDir *dir)
{
	if (CloseTransientFile(dir->fd) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not close directory \"%s\": %m", dir->path)));
}

char *
sm_dir_path(const SmDir *dir, const char *name)
{
	return psprintf("%s/%s", dir->path, name);
}

bool
sm_dir_stat(const SmDir *dir, const char *name, struct stat *st)
{
	if (fstatat(dir->fd, name, st, AT_SYMLINK_NOFOLLOW) == 0)
		return true;
	if (errno != ENOENT)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not stat file \"%s\": %m", sm_dir_path(dir, name))));
	return false;
}

bool
sm_dir_stat_regular(const SmDir *dir, const char *name, struct stat *st)
{
	if (!sm_dir_stat(dir, name, st))
		return false;
	if (!S_ISREG(st->st_mode))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a regular file", sm_dir_path(dir, name)),
				 errdetail("Only regular files are replaced.")));
	return true;
}

/* Called when the memory context of a file is reset: close the file. */
static void
close_descriptor(void *arg)
{
	SmDirFile  *file = arg;

	if (file->fd >= 0)
	{
		close(file->fd);
		ReleaseExternalFD();
		file->fd = -1;
	}
}

/*
 * Open a file, in the current memory context.  If that fails, its descriptor is
 * -1 and errno says why.  The callback that closes the descriptor is registered
 * first, so that no error can leak the descriptor.
 */
static SmDirFile *
open_descriptor(const SmDir *dir, const char *name, const char *path, int flags, mode_t mode)
{
	SmDirFile  *file = palloc0_object(SmDirFile);
	mode_t		oumask;

	file->dir = dir;
	file->name = pstrdup(name);
	file->on_reset.func = close_descriptor;
	file->on_reset.arg = file;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &file->on_reset);

	ReserveExternalFD();
	/* the server's own umask lets nobody else read */
	oumask = umask(S_IWGRP | S_IWOTH);
	file->fd = openat(dir->fd, path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | PG_BINARY, mode);
	umask(oumask);
	if (file->fd < 0)
		ReleaseExternalFD();
	return file;
}

void
sm_dir_close_file(SmDirFile *file)
{
	int			fd = file->fd;

	file->fd = -1;
	ReleaseExternalFD();
	if (close(fd) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not close file \"%s\": %m", sm_dir_path(file->dir, file->name))));
}

SmDirFile *
sm_dir_open_file(const SmDir *dir, const char *name, struct stat *st)
{
	SmDirFile  *file = open_descriptor(dir, name, name, O_RDONLY, 0);

	if (file->fd < 0)
	{
		/* ELOOP is a symbolic link, ENXIO a socket */
		if (errno != ENOENT && errno != EACCES && errno != ELOOP && errno != ENXIO)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not open file \"%s\": %m", sm_dir_path(dir, name))));
		return NULL;
	}
	if (fstat(file->fd, st) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not stat file \"%s\": %m", sm_dir_path(dir, name))));
	if (!S_ISREG(st->st_mode))
	{
		sm_dir_close_file(file);
		return NULL;
	}
	return file;
}

size_t
sm_dir_read(SmDirFile *file)
{
	size_t		len = 0;
	ssize_t		n;

	CHECK_FOR_INTERRUPTS();
	do
	{
		n = read(file->fd, file->dir->piece + len, PIECE - len);
		if (n < 0)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not read file \"%s\": %m",
							sm_dir_path(file->dir, file->name))));
		len += n;
	} while (n > 0 && len < PIECE);
	return len;
}

static void
write_bytes(SmDirFile *file, SmSpan content)
{
	for (size_t done = 0; done < content.len; done += PIECE)
	{
		size_t		n = Min(content.len - done, PIECE);

		CHECK_FOR_INTERRUPTS();
		errno = 0;
		if (write(file->fd, content.s + done, n) != (ssize_t) n)
		{
			/* write may set no errno when the disk is full */
			if (errno == 0)
				errno = ENOSPC;
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not write to file \"%s\": %m",
							sm_dir_path(file->dir, file->name))));
		}
	}
}

static void
flush_file(SmDirFile *file)
{
	if (pg_fsync(file->fd) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not fsync file \"%s\": %m",
						sm_dir_path(file->dir, file->name))));
}

/*
 * Flush the names in the directory to disk.  Not every file system can do
 * that.
 */
static void
flush_directory(const SmDir *dir)
{
	if (pg_fsync(dir->fd) != 0 && errno != EBADF && errno != EINVAL)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not fsync file \"%s\": %m", dir->path)));
}

static void
unlink_temporary(int code, Datum arg)
{
	unlinkat(((const SmDir *) DatumGetPointer(arg))->fd, TEMPORARY_NAME, 0);
}

/*
 * The temporary file is removed after an error, too, and when the session is
 * terminated.  Messages name the file itself.
 */
SmDirFile *
sm_dir_replace(const SmDir *dir, const char *name, SmSpan content, mode_t mode)
{
	SmDirFile  *file;

	PG_ENSURE_ERROR_CLEANUP(unlink_temporary, PointerGetDatum(dir));
	{
		file = open_descriptor(dir, name, TEMPORARY_NAME, O_WRONLY | O_CREAT | O_EXCL, mode);
		if (file->fd < 0)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not create file \"%s\": %m", sm_dir_path(dir, name))));
		write_bytes(file, content);
		flush_file(file);

		/*
		 * not durable_rename: it opens the file to be replaced for writing,
		 * which may not be permitted
		 */
		if (renameat(dir->fd, TEMPORARY_NAME, dir->fd, name) != 0)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not rename file \"%s\" to \"%s\": %m",
							sm_dir_path(dir, TEMPORARY_NAME), sm_dir_path(dir, name))));
		flush_directory(dir);
	}
	PG_END_ENSURE_ERROR_CLEANUP(unlink_temporary, PointerGetDatum(dir));
	return file;
}

void
sm_dir_append(SmDirFile *file, SmSpan content)
{
	write_bytes(file, content);
	flush_file(file);
}

void
sm_dir_remove(const SmDir *dir, const char *name)
{
	if (unlinkat(dir->fd, name, 0) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not remove file \"%s\": %m", sm_dir_path(dir, name))));
}

/*
 * Each piece is hashed with the digest of the pieces before it as the seed.  So
 * sm_dir_digest can hash a file piece by piece.
 */
uint64
sm_dir_content_digest(SmSpan content)
{
	uint64		digest = 0;

	for (size_t done = 0; done < content.len; done += PIECE)
		digest = sm_digest(content.s + done, Min(content.len - done, PIECE), digest);
	return digest;
}

bool
sm_dir_digest(const SmDir *dir, const char *name, uint64 *digest, int64 *size)
{
	struct stat st;
	SmDirFile  *file = sm_dir_open_file(dir, name, &st);
	size_t		len;

	if (file == NULL)
		return false;
	*digest = 0;
	*size = 0;
	while ((len = sm_dir_read(file)) > 0)
	{
		*digest = sm_digest(dir->piece, len, *digest);
		*size += len;
	}
	sm_dir_close_file(file);
	return true;
}

bool
sm_dir_has_content(const SmDir *dir, const char *name, SmSpan content)
{
	struct stat st;
	SmDirFile  *file = sm_dir_open_file(dir, name, &st);
	size_t		done = 0;
	size_t		len;
	bool		same;

	if (file == NULL)
		return false;
	same = st.st_size == (off_t) content.len;
	while (same && (len = sm_dir_read(file)) > 0)
	{
		same = len <= content.len - done && memcmp(dir->piece, content.s + done, len) == 0;
		done += len;
	}
	sm_dir_close_file(file);
	return same && done == content.len;
}
