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
 * A page has two hashes, 128 bits, which tell any two pages apart.  Pages that differ only
 * in a final slash, or in the name of a directory's index, follow each other in the sort.
 */
#include "postgres.h"

#include "audit/pages.h"

#include "catalog/pg_type.h"
#include "server/encoding.h"
#include "text/digest.h"
#include "utils/builtins.h"

SmSpan
sm_page(SmSpan url)
{
	char	   *page = palloc(url.len + 1);

	return sm_span(page, sm_url_canonical(url.s, url.len, page));
}

/* Is the scheme https?  url: in canonical form. */
static bool
is_https(SmSpan url)
{
	return url.s[4] == 's';
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
sm_pages_begin(SmSpan origin, SmFindings *findings)
{
	static const Oid types[] = {
		[PAGE_HASH] = INT8OID,[PAGE_HASH2] = INT8OID,[PAGE_OTHER] = INT8OID,
		[PAGE_ROW] = INT8OID,[PAGE_URL] = TEXTOID
	};
	SmPages    *pages = palloc0_object(SmPages);

	pages->no_url = cstring_to_text("");
	pages->has_https = is_https(origin);
	pages->findings = findings;
	sm_sort_begin(&pages->sort, PAGE_NCOLUMNS, types, PAGE_NKEYS);
	return pages;
}

/* The lowest bits of the first hash of a page. */
#define PAGE_IS_HTTPS	1
#define PAGE_HAS_SLASH	2
#define PAGE_HAS_INDEX	(7 << 2)	/* a bit for each of indexes */
#define PAGE_BITS		(PAGE_IS_HTTPS | PAGE_HAS_SLASH | PAGE_HAS_INDEX)

typedef struct PageHash
{
	int64		hash;
	int64		hash2;			/* does not depend on the bits */
} PageHash;

/* What web servers send for a directory. */
static const char *const indexes[] = {"/index.html", "/index.htm", "/index.php"};

/*
 * The page without a slash, or the name of an index, at the end of its path.  The result is a
 * copy if a query follows.
 */
static SmSpan
stem_of(SmSpan page, uint64 *bits)
{
	const char *query = memchr(page.s, '?', page.len);
	SmSpan		path = sm_span(page.s, query ? (size_t) (query - page.s) : page.len);
	size_t		rest_len = page.len - path.len;
	char	   *copy;

	/* nearly all pages have no slash and dot where such a name has them */
	if (path.len > 11 && ((path.s[path.len - 5] == '.' && path.s[path.len - 11] == '/') ||
						  (path.s[path.len - 4] == '.' && path.s[path.len - 10] == '/')))
		for (size_t i = 0; i < lengthof(indexes); i++)
		{
			SmSpan		name = sm_span_of(indexes[i]);

			if (memcmp(path.s + path.len - name.len, name.s, name.len) == 0)
			{
				path.len -= name.len - 1;
				*bits |= 1 << (2 + i);
				break;
			}
		}
	if (path.s[path.len - 1] != '/')
		return page;
	path.len--;
	*bits |= PAGE_HAS_SLASH;
	if (query == NULL)
		return path;
	copy = palloc(page.len);
	memcpy(copy, path.s, path.len);
	memcpy(copy + path.len, query, rest_len);
	return sm_span(copy, path.len + rest_len);
}

/* A page without its scheme, a leading "www." of the host, and a final slash. */
static SmSpan
similar_of(SmSpan page, uint64 *bits)
{
	SmSpan		stem = stem_of(page, bits);
	const char *host = sm_url_host(stem).s;

	return sm_without_www(sm_span(host, stem.s + stem.len - host));
}

bool
sm_page_is_similar(SmSpan a, SmSpan b)
{
	uint64		a_bits = 0;
	uint64		b_bits = 0;

	return sm_span_equal(similar_of(a, &a_bits), similar_of(b, &b_bits)) &&
		((a_bits ^ b_bits) & PAGE_HAS_INDEX) == 0;
}

static PageHash
hash_page(SmSpan page)
{
	uint64		bits = is_https(page) ? PAGE_IS_HTTPS : 0;
	SmSpan		stem = stem_of(page, &bits);
	PageHash	hash;

	hash.hash = (int64) ((sm_digest(stem.s, stem.len, 0) & ~(uint64) PAGE_BITS) | bits);
	hash.hash2 = (int64) sm_digest(stem.s, stem.len, 1);
	return hash;
}

/* Put a row of the sort. */
static void
put_row(SmPages *pages, PageHash page, int64 other, int64 row_number, text *url)
{
	Datum	   *values = sm_sort_row(&pages->sort);

	values[PAGE_HASH] = Int64GetDatum(page.hash);
	values[PAGE_HASH2] = Int64GetDatum(page.hash2);
	values[PAGE_OTHER] = Int64GetDatum(other);
	values[PAGE_ROW] = Int64GetDatum(row_number);
	values[PAGE_URL] = PointerGetDatum(url);
	sm_sort_put(&pages->sort);
}

void
sm_pages_add(SmPages *pages, int64 row_number, SmSpan page)
{
	put_row(pages, hash_page(page), NO_OTHER, row_number, pages->no_url);
	pages->has_https |= is_https(page);
}

void
sm_pages_link(SmPages *pages, int64 row_number, SmSpan page, SmSpan other)
{
	text	   *url = cstring_to_text_with_len(other.s, (int) other.len);
	PageHash	page_hash = hash_page(page);
	PageHash	other_hash = hash_page(other);

	put_row(pages, page_hash, other_hash.hash, OWN_LINK, pages->no_url);
	put_row(pages, other_hash, page_hash.hash, row_number, url);
	pfree(url);					/* a row can have many links */
}

/* A page that the sort has come to. */
typedef struct PageState
{
	PageHash	hash;
	int64		first_row;		/* first row with the page, 0 for none */
	int64		other;			/* hash of the other page of the last link */
	bool		links_to_other; /* does the page link to other? */
	int64		reported_row;	/* last row reported, which is other */
} PageState;

/*
 * Compare a page with the first page that has the same stem.  stems: the first page of the
 * last stem, by scheme.
 */
static void
compare_stem(SmPages *pages, PageState stems[2], const PageState *page)
{
	PageState  *other = &stems[page->hash.hash & PAGE_IS_HTTPS];
	int64		differences = page->hash.hash ^ other->hash.hash;

	if (other->first_row == 0 || (differences & ~(int64) PAGE_BITS) != 0 ||
		other->hash.hash2 != page->hash.hash2)
	{
		*other = *page;
		return;
	}
	sm_findings_add(pages->findings, Max(page->first_row, other->first_row),
					(differences & PAGE_HAS_INDEX) ? SM_LOC_INDEX_DUPLICATE : SM_LOC_SLASH_DUPLICATE,
					"Without regard to %s, the loc repeats the loc of row " INT64_FORMAT ".",
					(differences & PAGE_HAS_INDEX) ? "a directory's index, such as index.html" : "a final slash",
					Min(page->first_row, other->first_row));
}

/* Look at a row of the sort that is a page. */
static void
compare_page(SmPages *pages, PageState *current, PageState stems[2], int64 row_number)
{
	if (current->first_row == 0)
	{
		current->first_row = row_number;
		compare_stem(pages, stems, current);
	}
	else
		sm_findings_add(pages->findings, row_number, SM_LOC_DUPLICATE,
						"The loc repeats the loc of row " INT64_FORMAT ".", current->first_row);
	if (pages->has_https && !(current->hash.hash & PAGE_IS_HTTPS))
		sm_findings_add(pages->findings, row_number, SM_SCHEME_MIXED,
						"The scheme is http, while base_url or other pages have https.");
}

/*
 * Look at a row of the sort that is a link.  Links from the page come before
 * links to the page.
 */
static void
compare_link(SmPages *pages, PageState *current, int64 other, int64 row_number, const text *url)
{
	char	   *alternate;

	if (other != current->other)
	{
		current->other = other;
		current->links_to_other = false;
	}
	if (row_number == OWN_LINK)
		current->links_to_other = true;
	if (current->links_to_other || current->first_row == 0 || row_number == current->reported_row)
		return;

	current->reported_row = row_number;
	alternate = sm_for_message(sm_span(VARDATA_ANY(url), VARSIZE_ANY_EXHDR(url)));
	sm_findings_add(pages->findings, row_number, SM_HREFLANG_NOT_RECIPROCAL,
					"The page has the alternate \"%s\", but row " INT64_FORMAT " does not link back.",
					alternate, current->first_row);
	pfree(alternate);			/* there can be many */
}

void
sm_pages_compare(SmPages *pages)
{
	SmSort	   *sort = &pages->sort;
	PageState	current = {0};
	PageState	stems[2] = {0};
	const Datum *values;

	while ((values = sm_sort_next(sort)) != NULL)
	{
		PageHash	hash;
		int64		other = DatumGetInt64(values[PAGE_OTHER]);
		int64		row_number = DatumGetInt64(values[PAGE_ROW]);

		hash.hash = DatumGetInt64(values[PAGE_HASH]);
		hash.hash2 = DatumGetInt64(values[PAGE_HASH2]);
		if (hash.hash != current.hash.hash || hash.hash2 != current.hash.hash2)
		{
			memset(&current, 0, sizeof(current));
			current.hash = hash;
		}

		if (other == NO_OTHER)
			compare_page(pages, &current, stems, row_number);
		else
			compare_link(pages, &current, other, row_number,
						 (text *) DatumGetPointer(values[PAGE_URL]));
	}
	sm_sort_end(sort);
}
