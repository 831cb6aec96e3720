/*
 * export_manifest.h
 *	  The list of a directory's files that exports have written.
 */
#ifndef SM_EXPORT_MANIFEST_H
#define SM_EXPORT_MANIFEST_H

#include "export_dir.h"
#include "nodes/pg_list.h"
#include "utils/hsearch.h"

/* most bytes in a name */
#define SM_NAME_MAX		255

typedef struct SmManifestFile
{
	char		name[SM_NAME_MAX + 1];	/* hash key, must be first */
	uint64		digest;			/* of what we wrote */
	bool		ours;			/* we wrote it, so far as we know */
	bool		put;			/* in this export */
} SmManifestFile;

typedef struct SmManifest
{
	const SmDir *dir;
	MemoryContext context;		/* of all there is in it */
	HTAB	   *files;			/* of SmManifestFile */
	bool		is_current;		/* on disk it is as files has it */
	SmDirFile  *journal;		/* the manifest, open to add lines to it; NULL
								 * before there is one to add */
} SmManifest;

/* Why a name cannot be that of an exported file; NULL if it can. */
extern const char *sm_manifest_name_problem(const char *name);

/* Read the manifest of a directory, into the current memory context. */
extern void sm_manifest_read(SmManifest *manifest, const SmDir *dir);

/* Find what we know of a name, which is valid; nothing if it is new to us. */
extern SmManifestFile *sm_manifest_find(SmManifest *manifest, const char *name);

/* Put on record, for good, that a file is going to be ours. */
extern void sm_manifest_announce(SmManifest *manifest, const char *name, uint64 digest);

/* Our files, in the order of their names. */
extern List *sm_manifest_files(const SmManifest *manifest);

/* Bring the manifest up to date, for good; and all removals, too. */
extern void sm_manifest_finish(SmManifest *manifest);

#endif
