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
#include "miscadmin.h"
#include "server/encoding.h"
#include "text/ascii.h"
#include "text/digest.h"
#include "text/iso.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

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
	PAGE_LANGUAGE,				/* of a row that links to the page: an index
								 * of languages, or NO_LANGUAGE */
	PAGE_URL,					/* URL of the page, for a message; empty
								 * unless a row links to the page */
	PAGE_NCOLUMNS
};

#define PAGE_NKEYS		PAGE_LANGUAGE

/* The lowest number, so that a page comes before its links. */
#define NO_OTHER		PG_INT64_MIN

/* Less than any row, so that a link from the page comes before links to it. */
#define OWN_LINK		0

#define NO_LANGUAGE		0

/* A code that alternates have as hreflang. */
typedef struct Language
{
	char		code[SM_HREFLANG_MAX + 1];	/* in lower case; empty for none */
	bool		is_listed;		/* does a row list a page of the language? */
	bool		is_missing;		/* is there an alternate that no row lists? */
} Language;

/* More languages than any site has; links in others are not counted. */
#define MAX_LANGUAGES	1024

struct SmPages
{
	SmSort		sort;
	text	   *no_url;			/* empty */
	const SmUrlBase *base;
	SmFindings *findings;
	SmAuditRobots *robots;
	bool		has_https;		/* does base_url or a page have https? */
	int			nlanguages;
	int			nown;			/* languages of which a page is an alternate
								 * of itself */
	Language	languages[MAX_LANGUAGES];	/* a hash table; the first is none */
};

SmPages *
sm_pages_begin(const SmUrlBase *base, SmFindings *findings, SmAuditRobots *robots)
{
	static const Oid types[] = {
		[PAGE_HASH] = INT8OID,[PAGE_HASH2] = INT8OID,[PAGE_OTHER] = INT8OID,
		[PAGE_ROW] = INT8OID,[PAGE_LANGUAGE] = INT8OID,[PAGE_URL] = TEXTOID
	};
	SmPages    *pages = palloc0_object(SmPages);

	pages->no_url = cstring_to_text("");
	pages->base = base;
	pages->has_https = is_https(sm_base_origin(base));
	pages->findings = findings;
	pages->robots = robots;
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

/* A URL without its query. */
static SmSpan
without_query(SmSpan page)
{
	const char *query = memchr(page.s, '?', page.len);

	return query ? sm_span(page.s, query - page.s) : page;
}

/* Hash a page without a slash, or the name of an index, at the end of its path. */
static PageHash
hash_page(SmSpan page)
{
	SmSpan		path = without_query(page);
	SmSpan		query = sm_span(path.s + path.len, page.len - path.len);
	uint64		bits = is_https(page) ? PAGE_IS_HTTPS : 0;
	PageHash	hash;

	for (size_t i = 0; i < lengthof(indexes); i++)
	{
		size_t		len = strlen(indexes[i]);

		if (path.len > len && memcmp(path.s + path.len - len, indexes[i], len) == 0)
		{
			path.len -= len - 1;
			bits |= 1 << (2 + i);
		}
	}
	if (path.s[path.len - 1] == '/')
	{
		path.len--;
		bits |= PAGE_HAS_SLASH;
	}
	hash.hash = sm_digest(query.s, query.len, sm_digest(path.s, path.len, 0));
	hash.hash = (hash.hash & ~(int64) PAGE_BITS) | bits;
	hash.hash2 = sm_digest(query.s, query.len, sm_digest(path.s, path.len, 1));
	return hash;
}

/* Put a row of the sort. */
static void
put_row(SmPages *pages, PageHash page, int64 other, int64 row_number, int64 language, text *url)
{
	Datum	   *values = sm_sort_row(&pages->sort);

	values[PAGE_HASH] = Int64GetDatum(page.hash);
	values[PAGE_HASH2] = Int64GetDatum(page.hash2);
	values[PAGE_OTHER] = Int64GetDatum(other);
	values[PAGE_ROW] = Int64GetDatum(row_number);
	values[PAGE_LANGUAGE] = Int64GetDatum(language);
	values[PAGE_URL] = PointerGetDatum(url);
	sm_sort_put(&pages->sort);
}

void
sm_pages_add(SmPages *pages, int64 row_number, SmSpan page)
{
	put_row(pages, hash_page(page), NO_OTHER, row_number, NO_LANGUAGE, pages->no_url);
	pages->has_https |= is_https(page);
}

/* The index of a language, which is added if it is new. */
static int
find_language(SmPages *pages, SmSpan hreflang)
{
	char		code[SM_HREFLANG_MAX + 1] = "";
	uint64		i;

	if (hreflang.len == 0 || hreflang.len > SM_HREFLANG_MAX || sm_span_is(hreflang, "x-default"))
		return NO_LANGUAGE;
	for (size_t k = 0; k < hreflang.len; k++)
		code[k] = sm_lower(hreflang.s[k]);
	i = sm_digest(code, hreflang.len, 0) % MAX_LANGUAGES;
	for (; i == NO_LANGUAGE || *pages->languages[i].code; i = (i + 1) % MAX_LANGUAGES)
		if (strcmp(pages->languages[i].code, code) == 0)
			return i;
	/* some stay free, so that each search ends soon */
	if (pages->nlanguages == MAX_LANGUAGES / 2)
		return NO_LANGUAGE;
	pages->nlanguages++;
	strcpy(pages->languages[i].code, code);
	return i;
}

bool
sm_pages_link(SmPages *pages, int64 row_number, SmSpan page, const SmLink *links, int nlinks)
{
	PageHash	hash = hash_page(page);
	bool		links_to_itself = false;

	for (int i = 0; i < nlinks; i++)
	{
		SmSpan		other = links[i].href;
		int			language = find_language(pages, links[i].hreflang);
		PageHash	other_hash;
		text	   *url;

		CHECK_FOR_INTERRUPTS();
		if (sm_span_equal(other, page))
		{
			links_to_itself = true;
			pages->nown += language != NO_LANGUAGE && !pages->languages[language].is_listed;
			pages->languages[language].is_listed = true;
			continue;
		}
		other_hash = hash_page(other);
		url = cstring_to_text_with_len(other.s, (int) other.len);
		put_row(pages, hash, other_hash.hash, OWN_LINK, NO_LANGUAGE, pages->no_url);
		put_row(pages, other_hash, hash.hash, row_number, language, url);
		pfree(url);				/* a row can have many links */
	}
	return links_to_itself;
}

/* A page that the sort has come to. */
typedef struct PageState
{
	PageHash	hash;
	int64		first_row;		/* first row with the page, 0 for none */
	int64		other;			/* hash of the other page of the last link */
	bool		links_to_other; /* does the page link to other? */
	int64		reported_row;	/* last row reported, which is other */

	/* if no row lists the page */
	int64		linking_row;	/* first row that links to it, 0 for none */
	int			nlinking;		/* pages that link to it */
	int			language;
	bool		is_query;		/* is it one of these with a query? */
	StringInfo	url;
} PageState;

/* Compare a page with the first page that has the same stem. */
static void
compare_stem(SmPages *pages, PageState *stem, const PageState *page)
{
	int64		differences = page->hash.hash ^ stem->hash.hash;

	if (stem->first_row == 0 || (differences & ~(int64) PAGE_BITS) != 0 ||
		stem->hash.hash2 != page->hash.hash2)
	{
		*stem = *page;
		return;
	}
	sm_findings_add(pages->findings, Max(page->first_row, stem->first_row),
					(differences & PAGE_HAS_INDEX) ? SM_LOC_INDEX_DUPLICATE : SM_LOC_SLASH_DUPLICATE,
					"Without regard to %s, the loc repeats the loc of row " INT64_FORMAT ".",
					(differences & PAGE_HAS_INDEX) ? "a directory's index, such as index.html" : "a final slash",
					Min(page->first_row, stem->first_row));
}

/* Look at a row of the sort that is a page. */
static void
compare_page(SmPages *pages, PageState *current, PageState *stem, int64 row_number)
{
	if (current->first_row == 0)
	{
		current->first_row = row_number;
		compare_stem(pages, stem, current);
	}
	else
		sm_findings_add(pages->findings, row_number, SM_LOC_DUPLICATE,
						"The loc repeats the loc of row " INT64_FORMAT ".", current->first_row);
	if (pages->has_https && !(current->hash.hash & PAGE_IS_HTTPS))
		sm_findings_add_caused(pages->findings, row_number, SM_SCHEME_MIXED, 0,
							   "The scheme is http, while base_url or other pages have https.");
}

/* Note a link to a page that no row lists: the first row's, any language before x-default. */
static void
note_unlisted(PageState *current, int64 row_number, int language, SmSpan url)
{
	current->is_query |= hash_page(without_query(url)).hash == current->other;
	if (current->linking_row > 0 && (current->linking_row < row_number ||
									 (current->linking_row == row_number && current->language >= language)))
		return;
	current->linking_row = row_number;
	current->language = language;
	resetStringInfo(current->url);
	appendBinaryStringInfo(current->url, url.s, (int) url.len);
}

/*
 * Look at a row of the sort that is a link.  Links from the page come before
 * links to the page.
 */
static void
compare_link(SmPages *pages, PageState *current, int64 other, int64 row_number, int language,
			 SmSpan url)
{
	char	   *alternate;

	if (other != current->other)
	{
		current->other = other;
		current->links_to_other = false;
		current->nlinking++;
	}
	if (row_number == OWN_LINK)
		current->links_to_other = true;
	else if (current->first_row == 0)
		note_unlisted(current, row_number, language, url);
	else
		pages->languages[language].is_listed = true;
	if (current->links_to_other || current->first_row == 0 || row_number == current->reported_row)
		return;
	current->reported_row = row_number;
	alternate = sm_for_message(url);
	sm_findings_add(pages->findings, row_number, SM_HREFLANG_NOT_RECIPROCAL,
					"The page has the alternate \"%s\", but row " INT64_FORMAT " does not link back.",
					alternate, current->first_row);
	pfree(alternate);			/* there can be many */
}

/*
 * Alternates that no row lists are counted under two causes for each language: all of them, and
 * those that cannot be pages of another set.  report_unlisted chooses which of the two is told.
 */
#define CAUSE(language, is_sure)	(2 * (language) + (is_sure))

/* End a page, after all of its links. */
static void
finish_page(SmPages *pages, const PageState *page)
{
	SmSpan		url = sm_span(page->url->data, page->url->len);
	bool		is_sure = page->is_query || (pages->nown > 0 && page->nlinking > pages->nown);

	if (page->linking_row == 0)
		return;
	/* an alternate that is a row speaks for itself */
	sm_audit_robots_check(pages->robots, page->linking_row, SM_ROBOTS_PAGE, "alternate", url);
	if (page->language == NO_LANGUAGE || sm_base_path(pages->base, url) == 0)
		return;
	pages->languages[page->language].is_missing = true;
	for (int sure = 0; sure <= is_sure; sure++)
		sm_findings_add_caused(pages->findings, page->linking_row, SM_HREFLANG_UNLISTED,
							   CAUSE(page->language, sure),
							   "No row lists the alternate \"%s\" in \"%s\".",
							   sm_for_message(url), pages->languages[page->language].code);
}

/* Does a row list a page of this language for another country? */
static bool
is_listed_elsewhere(const SmPages *pages, const char *code)
{
	size_t		len = strcspn(code, "-");

	for (int i = NO_LANGUAGE + 1; i < MAX_LANGUAGES; i++)
		if (pages->languages[i].is_listed && strcspn(pages->languages[i].code, "-") == len &&
			memcmp(pages->languages[i].code, code, len) == 0)
			return true;
	return false;
}

/*
 * Choose which alternates that no row lists are reported: all if the set lists pages of their
 * language.  A language of which it lists none can be another set's, unless the set lists
 * most languages, and this one for other countries.
 */
static void
report_unlisted(SmPages *pages)
{
	int			nlisted = 0;
	int			nmissing = 0;

	for (int i = NO_LANGUAGE + 1; i < MAX_LANGUAGES; i++)
	{
		nlisted += pages->languages[i].is_listed;
		nmissing += pages->languages[i].is_missing && !pages->languages[i].is_listed;
	}
	for (int i = NO_LANGUAGE + 1; i < MAX_LANGUAGES; i++)
	{
		const Language *language = &pages->languages[i];
		bool		are_all = language->is_listed ||
			(nlisted > nmissing && is_listed_elsewhere(pages, language->code));

		if (language->is_missing)
			sm_findings_leave_out(pages->findings, SM_HREFLANG_UNLISTED, CAUSE(i, are_all));
	}
}

void
sm_pages_compare(SmPages *pages)
{
	SmSort	   *sort = &pages->sort;
	PageState	current = {.url = makeStringInfo()};
	PageState	stem = {.first_row = 0};
	MemoryContext page_context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_audit page",
													   ALLOCSET_DEFAULT_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(page_context);
	const Datum *values;

	while ((values = sm_sort_next(sort)) != NULL)
	{
		PageHash	hash = {DatumGetInt64(values[PAGE_HASH]), DatumGetInt64(values[PAGE_HASH2])};
		int64		other = DatumGetInt64(values[PAGE_OTHER]);
		int64		row_number = DatumGetInt64(values[PAGE_ROW]);
		text	   *url = (text *) DatumGetPointer(values[PAGE_URL]);

		if (hash.hash != current.hash.hash || hash.hash2 != current.hash.hash2)
		{
			finish_page(pages, &current);
			MemoryContextReset(page_context);
			current = (PageState)
			{
				.hash = hash,.url = current.url
			};
		}

		if (other == NO_OTHER)
			compare_page(pages, &current, &stem, row_number);
		else
			compare_link(pages, &current, other, row_number, DatumGetInt64(values[PAGE_LANGUAGE]),
						 sm_span(VARDATA_ANY(url), VARSIZE_ANY_EXHDR(url)));
	}
	finish_page(pages, &current);
	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(page_context);
	sm_sort_end(sort);
	report_unlisted(pages);
}
