/*
 * test_entries.c
 *	  Unit tests of publish/entries: the entries of a document, and how two differ.
 */
#include "publish/entries.h"

#include "tap.h"

#define HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>" \
	"<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\">"
#define FOOT "</urlset>"
#define URL(loc) "<url><loc>" loc "</loc></url>"
#define EDITED(loc) "<url><loc>" loc "</loc><priority>0.5</priority></url>"
#define LONG	URL("long, 1") URL("long, 2") URL("long, 3") URL("long, 4") URL("long, 5") \
	URL("long, 6") URL("long, 7") URL("long, 8") URL("long, 9") URL("long, 10") URL("long, 11")

/* What sm_entries_compare passed on: -a is of the old version, +b of the new one. */
static char taken[1000];

static void
take(void *arg, const SmRawEntry *entry, bool is_new)
{
	size_t		len = strlen(taken);

	(void) arg;
	snprintf(taken + len, sizeof(taken) - len, "%c%.*s", is_new ? '+' : '-', (int) entry->loc.len,
			 entry->loc.s);
}

static void
compares(const char *old, const char *new, const char *wanted, const char *name)
{
	SmEntries	old_entries;
	SmEntries	new_entries;
	bool		done;

	taken[0] = '\0';
	done = sm_entries_init(&old_entries, sm_span_of(old)) &&
		sm_entries_init(&new_entries, sm_span_of(new)) &&
		sm_entries_compare(&old_entries, &new_entries, take, NULL);
	ok(done == (wanted != NULL), name);
	if (wanted)
		is(taken, strlen(taken), wanted, strlen(wanted), name);
}

/* Read a document of one entry. */
static void
reads(const char *document, const char *raw, const char *loc, const char *lastmod)
{
	SmEntries	entries;
	SmRawEntry	entry;

	ok(sm_entries_init(&entries, sm_span_of(document)), "the frame of a document");
	ok(sm_entries_next(&entries, &entry), "an entry");
	is(entry.raw.s, entry.raw.len, raw, strlen(raw), raw);
	is(entry.loc.s, entry.loc.len, loc, strlen(loc), "its loc");
	ok((entry.lastmod.s == NULL) == (lastmod == NULL), "has it a lastmod?");
	if (lastmod)
		is(entry.lastmod.s, entry.lastmod.len, lastmod, strlen(lastmod), "its lastmod");
	ok(!sm_entries_next(&entries, &entry) && entries.p == entries.end, "the end");
}

int
main(void)
{
#define PLAIN "<url><loc>http://a/?b&amp;c</loc><lastmod>2026-01-02</lastmod><priority>0.5</priority></url>"
#define IMAGE "<url><loc>http://a/</loc><image:image><image:loc>http://a/i</image:loc></image:image></url>"
#define NESTED "<url><loc>http://a/</loc><x xmlns='http://x/'><url><loc>no</loc><lastmod>no</lastmod></url ></x></url>"
#define CDATA "<url><loc>http://a/</loc><x:x xmlns:x=\"http://x/\"><![CDATA[</url ><url><loc>]]></x:x></url>"
	reads(HEAD PLAIN FOOT, PLAIN, "http://a/?b&amp;c", "2026-01-02");
	reads(HEAD IMAGE FOOT, IMAGE, "http://a/", NULL);
	reads(HEAD NESTED FOOT, NESTED, "http://a/", NULL);
	reads(HEAD CDATA FOOT, CDATA, "http://a/", NULL);
	reads("http://a/?b&c\n", "http://a/?b&c", "http://a/?b&c", NULL);

	compares(HEAD URL("a") URL("b") FOOT, HEAD URL("a") URL("b") FOOT, "", "the same");
	compares(HEAD URL("a") URL("b") URL("c") FOOT, HEAD URL("a") URL("c") FOOT, "-b", "one has gone");
	compares(HEAD URL("a") URL("c") FOOT, HEAD URL("a") URL("b") URL("c") FOOT, "+b", "one has come");
	compares(HEAD URL("a") FOOT, HEAD EDITED("a") FOOT, "-a+a",
			 "one has changed");
	compares(HEAD URL("a") URL("b") FOOT, HEAD URL("c") FOOT, "-a-b+c", "others");
	compares(HEAD LONG URL("a") URL("b") LONG FOOT, HEAD LONG URL("a") URL("c") LONG FOOT, "-b+c",
			 "one of many");
	compares(HEAD LONG URL("a") FOOT, HEAD LONG URL("a") URL("a") FOOT, "+a", "one more at the end");
	compares(HEAD URL("ab") FOOT, HEAD URL("ac") URL("ab") FOOT, "-ab+ac+ab", "two that begin alike");
	compares(HEAD URL("ba") FOOT, HEAD URL("ca") URL("ba") FOOT, "-ba+ca+ba", "two that end alike");
	compares(HEAD URL("a") URL("b") URL("c") URL("d") URL("e") FOOT,
			 HEAD URL("a") EDITED("b") URL("d") URL("f") URL("e") FOOT,
			 "-b+b-c-d+d+f", "an edited one, then others");
	compares(HEAD URL("a") URL("b") URL("c") URL("d") FOOT, HEAD URL("a") EDITED("b") URL("c") EDITED("d") FOOT,
			 "-b+b-d+d", "two edited ones");
	compares(HEAD URL("a") URL("a") FOOT, HEAD URL("a") URL("a") URL("a") FOOT, "+a", "one of several alike");
	compares(HEAD URL("a") FOOT, HEAD FOOT, "-a", "the only one");
	compares("", HEAD URL("a") FOOT, "+a", "none before");
	compares(HEAD URL("a") FOOT, "", "-a", "none any more");
	compares("a\nb\n", "a\nbc\n", "-b+bc", "text: a line that begins alike");
	compares("a\nb\n", "b\n", "-a-b+b", "text: a line has gone");
	compares("ab\nc\n", "b\nc\n", "-ab+b", "text: a line that ends alike");
	compares("a\nb\n", "a\nb\nc\n", "+c", "text: a line has come");
	compares(HEAD URL("a") FOOT, "a\n", "-a+a", "another format");

	compares(HEAD URL("a"), HEAD URL("a") FOOT, NULL, "no end");
	compares("<?xml version=\"1.0\"?>" FOOT, "", NULL, "no root");
	compares(HEAD "<url><loc>a</loc>" FOOT, "", NULL, "an entry without end");
	compares(HEAD "<url><lastmod/></url>" FOOT, "", NULL, "an entry without loc");
	compares(HEAD "<url><loc>a</url>" FOOT, "", NULL, "a loc without end");
	compares(HEAD "\n" URL("a") FOOT, "", NULL, "blanks between entries");
	compares("a", "", NULL, "a line without end");
	return done();
}
