/*
 * pages.c
 *	  What the pages of a set show together: duplicates, http among https, and
 *	  links to other languages that are not returned.
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
 * A page has two hashes, 128 bits, so that no two pages are mistaken for each other.
 */
#include "postgres.h"

#include "audit/pages.h"

#include "audit/site.h"
#include "catalog/pg_type.h"
#include "core/digest.h"
#include "server/encoding.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Columns of the sort. */
enum
{
	PAGE_HASH,
	PAGE_HASH2,
	PAGE_OTHER,					/* a hash of the other page of a link, NULL
								 * for a page; 64 bits are enough, since a
								 * page has few links */
	PAGE_ROW,					/* row that is the page, or that links to the
								 * page; 0 for a link from the page */
	PAGE_URL,					/* URL of the page, for a message; NULL unless
								 * a row links to the page */
	PAGE_NCOLUMNS
};

#define PAGE_NKEYS		PAGE_URL

struct SmPages
{
	SmSort		sort;
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

/* Begin a row of the sort for a page: no link, no URL. */
static Datum *
begin_row(SmSort *sort, SmSpan page, int64 row_number)
{
	Datum	   *values = sm_sort_row(sort);

	values[PAGE_HASH] = Int64GetDatum(hash_page(page));
	values[PAGE_HASH2] = Int64GetDatum((int64) sm_digest(page.s, page.len, 1));
	sort->in->tts_isnull[PAGE_OTHER] = true;
	values[PAGE_ROW] = Int64GetDatum(row_number);
	sort->in->tts_isnull[PAGE_URL] = true;
	return values;
}

void
sm_pages_add(SmPages *pages, int64 row_number, SmSpan page)
{
	begin_row(&pages->sort, page, row_number);
	sm_sort_put(&pages->sort);
	pages->has_https |= sm_is_https(page);
}

/*
 * Add a link as a row of page.  row_number: row that links from other to page; 0
 * if page links to other.
 */
static void
put_link(SmSort *sort, SmSpan page, SmSpan other, int64 row_number)
{
	Datum	   *values = begin_row(sort, page, row_number);
	text	   *url = NULL;

	values[PAGE_OTHER] = Int64GetDatum(hash_page(other));
	sort->in->tts_isnull[PAGE_OTHER] = false;
	if (row_number > 0)
	{
		url = cstring_to_text_with_len(page.s, (int) page.len);
		values[PAGE_URL] = PointerGetDatum(url);
		sort->in->tts_isnull[PAGE_URL] = false;
	}
	sm_sort_put(sort);
	if (url)
		pfree(url);				/* a row can have many links */
}

void
sm_pages_link(SmPages *pages, int64 row_number, SmSpan page, SmSpan other)
{
	put_link(&pages->sort, page, other, 0);
	put_link(&pages->sort, other, page, row_number);
}

/* The page that the sort has come to. */
typedef struct CurrentPage
{
	int64		hash;			/* hash of the page */
	int64		hash2;
	int64		first_row;		/* first row with the page, 0 for none */
	int64		other;			/* hash of the other page of the last link */
	bool		links_to_other; /* does the page link to other? */
	int64		linked_from;	/* last row that links from other */
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
compare_link(SmPages *pages, CurrentPage *current, int64 other, int64 row_number, Datum url)
{
	text	   *page;

	if (other != current->other)
	{
		current->other = other;
		current->links_to_other = false;
		current->linked_from = 0;
	}
	if (row_number == 0)
		current->links_to_other = true;
	if (current->links_to_other || current->first_row == 0 || row_number == current->linked_from)
		return;

	current->linked_from = row_number;
	page = (text *) DatumGetPointer(url);
	sm_findings_add(pages->findings, row_number, SM_HREFLANG_NOT_RECIPROCAL,
					psprintf("The page has the alternate \"%s\", but row " INT64_FORMAT " does not link back.",
							 sm_for_message(sm_span(VARDATA_ANY(page), VARSIZE_ANY_EXHDR(page))),
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

	sm_sort_perform(sort);
	while ((values = sm_sort_next(sort)) != NULL)
	{
		int64		hash = DatumGetInt64(values[PAGE_HASH]);
		int64		hash2 = DatumGetInt64(values[PAGE_HASH2]);
		int64		row_number = DatumGetInt64(values[PAGE_ROW]);
		MemoryContext oldcontext;

		if (hash != current.hash || hash2 != current.hash2)
		{
			current = (CurrentPage)
			{
				0
			};
			current.hash = hash;
			current.hash2 = hash2;
		}

		MemoryContextReset(row_context);
		oldcontext = MemoryContextSwitchTo(row_context);
		if (sm_sort_is_null(sort, PAGE_OTHER))
			compare_page(pages, &current, row_number, pages->has_https && !(hash & 1));
		else
			compare_link(pages, &current, DatumGetInt64(values[PAGE_OTHER]), row_number,
						 values[PAGE_URL]);
		MemoryContextSwitchTo(oldcontext);
	}
	sm_sort_end(sort);
}
