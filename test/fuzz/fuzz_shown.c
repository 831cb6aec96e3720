/*
 * fuzz_shown.c
 *	  Fuzzes entry/shown.
 *
 * Of any bytes there are no states, unless the checksum is right.  The first byte says
 * how many of the next bytes are pages, one a byte: its high half is the URL, the low half
 * the digest.  The others are pages to find, and are found as by looking at all pages.
 */
#include "entry/shown.h"

#include "fuzz.h"

static uint32_t space[SM_SHOWN_SPACE];

/* Few URLs and digests, so that pages are often equal, or equal in a part. */
static SmShownPage
page_of(uint8_t byte, uint32_t lastmod)
{
	return (SmShownPage)
	{
		.url = (byte >> 4) * UINT32_C(0x01010101),
			.digest = (byte & 15) * UINT64_C(0x0100000000000001),
			.lastmod = lastmod
	};
}

/* The lastmod of a page that was asked for n times before. */
static SmShownStatus
find_slowly(const uint8_t *pages, size_t npages, uint8_t asked, int n, uint32_t *lastmod)
{
	SmShownStatus status = SM_SHOWN_NEW;

	for (size_t i = 0; i < npages && n >= 0; i++)
	{
		if (pages[i] >> 4 != asked >> 4)
			continue;
		if (status == SM_SHOWN_NEW)
			status = SM_SHOWN_CHANGED;
		if (pages[i] == asked)
		{
			status = SM_SHOWN_SAME;
			*lastmod = (uint32_t) i;
			n--;
		}
	}
	return status;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	SmShown		shown;
	int			times[256] = {0};
	size_t		npages;
	size_t		len;
	char	   *states;

	if (size == 0)
		return 0;
	states = exactly(data, size);
	CHECK(!sm_shown_open(&shown, states, size, 0, space) || shown.npages * SM_SHOWN_PAGE_LEN < size);
	free(states);
	npages = data[0] < size ? data[0] : size - 1;
	len = SM_SHOWN_HEADER_LEN + npages * SM_SHOWN_PAGE_LEN;
	states = exactly(NULL, len);
	for (size_t i = 0; i < npages; i++)
	{
		SmShownPage page = page_of(data[i + 1], (uint32_t) i);

		sm_shown_put(states + SM_SHOWN_HEADER_LEN + i * SM_SHOWN_PAGE_LEN, &page);
	}
	sm_shown_seal(states, npages, size);
	CHECK(!sm_shown_open(&shown, states, len, size + 1, space));
	CHECK(sm_shown_open(&shown, states, len, size, space));
	for (size_t i = npages + 1; i < size; i++)
	{
		SmShownPage page = page_of(data[i], 0);
		uint32_t	lastmod = 0;
		SmShownStatus wanted = find_slowly(data + 1, npages, data[i], times[data[i]]++, &lastmod);

		CHECK(sm_shown_find(&shown, &page) == wanted);
		CHECK(wanted != SM_SHOWN_SAME || page.lastmod == lastmod);
	}
	free(states);
	return 0;
}
