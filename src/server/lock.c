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

#include "core/digest.h"
#include "miscadmin.h"

static LOCKTAG
make_lock(SmLockClass class, Oid target, uint64 digest)
{
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, target, (uint32) digest, class);
	return tag;
}

LOCKTAG
sm_section_lock(Oid target, const char *base_url, const char *section)
{
	uint64		digest = sm_digest(base_url, strlen(base_url), 0);

	return make_lock(SM_LOCK_SECTION, target, sm_digest(section, strlen(section), digest));
}

LOCKTAG
sm_site_lock(Oid target, const char *base_url)
{
	return make_lock(SM_LOCK_SITE, target, sm_digest(base_url, strlen(base_url), 0));
}

LOCKTAG
sm_directory_lock(uint64 device, uint64 inode)
{
	const uint64 place[] = {device, inode};

	return make_lock(SM_LOCK_DIRECTORY, InvalidOid,
					 sm_digest((const char *) place, sizeof(place), 0));
}

void
sm_lock(const LOCKTAG *tag)
{
	(void) LockAcquire(tag, ExclusiveLock, false, false);
}
