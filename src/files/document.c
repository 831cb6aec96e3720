/*
 * document.c
 *	  Puts a header and a footer around the entries of a document.
 *
 * The namespaces that the header declares are known after the last entry, so the
 * header is written when the document is closed.  The entries begin where the entries
 * of the previous document began, since most headers declare the same namespaces.  If
 * this header differs, the entries move.
 */
#include "postgres.h"

#include "files/document.h"

#include "access/toast_internals.h"

static const char *
root_name(const SmDocument *doc)
{
	return doc->kind == SM_INDEX ? "sitemapindex" : "urlset";
}

static void
append_header(StringInfo dst, const SmDocument *doc)
{
	if (doc->kind == SM_TEXT)
		return;
	appendStringInfo(dst, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>%s<%s xmlns=\"%s",
					 doc->stylesheet ? doc->stylesheet : "", root_name(doc),
					 doc->protocol == SM_PROTOCOL_084 ? SM_NAMESPACE_084 : SM_NAMESPACE);
	for (int i = 0; i < SM_NNAMESPACES; i++)
		if (doc->totals.namespaces & sm_namespaces[i].flag)
			appendStringInfo(dst, "\" xmlns:%s=\"%s", sm_namespaces[i].prefix.s,
							 sm_namespaces[i].uri.s);
	appendStringInfoString(dst, "\">");
}

static void
append_footer(StringInfo dst, const SmDocument *doc)
{
	if (doc->kind != SM_TEXT)
		appendStringInfo(dst, "</%s>", root_name(doc));
}

void
sm_document_init(SmDocument *doc, SmKind kind, SmProtocol protocol,
				 const char *stylesheet)
{
	memset(doc, 0, sizeof(*doc));
	doc->kind = kind;
	doc->protocol = protocol;
	doc->stylesheet = stylesheet;
	doc->max_entries = SM_MAX_ENTRIES;
	doc->max_bytes = SM_MAX_BYTES;
	if (protocol == SM_PROTOCOL_084)
	{
		doc->max_bytes = SM_MAX_BYTES_084;
		if (kind == SM_INDEX)
			doc->max_entries = SM_MAX_INDEX_084;
	}

	initStringInfo(&doc->buf);
	append_header(&doc->buf, doc);
	doc->begin = VARHDRSZ + doc->buf.len;
	append_footer(&doc->buf, doc);
	doc->frame = doc->buf.len;
	enlargeStringInfo(&doc->buf, VARHDRSZ);
	sm_document_reset(doc);
}

/* bytes before the states of entries */
#define SHOWN_BEGIN		(VARHDRSZ + SM_SHOWN_HEADER_LEN)

void
sm_document_keep_shown(SmDocument *doc)
{
	StaticAssertStmt(SM_SHOWN_MAX_PAGES == SM_MAX_ENTRIES, "a file can have more pages than states");

	initStringInfo(&doc->shown);
	enlargeStringInfo(&doc->shown, SHOWN_BEGIN);
	doc->shown.len = SHOWN_BEGIN;
}

void
sm_document_reset(SmDocument *doc)
{
	if (doc->shown.data)
		doc->shown.len = SHOWN_BEGIN;
	memset(&doc->totals, 0, sizeof(doc->totals));
	doc->end = doc->buf.len = doc->begin;
}

int
sm_document_overhead(const SmDocument *doc, uint32 namespaces)
{
	int			size = doc->frame;

	if (namespaces != 0)
		for (int i = 0; i < SM_NNAMESPACES; i++)
			if (namespaces & sm_namespaces[i].flag)
				size += strlen(" xmlns:=\"\"") + sm_namespaces[i].prefix.len +
					sm_namespaces[i].uri.len;
	return size;
}

int64
sm_document_size(const SmDocument *doc)
{
	return (int64) sm_document_overhead(doc, doc->totals.namespaces) + doc->end - doc->begin;
}

bool
sm_document_fits(const SmDocument *doc, const SmEntry *entry)
{
	uint32		namespaces = doc->totals.namespaces | entry->namespaces;

	return doc->totals.count < doc->max_entries &&
		doc->totals.nnews + entry->has_news <= SM_MAX_NEWS &&
		(int64) sm_document_overhead(doc, namespaces) + doc->end - doc->begin +
		entry->len <= doc->max_bytes;
}

bool
sm_document_fits_alone(SmDocument *doc, const SmEntry *entry, SmProblems *problems)
{
	if ((int64) sm_document_overhead(doc, entry->namespaces) + entry->len <= doc->max_bytes)
		return true;
	doc->buf.len = doc->end;
	return sm_refuse(problems, SM_ENTRY_TOO_LARGE, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL,
					 "invalid url: an entry of %d bytes does not fit into a sitemap of " INT64_FORMAT " bytes",
					 entry->len, doc->max_bytes);
}

void
sm_document_add(SmDocument *doc, const SmEntry *entry)
{
	SmTotals   *totals = &doc->totals;

	Assert(doc->buf.len >= doc->end + entry->len);

	doc->end += entry->len;
	totals->count++;
	totals->namespaces |= entry->namespaces;
	totals->nnews += entry->has_news;
	totals->nshown += entry->has_shown;
	if (entry->has_lastmod && (!totals->has_lastmod || entry->lastmod > totals->lastmod))
	{
		totals->has_lastmod = true;
		totals->lastmod = entry->lastmod;
	}
	if (entry->has_shown)
	{
		enlargeStringInfo(&doc->shown, SM_SHOWN_PAGE_LEN);
		sm_shown_put(doc->shown.data + doc->shown.len, &entry->shown);
		doc->shown.len += SM_SHOWN_PAGE_LEN;
	}
}

int
sm_document_fullness(const SmDocument *doc)
{
	int64		by_count = (int64) doc->totals.count * SM_FULL / doc->max_entries;
	int64		by_news = (int64) doc->totals.nnews * SM_FULL / SM_MAX_NEWS;
	int64		by_size = sm_document_size(doc) * SM_FULL / doc->max_bytes;

	return (int) Max(by_count, Max(by_news, by_size));
}

struct varlena *
sm_document_close(SmDocument *doc)
{
	StringInfoData header;
	int			begin;
	struct varlena *result;

	initStringInfo(&header);
	append_header(&header, doc);
	begin = VARHDRSZ + header.len;

	/* an entry after the end is dropped */
	doc->buf.len = doc->end;
	if (begin != doc->begin)
	{
		enlargeStringInfo(&doc->buf, header.len);
		memmove(doc->buf.data + begin, doc->buf.data + doc->begin, doc->end - doc->begin);
		doc->end += begin - doc->begin;
		doc->begin = begin;
	}
	memcpy(doc->buf.data + VARHDRSZ, header.data, header.len);
	pfree(header.data);

	doc->buf.len = doc->end;
	append_footer(&doc->buf, doc);
	Assert(doc->buf.len == VARHDRSZ + sm_document_size(doc));
	result = (struct varlena *) doc->buf.data;
	SET_VARSIZE(result, doc->buf.len);
	doc->buf.len = doc->end;
	return result;
}

struct varlena *
sm_document_shown(SmDocument *doc, uint64 order, uint64 *checksum)
{
	struct varlena *result = (struct varlena *) doc->shown.data;

	if (result == NULL)
		return NULL;
	/* states after the end belong to entries that were moved to the next file */
	*checksum = sm_shown_seal(VARDATA(result), doc->totals.nshown, order);
	SET_VARSIZE(result, SHOWN_BEGIN + doc->totals.nshown * SM_SHOWN_PAGE_LEN);
	return result;
}

struct varlena *
sm_toast_compress(struct varlena *value)
{
#ifdef USE_LZ4
	Datum		compressed = toast_compress_datum(PointerGetDatum(value),
												  TOAST_LZ4_COMPRESSION);

	if (DatumGetPointer(compressed) != NULL)
		return (struct varlena *) DatumGetPointer(compressed);
#endif
	return value;
}
