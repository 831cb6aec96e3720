/*
 * shown.h
 *	  States of the pages of a file, in the order of its entries: what each page shows,
 *	  its URL and its lastmod.
 */
#ifndef SM_SHOWN_H
#define SM_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SM_SHOWN_HEADER_LEN	16
#define SM_SHOWN_PAGE_LEN	16

/* the most pages of a file */
#define SM_SHOWN_MAX_PAGES	50000

typedef struct SmShownPage
{
	uint64_t	digest;			/* of what the page shows */
	uint32_t	url;			/* hash of its URL */
	uint32_t	lastmod;		/* seconds since 1970-01-01 UTC, 0 for none */
} SmShownPage;

/* Write a page, in SM_SHOWN_PAGE_LEN bytes. */
extern void sm_shown_put(char *dst, const SmShownPage *page);

/*
 * After the last page, fill in the header, which is in front of the pages, and return a
 * checksum of the states.  states: SM_SHOWN_HEADER_LEN bytes for the header, then the
 * pages; order: digest of a description of the order of keys, the same for sm_shown_open.
 */
extern uint64_t sm_shown_seal(char *states, size_t npages, uint64_t order);

/* Reads the states of a file. */
typedef struct SmShown
{
	const char *pages;			/* NULL if there are no states */
	uint32_t	npages;
	uint64_t	checksum;
	uint32_t	next;			/* the page after the one found last */
	bool		is_sorted;
	bool		has_equals;		/* are two pages equal, apart from lastmod? */
	uint32_t   *sorted;			/* pages by URL, digest and number */
	uint32_t   *next_equal;		/* of a group's first place: the next one */
} SmShown;

/* How many numbers the caller provides for sorting. */
#define SM_SHOWN_SPACE		(2 * SM_SHOWN_MAX_PAGES)

/*
 * Begin to read states, which must not change until the last call of sm_shown_find.
 * Returns false, with no states, unless sm_shown_seal wrote them with the same order.
 * space: SM_SHOWN_SPACE numbers.
 */
extern bool sm_shown_open(SmShown *shown, const char *states, size_t len, uint64_t order,
						  uint32_t *space);

typedef enum SmShownStatus
{
	SM_SHOWN_NEW,				/* the file had no page of this URL */
	SM_SHOWN_CHANGED,			/* the page showed something else */
	SM_SHOWN_SAME
} SmShownStatus;

/*
 * Find a page by URL and digest; if it is the same, set its lastmod.  If a file lists a
 * page more than once, the first call finds its first state, the second call its
 * second state, and so on; all further calls find its last state.
 */
extern SmShownStatus sm_shown_find(SmShown *shown, SmShownPage *page);

#endif
