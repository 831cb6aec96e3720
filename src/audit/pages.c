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
	PAGE_LINK,					/* a LinkInfo and the URL of the page; empty
								 * unless a row links to the page */
	PAGE_NCOLUMNS
};

#define PAGE_NKEYS		PAGE_LINK

/* The lowest number, so that a page comes before its links. */
#define NO_OTHER		PG_INT64_MIN

/* Less than any row, so that a link from the page comes before links to it. */
#define OWN_LINK		0

/* What is known of a link beside the two pages. */
typedef struct LinkInfo
{
	int16		language;		/* of the other page: an index of languages,
								 * or NO_LANGUAGE */
	int16		own_language;	/* of the page that links, likewise */
	bool		is_query;		/* do the pages differ only by the query? */
} LinkInfo;

#define NO_LANGUAGE		(-1)

/* Alternates of a language that no row lists. */
typedef struct Unlisted
{
	int64		n;
	int64		first_row;		/* the first row that has one of them */
	char	   *first;
} Unlisted;

/* A code that alternates have as hreflang, in lower case. */
typedef struct Language
{
	SmSpan		code;
	bool		is_listed;		/* does a row list a page of the language? */
	Unlisted	all;
	Unlisted	surely;			/* those that are no pages of another set */

	/* of the last page that was compared */
	int64		page;			/* has an alternate of this language */
	int64		from_page;		/* is the alternate of a page of this language */
	int64		from;			/* a hash of that page */
} Language;

/* More languages than any site has; links in others are not counted. */
#define MAX_LANGUAGES	1024

struct SmPages
{
	SmSort		sort;
	text	   *no_link;		/* empty */
	const SmUrlBase *base;
	SmFindings *findings;
	SmUnlistedCallback callback;
	void	   *callback_arg;
	bool		has_https;		/* does base_url or a page have https? */
	int64		npages;			/* rows */
	SmCause		http;			/* pages with http among https */

	int			nlanguages;
	Language	languages[MAX_LANGUAGES];	/* a hash table */

	/* of the page that is compared, if no row lists it */
	int64		page;			/* its number, from 1 on */
	int			npage_languages;
	int16		page_languages[MAX_LANGUAGES];	/* those of links to it */
	int64		first_row;		/* first row that links to it; 0 for none */
	bool		is_sure;		/* is it no page of another set? */
	StringInfoData url;
};

SmPages *
sm_pages_begin(const SmUrlBase *base, SmFindings *findings, SmUnlistedCallback callback,
			   void *callback_arg)
{
	static const Oid types[] = {
		[PAGE_HASH] = INT8OID,[PAGE_HASH2] = INT8OID,[PAGE_OTHER] = INT8OID,
		[PAGE_ROW] = INT8OID,[PAGE_LINK] = TEXTOID
	};
	SmPages    *pages = palloc0_object(SmPages);

	pages->no_link = cstring_to_text("");
	pages->base = base;
	pages->has_https = is_https(sm_base_origin(base));
	pages->findings = findings;
	pages->callback = callback;
	pages->callback_arg = callback_arg;
	pages->page = 1;
	initStringInfo(&pages->url);
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
put_row(SmPages *pages, PageHash page, int64 other, int64 row_number, text *link)
{
	Datum	   *values = sm_sort_row(&pages->sort);

	values[PAGE_HASH] = Int64GetDatum(page.hash);
	values[PAGE_HASH2] = Int64GetDatum(page.hash2);
	values[PAGE_OTHER] = Int64GetDatum(other);
	values[PAGE_ROW] = Int64GetDatum(row_number);
	values[PAGE_LINK] = PointerGetDatum(link);
	sm_sort_put(&pages->sort);
}

void
sm_pages_add(SmPages *pages, int64 row_number, SmSpan page)
{
	put_row(pages, hash_page(page), NO_OTHER, row_number, pages->no_link);
	pages->npages++;
	pages->has_https |= is_https(page);
}

/* The index of a language, which is added if it is new. */
static int16
find_language(SmPages *pages, SmSpan hreflang)
{
	char		code[SM_HREFLANG_MAX];
	SmSpan		key = sm_span(code, hreflang.len);
	uint64		i;

	if (hreflang.len == 0 || hreflang.len > SM_HREFLANG_MAX || sm_span_is(hreflang, "x-default"))
		return NO_LANGUAGE;
	for (size_t k = 0; k < hreflang.len; k++)
		code[k] = sm_lower(hreflang.s[k]);
	for (i = sm_digest(code, key.len, 0) % MAX_LANGUAGES; pages->languages[i].code.s; i = (i + 1) % MAX_LANGUAGES)
		if (sm_span_equal(pages->languages[i].code, key))
			return (int16) i;
	/* one stays free, so that each search ends */
	if (pages->nlanguages == MAX_LANGUAGES - 1)
		return NO_LANGUAGE;
	pages->nlanguages++;
	pages->languages[i].code = sm_span(MemoryContextStrdup(pages->findings->context, pnstrdup(code, key.len)), key.len);
	return (int16) i;
}

/* A URL without its query. */
static SmSpan
without_query(SmSpan page)
{
	const char *query = memchr(page.s, '?', page.len);

	return query ? sm_span(page.s, query - page.s) : page;
}

/* Put a link from a page to another into the sort. */
static void
put_link(SmPages *pages, int64 row_number, PageHash page, SmSpan other, const LinkInfo *info)
{
	PageHash	other_hash = hash_page(other);
	text	   *link = palloc(VARHDRSZ + sizeof(*info) + other.len);

	SET_VARSIZE(link, VARHDRSZ + sizeof(*info) + other.len);
	memcpy(VARDATA(link), info, sizeof(*info));
	memcpy(VARDATA(link) + sizeof(*info), other.s, other.len);
	put_row(pages, page, other_hash.hash, OWN_LINK, pages->no_link);
	put_row(pages, other_hash, page.hash, row_number, link);
	pfree(link);				/* a row can have many links */
}

void
sm_pages_link(SmPages *pages, int64 row_number, SmSpan page, const SmLink *links, int nlinks)
{
	PageHash	hash = hash_page(page);
	LinkInfo	info = {.own_language = NO_LANGUAGE};

	for (int i = 0; i < nlinks; i++)
	{
		info.language = sm_span_equal(links[i].href, page) ? find_language(pages, links[i].hreflang) : NO_LANGUAGE;
		if (info.language != NO_LANGUAGE)
		{
			info.own_language = info.language;
			pages->languages[info.language].is_listed = true;
		}
	}
	for (int i = 0; i < nlinks; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (sm_span_equal(links[i].href, page))
			continue;
		info.language = find_language(pages, links[i].hreflang);
		info.is_query = sm_span_equal(without_query(links[i].href), without_query(page));
		put_link(pages, row_number, hash, links[i].href, &info);
	}
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
		sm_findings_add_caused(pages->findings, row_number, SM_SCHEME_MIXED, &pages->http,
							   pstrdup("The scheme is http, while base_url or other pages have https."));
}

/* Look at a link to a page that is listed, by a row that this page may not link to. */
static void
compare_link(SmPages *pages, PageState *current, int64 other, int64 row_number, SmSpan url)
{
	char	   *alternate;

	if (current->links_to_other || row_number == current->reported_row)
		return;
	current->reported_row = row_number;
	alternate = sm_for_message(url);
	sm_findings_add(pages->findings, row_number, SM_HREFLANG_NOT_RECIPROCAL,
					"The page has the alternate \"%s\", but row " INT64_FORMAT " does not link back.",
					alternate, current->first_row);
	pfree(alternate);			/* there can be many */
}

/* Note a link to a page that no row lists. */
static void
note_unlisted(SmPages *pages, int64 other, int64 row_number, const LinkInfo *info, SmSpan url)
{
	if (pages->first_row == 0)
	{
		resetStringInfo(&pages->url);
		appendBinaryStringInfo(&pages->url, url.s, (int) url.len);
	}
	if (pages->first_row == 0 || row_number < pages->first_row)
		pages->first_row = row_number;

	/* pages of one language with one alternate */
	if (info->own_language != NO_LANGUAGE)
	{
		Language   *own = &pages->languages[info->own_language];

		pages->is_sure |= own->from_page == pages->page && own->from != other;
		own->from_page = pages->page;
		own->from = other;
	}
	pages->is_sure |= info->is_query;
	if (info->language != NO_LANGUAGE && pages->languages[info->language].page != pages->page)
	{
		pages->languages[info->language].page = pages->page;
		pages->page_languages[pages->npage_languages++] = info->language;
	}
}

/* Look at a row of the sort that is a link.  Links from the page come before links to it. */
static void
look_at_link(SmPages *pages, PageState *current, int64 other, int64 row_number, const text *link)
{
	const char *s = VARDATA_ANY(link);
	LinkInfo	info;
	SmSpan		url;

	if (other != current->other)
	{
		current->other = other;
		current->links_to_other = false;
	}
	if (row_number == OWN_LINK)
	{
		current->links_to_other = true;
		return;
	}
	memcpy(&info, s, sizeof(info));
	url = sm_span(s + sizeof(info), VARSIZE_ANY_EXHDR(link) - sizeof(info));
	if (current->first_row == 0)
	{
		note_unlisted(pages, other, row_number, &info, url);
		return;
	}
	if (info.language != NO_LANGUAGE)
		pages->languages[info.language].is_listed = true;
	compare_link(pages, current, other, row_number, url);
}

static void
count_unlisted(SmPages *pages, Unlisted *unlisted)
{
	if (unlisted->n++ > 0 && unlisted->first_row <= pages->first_row)
		return;
	if (unlisted->first)
		pfree(unlisted->first);
	unlisted->first_row = pages->first_row;
	unlisted->first = sm_for_message(sm_span(pages->url.data, pages->url.len));
}

/* End a page, after all of its links. */
static void
finish_page(SmPages *pages)
{
	SmSpan		url = sm_span(pages->url.data, pages->url.len);

	if (pages->first_row > 0)
	{
		pages->callback(pages->callback_arg, pages->first_row, url);
		for (int i = 0; i < pages->npage_languages && sm_base_path(pages->base, url) > 0; i++)
		{
			Language   *language = &pages->languages[pages->page_languages[i]];

			count_unlisted(pages, &language->all);
			if (pages->is_sure)
				count_unlisted(pages, &language->surely);
		}
	}
	pages->page++;
	pages->npage_languages = 0;
	pages->first_row = 0;
	pages->is_sure = false;
}

/* Does a row list a page of this language for another country? */
static bool
is_listed_elsewhere(const SmPages *pages, SmSpan code)
{
	size_t		len = strcspn(code.s, "-");

	for (int i = 0; i < MAX_LANGUAGES; i++)
		if (pages->languages[i].is_listed && strcspn(pages->languages[i].code.s, "-") == len &&
			memcmp(pages->languages[i].code.s, code.s, len) == 0)
			return true;
	return false;
}

/*
 * Report the alternates that no row lists, a language at a time: all if the set lists pages of
 * the language.  A language of which it lists none can be another set's, unless the set lists
 * most languages, and this one for other countries.
 */
static void
report_unlisted(SmPages *pages)
{
	int			nlisted = 0;
	int			nmissing = 0;

	for (int i = 0; i < MAX_LANGUAGES; i++)
	{
		nlisted += pages->languages[i].is_listed;
		nmissing += !pages->languages[i].is_listed && pages->languages[i].all.n > 0;
	}
	for (int i = 0; i < MAX_LANGUAGES; i++)
	{
		const Language *language = &pages->languages[i];
		const Unlisted *unlisted = language->is_listed ||
			(language->all.n > 0 && nlisted > nmissing && is_listed_elsewhere(pages, language->code)) ?
			&language->all : &language->surely;

		if (unlisted->n > 0)
			sm_findings_add(pages->findings, unlisted->first_row, SM_HREFLANG_UNLISTED,
							"No row lists " INT64_FORMAT " of the alternates in \"%s\", such as \"%s\".",
							unlisted->n, language->code.s, unlisted->first);
	}
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
			finish_page(pages);
			memset(&current, 0, sizeof(current));
			current.hash = hash;
		}

		if (other == NO_OTHER)
			compare_page(pages, &current, stems, row_number);
		else
			look_at_link(pages, &current, other, row_number,
						 (text *) DatumGetPointer(values[PAGE_LINK]));
	}
	finish_page(pages);
	sm_sort_end(sort);
	report_unlisted(pages);
	if (sm_findings_are_one(pages->findings, &pages->http, pages->npages))
		sm_findings_add(pages->findings, SM_WHOLE_SET, SM_SCHEME_MIXED,
						"The scheme of " INT64_FORMAT " of " INT64_FORMAT " pages is http, while base_url or other pages have https.",
						pages->http.nrows, pages->npages);
}
