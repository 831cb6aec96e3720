/*
 * test_rebuild.c
 *	  Unit tests of files/rebuild: which files a run with changes rebuilds.
 */
#include "files/rebuild.h"

#include "tap.h"

#define MAX_FILES	20

/*
 * Plan for files with these numbers of URLs, up to 0, each with a document of that
 * many bytes, after changes of files.  wanted has a character for each file: "!" if a
 * change names it, "+" if it is touched nevertheless, "." if it stays.
 */
static void
plans(const int *url_counts, int byte_count, const char *changes, const char *wanted)
{
	SmRebuildFile files[MAX_FILES] = {0};
	char		plan[MAX_FILES + 1] = "";
	size_t		n = 0;
	size_t		ntouched = 0;
	size_t		nwanted = 0;

	for (; url_counts[n] > 0; n++)
	{
		files[n].url_count = url_counts[n];
		files[n].byte_count = byte_count;
	}
	/* a change is two letters, its first and its last file */
	for (const char *c = changes; *c; c += 2)
		sm_rebuild_change(files, (size_t) (c[0] - 'a'), (size_t) (c[1] - 'a'));
	/* a file of 50 URLs or 1,000 bytes, with a header and footer of up to 200 bytes */
	ntouched = sm_rebuild_touch(files, n, 50, 1000, 200);
	for (size_t i = 0; i < n; i++)
	{
		plan[i] = files[i].touched ? '+' : '.';
		for (const char *c = changes; *c; c += 2)
			if ((size_t) (c[0] - 'a') <= i && i <= (size_t) (c[1] - 'a'))
				plan[i] = files[i].touched ? '!' : '?';
		nwanted += wanted[i] != '.';
	}
	is(plan, n, wanted, strlen(wanted), changes);
	is_number((long long) ntouched, (long long) nwanted, "the number of touched files");
}

/* The pieces of the range that begins with a file: the last file of each. */
static void
pieces(const char *touched, size_t from, const char *wanted)
{
	SmRebuildFile files[MAX_FILES] = {0};
	char		ends[MAX_FILES + 1] = "";
	size_t		n = strlen(touched);
	size_t		nends = 0;

	for (size_t i = 0; i < n; i++)
		files[i].touched = touched[i] != '.';
	while (from < n)
	{
		from = sm_rebuild_piece(files, n, from);
		ends[nends++] = (char) ('a' + from - 1);
	}
	is(ends, nends, wanted, strlen(wanted), touched);
}

int
main(void)
{
	static const int example[] = {47, 43, 49, 42, 46, 0};
	static const int small[] = {10, 10, 10, 10, 10, 10, 10, 10, 10, 0};
	static const int one[] = {50, 0};

	/* the example at the top of rebuild.c */
	foreach_pair(pair,
		{"dd", "..+!."}, {"", "....."}, {"aa", "!...."}, {"bb", "+!..."}, {"ee", "...+!"}, {"ae", "!!!!!"}, {"ddbb", "+!+!."})
		plans(example, 500, pair->given, pair->wanted);
	plans(one, 500, "aa", "!");

	/* five small files fit into one, six do not */
	foreach_pair(pair,
		{"ii", "...+++++!"}, {"hhii", "..+++++!!"}, {"ccii", "++!+++++!"}, {"bdcf", "+!!!!!..."}, {"ffbb", "+!+++!..."})
		plans(small, 200, pair->given, pair->wanted);

	/* by bytes: two of 1,000 bytes have at least 2 * 800 of entries, one of 1,200 fits */
	plans(small, 1200, "ii", ".......+!");
	plans(small, 1201, "ii", "........!");
	plans(small, 650, "ii", "......++!");

	/* two ranges that overlap, and one inside of the other */
	foreach_pair(pair, {"bdce", ".!!!!...."}, {"bgcd", ".!!!!!!.."}, {"bbbd", ".!!!....."})
		plans(small, 1201, pair->given, pair->wanted);

	/* the touched files and one more; then one by one, or the next touched ones */
	pieces("..++....", 2, "efgh");
	pieces("..++.++.+", 2, "ehi");
	pieces("++", 0, "b");
	pieces("+.", 0, "b");
	pieces(".+", 1, "b");
	pieces("....", 1, "bcd");

	return done();
}
