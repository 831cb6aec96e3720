/*
 * lock.c
 *	  Locks of the advisory kind, with classes that no other advisory lock has.
 *
 * pg_locks shows such a lock with the OID of the target as classid (0 for a directory), a
 * hash as objid and the class as objsubid.  Two sections whose hashes are equal wait for
 * each other, which does no harm.  With 32 bits, that happens to one pair in four billion.
 */
#include "postgres.h"

#include "server/lock.h"

#include "miscadmin.h"
#include "text/digest.h"

LOCKTAG
sm_lock_tag(SmLockClass class, Oid target, const char *first, const char *second)
{
	uint64		digest = sm_digest(second, strlen(second), sm_digest(first, strlen(first), 0));
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, target, (uint32) digest, class);
	return tag;
}

LOCKTAG
sm_lock(SmLockClass class, Oid target, const char *first, const char *second)
{
	LOCKTAG		tag = sm_lock_tag(class, target, first, second);

	(void) LockAcquire(&tag, ExclusiveLock, false, false);
	return tag;
}
