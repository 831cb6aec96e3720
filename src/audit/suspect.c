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

#include "audit/pattern.h"
#include "text/ascii.h"
#include "text/text.h"
#include "web/url.h"
#include "web/xml.h"

/* The longest suffix of a file, such as "html", in bytes. */
#define SUFFIX_MAX	5

/* What can be around words. */
#define OPENING_QUOTES	"(<[\"'`"
#define CLOSING_QUOTES	")>]\"'`"

/* Is a suspicion looked for at a place? */
static bool
is_at(const SmSuspicion *what, SmPlace place)
{
	return (what->places & (SM_AT(place) | (place == SM_LAST_SEGMENT ? SM_AT(SM_SEGMENT) : 0))) != 0;
}

/* Do patterns have to match a part at a place as a whole? */
static bool
is_whole_at(SmPlace place)
{
	return place < SM_WITHIN_PATH;
}

/* What can follow a pattern that matches a whole part, or a word, before it is decoded. */
#define AFTER_PART	"/?#&=-_,+ ." CLOSING_QUOTES

/*
 * Add a pattern to those at a place: which characters its first ones can be.  is_whole: a
 * pattern without other elements is all of a part, or a word of it.
 */
static void
add_beginning(uint64_t beginnings[SM_BEGINNING][256], const char *pattern, bool is_whole, uint64_t bit)
{
	const char *p = pattern;
	int			i = 0;

	for (; i < SM_BEGINNING && (unsigned char) *p >= ' ' && *p != '|'; i++, p++)
	{
		beginnings[i][(unsigned char) *p] |= bit;
		beginnings[i][(unsigned char) sm_upper(*p)] |= bit;
	}
	if (is_whole && i < SM_BEGINNING && (*p == '\0' || *p == '|'))
	{
		for (const char *after = AFTER_PART; *after; after++)
			beginnings[i][(unsigned char) *after] |= bit;
		i++;
	}
	for (; i < SM_BEGINNING; i++)
		for (int c = 0; c < 256; c++)
			beginnings[i][c] |= bit;
}

/* Add the patterns of a suspicion to those at a place. */
static void
add_patterns(SmSuspects *suspects, SmPlace place, const SmSuspicion *what, int *n)
{
	bool		is_whole = is_whole_at(place) &&
		(what->finder == SM_FIND_PATTERNS || what->finder == SM_FIND_WORDS);

	for (const char *p = what->patterns; p; p = sm_next_pattern(p))
	{
		if (*p == *ANY)
			suspects->ends[place][(unsigned char) p[strcspn(p, "|") - 1]] = true;
		else
			add_beginning(suspects->beginnings[place], p + strspn(p, NOT_NUMBER IN_WORD), is_whole,
						  UINT64_C(1) << (*n)++ % 64);
	}
	for (const char *quote = OPENING_QUOTES; *quote && what->finder == SM_FIND_WORDS; quote++)
	{
		char		opening[2] = {*quote};

		add_beginning(suspects->beginnings[place], opening, false, UINT64_C(1) << (*n)++ % 64);
	}
}

void
sm_suspects_init(SmSuspects *suspects)
{
	memset(suspects, 0, sizeof(*suspects));
	for (int place = 0; place < SM_NPLACES; place++)
	{
		int			n = 0;

		for (const SmSuspicion *what = sm_suspicions; what->sentence; what++)
			if (is_at(what, place) && what->finder != SM_FIND_MISREAD_UTF8)
				add_patterns(suspects, place, what, &n);
	}
}

/* Is the beginning of a text that of a pattern?  The end is like a slash. */
static inline bool
may_match(const SmSuspects *suspects, SmPlace place, const char *s, const char *end)
{
	uint64_t	patterns = UINT64_MAX;

	for (int i = 0; i < SM_BEGINNING && patterns != 0; i++)
		patterns &= suspects->beginnings[place][i][end - s > i ? (unsigned char) s[i] : '/'];
	return patterns != 0;
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

/* In the table of traits: a part at this place begins after the character. */
#define BEFORE(place)	(((place) + 1) << 4)

unsigned int
sm_url_traits(const SmSuspects *suspects, const char *s, const char *end, SmSpan own_host)
{
	static const uint8_t table[256] = {
		['%'] = SM_MAY_BE_SUSPECT,['#'] = SM_HAS_FRAGMENT | SM_MAY_BE_SUSPECT | SM_MAY_VARY,
		[':'] = SM_MAY_BE_SUSPECT,[';'] = SM_MAY_BE_SUSPECT,
		['/'] = BEFORE(SM_LAST_SEGMENT),['='] = BEFORE(SM_VALUE),
		['?'] = BEFORE(SM_PARAMETER),['&'] = BEFORE(SM_PARAMETER)
	};
	unsigned int traits = 0;

	if (s == end)
		return 0;
	if (*s == '/' ? begins_with_host(s + 1, end, own_host) : may_match(suspects, SM_HOST, s, end))
		traits = SM_MAY_BE_SUSPECT;
	while (s < end)
	{
		unsigned int class = table[(unsigned char) *s++];

		if (class == 0)
			continue;
		if (class >= BEFORE(0))
		{
			if (s < end && may_match(suspects, (class >> 4) - 1, s, end))
				traits |= SM_MAY_BE_SUSPECT;
			if (s < end && *s == '.')
				traits |= SM_MAY_VARY;	/* perhaps a dot segment */
			continue;
		}
		traits |= class;
		if (s[-1] == '%')
		{
			if (!is_canonical_escape(s - 1))
				traits |= SM_MAY_VARY;
			s += 2;
		}
	}
	if (end[-1] == '?')
		traits |= SM_MAY_BE_SUSPECT;
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
	const SmSuspicion *what = sm_suspicions;

	while (what->finder != finder)
		what++;
	note(look, what, s, end);
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

/*
 * Is a part words of a list, such as "undefined undefined", maybe in quotation marks or
 * brackets, or with the suffix of a file?
 */
static bool
is_of_words(const char *words, const char *s, const char *end)
{
	while (s < end && sm_is_one_of(*s, OPENING_QUOTES))
		s++;
	while (end > s && sm_is_one_of(end[-1], CLOSING_QUOTES))
		end--;
	end = without_suffix(s, end);
	for (;; s++)
	{
		const char *begin = s;

		while (s < end && !sm_is_one_of(*s, "-_,+ "))
			s++;
		if (!sm_match(words, begin, begin, s, true))
			return false;
		if (s == end)
			return true;
	}
}

/* Note what matches at s, in a part, or in a text, that ends at end. */
static void
try_patterns(Look *look, SmPlace place, const char *s, const char *end)
{
	for (const SmSuspicion *what = sm_suspicions; what->sentence; what++)
	{
		const char *stop = NULL;

		if (!is_at(what, place))
			continue;
		if (what->finder == SM_FIND_PATTERNS)
			stop = sm_match(what->patterns, look->text, s, end, is_whole_at(place));
		else if (what->finder == SM_FIND_WORDS && is_of_words(what->patterns, s, end))
			stop = end;
		if (stop && !sm_match(what->except, look->text, s, end, is_whole_at(place)))
			note(look, what, s, stop);
	}
}

/* Look at a decoded part of a URL. */
static void
look_at_part(Look *look, SmPlace place, SmSpan part)
{
	const char *end = part.s + part.len;

	if (part.len > 0 && (look->suspects->ends[place][(unsigned char) end[-1]] ||
						 may_match(look->suspects, place, part.s, end)))
		try_patterns(look, place, part.s, end);
}

/*
 * Does a decoded segment begin another URL, maybe without the colon of its scheme?  next: what
 * follows the segment.  may_be_any: it can be a URL of any site, as the path has nothing
 * before it.  Elsewhere only a URL of the site itself is a mistake.
 */
static bool
begins_url(SmSpan segment, const char *next, const char *end, SmSpan own_host, bool may_be_any)
{
	const char *segment_end = segment.s + segment.len;
	const char *colon = segment.s + 4;

	if (segment.len < 4 || !sm_equal_ignoring_case(sm_span(segment.s, 4), sm_span_of("http")))
		return false;
	if (colon < segment_end && sm_lower(*colon) == 's')
		colon++;
	if (colon < segment_end && *colon != ':')
		return false;
	if (may_be_any && (colon < segment_end || sm_span_begins(sm_span(next, end - next), "//")))
		return true;
	if (colon + 1 < segment_end)
	{
		next = colon + 1;
		end = segment_end;
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
		look_at_part(look, s + 1 < end || look->own_host.len == 0 ? SM_SEGMENT : SM_LAST_SEGMENT, segment);
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
		look_at_part(look, SM_PARAMETER, sm_span(begin, d - begin));
		if (value)
			look_at_part(look, SM_VALUE, sm_span(value, d - value));
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
	/* nearly all characters */
	if (c < 0xA0 || (c > 0x34F && c < 0x61C) || (c > 0x3164 && c < 0xFE0E))
		return false;
	if (c == 0x200C || c == 0x200D) /* they can end a word in scripts of India */
		return !IS_IN(before, joined) ||
			(!IS_IN(character_at(next, end), joined) && !(before >= 0x900 && before <= 0xDFF));
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
 * Look for misread UTF-8.  Characters can also follow each other like this by accident, as
 * U+00E9 U+2026 U+00BB do in French.  So two such sequences are needed, unless the first
 * character is that of a Western letter (U+00C2, U+00C3), of punctuation (U+00E2, U+00EF), or
 * of an emoji (U+00F0).
 */
static void
look_for_misread(Look *look, const char *s, const char *end, uint32_t c)
{
	const char *stop = end_of_misread(s, end);

	if (stop && c >= 0xC4 && c < 0xF0 && c != 0xE2 && c != 0xEF)
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
	uint32_t	c;

	for (size_t n; s < end; s += n, before = c)
	{
		SmPlace		place = s < look->path_end ? SM_WITHIN_PATH : SM_WITHIN_QUERY;

		if (may_match(look->suspects, place, s, end))
			try_patterns(look, place, s, end);
		n = sm_utf8_decode(s, end, &c);
		if (n == 0)
		{
			c = '?';			/* malformed */
			n = 1;
		}
		else if (is_control(c))
		{
			if (found->control == SM_NO_CHARACTER)
				found->control = c;
		}
		else if (found->invisible == SM_NO_CHARACTER && is_invisible(before, c, s + n, end))
			found->invisible = c;
		else if (c >= 0xC2 && c <= 0xF4)
			look_for_misread(look, s, end, c);
	}
}

/*
 * Begin to look at a text, or at a URL that is to be decoded.  decoded: where the text is then.
 * A look cannot be canceled, so a text that is too long is cut, and such a URL not looked at.
 */
static Look
begin_look(const SmSuspects *suspects, SmSuspect *found, SmSpan own_host, SmSpan *text,
		   const char *decoded)
{
	Look		look = {suspects, found, own_host,.text = decoded,.path_end = decoded};

	if (text->len > SM_LOOK_MAX)
		text->len = text->s == decoded ? SM_LOOK_MAX : 0;
	found->what = NULL;
	found->control = found->invisible = SM_NO_CHARACTER;
	return look;
}

void
sm_text_suspect(const SmSuspects *suspects, SmSpan text, SmSuspect *found)
{
	Look		look = begin_look(suspects, found, sm_no_span(), &text, text.s);

	for (const char *s = text.s; s < text.s + text.len; s++)
		if (may_match(suspects, SM_WITHIN_TEXT, s, text.s + text.len))
			try_patterns(&look, SM_WITHIN_TEXT, s, text.s + text.len);
}

void
sm_loc_suspect(const SmSuspects *suspects, SmSpan loc, SmSuspect *found)
{
	Look		look = begin_look(suspects, found, sm_no_span(), &loc, loc.s);

	look_at_text(&look, loc.s, loc.s + loc.len);
	found->what = NULL;
}

void
sm_host_suspect(const SmSuspects *suspects, SmSpan host, SmSuspect *found)
{
	Look		look = begin_look(suspects, found, sm_no_span(), &host, host.s);

	look_at_part(&look, SM_ORIGIN, host);
}

void
sm_url_suspect(const SmSuspects *suspects, SmSpan url, size_t base_len, SmSpan own_host, char *room, SmSuspect *found)
{
	Look		look = begin_look(suspects, found, own_host, &url, room);
	const char *end = url.s + url.len;
	SmSpan		host = sm_url_host(url);
	const char *path = host.s + host.len;
	const char *hash = memchr(path, '#', end - path);
	const char *query;
	char	   *d = room;

	while (path < end && !sm_is_one_of(*path, "/?#"))
		path++;					/* the port */
	/* the host can be a value that was missing, or the scheme of another URL */
	look_at_part(&look, SM_HOST, host);
	if (begins_url(host, path, end, sm_no_span(), true))
		note_coded(&look, SM_FIND_URL, host.s, host.s + host.len);

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
	const char *s = url.s + base_len;
	const char *end = url.s + url.len;
	const char *begin;

	if (base_len == 0)
		return false;
	if (end - s > 3 && s[2] == '/' && sm_is_letter(s[1]))
		s += 3;					/* a language */
	else if (end - s > 6 && s[5] == '/' && !sm_is_word_char(s[2]))
		s += 6;					/* and a country */
	for (begin = s; s < end && sm_is_digit(*s);)
		s++;
	if (s == begin)
		return false;
	if (end[-1] == '/')
		end--;
	return s == without_suffix(begin, end);
}
