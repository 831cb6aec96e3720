/*
 * extension.c
 *	  Tools of the SQL functions that make elements of extensions: arguments, tags
 *	  and values.
 *
 * Each SQL function checks its arguments and writes tags in the order of the
 * published schema.  Tags use a namespace prefix that the document declares.  Rules
 * that concern the page of an element are checked in page.c.
 *
 * An argument that is NULL or blank counts as not given.  If all required
 * arguments are NULL, as after an outer join without a match, the element is NULL.
 */
#include "postgres.h"

#include "entry/extension.h"

#include "catalog/pg_type.h"
#include "core/text.h"
#include "core/xml.h"
#include "entry/row.h"
#include "entry/value.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

void
sm_ext_invalid(const char *name, SmSpan value, const char *rule)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid %s \"%s\": %s", name, sm_for_message(value), rule)));
}

void
sm_ext_missing(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("%s is required, and must not be null or blank", name)));
}

void
sm_ext_begin(SmExt *e, FunctionCallInfo fcinfo, const char *prefix)
{
	memset(e, 0, offsetof(SmExt, cache));
	e->cache.raw_len = 0;
	e->fcinfo = fcinfo;
	e->prefix = prefix;
	e->ascii = sm_ascii_only();
	initStringInfo(&e->buf);
	appendStringInfoSpaces(&e->buf, VARHDRSZ);
}

Datum
sm_ext_end(SmExt *e)
{
	SET_VARSIZE(e->buf.data, e->buf.len);
	return PointerGetDatum(e->buf.data);
}

void
sm_ext_begin_tag(SmExt *e, const char *tag)
{
	/* four appends take a fraction of the time that one with a format takes */
	appendStringInfoChar(&e->buf, '<');
	appendStringInfoString(&e->buf, e->prefix);
	appendStringInfoChar(&e->buf, ':');
	appendStringInfoString(&e->buf, tag);
}

void
sm_ext_open_tag(SmExt *e, const char *tag)
{
	sm_ext_begin_tag(e, tag);
	appendStringInfoChar(&e->buf, '>');
}

void
sm_ext_close_tag(SmExt *e, const char *tag)
{
	appendStringInfoString(&e->buf, "</");
	appendStringInfoString(&e->buf, e->prefix);
	appendStringInfoChar(&e->buf, ':');
	appendStringInfoString(&e->buf, tag);
	appendStringInfoChar(&e->buf, '>');
}

/* Raise an error for a value that no document can hold. */
static void
check_length(const char *name, SmSpan value)
{
	if (value.len > SM_MAX_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s is too long for a sitemap", name),
				 errdetail("It has %zu bytes.", value.len)));
}

void
sm_ext_append_text(SmExt *e, const char *name, SmSpan text)
{
	size_t		len;

	check_length(name, text);
	enlargeStringInfo(&e->buf, (int) SM_XML_ESCAPE_BOUND(text.len) + 1);
	len = sm_xml_escape(text.s, text.len, e->ascii, e->buf.data + e->buf.len);
	if (len == SM_XML_MALFORMED)
		ereport(ERROR,
				(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
				 errmsg("invalid %s: not valid UTF-8", name)));
	e->buf.len += len;
	e->buf.data[e->buf.len] = '\0';
}

void
sm_ext_append_url(SmExt *e, const char *name, SmSpan url)
{
	sm_append_url(&e->buf, url, &e->cache, &e->problems, name);
}

void
sm_ext_text_tag(SmExt *e, const char *tag, SmSpan text)
{
	sm_ext_open_tag(e, tag);
	sm_ext_append_text(e, tag, text);
	sm_ext_close_tag(e, tag);
}

void
sm_ext_url_tag(SmExt *e, const char *tag, SmSpan url)
{
	sm_ext_open_tag(e, tag);
	sm_ext_append_url(e, tag, url);
	sm_ext_close_tag(e, tag);
}

void
sm_ext_attribute(SmExt *e, const char *attribute, const char *name, SmSpan text)
{
	if (text.s == NULL)
		return;
	appendStringInfoChar(&e->buf, ' ');
	appendStringInfoString(&e->buf, attribute);
	appendStringInfoString(&e->buf, "=\"");
	sm_ext_append_text(e, name, text);
	appendStringInfoChar(&e->buf, '"');
}

SmSpan
sm_ext_trimmed(SmSpan value)
{
	value = sm_trim(value);
	if (value.len == 0)
		value.s = NULL;
	return value;
}

SmSpan
sm_ext_unless_blank(SmSpan value)
{
	SmSpan		rest = sm_ext_trimmed(value);
	const char *end = rest.s + rest.len;

	for (const char *s = rest.s; s < end;)
	{
		uint32_t	c;
		size_t		n = sm_utf8_decode(s, end, &c);

		/* sm_ext_append_text raises the error for malformed UTF-8 */
		if (n == 0 || (c > ' ' && sm_xml_legal(c)))
			return value;
		s += n;
	}
	return sm_no_span();
}

SmSpan
sm_ext_text(SmExt *e, int n, const char *name)
{
	FunctionCallInfo fcinfo = e->fcinfo;
	SmSpan		value = sm_no_span();

	if (!PG_ARGISNULL(n))
	{
		sm_read_text(PG_GETARG_DATUM(n), &value, &e->problems, SM_EXTENSION_INVALID, name);
		value = sm_ext_unless_blank(value);
	}
	return value;
}

SmSpan
sm_ext_required(SmExt *e, int n, const char *name)
{
	SmSpan		value = sm_ext_text(e, n, name);

	if (value.s == NULL)
		sm_ext_missing(name);
	return value;
}

SmTextArray
sm_ext_array(SmExt *e, int n, const char *name)
{
	FunctionCallInfo fcinfo = e->fcinfo;
	SmTextArray result = {0, NULL};
	ArrayType  *array;
	Datum	   *values;
	bool	   *nulls;
	Oid			type;
	int16		typlen;
	bool		typbyval;
	char		typalign;
	Oid			output;
	bool		is_varlena;

	if (PG_ARGISNULL(n))
		return result;
	array = PG_GETARG_ARRAYTYPE_P(n);
	type = ARR_ELEMTYPE(array);
	result.n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (result.n > SM_MAX_ITEMS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s is too long for a sitemap", name),
				 errdetail("It has %d elements.", result.n)));
	get_typlenbyvalalign(type, &typlen, &typbyval, &typalign);
	deconstruct_array(array, type, typlen, typbyval, typalign, &values, &nulls, &result.n);
	result.items = palloc0_array(SmSpan, result.n);
	getTypeOutputInfo(type, &output, &is_varlena);
	for (int i = 0; i < result.n; i++)
	{
		CHECK_FOR_INTERRUPTS();

		if (nulls[i])
			continue;
		if (type == TEXTOID)
			sm_read_text(values[i], &result.items[i], &e->problems, SM_EXTENSION_INVALID, name);
		else
			result.items[i] = sm_span_of(OidOutputFunctionCall(output, values[i]));
		result.items[i] = sm_ext_unless_blank(result.items[i]);
	}
	return result;
}

SmSpan
sm_ext_choose(const char *name, SmSpan value, const char *const *choices, const char *rule)
{
	SmSpan		given = value;

	if (value.s == NULL)
		return value;
	value = sm_ext_trimmed(value);
	for (; *choices; choices++)
		if (strlen(*choices) == value.len &&
			pg_strncasecmp(*choices, value.s, value.len) == 0)
			return sm_span_of(*choices);
	sm_ext_invalid(name, given, rule);
}

/* The type of an "any" argument, domains resolved. */
static Oid
argument_type(SmExt *e, int n, const char *name)
{
	Oid			type = get_fn_expr_argtype(e->fcinfo->flinfo, n);

	if (!OidIsValid(type))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("could not determine the type of %s", name)));
	return getBaseType(type);
}

pg_noreturn static void
wrong_type(const char *name, Oid type, const char *allowed)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("%s must be of type %s, not %s", name, allowed, format_type_be(type))));
}

static bool
is_text_type(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID || type == UNKNOWNOID;
}

/* A text or literal that was passed as "any". */
static SmSpan
any_text_argument(SmExt *e, int n, const char *name, Oid type)
{
	FunctionCallInfo fcinfo = e->fcinfo;
	SmSpan		value = sm_no_span();

	if (type != UNKNOWNOID)
		return sm_ext_text(e, n, name);
	if (!sm_to_utf8(PG_GETARG_CSTRING(n), strlen(PG_GETARG_CSTRING(n)), &value))
		ereport(ERROR,
				(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
				 errmsg("invalid %s: cannot be converted to UTF-8", name)));
	return sm_ext_unless_blank(value);
}

SmSpan
sm_ext_flag(SmExt *e, int n, const char *name)
{
	static const char *const choices[] = {"yes", "no", "true", "false", NULL};
	FunctionCallInfo fcinfo = e->fcinfo;
	SmSpan		value = sm_no_span();
	Oid			type;

	if (PG_ARGISNULL(n))
		return value;
	type = argument_type(e, n, name);
	if (type == BOOLOID)
		return sm_span_of(PG_GETARG_BOOL(n) ? "yes" : "no");
	if (!is_text_type(type))
		wrong_type(name, type, "boolean or text");
	value = sm_ext_choose(name, any_text_argument(e, n, name, type), choices,
						  "must be yes or no");
	if (value.s != NULL && (value.s[0] == 't' || value.s[0] == 'f'))
		value = sm_span_of(value.s[0] == 't' ? "yes" : "no");
	return value;
}

void
sm_ext_flag_tag(SmExt *e, int n, const char *tag)
{
	SmSpan		value = sm_ext_flag(e, n, tag);

	if (value.s != NULL)
		sm_ext_text_tag(e, tag, value);
}

void
sm_ext_date_tag(SmExt *e, int n, const char *tag)
{
	FunctionCallInfo fcinfo = e->fcinfo;
	SmLastmodType type = SM_LASTMOD_TEXT;
	int64		value = 0;
	SmSpan		given = sm_no_span();
	Oid			oid;
	int			start;
	bool		has_seconds;
	int64		seconds;

	if (PG_ARGISNULL(n))
		return;
	oid = argument_type(e, n, tag);
	if (oid == TIMESTAMPTZOID || oid == TIMESTAMPOID)
	{
		type = SM_LASTMOD_TIMESTAMP;
		value = PG_GETARG_TIMESTAMP(n);
	}
	else if (oid == DATEOID)
	{
		type = SM_LASTMOD_DATE;
		value = PG_GETARG_DATEADT(n);
	}
	else if (is_text_type(oid))
		given = any_text_argument(e, n, tag, oid);
	else
		wrong_type(tag, oid, "timestamptz, timestamp, date or text");

	start = e->buf.len;
	sm_ext_open_tag(e, tag);
	sm_append_date(&e->buf, type, value, given, &e->problems, tag, &has_seconds, &seconds);
	if (has_seconds)
		sm_ext_close_tag(e, tag);
	else
		e->buf.len = start;
}

bool
sm_ext_all_null(FunctionCallInfo fcinfo, int nrequired)
{
	for (int i = 0; i < nrequired; i++)
		if (!PG_ARGISNULL(i))
			return false;
	return true;
}
