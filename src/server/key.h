/*
 * key.h
 *	  Keys: a short list of types, whose order and text nothing can change.
 *
 * No setting, upgrade of a collation, ALTER TYPE or other session changes how values of
 * these types compare, or what their text is.  So keys are kept in a table as text, and
 * values stay in memory while a user's statements run.
 */
#ifndef SM_KEY_H
#define SM_KEY_H

#include "fmgr.h"
#include "utils/sortsupport.h"

typedef struct SmKeyType
{
	Oid			type;			/* domains resolved */
	Oid			family;			/* bigint for all integers, text for varchar,
								 * else the type: keys of one family have the
								 * same order and text */
	int16		len;
	bool		by_value;
	SortSupportData order;
	FmgrInfo	input;
	FmgrInfo	output;
} SmKeyType;

/*
 * The family of a type that is no domain: integers, uuid, date, timestamp, timestamptz and
 * strings have one.  InvalidOid for other types, which keys cannot have.
 */
extern Oid	sm_key_family(Oid type);

/* Can keys of a type, no domain, have a collation?  Strings need one that compares bytes. */
extern bool sm_key_collation_is_allowed(Oid type, Oid collation);

/* Prepare to use keys of a type that has a family, or of a domain over it. */
extern void sm_key_type_init(SmKeyType *key, Oid type);

/* Negative, 0 or positive, as a is less than, equal to or greater than b. */
static inline int
sm_key_compare(SmKeyType *key, Datum a, Datum b)
{
	return key->order.comparator(a, b, &key->order);
}

/* Copy a value into the current memory context, and free such a copy. */
extern Datum sm_key_copy(const SmKeyType *key, Datum value);

static inline void
sm_key_free(const SmKeyType *key, Datum copy)
{
	if (!key->by_value)
		pfree(DatumGetPointer(copy));
}

/* A value as text, in the current memory context. */
extern char *sm_key_to_text(SmKeyType *key, Datum value);

/*
 * Read a value from text: from sm_key_to_text, or in any form that a cast in this session
 * accepts.  Raises an error for other text.
 */
extern Datum sm_key_from_text(SmKeyType *key, const char *text);

#endif
