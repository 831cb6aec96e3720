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
	/* the end of a text is like a slash */
	if (i < SM_BEGINNING && *p == *TEXT_END)
		beginnings[i++]['/'] |= bit;
	for (; i < SM_BEGINNING; i++)
		for (int c = 0; c < 256; c++)
			beginnings[i][c] |= bit;
}

/* Add the patterns of a suspicion to those at a place. */
static void
add_patterns(SmSuspects *suspects, SmPlace place, const SmSuspicion *what, int *n)
{
	for (const char *p = what->patterns; p; p = sm_next_pattern(p))
	{
		if (*p == *ANY)
			suspects->ends[place][(unsigned char) p[strcspn(p, "|") - 1]] = true;
		else
			add_beginning(suspects->beginnings[place], p + strspn(p, NOT_NUMBER IN_WORD),
						  is_whole_at(place), UINT64_C(1) << (*n)++ % 64);
	}
	for (const char *quote = OPENING_QUOTES; *quote && what->is_words; quote++)
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
			if (is_at(what, place))
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
sm_url_traits(const SmSuspects *suspects, const char *s, const char *end)
{
	static const uint8_t table[256] = {
		['%'] = SM_MAY_BE_SUSPECT,['#'] = SM_MAY_BE_SUSPECT | SM_MAY_VARY,
		[':'] = SM_MAY_BE_SUSPECT,[';'] = SM_MAY_BE_SUSPECT,
		['/'] = BEFORE(SM_LAST_SEGMENT),['='] = BEFORE(SM_VALUE),
		['?'] = BEFORE(SM_PARAMETER),['&'] = BEFORE(SM_PARAMETER)
	};
	unsigned int traits = 0;

	if (s == end)
		return 0;
	if (*s != '/' && may_match(suspects, SM_HOST, s, end))
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
	const char *text;			/* decoded so far */
} Look;

/* A range of characters. */
typedef struct Range
{
	uint32_t	first;
	uint32_t	last;
} Range;

/*
 * Characters without a shape of their own: control characters, blanks other than U+0020 and
 * the wide U+3000, marks of direction, fillers, noncharacters, and others that Unicode calls
 * ignorable.  Not in the list are characters that shape their neighbours.  In ascending order.
 */
static const Range invisible[] = {
	{0x00, 0x1F}, {0x7F, 0xA0}, {0xAD, 0xAD}, {0x34F, 0x34F}, {0x61C, 0x61C},
	{0x115F, 0x1160}, {0x1680, 0x1680}, {0x17B4, 0x17B5}, {0x180E, 0x180E}, {0x2000, 0x200B},
	{0x200E, 0x200F}, {0x2028, 0x202F}, {0x205F, 0x206F}, {0x3164, 0x3164}, {0xFEFF, 0xFEFF},
	{0xFFA0, 0xFFA0}, {0xFFF9, 0xFFFC}, {0xFFFE, 0xFFFF}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}
};

/* Is a character one that nobody sees? */
static bool
is_invisible(uint32_t c)
{
	for (size_t i = 0; i < sizeof(invisible) / sizeof(invisible[0]) && c >= invisible[i].first; i++)
		if (c <= invisible[i].last)
			return true;
	return false;
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

		if (n == 0 || is_invisible(c))
			break;
		stop += n;
	}
	found->what = what;
	found->text = sm_span(s, stop - s);
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
		const char *stop;

		if (!is_at(what, place))
			continue;
		if (what->is_words)
			stop = is_of_words(what->patterns, s, end) ? end : NULL;
		else
			stop = sm_match(what->patterns, look->text, s, end, is_whole_at(place));
		if (stop && !sm_match(what->except, look->text, s, end, is_whole_at(place)))
			note(look, what, s, stop);
	}
}

/* Look at a decoded part of a URL, which can be empty. */
static void
look_at_part(Look *look, SmPlace place, SmSpan part)
{
	const char *end = part.s + part.len;

	if ((part.len > 0 && look->suspects->ends[place][(unsigned char) end[-1]]) ||
		may_match(look->suspects, place, part.s, end))
		try_patterns(look, place, part.s, end);
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
look_at_path(Look *look, const char *s, const char *end, const char *below, bool is_page, char *d)
{
	const char *path = s;

	while (s < end)
	{
		bool		is_first = s == path || s + 1 == below;
		bool		follows_scheme = s > path && s[-1] == ':';
		const char *begin;
		SmSpan		segment;

		*d++ = *s++;			/* the slash */
		begin = d;
		while (s < end && *s != '/')
			decode_octet(&s, &d);
		segment = sm_span(begin, d - begin);
		if (segment.len == 0 && (s == end || follows_scheme))
			continue;
		if (is_first)
			look_at_part(look, SM_FIRST_SEGMENT, segment);
		/* a slash may follow the last segment */
		look_at_part(look, s + 1 < end || !is_page ? SM_SEGMENT : SM_LAST_SEGMENT, segment);
	}
	return d;
}

/* Decode the query of a URL, and look at its parameters and their values. */
static char *
look_at_query(Look *look, const char *s, const char *end, char *d)
{
	bool		is_empty = end - s == 1;

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
		if (d > begin || is_empty)
			look_at_part(look, SM_PARAMETER, sm_span(begin, d - begin));
		if (value)
			look_at_part(look, SM_VALUE, sm_span(value, d - value));
	}
	return d;
}

/* Look at all characters from s to stop, in a decoded URL or a text that ends at end. */
static void
look_at_text(Look *look, SmPlace place, const char *s, const char *stop, const char *end)
{
	SmSuspect  *found = look->found;
	uint32_t	c;

	for (size_t n; s < stop; s += n)
	{
		if (may_match(look->suspects, place, s, end))
			try_patterns(look, place, s, end);
		n = sm_utf8_decode(s, end, &c);
		if (n == 0)
			n = 1;				/* malformed */
		else if (found->invisible == SM_NO_CHARACTER && is_invisible(c))
			found->invisible = c;
	}
}

/*
 * Begin to look at a text, or at a URL that is to be decoded.  decoded: where the text is then.
 * A look cannot be canceled, so a text that is too long is cut, and such a URL not looked at.
 */
static Look
begin_look(const SmSuspects *suspects, SmSuspect *found, SmSpan *text, const char *decoded)
{
	Look		look = {suspects, found,.text = decoded};

	if (text->len > SM_LOOK_MAX)
		text->len = text->s == decoded ? SM_LOOK_MAX : 0;
	found->what = NULL;
	found->invisible = SM_NO_CHARACTER;
	return look;
}

void
sm_text_suspect(const SmSuspects *suspects, SmSpan text, SmSuspect *found)
{
	Look		look = begin_look(suspects, found, &text, text.s);
	const char *end = text.s + text.len;

	look_at_text(&look, SM_WITHIN_TEXT, text.s, end, end);
}

void
sm_host_suspect(const SmSuspects *suspects, SmSpan host, SmSuspect *found)
{
	Look		look = begin_look(suspects, found, &host, host.s);

	look_at_part(&look, SM_ORIGIN, host);
}

void
sm_url_suspect(const SmSuspects *suspects, SmSpan url, size_t base_len, bool is_page, char *room,
			   SmSuspect *found)
{
	Look		look = begin_look(suspects, found, &url, room);
	const char *end = url.s + url.len;
	SmSpan		host = sm_url_host(url);
	const char *path = host.s + host.len;
	const char *hash = memchr(path, '#', end - path);
	const char *query;
	char	   *path_end;		/* in room */
	char	   *d;

	while (path < end && !sm_is_one_of(*path, "/?#"))
		path++;					/* the port */
	/* the host can be a value that was missing, or the scheme of another URL */
	look_at_part(&look, SM_HOST, host);

	if (hash == NULL)
		hash = end;
	query = memchr(path, '?', hash - path);
	if (query == NULL)
		query = hash;
	path_end = look_at_path(&look, path, query, url.s + base_len, is_page, room);
	d = look_at_query(&look, query, hash, path_end);
	while (hash < end)
		decode_octet(&hash, &d);
	look_at_text(&look, SM_WITHIN_PATH, room, path_end, d);
	look_at_text(&look, SM_WITHIN_QUERY, path_end, d, d);
}

bool
sm_url_is_numbered(SmSpan url, size_t base_len)
{
	const char *end = url.s + url.len - (url.s[url.len - 1] == '/');
	const char *begin = url.s + base_len;
	const char *s;

	if (end - begin > 3 && begin[2] == '/')
		begin += 3;				/* a language */
	for (s = begin; s < end && sm_is_digit(*s);)
		s++;
	return base_len > 0 && s > begin && s == without_suffix(begin, end);
}
