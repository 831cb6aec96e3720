/*
 * feed.c
 *	  Writes the URLs that a run added, changed or removed to a feed, a table with the
 *	  columns of sitemap_change.
 *
 * For each file that the run writes or deletes, its old and new versions are
 * compared, and the entries that differ are sorted by URL.  So the two entries of a
 * URL that moved from one file to another are next to each other.
 *
 * Example: file 1 had the pages A and B, file 2 had C and D.  A was edited, B was
 * deleted, and C moved to file 1.  The sort gets A (old), A (new), B (old), C (new)
 * and C (old), but not D, which is the same in both versions of file 2.  The entries
 * of A differ, so A has changed.  B has no new entry, so it was removed.  The entries
 * of C are equal, so C is not reported.
 */
#include "postgres.h"

#include "publish/feed.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "core/digest.h"
#include "core/entries.h"
#include "core/xml.h"
#include "miscadmin.h"
#include "server/gzip.h"
#include "server/query.h"
#include "server/sort.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

/* The columns of type sitemap_change. */
enum
{
	CHANGE_BASE_URL,
	CHANGE_AT,
	CHANGE_SECTION,
	CHANGE_LOC,
	CHANGE_ACTION,
	CHANGE_LASTMOD,
	CHANGE_NCOLUMNS
};

static const SmTableColumn change_columns[CHANGE_NCOLUMNS] = {
	[CHANGE_BASE_URL] = {.name = "base_url",.type = TEXTOID},
	[CHANGE_AT] = {.name = "at",.type = TIMESTAMPTZOID},
	[CHANGE_SECTION] = {.name = "section",.type = TEXTOID},
	[CHANGE_LOC] = {.name = "loc",.type = TEXTOID},
	[CHANGE_ACTION] = {.name = "action",.type = TEXTOID},
	[CHANGE_LASTMOD] = {.name = "lastmod",.type = TEXTOID}
};

static const SmTable feed_table = {
	.what = "feed table",
	.columns = change_columns,
	.ncolumns = CHANGE_NCOLUMNS,
	.hint = "Create the feed with CREATE TABLE ... OF sitemap_change."
};

/* Columns of the sort. */
enum
{
	ENTRY_LOC,
	ENTRY_IS_NEW,
	ENTRY_DIGEST,				/* of the whole entry */
	ENTRY_LASTMOD,
	ENTRY_NCOLUMNS
};

struct SmFeed
{
	SmTable		table;
	SPIPlanPtr	insert;			/* NULL before the first row */
	SmSort		sort;

	const char *name;			/* of the file being compared */
	MemoryContext file_context; /* for its two versions */
	MemoryContext entry_context;	/* for the entry being taken */
};

/* Does the caller have a privilege on a table, or on a column of it? */
static bool
may(Oid relid, AclMode mode)
{
	return pg_class_aclcheck(relid, GetUserId(), mode) == ACLCHECK_OK ||
		pg_attribute_aclcheck_all(relid, GetUserId(), mode, ACLMASK_ANY) == ACLCHECK_OK;
}

/* Open and check the feed. */
static void
open_feed(SmFeed *feed)
{
	SmTable    *table = &feed->table;
	char		relkind;

	sm_table_open(table, RowExclusiveLock);
	relkind = table->rel->rd_rel->relkind;
	if (relkind != RELKIND_FOREIGN_TABLE && relkind != RELKIND_VIEW)
		sm_table_check_kind(table);
	if (!may(table->relid, ACL_INSERT) || !may(table->relid, ACL_SELECT))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for table %s", table->name->relname),
				 errdetail("A feed needs the privileges SELECT and INSERT.")));
	sm_table_check_row_security(table);
	sm_table_check_columns(table);
}

SmFeed *
sm_feed_open(Oid relid)
{
	static const Oid types[ENTRY_NCOLUMNS] = {
		[ENTRY_LOC] = TEXTOID,[ENTRY_IS_NEW] = INT8OID,[ENTRY_DIGEST] = INT8OID,
		[ENTRY_LASTMOD] = TEXTOID
	};
	SmFeed	   *feed = palloc0_object(SmFeed);

	feed->table = feed_table;
	feed->table.relid = relid;
	open_feed(feed);
	sm_sort_begin(&feed->sort, ENTRY_NCOLUMNS, types, ENTRY_IS_NEW + 1);
	feed->file_context = AllocSetContextCreate(CurrentMemoryContext, "sitemap feed file",
											   ALLOCSET_SMALL_SIZES);
	feed->entry_context = AllocSetContextCreate(CurrentMemoryContext, "sitemap feed entry",
												ALLOCSET_SMALL_SIZES);
	return feed;
}

bool
sm_feed_has_section(const SmFeed *feed, const char *base_url, const char *section)
{
	char	   *statement = psprintf("SELECT FROM %s WHERE base_url OPERATOR(pg_catalog.=) %s"
									 " AND section OPERATOR(pg_catalog.=) %s LIMIT 1",
									 feed->table.sql_name, quote_literal_cstr(base_url),
									 quote_literal_cstr(section));

	return sm_execute(sm_prepare(statement, 0, NULL, 0), NULL, NULL) > 0;
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

/*
 * Does a text consist of printable ASCII, as every URL and date that we write does?
 */
static bool
is_printable_ascii(SmSpan text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.s[i] <= ' ' || text.s[i] > '~')
			return false;
	return true;
}

/* SmEntryCallback: sort an entry in which the versions of a file differ. */
static void
take_entry(void *arg, bool is_new, const SmEntries *version, const SmRawEntry *entry)
{
	SmFeed	   *feed = arg;
	Datum	   *values = sm_sort_row(&feed->sort);
	MemoryContext oldcontext = MemoryContextSwitchTo(feed->entry_context);
	size_t		len = entry->loc.len;
	text	   *loc = palloc(VARHDRSZ + len);
	text	   *lastmod = NULL;

	CHECK_FOR_INTERRUPTS();
	if (version->is_text)
		memcpy(VARDATA(loc), entry->loc.s, len);
	else
		len = sm_xml_unescape(entry->loc.s, len, VARDATA(loc));
	SET_VARSIZE(loc, VARHDRSZ + len);
	if (!is_printable_ascii(sm_span(VARDATA(loc), len)) || !is_printable_ascii(entry->lastmod))
		not_ours(feed);
	if (entry->lastmod.s)
		lastmod = cstring_to_text_with_len(entry->lastmod.s, entry->lastmod.len);

	values[ENTRY_LOC] = PointerGetDatum(loc);
	values[ENTRY_IS_NEW] = Int64GetDatum(is_new);
	values[ENTRY_DIGEST] = Int64GetDatum((int64) sm_digest(entry->raw.s, entry->raw.len, 0));
	values[ENTRY_LASTMOD] = PointerGetDatum(lastmod);
	feed->sort.in->tts_isnull[ENTRY_LASTMOD] = lastmod == NULL;
	sm_sort_put(&feed->sort);
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
		bool		other = false;

		content = PG_DETOAST_DATUM_PACKED(PointerGetDatum(content));
		document = sm_span(VARDATA_ANY(content), VARSIZE_ANY_EXHDR(content));
		if (sm_is_gzip(document) &&
			(sm_gunzip(document, SM_MAX_BYTES, &document, &other) != NULL || other))
			not_ours(feed);
	}
	if (!sm_entries_init(entries, document))
		not_ours(feed);
}

void
sm_feed_compare(SmFeed *feed, const char *name, struct varlena *old_content,
				struct varlena *new_content)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(feed->file_context);
	SmEntries	old_entries;
	SmEntries	new_entries;

	feed->name = name;
	read_entries(feed, old_content, &old_entries);
	read_entries(feed, new_content, &new_entries);
	if (!sm_entries_compare(&old_entries, &new_entries, take_entry, feed))
		not_ours(feed);
	MemoryContextSwitchTo(oldcontext);
	MemoryContextReset(feed->file_context);
}

/* The entries of one URL that differ in the old and new versions of files. */
typedef struct Url
{
	text	   *loc;
	int64		count;			/* new entries minus old entries */
	uint64		difference;		/* sum of the digests of new entries minus sum
								 * of the digests of old entries: 0 if they
								 * are equal */
	text	   *lastmod;		/* lastmod of a new entry, or NULL */
} Url;

/*
 * The time for the rows of a run, later than the times of the site's other rows.  Times can
 * be ahead of the clock, as they are after a file has changed twice in a second.
 */
static TimestampTz
next_time(const SmFeed *feed, Datum base_url, TimestampTz run_at)
{
	static const Oid types[] = {TEXTOID};
	char	   *statement = psprintf("SELECT pg_catalog.max(at) FROM %s"
									 " WHERE base_url OPERATOR(pg_catalog.=) $1 AND pg_catalog.isfinite(at)",
									 feed->table.sql_name);
	bool		isnull;
	Datum		newest;

	sm_execute_read(sm_prepare(statement, 1, types, CURSOR_OPT_CUSTOM_PLAN), &base_url, true);
	newest = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	if (!isnull && IS_VALID_TIMESTAMP(DatumGetTimestampTz(newest) + 1))
		run_at = Max(run_at, DatumGetTimestampTz(newest) + 1);
	return run_at;
}

/*
 * Insert a row for a URL, if its entries differ.  A URL that the section lists more
 * than once counts as added or removed if it is listed more or less often than
 * before, in whichever files.
 */
static void
put_url(SmFeed *feed, Datum *values, const Url *url)
{
	char		nulls[CHANGE_NCOLUMNS] = {' ', ' ', ' ', ' ', ' ', ' '};
	const char *action = url->count > 0 ? "added" : url->count < 0 ? "removed" : "changed";

	if (url->count == 0 && url->difference == 0)
		return;
	if (feed->insert == NULL)
	{
		Oid			types[CHANGE_NCOLUMNS];

		for (int i = 0; i < CHANGE_NCOLUMNS; i++)
			types[i] = change_columns[i].type;
		feed->insert = sm_prepare(sm_table_make_insert(&feed->table), CHANGE_NCOLUMNS, types, 0);
		values[CHANGE_AT] = TimestampTzGetDatum(next_time(feed, values[CHANGE_BASE_URL],
														  DatumGetTimestampTz(values[CHANGE_AT])));
	}
	values[CHANGE_LOC] = PointerGetDatum(url->loc);
	values[CHANGE_ACTION] = CStringGetTextDatum(action);
	values[CHANGE_LASTMOD] = PointerGetDatum(url->lastmod);
	if (url->lastmod == NULL || url->count < 0)
		nulls[CHANGE_LASTMOD] = 'n';
	sm_execute(feed->insert, values, nulls);
}

void
sm_feed_write(SmFeed *feed, const char *base_url, const char *section, TimestampTz run_at)
{
	Datum		row[CHANGE_NCOLUMNS];
	Url			url = {0};
	const Datum *values;
	MemoryContext context;
	MemoryContext oldcontext;

	row[CHANGE_BASE_URL] = CStringGetTextDatum(base_url);
	row[CHANGE_AT] = TimestampTzGetDatum(run_at);
	row[CHANGE_SECTION] = CStringGetTextDatum(section);

	context = AllocSetContextCreate(CurrentMemoryContext, "sitemap feed url",
									ALLOCSET_SMALL_SIZES);
	oldcontext = MemoryContextSwitchTo(context);
	while ((values = sm_sort_next(&feed->sort)) != NULL)
	{
		uint64		digest = (uint64) DatumGetInt64(values[ENTRY_DIGEST]);

		if (url.loc == NULL ||
			!datum_image_eq(values[ENTRY_LOC], PointerGetDatum(url.loc), false, -1))
		{
			put_url(feed, row, &url);
			MemoryContextReset(context);
			url = (Url)
			{
				.loc = DatumGetTextPCopy(values[ENTRY_LOC])
			};
		}
		if (DatumGetInt64(values[ENTRY_IS_NEW]) == 0)
		{
			url.count--;
			url.difference -= digest;
			continue;
		}
		url.count++;
		url.difference += digest;
		if (url.lastmod == NULL && !sm_sort_is_null(&feed->sort, ENTRY_LASTMOD))
			url.lastmod = DatumGetTextPCopy(values[ENTRY_LASTMOD]);
	}
	put_url(feed, row, &url);
	MemoryContextSwitchTo(oldcontext);
}

void
sm_feed_close(SmFeed *feed)
{
	sm_sort_end(&feed->sort);
	sm_table_check_name(&feed->table);
	relation_close(feed->table.rel, NoLock);
}
