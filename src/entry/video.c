/*
 * video.c
 *	  sitemap_video: a video of a page.
 */
#include "postgres.h"

#include "entry/extension.h"

#include "core/decimal.h"
#include "core/iso.h"
#include "core/text.h"
#include "core/xml.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "utils/float.h"

PG_FUNCTION_INFO_V1(sitemap_video);

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

/*
 * The i-th value of an attribute, whose array is parallel to that of its
 * element.
 */
static SmSpan
attribute_at(const SmTextArray *attribute, int i)
{
	return attribute->n == 0 ? sm_no_span() : attribute->items[i];
}

static void
check_parallel(const SmTextArray *element, const char *name,
			   const SmTextArray *attribute, const char *attribute_name)
{
	if (attribute->n != 0 && attribute->n != element->n)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("%s and %s must have the same number of elements",
						name, attribute_name),
				 errdetail("They have %d and %d.", element->n, attribute->n)));
}

/* Raise an error if an attribute is given without its element. */
static void
check_owner(SmSpan attribute, const char *attribute_name, bool has_owner, const char *name)
{
	if (attribute.s != NULL && !has_owner)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s is given without %s", attribute_name, name)));
}

/*
 * Raise an error for more than max characters.  Characters that XML cannot
 * carry do not count.
 */
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
			break;				/* sm_ext_append_text raises the error */
		count += sm_xml_legal(c);
		s += n;
	}
	if (count > max)
		ereport(ERROR,
				(errcode(ERRCODE_STRING_DATA_RIGHT_TRUNCATION),
				 errmsg("invalid %s \"%s\": must have at most %zu characters",
						name, sm_for_message(value), max),
				 errdetail("It has %zu.", count)));
}

static void
check_duration(const char *name, int duration)
{
	if (duration < 1 || duration > VIDEO_MAX_DURATION)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("invalid %s %d: must be from 1 to %d seconds",
						name, duration, VIDEO_MAX_DURATION)));
}

static void
video_player_loc(SmExt *e)
{
	SmSpan		player_loc = sm_ext_text(e, VIDEO_PLAYER_LOC, "player_loc");
	SmSpan		allow_embed = sm_ext_flag(e, VIDEO_PLAYER_LOC_ALLOW_EMBED,
										  "player_loc_allow_embed");
	SmSpan		autoplay = sm_ext_text(e, VIDEO_PLAYER_LOC_AUTOPLAY,
									   "player_loc_autoplay");

	check_owner(allow_embed, "player_loc_allow_embed", player_loc.s != NULL, "player_loc");
	check_owner(autoplay, "player_loc_autoplay", player_loc.s != NULL, "player_loc");
	if (player_loc.s == NULL)
		return;
	sm_ext_begin_tag(e, "player_loc");
	sm_ext_attribute(e, "allow_embed", "player_loc_allow_embed", allow_embed);
	sm_ext_attribute(e, "autoplay", "player_loc_autoplay", autoplay);
	appendStringInfoChar(&e->buf, '>');
	sm_ext_append_url(e, "player_loc", player_loc);
	sm_ext_close_tag(e, "player_loc");
}

static void
video_content_segments(SmExt *e)
{
	SmTextArray locs = sm_ext_array(e, VIDEO_CONTENT_SEGMENT_LOC, "content_segment_loc");
	SmTextArray durations = sm_ext_array(e, VIDEO_CONTENT_SEGMENT_LOC_DURATION,
										 "content_segment_loc_duration");

	check_parallel(&locs, "content_segment_loc", &durations, "content_segment_loc_duration");
	for (int i = 0; i < locs.n; i++)
	{
		SmSpan		duration = attribute_at(&durations, i);

		CHECK_FOR_INTERRUPTS();

		check_owner(duration, "content_segment_loc_duration", locs.items[i].s != NULL,
					"content_segment_loc");
		if (locs.items[i].s == NULL)
			continue;
		if (duration.s != NULL)
			check_duration("content_segment_loc_duration", atoi(duration.s));
		sm_ext_begin_tag(e, "content_segment_loc");
		sm_ext_attribute(e, "duration", "content_segment_loc_duration", duration);
		appendStringInfoChar(&e->buf, '>');
		sm_ext_append_url(e, "content_segment_loc", locs.items[i]);
		sm_ext_close_tag(e, "content_segment_loc");
	}
}

static void
video_tags(SmExt *e)
{
	SmTextArray tags = sm_ext_array(e, VIDEO_TAG, "tag");
	int			n = 0;

	for (int i = 0; i < tags.n; i++)
	{
		CHECK_FOR_INTERRUPTS();

		if (tags.items[i].s == NULL)
			continue;
		if (++n > VIDEO_MAX_TAGS)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("invalid tag \"%s\": a video can have at most %d tags",
							sm_for_message(tags.items[i]), VIDEO_MAX_TAGS)));
		sm_ext_text_tag(e, "tag", tags.items[i]);
	}
}

/*
 * A list of words, with single blanks between them.  valid: whether a word is
 * allowed.
 */
static SmSpan
word_list(const char *name, SmSpan list, bool (*valid) (const char *word, size_t len),
		  const char *rule)
{
	StringInfoData words;
	SmSpan		rest = list;

	initStringInfo(&words);
	while ((rest = sm_ext_trimmed(rest)).s != NULL)
	{
		size_t		len = 0;

		CHECK_FOR_INTERRUPTS();
		while (len < rest.len && (unsigned char) rest.s[len] > ' ')
			len++;
		if (!valid(rest.s, len))
			sm_ext_invalid(name, list, rule);
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

/* A list of countries or platforms that are allowed or denied. */
static void
video_relationship(SmExt *e, const char *tag, int n, int relationship_n,
				   bool (*valid) (const char *word, size_t len), const char *rule)
{
	static const char *const choices[] = {"allow", "deny", NULL};
	char	   *name = psprintf("%s_relationship", tag);
	SmSpan		list = sm_ext_text(e, n, tag);
	SmSpan		relationship = sm_ext_choose(name, sm_ext_text(e, relationship_n, name),
											 choices, "must be allow or deny");

	check_owner(relationship, name, list.s != NULL, tag);
	if (list.s == NULL)
		return;
	if (relationship.s == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s \"%s\" needs %s: allow or deny", tag, sm_for_message(list), name)));
	sm_ext_begin_tag(e, tag);
	sm_ext_attribute(e, "relationship", name, relationship);
	appendStringInfoChar(&e->buf, '>');
	sm_ext_append_text(e, tag, word_list(tag, list, valid, rule));
	sm_ext_close_tag(e, tag);
}

static void
video_gallery_loc(SmExt *e)
{
	SmSpan		loc = sm_ext_text(e, VIDEO_GALLERY_LOC, "gallery_loc");
	SmSpan		title = sm_ext_text(e, VIDEO_GALLERY_LOC_TITLE, "gallery_loc_title");

	check_owner(title, "gallery_loc_title", loc.s != NULL, "gallery_loc");
	if (loc.s == NULL)
		return;
	sm_ext_begin_tag(e, "gallery_loc");
	sm_ext_attribute(e, "title", "gallery_loc_title", title);
	appendStringInfoChar(&e->buf, '>');
	sm_ext_append_url(e, "gallery_loc", loc);
	sm_ext_close_tag(e, "gallery_loc");
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
video_prices(SmExt *e)
{
	static const char *const types[] = {"purchase", "rent", NULL};
	static const char *const resolutions[] = {"SD", "HD", NULL};
	SmTextArray prices = sm_ext_array(e, VIDEO_PRICE, "price");
	SmTextArray currencies = sm_ext_array(e, VIDEO_PRICE_CURRENCY, "price_currency");
	SmTextArray price_types = sm_ext_array(e, VIDEO_PRICE_TYPE, "price_type");
	SmTextArray price_resolutions = sm_ext_array(e, VIDEO_PRICE_RESOLUTION, "price_resolution");

	check_parallel(&prices, "price", &currencies, "price_currency");
	check_parallel(&prices, "price", &price_types, "price_type");
	check_parallel(&prices, "price", &price_resolutions, "price_resolution");
	for (int i = 0; i < prices.n; i++)
	{
		SmSpan		price = prices.items[i];
		SmSpan		currency = attribute_at(&currencies, i);
		SmSpan		type = sm_ext_choose("price_type", attribute_at(&price_types, i), types,
										 "must be purchase or rent");
		SmSpan		resolution = sm_ext_choose("price_resolution", attribute_at(&price_resolutions, i),
											   resolutions, "must be SD or HD");

		CHECK_FOR_INTERRUPTS();

		check_owner(currency, "price_currency", price.s != NULL, "price");
		check_owner(type, "price_type", price.s != NULL, "price");
		check_owner(resolution, "price_resolution", price.s != NULL, "price");
		if (price.s == NULL)
			continue;

		/* a numeric's text is digits and a point, or "-5", "NaN", "Infinity" */
		if (price.s[0] < '0' || price.s[0] > '9')
			sm_ext_invalid("price", price, "must be a number from 0 on");
		if (currency.s == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("price \"%s\" needs price_currency", sm_for_message(price))));
		if (!is_currency(currency))
			sm_ext_invalid("price_currency", currency, "must be an ISO 4217 code, three capital letters");

		sm_ext_begin_tag(e, "price");
		sm_ext_attribute(e, "currency", "price_currency", currency);
		sm_ext_attribute(e, "type", "price_type", type);
		sm_ext_attribute(e, "resolution", "price_resolution", resolution);
		appendStringInfoChar(&e->buf, '>');
		sm_ext_append_text(e, "price", price);
		sm_ext_close_tag(e, "price");
	}
}

static void
video_uploader(SmExt *e)
{
	SmSpan		uploader = sm_ext_text(e, VIDEO_UPLOADER, "uploader");
	SmSpan		info = sm_ext_text(e, VIDEO_UPLOADER_INFO, "uploader_info");

	check_owner(info, "uploader_info", uploader.s != NULL, "uploader");
	if (uploader.s == NULL)
		return;
	check_characters("uploader", uploader, VIDEO_MAX_UPLOADER);
	sm_ext_begin_tag(e, "uploader");
	if (info.s != NULL)
	{
		appendStringInfoString(&e->buf, " info=\"");
		sm_ext_append_url(e, "uploader_info", info);
		appendStringInfoChar(&e->buf, '"');
	}
	appendStringInfoChar(&e->buf, '>');
	sm_ext_append_text(e, "uploader", uploader);
	sm_ext_close_tag(e, "uploader");
}

static void
video_ids(SmExt *e)
{
	static const char *const choices[] = {
		"tms:series", "tms:program", "rovi:series", "rovi:program", "freebase", "url", NULL
	};
	SmTextArray ids = sm_ext_array(e, VIDEO_ID, "id");
	SmTextArray types = sm_ext_array(e, VIDEO_ID_TYPE, "id_type");

	check_parallel(&ids, "id", &types, "id_type");
	for (int i = 0; i < ids.n; i++)
	{
		SmSpan		type = sm_ext_choose("id_type", attribute_at(&types, i), choices,
										 "must be tms:series, tms:program, rovi:series, rovi:program, freebase or url");

		CHECK_FOR_INTERRUPTS();

		check_owner(type, "id_type", ids.items[i].s != NULL, "id");
		if (ids.items[i].s == NULL)
			continue;
		if (type.s == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("id \"%s\" needs id_type", sm_for_message(ids.items[i]))));
		sm_ext_begin_tag(e, "id");
		sm_ext_attribute(e, "type", "id_type", type);
		appendStringInfoChar(&e->buf, '>');
		sm_ext_append_text(e, "id", ids.items[i]);
		sm_ext_close_tag(e, "id");
	}
}

Datum
sitemap_video(PG_FUNCTION_ARGS)
{
	SmExt		e;
	SmSpan		thumbnail_loc;
	SmSpan		title;
	SmSpan		description;
	SmSpan		content_loc;
	SmSpan		category;

	if (sm_ext_all_null(fcinfo, VIDEO_DESCRIPTION + 1))
		PG_RETURN_NULL();

	sm_ext_begin(&e, fcinfo, "video");
	thumbnail_loc = sm_ext_required(&e, VIDEO_THUMBNAIL_LOC, "thumbnail_loc");
	title = sm_ext_required(&e, VIDEO_TITLE, "title");
	check_characters("title", title, VIDEO_MAX_TITLE);
	description = sm_ext_required(&e, VIDEO_DESCRIPTION, "description");
	check_characters("description", description, VIDEO_MAX_DESCRIPTION);
	content_loc = sm_ext_text(&e, VIDEO_CONTENT_LOC, "content_loc");
	if (content_loc.s == NULL && sm_ext_text(&e, VIDEO_PLAYER_LOC, "player_loc").s == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("a video needs content_loc or player_loc")));

	sm_ext_open_tag(&e, "video");
	sm_ext_url_tag(&e, "thumbnail_loc", thumbnail_loc);
	sm_ext_text_tag(&e, "title", title);
	sm_ext_text_tag(&e, "description", description);
	if (content_loc.s != NULL)
		sm_ext_url_tag(&e, "content_loc", content_loc);
	video_player_loc(&e);
	if (!PG_ARGISNULL(VIDEO_DURATION))
	{
		check_duration("duration", PG_GETARG_INT32(VIDEO_DURATION));
		appendStringInfo(&e.buf, "<video:duration>%d</video:duration>",
						 PG_GETARG_INT32(VIDEO_DURATION));
	}
	sm_ext_date_tag(&e, VIDEO_EXPIRATION_DATE, "expiration_date");
	if (!PG_ARGISNULL(VIDEO_RATING))
	{
		double		rating = PG_GETARG_FLOAT8(VIDEO_RATING);
		char		digits[SM_DECIMAL_MAX];

		/* NaN is refused, too */
		if (!(rating >= 0.0 && rating <= 5.0))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("invalid rating %s: must be from 0.0 to 5.0",
							float8out_internal(rating))));
		sm_ext_text_tag(&e, "rating", sm_span(digits, sm_decimal_format(rating, digits)));
	}
	video_content_segments(&e);
	if (!PG_ARGISNULL(VIDEO_VIEW_COUNT))
	{
		int64		view_count = PG_GETARG_INT64(VIDEO_VIEW_COUNT);

		if (view_count < 0)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("invalid view_count " INT64_FORMAT ": must not be negative",
							view_count)));
		appendStringInfo(&e.buf, "<video:view_count>" INT64_FORMAT "</video:view_count>",
						 view_count);
	}
	sm_ext_date_tag(&e, VIDEO_PUBLICATION_DATE, "publication_date");
	video_tags(&e);
	category = sm_ext_text(&e, VIDEO_CATEGORY, "category");
	if (category.s != NULL)
	{
		check_characters("category", category, VIDEO_MAX_CATEGORY);
		sm_ext_text_tag(&e, "category", category);
	}
	sm_ext_flag_tag(&e, VIDEO_FAMILY_FRIENDLY, "family_friendly");
	video_relationship(&e, "restriction", VIDEO_RESTRICTION, VIDEO_RESTRICTION_RELATIONSHIP,
					   valid_country,
					   "must be ISO 3166 country codes, two capital letters each, with blanks between them");
	video_gallery_loc(&e);
	video_prices(&e);
	sm_ext_flag_tag(&e, VIDEO_REQUIRES_SUBSCRIPTION, "requires_subscription");
	video_uploader(&e);
	video_relationship(&e, "platform", VIDEO_PLATFORM, VIDEO_PLATFORM_RELATIONSHIP,
					   valid_platform,
					   "must be web, mobile or tv, with blanks between them");
	sm_ext_flag_tag(&e, VIDEO_LIVE, "live");
	video_ids(&e);
	sm_ext_close_tag(&e, "video");
	return sm_ext_end(&e);
}
