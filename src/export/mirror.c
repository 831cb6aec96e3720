/*
 * mirror.c
 *	  A directory of the server that is made to hold a set of files.
 *
 * At any moment, and after any crash, each file in the directory is whole, old
 * or new: it is written under a temporary name, flushed to disk and renamed
 * (dir.c).  A file is removed only if its digest is still the one in the
 * manifest (manifest.c).
 */
#include "postgres.h"

#include "export/mirror.h"

#include "export/dir.h"
#include "export/manifest.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

/* readable for a web server, writable for us only */
#define FILE_MODE		(S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH)

struct SmMirror
{
	SmDir		dir;
	SmManifest	manifest;
};

SmMirror *
sm_mirror_open(const char *directory)
{
	SmMirror   *mirror = palloc0_object(SmMirror);

	sm_dir_open(&mirror->dir, directory);
	sm_manifest_read(&mirror->manifest, &mirror->dir);
	return mirror;
}

SmFileAction
sm_mirror_put(SmMirror *mirror, const char *name, SmSpan content)
{
	const char *problem = sm_manifest_name_problem(name);
	uint64		digest;
	struct stat st;
	bool		exists;
	SmManifestFile *file;

	if (problem != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid file name \"%.*s\"",
						pg_mbcliplen(name, strlen(name), SM_NAME_MAX), name),
				 errdetail("%s", problem)));
	file = sm_manifest_find(&mirror->manifest, name);
	if (file->put)
		ereport(ERROR,
				(errcode(ERRCODE_CARDINALITY_VIOLATION),
				 errmsg("file name \"%s\" appears more than once in the query", name)));
	file->put = true;

	digest = sm_dir_content_digest(content);
	exists = sm_dir_stat_regular(&mirror->dir, name, &st);
	if (exists && sm_dir_has_content(&mirror->dir, name, content))
	{
		/*
		 * if its content is not what we wrote last, somebody else may own it
		 */
		if (file->ours && file->digest != digest)
		{
			file->ours = false;
			mirror->manifest.is_current = false;
		}
		return SM_FILE_UNCHANGED;
	}

	sm_manifest_announce(&mirror->manifest, name, digest);
	sm_dir_close_file(sm_dir_replace(&mirror->dir, name, content, FILE_MODE));
	file->ours = true;
	file->digest = digest;
	return exists ? SM_FILE_UPDATED : SM_FILE_CREATED;
}

/* Remove one of our files, if it still is ours. */
static void
remove_file(SmMirror *mirror, SmManifestFile *file, SmMirrorDeleted deleted, void *arg)
{
	struct stat st;
	uint64		digest;
	int64		size;

	if (!sm_dir_stat(&mirror->dir, file->name, &st))
	{
		/* somebody else has removed it already */
	}
	else if (!sm_dir_digest(&mirror->dir, file->name, &digest, &size) || digest != file->digest)
		ereport(WARNING,
				(errmsg("file \"%s\" was not removed", sm_dir_path(&mirror->dir, file->name)),
				 errdetail("It is no longer the file that sitemap_export wrote.")));
	else
	{
		sm_dir_remove(&mirror->dir, file->name);
		deleted(arg, file->name, size);
	}
	file->ours = false;
	mirror->manifest.is_current = false;
}

void
sm_mirror_finish(SmMirror *mirror, SmMirrorDeleted deleted, void *arg)
{
	ListCell   *lc;

	foreach(lc, sm_manifest_files(&mirror->manifest))
	{
		SmManifestFile *file = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (!file->put)
			remove_file(mirror, file, deleted, arg);
	}
	sm_manifest_finish(&mirror->manifest);
	sm_dir_close(&mirror->dir);
}
