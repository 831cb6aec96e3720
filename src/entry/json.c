/*
 * json.c
 *	  Reads items of a page from jsonb: the columns images, videos and news.
 *
 * An object gives the same item as these arguments of sitemap_image, sitemap_video or
 * sitemap_news.  An invalid item is one problem, and only that item is left out.
 */
#include "postgres.h"

#include "entry/item.h"

#include "entry/value.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "text/text.h"
#include "text/w3cdate.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

/* An object being read. */
typedef struct ItemReader
{
	SmEntryWriter *w;
	const SmItemType *type;
	bool		is_valid;		/* no problem so far */
	bool		is_null;		/* no required value so far */
	SmValue		values[SM_MAX_FIELDS];
} ItemReader;

/* Where the keys of an object are to be found. */
static const char *
keys_hint(const SmItemType *type)
{
	return psprintf("The keys of an object are the parameters of sitemap_%s.", type->name);
}

/* Find the field of a key; NULL, and a problem, if there is none. */
static const SmField *
find_field(ItemReader *r, const JsonbValue *key)
{
	SmSpan		name = sm_span(key->val.string.val, key->val.string.len);

	for (int i = 0; i < r->type->nfields; i++)
		if (sm_span_equal(r->type->fields[i].name, name))
			return &r->type->fields[i];

	r->is_valid = false;
	sm_problem(&r->w->problems, r->type->problem, ERRCODE_INVALID_PARAMETER_VALUE, keys_hint(r->type),
			   "unrecognized key \"%s\" in %s", sm_clip(pnstrdup(name.s, name.len)), r->type->column);
	return NULL;
}

/* Read a string, number or boolean as text; s is NULL if it is null, blank, or a problem. */
static SmSpan
read_scalar(ItemReader *r, const SmField *field, const JsonbValue *value)
{
	SmSpan		string = sm_no_span();

	if (value->type == jbvString)
	{
		sm_read_string(value->val.string.val, value->val.string.len, &string,
					   &r->w->problems, r->type->problem, field->path);
		r->is_valid = string.s != NULL;
		return sm_unless_blank(string);
	}
	if (value->type == jbvNumeric)
		return sm_span_of(DatumGetCString(DirectFunctionCall1(numeric_out,
															  NumericGetDatum(value->val.numeric))));
	if (value->type == jbvBool && field->type == SM_FIELD_FLAG)
		return sm_span_of(value->val.boolean ? "yes" : "no");
	if (value->type != jbvNull)
	{
		r->is_valid = false;
		sm_problem(&r->w->problems, r->type->problem, ERRCODE_INVALID_PARAMETER_VALUE, NULL,
				   "the value of \"%s\" in %s must be %s", field->name.s, r->type->column,
				   field->type == SM_FIELD_FLAG ? "true, false, or a string" :
				   field->is_array ? "a string, a number, or an array of them" : "a string or a number");
	}
	return string;
}

/* A date with a time of day becomes an instant, in UTC if it has no zone. */
static void
set_instant(SmValue *value)
{
	bool		has_time;
	int64_t		seconds;

	if (sm_w3c_parse(sm_trim(value->v.span), true, &has_time, &seconds) == SM_W3C_OK && has_time)
	{
		value->type = SM_VALUE_INSTANT;
		value->v.integer = (seconds - SM_POSTGRES_EPOCH) * USECS_PER_SEC;
	}
}

static bool
is_array(const JsonbValue *value)
{
	return value->type == jbvBinary && JsonContainerIsArray(value->val.binary.data);
}

/* Read an array of strings, numbers and nulls. */
static void
read_json_array(ItemReader *r, const SmField *field, JsonbContainer *array, SmValue *value)
{
	JsonbIterator *it = JsonbIteratorInit(array);
	JsonbIteratorToken token;
	JsonbValue	item;

	value->type = JsonContainerSize(array) > 0 ? SM_VALUE_ARRAY : SM_VALUE_NONE;
	value->v.items = palloc_array(SmSpan, JsonContainerSize(array));
	while (r->is_valid && (token = JsonbIteratorNext(&it, &item, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();

		if (token == WJB_ELEM)
			value->v.items[value->n++] = read_scalar(r, field, &item);
	}
}

/* Read the value of a key. */
static void
read_json_value(ItemReader *r, const SmField *field, const JsonbValue *json)
{
	SmValue    *value = &r->values[field - r->type->fields];
	SmSpan		string;

	if (field->is_array && is_array(json))
	{
		read_json_array(r, field, json->val.binary.data, value);
		return;
	}
	string = read_scalar(r, field, json);
	if (string.s == NULL)
		return;
	r->is_null &= field->required == NULL || field->is_attribute;
	if (field->is_array)
	{
		value->type = SM_VALUE_ARRAY;
		value->n = 1;
		value->v.items = palloc_object(SmSpan);
		value->v.items[0] = string;
		return;
	}
	value->type = SM_VALUE_TEXT;
	value->v.span = string;
	if (field->type == SM_FIELD_DATE)
		set_instant(value);
}

/* Read an object, and append its item. */
static void
append_object(SmEntryWriter *w, const SmItemType *type, JsonbContainer *object)
{
	JsonbIterator *it = JsonbIteratorInit(object);
	JsonbIteratorToken token;
	JsonbValue	json;
	const SmField *field = NULL;
	ItemReader	r;

	r.w = w;
	r.type = type;
	r.is_valid = true;
	r.is_null = true;
	memset(r.values, 0, type->nfields * sizeof(SmValue));
	while (r.is_valid && (token = JsonbIteratorNext(&it, &json, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();

		if (token == WJB_KEY)
			field = find_field(&r, &json);
		else if (token == WJB_VALUE && field)
			read_json_value(&r, field, &json);
	}
	if (r.is_valid && !r.is_null)
		sm_append_item(w, type, r.values);
}

static void
wrong_shape(SmEntryWriter *w, const SmItemType *type)
{
	sm_problem(&w->problems, type->problem, ERRCODE_INVALID_PARAMETER_VALUE,
			   keys_hint(type), "%s must be %s", type->column,
			   type == &sm_image ? "a URL, an object, or an array of them" :
			   "a JSON object or an array of objects");
}

/* Append the item of an element of an array, or of a scalar. */
static void
append_one(SmEntryWriter *w, const SmItemType *type, const JsonbValue *value)
{
	SmSpan		url;

	if (value->type == jbvBinary && !is_array(value))
		append_object(w, type, value->val.binary.data);
	else if (value->type == jbvString && type == &sm_image)
	{
		sm_read_string(value->val.string.val, value->val.string.len, &url, &w->problems,
					   SM_IMAGE_INVALID, "image");
		if (url.s != NULL)
			sm_append_image(w, url);
	}
	else if (value->type != jbvNull)
		wrong_shape(w, type);
}

void
sm_append_json(SmEntryWriter *w, const SmItemType *type, Datum value)
{
	Jsonb	   *jsonb = DatumGetJsonbP(value);
	JsonbIterator *it;
	JsonbIteratorToken token;
	JsonbValue	item;

	if (JB_ROOT_IS_OBJECT(jsonb))
	{
		append_object(w, type, &jsonb->root);
		return;
	}
	/* a scalar is stored as an array of one element */
	it = JsonbIteratorInit(&jsonb->root);
	while (!sm_elements_too_large(w) &&
		   (token = JsonbIteratorNext(&it, &item, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();

		if (token == WJB_ELEM)
			append_one(w, type, &item);
	}
}
