/*
 * suspect.c
 *	  Nearly all URLs have nothing suspect: sm_url_traits sees that in one pass, by a
 *	  table of characters.  sm_url_suspect decodes any other URL and looks closely.
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

/* The longest placeholder or entity that is looked for, in bytes. */
#define PLACEHOLDER_MAX	100

/* The longest suffix of a file, such as "html", in bytes. */
#define SUFFIX_MAX		5

static const char *const missing_words[] = {"null", "none", "nan", "nil", "undefined", NULL};

/* Is it one of these characters? */
static inline bool
is_one_of(char c, const char *characters)
{
	return c != '\0' && strchr(characters, c) != NULL;
}

static bool
is_word_char(char c)
{
	return sm_is_letter(c) || sm_is_digit(c) || c == '_';
}

/* The length of the word that a text begins with if it stands for a missing value, else 0. */
static size_t
missing_word(const char *s, const char *end)
{
	for (const char *const *word = missing_words; *word; word++)
	{
		SmSpan		span = sm_span_of(*word);

		if ((size_t) (end - s) >= span.len && sm_equal_ignoring_case(sm_span(s, span.len), span) &&
			(s + span.len == end || !is_word_char(s[span.len]) || s[span.len] == '_'))
			return span.len;
	}
	return 0;
}

/* Added to the traits in the table: what follows the character is looked at. */
#define BEGINS_PART		0x80

/* The traits that the first character of a segment or value gives a URL. */
static unsigned int
traits_of_part(const char *s, const char *end, bool in_path)
{
	if (s == end)
		return 0;
	switch (*s)
	{
		case '.':
			return SM_MAY_VARY; /* perhaps a dot segment */
		case '/':
			return in_path ? SM_MAY_BE_SUSPECT : 0;
		case '(':
		case '\'':
			return SM_MAY_BE_SUSPECT;
		case 'n':
		case 'N':
		case 'u':
		case 'U':
			return missing_word(s, end) ? SM_MAY_BE_SUSPECT : 0;
		case 'h':
		case 'H':
			return end - s > 4 && sm_equal_ignoring_case(sm_span(s, 4), sm_span_of("http")) ?
				SM_MAY_BE_SUSPECT : 0;
		default:
			return 0;
	}
}

/*
 * Does a text begin with the site's host, with or without "www."?  A host without a dot
 * can be a segment of its own.
 */
static bool
begins_with_host(const char *s, const char *end, SmSpan own_host)
{
	SmSpan		host = sm_without_www(own_host);

	if (sm_span_begins(sm_span(s, end - s), "www."))
		s += 4;
	return host.len > 0 && (size_t) (end - s) >= host.len && sm_lower(*s) == host.s[0] &&
		sm_equal_ignoring_case(sm_span(s, host.len), host) &&
		(s + host.len == end || is_one_of(s[host.len], "/?#:")) &&
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
sm_url_traits(const char *s, const char *end, SmSpan own_host)
{
	static const uint8_t table[256] = {
		['%'] = SM_MAY_BE_SUSPECT,['#'] = SM_HAS_FRAGMENT | SM_MAY_BE_SUSPECT | SM_MAY_VARY,
		['&'] = SM_HAS_ENTITIES,[':'] = SM_MAY_BE_SUSPECT,[';'] = SM_MAY_BE_SUSPECT,
		['/'] = BEGINS_PART,['='] = BEGINS_PART
	};
	unsigned int traits = 0;

	if (s < end && *s != '/')
		traits = traits_of_part(s, end, false);
	else if (s < end && begins_with_host(s + 1, end, own_host))
		traits = SM_MAY_BE_SUSPECT;
	while (s < end)
	{
		unsigned int class = table[(unsigned char) *s++];

		if (class == 0)
			continue;
		if (class == BEGINS_PART)
		{
			traits |= traits_of_part(s, end, s[-1] == '/');
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
	return traits;
}

/* A URL that is looked at closely. */
typedef struct Look
{
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
note(Look *look, SmSuspicion what, const char *s, const char *end)
{
	SmSuspect  *found = look->found;
	const char *stop = s;

	if (found->what != SM_NOT_SUSPECT && found->what <= what)
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

/* Does a part, such as "(null)" or "undefined.jpg", stand for a missing value? */
static bool
is_missing(SmSpan part)
{
	const char *s = part.s;
	const char *end = s + part.len;
	const char *dot;

	while (s < end && is_one_of(*s, "(<[\"'`"))
		s++;
	while (end > s && is_one_of(end[-1], ")>]\"'`"))
		end--;
	/* the suffix of a file */
	for (dot = end - 1; dot > s && end - dot <= SUFFIX_MAX && is_word_char(*dot); dot--)
		;
	if (dot > s && dot < end - 1 && *dot == '.')
		end = dot;
	while (s < end)
	{
		size_t		n = missing_word(s, end);

		if (n == 0)
			return false;
		s += n;
		if (s == end)
			return true;
		if (!is_one_of(*s++, "-_,+ "))
			return false;
	}
	return false;
}

/* Is a part a parameter of a route, such as ":slug", ":id.json", "[slug]" or "[...slug]"? */
static bool
is_route_parameter(SmSpan part)
{
	const char *end = part.s + part.len;
	const char *s = part.s + 1;

	if (part.len < 2)
		return false;
	if (part.s[0] == ':')
	{
		if (!sm_is_letter(*s) && *s != '_')
			return false;
		while (s < end && is_word_char(*s))
			s++;
		return s == end || is_one_of(*s, ".-(*+?~");
	}
	if (part.s[0] != '[' || end[-1] != ']')
		return false;
	while (s < end && !sm_is_letter(*s))
		s++;
	return s < end;
}

/* Does a part begin or end with a blank, or with U+3000, that of East Asia? */
static bool
has_blank_at_end(SmSpan part)
{
	const char *wide = "\xE3\x80\x80";

	return part.len > 0 &&
		(part.s[0] == ' ' || part.s[part.len - 1] == ' ' || sm_span_begins(part, wide) ||
		 (part.len >= 3 && memcmp(part.s + part.len - 3, wide, 3) == 0));
}

/* Look at a decoded segment of the path, or value of the query. */
static void
look_at_part(Look *look, SmSpan part, SmSuspicion missing)
{
	const char *end = part.s + part.len;

	if (is_missing(part))
		note(look, missing, part.s, end);
	else if (is_route_parameter(part))
		note(look, SM_PLACEHOLDER, part.s, end);
	else if (has_blank_at_end(part))
		note(look, SM_BLANK_AT_END, part.s, end);
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
		const char *segment;

		*d++ = *s++;			/* the slash */
		is_first |= s == below;
		segment = d;
		while (s < end && *s != '/')
			decode_octet(&s, &d);
		if (d == segment && s < end && !follows_scheme)
			note(look, SM_EMPTY_SEGMENT, segment, d);
		if (is_host || begins_url(sm_span(segment, d - segment), s, end, look->own_host, is_first))
			note(look, SM_URL_IN_PATH, segment, d);
		look_at_part(look, sm_span(segment, d - segment), SM_MISSING_SEGMENT);
	}
	return d;
}

/* Decode the query of a URL, and look at its values. */
static char *
look_at_query(Look *look, const char *s, const char *end, char *d)
{
	while (s < end)
	{
		const char *value = NULL;

		*d++ = *s++;			/* "?" or "&" */
		while (s < end && *s != '&')
		{
			bool		begins_value = value == NULL && *s == '=';

			decode_octet(&s, &d);
			if (begins_value)
				value = d;
		}
		if (value)
			look_at_part(look, sm_span(value, d - value), SM_MISSING_VALUE);
	}
	return d;
}

/* The end of a text, but not more than PLACEHOLDER_MAX bytes from s on. */
static const char *
near_end(const char *s, const char *end)
{
	return end - s > PLACEHOLDER_MAX ? s + PLACEHOLDER_MAX : end;
}

/* After the first of a character from s on; NULL if there is none near. */
static const char *
after(const char *s, const char *end, char c)
{
	const char *found = memchr(s, c, near_end(s, end) - s);

	return found ? found + 1 : NULL;
}

/* Are these the digits of a number such as a GUID, which some URLs have in braces? */
static bool
is_long_number(const char *s, const char *end)
{
	if (end - s < 32)
		return false;
	while (s < end && (sm_hex_value(*s) >= 0 || *s == '-'))
		s++;
	return s == end;
}

/* The end of a placeholder in braces, such as "{{ slug }}" or "{id}"; NULL for none. */
static const char *
end_of_braces(const char *s, const char *end)
{
	const char *close = after(s + 1, end, '}');

	if (close == NULL)
		return s + 1 < end && (s[1] == '{' || s[1] == '%') ? near_end(s, end) : NULL;
	/* a quotation mark is that of JSON */
	if (memchr(s, '"', close - s) != NULL || is_long_number(s + 1, close - 1))
		return NULL;
	while (close < end && *close == '}')
		close++;
	return close;
}

/* The end of a tag such as "<slug>", "</b>" or "<%= slug %>"; NULL for none. */
static const char *
end_of_tag(const char *s, const char *end)
{
	const char *close = after(s + 1, end, '>');

	if (close == NULL)
		return NULL;
	s++;
	if (*s == '/')
		s++;
	return sm_is_letter(*s) || is_one_of(*s, "%?#=!") ? close : NULL;
}

/*
 * The end of a placeholder such as "%s", "%1$s", "%(slug)s" or "%slug%"; NULL for none.
 * The "%" of "100%" is none.
 */
static const char *
end_of_format(const char *text, const char *s, const char *end)
{
	const char *name = s + 1;
	const char *p = name;

	if (p == end || (s > text && sm_is_digit(s[-1])))
		return NULL;
	if (*p == '(')
		return after(p, end, ')');
	if (*p == '!' && p + 1 < end && sm_is_letter(p[1]))
		return after(p, end, ')');
	while (p < end && sm_is_digit(*p))
		p++;
	if (p > name && p < end && *p == '$')
		return p + 1 < end && sm_is_letter(p[1]) ? p + 2 : NULL;
	while (p < end && (is_word_char(*p) || *p == '-'))
		p++;
	if (p > name && p < end && *p == '%' && (sm_is_letter(*name) || *name == '_'))
		return p + 1;
	if (is_one_of(*name, "sdifuvx@") && (name + 1 == end || !is_word_char(name[1])))
		return name + 1;
	return NULL;
}

/* The end of an entity of HTML such as "&amp;" or "&#038;"; NULL for none. */
static const char *
end_of_entity(const char *s, const char *end)
{
	bool		is_number = end - s > 1 && s[1] == '#';
	const char *name = s + (is_number ? 2 : 1);
	const char *p = name;

	if (is_number && p < end && sm_lower(*p) == 'x')
		p = ++name;
	else if (p == end || (is_number ? !sm_is_digit(*p) : !sm_is_letter(*p)))
		return NULL;
	end = near_end(s, end);
	while (p < end && (sm_is_letter(*p) || sm_is_digit(*p)))
		p++;
	return p > name && p < end && *p == ';' ? p + 1 : NULL;
}

/* The end of an escape of JavaScript, "\u0026" or "%u0026"; NULL for none. */
static const char *
end_of_unicode_escape(const char *s, const char *end)
{
	if (end - s < 6 || s[1] != 'u')
		return NULL;
	for (int i = 2; i < 6; i++)
		if (sm_hex_value(s[i]) < 0)
			return NULL;
	return s + 6;
}

static void
note_if(Look *look, SmSuspicion what, const char *s, const char *end)
{
	if (end)
		note(look, what, s, end);
}

/* Look at a character of ASCII in the decoded URL. */
static void
look_at_ascii(Look *look, const char *s, const char *end)
{
	const char *next;

	switch (*s)
	{
		case '{':
			next = end_of_braces(s, end);
			if (s > look->text && is_one_of(s[-1], "$#@%"))
				s--;
			note_if(look, SM_PLACEHOLDER, s, next);
			break;
		case '<':
			note_if(look, SM_PLACEHOLDER, s, end_of_tag(s, end));
			break;
		case '[':
			if (end - s > 8 && memcmp(s, "[object", 7) == 0 && is_one_of(s[7], " +"))
				note_if(look, SM_PLACEHOLDER, s, after(s, end, ']'));
			break;
		case '%':
			note_if(look, SM_HTML_ENTITY, s, end_of_unicode_escape(s, end));
			note_if(look, SM_PLACEHOLDER, s, end_of_format(look->text, s, end));
			break;
		case '&':
			note_if(look, SM_HTML_ENTITY, s, end_of_entity(s, end));
			break;
		case '\\':
			next = end_of_unicode_escape(s, end);
			note_if(look, SM_HTML_ENTITY, s, next);
			if (next == NULL && s < look->path_end)
				note(look, SM_BACKSLASH, s, s + 1);
			break;
		default:
			break;
	}
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
		return before < 0xA9 && !(before < 0x80 && is_one_of(before, "#*0123456789"));
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
	note_if(look, SM_MISREAD_UTF8, s, stop);
}

/* Look at all characters of a decoded text. */
static void
look_at_text(Look *look, const char *s, const char *end)
{
	SmSuspect  *found = look->found;
	uint32_t	before = 0;

	while (s < end)
	{
		uint32_t	c;
		size_t		n;

		if ((unsigned char) *s >= 0x20 && (unsigned char) *s < 0x7F)
		{
			before = (unsigned char) *s;
			if (!is_word_char(*s))
				look_at_ascii(look, s, end);
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
		else if (c == 0xFFFD)
			note(look, SM_LOST_CHARACTER, s, s + n);
		else if (c >= 0xC2 && c <= 0xF4)
			look_for_misread(look, s, end, c);
		before = c;
		s += n;
	}
}

static void
begin_look(Look *look, SmSuspect *found, SmSpan own_host, const char *room)
{
	*look = (Look)
	{
		.found = found,.own_host = own_host,.text = room,.path_end = room
	};
	*found = (SmSuspect)
	{
		.control = SM_NO_CHARACTER,.invisible = SM_NO_CHARACTER
	};
}

void
sm_text_suspect(SmSpan text, SmSuspect *found)
{
	Look		look;

	begin_look(&look, found, sm_no_span(), text.s);
	look_at_text(&look, text.s, text.s + text.len);
	found->what = SM_NOT_SUSPECT;
}

/*
 * Look at the host of a URL, which can be a value that was missing, or the scheme of
 * another URL.  path: what follows the port.
 */
static void
look_at_host(Look *look, SmSpan host, const char *path, const char *end)
{
	size_t		word = missing_word(host.s, host.s + host.len);

	/* subdomains such as none.example.com exist */
	if (word > 0 && (word == host.len || (host.s[word] == '.' && word > 3 && sm_lower(host.s[1]) != 'o')))
		note(look, SM_MISSING_HOST, host.s, host.s + word);
	if (begins_url(host, path, end, sm_span(NULL, 0), true))
		note(look, SM_URL_IN_PATH, host.s, host.s + host.len);
}

void
sm_url_suspect(SmSpan url, size_t base_len, SmSpan own_host, char *room, SmSuspect *found)
{
	const char *end = url.s + url.len;
	SmSpan		host = sm_url_host(url);
	const char *path = host.s + host.len;
	const char *hash = memchr(path, '#', end - path);
	const char *query;
	char	   *d = room;
	Look		look;

	begin_look(&look, found, own_host, room);
	while (path < end && !is_one_of(*path, "/?#"))
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
