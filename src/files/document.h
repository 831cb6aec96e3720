/*
 * document.h
 *	  A sitemap, an index or a text sitemap: header, entries, limits, footer.
 */
#ifndef SM_DOCUMENT_H
#define SM_DOCUMENT_H

#include "entry/entry.h"
#include "entry/problem.h"
#include "lib/stringinfo.h"
#include "web/namespace.h"

/* Totals over a number of entries. */
typedef struct SmTotals
{
	int			count;
	uint32		namespaces;		/* used by the entries, SM_NS_… */
	int			nnews;			/* entries with news */
	bool		has_lastmod;
	int64		lastmod;		/* the newest, seconds since 1970-01-01 UTC */
	int			nshown;			/* entries with a state to remember */
} SmTotals;

typedef struct SmDocument
{
	SmKind		kind;
	SmProtocol	protocol;
	const char *stylesheet;		/* the processing instruction, or NULL */
	int			max_entries;
	int64		max_bytes;		/* of the whole document */
	int			frame;			/* bytes of header, without namespaces, and
								 * footer */

	SmTotals	totals;
	StringInfoData buf;			/* a place for the header, the entries, and
								 * maybe an entry to be added */
	int			begin;			/* where the entries begin in buf */
	int			end;			/* where they end */
	StringInfoData shown;		/* states of the entries (entry/shown.h); data
								 * is NULL if there is nothing to remember */
} SmDocument;

/* Begin a document in the current memory context, with the protocol's limits. */
extern void sm_document_init(SmDocument *doc, SmKind kind, SmProtocol protocol,
							 const char *stylesheet);

/* Keep the states of entries, beginning with the next. */
extern void sm_document_keep_shown(SmDocument *doc);

/* Forget all entries but keep the memory. */
extern void sm_document_reset(SmDocument *doc);

/* May the entry be added without breaking a limit? */
extern bool sm_document_fits(const SmDocument *doc, const SmEntry *entry);

/*
 * Would the entry fit into an empty document?  If not, report a problem of its
 * row and remove the entry from the end of buf.
 */
extern bool sm_document_fits_alone(SmDocument *doc, const SmEntry *entry,
								   SmProblems *problems);

/* Add the entry, which was written to buf after end. */
extern void sm_document_add(SmDocument *doc, const SmEntry *entry);

/* Bytes of the header and the footer of a document with these namespaces. */
extern int	sm_document_overhead(const SmDocument *doc, uint32 namespaces);

/* Bytes of the whole document, header and footer included. */
extern int64 sm_document_size(const SmDocument *doc);

/* How full the document is, in thousandths of the limit that is closest. */
#define SM_FULL		1000
extern int	sm_document_fullness(const SmDocument *doc);

/*
 * Write header and footer, and return the document as a varlena that is valid until
 * the next entry or reset.  An entry that was not added is lost.  More entries can
 * follow, and another close.
 */
extern struct varlena *sm_document_close(SmDocument *doc);

/*
 * The states of the entries, as a varlena that is valid until the next entry or reset;
 * NULL if states are not kept.  order: see sm_shown_seal.  checksum: receives the
 * checksum of the states.
 */
extern struct varlena *sm_document_shown(SmDocument *doc, uint64 order, uint64 *checksum);

/*
 * Compress a document, or entries, as TOAST would, if the server has LZ4 and they get
 * smaller; else return them unchanged.  Readers of the value see no difference.  A table
 * keeps the compressed value, whatever COMPRESSION and STORAGE of its column say.
 *
 * A document shrinks to about a tenth.  Compressing it takes less time than writing and
 * reading the other nine tenths.
 */
extern struct varlena *sm_toast_compress(struct varlena *value);

#endif
