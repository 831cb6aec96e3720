/*
 * row.c
 *	  Finds the columns of a row by their names, and reads values by their types.
 */
#include "postgres.h"

#include "entry/row.h"

#include "catalog/pg_type.h"
#include "entry/reader.h"
#include "entry/value.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "server/encoding.h"
#include "text/digest.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#define COLUMNS_HINT \
	"The columns are loc, lastmod, changefreq, priority, images, alternates, videos, news, extensions, key and shown, or url and key."

#define CAST_HINT	"Cast it to such a type. A NULL without a cast is of type text."

static const SmColumnRule column_rules[SM_NCOLUMNS] = {
	[SM_COLUMN_LOC] = {"loc", "text", "A loc is a URL or a path, such as '/item/' || id.",.takes_text = true},
	[SM_COLUMN_LASTMOD] = {"lastmod", "timestamptz, timestamp, date or text", SM_DATE_HINT,
	.takes_text = true,.oids = {TIMESTAMPTZOID, TIMESTAMPOID, DATEOID}},
	[SM_COLUMN_CHANGEFREQ] = {"changefreq", "text or an enum", CAST_HINT,.takes_text = true},
	[SM_COLUMN_PRIORITY] = {"priority", "float8, float4, numeric, bigint, int or smallint", CAST_HINT,
	.oids = {FLOAT8OID, FLOAT4OID, NUMERICOID, INT8OID, INT4OID, INT2OID}},
	[SM_COLUMN_ALTERNATES] = {"alternates", "jsonb",
		"Write an object of languages and URLs, such as jsonb_build_object('de', '/de/page', 'en', '/en/page').",
	.oids = {JSONBOID}},
	[SM_COLUMN_IMAGES] = {"images", "text[] or jsonb",
		"For one URL write ARRAY[images], for a list string_to_array(images, ','), for JSON images::jsonb, for none NULL::text[].",
	.oids = {TEXTARRAYOID, JSONBOID}},
	[SM_COLUMN_VIDEOS] = {"videos", "jsonb",
		"For JSON write videos::jsonb, for rows to_jsonb(videos), for none NULL::jsonb.",
	.oids = {JSONBOID}},
	[SM_COLUMN_NEWS] = {"news", "jsonb",
		"For JSON write news::jsonb, for a row to_jsonb(news), for none NULL::jsonb.",
	.oids = {JSONBOID}},
	[SM_COLUMN_EXTENSIONS] = {"extensions", "xml or xml[]", CAST_HINT,.oids = {XMLOID, XMLARRAYOID}},
	[SM_COLUMN_URL] = {"url", "xml", "A column of URLs must be named \"loc\".",.oids = {XMLOID}},
	[SM_COLUMN_KEY] = {.name = "key"},	/* check_key_type checks the type */
	[SM_COLUMN_SHOWN] = {"shown", "text or bytea", CAST_HINT,.takes_text = true,.oids = {BYTEAOID}}
};

bool
sm_read_date(Datum value, Oid type, SmValue *date)
{
	switch (type)
	{
		case TIMESTAMPTZOID:
		case TIMESTAMPOID:
			date->type = SM_VALUE_INSTANT;
			date->v.integer = DatumGetTimestamp(value);
			return true;
		case DATEOID:
			date->type = SM_VALUE_DAY;
			date->v.integer = DatumGetDateADT(value);
			return true;
		default:
			return false;
	}
}

/* Read a lastmod that is text.  Text that cannot be read counts as no lastmod. */
static void
read_lastmod_text(Datum text, SmRow *row, SmProblems *problems)
{
	row->lastmod.type = SM_VALUE_TEXT;
	sm_read_text(text, &row->lastmod.v.span, problems, SM_LASTMOD_INVALID, "lastmod");
}

/* Read an array of text or xml, or of a domain over it, without its NULLs. */
static int
read_array_column(Datum array, SmSpan **items, SmProblems *problems, SmProblemName name,
				  const char *what)
{
	ArrayIterator it = array_create_iterator(DatumGetArrayTypeP(array), 0, NULL);
	Datum		value;
	bool		isnull;
	SmSpan		item;
	StringInfoData found;		/* grows with the values, since an array can
								 * have very many NULLs, a bit each */

	initStringInfo(&found);
	while (array_iterate(it, &value, &isnull))
	{
		CHECK_FOR_INTERRUPTS();

		if (isnull)
			continue;
		if (found.len / sizeof(SmSpan) == SM_MAX_ITEMS)
		{
			sm_problem(problems, name, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
					   "invalid %s: the array has more than %d values", what, SM_MAX_ITEMS);
			break;
		}
		sm_read_text(value, &item, problems, name, what);
		if (item.s != NULL)
			appendBinaryStringInfo(&found, (char *) &item, sizeof(item));
	}
	array_free_iterator(it);
	*items = (SmSpan *) found.data;
	return found.len / sizeof(SmSpan);
}

void
sm_read_row_arguments(FunctionCallInfo fcinfo, int first, Oid lastmod_type,
					  SmRow *row, SmProblems *problems)
{
	int			nargs = PG_NARGS() - first;

	memset(row, 0, sizeof(*row));
	sm_read_text(PG_GETARG_DATUM(first), &row->loc, problems, SM_LOC_INVALID, "loc");
	problems->loc = row->loc;
	if (OidIsValid(lastmod_type) && nargs > 1 && !PG_ARGISNULL(first + 1) &&
		!sm_read_date(PG_GETARG_DATUM(first + 1), lastmod_type, &row->lastmod))
		read_lastmod_text(PG_GETARG_DATUM(first + 1), row, problems);
	if (nargs > 2 && !PG_ARGISNULL(first + 2))
		sm_read_text(PG_GETARG_DATUM(first + 2), &row->changefreq, problems,
					 SM_CHANGEFREQ_INVALID, "changefreq");
	if (nargs > 3 && !PG_ARGISNULL(first + 3))
	{
		row->has_priority = true;
		row->priority = PG_GETARG_FLOAT8(first + 3);
	}
	if (nargs > 4 && !PG_ARGISNULL(first + 4))
		row->nextensions = read_array_column(PG_GETARG_DATUM(first + 4), &row->extensions, problems,
											 SM_EXTENSION_INVALID, "extension");
}

/* Raise an error unless the column "key" has a type that keys can have. */
static void
check_key_type(Oid type, Oid collation)
{
	Oid			base = getBaseType(type);

	if (!OidIsValid(sm_key_family(base)))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"key\" of the query must be an integer, a uuid, a date, a timestamp or text, not %s",
						format_type_be(type)),
				 TypeCategory(base) == TYPCATEGORY_NUMERIC ?
				 errhint("Cast it: SELECT id::bigint AS key ... ORDER BY id::bigint, with an index on ((id::bigint)).") :
				 errhint("Cast it: SELECT id::text COLLATE \"C\" AS key ... ORDER BY id::text COLLATE \"C\".")));
	if (!sm_key_collation_is_allowed(base, collation))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"key\" of the query must have the collation \"C\""),
				 errdetail("An upgrade of the operating system or of ICU can change the order of other collations."),
				 errhint("Write SELECT slug COLLATE \"C\" AS key ... ORDER BY slug COLLATE \"C\", with an index on (slug COLLATE \"C\").")));
}

void
sm_find_columns(TupleDesc desc, SmKind kind, SmColumns *columns)
{
	int			key;

	sm_match_columns(desc, column_rules, SM_NCOLUMNS, COLUMNS_HINT, columns->column);
	key = columns->column[SM_COLUMN_KEY].index;
	if (key >= 0)
	{
		check_key_type(TupleDescAttr(desc, key)->atttypid, TupleDescAttr(desc, key)->attcollation);
		sm_key_type_init(&columns->key_type, TupleDescAttr(desc, key)->atttypid);
	}

	if (columns->column[SM_COLUMN_LOC].index < 0 && columns->column[SM_COLUMN_URL].index < 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("the query has no column \"loc\""),
				 errhint(COLUMNS_HINT)));
	if (columns->column[SM_COLUMN_SHOWN].index >= 0 && (key < 0 || kind == SM_TEXT))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"shown\" of the query needs a column \"key\" and the format xml"),
				 errdetail("It decides the lastmod of a page. What the page showed before is found by its key."),
				 errhint("Add a column \"key\", and order the rows by it, or leave \"shown\" out.")));
	if (columns->column[SM_COLUMN_URL].index >= 0 &&
		desc->natts > (key >= 0 ? 2 : 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
				 errmsg("column \"url\" of the query can be combined only with \"key\""),
				 errdetail("A url element contains loc, lastmod and all other values of a row.")));

	/* these columns are checked for a text sitemap, and not read */
	if (kind == SM_TEXT)
		for (int name = SM_COLUMN_CHANGEFREQ; name <= SM_COLUMN_EXTENSIONS; name++)
			columns->column[name].index = -1;

	for (int name = SM_COLUMN_ALTERNATES; name <= SM_COLUMN_EXTENSIONS; name++)
		columns->has_elements |= columns->column[name].index >= 0;
}

/* Get the value of a column, which a row can lack.  The slot is deformed. */
static bool
get_value(const TupleTableSlot *slot, const SmColumn *column, Datum *value)
{
	if (column->index < 0 || slot->tts_isnull[column->index])
		return false;
	*value = slot->tts_values[column->index];
	return true;
}

/* A value of a column of strings or an enum, as a text value. */
static Datum
as_text(SmColumn *column, Datum value)
{
	return column->is_text ? value : CStringGetTextDatum(OutputFunctionCall(&column->output, value));
}

static double
read_priority(Oid type, Datum value)
{
	switch (type)
	{
		case FLOAT8OID:
			return DatumGetFloat8(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return DatumGetInt64(value);
		default:
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
	}
}

/* Read the columns of extension elements.  A value that cannot be read is left out. */
static void
read_element_columns(const TupleTableSlot *slot, const SmColumns *columns, SmRow *row,
					 SmProblems *problems)
{
	const SmColumn *column = columns->column;
	Datum		value;

	get_value(slot, &column[SM_COLUMN_ALTERNATES], &row->alternates);
	get_value(slot, &column[SM_COLUMN_VIDEOS], &row->videos);
	get_value(slot, &column[SM_COLUMN_NEWS], &row->news);
	if (column[SM_COLUMN_IMAGES].type == JSONBOID)
		get_value(slot, &column[SM_COLUMN_IMAGES], &row->image_items);
	else if (get_value(slot, &column[SM_COLUMN_IMAGES], &value))
		row->nimages = read_array_column(value, &row->images, problems, SM_IMAGE_INVALID, "image");
	if (!get_value(slot, &column[SM_COLUMN_EXTENSIONS], &value))
		return;
	if (column[SM_COLUMN_EXTENSIONS].type == XMLARRAYOID)
		row->nextensions = read_array_column(value, &row->extensions, problems,
											 SM_EXTENSION_INVALID, "extension");
	else
	{
		row->extensions = palloc_object(SmSpan);
		sm_read_text(value, row->extensions, problems, SM_EXTENSION_INVALID, "extension");
		row->nextensions = row->extensions->s != NULL;
	}
}

/* A digest of a value of column "shown": of text in UTF-8, if it can be converted. */
static uint64
digest_shown(Datum value, SmColumn *column)
{
	struct varlena *bytes;
	SmSpan		span;

	bytes = PG_DETOAST_DATUM_PACKED(column->type == BYTEAOID ? value : as_text(column, value));
	if (column->type == BYTEAOID ||
		!sm_to_utf8(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), &span))
		span = sm_span(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	return sm_digest(span.s, span.len, 0);
}

/* Read the columns other than loc.  A value that cannot be read is left out. */
static void
read_optional_columns(const TupleTableSlot *slot, SmColumns *columns, SmRow *row,
					  SmProblems *problems)
{
	SmColumn   *lastmod = &columns->column[SM_COLUMN_LASTMOD];
	SmColumn   *changefreq = &columns->column[SM_COLUMN_CHANGEFREQ];
	SmColumn   *priority = &columns->column[SM_COLUMN_PRIORITY];
	SmColumn   *shown = &columns->column[SM_COLUMN_SHOWN];
	Datum		value;

	row->as_instant = shown->index >= 0;
	row->has_shown = get_value(slot, shown, &value);
	if (row->has_shown)
		row->shown = digest_shown(value, shown);
	if (get_value(slot, lastmod, &value) && !sm_read_date(value, lastmod->type, &row->lastmod))
		read_lastmod_text(as_text(lastmod, value), row, problems);
	if (get_value(slot, changefreq, &value))
		sm_read_text(as_text(changefreq, value), &row->changefreq, problems,
					 SM_CHANGEFREQ_INVALID, "changefreq");
	row->has_priority = get_value(slot, priority, &value);
	if (row->has_priority)
		row->priority = read_priority(priority->type, value);
	if (columns->has_elements)
		read_element_columns(slot, columns, row, problems);
}

bool
sm_read_slot(TupleTableSlot *slot, SmColumns *columns, SmRow *row, SmProblems *problems)
{
	SmColumn   *loc = &columns->column[SM_COLUMN_LOC];
	SmColumn   *url = &columns->column[SM_COLUMN_URL];
	bool		is_url = url->index >= 0;
	SmSpan		xml;
	Datum		value;

	slot_getallattrs(slot);
	problems->loc = sm_no_span();
	problems->key_type = get_value(slot, &columns->column[SM_COLUMN_KEY], &problems->key) ?
		&columns->key_type : NULL;
	if (!get_value(slot, is_url ? url : loc, &value))
		return sm_refuse(problems, SM_LOC_NULL, ERRCODE_NULL_VALUE_NOT_ALLOWED,
						 "Leave out rows without a page with WHERE ... IS NOT NULL.",
						 "%s is NULL", is_url ? "url" : "loc");
	if (is_url)
	{
		sm_read_text(value, &xml, problems, SM_URL_ELEMENT_INVALID, "url");
		return xml.s != NULL && sm_read_url(xml, row, problems);
	}

	memset(row, 0, sizeof(*row));
	if (!sm_read_text(as_text(loc, value), &row->loc, problems, SM_LOC_INVALID, "loc"))
		return false;
	problems->loc = row->loc;
	read_optional_columns(slot, columns, row, problems);
	return true;
}
