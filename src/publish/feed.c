/*
 * feed.c
 *	  Writes the URLs that a run added, changed or removed to a feed, a table with the
 *	  columns of sitemap_change.
 *
 * For each file that the run writes or deletes, its old and new versions are compared, and
 * the entries that can differ are kept.  At the end they are sorted by URL.  So the old and
 * the new entry of a URL meet, in whichever files they are.
 *
 * Example: file 1 had the pages A and B, file 2 had C and D.  A was edited, B was
 * deleted, and C moved to file 1.  Kept are A (old and new), B (old), C (new) and C (old),
 * but not D, with which both versions of file 2 end.  The entries of A differ, so A has
 * changed.  B has no new entry, so it was removed.  The entries of C are equal, so C is not
 * reported.
 */
#include "postgres.h"

#include "publish/feed.h"

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "miscadmin.h"
#include "publish/entries.h"
#include "server/gzip.h"
#include "server/sort.h"
#include "server/statement.h"
#include "text/digest.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
#include "web/xml.h"

/* The columns of type sitemap_change. */
static const SmTableColumn change_columns[] = {
	{.name = "base_url",.type = TEXTOID},
	{.name = "at",.type = TIMESTAMPTZOID},
	{.name = "section",.type = TEXTOID},
	{.name = "loc",.type = TEXTOID},
	{.name = "action",.type = TEXTOID},
	{.name = "lastmod",.type = TEXTOID}
};

static const SmTable feed_table = {
	.what = "feed table",
	.columns = change_columns,
	.ncolumns = lengthof(change_columns),
	.may_be_view = true,
	.hint = "Create the feed with CREATE TABLE ... OF sitemap_change."
};

/*
 * The columns of the entries that are kept.  A URL that the section lists more than once
 * counts as added or removed if it is listed more or less often than before, in whichever
 * files.  Otherwise it has changed unless its old and new digests add up to 0.
 */
enum
{
	ENTRY_LOC,					/* the URL */
	ENTRY_LASTMOD,				/* of a new entry, else empty */
	ENTRY_LISTED,				/* 1 for a new entry, -1 for an old one */
	ENTRY_DIGEST,				/* of a new entry; negative for an old one */
	ENTRY_NCOLUMNS
};

static const Oid entry_types[ENTRY_NCOLUMNS] = {TEXTOID, TEXTOID, INT8OID, INT8OID};

/* URLs whose rows are in memory, and are inserted by one statement */
#define BATCH_URLS		500

struct SmFeed
{
	SmTable		table;
	SmSort		entries;		/* old and new ones, by URL and lastmod */
	const char *name;			/* of the file being compared */
	MemoryContext entry_context;	/* for an entry, or rows to insert */
};

SmFeed *
sm_feed_open(Oid relid)
{
	SmFeed	   *feed = palloc0_object(SmFeed);
	SmTable    *table = &feed->table;
	const AclMode needed = ACL_SELECT | ACL_INSERT;

	*table = feed_table;
	table->relid = relid;
	sm_table_open(table, RowExclusiveLock);
	if (pg_class_aclmask(relid, GetUserId(), needed, ACLMASK_ALL) != needed)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for table %s", table->name),
				 errdetail("A feed needs the privileges SELECT and INSERT.")));
	sm_table_check_row_security(table);

	sm_sort_begin(&feed->entries, ENTRY_NCOLUMNS, entry_types, ENTRY_LASTMOD + 1);
	feed->entry_context = AllocSetContextCreate(CurrentMemoryContext, "sitemap feed entry",
												ALLOCSET_SMALL_SIZES);
	return feed;
}

bool
sm_feed_has_section(const SmFeed *feed, const char *base_url, const char *section)
{
	const char *values[] = {base_url, section};

	return sm_table_execute(&feed->table,
							"SELECT FROM @table WHERE base_url OPERATOR(pg_catalog.=) $1"
							" AND section OPERATOR(pg_catalog.=) $2 LIMIT 1",
							sm_text_parameters(lengthof(values), values), SM_READ, NULL).count > 0;
}

/* Raise an error about the file being compared: its entries cannot be read. */
pg_noreturn static void
not_ours(const SmFeed *feed)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("file \"%s\" of the target is not as sitemap_publish writes it", feed->name),
			 errdetail("The feed needs its URLs."),
			 errhint("Publish once without feed.")));
}

/* Does a text consist of printable ASCII, as every URL and date that we write does? */
static bool
is_printable_ascii(SmSpan text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.s[i] <= ' ' || text.s[i] > '~')
			return false;
	return true;
}

/* SmEntryCallback: keep an entry. */
static void
keep_entry(void *arg, const SmRawEntry *entry, bool is_new)
{
	SmFeed	   *feed = arg;
	uint64		digest = sm_digest(entry->raw.s, entry->raw.len, 0);
	MemoryContext oldcontext = MemoryContextSwitchTo(feed->entry_context);
	Datum	   *values = sm_sort_row(&feed->entries);
	SmSpan		lastmod = is_new && entry->lastmod.s ? entry->lastmod : sm_span("", 0);
	size_t		len = entry->loc.len;
	text	   *loc = palloc(VARHDRSZ + len);

	CHECK_FOR_INTERRUPTS();
	if (entry->is_text)
		memcpy(VARDATA(loc), entry->loc.s, len);
	else
		len = sm_xml_unescape(entry->loc.s, len, VARDATA(loc));
	SET_VARSIZE(loc, VARHDRSZ + len);
	if (!is_printable_ascii(sm_span(VARDATA(loc), len)) || !is_printable_ascii(entry->lastmod))
		not_ours(feed);

	values[ENTRY_LOC] = PointerGetDatum(loc);
	values[ENTRY_LASTMOD] = PointerGetDatum(cstring_to_text_with_len(lastmod.s, lastmod.len));
	values[ENTRY_LISTED] = Int64GetDatum(is_new ? 1 : -1);
	values[ENTRY_DIGEST] = UInt64GetDatum(is_new ? digest : -digest);
	sm_sort_put(&feed->entries);
	MemoryContextSwitchTo(oldcontext);
	MemoryContextReset(feed->entry_context);
}

/* Find the entries of a version of a file; NULL has none. */
static void
read_entries(SmFeed *feed, struct varlena *content, SmEntries *entries)
{
	SmSpan		document = sm_span("", 0);

	if (content)
	{
		content = PG_DETOAST_DATUM_PACKED(PointerGetDatum(content));
		document = sm_span(VARDATA_ANY(content), VARSIZE_ANY_EXHDR(content));
		if (sm_is_gzip(document) && sm_gunzip(document, SM_MAX_BYTES, &document) != NULL)
			not_ours(feed);
	}
	if (!sm_entries_init(entries, document))
		not_ours(feed);
}

void
sm_feed_compare(SmFeed *feed, const char *name, struct varlena *old_content,
				struct varlena *new_content)
{
	SmEntries	old_entries;
	SmEntries	new_entries;

	feed->name = name;
	read_entries(feed, old_content, &old_entries);
	read_entries(feed, new_content, &new_entries);
	if (!sm_entries_compare(&old_entries, &new_entries, keep_entry, feed))
		not_ours(feed);
}

/*
 * The time for the rows of a run, later than the times of the site's other rows.  Times can
 * be ahead of the clock, as they are after a file has changed twice in a second.
 */
static TimestampTz
next_time(const SmFeed *feed, const char *base_url, TimestampTz run_at)
{
	SPITupleTable *rows =
		sm_table_execute(&feed->table,
						 "SELECT pg_catalog.max(at) FROM @table"
						 " WHERE base_url OPERATOR(pg_catalog.=) $1 AND pg_catalog.isfinite(at)",
						 sm_text_parameters(1, &base_url), SM_READ_NEWEST, NULL).rows;
	bool		isnull;
	Datum		newest = SPI_getbinval(rows->vals[0], rows->tupdesc, 1, &isnull);

	if (!isnull && IS_VALID_TIMESTAMP(DatumGetTimestampTz(newest) + 1))
		run_at = Max(run_at, DatumGetTimestampTz(newest) + 1);
	return run_at;
}

/* Add a text, or NULL, to a column. */
static void
add_value(ArrayBuildState **column, text *value)
{
	*column = accumArrayResult(*column, PointerGetDatum(value), value == NULL, TEXTOID,
							   CurrentMemoryContext);
}

/*
 * Insert a row for each of the next URLs that changed.  entry: the first of their entries.
 * Returns the first entry after them, NULL at the end.  Citus sends the rows of arrays to the
 * shards of a feed.
 */
static const Datum *
insert_rows(SmFeed *feed, const Datum *entry, const char *base_url, TimestampTz at,
			const char *section)
{
	ParamListInfo params = makeParamList(6);
	ArrayBuildState *columns[3] = {NULL};

	for (int i = 0; entry && i < BATCH_URLS; i++)
	{
		text	   *loc = DatumGetTextPCopy(entry[ENTRY_LOC]);
		text	   *lastmod = NULL; /* the earliest of the new entries */
		int64		listed = 0;
		uint64		digest = 0;

		do
		{
			if (lastmod == NULL && VARSIZE_ANY_EXHDR(DatumGetPointer(entry[ENTRY_LASTMOD])) > 0)
				lastmod = DatumGetTextPCopy(entry[ENTRY_LASTMOD]);
			listed += DatumGetInt64(entry[ENTRY_LISTED]);
			digest += DatumGetUInt64(entry[ENTRY_DIGEST]);
			entry = sm_sort_next(&feed->entries);
		} while (entry && datum_image_eq(entry[ENTRY_LOC], PointerGetDatum(loc), false, -1));
		if (listed == 0 && digest == 0)
			continue;
		add_value(&columns[0], loc);
		add_value(&columns[1], cstring_to_text(listed > 0 ? "added" : listed < 0 ? "removed" : "changed"));
		add_value(&columns[2], listed < 0 ? NULL : lastmod);
	}
	if (columns[0] == NULL)
		return entry;
	sm_set_parameter(params, 1, TEXTOID, CStringGetTextDatum(base_url), false);
	sm_set_parameter(params, 2, TIMESTAMPTZOID, TimestampTzGetDatum(at), false);
	sm_set_parameter(params, 3, TEXTOID, CStringGetTextDatum(section), false);
	for (size_t i = 0; i < lengthof(columns); i++)
		sm_set_parameter(params, (int) i + 4, TEXTARRAYOID,
						 makeArrayResult(columns[i], CurrentMemoryContext), false);
	sm_table_execute(&feed->table,
					 "INSERT INTO @table (base_url, at, section, loc, action, lastmod)"
					 " SELECT $1, $2, $3, pg_catalog.unnest($4), pg_catalog.unnest($5),"
					 " pg_catalog.unnest($6)",
					 params, SM_WRITE, NULL);
	return entry;
}

void
sm_feed_write(SmFeed *feed, const char *base_url, const char *section, TimestampTz run_at)
{
	const Datum *entry = sm_sort_next(&feed->entries);
	TimestampTz at;
	MemoryContext oldcontext;

	if (entry == NULL)
		return;
	at = next_time(feed, base_url, run_at);
	oldcontext = MemoryContextSwitchTo(feed->entry_context);
	while (entry)
	{
		entry = insert_rows(feed, entry, base_url, at, section);
		MemoryContextReset(feed->entry_context);
	}
	MemoryContextSwitchTo(oldcontext);
}

void
sm_feed_close(SmFeed *feed)
{
	sm_sort_end(&feed->entries);
	relation_close(feed->table.rel, NoLock);
}
