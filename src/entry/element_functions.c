/*
 * element_functions.c
 *	  sitemap_url, sitemap_image, sitemap_video, sitemap_news, sitemap_alternate and
 *	  sitemap_alternates: arguments of an SQL function become an element.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "entry/item.h"
#include "entry/row.h"
#include "entry/value.h"
#include "entry/writer.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "server/argument.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(sitemap_url);
PG_FUNCTION_INFO_V1(sitemap_image);
PG_FUNCTION_INFO_V1(sitemap_video);
PG_FUNCTION_INFO_V1(sitemap_news);
PG_FUNCTION_INFO_V1(sitemap_alternate);
PG_FUNCTION_INFO_V1(sitemap_alternates);

static void
set_text_value(SmValue *value, SmSpan text)
{
	value->v.span = sm_unless_blank(text);
	value->type = value->v.span.s ? SM_VALUE_TEXT : SM_VALUE_NONE;
}

/* Read an array of any type. */
static void
read_array_argument(Datum array, const char *name, SmValue *value)
{
	ArrayType  *values = DatumGetArrayTypeP(array);
	ArrayIterator it = array_create_iterator(values, 0, NULL);
	Oid			type = ARR_ELEMTYPE(values);
	Datum		element;
	bool		is_null;
	Oid			output;
	bool		is_varlena;

	value->n = ArrayGetNItems(ARR_NDIM(values), ARR_DIMS(values));
	if (value->n > SM_MAX_ITEMS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s is too long for a sitemap", name),
				 errdetail("It has %d elements.", value->n)));
	if (value->n == 0)
		return;
	getTypeOutputInfo(type, &output, &is_varlena);
	value->type = SM_VALUE_ARRAY;
	value->v.items = palloc0_array(SmSpan, value->n);
	for (int i = 0; array_iterate(it, &element, &is_null); i++)
	{
		CHECK_FOR_INTERRUPTS();

		if (!is_null)
			value->v.items[i] = sm_unless_blank(type == TEXTOID ? sm_read_argument(element, name) :
												sm_span_of(OidOutputFunctionCall(output, element)));
	}
}

/* Read argument n, which is a flag or a date, or the text of one. */
static void
read_any(FunctionCallInfo fcinfo, int n, const char *name, bool is_flag, SmValue *value)
{
	Datum		datum = PG_GETARG_DATUM(n);
	Oid			type = sm_argument_type(fcinfo, n);

	/* PostgreSQL's own types are no domains, so do not look for them */
	if (type >= FirstGenbkiObjectId)
		type = getBaseType(type);
	if (type == TEXTOID || type == VARCHAROID || type == BPCHAROID)
		set_text_value(value, sm_read_argument(datum, name));
	else if (type == UNKNOWNOID)
		set_text_value(value, sm_read_argument(CStringGetTextDatum(DatumGetCString(datum)), name));
	else if (is_flag && type == BOOLOID)
		set_text_value(value, sm_span_of(DatumGetBool(datum) ? "yes" : "no"));
	else if (is_flag || !sm_read_date(datum, type, value))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("%s must be of type %s, not %s", name,
						is_flag ? "boolean or text" : "timestamptz, timestamp, date or text",
						format_type_be(type)),
				 is_flag ? 0 : errhint(SM_DATE_HINT)));
}

/* Read the argument of a field, which is not NULL. */
static void
read_item_argument(FunctionCallInfo fcinfo, const SmField *field, SmValue *value)
{
	Datum		datum = PG_GETARG_DATUM(field->argument);

	if (field->is_array)
	{
		read_array_argument(datum, field->name.s, value);
		return;
	}
	switch (field->type)
	{
		case SM_FIELD_TEXT:
		case SM_FIELD_LIST:
		case SM_FIELD_URL:
			set_text_value(value, sm_read_argument(datum, field->name.s));
			break;
		case SM_FIELD_DATE:
		case SM_FIELD_FLAG:
			read_any(fcinfo, field->argument, field->name.s, field->type == SM_FIELD_FLAG, value);
			break;
		case SM_FIELD_INT4:
			value->type = SM_VALUE_INTEGER;
			value->v.integer = DatumGetInt32(datum);
			break;
		case SM_FIELD_INT8:
			value->type = SM_VALUE_INTEGER;
			value->v.integer = DatumGetInt64(datum);
			break;
		case SM_FIELD_FLOAT8:
			value->type = SM_VALUE_FLOAT;
			value->v.number = DatumGetFloat8(datum);
			break;
	}
}

/* An element as an SQL value, of type xml. */
typedef struct Element
{
	SmEntryWriter writer;
	StringInfoData buf;
} Element;

static void
begin_element(Element *element)
{
	sm_entry_writer_init(&element->writer, SM_URLSET);
	initStringInfo(&element->buf);
	element->buf.len = VARHDRSZ;
	element->writer.buf = &element->buf;
}

static Datum
end_element(Element *element)
{
	SET_VARSIZE(element->buf.data, element->buf.len);
	return PointerGetDatum(element->buf.data);
}

/*
 * Make an item.  If all arguments that it requires are NULL, as after an outer join
 * without a match, it is NULL.
 */
static Datum
make_item(FunctionCallInfo fcinfo, const SmItemType *type)
{
	SmValue		values[SM_MAX_FIELDS];
	Element		element;
	bool		is_null = true;

	memset(values, 0, type->nfields * sizeof(SmValue));
	for (int i = 0; i < type->nfields; i++)
	{
		const SmField *field = &type->fields[i];

		if (PG_ARGISNULL(field->argument))
			continue;
		is_null &= field->required == NULL || field->is_attribute;
		read_item_argument(fcinfo, field, &values[i]);
	}
	if (is_null)
		PG_RETURN_NULL();

	begin_element(&element);
	sm_append_item(&element.writer, type, values);
	return end_element(&element);
}

Datum
sitemap_url(PG_FUNCTION_ARGS)
{
	Element		element;
	SmRow		row;
	SmEntry		entry;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();

	begin_element(&element);
	sm_read_row_arguments(fcinfo, 0, InvalidOid, &row, &element.writer.problems);
	if (!PG_ARGISNULL(1))
		read_any(fcinfo, 1, "lastmod", false, &row.lastmod);
	sm_append_entry(&element.writer, &row, &element.buf, &entry);
	return end_element(&element);
}

Datum
sitemap_image(PG_FUNCTION_ARGS)
{
	return make_item(fcinfo, &sm_image);
}

Datum
sitemap_video(PG_FUNCTION_ARGS)
{
	return make_item(fcinfo, &sm_video);
}

Datum
sitemap_news(PG_FUNCTION_ARGS)
{
	return make_item(fcinfo, &sm_news);
}

Datum
sitemap_alternate(PG_FUNCTION_ARGS)
{
	Element		element;
	SmLink		link;

	link.hreflang = sm_read_argument(PG_GETARG_DATUM(0), "hreflang");
	link.href = sm_read_argument(PG_GETARG_DATUM(1), "href");
	begin_element(&element);
	sm_append_alternate(&element.writer, &link);
	return end_element(&element);
}

Datum
sitemap_alternates(PG_FUNCTION_ARGS)
{
	Element		element;
	SmLink	   *links;
	ArrayBuildState *elements = initArrayResult(XMLOID, CurrentMemoryContext, false);
	int			n;

	begin_element(&element);
	n = sm_read_alternates(PG_GETARG_DATUM(0), &links, &element.writer.problems, "hrefs");
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();

		/* all share one buffer; the array has copies */
		element.buf.len = VARHDRSZ;
		sm_append_alternate(&element.writer, &links[i]);
		accumArrayResult(elements, end_element(&element), false, XMLOID, CurrentMemoryContext);
	}
	PG_RETURN_DATUM(makeArrayResult(elements, CurrentMemoryContext));
}
