/*
 * entries.c
 *	  Searches for tags without parsing, and compares versions byte by byte.
 *
 * An entry is <url><loc>...</loc>...</url>, or a line.  The first "</url>" ends it,
 * since fragment.c keeps that text out of ready-made XML.
 *
 * Example: the old version is A B C D E, the new version is A B2 D F E, and B and B2 have the
 * same URL.  The versions begin with A and end with E, which are skipped.  B and B2 are passed
 * to the callback as a pair.  From C and D on, where URLs differ, all are passed: C, D, D and F.
 * The caller finds out that D is in both versions.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* memmem */
#endif
#include "publish/entries.h"

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

/* Skip the entries that both versions end with. */
static void
skip_common_end(SmEntries *a, SmEntries *b)
{
	size_t		a_len = a->end - a->p;
	size_t		b_len = b->end - b->p;
	size_t		shorter = a_len < b_len ? a_len : b_len;
	size_t		len = 0;
	const char *end;

	while (len < shorter && *(a->end - len - 1) == *(b->end - len - 1))
		len++;
	end = find(a->end - len, a->end, terminator(a));
	if (end)
	{
		len = a->end - end - terminator(a).len;
		a->end -= len;
		b->end -= len;
	}
}

/* Skip the next entries as long as both versions have the same bytes. */
static void
skip_common(SmEntries *a, SmEntries *b)
{
	const char *end;

	while ((end = find(a->p, a->end, terminator(a))) != NULL)
	{
		size_t		len = end + terminator(a).len - a->p;

		if (len > (size_t) (b->end - b->p) || memcmp(a->p, b->p, len) != 0)
			break;
		a->p += len;
		b->p += len;
	}
}

/* Call callback for the rest of a version; false if it is broken. */
static bool
call_for_rest(SmEntries *e, bool is_new, SmEntryCallback callback, void *arg)
{
	SmRawEntry	entry;

	while (sm_entries_next(e, &entry))
		callback(arg, &entry, is_new);
	return e->p == e->end;
}

bool
sm_entries_compare(SmEntries *old_version, SmEntries *new_version, SmEntryCallback callback, void *arg)
{
	/* versions of different formats have no entry in common */
	if (old_version->is_text == new_version->is_text)
	{
		SmEntries	old_place;
		SmEntries	new_place;
		SmRawEntry	old_entry;
		SmRawEntry	new_entry;

		skip_common_end(old_version, new_version);
		for (;;)
		{
			skip_common(old_version, new_version);
			old_place = *old_version;
			new_place = *new_version;
			if (!sm_entries_next(&old_place, &old_entry) || !sm_entries_next(&new_place, &new_entry) ||
				!sm_span_equal(old_entry.loc, new_entry.loc))
				break;
			callback(arg, &old_entry, false);
			callback(arg, &new_entry, true);
			*old_version = old_place;
			*new_version = new_place;
		}
	}
	return call_for_rest(old_version, false, callback, arg) && call_for_rest(new_version, true, callback, arg);
}
