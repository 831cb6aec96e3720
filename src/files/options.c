/*
 * options.c
 *	  Reads and checks the arguments that sitemap_files shares with other functions.
 */
#include "postgres.h"

#include "files/options.h"

#include "entry/value.h"
#include "server/argument.h"
#include "server/encoding.h"
#include "text/text.h"
#include "web/userinfo.h"

/* default of compression in a target */
#define TARGET_COMPRESSION	6

/* longest section: a file's name adds a number and endings, and has at most 255 bytes */
#define MAX_SECTION		200

/* longest name of a file of such a section */
#define MAX_NAME		(MAX_SECTION + 40)

/* Does the path of a URL reference, without query and fragment, have this ending? */
static bool
path_ends_with(SmSpan href, const char *ending)
{
	size_t		len = strcspn(pnstrdup(href.s, href.len), "?#");
	size_t		ending_len = strlen(ending);

	return len > ending_len &&
		pg_strncasecmp(href.s + len - ending_len, ending, ending_len) == 0;
}

/* Does a name look like that of a sitemap's file? */
static bool
names_file(SmSpan name)
{
	return path_ends_with(name, ".xml") || path_ends_with(name, ".xml.gz") ||
		path_ends_with(name, ".txt") || path_ends_with(name, ".txt.gz");
}

/*
 * A section becomes part of file names and URLs without any encoding.  Allowed
 * are the "unreserved" characters of RFC 3986.
 */
static const char *
section_option(const SmArguments *args)
{
	char	   *section;
	size_t		len;

	if (!sm_has_argument(args, "section"))
		return SM_INDEX_SECTION;
	section = sm_text_argument(args, "section");
	len = strlen(section);
	if (len == 0 || len > MAX_SECTION || section[0] == '.' ||
		strspn(section, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~") != len)
		sm_invalid_argument("section", section,
							"It must be 1 to " SM_STRING(MAX_SECTION) " letters, digits, \"-\", \".\", \"_\" and \"~\", and not begin with a dot.");
	if (names_file(sm_span_of(section)))
		sm_invalid_argument("section", section,
							"It is the beginning of file names, to which \".xml\" and the like are added.");
	if (strcmp(section, SM_INDEX_SECTION "-index") == 0)
		sm_invalid_argument("section", section,
							"Names such as " SM_INDEX_SECTION "-index-2.xml are the names of further files of the index.");
	return section;
}

static void
base_url_option(const SmArguments *args, SmUrlScope scope, SmUrlBase *base)
{
	SmSpan		url = sm_read_argument(sm_argument(args, "base_url"), "base_url");

	sm_base_url_read(url, scope, base);
	/* a host can end with .xml */
	if (base->len[SM_FORM_PLAIN] > base->origin_len + 1 &&
		names_file(sm_trim(url)))
		sm_refuse_base_url(url, "it is the URL of a file");
	if (base->len[SM_FORM_PLAIN] + MAX_NAME > SM_URL_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("base_url is longer than %d characters", SM_URL_MAX - MAX_NAME),
				 errdetail("The URLs of the files need room for their names.")));
}

/* The processing instruction of a stylesheet, NULL for none. */
static char *
stylesheet_option(const SmArguments *args)
{
	SmSpan		href;
	char	   *encoded;
	size_t		len;

	if (!sm_has_argument(args, "stylesheet"))
		return NULL;
	href = sm_trim(sm_read_argument(sm_argument(args, "stylesheet"), "stylesheet"));

	if (sm_url_secret(href).len > 0)
		sm_invalid_argument("stylesheet", sm_for_message(sm_without_secret(href)),
							"It must not have a user name or password before the host.");
	if (href.len > SM_URL_MAX)
		sm_invalid_argument("stylesheet", sm_for_message(href), "It is longer than " SM_STRING(SM_URL_MAX) " bytes.");
	if (!path_ends_with(href, ".css"))
		sm_invalid_argument("stylesheet", sm_for_message(href),
							"It must be a URL that ends with .css. Browsers are removing XSLT.");

	/* no "?>" ends the processing instruction, since ">" is encoded */
	encoded = palloc(6 * href.len);
	len = sm_url_encode_reference(href.s, href.len, encoded);
	return psprintf("<?xml-stylesheet type=\"text/css\" href=\"%.*s\"?>", (int) len, encoded);
}

SmOptions *
sm_read_index_options(const SmArguments *args)
{
	static const SmChoice protocols[] = {
		{"0.9", SM_PROTOCOL_09}, {"0.84", SM_PROTOCOL_084}, {NULL, 0}
	};
	static const SmChoice scopes[] = {
		{"host", SM_SCOPE_HOST}, {"path", SM_SCOPE_PATH}, {"any", SM_SCOPE_ANY}, {NULL, 0}
	};
	SmOptions  *options = palloc0_object(SmOptions);

	base_url_option(args, sm_choice_option(args, "scope", scopes, SM_SCOPE_HOST), &options->base);
	options->stylesheet = stylesheet_option(args);
	options->protocol = sm_choice_option(args, "protocol", protocols, SM_PROTOCOL_09);
	return options;
}

SmOptions *
sm_read_options(const SmArguments *args, bool has_target)
{
	static const SmChoice formats[] = {{"xml", SM_URLSET}, {"txt", SM_TEXT}, {NULL, 0}};
	static const SmChoice splits[] = {{"full", false}, {"stable", true}, {NULL, 0}};
	static const SmChoice indexes[] = {
		{"auto", SM_INDEX_AUTO}, {"always", SM_INDEX_ALWAYS}, {"never", SM_INDEX_NEVER},
		{"section", SM_INDEX_OF_SECTION}, {NULL, 0}
	};
	static const SmChoice on_invalids[] = {{"error", false}, {"skip", true}, {NULL, 0}};
	SmOptions  *options = sm_read_index_options(args);

	options->query = sm_text_argument(args, "query");
	options->section = section_option(args);
	options->kind = sm_choice_option(args, "format", formats, SM_URLSET);
	options->compression = sm_integer_option(args, "compression", 0, 9,
											 has_target ? TARGET_COMPRESSION : 0);
	options->max_urls = sm_integer_option(args, "max_urls", 1, SM_MAX_ENTRIES, SM_MAX_ENTRIES);
	options->max_bytes = sm_integer_option(args, "max_bytes", 1, SM_MAX_BYTES, SM_MAX_BYTES);
	options->stable = sm_choice_option(args, "split", splits, has_target);
	options->index = sm_choice_option(args, "index", indexes, SM_INDEX_AUTO);
	options->skip_invalid = sm_choice_option(args, "on_invalid", on_invalids, false);
	return options;
}
