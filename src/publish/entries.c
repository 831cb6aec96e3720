/*
 * entries.c
 *	  Searches for tags without parsing, and compares versions byte by byte.
 *
 * An entry is <url><loc>...</loc>...</url>, or a line.  The first "</url>" ends it,
 * since fragment.c keeps that text out of ready-made XML.
 *
 * Two versions are compared up to the next difference.  Then each
 * version's next entry is searched for among the next few entries of the other
 * version.  This tells an added or removed entry from a changed entry.  Example: the
 * old version is A B C D, the new version is A C X D.
 *
 *	  old	new
 *	  A		A		equal
 *	  B		C		B is not ahead in new, but C is ahead in old: B was removed
 *	  C		C		equal
 *	  D		X		D is ahead in new: X was added
 *	  D		D		equal
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* memmem */
#endif
#include "publish/entries.h"

/* how many entries ahead to look for an entry */
#define LOOK_AHEAD	8

/* bytes that are compared together */
#define COMPARE_BYTES	256

static const char *
find(const char *p, const char *end, SmSpan s)
{
	return memmem(p, end - p, s.s, s.len);
}

/* The end of each entry. */
static SmSpan
terminator(const SmEntries *e)
{
	return e->is_text ? sm_span_of("\n") : sm_span_of("</url>");
}

bool
sm_entries_init(SmEntries *e, SmSpan document)
{
	const char *end = document.s + document.len;
	const size_t footer_len = strlen("</urlset>");
	const char *root;

	e->is_text = !sm_span_begins(document, "<?xml ");
	e->p = document.s;
	e->end = end;
	if (e->is_text)
		return true;

	root = find(document.s, end, sm_span_of("<urlset "));
	if (root == NULL || !sm_span_is(sm_span(end - footer_len, footer_len), "</urlset>"))
		return false;
	e->end -= footer_len;
	root = memchr(root, '>', e->end - root);
	if (root == NULL)
		return false;
	e->p = root + 1;
	return true;
}

/* Find the text between a tag at p and its end tag, both before end. */
static bool
element_text(const char *p, const char *end, const char *start_tag, const char *end_tag,
			 SmSpan *text)
{
	const char *found;

	if (!sm_span_begins(sm_span(p, end - p), start_tag))
		return false;
	p += strlen(start_tag);
	found = find(p, end, sm_span_of(end_tag));
	if (found == NULL)
		return false;
	*text = sm_span(p, found - p);
	return true;
}

bool
sm_entries_next(SmEntries *e, SmRawEntry *entry)
{
	const char *end = find(e->p, e->end, terminator(e));

	if (end == NULL)
		return false;

	entry->lastmod = sm_no_span();
	entry->is_text = e->is_text;
	if (e->is_text)
	{
		entry->raw = entry->loc = sm_span(e->p, end - e->p);
		e->p = end + 1;
		return true;
	}

	end += strlen("</url>");
	if (!element_text(e->p, end, "<url><loc>", "</loc>", &entry->loc))
		return false;
	entry->raw = sm_span(e->p, end - e->p);
	element_text(entry->loc.s + entry->loc.len + strlen("</loc>"), end, "<lastmod>",
				 "</lastmod>", &entry->lastmod);
	e->p = end;
	return true;
}

/* Call callback for an entry that one version has. */
static void
call(bool is_new, const SmRawEntry *entry, SmEntryCallback callback, void *arg)
{
	callback(arg, is_new ? NULL : entry, is_new ? entry : NULL);
}

/*
 * Is an entry with this loc among the next few of e?  If so, call callback for the
 * entries before that entry, and move e to it.
 */
static bool
skip_to(SmEntries *e, SmSpan loc, bool is_new, SmEntryCallback callback, void *arg)
{
	SmEntries	ahead = *e;
	SmRawEntry	entry;
	int			n = -1;

	do
	{
		if (++n > LOOK_AHEAD || !sm_entries_next(&ahead, &entry))
			return false;
	} while (!sm_span_equal(entry.loc, loc));

	while (n-- > 0)
	{
		sm_entries_next(e, &entry);
		call(is_new, &entry, callback, arg);
	}
	return true;
}

/* The number of equal bytes at the start of a and b, which have len bytes each. */
static size_t
common_length(const char *a, const char *b, size_t len)
{
	size_t		n = 0;

	while (len - n >= COMPARE_BYTES && memcmp(a + n, b + n, COMPARE_BYTES) == 0)
		n += COMPARE_BYTES;
	while (n < len && a[n] == b[n])
		n++;
	return n;
}

/* Skip the next entries as long as both versions have the same bytes. */
static void
skip_common(SmEntries *a, SmEntries *b)
{
	size_t		a_len = a->end - a->p;
	size_t		b_len = b->end - b->p;
	size_t		len = common_length(a->p, b->p, a_len < b_len ? a_len : b_len);
	SmSpan		last = terminator(a);

	while (len >= last.len && memcmp(a->p + len - last.len, last.s, last.len) != 0)
		len--;
	if (len < last.len)
		return;
	a->p += len;
	b->p += len;
}

static bool
call_for_rest(SmEntries *e, bool is_new, SmEntryCallback callback, void *arg)
{
	SmRawEntry	entry;

	while (sm_entries_next(e, &entry))
		call(is_new, &entry, callback, arg);
	return e->p == e->end;
}

bool
sm_entries_compare(SmEntries *old_version, SmEntries *new_version, SmEntryCallback callback, void *arg)
{
	/* versions of different formats have no entry in common */
	while (old_version->is_text == new_version->is_text)
	{
		SmEntries	old_place;
		SmEntries	new_place;
		SmRawEntry	old_entry;
		SmRawEntry	new_entry;

		skip_common(old_version, new_version);
		if (old_version->p == old_version->end || new_version->p == new_version->end)
			break;

		old_place = *old_version;
		new_place = *new_version;
		if (!sm_entries_next(old_version, &old_entry) || !sm_entries_next(new_version, &new_entry))
			return false;
		if (sm_span_equal(old_entry.loc, new_entry.loc))
			callback(arg, &old_entry, &new_entry);
		else if (skip_to(&new_place, old_entry.loc, true, callback, arg) ||
				 skip_to(&old_place, new_entry.loc, false, callback, arg))
		{
			*old_version = old_place;
			*new_version = new_place;
		}
		else
		{
			call(false, &old_entry, callback, arg);
			call(true, &new_entry, callback, arg);
		}
	}
	return call_for_rest(old_version, false, callback, arg) && call_for_rest(new_version, true, callback, arg);
}
