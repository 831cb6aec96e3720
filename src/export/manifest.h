/*
 * manifest.h
 *	  The list of a directory's files that exports have written.
 */
#ifndef SM_EXPORT_MANIFEST_H
#define SM_EXPORT_MANIFEST_H

#include "export/dir.h"
#include "nodes/pg_list.h"
#include "utils/hsearch.h"

/* most bytes in a name */
#define SM_NAME_MAX		255

typedef struct SmManifestFile
{
	char		name[SM_NAME_MAX + 1];	/* hash key, must be first */
	uint64		digest;			/* digest of the content that we wrote */
	bool		ours;			/* we wrote the file, as far as we know */
	bool		put;			/* put by this export */
} SmManifestFile;

typedef struct SmManifest
{
	const SmDir *dir;
	MemoryContext context;		/* memory context of the manifest */
	HTAB	   *files;			/* of SmManifestFile */
	bool		is_current;		/* the manifest on disk is the same as files */
	SmDirFile  *journal;		/* the manifest, open for adding lines; NULL
								 * before the first */
} SmManifest;

/* Why a name cannot be the name of an exported file; NULL if it can. */
extern const char *sm_manifest_name_problem(const char *name);

/* Read the manifest of a directory, into the current memory context. */
extern void sm_manifest_read(SmManifest *manifest, const SmDir *dir);

/*
 * Find a file by its valid name.  A new name is added, as a file that is not
 * ours.
 */
extern SmManifestFile *sm_manifest_find(SmManifest *manifest, const char *name);

/* Record on disk that a file is going to be ours. */
extern void sm_manifest_announce(SmManifest *manifest, const char *name, uint64 digest);

/* Our files, in the order of their names. */
extern List *sm_manifest_files(const SmManifest *manifest);

/* Bring the manifest up to date on disk, including all removals. */
extern void sm_manifest_finish(SmManifest *manifest);

#endif
