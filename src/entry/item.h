/*
 * item.h
 *	  Items of a page: images, videos and news.  Tables list the tags and attributes
 *	  of an item and their allowed values; one function checks and writes all items.
 */
#ifndef SM_ITEM_H
#define SM_ITEM_H

#include "entry/element.h"

#define SM_MAX_FIELDS	33		/* of an item */

typedef enum SmFieldType
{
	SM_FIELD_TEXT,
	SM_FIELD_LIST,				/* words with a separator between them */
	SM_FIELD_URL,
	SM_FIELD_DATE,
	SM_FIELD_FLAG,				/* yes or no */
	SM_FIELD_INT4,
	SM_FIELD_INT8,
	SM_FIELD_FLOAT8
} SmFieldType;

/*
 * A tag, or an attribute of the last tag before it.  The tags of an item are in
 * the order of the published schema.
 */
typedef struct SmField
{
	SmSpan		name;			/* of the SQL argument, and the jsonb key */
	const char *path;			/* column and key */
	SmProblemName problem;		/* of an invalid value */
	int			argument;		/* number of the argument */
	SmFieldType type;
	SmRole		role;
	SmSpan		open;			/* before the value; a tag lacks its ">" */
	SmSpan		close;			/* after it */
	const char *required;		/* what a message asks for; NULL: optional */

	/* what values are allowed; rule says it in words */
	int64		min;			/* of a number */
	int64		max;			/* of a number, of characters or words; of
								 * these, 0 for no limit */
	const char *const *choices; /* ends with NULL; case does not matter */
	bool		(*valid) (SmSpan value);
	const char *rule;
	const char *separators;		/* SM_FIELD_LIST: blanks or a comma */
	int			max_tags;		/* values of an array, 0 for no limit */

	bool		is_attribute;
	bool		is_array;		/* one tag, and attribute, for each value */
} SmField;

typedef struct SmItemType
{
	const char *name;
	const char *column;
	SmProblemName problem;		/* of items in that column */
	uint32		ns;				/* namespace of the tags, SM_NS_… */
	SmSpan		open;
	SmSpan		close;
	int			nfields;
	const SmField *fields;
	const SmField *either[2];	/* one of the two is required, if not NULL */
} SmItemType;

extern const SmItemType sm_image;
extern const SmItemType sm_video;
extern const SmItemType sm_news;

/* Append an item.  values: one for each field of the type. */
extern bool sm_append_item(SmEntryWriter *w, const SmItemType *type, const SmValue *values);

/* The same for an image that is only a URL. */
extern bool sm_append_image(SmEntryWriter *w, SmSpan loc);

/*
 * Append the items of a jsonb value.  An item is an object, with names of fields as
 * its keys; the value can be an array of objects, and an image can be a URL.
 * null is no item, and neither is an object without any of the required values.
 * Stops after the item that makes the page's elements too large.
 */
extern void sm_append_json(SmEntryWriter *w, const SmItemType *type, Datum value);

#endif
