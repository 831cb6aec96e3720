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

/*
 * What to lock: in a target, the base_url of a site, as runs write it, and a section, "" for
 * the site; or without a target, the device and inode of a directory.
 */
extern LOCKTAG sm_lock_tag(SmLockClass class, Oid target, const char *first, const char *second);

/* Take such a lock, exclusive, to the end of the transaction.  Returns the tag. */
extern LOCKTAG sm_lock(SmLockClass class, Oid target, const char *first, const char *second);

#endif
