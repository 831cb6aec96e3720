/*
 * key.h
 *	  The key of a row: its type, its order, and its text.
 */
#ifndef SM_KEY_H
#define SM_KEY_H

#include "access/stratnum.h"
#include "fmgr.h"
#include "utils/sortsupport.h"

typedef struct SmKeyType
{
	Oid			type;			/* domains resolved */
	Oid			collation;
	int16		len;
	bool		by_value;
	Oid			family;			/* of the default btree operator class */
	Oid			operand;		/* input type of that class */
	SortSupportData order;
	Oid			io_param;
	FmgrInfo	input;
	FmgrInfo	output;
} SmKeyType;

/*
 * Prepare to use keys of a type and collation.  Raises an error if the type
 * has no default btree operator class, or is a pseudo-type.
 */
extern void sm_key_type_init(SmKeyType *key, Oid type, Oid collation);

/* Negative, 0 or positive, as a is less than, equal to or greater than b. */
static inline int
sm_key_compare(SmKeyType *key, Datum a, Datum b)
{
	return key->order.comparator(a, b, &key->order);
}

/*
 * Between these two calls, the text of a value does not depend on settings of
 * the session.  After an error the end of the (sub)transaction restores the
 * settings.
 */
extern int	sm_key_begin_text(void);
extern void sm_key_end_text(int level);

/* A value as text, in the current memory context. */
extern char *sm_key_to_text(SmKeyType *key, Datum value);

/*
 * Read a value from text, in any form that the type accepts.  Text that
 * sm_key_to_text made has to be read between the two calls above.
 */
extern Datum sm_key_from_text(SmKeyType *key, const char *text);

/* The comparison that a btree strategy stands for, as OPERATOR(schema.name). */
extern char *sm_key_operator(const SmKeyType *key, StrategyNumber strategy);

#endif
