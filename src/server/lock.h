/*
 * lock.h
 *	  Locks on things that are no database objects: a section, a site, a directory.
 */
#ifndef SM_LOCK_H
#define SM_LOCK_H

#include "storage/lock.h"

/*
 * Classes of locks, shown as objsubid in pg_locks.  PostgreSQL's advisory locks have the
 * classes 1 and 2, Citus has 4 to 15.
 */
typedef enum SmLockClass
{
	SM_LOCK_SECTION = 1001,
	SM_LOCK_SITE = 1002,
	SM_LOCK_DIRECTORY = 1003
} SmLockClass;

/* What to lock.  target: OID of the table; base_url: as runs write it. */
extern LOCKTAG sm_section_lock(Oid target, const char *base_url, const char *section);
extern LOCKTAG sm_site_lock(Oid target, const char *base_url);
extern LOCKTAG sm_directory_lock(uint64 device, uint64 inode);

/* Take an exclusive lock, to the end of the transaction. */
extern void sm_lock(const LOCKTAG *tag);

#endif
