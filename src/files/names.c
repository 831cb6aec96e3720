/*
 * names.c
 *	  Names the files of a set.
 *
 * The only file of a set is named after the section: sitemap.xml.  The parts of a full split
 * have numbers: sitemap-1.xml.  A part of a stable split has the hash of its first loc,
 * sitemap-3f9a2c71.xml, so that its name does not depend on the parts before it; the first
 * part has a fixed hash.  Where locs are equal or hashes collide, parts have the same stem,
 * "-3f9a2c71", and a number makes the names unique: sitemap-3f9a2c71-2.xml.
 *
 * An index is never compressed, so that no option changes the URL given to search engines.
 */
#include "postgres.h"

#include "files/names.h"

/* bytes of a stem, as in "-3f9a2c71" */
#define STEM_LEN	9

/* stands for the hash of the first part: XXH64 of no bytes */
#define FIRST_HASH	0x51d8e999

typedef struct StemCount
{
	char		stem[STEM_LEN + 1]; /* must be first */
	int			count;			/* number of parts with this stem */
} StemCount;

void
sm_names_init(SmNames *names, const SmOptions *options, MemoryContext context)
{
	memset(names, 0, sizeof(*names));
	names->options = options;
	names->context = context;
}

/* The name of a file: section, middle, and endings. */
static char *
make_name(const SmOptions *options, const char *middle)
{
	return psprintf("%s%s%s%s", options->section, middle,
					options->kind == SM_TEXT ? ".txt" : ".xml",
					options->compression > 0 ? ".gz" : "");
}

char *
sm_only_name(const SmOptions *options)
{
	return make_name(options, "");
}

char *
sm_first_name(const SmOptions *options)
{
	SmNames		names;

	sm_names_init(&names, options, CurrentMemoryContext);
	return sm_names_next(&names, 0);
}

/* Count a part with this stem, and return how many there are. */
static int
count_stem(SmNames *names, const char *stem)
{
	StemCount  *entry;
	bool		found;

	if (names->stems == NULL)
	{
		HASHCTL		ctl = {.keysize = STEM_LEN + 1,.entrysize = sizeof(StemCount),
		.hcxt = names->context};

		names->stems = hash_create("sitemap names", 64, &ctl,
								   HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
	}
	entry = hash_search(names->stems, stem, HASH_ENTER, &found);
	entry->count = found ? entry->count + 1 : 1;
	return entry->count;
}

/* Count a part of a stable split, and name it after its stem, unless it is the first part. */
static char *
name_stable(SmNames *names, const char *stem)
{
	int			number;

	if (names->nparts++ == 0)
		stem = psprintf("-%08x", (uint32) FIRST_HASH);
	number = count_stem(names, stem);
	return make_name(names->options, number == 1 ? stem : psprintf("%s-%d", stem, number));
}

char *
sm_names_next(SmNames *names, uint64 hash)
{
	if (!names->options->stable)
		return make_name(names->options, psprintf("-%d", ++names->nparts));

	/*
	 * A stem has the low half of the hash: the high halves are much alike,
	 * since a stable split cuts at the highest hashes.
	 */
	return name_stable(names, psprintf("-%08x", (uint32) hash));
}

bool
sm_names_keep(SmNames *names, const char *name)
{
	size_t		section_len = strlen(names->options->section);

	return strlen(name) > section_len &&
		strcmp(name, name_stable(names, pnstrdup(name + section_len, STEM_LEN))) == 0;
}

char *
sm_index_name(const char *section, int number)
{
	return number == 1 ? psprintf("%s.xml", section) : psprintf("%s-index-%d.xml", section, number);
}
