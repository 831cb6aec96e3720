/*
 * fuzz_entries.c
 *	  Fuzzes publish/entries.
 *
 * Of any bytes, entries come one after the other, and each has its loc in it.  Of
 * two lists of entries, what the comparison passes on makes the one of the other.
 */
#include "publish/entries.h"

#include "fuzz.h"

#define HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">"
#define FOOT "</urlset>"

static const char *const urls[] = {
	"<url><loc>a</loc></url>", "<url><loc>a</loc><priority>0.5</priority></url>",
	"<url><loc>b</loc></url>", "<url><loc>c</loc></url>", "<url><loc>d</loc></url>",
	"<url><loc>c</loc><x xmlns=\"x\"><url><loc>a</loc></url ></x></url>",
	"<url><loc>d</loc><x:x xmlns:x=\"x\"><![CDATA[</url ><url><loc>b</loc></url >]]></x:x></url>",
	"<url><loc>e</loc><lastmod>2026-01-01</lastmod></url>"
};

#define NURLS	(sizeof(urls) / sizeof(urls[0]))

static void
read_any(SmSpan document)
{
	SmEntries	entries;
	SmRawEntry	entry;
	const char *p;

	if (!sm_entries_init(&entries, document))
		return;
	for (p = entries.p; sm_entries_next(&entries, &entry); p = entries.p)
	{
		CHECK(entry.raw.s == p && p + entry.raw.len + entries.is_text == entries.p);
		CHECK(entries.p <= entries.end);
		CHECK(entry.loc.s >= entry.raw.s && entry.loc.s + entry.loc.len <= entry.raw.s + entry.raw.len);
	}
}

static int
number_of(const SmRawEntry *entry)
{
	for (size_t i = 0; i < NURLS; i++)
		if (sm_span_is(entry->raw, urls[i]))
			return (int) i;
	CHECK(false);
	return 0;
}

static void
take(void *arg, const SmRawEntry *entry, bool is_new)
{
	int		   *counts = arg;

	counts[number_of(entry)] += is_new ? 1 : -1;
}

/* A document of the entries that bytes stand for. */
static SmSpan
make_document(const uint8_t *data, size_t size, int sign, int *counts)
{
	char	   *document = malloc(strlen(HEAD) + size * 100 + strlen(FOOT));
	char	   *p = sm_put(document, SM_LITERAL(HEAD));

	for (size_t i = 0; i < size; i++)
	{
		const char *url = urls[data[i] % NURLS];

		p = sm_put(p, url, strlen(url));
		counts[data[i] % NURLS] += sign;
	}
	p = sm_put(p, SM_LITERAL(FOOT));
	return sm_span(document, p - document);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int			counts[NURLS] = {0};
	size_t		nold = size > 0 ? data[0] % size : 0;
	char	   *any = exactly(data, size);
	SmSpan		old;
	SmSpan		new;
	SmEntries	old_entries;
	SmEntries	new_entries;

	read_any(sm_span(any, size));
	free(any);

	old = make_document(data, nold, 1, counts);
	new = make_document(data + nold, size - nold, -1, counts);
	CHECK(sm_entries_init(&old_entries, old) && sm_entries_init(&new_entries, new));
	CHECK(sm_entries_compare(&old_entries, &new_entries, take, counts));
	for (size_t i = 0; i < NURLS; i++)
		CHECK(counts[i] == 0);
	free((char *) old.s);
	free((char *) new.s);
	return 0;
}
