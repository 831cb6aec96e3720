/*
 * key.h
 *	  The key of a row: its type, its order, and its text.
 */
#ifndef SM_KEY_H
#define SM_KEY_H

#include "access/stratnum.h"
#include "fmgr.h"
#include "nodes/pg_list.h"
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
 * Prepare to use keys of a type and collation.  Raises an error if the type has no
 * default btree operator class.  Also raises an error if the type is, or contains, a
 * pseudo-type or a type such as regclass, whose text is the name of an object.
 */
extern void sm_key_type_init(SmKeyType *key, Oid type, Oid collation);

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

/*
 * Give fixed values to the settings that change the text of a value.
 * sm_restore_settings takes the result and restores the settings.  After an error, the
 * end of the (sub)transaction does that.
 */
extern int	sm_fix_text_settings(void);
extern void sm_restore_settings(int level);

/* The same to run a user's query: search_path is not changed. */
extern int	sm_fix_query_settings(void);

/*
 * The same to read text that a user wrote.  Text is read as a cast in this session would
 * read it, except that NULL in an array is always null.
 */
extern int	sm_fix_input_settings(void);

/* A value as text, in the current memory context. */
extern char *sm_key_to_text(SmKeyType *key, Datum value);

/*
 * Read a value from text, in any form that the type accepts.  Text from sm_key_to_text
 * has to be read under sm_fix_text_settings.
 */
extern Datum sm_key_from_text(SmKeyType *key, const char *text);

/*
 * Read values from texts that sm_key_to_text made.  Returns false if the type does not
 * accept one of them.
 */
extern bool sm_key_try_from_texts(SmKeyType *key, const char *const *texts, int ntexts,
								  Datum *values);

/*
 * The same as sm_key_to_text, but NULL if that text is read as a different value.  A
 * user's type can round its values.
 */
extern char *sm_key_to_exact_text(SmKeyType *key, Datum value);

/*
 * Describe the order of the keys.  Equal descriptions mean the same order, until a type
 * or the version of a collation changes.  smallint, int and bigint have the same
 * description.
 */
extern char *sm_key_describe_family(const SmKeyType *key);

/* The comparison that a btree strategy stands for, as OPERATOR(schema.name). */
extern char *sm_key_operator(const SmKeyType *key, StrategyNumber strategy);

/*
 * Hold a type, so that its values can stay in memory while statements run.  A statement
 * could change the definition of a row type, by which its values are read.  This adds the
 * type and the types that it consists of to the list held (NIL at first), opens the row
 * types among them, and returns the list.  Until sm_release_types closes the row types,
 * ALTER and DROP of them raise an error in this session and wait in others.  After an
 * error, the end of the (sub)transaction closes them.
 *
 * Each type is listed once for each collation.  E.g. the row type (int, text[], int)
 * gives itself, int, text[] and text.
 */
extern List *sm_hold_type(List *held, Oid type, Oid collation);
extern void sm_release_types(List *held);

/*
 * Find a pseudo-type, such as record, among held types.  Returns InvalidOid if there is
 * none.  sm_hold_type cannot hold the types inside a value of a pseudo-type: they are not
 * known.
 */
extern Oid	sm_find_pseudo_type(List *held);

/*
 * Describe everything that determines the order of values of the first held type: types,
 * operators, labels of enums, and collations, with their definitions and versions.
 */
extern char *sm_describe_order(List *held);

#endif
