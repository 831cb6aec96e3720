/*
 * dir.c
 *	  How a directory is locked, and how files in it are replaced.
 *
 * The lock is an flock() on a file that nobody else may open.  A lock on the directory
 * itself would be open to anybody who can read the directory.  Since one export at a time
 * writes to a directory, one temporary name is enough.
 *
 * Sessions of a database wait for each other by a heavyweight lock, under which they take
 * the flock().  So the flock() is released first, also after an error.
 */
#include "postgres.h"

#include "export/dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/username.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "storage/fd.h"

#define LOCK_NAME		".sitemap_export.lock"

/* name of a file while it is written */
#define TEMPORARY_NAME	".sitemap_export.tmp"

/* bytes written between two checks for interrupts */
#define PIECE			(1024 * 1024)

char *
sm_dir_path(const SmDir *dir, const char *name)
{
	return psprintf("%s/%s", dir->path, name);
}

/*
 * Raise an error for a system call that has set errno.  what: what could not be done,
 * to a directory or, given its name, to a file in it.
 */
pg_noreturn static void
raise_error(const char *what, const char *directory, const char *name)
{
	bool		is_denied = errno == EACCES || errno == EPERM;
	char	   *problem;
	const char *user;

	/* errcode_for_file_access has no code for these in some versions */
	int			code = errno == ELOOP ? ERRCODE_WRONG_OBJECT_TYPE :
		errno == ENAMETOOLONG ? ERRCODE_NAME_TOO_LONG : 0;

	ereport(ERROR,
			(code != 0 ? errcode(code) : errcode_for_file_access(),
			 errmsg("could not %s \"%s\": %m", what,
					name ? psprintf("%s/%s", directory, name) : sm_clip(directory)),
			 !is_denied ? 0 :
			 errhint("The operating system's user \"%s\", as which the server runs, needs the right to read and write directory \"%s\".",
					 (user = get_user_name(&problem)) ? user : problem, directory)));
}

/* Make a directory that a web server can read. */
static void
make_directory(const char *path)
{
	char	   *parent = pstrdup(path);
	const char *name;
	mode_t		oumask;
	int			result;

	canonicalize_path(parent);
	name = pstrdup(last_dir_separator(parent) + 1);
	get_parent_directory(parent);

	/* the server's own umask lets nobody else read */
	oumask = umask(S_IWGRP | S_IWOTH);
	result = mkdir(path, S_IRWXU | S_IRWXG | S_IRWXO);
	umask(oumask);
	if (result != 0 && errno == ENOENT)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not create directory \"%s\": %m", sm_clip(path)),
				 errhint("An export creates only the last directory of a path. First create \"%s\".",
						 parent)));
	if (result != 0 && errno != EEXIST)
		raise_error("create directory", parent, name);
	fsync_fname_ext(parent, true, true, ERROR);
}

/* Open a file, -1 if that fails.  at: the directory, or AT_FDCWD. */
static int
open_at(int at, const char *name, int flags)
{
	int			fd;

	ReserveExternalFD();
	fd = openat(at, name, flags | O_NONBLOCK | O_CLOEXEC | PG_BINARY, S_IRUSR | S_IWUSR);
	if (fd < 0)
		ReleaseExternalFD();
	return fd;
}

static int
close_fd(int *fd)
{
	int			result = 0;

	if (*fd >= 0)
	{
		result = close(*fd);
		ReleaseExternalFD();
		*fd = -1;
	}
	return result;
}

void
sm_dir_close(SmDir *dir)
{
	close_fd(&dir->file_fd);
	if (dir->has_temporary)
		unlinkat(dir->fd, TEMPORARY_NAME, 0);
	dir->has_temporary = false;
	close_fd(&dir->lock_fd);
	close_fd(&dir->fd);
}

static void
lock_directory(SmDir *dir)
{
	struct stat st;

	if (fstat(dir->fd, &st) != 0)
		raise_error("stat directory", dir->path, NULL);
	dir->lock = sm_lock(SM_LOCK_DIRECTORY, InvalidOid, psprintf(UINT64_FORMAT, (uint64) st.st_dev),
						psprintf(UINT64_FORMAT, (uint64) st.st_ino));

	(void) sm_dir_stat_regular(dir, LOCK_NAME, &st);
	dir->lock_fd = open_at(dir->fd, LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW);
	if (dir->lock_fd < 0)
		raise_error("open file", dir->path, LOCK_NAME);
	if (flock(dir->lock_fd, LOCK_EX | LOCK_NB) != 0)
	{
		if (errno != EWOULDBLOCK)
			raise_error("lock file", dir->path, LOCK_NAME);
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("could not lock directory \"%s\"", dir->path),
				 errdetail("Another sitemap_export is writing to it.")));
	}
}

void
sm_dir_open(SmDir *dir, const char *path)
{
	if (!is_absolute_path(path))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("directory \"%s\" is not an absolute path", sm_clip(path)),
				 errhint("Begin the path at the root, as in \"/var/www/sitemaps\".")));
	dir->path = path;
	dir->fd = open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
	if (dir->fd < 0 && errno == ENOENT)
	{
		make_directory(path);
		dir->fd = open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
	}
	if (dir->fd < 0)
		raise_error("open directory", path, NULL);
	lock_directory(dir);

	/* a process that was killed may have left its temporary file */
	if (unlinkat(dir->fd, TEMPORARY_NAME, 0) != 0 && errno != ENOENT)
		raise_error("remove file", dir->path, TEMPORARY_NAME);
}

bool
sm_dir_stat(const SmDir *dir, const char *name, struct stat *st)
{
	if (fstatat(dir->fd, name, st, AT_SYMLINK_NOFOLLOW) == 0)
		return true;
	if (errno != ENOENT)
		raise_error("stat file", dir->path, name);
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
				 errdetail("An export reads and replaces only regular files.")));
	return true;
}

void
sm_dir_read_own(SmDir *dir, const char *name, StringInfo dst)
{
	struct stat st;
	ssize_t		n;

	dir->file_fd = open_at(dir->fd, name, O_RDONLY | O_NOFOLLOW);
	if (dir->file_fd < 0 || fstat(dir->file_fd, &st) != 0)
		raise_error("open file", dir->path, name);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("\"%s\" is not a regular file of the user that the server runs as",
						sm_dir_path(dir, name)),
				 errhint("Give each server a directory of its own, or remove the file.")));
	enlargeStringInfo(dst, Min(st.st_size, PG_INT32_MAX));
	while ((n = read(dir->file_fd, dst->data + dst->len, st.st_size - dst->len)) > 0)
		dst->len += n;
	if (n < 0)
		raise_error("read file", dir->path, name);
	dst->data[dst->len] = '\0';
	close_fd(&dir->file_fd);
}

static void
write_bytes(const SmDir *dir, const char *name, SmSpan content)
{
	for (size_t done = 0; done < content.len; done += PIECE)
	{
		size_t		n = Min(content.len - done, PIECE);

		CHECK_FOR_INTERRUPTS();
		errno = 0;
		if (write(dir->file_fd, content.s + done, n) != (ssize_t) n)
		{
			/* write may set no errno when the disk is full */
			if (errno == 0)
				errno = ENOSPC;
			raise_error("write to file", dir->path, name);
		}
	}
}

/* Messages name the file itself, and not the temporary one. */
int64
sm_dir_replace(SmDir *dir, const char *name, SmSpan content, mode_t mode, int64 mtime)
{
	struct timespec times[2] = {{.tv_sec = mtime}, {.tv_sec = mtime}};
	struct stat st;

	dir->file_fd = open_at(dir->fd, TEMPORARY_NAME, O_WRONLY | O_CREAT | O_EXCL);
	if (dir->file_fd < 0)
		raise_error("create file", dir->path, name);
	dir->has_temporary = true;
	write_bytes(dir, name, content);
	if (fchmod(dir->file_fd, mode) != 0 || futimens(dir->file_fd, times) != 0 ||
		fstat(dir->file_fd, &st) != 0)
		raise_error("set permissions and time of file", dir->path, name);
	if (pg_fsync(dir->file_fd) != 0)
		raise_error("fsync file", dir->path, name);
	if (close_fd(&dir->file_fd) != 0)
		raise_error("close file", dir->path, name);

	/* durable_rename opens the old file for writing, which it may not permit */
	if (renameat(dir->fd, TEMPORARY_NAME, dir->fd, name) != 0)
		raise_error("replace file", dir->path, name);
	dir->has_temporary = false;
	dir->has_changed = true;
	return st.st_mtime;
}

void
sm_dir_remove(SmDir *dir, const char *name)
{
	if (unlinkat(dir->fd, name, 0) != 0)
		raise_error("remove file", dir->path, name);
	dir->has_changed = true;
}

void
sm_dir_flush(SmDir *dir)
{
	/* not every file system can flush a directory */
	if (dir->has_changed && pg_fsync(dir->fd) != 0 && errno != EBADF && errno != EINVAL)
		raise_error("fsync directory", dir->path, NULL);
	dir->has_changed = false;
}
