/*
 * json.h
 *	  Reads items of a page from jsonb: the columns images, videos and news.
 */
#ifndef SM_JSON_H
#define SM_JSON_H

#include "entry/item.h"

/*
 * Append the items of a jsonb value.  An item is an object, with names of fields as
 * its keys; videos and images can be an array of objects, and an image can be a URL.
 * null is no item, and neither is an object without any of the required values.
 * Stops after the item that makes the entry too large for any document.
 */
extern void sm_append_json(SmItemWriter *w, const SmItemType *type, Datum value);

/* Is a jsonb value null, or an empty array or object? */
extern bool sm_json_is_empty(Datum value);

#endif
