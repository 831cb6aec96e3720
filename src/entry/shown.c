/*
 * shown.c
 *	  The bytes of states, with little-endian numbers:
 *
 *	  bytes
 *	  0-7		SIGNATURE
 *	  8-15		XXH64 of all pages, with the order of keys as its seed
 *	  16-23		of the first page: the digest of what it shows
 *	  24-27		the hash of its URL
 *	  28-31		its lastmod XOR the low half of the digest
 *	  32-47		the second page, and so on
 *
 * Lastmods repeat, and digests do not.  XOR makes all bytes look random, so that pglz gives
 * up after the first kilobyte of a column with STORAGE EXTENDED, the default.  With plain
 * lastmods it would go through all states in vain, and a first run takes a third more.
 *
 * Most pages are asked for in the order of the states, and then each call compares one
 * page.  At the first call for another page, the pages are sorted.  Radix sort and
 * binary search take no longer for hashes that someone made equal on purpose.
 */
#include "entry/shown.h"

#include <string.h>

#include "text/digest.h"
#include "text/littleendian.h"

#define SIGNATURE	"shown 1\n"

/* bytes of a page that are compared: digest and URL */
#define URL_BYTE	8
#define COMPARED	12

void
sm_shown_put(char *dst, const SmShownPage *page)
{
	sm_store(dst, page->digest, 8);
	sm_store(dst + URL_BYTE, page->url, 4);
	sm_store(dst + COMPARED, page->lastmod ^ (uint32_t) page->digest, 4);
}

uint64_t
sm_shown_seal(char *states, size_t npages, uint64_t order)
{
	uint64_t	checksum = sm_digest(states + SM_SHOWN_HEADER_LEN, npages * SM_SHOWN_PAGE_LEN, order);

	memcpy(states, SIGNATURE, 8);
	sm_store(states + 8, checksum, 8);
	return checksum;
}

bool
sm_shown_open(SmShown *shown, const char *states, size_t len, uint64_t order, uint32_t *space)
{
	memset(shown, 0, sizeof(*shown));
	if (len < SM_SHOWN_HEADER_LEN || len % SM_SHOWN_PAGE_LEN != 0 ||
		len > SM_SHOWN_HEADER_LEN + SM_SHOWN_MAX_PAGES * SM_SHOWN_PAGE_LEN ||
		memcmp(states, SIGNATURE, 8) != 0)
		return false;
	shown->checksum = sm_digest(states + SM_SHOWN_HEADER_LEN, len - SM_SHOWN_HEADER_LEN, order);
	if (shown->checksum != sm_load(states + 8, 8))
		return false;
	shown->pages = states + SM_SHOWN_HEADER_LEN;
	shown->npages = (len - SM_SHOWN_HEADER_LEN) / SM_SHOWN_PAGE_LEN;
	shown->sorted = space;
	shown->next_equal = space + SM_SHOWN_MAX_PAGES;
	return true;
}

static const char *
page_at(const SmShown *shown, uint32_t number)
{
	return shown->pages + (size_t) number * SM_SHOWN_PAGE_LEN;
}

static uint32_t
url_at(const SmShown *shown, uint32_t number)
{
	return (uint32_t) sm_load(page_at(shown, number) + URL_BYTE, 4);
}

static uint64_t
digest_at(const SmShown *shown, uint32_t number)
{
	return sm_load(page_at(shown, number), 8);
}

static bool
is_page(const SmShown *shown, uint32_t number, const SmShownPage *page)
{
	return digest_at(shown, number) == page->digest && url_at(shown, number) == page->url;
}

/*
 * Sort the numbers of the pages by the bytes [first, COMPARED) of each page, the last byte
 * most significant.
 */
static void
sort_by_bytes(SmShown *shown, int first)
{
	uint32_t   *from = shown->sorted;
	uint32_t   *to = shown->next_equal;

	for (uint32_t i = 0; i < shown->npages; i++)
		from[i] = i;

	/* the number of bytes is even, so the result is in sorted */
	for (int byte = first; byte < COMPARED; byte++)
	{
		uint32_t	places[256] = {0};
		uint32_t	place = 0;
		uint32_t   *swap = from;

		for (uint32_t i = 0; i < shown->npages; i++)
			places[(unsigned char) page_at(shown, i)[byte]]++;
		for (int i = 0; i < 256; i++)
		{
			uint32_t	count = places[i];

			places[i] = place;
			place += count;
		}
		for (uint32_t i = 0; i < shown->npages; i++)
			to[places[(unsigned char) page_at(shown, from[i])[byte]]++] = from[i];
		from = to;
		to = swap;
	}
}

/* Do two neighbors in the order of sorted have the same bytes [first, COMPARED)? */
static bool
has_equal_neighbors(const SmShown *shown, int first)
{
	for (uint32_t i = 1; i < shown->npages; i++)
		if (memcmp(page_at(shown, shown->sorted[i - 1]) + first,
				   page_at(shown, shown->sorted[i]) + first, COMPARED - first) == 0)
			return true;
	return false;
}

static void
sort(SmShown *shown)
{
	uint32_t	start = 0;

	sort_by_bytes(shown, URL_BYTE);
	if (has_equal_neighbors(shown, URL_BYTE))
	{
		sort_by_bytes(shown, 0);
		shown->has_equals = has_equal_neighbors(shown, 0);
	}
	shown->is_sorted = true;

	/* the pages 0 to next - 1 were found earlier, and are not found again */
	for (uint32_t i = 0; i < shown->npages; i++)
	{
		if (i == 0 || memcmp(page_at(shown, shown->sorted[start]),
							 page_at(shown, shown->sorted[i]), COMPARED) != 0)
		{
			start = i;
			shown->next_equal[start] = start;
		}
		shown->next_equal[start] += shown->sorted[i] < shown->next;
	}
}

/* Binary search: the first place in sorted with this URL and digest, or after them. */
static uint32_t
find_place(const SmShown *shown, uint32_t url, uint64_t digest)
{
	uint32_t	low = 0;
	uint32_t	high = shown->npages;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;
		uint32_t	number = shown->sorted[middle];
		uint32_t	middle_url = url_at(shown, number);

		if (middle_url < url || (middle_url == url && digest_at(shown, number) < digest))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool
has_url(const SmShown *shown, uint32_t place, uint32_t url)
{
	return place < shown->npages && url_at(shown, shown->sorted[place]) == url;
}

/*
 * The next place in the group of equal pages that begins at place first; after the last
 * place, the last one again.
 */
static uint32_t
take_equal(SmShown *shown, uint32_t first, const SmShownPage *page)
{
	uint32_t	place = shown->next_equal[first];

	if (place >= shown->npages || !is_page(shown, shown->sorted[place], page))
		return place - 1;
	shown->next_equal[first]++;
	return place;
}

SmShownStatus
sm_shown_find(SmShown *shown, SmShownPage *page)
{
	uint32_t	number = shown->next;

	if (shown->has_equals || number >= shown->npages || !is_page(shown, number, page))
	{
		uint32_t	place;

		if (!shown->is_sorted)
			sort(shown);
		place = find_place(shown, page->url, page->digest);
		if (!has_url(shown, place, page->url) ||
			digest_at(shown, shown->sorted[place]) != page->digest)
		{
			if (!has_url(shown, place, page->url) &&
				(place == 0 || !has_url(shown, place - 1, page->url)))
				return SM_SHOWN_NEW;
			/* most pages that changed are still in the same place */
			if (number < shown->npages && url_at(shown, number) == page->url)
				shown->next++;
			return SM_SHOWN_CHANGED;
		}
		number = shown->sorted[shown->has_equals ? take_equal(shown, place, page) : place];
	}
	shown->next = number + 1;
	page->lastmod = (uint32_t) sm_load(page_at(shown, number) + COMPARED, 4) ^ (uint32_t) page->digest;
	return SM_SHOWN_SAME;
}
