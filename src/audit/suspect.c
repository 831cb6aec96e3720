/*
 * suspect.c
 *	  Finds what suspicions.c lists.
 *
 * Nearly all URLs have nothing suspect: sm_url_traits sees that in one pass, by a table of
 * characters and the first characters of all patterns.  sm_url_suspect decodes any other
 * URL and looks closely.
 *
 * A word such as "null" is suspect only as a whole segment of a path or a whole value of
 * a query parameter, perhaps repeated, quoted, or with the suffix of a file:
 *
 *	  /null  /images/undefined.jpg  /null-null  ?id=(null)		suspect
 *	  /null-pointer  /nullable  ?null							not suspect
 */
#include "audit/suspect.h"

#include "text/ascii.h"
#include "text/text.h"
#include "web/url.h"
#include "web/xml.h"

/* The longest suffix of a file, such as "html", in bytes. */
#define SUFFIX_MAX	5

/* The bit of the second character of a pattern, in either case. */
#define SECOND(c)	(UINT32_C(1) << (c) % 32)

void
sm_suspects_init(SmSuspects *suspects)
{
	uint16_t	next[2 * SM_AT_END];

	memset(suspects, 0, sizeof(*suspects));
	for (const SmSuspicion *what = sm_suspicions; what->sentence; what++)
	{
		suspects->coded[what->finder] = what;
		for (const char *p = what->patterns; p; p = sm_next_pattern(p))
		{
			char		second = *p ? p[1] : '\0';

			suspects->places[sm_pattern_byte(p)] |= what->places;
			suspects->seconds[sm_pattern_byte(p)] |= second > ' ' && second != '|' ? SECOND(second) : UINT32_MAX;
			suspects->first[sm_pattern_byte(p) + 1]++;
		}
	}
	for (int i = 0; i < 2 * SM_AT_END; i++)
	{
		next[i] = suspects->first[i];
		suspects->first[i + 1] += next[i];
	}
	for (const SmSuspicion *what = sm_suspicions; what->sentence; what++)
		for (const char *p = what->patterns; p; p = sm_next_pattern(p))
			suspects->patterns[next[sm_pattern_byte(p)]++] = (SmPattern)
		{
			what, p
		};
}

/*
 * Does a part begin with the characters that a pattern begins with?  Nothing but the end
 * of the part may follow a pattern without elements.
 */
static bool
may_match(const SmPattern *pattern, const char *s, const char *end)
{
	const char *p = pattern->pattern;

	for (; *p >= ' ' && *p != '|'; p++, s++)
		if (s == end || sm_lower(*s) != *p)
			return false;
	if ((*p != '\0' && *p != '|') || s == end)
		return true;
	return pattern->what->finder == SM_FIND_PATTERNS ? sm_is_one_of(*s, "/?#&") :
		pattern->what->finder == SM_FIND_WORDS ? *s == '_' || !sm_is_word_char(*s) : true;
}

/* Added to the traits in the table: what follows the character is looked at. */
#define BEGINS_PART		0x80

/* The traits that the first character of a part at one of these places gives a URL. */
static unsigned int
traits_of_part(const SmSuspects *suspects, int places, const char *s, const char *end)
{
	unsigned char c = s < end ? sm_lower(*s) : '\0';

	if (c == '.')
		return SM_MAY_VARY;		/* perhaps a dot segment */
	if (c == '(' || c == '\'')
		return SM_MAY_BE_SUSPECT;
	if ((suspects->places[c] & places) == 0 ||
		(s + 1 < end && (suspects->seconds[c] & SECOND((unsigned char) s[1])) == 0))
		return 0;
	for (int i = suspects->first[c]; i < suspects->first[c + 1]; i++)
		if ((suspects->patterns[i].what->places & places) && may_match(&suspects->patterns[i], s, end))
			return SM_MAY_BE_SUSPECT;
	return 0;
}

/*
 * Does a text begin with the site's host, with or without "www."?  A host without a dot
 * can be a segment of its own.
 */
static bool
begins_with_host(const char *s, const char *end, SmSpan host)
{
	if (sm_span_begins(sm_span(s, end - s), "www."))
		s += 4;
	return host.len > 0 && (size_t) (end - s) >= host.len && sm_lower(*s) == host.s[0] &&
		sm_equal_ignoring_case(sm_span(s, host.len), host) &&
		(s + host.len == end || sm_is_one_of(s[host.len], "/?#:")) &&
		memchr(host.s, '.', host.len) != NULL;
}

/*
 * Is an escape in canonical form?  This is a guess: it is surely if its octet is not of
 * ASCII and its hex digits are capital letters.
 */
static inline bool
is_canonical_escape(const char *s)
{
	return s[1] >= '8' && s[1] <= 'F' && s[2] <= 'F';
}

unsigned int
sm_url_traits(const SmSuspects *suspects, const char *s, const char *end, SmSpan own_host)
{
	static const uint8_t table[256] = {
		['%'] = SM_MAY_BE_SUSPECT,['#'] = SM_HAS_FRAGMENT | SM_MAY_BE_SUSPECT | SM_MAY_VARY,
		['&'] = SM_HAS_ENTITIES | BEGINS_PART,[':'] = SM_MAY_BE_SUSPECT,[';'] = SM_MAY_BE_SUSPECT,
		['/'] = BEGINS_PART,['='] = BEGINS_PART,['?'] = BEGINS_PART
	};
	unsigned int traits = 0;

	if (s < end && *s != '/')
		traits = traits_of_part(suspects, SM_AT_HOST, s, end);
	else if (s < end && begins_with_host(s + 1, end, own_host))
		traits = SM_MAY_BE_SUSPECT;
	while (s < end)
	{
		unsigned int class = table[(unsigned char) *s++];

		if (class == 0)
			continue;
		if (class & BEGINS_PART)
			class = (class & ~BEGINS_PART) |
				traits_of_part(suspects, s[-1] == '/' ? SM_AT_SEGMENT | SM_AT_LAST_SEGMENT :
							   s[-1] == '=' ? SM_AT_VALUE : SM_AT_PARAMETER, s, end);
		else if (s[-1] == '%')
		{
			if (!is_canonical_escape(s - 1))
				class |= SM_MAY_VARY;
			s += 2;
		}
		traits |= class;
	}
	return traits;
}

/* A URL or text that is looked at closely. */
typedef struct Look
{
	const SmSuspects *suspects;
	SmSuspect  *found;
	SmSpan		own_host;
	const char *text;			/* decoded so far */
	const char *path_end;		/* in text */
} Look;

static bool
is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7F && c < 0xA0) || !sm_xml_legal(c);
}

/* Note what a text is suspect of, unless something more telling is known. */
static void
note(Look *look, const SmSuspicion *what, const char *s, const char *end)
{
	SmSuspect  *found = look->found;
	const char *stop = s;

	if (found->what && found->what <= what)
		return;
	while (stop < end)
	{
		uint32_t	c;
		size_t		n = sm_utf8_decode(stop, end, &c);

		if (n == 0 || is_control(c))
			break;
		stop += n;
	}
	found->what = what;
	found->text = sm_span(s, stop - s);
}

/* Note what code found. */
static void
note_coded(Look *look, SmFinder finder, const char *s, const char *end)
{
	note(look, look->suspects->coded[finder], s, end);
}

/*
 * Note what the patterns with a byte match at s.  place: SM_AT_..., if they have to match
 * up to end, or SM_WITHIN_....
 */
static void
try_patterns(Look *look, int place, int byte, const char *s, const char *end)
{
	const SmSuspects *suspects = look->suspects;
	bool		is_whole = place < SM_WITHIN_PATH;

	if ((suspects->places[byte] & place) == 0)
		return;
	for (int i = suspects->first[byte]; i < suspects->first[byte + 1]; i++)
	{
		const SmPattern *pattern = &suspects->patterns[i];
		const SmSuspicion *what = pattern->what;
		const char *stop = NULL;

		if ((what->places & place) && what->finder == SM_FIND_PATTERNS)
			stop = sm_match(pattern->pattern, look->text, s, end, is_whole);
		if (stop && !sm_match_any(what->except, look->text, s, end, is_whole))
			note(look, what, s, stop);
	}
}

/* The length of the word of a list that a text begins with, 0 for none. */
static size_t
word_length(const char *words, const char *s, const char *end)
{
	for (; words; words = sm_next_pattern(words))
	{
		size_t		len = strcspn(words, "|");

		if ((size_t) (end - s) >= len && sm_equal_ignoring_case(sm_span(s, len), sm_span(words, len)) &&
			(s + len == end || !sm_is_word_char(s[len]) || s[len] == '_'))
			return len;
	}
	return 0;
}

/* The end of a part without the suffix of a file. */
static const char *
without_suffix(const char *s, const char *end)
{
	const char *dot = end - 1;

	while (dot > s && end - dot <= SUFFIX_MAX && sm_is_word_char(*dot))
		dot--;
	return dot > s && dot < end - 1 && *dot == '.' ? dot : end;
}

/* A part without quotation marks, brackets and the suffix of a file. */
static SmSpan
bare_part(SmSpan part)
{
	const char *s = part.s;
	const char *end = s + part.len;

	while (s < end && sm_is_one_of(*s, "(<[\"'`"))
		s++;
	while (end > s && sm_is_one_of(end[-1], ")>]\"'`"))
		end--;
	return sm_span(s, without_suffix(s, end) - s);
}

/* Is it words of a list, such as "undefined undefined"? */
static bool
is_of_words(const char *words, SmSpan part)
{
	const char *s = part.s;
	const char *end = s + part.len;
	size_t		n;

	while ((n = word_length(words, s, end)) > 0)
	{
		s += n;
		if (s == end)
			return true;
		if (!sm_is_one_of(*s++, "-_,+ "))
			return false;
	}
	return false;
}

/* Look at a decoded part of a URL. */
static void
look_at_part(Look *look, int place, SmSpan part)
{
	const char *end = part.s + part.len;
	SmSpan		bare;

	if (part.len == 0)
		return;
	try_patterns(look, place, 0, part.s, end);
	try_patterns(look, place, (unsigned char) sm_lower(*part.s), part.s, end);
	try_patterns(look, place, SM_AT_END | (unsigned char) end[-1], part.s, end);
	bare = bare_part(part);
	if (bare.len == 0 || (look->suspects->places[(unsigned char) sm_lower(*bare.s)] & place) == 0)
		return;
	for (const SmSuspicion *what = sm_suspicions; what->sentence; what++)
		if ((what->places & place) && what->finder == SM_FIND_WORDS && is_of_words(what->patterns, bare))
			note(look, what, part.s, end);
}

/*
 * The length of the scheme that a decoded segment begins with, or has lost its colon; 0
 * for none.  next: what follows the segment.
 */
static size_t
scheme_in_path(SmSpan segment, const char *next, const char *end, SmSpan own_host)
{
	size_t		scheme = 4;

	if (segment.len < 4 || !sm_equal_ignoring_case(sm_span(segment.s, 4), sm_span_of("http")))
		return 0;
	if (segment.len > 4 && sm_lower(segment.s[4]) == 's')
		scheme++;
	if (segment.len > scheme)
		return segment.s[scheme] == ':' ? scheme : 0;
	return end - next >= 2 && *next == '/' &&
		(next[1] == '/' || begins_with_host(next + 1, end, own_host)) ? scheme : 0;
}

/*
 * Does a decoded segment begin another URL?  may_be_any: it can be a URL of any site, as
 * the path has nothing before it.  Elsewhere only a URL of the site itself is a mistake.
 */
static bool
begins_url(SmSpan segment, const char *next, const char *end, SmSpan own_host, bool may_be_any)
{
	size_t		scheme = scheme_in_path(segment, next, end, own_host);

	if (scheme == 0 || may_be_any)
		return scheme > 0;
	if (segment.len > scheme + 1)
	{
		next = segment.s + scheme + 1;
		end = segment.s + segment.len;
	}
	while (next < end && *next == '/')
		next++;
	return begins_with_host(next, end, own_host);
}

/* Decode the octet at *s to *d. */
static void
decode_octet(const char **s, char **d)
{
	if (**s == '%')
	{
		*(*d)++ = sm_hex_value((*s)[1]) * 16 + sm_hex_value((*s)[2]);
		*s += 3;
	}
	else
		*(*d)++ = *(*s)++;
}

/*
 * Decode the path of a URL, and look at its segments.  below: where the path below the
 * base URL begins.
 */
static char *
look_at_path(Look *look, const char *s, const char *end, const char *below, char *d)
{
	const char *path = s;

	while (s < end)
	{
		bool		is_first = s == path;
		bool		follows_scheme = !is_first && s[-1] == ':';
		bool		is_host = is_first && begins_with_host(s + 1, end, look->own_host);
		const char *begin;
		SmSpan		segment;

		*d++ = *s++;			/* the slash */
		is_first |= s == below;
		begin = d;
		while (s < end && *s != '/')
			decode_octet(&s, &d);
		segment = sm_span(begin, d - begin);
		if (segment.len == 0 && s < end && !follows_scheme)
			note_coded(look, SM_FIND_EMPTY_SEGMENT, begin, d);
		if (is_host || begins_url(segment, s, end, look->own_host, is_first))
			note_coded(look, SM_FIND_URL, begin, d);
		/* a slash may follow the last segment */
		look_at_part(look, s + 1 < end || look->own_host.len == 0 ? SM_AT_SEGMENT :
					 SM_AT_SEGMENT | SM_AT_LAST_SEGMENT, segment);
	}
	return d;
}

/* Decode the query of a URL, and look at its parameters and their values. */
static char *
look_at_query(Look *look, const char *s, const char *end, char *d)
{
	while (s < end)
	{
		const char *begin;
		const char *value = NULL;

		*d++ = *s++;			/* "?" or "&" */
		begin = d;
		while (s < end && *s != '&')
		{
			bool		begins_value = value == NULL && *s == '=';

			decode_octet(&s, &d);
			if (begins_value)
				value = d;
		}
		look_at_part(look, SM_AT_PARAMETER, sm_span(begin, d - begin));
		if (value)
			look_at_part(look, SM_AT_VALUE, sm_span(value, d - value));
	}
	return d;
}

/* A range of characters. */
typedef struct Range
{
	uint32_t	first;
	uint32_t	last;
} Range;

static bool
is_in(uint32_t c, const Range *ranges, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

#define IS_IN(c, ranges)	is_in((c), (ranges), sizeof(ranges) / sizeof((ranges)[0]))

/*
 * Characters without a shape of their own: blanks other than U+0020 and the wide U+3000,
 * marks of direction, fillers, and others that Unicode calls ignorable.  Not in the list
 * are characters that shape their neighbours.
 */
static const Range invisible[] = {
	{0xA0, 0xA0}, {0xAD, 0xAD}, {0x34F, 0x34F}, {0x61C, 0x61C}, {0x115F, 0x1160},
	{0x1680, 0x1680}, {0x17B4, 0x17B5}, {0x180E, 0x180E}, {0x2000, 0x200B},
	{0x200E, 0x200F}, {0x2028, 0x202F}, {0x205F, 0x206F}, {0x3164, 0x3164},
	{0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF9, 0xFFFC}, {0x1BCA0, 0x1BCA3},
	{0x1D173, 0x1D17A}
};

/* Scripts whose letters are joined or kept apart by U+200C and U+200D, and emoji. */
static const Range joined[] = {
	{0x600, 0x1FFF}, {0x2190, 0x2BFF}, {0xA800, 0xABFF}, {0xFB50, 0xFDFF}, {0xFE0F, 0xFE0F},
	{0xFE70, 0xFEFC}, {0x10A00, 0x1FFFF}
};

/* Scripts of India, in which U+200C and U+200D can end a word. */
static const Range indic[] = {{0x900, 0xDFF}};

/* The character at s, 0 for none. */
static uint32_t
character_at(const char *s, const char *end)
{
	uint32_t	c;

	return s < end && sm_utf8_decode(s, end, &c) > 0 ? c : 0;
}

/*
 * Is a character one that nobody sees?  before: the character before, 0 for none.  next:
 * what follows the character.
 */
static bool
is_invisible(uint32_t before, uint32_t c, const char *next, const char *end)
{
	/* nearly all letters */
	if ((c > 0x34F && c < 0x61C) || (c > 0x3164 && c < 0xFE0E))
		return false;
	if (c == 0x200C || c == 0x200D)
		return !IS_IN(before, joined) || (!IS_IN(character_at(next, end), joined) && !IS_IN(before, indic));
	if (c == 0xFE0E || c == 0xFE0F) /* of an emoji, maybe a digit's */
		return before < 0xA9 && !(before < 0x80 && sm_is_one_of(before, "#*0123456789"));
	if (c == 0xE0001 || (c >= 0xE0020 && c <= 0xE007F)) /* of a flag */
		return before < 0x1F000;
	return IS_IN(c, invisible);
}

/* The byte that a character stands for in Windows-1252 or Latin-1, -1 for none. */
static int
latin_byte(uint32_t c)
{
	static const uint16_t windows[32] = {
		0x20AC, 0, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021,
		0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0, 0x17D, 0,
		0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
		0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0, 0x17E, 0x178
	};

	if (c < 0x100)
		return c;
	for (int i = 0; i < 32; i++)
		if (windows[i] == c)
			return 0x80 + i;
	return -1;
}

/*
 * The end of a character's bytes in UTF-8, each of which was read as a character of its
 * own: after the two of U+00C3 and U+00A9 at "Ã©", which were the letter U+00E9.  NULL if
 * there is none.
 */
static const char *
end_of_misread(const char *s, const char *end)
{
	char		bytes[4];
	size_t		n = 0;
	size_t		wanted = 1;
	uint32_t	c;

	while (n < wanted)
	{
		size_t		len = sm_utf8_decode(s, end, &c);
		int			byte = len ? latin_byte(c) : -1;

		if (byte < 0x80)
			return NULL;
		if (n == 0)
			wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
		bytes[n++] = byte;
		s += len;
	}
	return sm_utf8_decode(bytes, bytes + n, &c) == n ? s : NULL;
}

/*
 * Look for misread UTF-8.  Two letters can follow each other by accident unless the first
 * is U+00C2 or U+00C3, so two pairs are needed.
 */
static void
look_for_misread(Look *look, const char *s, const char *end, uint32_t c)
{
	const char *stop = end_of_misread(s, end);

	if (stop && c >= 0xC4 && c <= 0xDF)
		stop = end_of_misread(stop, end);
	if (stop)
		note_coded(look, SM_FIND_MISREAD_UTF8, s, stop);
}

/* Look at all characters of the decoded URL, or of a text that is none. */
static void
look_at_text(Look *look, const char *s, const char *end)
{
	SmSuspect  *found = look->found;
	uint32_t	before = 0;

	while (s < end)
	{
		int			place = s < look->path_end ? SM_WITHIN_PATH : SM_WITHIN_QUERY;
		unsigned char byte = *s;
		uint32_t	c;
		size_t		n;

		if (look->suspects->places[byte] & place)
			try_patterns(look, place, byte, s, end);
		if (byte >= 0x20 && byte < 0x7F)
		{
			before = byte;
			s++;
			continue;
		}
		n = sm_utf8_decode(s, end, &c);
		if (n == 0)
		{
			before = 0;
			s++;
			continue;
		}
		if (is_control(c))
		{
			if (found->control == SM_NO_CHARACTER)
				found->control = c;
		}
		else if (found->invisible == SM_NO_CHARACTER && is_invisible(before, c, s + n, end))
			found->invisible = c;
		else if (c >= 0xC2 && c <= 0xF4)
			look_for_misread(look, s, end, c);
		before = c;
		s += n;
	}
}

static void
begin_look(Look *look, const SmSuspects *suspects, SmSuspect *found, SmSpan own_host, const char *text)
{
	*look = (Look)
	{
		.suspects = suspects,.found = found,.own_host = own_host,.text = text,.path_end = text
	};
	*found = (SmSuspect)
	{
		.control = SM_NO_CHARACTER,.invisible = SM_NO_CHARACTER
	};
}

void
sm_text_suspect(const SmSuspects *suspects, SmSpan text, SmSuspect *found)
{
	Look		look;

	begin_look(&look, suspects, found, sm_no_span(), text.s);
	for (const char *s = text.s; s < text.s + text.len; s++)
		try_patterns(&look, SM_WITHIN_TEXT, (unsigned char) *s, s, text.s + text.len);
}

void
sm_loc_suspect(const SmSuspects *suspects, SmSpan loc, SmSuspect *found)
{
	Look		look;

	begin_look(&look, suspects, found, sm_no_span(), loc.s);
	look_at_text(&look, loc.s, loc.s + loc.len);
	found->what = NULL;
}

void
sm_host_suspect(const SmSuspects *suspects, SmSpan host, SmSuspect *found)
{
	Look		look;

	begin_look(&look, suspects, found, sm_no_span(), host.s);
	look_at_part(&look, SM_AT_ORIGIN, host);
}

/*
 * Look at the host of a URL, which can be a value that was missing, or the scheme of
 * another URL.  path: what follows the port.
 */
static void
look_at_host(Look *look, SmSpan host, const char *path, const char *end)
{
	look_at_part(look, SM_AT_HOST, host);
	if (begins_url(host, path, end, sm_span(NULL, 0), true))
		note_coded(look, SM_FIND_URL, host.s, host.s + host.len);
}

void
sm_url_suspect(const SmSuspects *suspects, SmSpan url, size_t base_len, SmSpan own_host, char *room, SmSuspect *found)
{
	const char *end = url.s + url.len;
	SmSpan		host = sm_url_host(url);
	const char *path = host.s + host.len;
	const char *hash = memchr(path, '#', end - path);
	const char *query;
	char	   *d = room;
	Look		look;

	begin_look(&look, suspects, found, own_host, room);
	while (path < end && !sm_is_one_of(*path, "/?#"))
		path++;					/* the port */
	look_at_host(&look, host, path, end);

	if (hash == NULL)
		hash = end;
	query = memchr(path, '?', hash - path);
	if (query == NULL)
		query = hash;
	d = look_at_path(&look, path, query, url.s + base_len, d);
	look.path_end = d;
	d = look_at_query(&look, query, hash, d);
	while (hash < end)
		decode_octet(&hash, &d);
	look_at_text(&look, room, d);
}

bool
sm_url_is_numbered(SmSpan url, size_t base_len)
{
	const char *begin = url.s + base_len;
	const char *end = url.s + url.len;
	const char *s;

	if (base_len == 0 || end == begin)
		return false;
	if (end[-1] == '/')
		end--;
	end = without_suffix(begin, end);
	for (s = end; s > begin && sm_is_digit(s[-1]); s--)
		;
	return s < end && (s == begin || ((s - begin == 3 || s - begin == 6) && memchr(begin, '/', s - begin) == s - 1));
}
