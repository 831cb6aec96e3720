/*
 * entries.c
 *	  The entries of a sitemap that this extension has written, and the entries in
 *	  which two versions of it differ.
 *
 * An entry is <url><loc>...</loc>...</url>.  Text in it has no raw "<", so the first
 * "</url>" ends it, with two exceptions.  Ready-made XML can have elements of that name
 * in another namespace, and then has a declaration of that, "xmlns".  Comments, CDATA
 * sections and processing instructions can contain "</url>".  An entry with any of
 * these is read by xmlreader.c, which takes longer.
 *
 * Two versions are compared entry by entry.  At a difference, each of the two entries is
 * looked for among the next few of the other version, to tell an added or removed entry
 * from a changed one.  Example: the old version is A B C D, the new one is A C X D.
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
#include "core/entries.h"

#include "core/namespace.h"
#include "core/xmlreader.h"

/* how many entries ahead to look for an entry */
#define LOOK_AHEAD	8

static bool
begins_with(const char *p, const char *end, const char *s, size_t len)
{
	return (size_t) (end - p) >= len && memcmp(p, s, len) == 0;
}

static const char *
find(const char *p, const char *end, const char *s, size_t len)
{
	return memmem(p, end - p, s, len);
}

/* The end of the element that begins at p, found by a parser; NULL for none. */
static const char *
parse_element(const char *p, const char *end)
{
	SmXmlReader r;
	uint32_t	namespaces = 0;
	SmXmlToken	token;

	sm_xml_reader_init(&r, p, end - p, sm_namespace_lookup, &namespaces);
	while ((token = sm_xml_next(&r)) != SM_XML_ERROR && token != SM_XML_END_OF_INPUT)
		if (token == SM_XML_END && r.depth == 0)
			return r.raw.s + r.raw.len;
	return NULL;
}

/* The end of the <url> element that begins at p, NULL for none. */
static const char *
end_of_url(const char *start, const char *end)
{
	const char *p = start;

	while ((p = memchr(p, '<', end - p)) != NULL)
	{
		const char *next;

		if (begins_with(p, end, SM_LITERAL("</url>")))
			return p + strlen("</url>");
		if (begins_with(p, end, SM_LITERAL("<!")) || begins_with(p, end, SM_LITERAL("<?")))
			return parse_element(start, end);

		/* attributes have no raw "<" */
		next = memchr(p + 1, '<', end - p - 1);
		if (next == NULL)
			return NULL;
		if (memchr(p, '=', next - p) && find(p, next, SM_LITERAL("xmlns")))
			return parse_element(start, end);
		p = next;
	}
	return NULL;
}

bool
sm_entries_init(SmEntries *e, SmSpan document)
{
	const char *end = document.s + document.len;
	const size_t footer = strlen("</urlset>");
	const char *root;

	e->is_text = !begins_with(document.s, end, SM_LITERAL("<?xml "));
	e->p = document.s;
	e->end = end;
	if (e->is_text)
		return true;

	root = find(document.s, end, SM_LITERAL("<urlset "));
	if (root == NULL || !begins_with(end - footer, end, SM_LITERAL("</urlset>")))
		return false;
	e->end -= footer;
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

	if (!begins_with(p, end, start_tag, strlen(start_tag)))
		return false;
	p += strlen(start_tag);
	found = find(p, end, end_tag, strlen(end_tag));
	if (found == NULL)
		return false;
	*text = sm_span(p, found - p);
	return true;
}

SmEntriesStatus
sm_entries_next(SmEntries *e, SmListed *entry)
{
	const char *end;

	if (e->p == e->end)
		return SM_ENTRIES_END;
	entry->lastmod = sm_no_span();
	if (e->is_text)
	{
		end = memchr(e->p, '\n', e->end - e->p);
		if (end == NULL)
			return SM_ENTRIES_BROKEN;
		entry->raw = entry->loc = sm_span(e->p, end - e->p);
		e->p = end + 1;
		return SM_ENTRIES_ENTRY;
	}

	end = end_of_url(e->p, e->end);
	if (end == NULL ||
		!element_text(e->p, end, "<url><loc>", "</loc>", &entry->loc))
		return SM_ENTRIES_BROKEN;
	entry->raw = sm_span(e->p, end - e->p);
	if (!element_text(entry->loc.s + entry->loc.len + strlen("</loc>"), end, "<lastmod>",
					  "</lastmod>", &entry->lastmod))
		entry->lastmod = sm_no_span();
	e->p = end;
	return SM_ENTRIES_ENTRY;
}

/*
 * Is an entry with this loc among the next few of e?  If so, pass on the entries
 * before it and go there.
 */
static bool
skip_to(SmEntries *e, SmSpan loc, bool is_new, SmEntryTaker take, void *arg)
{
	SmEntries	ahead = *e;
	SmListed	entry;
	int			n = -1;

	do
	{
		if (++n > LOOK_AHEAD || sm_entries_next(&ahead, &entry) != SM_ENTRIES_ENTRY)
			return false;
	} while (!sm_span_equal(entry.loc, loc));

	while (n-- > 0)
	{
		sm_entries_next(e, &entry);
		take(arg, is_new, e, &entry);
	}
	return true;
}

/* Skip the next entry of e if it equals the given one, byte for byte. */
static bool
skip_same(SmEntries *e, const SmListed *entry)
{
	const char *end;

	if (!begins_with(e->p, e->end, entry->raw.s, entry->raw.len))
		return false;
	end = e->p + entry->raw.len;
	if (e->is_text && (end == e->end || *end++ != '\n'))
		return false;
	e->p = end;
	return true;
}

static bool
take_rest(SmEntries *e, bool is_new, SmEntryTaker take, void *arg)
{
	SmListed	entry;
	SmEntriesStatus status;

	while ((status = sm_entries_next(e, &entry)) == SM_ENTRIES_ENTRY)
		take(arg, is_new, e, &entry);
	return status == SM_ENTRIES_END;
}

bool
sm_entries_compare(SmEntries *old, SmEntries *new, SmEntryTaker take, void *arg)
{
	while (old->p < old->end && new->p < new->end)
	{
		SmEntries	old_place = *old;
		SmEntries	new_place = *new;
		SmListed	old_entry;
		SmListed	new_entry;

		if (sm_entries_next(old, &old_entry) != SM_ENTRIES_ENTRY)
			return false;
		if (skip_same(new, &old_entry))
			continue;
		if (sm_entries_next(new, &new_entry) != SM_ENTRIES_ENTRY)
			return false;

		if (!sm_span_equal(old_entry.loc, new_entry.loc))
		{
			if (skip_to(&new_place, old_entry.loc, true, take, arg))
			{
				*new = new_place;
				*old = old_place;
				continue;
			}
			if (skip_to(&old_place, new_entry.loc, false, take, arg))
			{
				*old = old_place;
				*new = new_place;
				continue;
			}
		}
		take(arg, false, old, &old_entry);
		take(arg, true, new, &new_entry);
	}
	return take_rest(old, false, take, arg) && take_rest(new, true, take, arg);
}
