/*
 * syndication.c
 *	  Entries of feeds: items of RSS 2.0, entries of Atom 1.0 and 0.3.
 *
 * The protocol accepts feeds as sitemaps.  An entry gives the URL of a page and the
 * date of its last change.  Nothing else is read.
 */
#include "postgres.h"

#include "parse/syndication.h"

#include "core/w3cdate.h"
#include "core/text.h"

/* Store a date as lastmod: as a W3C date, or unchanged if it is not a date. */
static void
put_date(SmRow *row, SmSpan text)
{
	char	   *date = palloc(SM_FEED_DATE_MAX);
	size_t		len;

	text = sm_trim(text);

	len = sm_feed_date(text, date);
	row->lastmod_type = SM_LASTMOD_TEXT;
	row->lastmod_text = len > 0 ? sm_span(date, len) : text;
}

/* An attribute of the element that has just begun; s is NULL if there is none. */
static SmSpan
attribute(const SmXmlReader *r, const char *name)
{
	for (int i = 0; i < r->nattributes; i++)
		if (r->attributes[i].prefix.len == 0 && sm_span_is(r->attributes[i].name, name))
			return sm_xml_resolve(r->attributes[i].value);
	return sm_no_span();
}

/* The URL of the page in an Atom link; s is NULL for other links. */
static SmSpan
atom_link(const SmXmlReader *r)
{
	SmSpan		rel = attribute(r, "rel");

	return rel.s == NULL || sm_span_is(rel, "alternate") ? attribute(r, "href") : sm_no_span();
}

static bool
read_entry(SmEntryReader *e, SmRow *row, bool is_atom)
{
	SmXmlReader *r = e->reader;
	SmSpan		date = sm_no_span();
	SmXmlToken	token;

	memset(row, 0, sizeof(*row));
	e->has_entry_inside = false;
	while ((token = sm_entry_next(e)) != SM_XML_END)
	{
		SmSpan	   *field = NULL;

		if (token == SM_XML_ERROR)
			return false;
		if (token != SM_XML_START)
			continue;
		if (sm_span_equal(r->uri, e->own_uri))
		{
			if (sm_span_is(r->name, "link") && row->loc.len == 0)
			{
				if (is_atom)
					row->loc = atom_link(r);
				else
					field = &row->loc;
			}
			else if (is_atom ? sm_span_is(r->name, "updated") || sm_span_is(r->name, "modified") :
					 sm_span_is(r->name, "pubDate"))
				field = &date;
		}
		if (!(field ? sm_entry_read_text(e, field) : sm_entry_skip(e)))
			return false;
	}
	if (date.s)
		put_date(row, date);
	return row->loc.s != NULL ||
		sm_problem(e->problems, SM_URL_ELEMENT_INVALID, ERRCODE_INVALID_XML_DOCUMENT, NULL,
				   "the entry has no link to a page");
}

/* <item><link>http://www.example.com/</link><pubDate>Sat, 07 Sep 2002 00:00:01 GMT</pubDate> */
bool
sm_rss_read_item(SmEntryReader *e, SmRow *row)
{
	return read_entry(e, row, false);
}

/*
 * <entry><link rel="alternate" href="http://www.example.com/"/><updated>2003-12-13T18:30:02Z</updated>,
 * or <modified> in Atom 0.3
 */
bool
sm_atom_read_entry(SmEntryReader *e, SmRow *row)
{
	return read_entry(e, row, true);
}
