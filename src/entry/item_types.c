/*
 * item_types.c
 *	  The tables of items: tags and attributes of images, videos and news, and the
 *	  values that these take.
 */
#include "postgres.h"

#include "entry/item.h"

#include "entry/value.h"
#include "text/ascii.h"
#include "text/iso.h"
#include "web/namespace.h"

/*
 * A field: its problem, column and name, the number of the argument, and its type.  A tag and
 * an attribute add the text written around the value.
 */
#define FIELD(problem, column, name, argument, type) \
	{SM_LITERAL(name)}, column "." name, problem, argument, SM_FIELD_##type
#define TAG(problem, column, prefix, name, argument, type) \
	FIELD(problem, column, name, argument, type), \
	.open = {SM_LITERAL("<" prefix ":" name)},.close = {SM_LITERAL("</" prefix ":" name ">")},.is_attribute = false
#define IMAGE(name, argument, type) TAG(SM_IMAGE_INVALID, "images", "image", name, argument, type)
#define VIDEO(name, argument, type) TAG(SM_VIDEO_INVALID, "videos", "video", name, argument, type)
#define NEWS(name, argument, type) TAG(SM_NEWS_INVALID, "news", "news", name, argument, type)
#define ATTRIBUTE(attribute, name, argument, type) \
	FIELD(SM_VIDEO_INVALID, "videos", name, argument, type), \
	.open = {SM_LITERAL(" " attribute "=\"")},.close = {SM_LITERAL("\"")},.is_attribute = true

#define BLANKS			" \t\n\v\f\r"
#define MAX_DURATION	28800	/* seconds */
#define MAX_TAGS		32

static const SmField image_fields[] = {
	{IMAGE("loc", 0, URL),.role = SM_ROLE_IMAGE,.required = "loc"},
	{IMAGE("caption", 1, TEXT),.role = SM_ROLE_CAPTION},
	{IMAGE("geo_location", 2, TEXT)},
	{IMAGE("title", 3, TEXT),.role = SM_ROLE_TITLE},
	{IMAGE("license", 4, URL),.role = SM_ROLE_LICENSE}
};

const SmItemType sm_image = {
	"image", "images", SM_IMAGE_INVALID, SM_NS_IMAGE,
	{SM_LITERAL("<image:image>")}, {SM_LITERAL("</image:image>")},
	.nfields = lengthof(image_fields),.fields = image_fields
};

/* Is it a decimal number without a sign, that begins and ends with a digit? */
static bool
is_price(SmSpan value)
{
	double		number;

	return sm_read_decimal(value, &number) &&
		sm_is_digit(value.s[0]) && sm_is_digit(value.s[value.len - 1]);
}

/* Is a value made of characters from first to last only, at least min and at most max? */
static bool
has_only(SmSpan value, char first, char last, size_t min, size_t max)
{
	for (size_t i = 0; i < value.len; i++)
		if (value.s[i] < first || value.s[i] > last)
			return false;
	return value.len >= min && value.len <= max;
}

static bool
is_currency(SmSpan value)
{
	return has_only(value, 'A', 'Z', 3, 3);
}

static bool
is_country(SmSpan word)
{
	return sm_iso_country(word) && has_only(word, 'A', 'Z', 2, 2);
}

static const char *const relationships[] = {"allow", "deny", NULL};
static const char *const platforms[] = {"web", "mobile", "tv", NULL};
static const char *const price_types[] = {"purchase", "rent", NULL};
static const char *const resolutions[] = {"SD", "HD", NULL};
static const char *const id_types[] = {
	"tms:series", "tms:program", "rovi:series", "rovi:program", "freebase", "url", NULL
};

static const SmField video_fields[] = {
	{VIDEO("thumbnail_loc", 0, URL),.role = SM_ROLE_THUMBNAIL,.required = "thumbnail_loc"},
	{VIDEO("title", 1, TEXT),.role = SM_ROLE_TITLE,.required = "title",.max = 100},
	{VIDEO("description", 2, TEXT),.role = SM_ROLE_DESCRIPTION,.required = "description",.max = 2048},
	{VIDEO("content_loc", 3, URL),.role = SM_ROLE_VIDEO},
	{VIDEO("player_loc", 4, URL),.role = SM_ROLE_PLAYER},
	{ATTRIBUTE("allow_embed", "player_loc_allow_embed", 22, FLAG)},
	{ATTRIBUTE("autoplay", "player_loc_autoplay", 23, TEXT)},
	{VIDEO("duration", 5, INT4),.min = 1,.max = MAX_DURATION,
	.rule = "must be whole seconds from 1 to " SM_STRING(MAX_DURATION)},
	{VIDEO("expiration_date", 6, DATE),.role = SM_ROLE_EXPIRATION},
	{VIDEO("rating", 7, FLOAT8),.max = 5,.rule = "must be a number from 0.0 to 5.0"},
	{VIDEO("content_segment_loc", 8, URL),.is_array = true,.role = SM_ROLE_VIDEO_SEGMENT},
	{ATTRIBUTE("duration", "content_segment_loc_duration", 24, INT4),.is_array = true,
	.min = 1,.max = MAX_DURATION,.rule = "must be whole seconds from 1 to " SM_STRING(MAX_DURATION)},
	{VIDEO("view_count", 9, INT8),.max = PG_INT64_MAX,.rule = "must be a whole number, not negative"},
	{VIDEO("publication_date", 10, DATE),.role = SM_ROLE_VIDEO_DATE},
	{VIDEO("tag", 11, TEXT),.is_array = true,.max_tags = MAX_TAGS,
	.rule = "a video can have at most " SM_STRING(MAX_TAGS) " tags"},
	{VIDEO("category", 12, TEXT),.max = 256},
	{VIDEO("family_friendly", 13, FLAG)},
	{VIDEO("restriction", 14, LIST),.separators = BLANKS,.valid = is_country,
	.rule = "must be ISO 3166 country codes, two capital letters each, with blanks between them"},
	{ATTRIBUTE("relationship", "restriction_relationship", 25, TEXT),.choices = relationships,
	.required = "restriction_relationship: allow or deny",.rule = "must be allow or deny"},
	{VIDEO("gallery_loc", 15, URL),.role = SM_ROLE_GALLERY},
	{ATTRIBUTE("title", "gallery_loc_title", 26, TEXT),.role = SM_ROLE_TITLE},
	{VIDEO("price", 16, TEXT),.is_array = true,.valid = is_price,
	.rule = "must be a number from 0 on"},
	{ATTRIBUTE("currency", "price_currency", 27, TEXT),.is_array = true,
		.required = "price_currency",.valid = is_currency,
	.rule = "must be an ISO 4217 code, three capital letters"},
	{ATTRIBUTE("type", "price_type", 28, TEXT),.is_array = true,.choices = price_types,
	.rule = "must be purchase or rent"},
	{ATTRIBUTE("resolution", "price_resolution", 29, TEXT),.is_array = true,
	.choices = resolutions,.rule = "must be SD or HD"},
	{VIDEO("requires_subscription", 17, FLAG)},
	{VIDEO("uploader", 18, TEXT),.role = SM_ROLE_NAME,.max = 255},
	{ATTRIBUTE("info", "uploader_info", 30, URL),.role = SM_ROLE_UPLOADER},
	{VIDEO("platform", 19, LIST),.separators = BLANKS,.choices = platforms,
	.rule = "must be web, mobile or tv, with blanks between them"},
	{ATTRIBUTE("relationship", "platform_relationship", 31, TEXT),.choices = relationships,
	.required = "platform_relationship: allow or deny",.rule = "must be allow or deny"},
	{VIDEO("live", 20, FLAG)},
	{VIDEO("id", 21, TEXT),.is_array = true},
	{ATTRIBUTE("type", "id_type", 32, TEXT),.is_array = true,.required = "id_type",
		.choices = id_types,
	.rule = "must be tms:series, tms:program, rovi:series, rovi:program, freebase or url"}
};

StaticAssertDecl(lengthof(video_fields) <= SM_MAX_FIELDS, "SM_MAX_FIELDS is too small");

const SmItemType sm_video = {
	"video", "videos", SM_VIDEO_INVALID, SM_NS_VIDEO,
	{SM_LITERAL("<video:video>")}, {SM_LITERAL("</video:video>")},
	lengthof(video_fields), video_fields, {&video_fields[3], &video_fields[4]}
};

/* zh-cn, zh-tw, or two or three small letters */
static bool
is_news_language(SmSpan value)
{
	return sm_span_is(value, "zh-cn") || sm_span_is(value, "zh-tw") || has_only(value, 'a', 'z', 2, 3);
}

/* EXCHANGE:SYMBOL, of letters and digits */
static bool
is_ticker(SmSpan word)
{
	const char *colon = memchr(word.s, ':', word.len);

	if (colon == NULL || colon == word.s || colon + 1 == word.s + word.len)
		return false;
	for (const char *s = word.s; s < word.s + word.len; s++)
		if (s != colon && !sm_is_digit(*s) && !sm_is_letter(*s))
			return false;
	return true;
}

static const char *const access_choices[] = {"Subscription", "Registration", NULL};
static const char *const genres[] = {
	"PressRelease", "Satire", "Blog", "OpEd", "Opinion", "UserGenerated", NULL
};

/* name and language are in an element of their own, publication */
static const SmField news_fields[] = {
	{FIELD(SM_NEWS_INVALID, "news", "publication_name", 0, TEXT),.open = {SM_LITERAL("<news:publication><news:name")},
	.close = {SM_LITERAL("</news:name>")},.role = SM_ROLE_NAME,.required = "publication_name"},
	{FIELD(SM_NEWS_INVALID, "news", "publication_language", 1, TEXT),.open = {SM_LITERAL("<news:language")},
	.close = {SM_LITERAL("</news:language></news:publication>")},.required = "publication_language",
	.valid = is_news_language,
	.rule = "must be zh-cn, zh-tw, or an ISO 639 code, two or three small letters"},
	{NEWS("access", 4, TEXT),.choices = access_choices,
	.rule = "must be Subscription or Registration"},
	{NEWS("genres", 5, LIST),.separators = ",",.choices = genres,
	.rule = "must be a list of PressRelease, Satire, Blog, OpEd, Opinion and UserGenerated, with commas between them"},
	{NEWS("publication_date", 2, DATE),.role = SM_ROLE_NEWS_DATE,.required = "publication_date"},
	{NEWS("title", 3, TEXT),.role = SM_ROLE_TITLE,.required = "title"},
	{NEWS("keywords", 6, TEXT)},
	{NEWS("stock_tickers", 7, LIST),.separators = ",",.max = 5,.valid = is_ticker,
	.rule = "must be a list of at most five tickers such as NASDAQ:AMAT, with commas between them"}
};

const SmItemType sm_news = {
	"news", "news", SM_NEWS_INVALID, SM_NS_NEWS,
	{SM_LITERAL("<news:news>")}, {SM_LITERAL("</news:news>")},
	.nfields = lengthof(news_fields),.fields = news_fields
};
