/*
 * feed.c
 *	  Writes the URLs that a run added, changed or removed to a feed, a table with the
 *	  columns of sitemap_change.
 *
 * For each file that the run writes or deletes, its old and new versions are
 * compared, and the entries that differ are kept.  At the end a statement groups them by
 * URL.  So the two entries of a URL that moved from one file to another meet.
 *
 * Example: file 1 had the pages A and B, file 2 had C and D.  A was edited, B was
 * deleted, and C moved to file 1.  Kept are A (old), A (new), B (old), C (new) and
 * C (old), but not D, which is the same in both versions of file 2.  The entries of A
 * differ, so A has changed.  B has no new entry, so it was removed.  The entries of C
 * are equal, so C is not reported.
 */
#include "postgres.h"

#include "publish/feed.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "miscadmin.h"
#include "publish/entries.h"
#include "server/gzip.h"
#include "server/statement.h"
#include "text/digest.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"
#include "web/xml.h"

/* The columns of type sitemap_change. */
static const SmTableColumn change_columns[] = {
	{"base_url", TEXTOID}, {"at", TIMESTAMPTZOID}, {"section", TEXTOID},
	{"loc", TEXTOID}, {"action", TEXTOID}, {"lastmod", TEXTOID}
};

static const SmTable feed_table = {
	.what = "feed table",
	.columns = change_columns,
	.ncolumns = lengthof(change_columns),
	.hint = "Create the feed with CREATE TABLE ... OF sitemap_change."
};

/*
 * The entries that differ, with the columns
 *
 *		loc			the URL
 *		listed		1 for an entry of a new version, -1 of an old one
 *		digest		of the whole entry; negative for an old one
 *		lastmod		of a new entry
 *
 * A URL that the section lists more than once counts as added or removed if it is listed
 * more or less often than before, in whichever files.  Otherwise it has changed unless its
 * old and new digests add up to 0.
 */
#define ENTRIES		"sitemap_entries"
#define ENTRY_NCOLUMNS	4

/* rows of SELECT_CHANGES that are in memory, and are inserted by one statement */
#define BATCH_ROWS		20

/*
 * The last three columns of the feed.  An INSERT ... SELECT of a tuplestore could not be sent
 * to the shards of a feed, so the rows are inserted as lists of VALUES.
 */
#define SELECT_CHANGES \
	"SELECT loc," \
	" CASE WHEN pg_catalog.sum(listed) OPERATOR(pg_catalog.>) 0 THEN 'added'" \
	" WHEN pg_catalog.sum(listed) OPERATOR(pg_catalog.<) 0 THEN 'removed' ELSE 'changed' END," \
	" CASE WHEN pg_catalog.sum(listed) OPERATOR(pg_catalog.>=) 0 THEN pg_catalog.min(lastmod) END" \
	" FROM " ENTRIES " GROUP BY loc" \
	" HAVING pg_catalog.sum(listed) OPERATOR(pg_catalog.<>) 0" \
	" OR pg_catalog.sum(digest) OPERATOR(pg_catalog.<>) 0 ORDER BY loc"

struct SmFeed
{
	SmTable		table;
	Tuplestorestate *entries;
	TupleDesc	desc;			/* of the entries */

	const char *name;			/* of the file being compared */
	MemoryContext entry_context;	/* for an entry, or rows to insert */
};

/* Does the caller have a privilege on a table, or on a column of it? */
static bool
may(Oid relid, AclMode mode)
{
	return pg_class_aclcheck(relid, GetUserId(), mode) == ACLCHECK_OK ||
		pg_attribute_aclcheck_all(relid, GetUserId(), mode, ACLMASK_ANY) == ACLCHECK_OK;
}

SmFeed *
sm_feed_open(Oid relid)
{
	SmFeed	   *feed = palloc0_object(SmFeed);
	SmTable    *table = &feed->table;
	char		relkind;

	*table = feed_table;
	table->relid = relid;
	sm_table_open(table, RowExclusiveLock);
	relkind = table->rel->rd_rel->relkind;
	if (relkind != RELKIND_FOREIGN_TABLE && relkind != RELKIND_VIEW)
		sm_table_check_kind(table);
	if (!may(table->relid, ACL_INSERT) || !may(table->relid, ACL_SELECT))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for table %s", table->name),
				 errdetail("A feed needs the privileges SELECT and INSERT.")));
	sm_table_check_row_security(table);
	sm_table_check_columns(table);

	feed->entries = tuplestore_begin_heap(false, false, work_mem);
	feed->desc = CreateTemplateTupleDesc(ENTRY_NCOLUMNS);
	TupleDescInitEntry(feed->desc, 1, "loc", TEXTOID, -1, 0);
	TupleDescInitEntryCollation(feed->desc, 1, C_COLLATION_OID);
	TupleDescInitEntry(feed->desc, 2, "listed", INT4OID, -1, 0);
	TupleDescInitEntry(feed->desc, 3, "digest", INT8OID, -1, 0);
	TupleDescInitEntry(feed->desc, 4, "lastmod", TEXTOID, -1, 0);
	TupleDescFinalize(feed->desc);
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
							sm_text_parameters(lengthof(values), values), SM_READ, NULL) > 0;
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

/* SmEntryCallback: keep an entry in which the versions of a file differ. */
static void
keep_entry(void *arg, bool is_new, const SmEntries *version, const SmRawEntry *entry)
{
	SmFeed	   *feed = arg;
	MemoryContext oldcontext = MemoryContextSwitchTo(feed->entry_context);
	Datum		values[ENTRY_NCOLUMNS];
	bool		nulls[ENTRY_NCOLUMNS] = {false};
	size_t		len = entry->loc.len;
	text	   *loc = palloc(VARHDRSZ + len);
	int64		digest;

	CHECK_FOR_INTERRUPTS();
	if (version->is_text)
		memcpy(VARDATA(loc), entry->loc.s, len);
	else
		len = sm_xml_unescape(entry->loc.s, len, VARDATA(loc));
	SET_VARSIZE(loc, VARHDRSZ + len);
	if (!is_printable_ascii(sm_span(VARDATA(loc), len)) || !is_printable_ascii(entry->lastmod))
		not_ours(feed);

	/* a bit less, so that the digest has a sign */
	digest = sm_digest(entry->raw.s, entry->raw.len, 0) >> 1;
	nulls[3] = !is_new || entry->lastmod.s == NULL;
	values[0] = PointerGetDatum(loc);
	values[1] = Int32GetDatum(is_new ? 1 : -1);
	values[2] = Int64GetDatum(is_new ? digest : -digest);
	values[3] = nulls[3] ? (Datum) 0 :
		PointerGetDatum(cstring_to_text_with_len(entry->lastmod.s, entry->lastmod.len));
	tuplestore_putvalues(feed->entries, feed->desc, values, nulls);
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
	bool		isnull;
	Datum		newest;

	sm_table_execute(&feed->table,
					 "SELECT pg_catalog.max(at) FROM @table"
					 " WHERE base_url OPERATOR(pg_catalog.=) $1 AND pg_catalog.isfinite(at)",
					 sm_text_parameters(1, &base_url), SM_READ_NEWEST, NULL);
	newest = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	if (!isnull && IS_VALID_TIMESTAMP(DatumGetTimestampTz(newest) + 1))
		run_at = Max(run_at, DatumGetTimestampTz(newest) + 1);
	return run_at;
}

/* Insert rows of SELECT_CHANGES. */
static void
insert_rows(const SmFeed *feed, const SPITupleTable *rows, const char *base_url, TimestampTz at,
			const char *section)
{
	int			last = 3;		/* number of the last parameter */
	ParamListInfo params = makeParamList(last + 3 * (int) rows->numvals);
	StringInfoData statement;

	sm_set_parameter(params, 1, TEXTOID, CStringGetTextDatum(base_url), false);
	sm_set_parameter(params, 2, TIMESTAMPTZOID, TimestampTzGetDatum(at), false);
	sm_set_parameter(params, 3, TEXTOID, CStringGetTextDatum(section), false);
	initStringInfo(&statement);
	appendStringInfoString(&statement,
						   "INSERT INTO @table (base_url, at, section, loc, action, lastmod) VALUES ");
	for (uint64 i = 0; i < rows->numvals; i++)
	{
		appendStringInfo(&statement, "%s($1, $2, $3, $%d, $%d, $%d)", i > 0 ? ", " : "",
						 last + 1, last + 2, last + 3);
		for (int column = 1; column <= 3; column++)
		{
			bool		isnull;
			Datum		value = SPI_getbinval(rows->vals[i], rows->tupdesc, column, &isnull);

			sm_set_parameter(params, ++last, TEXTOID, value, isnull);
		}
	}
	sm_table_execute(&feed->table, statement.data, params, SM_WRITE, NULL);
}

void
sm_feed_write(SmFeed *feed, const char *base_url, const char *section, TimestampTz run_at)
{
	MemoryContext context = CurrentMemoryContext;
	EphemeralNamedRelationData entries = {
		.md.name = ENTRIES,.md.reliddesc = InvalidOid,.md.tupdesc = feed->desc,
		.md.enrtype = ENR_NAMED_TUPLESTORE,
		.md.enrtuples = tuplestore_tuple_count(feed->entries),.reldata = feed->entries
	};
	TimestampTz at;
	Portal		changes;

	if (tuplestore_tuple_count(feed->entries) == 0)
		return;
	at = next_time(feed, base_url, run_at);
	SPI_register_relation(&entries);
	changes = SPI_cursor_open_with_args(NULL, SELECT_CHANGES, 0, NULL, NULL, NULL, true, 0);
	/* a trigger of the feed can close all cursors */
	PinPortal(changes);
	while (SPI_cursor_fetch(changes, true, BATCH_ROWS), SPI_processed > 0)
	{
		SPITupleTable *rows = SPI_tuptable;

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(feed->entry_context);
		insert_rows(feed, rows, base_url, at, section);
		MemoryContextReset(feed->entry_context);
		SPI_freetuptable(rows);
	}
	UnpinPortal(changes);
	SPI_cursor_close(changes);
	MemoryContextSwitchTo(context);
}

void
sm_feed_close(SmFeed *feed)
{
	tuplestore_end(feed->entries);
	relation_close(feed->table.rel, NoLock);
}
