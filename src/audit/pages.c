/*
 * pages.c
 *	  Compares pages, and the links between them, in a sort by page.
 *
 * Each page goes into a sort.  Each link between two pages goes into it twice, once
 * for each page.  So everything about a page comes together: first the rows that are
 * this page; then, for each other page, whether this page links to it, and the rows
 * of the other page that link to this one.
 *
 * Example: row 1 is the page E and links to D; row 2 is D without a link; row 3 is E
 * again.  The sort has, by page, other page and row:
 *
 *	  page	other	row
 *	  D				2		it is a page
 *	  D		E		1		row 1 links to D, and D was not seen to link to E: row 1
 *							has a problem
 *	  E				1		it is a page
 *	  E				3		E is a page already: row 3 has a problem
 *	  E		D		0		E links to D, so D may link to E
 *
 * Pages are sorted by hashes of their URLs, which are smaller and faster to compare.
 * A page has two hashes, 128 bits, which tell any two pages apart.
 */
#include "postgres.h"

#include "audit/pages.h"

#include "catalog/pg_type.h"
#include "core/digest.h"
#include "entry/value.h"
#include "server/encoding.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

void
sm_site_init(SmSite *site, const SmUrlBase *base)
{
	size_t		len = base->len[SM_FORM_PLAIN];
	char	   *page = palloc(len + 1);

	sm_url_canonical(base->url[SM_FORM_PLAIN], len, page);
	site->host.s = page + base->scheme_len + strlen("://");
	site->host.len = strcspn(site->host.s, "/");
	site->origin = sm_span(page, site->host.s + site->host.len - page);
}

/*
 * Does s begin with start and then a slash?  s is a URL and start an origin; or s is a URL
 * without its scheme, and start a host and port.
 */
static bool
begins_with(SmSpan s, SmSpan start)
{
	return s.len > start.len && s.s[start.len] == '/' &&
		memcmp(s.s, start.s, start.len) == 0;
}

SmSpan
sm_site_canonical(const SmSite *site, SmSpan url)
{
	const char *hash;

	/* nearly all URLs of a set begin with its origin */
	if (!begins_with(url, site->origin))
	{
		char	   *page = palloc(url.len + 1);

		return sm_span(page, sm_url_canonical(url.s, url.len, page));
	}
	hash = memchr(url.s, '#', url.len);
	return sm_span(url.s, hash ? (size_t) (hash - url.s) : url.len);
}

bool
sm_site_read(const SmSite *site, SmSpan text, SmSpan *page)
{
	SmUrlCache	cache = {.raw_len = 0};
	char	   *url = palloc(sm_url_bound(text.len, NULL, SM_URL_UNLIMITED));
	size_t		len;
	SmUrlStatus status = sm_url_encode(text.s, text.len, NULL, &cache, SM_FORM_PLAIN,
									   SM_URL_UNLIMITED, url, &len);

	sm_url_check_memory(status);
	if (status != SM_URL_OK)
	{
		pfree(url);
		return false;
	}
	*page = sm_site_canonical(site, sm_span(url, len));
	if (page->s != url)
		pfree(url);
	return true;
}

size_t
sm_site_path(const SmSite *site, SmSpan url)
{
	SmSpan		rest;

	if (begins_with(url, site->origin))
		return site->origin.len;
	rest.s = sm_url_host(url).s;
	rest.len = url.s + url.len - rest.s;
	if (sm_is_https(url) != sm_is_https(site->origin) || !begins_with(rest, site->host))
		return 0;
	return rest.s + site->host.len - url.s;
}

/* Columns of the sort. */
enum
{
	PAGE_HASH,
	PAGE_HASH2,
	PAGE_OTHER,					/* a hash of the other page of a link, or
								 * NO_OTHER for a page; 64 bits are enough,
								 * since a page has few links */
	PAGE_ROW,					/* row that is the page, or that links to the
								 * page; OWN_LINK for a link from the page */
	PAGE_URL,					/* URL of the page, for a message; empty
								 * unless a row links to the page */
	PAGE_NCOLUMNS
};

#define PAGE_NKEYS		PAGE_URL

/* The lowest number, so that a page comes before its links. */
#define NO_OTHER		PG_INT64_MIN

/* Less than any row, so that a link from the page comes before links to it. */
#define OWN_LINK		0

struct SmPages
{
	SmSort		sort;
	text	   *no_url;			/* empty */
	bool		has_https;		/* does base_url or a page have https? */
	SmFindings *findings;
};

SmPages *
sm_pages_begin(bool is_https, SmFindings *findings)
{
	static const Oid types[] = {
		[PAGE_HASH] = INT8OID,[PAGE_HASH2] = INT8OID,[PAGE_OTHER] = INT8OID,
		[PAGE_ROW] = INT8OID,[PAGE_URL] = TEXTOID
	};
	SmPages    *pages = palloc0_object(SmPages);

	pages->no_url = cstring_to_text("");
	pages->has_https = is_https;
	pages->findings = findings;
	sm_sort_begin(&pages->sort, PAGE_NCOLUMNS, types, PAGE_NKEYS);
	return pages;
}

/* The hash of a page.  Its lowest bit tells https from http. */
static int64
hash_page(SmSpan page)
{
	uint64		hash = sm_digest(page.s, page.len, 0);

	return (int64) ((hash & ~UINT64CONST(1)) | sm_is_https(page));
}

/* Put a row of the sort. */
static void
put_row(SmPages *pages, SmSpan page, int64 other, int64 row_number, text *url)
{
	Datum	   *values = sm_sort_row(&pages->sort);

	values[PAGE_HASH] = Int64GetDatum(hash_page(page));
	values[PAGE_HASH2] = Int64GetDatum((int64) sm_digest(page.s, page.len, 1));
	values[PAGE_OTHER] = Int64GetDatum(other);
	values[PAGE_ROW] = Int64GetDatum(row_number);
	values[PAGE_URL] = PointerGetDatum(url);
	sm_sort_put(&pages->sort);
}

void
sm_pages_add(SmPages *pages, int64 row_number, SmSpan page)
{
	put_row(pages, page, NO_OTHER, row_number, pages->no_url);
	pages->has_https |= sm_is_https(page);
}

void
sm_pages_link(SmPages *pages, int64 row_number, SmSpan page, SmSpan other)
{
	text	   *url = cstring_to_text_with_len(other.s, (int) other.len);

	put_row(pages, page, hash_page(other), OWN_LINK, pages->no_url);
	put_row(pages, other, hash_page(page), row_number, url);
	pfree(url);					/* a row can have many links */
}

/* The page that the sort has come to. */
typedef struct CurrentPage
{
	int64		hash;			/* hash of the page */
	int64		hash2;
	int64		first_row;		/* first row with the page, 0 for none */
	int64		other;			/* hash of the other page of the last link */
	bool		links_to_other; /* does the page link to other? */
	int64		reported_row;	/* last row reported for other */
} CurrentPage;

/* Look at a row of the sort that is a page. */
static void
compare_page(SmPages *pages, CurrentPage *current, int64 row_number, bool is_mixed)
{
	if (current->first_row == 0)
		current->first_row = row_number;
	else
		sm_findings_add(pages->findings, row_number, SM_LOC_DUPLICATE,
						psprintf("The loc repeats the loc of row " INT64_FORMAT ".", current->first_row));
	if (is_mixed)
		sm_findings_add(pages->findings, row_number, SM_SCHEME_MIXED,
						"The scheme is http, while base_url or other pages have https.");
}

/*
 * Look at a row of the sort that is a link.  Links from the page come before
 * links to the page.
 */
static void
compare_link(SmPages *pages, CurrentPage *current, int64 other, int64 row_number, const text *url)
{
	if (other != current->other)
	{
		current->other = other;
		current->links_to_other = false;
		current->reported_row = 0;
	}
	if (row_number == OWN_LINK)
		current->links_to_other = true;
	if (current->links_to_other || current->first_row == 0 || row_number == current->reported_row)
		return;

	current->reported_row = row_number;
	sm_findings_add(pages->findings, row_number, SM_HREFLANG_NOT_RECIPROCAL,
					psprintf("The page has the alternate \"%s\", but row " INT64_FORMAT " does not link back.",
							 sm_for_message(sm_span(VARDATA_ANY(url), VARSIZE_ANY_EXHDR(url))),
							 current->first_row));
}

void
sm_pages_compare(SmPages *pages)
{
	SmSort	   *sort = &pages->sort;
	MemoryContext row_context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_audit page",
													  ALLOCSET_DEFAULT_SIZES);
	CurrentPage current = {0};
	const Datum *values;

	while ((values = sm_sort_next(sort)) != NULL)
	{
		int64		hash = DatumGetInt64(values[PAGE_HASH]);
		int64		hash2 = DatumGetInt64(values[PAGE_HASH2]);
		int64		other = DatumGetInt64(values[PAGE_OTHER]);
		int64		row_number = DatumGetInt64(values[PAGE_ROW]);
		MemoryContext oldcontext;

		if (hash != current.hash || hash2 != current.hash2)
		{
			memset(&current, 0, sizeof(current));
			current.hash = hash;
			current.hash2 = hash2;
		}

		MemoryContextReset(row_context);
		oldcontext = MemoryContextSwitchTo(row_context);
		if (other == NO_OTHER)
			compare_page(pages, &current, row_number, pages->has_https && !(hash & 1));
		else
			compare_link(pages, &current, other, row_number,
						 (text *) DatumGetPointer(values[PAGE_URL]));
		MemoryContextSwitchTo(oldcontext);
	}
	sm_sort_end(sort);
}
