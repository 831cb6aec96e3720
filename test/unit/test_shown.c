/*
 * test_shown.c
 *	  Unit tests of entry/shown: the states of a file's pages.
 */
#include "entry/shown.h"

#include "tap.h"

#define ORDER	UINT64_C(0x0123456789ABCDEF)

static uint32_t space[SM_SHOWN_SPACE];

/* States of pages, in just as many bytes. */
static SmSpan
make(const SmShownPage *pages, size_t npages)
{
	size_t		len = SM_SHOWN_HEADER_LEN + npages * SM_SHOWN_PAGE_LEN;
	char	   *states = exactly(NULL, len);

	for (size_t i = 0; i < npages; i++)
		sm_shown_put(states + SM_SHOWN_HEADER_LEN + i * SM_SHOWN_PAGE_LEN, &pages[i]);
	sm_shown_seal(states, npages, ORDER);
	return sm_span(states, len);
}

static bool
opens(SmShown *shown, SmSpan states)
{
	return sm_shown_open(shown, states.s, states.len, ORDER, space);
}

/*
 * Look pages up one by one.  row: states, each "url digest lastmod" in three characters;
 * pages, each "url digest" in two; what is found of each: its lastmod, "!" if it changed,
 * "+" if it is new.
 */
static void
finds(const char *row)
{
	SmShownPage pages[26] = {0};
	SmShown		shown;
	char		found[80] = "";
	size_t		n = 0;
	const char *s = row;

	for (; *s != ' '; s += 3)
		pages[n++] = (SmShownPage)
	{
		.url = (uint32_t) s[0],.digest = (uint64_t) s[1] << 56,.lastmod = (uint32_t) (s[2] - '0')
	};
	ok(opens(&shown, make(pages, n)), "states are read");
	for (s++; *s != ' '; s += 2)
	{
		SmShownPage page = {.url = (uint32_t) s[0],.digest = (uint64_t) s[1] << 56};
		SmShownStatus status = sm_shown_find(&shown, &page);
		char		c = status == SM_SHOWN_NEW ? '+' : status == SM_SHOWN_CHANGED ? '!' :
			(char) ('0' + page.lastmod);

		strncat(found, &c, 1);
	}
	is_string(sm_span_of(found), s + 1, row);
}

static void
test_format(void)
{
	static const SmShownPage page = {UINT64_C(0x1122334455667788), 0x99AABBCC, 0xDDEEFF00};
	static const unsigned char wanted[] = {
		's', 'h', 'o', 'w', 'n', ' ', '1', '\n',
		0x9A, 0xAA, 0xA3, 0x8C, 0xD0, 0xD3, 0xE8, 0x5E,
		0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xCC, 0xBB, 0xAA, 0x99,
		0x00 ^ 0x88, 0xFF ^ 0x77, 0xEE ^ 0x66, 0xDD ^ 0x55
	};
	SmSpan		states = make(&page, 1);
	SmShown		shown;

	is(states.s, states.len, (const char *) wanted, sizeof(wanted), "the bytes of a page");
	ok(opens(&shown, states), "they are read");
	ok(shown.checksum == sm_shown_seal((char *) states.s, 1, ORDER), "with the checksum that was returned");
}

/* Whatever is cut off or forged, there are no states. */
static void
test_broken(void)
{
	SmShownPage pages[3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
	SmShown		shown;
	size_t		max = SM_SHOWN_HEADER_LEN + (size_t) (SM_SHOWN_MAX_PAGES + 1) * SM_SHOWN_PAGE_LEN;
	SmSpan		states = make(pages, 3);
	char	   *many = calloc(1, max);
	int			nread = 0;

	ok(!sm_shown_open(&shown, states.s, states.len, ORDER + 1, space), "no other order of keys");
	ok(opens(&shown, states), "the order of the keys");
	for (size_t i = 0; i < states.len; i++)
		nread += opens(&shown, sm_span(exactly(make(pages, 3).s, i), i)) || shown.pages != NULL;
	is_number(nread, 0, "no beginning of states is read");
	for (size_t i = 0; i < states.len * 8; i++)
	{
		char	   *bytes = (char *) make(pages, 3).s;

		bytes[i / 8] ^= 1 << i % 8;
		nread += opens(&shown, sm_span(bytes, states.len));
	}
	is_number(nread, 0, "nor with one bit changed");

	sm_shown_seal(many, SM_SHOWN_MAX_PAGES + 1, ORDER);
	ok(!sm_shown_open(&shown, many, max, ORDER, space), "too many pages");
	sm_shown_seal(many, SM_SHOWN_MAX_PAGES, ORDER);
	ok(sm_shown_open(&shown, many, max - SM_SHOWN_PAGE_LEN, ORDER, space), "the most pages");
	free(many);
}

/* The same, found by looking at all pages. */
static SmShownStatus
find_slowly(const SmShownPage *pages, size_t npages, const SmShownPage *asked, size_t nbefore,
			uint32_t *lastmod)
{
	SmShownStatus status = SM_SHOWN_NEW;
	size_t		n = 0;

	/* how many equal pages were asked for before */
	for (size_t i = 0; i < nbefore; i++)
		n += asked[i].url == asked[nbefore].url && asked[i].digest == asked[nbefore].digest;
	for (size_t i = 0; i < npages; i++)
	{
		if (pages[i].url != asked[nbefore].url)
			continue;
		if (status == SM_SHOWN_NEW)
			status = SM_SHOWN_CHANGED;
		if (pages[i].digest != asked[nbefore].digest)
			continue;
		status = SM_SHOWN_SAME;
		*lastmod = pages[i].lastmod;
		if (n-- == 0)
			break;
	}
	return status;
}

static uint32_t
random_below(uint32_t n)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) ((state >> 33) % n);
}

#define MAX_PAGES	40

/* Random pages, of few or many URLs and digests, asked for nearly in their order. */
static void
test_random(void)
{
	int			wrong = 0;

	for (int round = 0; round < 5000; round++)
	{
		SmShownPage pages[MAX_PAGES];
		SmShownPage asked[MAX_PAGES * 2];
		size_t		npages = random_below(MAX_PAGES);
		size_t		nasked = 0;
		uint32_t	urls = 1 + random_below(round % 2 ? 5 : 1000000);
		uint32_t	digests = 1 + random_below(round % 3 ? 4 : 1000000);
		uint32_t	edits = random_below(10);
		SmShown		shown;

		for (size_t i = 0; i < npages; i++)
			pages[i] = (SmShownPage)
		{
			.url = random_below(urls) * 0x10001,
				.digest = (uint64_t) random_below(digests) * UINT64_C(0x100000001),
				.lastmod = random_below(1000)
		};
		for (size_t i = 0; i < npages && nasked < MAX_PAGES * 2 - 2; i++)
		{
			uint32_t	edit = random_below(20);

			asked[nasked] = pages[edit < edits ? random_below(npages) : i];
			if (edit + 3 < edits)
				asked[nasked].digest = random_below(digests) * UINT64_C(0x100000001);
			nasked += random_below(20) >= edits || random_below(2);
			if (random_below(20) < edits)
				asked[nasked++] = pages[i];
		}

		wrong += !opens(&shown, make(pages, npages));
		for (size_t i = 0; i < nasked; i++)
		{
			uint32_t	lastmod = 0;
			SmShownStatus wanted = find_slowly(pages, npages, asked, i, &lastmod);
			SmShownPage page = asked[i];
			SmShownStatus status = sm_shown_find(&shown, &page);

			wrong += status != wanted || (status == SM_SHOWN_SAME && page.lastmod != lastmod);
		}
	}
	is_number(wrong, 0, "random pages are found as by looking at all of them");
}

int
main(void)
{
	test_format();
	test_broken();

	/* states, pages asked for, and what is found */
	foreach_string(row,
		" aX +", "aX1bX2cX3 aXbXcX 123", "aX1bX2cX3 aXbYcXdX 1!3+", "aX1bX2cX3 aYbYcY !!!", "aX1bX2cX3 bXcXaX 231",
		"aX1bX2cX3 aXaXbX 112", "aX1bX2cX3 cXcXcXaX 3331",
		/* a URL with two states, the same page listed twice */
		"aX1aY2 aXaYaZ 12!", "aX1aY2 aYaX 21", "aX1bX2aX3 aXbXaXaX 1233", "aX1bX2aX3 bXaXaXaX 2133",
		"aX1bX2aX3cX4 aXcXaXaXbX 14332", "aX1aX2aX3bX4 bXaXaXaXaX 41233")
		finds(*row);
	test_random();
	return done();
}
