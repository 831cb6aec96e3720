/*
 * extension.c
 *	  Extension elements: image, video, news, and alternates in other languages.
 *
 * Each SQL function checks its arguments and writes one element in the order
 * of the published schema.  The element has a prefix that it does not declare;
 * a document that it goes into does.  Rules that concern the page that an
 * element belongs to are checked where they meet, in fragment.c.
 *
 * An argument that is NULL or blank is not there: nothing is invented.  An
 * outer join without a partner makes all required arguments NULL; then the
 * element is NULL itself.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "core/decimal.h"
#include "core/iso.h"
#include "core/text.h"
#include "core/url.h"
#include "core/xml.h"
#include "element.h"
#include "encoding.h"
#include "fmgr.h"
#include "row.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/xml.h"

PG_FUNCTION_INFO_V1(sitemap_image);
PG_FUNCTION_INFO_V1(sitemap_video);
PG_FUNCTION_INFO_V1(sitemap_news_timestamp);
PG_FUNCTION_INFO_V1(sitemap_news_date);
PG_FUNCTION_INFO_V1(sitemap_news_text);
PG_FUNCTION_INFO_V1(sitemap_alternate);
PG_FUNCTION_INFO_V1(sitemap_alternates);

/* The element being written, and where its arguments come from. */
typedef struct Element
{
	FunctionCallInfo fcinfo;
	const char *prefix;
	bool		ascii;
	SmProblems	problems;		/* always raised */
	SmUrlCache	cache;
	StringInfoData buf;			/* begins with room for a varlena header */
} Element;

/* The elements of an array argument, as UTF-8; s is NULL for NULL or blank. */
typedef struct TextArray
{
	int			n;
	SmSpan	   *items;
} TextArray;

/* An argument that violates a rule: its name, its value, and the rule. */
pg_noreturn static void
invalid_argument(const char *name, SmSpan value, const char *rule)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid %s \"%s\": %s", name, sm_for_message(value), rule)));
}

pg_noreturn static void
missing_argument(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("%s is required, and must not be null or blank", name)));
}

static void
begin(Element *e, FunctionCallInfo fcinfo, const char *prefix)
{
	memset(e, 0, sizeof(*e));
	e->fcinfo = fcinfo;
	e->prefix = prefix;
	e->ascii = sm_ascii_only();
	initStringInfo(&e->buf);
	appendStringInfoSpaces(&e->buf, VARHDRSZ);
}

static xmltype *
element_xml(Element *e)
{
	SET_VARSIZE(e->buf.data, e->buf.len);
	return (xmltype *) e->buf.data;
}

/* Begin a tag that is left open for attributes; ">" ends it. */
static void
begin_tag(Element *e, const char *tag)
{
	/* four appends take a fraction of the time of one with a format */
	appendStringInfoChar(&e->buf, '<');
	appendStringInfoString(&e->buf, e->prefix);
	appendStringInfoChar(&e->buf, ':');
	appendStringInfoString(&e->buf, tag);
}

static void
open_tag(Element *e, const char *tag)
{
	begin_tag(e, tag);
	appendStringInfoChar(&e->buf, '>');
}

static void
close_tag(Element *e, const char *tag)
{
	appendStringInfoString(&e->buf, "</");
	appendStringInfoString(&e->buf, e->prefix);
	appendStringInfoChar(&e->buf, ':');
	appendStringInfoString(&e->buf, tag);
	appendStringInfoChar(&e->buf, '>');
}

/* More than a document can hold is an error before it is multiplied. */
static void
check_length(const char *name, SmSpan value)
{
	if (value.len > SM_MAX_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s is too long for a sitemap", name),
				 errdetail("It has %zu bytes.", value.len)));
}

static void
append_text(Element *e, const char *name, SmSpan text)
{
	size_t		len;

	check_length(name, text);
	enlargeStringInfo(&e->buf, (int) SM_XML_ESCAPE_BOUND(text.len) + 1);
	len = sm_xml_escape(text.s, text.len, e->ascii, e->buf.data + e->buf.len);
	if (len == SM_XML_MALFORMED)
		ereport(ERROR,
				(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
				 errmsg("invalid %s: it is not valid UTF-8", name)));
	e->buf.len += len;
	e->buf.data[e->buf.len] = '\0';
}

static void
append_url(Element *e, const char *name, SmSpan url)
{
	SmUrlStatus status;
	size_t		len;

	check_length(name, url);
	enlargeStringInfo(&e->buf,
					  (int) sm_url_bound(url.len, NULL, SM_URL_UNLIMITED) + 1);
	status = sm_url_encode(url.s, url.len, NULL, &e->cache, SM_FORM_XML,
						   SM_URL_UNLIMITED, e->buf.data + e->buf.len, &len);
	if (status != SM_URL_OK)
		sm_url_problem(&e->problems, SM_EXTENSION_INVALID,
					   psprintf("%s \"%s\"", name, sm_for_message(url)), status);
	e->buf.len += len;
	e->buf.data[e->buf.len] = '\0';
}

static void
text_tag(Element *e, const char *tag, SmSpan text)
{
	open_tag(e, tag);
	append_text(e, tag, text);
	close_tag(e, tag);
}

static void
url_tag(Element *e, const char *tag, SmSpan url)
{
	open_tag(e, tag);
	append_url(e, tag, url);
	close_tag(e, tag);
}

static void
text_attribute(Element *e, const char *attribute, const char *name, SmSpan text)
{
	if (text.s == NULL)
		return;
	appendStringInfoChar(&e->buf, ' ');
	appendStringInfoString(&e->buf, attribute);
	appendStringInfoString(&e->buf, "=\"");
	append_text(e, name, text);
	appendStringInfoChar(&e->buf, '"');
}

static SmSpan
string_span(const char *s)
{
	return sm_span(s, strlen(s));
}

/* A value without the blanks around it; s is NULL if nothing is left. */
static SmSpan
trimmed(SmSpan value)
{
	value = sm_trim(value);
	if (value.len == 0)
		value.s = NULL;
	return value;
}

/*
 * A value as it is; s is NULL if it is blank, or will be, once the characters
 * that XML cannot carry are dropped.
 */
static SmSpan
unless_blank(SmSpan value)
{
	SmSpan		rest = trimmed(value);
	const char *end = rest.s + rest.len;

	for (const char *s = rest.s; s < end;)
	{
		uint32_t	c;
		size_t		n = sm_utf8_decode(s, end, &c);

		/* append_text finds what is not UTF-8 */
		if (n == 0 || (c > ' ' && sm_xml_legal(c)))
			return value;
		s += n;
	}
	return sm_no_span();
}

/* A text argument; s is NULL if it is NULL or blank. */
static SmSpan
text_argument(Element *e, int n, const char *name)
{
	FunctionCallInfo fcinfo = e->fcinfo;
	SmSpan		value = sm_no_span();

	if (!PG_ARGISNULL(n))
	{
		sm_read_text(PG_GETARG_DATUM(n), &value, &e->problems, SM_EXTENSION_INVALID, name);
		value = unless_blank(value);
	}
	return value;
}

static SmSpan
required_argument(Element *e, int n, const char *name)
{
	SmSpan		value = text_argument(e, n, name);

	if (value.s == NULL)
		missing_argument(name);
	return value;
}

static TextArray
array_argument(Element *e, int n, const char *name)
{
	FunctionCallInfo fcinfo = e->fcinfo;
	TextArray	result = {0, NULL};
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
	get_typlenbyvalalign(type, &typlen, &typbyval, &typalign);
	deconstruct_array(array, type, typlen, typbyval, typalign, &values, &nulls, &result.n);
	result.items = palloc0_array(SmSpan, result.n);
	getTypeOutputInfo(type, &output, &is_varlena);
	for (int i = 0; i < result.n; i++)
	{
		if (nulls[i])
			continue;
		if (type == TEXTOID)
			sm_read_text(values[i], &result.items[i], &e->problems, SM_EXTENSION_INVALID, name);
		else
			result.items[i] = string_span(OidOutputFunctionCall(output, values[i]));
		result.items[i] = unless_blank(result.items[i]);
	}
	return result;
}

/* The i-th value of an attribute, whose array runs beside that of its element. */
static SmSpan
attribute_at(const TextArray *attribute, int i)
{
	return attribute->n == 0 ? sm_no_span() : attribute->items[i];
}

static void
check_parallel(const TextArray *element, const char *name,
			   const TextArray *attribute, const char *attribute_name)
{
	if (attribute->n != 0 && attribute->n != element->n)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("%s and %s must have the same number of elements",
						name, attribute_name),
				 errdetail("They have %d and %d.", element->n, attribute->n)));
}

/* An attribute that is given needs the element that it belongs to. */
static void
check_owner(SmSpan attribute, const char *attribute_name, bool has_owner, const char *name)
{
	if (attribute.s != NULL && !has_owner)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s is given without %s", attribute_name, name)));
}

/* Count characters, those aside that XML cannot carry, and refuse too many. */
static void
check_characters(const char *name, SmSpan value, size_t max)
{
	size_t		count = 0;
	const char *end = value.s + value.len;

	for (const char *s = value.s; s < end;)
	{
		uint32_t	c;
		size_t		n = sm_utf8_decode(s, end, &c);

		if (n == 0)
			break;				/* append_text says so */
		count += sm_xml_legal(c);
		s += n;
	}
	if (count > max)
		ereport(ERROR,
				(errcode(ERRCODE_STRING_DATA_RIGHT_TRUNCATION),
				 errmsg("invalid %s \"%s\": it must have at most %zu characters",
						name, sm_for_message(value), max),
				 errdetail("It has %zu.", count)));
}

/* Find value among the NULL-terminated choices, ignoring case. */
static SmSpan
choose(const char *name, SmSpan value, const char *const *choices, const char *rule)
{
	SmSpan		given = value;

	if (value.s == NULL)
		return value;
	value = trimmed(value);
	for (; *choices; choices++)
		if (strlen(*choices) == value.len &&
			pg_strncasecmp(*choices, value.s, value.len) == 0)
			return string_span(*choices);
	invalid_argument(name, given, rule);
}

/* The type of an "any" argument, domains resolved. */
static Oid
argument_type(Element *e, int n, const char *name)
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

/* A text or literal that was passed as "any". */
static SmSpan
any_text_argument(Element *e, int n, const char *name, Oid type)
{
	FunctionCallInfo fcinfo = e->fcinfo;
	SmSpan		value = sm_no_span();

	if (type != UNKNOWNOID)
		return text_argument(e, n, name);
	if (!sm_to_utf8(PG_GETARG_CSTRING(n), strlen(PG_GETARG_CSTRING(n)), &value))
		ereport(ERROR,
				(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
				 errmsg("invalid %s: it cannot be converted to UTF-8", name)));
	return unless_blank(value);
}

static bool
is_text_type(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID || type == UNKNOWNOID;
}

/* A boolean, or a text that says yes or no; s is NULL if it is not given. */
static SmSpan
flag_argument(Element *e, int n, const char *name)
{
	static const char *const choices[] = {"yes", "no", "true", "false", NULL};
	FunctionCallInfo fcinfo = e->fcinfo;
	SmSpan		value = sm_no_span();
	Oid			type;

	if (PG_ARGISNULL(n))
		return value;
	type = argument_type(e, n, name);
	if (type == BOOLOID)
		return string_span(PG_GETARG_BOOL(n) ? "yes" : "no");
	if (!is_text_type(type))
		wrong_type(name, type, "boolean or text");
	value = choose(name, any_text_argument(e, n, name, type), choices,
				   "it must be yes or no");
	if (value.s != NULL && (value.s[0] == 't' || value.s[0] == 'f'))
		value = string_span(value.s[0] == 't' ? "yes" : "no");
	return value;
}

static void
flag_tag(Element *e, int n, const char *tag)
{
	SmSpan		value = flag_argument(e, n, tag);

	if (value.s != NULL)
		text_tag(e, tag, value);
}

/* An optional date of any of the types that lastmod may have. */
static void
date_tag(Element *e, int n, const char *tag)
{
	FunctionCallInfo fcinfo = e->fcinfo;
	SmLastmodType type = SM_LASTMOD_TEXT;
	int64		value = 0;
	SmSpan text = sm_no_span();
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
		text = any_text_argument(e, n, tag, oid);

	else
		wrong_type(tag, oid, "timestamptz, timestamp, date or text");

	start = e->buf.len;
	open_tag(e, tag);
	sm_append_date(&e->buf, type, value, text, &e->problems, tag, &has_seconds, &seconds);
	if (has_seconds)
		close_tag(e, tag);
	else
		e->buf.len = start;
}

/* Are all the required arguments NULL, so that there is no element at all? */
static bool
all_null(FunctionCallInfo fcinfo, int nrequired)
{
	for (int i = 0; i < nrequired; i++)
		if (!PG_ARGISNULL(i))
			return false;
	return true;
}

Datum
sitemap_image(PG_FUNCTION_ARGS)
{
	static const char *const tags[] = {"caption", "geo_location", "title"};
	Element		e;
	SmSpan		license;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();

	begin(&e, fcinfo, "image");
	open_tag(&e, "image");
	url_tag(&e, "loc", required_argument(&e, 0, "loc"));
	for (size_t i = 0; i < lengthof(tags); i++)
	{
		SmSpan		value = text_argument(&e, i + 1, tags[i]);

		if (value.s != NULL)
			text_tag(&e, tags[i], value);
	}
	license = text_argument(&e, 4, "license");
	if (license.s != NULL)
		url_tag(&e, "license", license);
	close_tag(&e, "image");
	PG_RETURN_XML_P(element_xml(&e));
}

/* The arguments of sitemap_video: elements first, then their attributes. */
enum
{
	VIDEO_THUMBNAIL_LOC,
	VIDEO_TITLE,
	VIDEO_DESCRIPTION,
	VIDEO_CONTENT_LOC,
	VIDEO_PLAYER_LOC,
	VIDEO_DURATION,
	VIDEO_EXPIRATION_DATE,
	VIDEO_RATING,
	VIDEO_CONTENT_SEGMENT_LOC,
	VIDEO_VIEW_COUNT,
	VIDEO_PUBLICATION_DATE,
	VIDEO_TAG,
	VIDEO_CATEGORY,
	VIDEO_FAMILY_FRIENDLY,
	VIDEO_RESTRICTION,
	VIDEO_GALLERY_LOC,
	VIDEO_PRICE,
	VIDEO_REQUIRES_SUBSCRIPTION,
	VIDEO_UPLOADER,
	VIDEO_PLATFORM,
	VIDEO_LIVE,
	VIDEO_ID,
	VIDEO_PLAYER_LOC_ALLOW_EMBED,
	VIDEO_PLAYER_LOC_AUTOPLAY,
	VIDEO_CONTENT_SEGMENT_LOC_DURATION,
	VIDEO_RESTRICTION_RELATIONSHIP,
	VIDEO_GALLERY_LOC_TITLE,
	VIDEO_PRICE_CURRENCY,
	VIDEO_PRICE_TYPE,
	VIDEO_PRICE_RESOLUTION,
	VIDEO_UPLOADER_INFO,
	VIDEO_PLATFORM_RELATIONSHIP,
	VIDEO_ID_TYPE
};

#define VIDEO_MAX_TITLE			100
#define VIDEO_MAX_DESCRIPTION	2048
#define VIDEO_MAX_CATEGORY		256
#define VIDEO_MAX_UPLOADER		255
#define VIDEO_MAX_TAGS			32
#define VIDEO_MAX_DURATION		28800

#define DURATION_RULE	"it must be from 1 to 28800 seconds"

static void
check_duration(const char *name, int duration)
{
	if (duration < 1 || duration > VIDEO_MAX_DURATION)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("invalid %s %d: %s", name, duration, DURATION_RULE)));
}

static void
video_player_loc(Element *e)
{
	SmSpan		player_loc = text_argument(e, VIDEO_PLAYER_LOC, "player_loc");
	SmSpan		allow_embed = flag_argument(e, VIDEO_PLAYER_LOC_ALLOW_EMBED,
											"player_loc_allow_embed");
	SmSpan		autoplay = text_argument(e, VIDEO_PLAYER_LOC_AUTOPLAY,
										 "player_loc_autoplay");

	check_owner(allow_embed, "player_loc_allow_embed", player_loc.s != NULL, "player_loc");
	check_owner(autoplay, "player_loc_autoplay", player_loc.s != NULL, "player_loc");
	if (player_loc.s == NULL)
		return;
	begin_tag(e, "player_loc");
	text_attribute(e, "allow_embed", "player_loc_allow_embed", allow_embed);
	text_attribute(e, "autoplay", "player_loc_autoplay", autoplay);
	appendStringInfoChar(&e->buf, '>');
	append_url(e, "player_loc", player_loc);
	close_tag(e, "player_loc");
}

static void
video_content_segments(Element *e)
{
	TextArray	locs = array_argument(e, VIDEO_CONTENT_SEGMENT_LOC, "content_segment_loc");
	TextArray	durations = array_argument(e, VIDEO_CONTENT_SEGMENT_LOC_DURATION,
										   "content_segment_loc_duration");

	check_parallel(&locs, "content_segment_loc", &durations, "content_segment_loc_duration");
	for (int i = 0; i < locs.n; i++)
	{
		SmSpan		duration = attribute_at(&durations, i);

		check_owner(duration, "content_segment_loc_duration", locs.items[i].s != NULL,
					"content_segment_loc");
		if (locs.items[i].s == NULL)
			continue;
		if (duration.s != NULL)
			check_duration("content_segment_loc_duration", atoi(duration.s));
		begin_tag(e, "content_segment_loc");
		text_attribute(e, "duration", "content_segment_loc_duration", duration);
		appendStringInfoChar(&e->buf, '>');
		append_url(e, "content_segment_loc", locs.items[i]);
		close_tag(e, "content_segment_loc");
	}
}

static void
video_tags(Element *e)
{
	TextArray	tags = array_argument(e, VIDEO_TAG, "tag");
	int			n = 0;

	for (int i = 0; i < tags.n; i++)
	{
		if (tags.items[i].s == NULL)
			continue;
		if (++n > VIDEO_MAX_TAGS)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("invalid tag \"%s\": a video can have at most %d tags",
							sm_for_message(tags.items[i]), VIDEO_MAX_TAGS)));
		text_tag(e, "tag", tags.items[i]);
	}
}

/*
 * A list of words with single blanks between them.  valid says whether one is
 * allowed.
 */
static SmSpan
word_list(const char *name, SmSpan list, bool (*valid) (const char *word, size_t len),
		  const char *rule)
{
	StringInfoData words;
	SmSpan		rest = list;

	initStringInfo(&words);
	while ((rest = trimmed(rest)).s != NULL)
	{
		size_t		len = 0;

		while (len < rest.len && (unsigned char) rest.s[len] > ' ')
			len++;
		if (!valid(rest.s, len))
			invalid_argument(name, list, rule);
		appendStringInfo(&words, "%s%.*s", words.len > 0 ? " " : "", (int) len, rest.s);
		rest.s += len;
		rest.len -= len;
	}
	return sm_span(words.data, words.len);
}

static bool
valid_country(const char *word, size_t len)
{
	return sm_iso_country(word, len) &&
		word[0] >= 'A' && word[0] <= 'Z' && word[1] >= 'A' && word[1] <= 'Z';
}

static bool
valid_platform(const char *word, size_t len)
{
	return (len == 3 && memcmp(word, "web", 3) == 0) ||
		(len == 6 && memcmp(word, "mobile", 6) == 0) ||
		(len == 2 && memcmp(word, "tv", 2) == 0);
}

/* A list that is either allowed or denied: countries or platforms. */
static void
video_relationship(Element *e, const char *tag, int n, int relationship_n,
				   bool (*valid) (const char *word, size_t len), const char *rule)
{
	static const char *const choices[] = {"allow", "deny", NULL};
	char	   *name = psprintf("%s_relationship", tag);
	SmSpan		list = text_argument(e, n, tag);
	SmSpan		relationship = choose(name, text_argument(e, relationship_n, name),
									  choices, "it must be allow or deny");

	check_owner(relationship, name, list.s != NULL, tag);
	if (list.s == NULL)
		return;
	if (relationship.s == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s \"%s\" needs %s: allow or deny", tag, sm_for_message(list), name)));
	begin_tag(e, tag);
	text_attribute(e, "relationship", name, relationship);
	appendStringInfoChar(&e->buf, '>');
	append_text(e, tag, word_list(tag, list, valid, rule));
	close_tag(e, tag);
}

static void
video_gallery_loc(Element *e)
{
	SmSpan		loc = text_argument(e, VIDEO_GALLERY_LOC, "gallery_loc");
	SmSpan		title = text_argument(e, VIDEO_GALLERY_LOC_TITLE, "gallery_loc_title");

	check_owner(title, "gallery_loc_title", loc.s != NULL, "gallery_loc");
	if (loc.s == NULL)
		return;
	begin_tag(e, "gallery_loc");
	text_attribute(e, "title", "gallery_loc_title", title);
	appendStringInfoChar(&e->buf, '>');
	append_url(e, "gallery_loc", loc);
	close_tag(e, "gallery_loc");
}

static bool
is_currency(SmSpan value)
{
	if (value.len != 3)
		return false;
	for (int i = 0; i < 3; i++)
		if (value.s[i] < 'A' || value.s[i] > 'Z')
			return false;
	return true;
}

static void
video_prices(Element *e)
{
	static const char *const types[] = {"purchase", "rent", NULL};
	static const char *const resolutions[] = {"SD", "HD", NULL};
	TextArray	prices = array_argument(e, VIDEO_PRICE, "price");
	TextArray	currencies = array_argument(e, VIDEO_PRICE_CURRENCY, "price_currency");
	TextArray	price_types = array_argument(e, VIDEO_PRICE_TYPE, "price_type");
	TextArray	price_resolutions = array_argument(e, VIDEO_PRICE_RESOLUTION, "price_resolution");

	check_parallel(&prices, "price", &currencies, "price_currency");
	check_parallel(&prices, "price", &price_types, "price_type");
	check_parallel(&prices, "price", &price_resolutions, "price_resolution");
	for (int i = 0; i < prices.n; i++)
	{
		SmSpan		price = prices.items[i];
		SmSpan		currency = attribute_at(&currencies, i);
		SmSpan		type = choose("price_type", attribute_at(&price_types, i), types,
								  "it must be purchase or rent");
		SmSpan		resolution = choose("price_resolution", attribute_at(&price_resolutions, i),
										resolutions, "it must be SD or HD");

		check_owner(currency, "price_currency", price.s != NULL, "price");
		check_owner(type, "price_type", price.s != NULL, "price");
		check_owner(resolution, "price_resolution", price.s != NULL, "price");
		if (price.s == NULL)
			continue;

		/* a numeric's text is digits and a point, or "-5", "NaN", "Infinity" */
		if (price.s[0] < '0' || price.s[0] > '9')
			invalid_argument("price", price, "it must be a number from 0 on");
		if (currency.s == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("price \"%s\" needs price_currency", sm_for_message(price))));
		if (!is_currency(currency))
			invalid_argument("price_currency", currency, "it must be an ISO 4217 code, three capital letters");

		begin_tag(e, "price");
		text_attribute(e, "currency", "price_currency", currency);
		text_attribute(e, "type", "price_type", type);
		text_attribute(e, "resolution", "price_resolution", resolution);
		appendStringInfoChar(&e->buf, '>');
		append_text(e, "price", price);
		close_tag(e, "price");
	}
}

static void
video_uploader(Element *e)
{
	SmSpan		uploader = text_argument(e, VIDEO_UPLOADER, "uploader");
	SmSpan		info = text_argument(e, VIDEO_UPLOADER_INFO, "uploader_info");

	check_owner(info, "uploader_info", uploader.s != NULL, "uploader");
	if (uploader.s == NULL)
		return;
	check_characters("uploader", uploader, VIDEO_MAX_UPLOADER);
	begin_tag(e, "uploader");
	if (info.s != NULL)
	{
		appendStringInfoString(&e->buf, " info=\"");
		append_url(e, "uploader_info", info);
		appendStringInfoChar(&e->buf, '"');
	}
	appendStringInfoChar(&e->buf, '>');
	append_text(e, "uploader", uploader);
	close_tag(e, "uploader");
}

static void
video_ids(Element *e)
{
	static const char *const choices[] = {
		"tms:series", "tms:program", "rovi:series", "rovi:program", "freebase", "url", NULL
	};
	TextArray	ids = array_argument(e, VIDEO_ID, "id");
	TextArray	types = array_argument(e, VIDEO_ID_TYPE, "id_type");

	check_parallel(&ids, "id", &types, "id_type");
	for (int i = 0; i < ids.n; i++)
	{
		SmSpan		type = choose("id_type", attribute_at(&types, i), choices,
								  "it must be tms:series, tms:program, rovi:series, rovi:program, freebase or url");

		check_owner(type, "id_type", ids.items[i].s != NULL, "id");
		if (ids.items[i].s == NULL)
			continue;
		if (type.s == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("id \"%s\" needs id_type", sm_for_message(ids.items[i]))));
		begin_tag(e, "id");
		text_attribute(e, "type", "id_type", type);
		appendStringInfoChar(&e->buf, '>');
		append_text(e, "id", ids.items[i]);
		close_tag(e, "id");
	}
}

Datum
sitemap_video(PG_FUNCTION_ARGS)
{
	Element		e;
	SmSpan		thumbnail_loc;
	SmSpan		title;
	SmSpan		description;
	SmSpan		content_loc;
	SmSpan		category;

	if (all_null(fcinfo, VIDEO_DESCRIPTION + 1))
		PG_RETURN_NULL();

	begin(&e, fcinfo, "video");
	thumbnail_loc = required_argument(&e, VIDEO_THUMBNAIL_LOC, "thumbnail_loc");
	title = required_argument(&e, VIDEO_TITLE, "title");
	check_characters("title", title, VIDEO_MAX_TITLE);
	description = required_argument(&e, VIDEO_DESCRIPTION, "description");
	check_characters("description", description, VIDEO_MAX_DESCRIPTION);
	content_loc = text_argument(&e, VIDEO_CONTENT_LOC, "content_loc");
	if (content_loc.s == NULL && text_argument(&e, VIDEO_PLAYER_LOC, "player_loc").s == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("a video needs content_loc or player_loc")));

	open_tag(&e, "video");
	url_tag(&e, "thumbnail_loc", thumbnail_loc);
	text_tag(&e, "title", title);
	text_tag(&e, "description", description);
	if (content_loc.s != NULL)
		url_tag(&e, "content_loc", content_loc);
	video_player_loc(&e);
	if (!PG_ARGISNULL(VIDEO_DURATION))
	{
		check_duration("duration", PG_GETARG_INT32(VIDEO_DURATION));
		appendStringInfo(&e.buf, "<video:duration>%d</video:duration>",
						 PG_GETARG_INT32(VIDEO_DURATION));
	}
	date_tag(&e, VIDEO_EXPIRATION_DATE, "expiration_date");
	if (!PG_ARGISNULL(VIDEO_RATING))
	{
		double		rating = PG_GETARG_FLOAT8(VIDEO_RATING);
		char		digits[SM_DECIMAL_MAX];

		/* this is false for NaN, too */
		if (!(rating >= 0.0 && rating <= 5.0))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("invalid rating %s: it must be from 0.0 to 5.0",
							float8out_internal(rating))));
		text_tag(&e, "rating", sm_span(digits, sm_decimal_format(rating, digits)));
	}
	video_content_segments(&e);
	if (!PG_ARGISNULL(VIDEO_VIEW_COUNT))
	{
		int64		view_count = PG_GETARG_INT64(VIDEO_VIEW_COUNT);

		if (view_count < 0)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("invalid view_count " INT64_FORMAT ": it must not be negative",
							view_count)));
		appendStringInfo(&e.buf, "<video:view_count>" INT64_FORMAT "</video:view_count>",
						 view_count);
	}
	date_tag(&e, VIDEO_PUBLICATION_DATE, "publication_date");
	video_tags(&e);
	category = text_argument(&e, VIDEO_CATEGORY, "category");
	if (category.s != NULL)
	{
		check_characters("category", category, VIDEO_MAX_CATEGORY);
		text_tag(&e, "category", category);
	}
	flag_tag(&e, VIDEO_FAMILY_FRIENDLY, "family_friendly");
	video_relationship(&e, "restriction", VIDEO_RESTRICTION, VIDEO_RESTRICTION_RELATIONSHIP,
					   valid_country,
					   "it must be ISO 3166 country codes, two capital letters each, with blanks between them");
	video_gallery_loc(&e);
	video_prices(&e);
	flag_tag(&e, VIDEO_REQUIRES_SUBSCRIPTION, "requires_subscription");
	video_uploader(&e);
	video_relationship(&e, "platform", VIDEO_PLATFORM, VIDEO_PLATFORM_RELATIONSHIP,
					   valid_platform,
					   "it must be web, mobile or tv, with blanks between them");
	flag_tag(&e, VIDEO_LIVE, "live");
	video_ids(&e);
	close_tag(&e, "video");
	PG_RETURN_XML_P(element_xml(&e));
}

/* zh-cn, zh-tw, or two or three small letters */
static bool
is_news_language(SmSpan value)
{
	if (sm_span_is(value, "zh-cn") || sm_span_is(value, "zh-tw"))
		return true;
	if (value.len != 2 && value.len != 3)
		return false;
	for (size_t i = 0; i < value.len; i++)
		if (value.s[i] < 'a' || value.s[i] > 'z')
			return false;
	return true;
}

/* Cut the next item off a list with commas; s is NULL at its end. */
static SmSpan
next_item(SmSpan *list)
{
	SmSpan		item = *list;
	const char *comma;

	if (list->s == NULL)
		return item;
	comma = memchr(list->s, ',', list->len);
	if (comma)
	{
		item.len = comma - list->s;
		list->s += item.len + 1;
		list->len -= item.len + 1;
	}
	else
		list->s = NULL;
	return sm_trim(item);
}

static SmSpan
news_genres(SmSpan genres)
{
	static const char *const choices[] = {
		"PressRelease", "Satire", "Blog", "OpEd", "Opinion", "UserGenerated", NULL
	};
	StringInfoData result;
	SmSpan		rest = genres;
	SmSpan		item;

	initStringInfo(&result);
	while ((item = next_item(&rest)).s != NULL)
	{
		item = choose("genres", item, choices,
					  "it must be a list of PressRelease, Satire, Blog, OpEd, Opinion and UserGenerated, with commas between them");
		appendStringInfo(&result, "%s%s", result.len > 0 ? ", " : "", item.s);
	}
	return sm_span(result.data, result.len);
}

/* EXCHANGE:SYMBOL, of letters and digits */
static bool
is_ticker(SmSpan item)
{
	const char *colon = memchr(item.s, ':', item.len);

	if (colon == NULL || colon == item.s || colon + 1 == item.s + item.len)
		return false;
	for (const char *s = item.s; s < item.s + item.len; s++)
		if (s != colon &&
			!((*s >= '0' && *s <= '9') || (*s >= 'A' && *s <= 'Z') || (*s >= 'a' && *s <= 'z')))
			return false;
	return true;
}

static SmSpan
news_stock_tickers(SmSpan tickers)
{
	StringInfoData result;
	SmSpan		rest = tickers;
	SmSpan		item;
	int			n = 0;

	initStringInfo(&result);
	while ((item = next_item(&rest)).s != NULL)
	{
		if (!is_ticker(item) || ++n > 5)
			invalid_argument("stock_tickers", tickers,
							 "it must be a list of at most five tickers such as NASDAQ:AMAT, with commas between them");
		appendStringInfo(&result, "%s%.*s", result.len > 0 ? ", " : "", (int) item.len, item.s);
	}
	return sm_span(result.data, result.len);
}

/*
 * sitemap_news(publication_name, publication_language, publication_date, title,
 * access, genres, keywords, stock_tickers)
 */
static Datum
news_element(FunctionCallInfo fcinfo, SmLastmodType date_type)
{
	static const char *const access_choices[] = {"Subscription", "Registration", NULL};
	Element		e;
	SmRow		row = {0};
	SmSpan		name;
	SmSpan		language;
	SmSpan		title;
	SmSpan		value;
	bool		has_seconds = false;
	int64		seconds;

	if (all_null(fcinfo, 4))
		PG_RETURN_NULL();

	begin(&e, fcinfo, "news");
	name = required_argument(&e, 0, "publication_name");
	language = trimmed(required_argument(&e, 1, "publication_language"));
	if (!is_news_language(language))
		invalid_argument("publication_language", language,
						 "it must be zh-cn, zh-tw, or an ISO 639 code, two or three small letters");
	title = required_argument(&e, 3, "title");

	appendStringInfoString(&e.buf, "<news:news><news:publication>");
	text_tag(&e, "name", name);
	text_tag(&e, "language", language);
	close_tag(&e, "publication");

	value = choose("access", text_argument(&e, 4, "access"), access_choices,
				   "it must be Subscription or Registration");
	if (value.s != NULL)
		text_tag(&e, "access", value);
	value = text_argument(&e, 5, "genres");
	if (value.s != NULL)
		text_tag(&e, "genres", news_genres(value));

	open_tag(&e, "publication_date");
	if (!PG_ARGISNULL(2))
	{
		sm_read_lastmod(PG_GETARG_DATUM(2), date_type, &row, &e.problems);
		sm_append_date(&e.buf, row.lastmod_type, row.lastmod, row.lastmod_text,
					   &e.problems, "publication_date", &has_seconds, &seconds);
	}
	if (!has_seconds)
		missing_argument("publication_date");
	close_tag(&e, "publication_date");
	text_tag(&e, "title", title);

	value = text_argument(&e, 6, "keywords");
	if (value.s != NULL)
		text_tag(&e, "keywords", value);
	value = text_argument(&e, 7, "stock_tickers");
	if (value.s != NULL)
		text_tag(&e, "stock_tickers", news_stock_tickers(value));
	close_tag(&e, "news");
	PG_RETURN_XML_P(element_xml(&e));
}

Datum
sitemap_news_timestamp(PG_FUNCTION_ARGS)
{
	return news_element(fcinfo, SM_LASTMOD_TIMESTAMP);
}

Datum
sitemap_news_date(PG_FUNCTION_ARGS)
{
	return news_element(fcinfo, SM_LASTMOD_DATE);
}

Datum
sitemap_news_text(PG_FUNCTION_ARGS)
{
	return news_element(fcinfo, SM_LASTMOD_TEXT);
}

static void
alternate(Element *e, SmSpan hreflang, SmSpan href)
{
	hreflang = trimmed(hreflang);
	if (hreflang.s == NULL)
		missing_argument("hreflang");
	if (unless_blank(href).s == NULL)
		missing_argument("href");
	if (!sm_iso_hreflang(hreflang.s, hreflang.len))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid hreflang \"%s\": it must be x-default or a language code",
						sm_for_message(hreflang)),
				 errdetail("A language code is ISO 639-1, then perhaps ISO 15924 for the script, then perhaps ISO 3166-1 alpha-2 for the country, with hyphens between them."),
				 errhint("Examples are de, de-AT, zh-Hant and zh-Hant-TW; a country alone is not a language.")));
	begin_tag(e, "link");
	appendStringInfoString(&e->buf, " rel=\"alternate\"");
	text_attribute(e, "hreflang", "hreflang", hreflang);
	appendStringInfoString(&e->buf, " href=\"");
	append_url(e, "href", href);
	appendStringInfoString(&e->buf, "\"/>");
}

Datum
sitemap_alternate(PG_FUNCTION_ARGS)
{
	Element		e;

	begin(&e, fcinfo, "xhtml");
	alternate(&e, text_argument(&e, 0, "hreflang"), text_argument(&e, 1, "href"));
	PG_RETURN_XML_P(element_xml(&e));
}

static SmSpan
jsonb_text(const JsonbValue *value, const char *name)
{
	SmSpan		result;

	if (!sm_to_utf8(value->val.string.val, value->val.string.len, &result))
		ereport(ERROR,
				(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
				 errmsg("invalid %s: it cannot be converted to UTF-8", name)));
	return result;
}

Datum
sitemap_alternates(PG_FUNCTION_ARGS)
{
	Jsonb	   *hrefs = PG_GETARG_JSONB_P(0);
	JsonbIterator *it;
	JsonbIteratorToken token;
	JsonbValue	value;
	SmSpan		hreflang = sm_no_span();
	Datum	   *links;
	int			n = 0;

	if (!JB_ROOT_IS_OBJECT(hrefs))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hrefs must be a JSON object"),
				 errhint("An example is {\"en\": \"https://www.example.com/en\", \"x-default\": \"https://www.example.com/\"}.")));

	links = palloc_array(Datum, JB_ROOT_COUNT(hrefs));
	it = JsonbIteratorInit(&hrefs->root);
	while ((token = JsonbIteratorNext(&it, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			hreflang = jsonb_text(&value, "hreflang");
		else if (token == WJB_VALUE && value.type == jbvNull)
			continue;
		else if (token == WJB_VALUE && value.type == jbvString)
		{
			Element		e;

			begin(&e, fcinfo, "xhtml");
			alternate(&e, hreflang, jsonb_text(&value, "href"));
			links[n++] = PointerGetDatum(element_xml(&e));
		}
		else if (token == WJB_VALUE)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the value of \"%s\" in hrefs must be a string",
							sm_for_message(hreflang))));
	}
	PG_RETURN_ARRAYTYPE_P(construct_array(links, n, XMLOID, -1, false, TYPALIGN_INT));
}
