/*
 * item.c
 *	  Checks the values of an item, and writes them, by the tables of item_types.c.
 *
 * A value that is NULL or blank is not given.  Two rules compare a video with its page:
 * neither of its URLs is the page's, and its uploader's URL is on the page's domain.
 */
#include "postgres.h"

#include "entry/item.h"

#include "entry/value.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "text/ascii.h"
#include "text/decimal.h"
#include "text/text.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "web/namespace.h"
#include "web/xml.h"

/* How a message calls a field: videos.title in a column, title in a function. */
static const char *
label(const SmEntryWriter *w, const SmField *field)
{
	return w->page ? field->path : field->name.s;
}

/* Report a value that violates a rule. */
static bool
refuse_value(SmEntryWriter *w, const SmField *field, SmSpan value, const char *rule)
{
	return sm_refuse(&w->problems, field->problem, ERRCODE_INVALID_PARAMETER_VALUE,
					 NULL, "invalid %s \"%s\": %s", label(w, field), sm_for_message(value), rule);
}

/* Report a number that is out of its range. */
static bool
refuse_number(SmEntryWriter *w, const SmField *field, const char *number)
{
	return sm_refuse(&w->problems, field->problem, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, NULL,
					 "invalid %s %s: %s", label(w, field), number, field->rule);
}

/* Find a value among choices; s is NULL if it is none of them. */
static SmSpan
find_choice(const char *const *choices, SmSpan value)
{
	for (; *choices; choices++)
		if (sm_equal_ignoring_case(sm_span_of(*choices), value))
			return sm_span_of(*choices);
	return sm_no_span();
}

static bool
append_text(SmEntryWriter *w, const SmField *field, SmSpan given)
{
	SmSpan		value = given;
	int64		count = 0;
	size_t		len;

	if (field->choices)
		value = find_choice(field->choices, sm_trim(given));
	else if (field->valid)
		value = field->valid(sm_trim(given)) ? sm_trim(given) : sm_no_span();
	if (value.s == NULL)
		return refuse_value(w, field, given, field->rule);
	if (value.len > SM_MAX_BYTES)
		return sm_refuse(&w->problems, field->problem, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
						 "%s is too long for a sitemap: %zu bytes", label(w, field), value.len);

	/* the first bytes of characters, but no characters that XML cannot carry */
	if (field->max > 0 && value.len > (size_t) field->max)
		for (size_t i = 0; i < value.len; i++)
			count += (value.s[i] & 0xC0) != 0x80 && sm_xml_legal((unsigned char) value.s[i]);
	if (count > field->max)
		return sm_refuse(&w->problems, field->problem, ERRCODE_STRING_DATA_RIGHT_TRUNCATION, NULL,
						 "invalid %s \"%s\": must have at most " INT64_FORMAT " characters, not " INT64_FORMAT,
						 label(w, field), sm_for_message(value), field->max, count);
	len = sm_xml_escape(value.s, value.len, SM_XML_VALUE,
						w->ascii ? SM_XML_AS_REFERENCES : SM_XML_AS_GIVEN,
						sm_reserve(w->buf, SM_XML_ESCAPE_BOUND(value.len)));
	if (len == SM_XML_MALFORMED)
		return sm_refuse(&w->problems, field->problem, ERRCODE_CHARACTER_NOT_IN_REPERTOIRE, NULL,
						 "invalid %s: not valid UTF-8", label(w, field));
	w->buf->len += len;
	return true;
}

/* Append a list, with words between blanks, or between commas with blanks around them. */
static bool
append_list(SmEntryWriter *w, const SmField *field, SmSpan list)
{
	const char *separator = *field->separators == ',' ? ", " : " ";
	const char *end;
	int64		n = 0;

	for (const char *s = pnstrdup(list.s, list.len); s; s = *end ? end + 1 : NULL)
	{
		SmSpan		word;

		CHECK_FOR_INTERRUPTS();
		end = s + strcspn(s, field->separators);
		word = sm_trim(sm_span(s, end - s));
		if (word.len == 0 && *separator == ' ')
			continue;
		if (n++ > 0)
			appendStringInfoString(w->buf, separator);
		if (field->choices)
			word = find_choice(field->choices, word);
		else if (!field->valid(word))
			word = sm_no_span();
		if (word.s == NULL || (field->max > 0 && n > field->max))
			return refuse_value(w, field, list, field->rule);
		sm_append(w->buf, word.s, word.len);
	}
	return n > 0 || refuse_value(w, field, list, field->rule);
}

/* Read a whole number, with zeros after its point or without a point. */
static bool
read_integer(SmSpan text, int64 *n)
{
	SmSpan		trimmed = sm_trim(text);
	char	   *string = pnstrdup(trimmed.s, trimmed.len);
	char	   *end;

	errno = 0;
	*n = strtoi64(string, &end, 10);
	if (end == string || errno == ERANGE || *string == '+')
		return false;
	if (*end == '.')
		end += 1 + strspn(end + 1, "0");
	return end == string + trimmed.len;
}

static bool
append_integer(SmEntryWriter *w, const SmField *field, const SmValue *value)
{
	char		digits[MAXINT8LEN + 1];
	int64		n;

	if (value->type == SM_VALUE_INTEGER)
		n = value->v.integer;
	else if (!read_integer(value->v.span, &n))
		return refuse_value(w, field, value->v.span, field->rule);
	pg_lltoa(n, digits);
	if (n < field->min || n > field->max)
		return refuse_number(w, field, digits);
	sm_append(w->buf, digits, strlen(digits));
	return true;
}

static bool
append_float(SmEntryWriter *w, const SmField *field, const SmValue *value)
{
	char		digits[SM_DECIMAL_MAX];
	double		number;

	if (value->type == SM_VALUE_FLOAT)
		number = value->v.number;
	else if (!sm_read_decimal(sm_trim(value->v.span), &number))
		return refuse_value(w, field, value->v.span, field->rule);

	/* this form also refuses NaN */
	if (!(number >= field->min && number <= field->max))
		return refuse_number(w, field, float8out_internal(number));
	sm_append(w->buf, digits, sm_decimal_format(number, digits));
	return true;
}

static bool
append_flag(SmEntryWriter *w, const SmField *field, const SmValue *value)
{
	static const char *const flags[] = {"yes", "no", "true", "false", NULL};
	SmSpan		flag = find_choice(flags, sm_trim(value->v.span));

	if (flag.s == NULL)
		return refuse_value(w, field, value->v.span, "must be yes or no");
	appendStringInfoString(w->buf, *flag.s == 'y' || *flag.s == 't' ? "yes" : "no");
	return true;
}

/*
 * Are two hosts the same, or is one a subdomain of the other?  A leading "www." is
 * ignored.  Two subdomains of one domain count as different: only a public list of
 * suffixes could tell whether they have one owner.
 */
static bool
same_domain(SmSpan a, SmSpan b)
{
	SmSpan		domain = sm_without_www(a);
	SmSpan		host = sm_without_www(b);
	size_t		rest;

	if (host.len < domain.len)
		return same_domain(b, a);
	rest = host.len - domain.len;
	return domain.len > 0 && pg_strncasecmp(host.s + rest, domain.s, domain.len) == 0 &&
		(rest == 0 || host.s[rest - 1] == '.');
}

/* Are two URLs the same, ignoring the case of scheme and host? */
static bool
same_url(SmSpan a, SmSpan b)
{
	SmSpan		host = sm_url_host(a);
	size_t		origin_len = host.s + host.len - a.s;

	return a.len == b.len && pg_strncasecmp(a.s, b.s, origin_len) == 0 &&
		memcmp(a.s + origin_len, b.s + origin_len, a.len - origin_len) == 0;
}

/* Append a URL, and check its rule for the page. */
static bool
append_url(SmEntryWriter *w, const SmField *field, SmSpan url)
{
	int			start = w->buf->len;
	SmSpan		written;
	SmSpan		page;

	if (!sm_append_url(w, url, field->problem, label(w, field)))
		return false;

	/* in sitemap_audit a page can lack its loc */
	if (w->page == NULL || w->page->loc_len == 0)
		return true;
	page = sm_span(w->buf->data + w->loc, w->page->loc_len);
	written = sm_span(w->buf->data + start, w->buf->len - start);
	if ((field->role == SM_ROLE_VIDEO || field->role == SM_ROLE_PLAYER) && same_url(written, page))
		return refuse_value(w, field, url, "must differ from the loc of the page");
	if (field->role == SM_ROLE_UPLOADER && !same_domain(sm_url_host(page), sm_url_host(written)))
		return refuse_value(w, field, url, "must be on the domain of the page");
	return true;
}

static bool
append_value(SmEntryWriter *w, const SmField *field, const SmValue *value)
{
	int			start = w->buf->len;
	bool		is_valid = false;
	int64		seconds;

	switch (field->type)
	{
		case SM_FIELD_TEXT:
			is_valid = append_text(w, field, value->v.span);
			break;
		case SM_FIELD_LIST:
			is_valid = append_list(w, field, value->v.span);
			break;
		case SM_FIELD_URL:
			is_valid = append_url(w, field, value->v.span);
			break;
		case SM_FIELD_DATE:
			is_valid = sm_append_date(w->buf, value, &w->problems, field->problem,
									  label(w, field), &seconds);
			break;
		case SM_FIELD_FLAG:
			is_valid = append_flag(w, field, value);
			break;
		case SM_FIELD_INT4:
		case SM_FIELD_INT8:
			is_valid = append_integer(w, field, value);
			break;
		case SM_FIELD_FLOAT8:
			is_valid = append_float(w, field, value);
			break;
	}
	if (is_valid)
		sm_call_back(w, field->role, start);
	return is_valid;
}

/* The i-th of the values of a field that is an array, else its value. */
static SmValue
value_at(const SmField *field, const SmValue *value, int i)
{
	SmValue		item = {.type = SM_VALUE_NONE};

	if (!field->is_array)
		return *value;
	if (i < value->n && value->v.items[i].s != NULL)
	{
		item.type = SM_VALUE_TEXT;
		item.v.span = value->v.items[i];
	}
	return item;
}

/*
 * Append a tag with its attributes.  n: number of fields, including the tag; i: number of
 * the value in fields that are arrays.
 */
static bool
append_tag(SmEntryWriter *w, const SmField *field, const SmValue *values, int n, int i)
{
	SmValue		tag = value_at(field, &values[0], i);
	const char *missing = NULL;

	if (tag.type != SM_VALUE_NONE)
		sm_append(w->buf, field->open.s, field->open.len);
	for (int k = 1; k < n; k++)
	{
		SmValue		attribute = value_at(&field[k], &values[k], i);

		if (attribute.type == SM_VALUE_NONE)
		{
			if (field[k].required)
				missing = field[k].required;
			continue;
		}
		if (tag.type == SM_VALUE_NONE)
			return sm_refuse(&w->problems, field->problem, ERRCODE_INVALID_PARAMETER_VALUE, NULL,
							 "%s is given without %s", label(w, &field[k]), label(w, field));
		sm_append(w->buf, field[k].open.s, field[k].open.len);
		if (!append_value(w, &field[k], &attribute))
			return false;
		sm_append(w->buf, field[k].close.s, field[k].close.len);
	}
	if (tag.type == SM_VALUE_NONE)
		return true;
	sm_append(w->buf, SM_LITERAL(">"));
	if (!append_value(w, field, &tag))
		return false;
	if (missing)
		return sm_refuse(&w->problems, field->problem, ERRCODE_NULL_VALUE_NOT_ALLOWED, NULL,
						 "%s \"%s\" needs %s", label(w, field), sm_for_message(tag.v.span), missing);
	sm_append(w->buf, field->close.s, field->close.len);
	return true;
}

/* Append a tag for each value of an array. */
static bool
append_tags(SmEntryWriter *w, const SmField *field, const SmValue *values, int n)
{
	int			ntags = 0;

	for (int k = 1; k < n; k++)
		if (values[k].n > 0 && values[k].n != values[0].n)
			return sm_refuse(&w->problems, field->problem, ERRCODE_ARRAY_SUBSCRIPT_ERROR, NULL,
							 "%s and %s must have the same number of elements, not %d and %d",
							 label(w, field), label(w, &field[k]), values[0].n, values[k].n);

	for (int i = 0; i < values[0].n; i++)
	{
		SmSpan		string = values[0].v.items[i];

		CHECK_FOR_INTERRUPTS();

		if (string.s != NULL && field->max_tags > 0 && ++ntags > field->max_tags)
			return sm_refuse(&w->problems, field->problem, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
							 "invalid %s \"%s\": %s", label(w, field), sm_for_message(string), field->rule);
		if (!append_tag(w, field, values, n, i))
			return false;
	}
	return true;
}

/* Are all required values of an item given? */
static bool
check_required(SmEntryWriter *w, const SmItemType *type, const SmValue *values)
{
	const SmField *const *either = type->either;

	for (int i = 0; i < type->nfields; i++)
	{
		const SmField *field = &type->fields[i];

		if (field->required && !field->is_attribute && values[i].type == SM_VALUE_NONE)
			return sm_refuse(&w->problems, type->problem, ERRCODE_NULL_VALUE_NOT_ALLOWED, NULL,
							 "%s is required, and must not be null or blank", label(w, field));
	}
	if (either[0] && values[either[0] - type->fields].type == SM_VALUE_NONE &&
		values[either[1] - type->fields].type == SM_VALUE_NONE)
		return sm_refuse(&w->problems, type->problem, ERRCODE_NULL_VALUE_NOT_ALLOWED, NULL,
						 "a %s needs %s or %s", type->name, label(w, either[0]), label(w, either[1]));
	return true;
}

static bool
append_fields(SmEntryWriter *w, const SmItemType *type, const SmValue *values)
{
	const SmField *fields = type->fields;
	int			n;

	for (int i = 0; i < type->nfields; i += n)
	{
		bool		any = values[i].type != SM_VALUE_NONE;

		for (n = 1; i + n < type->nfields && fields[i + n].is_attribute; n++)
			any |= values[i + n].type != SM_VALUE_NONE;
		if (any && !(fields[i].is_array ? append_tags(w, &fields[i], &values[i], n) :
					 append_tag(w, &fields[i], &values[i], n, 0)))
			return false;
	}
	return true;
}

bool
sm_append_item(SmEntryWriter *w, const SmItemType *type, const SmValue *values)
{
	int			start = w->buf->len;

	sm_append(w->buf, type->open.s, type->open.len);
	if (!check_required(w, type, values) || !append_fields(w, type, values) ||
		(w->page && !sm_count_element(w, type->ns, type->problem)))
	{
		w->buf->len = start;
		return false;
	}
	sm_append(w->buf, type->close.s, type->close.len);
	if (w->page)
		w->page->namespaces |= type->ns;
	return true;
}

bool
sm_append_image(SmEntryWriter *w, SmSpan loc)
{
	int			start = w->buf->len;
	int			url;

	sm_append(w->buf, SM_LITERAL("<image:image><image:loc>"));
	url = w->buf->len;
	if (!sm_append_url(w, loc, SM_IMAGE_INVALID, "image") ||
		!sm_count_element(w, SM_NS_IMAGE, SM_IMAGE_INVALID))
	{
		w->buf->len = start;
		return false;
	}
	w->page->namespaces |= SM_NS_IMAGE;
	sm_call_back(w, SM_ROLE_IMAGE, url);
	sm_append(w->buf, SM_LITERAL("</image:loc></image:image>"));
	return true;
}
