/*
 * document.h
 *	  A sitemap, an index or a text sitemap: header, entries, limits, footer.
 */
#ifndef SM_DOCUMENT_H
#define SM_DOCUMENT_H

#include "core/namespace.h"
#include "lib/stringinfo.h"
#include "problem.h"
#include "sitemap.h"

/* What a run of entries comes to. */
typedef struct SmTotals
{
	int			count;
	uint32		namespaces;		/* used by the entries, SM_NS_… */
	bool		has_news;
	bool		has_lastmod;
	int64		lastmod;		/* the newest, seconds since 1970-01-01 UTC */
} SmTotals;

typedef struct SmDocument
{
	SmKind		kind;
	SmProtocol	protocol;
	const char *stylesheet;		/* the processing instruction, or NULL */
	int			max_entries;
	int64		max_bytes;		/* of the whole document */

	SmTotals	totals;
	int			room;			/* bytes of buf kept free for the header */
	StringInfoData buf;			/* room, entries, maybe one more entry */
	int			end;			/* where the entries end in buf */
} SmDocument;

/*
 * Begin a document in the current memory context, with the protocol's limits.
 * in_place reserves room so that sm_document_close can be used.
 */
extern void sm_document_init(SmDocument *doc, SmKind kind, SmProtocol protocol,
							 const char *stylesheet, bool in_place);

/* Forget all entries but keep the memory. */
extern void sm_document_reset(SmDocument *doc);

/* Add an entry to the totals. */
extern void sm_totals_add(SmTotals *totals, const SmEntry *entry);

/* How many entries the document can have, as it is or with one that has news. */
extern int	sm_document_max_entries(const SmDocument *doc, bool has_news);

/* May the entry be added without breaking a limit? */
extern bool sm_document_fits(const SmDocument *doc, const SmEntry *entry);

/*
 * Would it fit into an empty document?  If not, that is a problem of its row,
 * and the entry is removed from the end of buf.
 */
extern bool sm_document_fits_alone(SmDocument *doc, const SmEntry *entry,
								   SmProblems *problems);

/* Take over the entry, which stands in buf after end. */
extern void sm_document_add(SmDocument *doc, const SmEntry *entry);

/* Bytes of header and footer, where the document uses these namespaces. */
extern int	sm_document_overhead(const SmDocument *doc, uint32 namespaces);

/* Bytes of the whole document, header and footer included. */
extern int64 sm_document_size(const SmDocument *doc);

/* Copy the whole document, sm_document_size bytes, to dst. */
extern void sm_document_write(const SmDocument *doc, char *dst);

/*
 * Complete the document where it is, without a copy, and return it as a
 * varlena that is good until the next reset.  Whatever stood in buf after the
 * entries is overwritten.
 */
extern struct varlena *sm_document_close(SmDocument *doc);

#endif
