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
#include "files/gzip.h"
#include "miscadmin.h"
#include "publish/table.h"
#include "server/sort.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#define FEED_HINT	"Create the feed with CREATE TABLE ... OF sitemap_change."

/*
 * The most files of a batch, and the most bytes of their new contents and old
 * documents.
 */
#define BATCH_FILES	1000
#define BATCH_BYTES	(16 * 1024 * 1024)

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

static const SmFileColumn change_columns[CHANGE_NCOLUMNS] = {
	[CHANGE_BASE_URL] = {"base_url", TEXTOID},
	[CHANGE_AT] = {"at", TIMESTAMPTZOID},
	[CHANGE_SECTION] = {"section", TEXTOID},
	[CHANGE_LOC] = {"loc", TEXTOID},
	[CHANGE_ACTION] = {"action", TEXTOID},
	[CHANGE_LASTMOD] = {"lastmod", TEXTOID}
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

/* A file that waits to be compared: its old and new versions. */
typedef struct Pair
{
	const SmPublished *old;		/* NULL for none */
	struct varlena *new;		/* NULL for none */
	int64		byte_count;		/* of the new document */
} Pair;

/* A file being compared: its two versions, inflated in threads. */
typedef struct Comparison
{
	const char *name;			/* NULL for no file */
	SmGunzip   *old_gunzip;
	SmGunzip   *new_gunzip;
	SmSpan		old;			/* contents */
	SmSpan		new;
	MemoryContext context;		/* for the contents */
} Comparison;

struct SmFeed
{
	Oid			relid;
	SmSort		sort;

	MemoryContext batch_context;
	Pair		batch[BATCH_FILES];
	int			nfiles;
	int64		nbytes;

	/* the next file is inflated while this one is compared */
	Comparison	this;
	Comparison	next;

	/* the entry being taken */
	MemoryContext entry_context;
	StringInfoData loc;			/* unescaped */
};

/* Does the caller have a privilege on a table, or on a column of it? */
static bool
may(Oid relid, AclMode mode)
{
	return pg_class_aclcheck(relid, GetUserId(), mode) == ACLCHECK_OK ||
		pg_attribute_aclcheck_all(relid, GetUserId(), mode, ACLMASK_ANY) == ACLCHECK_OK;
}

/* Open and check the feed, with a lock. */
static Relation
open_feed(Oid relid, LOCKMODE lockmode)
{
	Relation	rel = sm_table_open(relid, lockmode, "feed");

	if (rel->rd_rel->relkind != RELKIND_RELATION &&
		rel->rd_rel->relkind != RELKIND_PARTITIONED_TABLE &&
		rel->rd_rel->relkind != RELKIND_FOREIGN_TABLE &&
		rel->rd_rel->relkind != RELKIND_VIEW)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a table", RelationGetRelationName(rel)),
				 errhint(FEED_HINT)));
	if (!may(relid, ACL_INSERT) || !may(relid, ACL_SELECT))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for table %s", RelationGetRelationName(rel)),
				 errdetail("A feed needs the privileges SELECT and INSERT.")));
	sm_table_check_columns(rel, "feed", change_columns, CHANGE_NCOLUMNS, FEED_HINT);
	return rel;
}

static void
init_comparison(Comparison *comparison)
{
	comparison->old_gunzip = sm_gunzip_create();
	comparison->new_gunzip = sm_gunzip_create();
	comparison->context = AllocSetContextCreate(CurrentMemoryContext, "sitemap feed file",
												ALLOCSET_DEFAULT_SIZES);
}

SmFeed *
sm_feed_create(Oid relid)
{
	static const Oid types[ENTRY_NCOLUMNS] = {
		[ENTRY_LOC] = TEXTOID,[ENTRY_IS_NEW] = INT8OID,[ENTRY_DIGEST] = INT8OID,
		[ENTRY_LASTMOD] = TEXTOID
	};
	SmFeed	   *feed = palloc0_object(SmFeed);

	relation_close(open_feed(relid, AccessShareLock), AccessShareLock);
	feed->relid = relid;
	sm_sort_begin(&feed->sort, ENTRY_NCOLUMNS, types, ENTRY_IS_NEW + 1);
	feed->batch_context = AllocSetContextCreate(CurrentMemoryContext, "sitemap feed batch",
												ALLOCSET_DEFAULT_SIZES);
	init_comparison(&feed->this);
	init_comparison(&feed->next);
	feed->entry_context = AllocSetContextCreate(CurrentMemoryContext, "sitemap feed entry",
												ALLOCSET_SMALL_SIZES);
	initStringInfo(&feed->loc);
	return feed;
}

bool
sm_feed_has_section(const SmFeed *feed, const SmTarget *target, const char *section)
{
	Relation	rel = open_feed(feed->relid, AccessShareLock);
	RangeVar   *name = sm_table_name(rel);
	bool		found;

	SPI_execute(psprintf("SELECT FROM %s WHERE %s AND section OPERATOR(pg_catalog.=) %s LIMIT 1",
						 sm_table_sql_name(name), target->of_site, quote_literal_cstr(section)),
				false, 0);
	found = SPI_processed > 0;
	SPI_freetuptable(SPI_tuptable);
	sm_table_check_name(feed->relid, name, "feed");
	relation_close(rel, NoLock);
	return found;
}

/* Raise an error about a file whose entries cannot be read. */
pg_noreturn static void
not_ours(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("file \"%s\" of the target is not as sitemap_publish writes it", name),
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

/* SmEntryTaker: sort an entry in which the versions of a file differ. */
static void
take_entry(void *arg, bool is_new, const SmEntries *entries, const SmListed *entry)
{
	SmFeed	   *feed = arg;
	SmSpan		loc = entry->loc;
	Datum	   *values = sm_sort_row(&feed->sort);
	MemoryContext oldcontext = MemoryContextSwitchTo(feed->entry_context);
	text	   *loc_text;
	text	   *lastmod_text = NULL;

	CHECK_FOR_INTERRUPTS();
	if (!entries->is_text)
	{
		resetStringInfo(&feed->loc);
		enlargeStringInfo(&feed->loc, loc.len);
		loc = sm_span(feed->loc.data, sm_xml_unescape(loc.s, loc.len, feed->loc.data));
	}
	if (!is_printable_ascii(loc) || !is_printable_ascii(entry->lastmod))
		not_ours(feed->this.name);
	loc_text = cstring_to_text_with_len(loc.s, loc.len);
	if (entry->lastmod.s)
		lastmod_text = cstring_to_text_with_len(entry->lastmod.s, entry->lastmod.len);

	values[ENTRY_LOC] = PointerGetDatum(loc_text);
	values[ENTRY_IS_NEW] = Int64GetDatum(is_new);
	values[ENTRY_DIGEST] = Int64GetDatum((int64) sm_digest(entry->raw.s, entry->raw.len, 0));
	values[ENTRY_LASTMOD] = PointerGetDatum(lastmod_text);
	feed->sort.in->tts_isnull[ENTRY_LASTMOD] = lastmod_text == NULL;
	sm_sort_put(&feed->sort);
	MemoryContextSwitchTo(oldcontext);
	MemoryContextReset(feed->entry_context);
}

/* Copy the bytes of a content.  NULL has none. */
static SmSpan
copy_content(struct varlena *content)
{
	if (content == NULL)
		return sm_span("", 0);
	content = PG_DETOAST_DATUM_COPY(PointerGetDatum(content));
	return sm_span(VARDATA(content), VARSIZE(content) - VARHDRSZ);
}

/*
 * Begin to inflate a content, if it is gzipped.  byte_count: bytes of the document,
 * to allocate.
 */
static void
begin_document(SmGunzip *gunzip, SmSpan content, int64 byte_count, const char *name)
{
	if (!sm_is_gzip(content))
		return;
	if (byte_count < 0 || byte_count > SM_MAX_BYTES)
		not_ours(name);
	else
		sm_gunzip_begin(gunzip, content, byte_count);
}

/* Begin to read the document of that content. */
static SmEntries
begin_entries(SmGunzip *gunzip, SmSpan content, const char *name)
{
	SmSpan		document = sm_is_gzip(content) ? sm_gunzip_end(gunzip) : content;
	SmEntries	entries;

	if (document.s == NULL || !sm_entries_init(&entries, document))
		not_ours(name);
	return entries;
}

/* Compare the two versions of the file in feed->this, if it has one. */
static void
compare_this(SmFeed *feed)
{
	Comparison *this = &feed->this;
	SmEntries	old;
	SmEntries	new;

	if (this->name == NULL)
		return;
	old = begin_entries(this->old_gunzip, this->old, this->name);
	new = begin_entries(this->new_gunzip, this->new, this->name);
	if (!sm_entries_compare(&old, &new, take_entry, feed))
		not_ours(this->name);
	this->name = NULL;
}

/*
 * Begin to compare a file, and finish the file before it.  old: the old content, NULL
 * for none.
 */
static void
compare_file(SmFeed *feed, const Pair *pair, struct varlena *old)
{
	Comparison	next = feed->next;
	MemoryContext oldcontext;

	MemoryContextReset(next.context);
	oldcontext = MemoryContextSwitchTo(next.context);
	next.name = pair->old ? pair->old->name : "";
	next.old = copy_content(old);
	next.new = copy_content(pair->new);
	begin_document(next.old_gunzip, next.old, pair->old ? pair->old->byte_count : 0, next.name);
	begin_document(next.new_gunzip, next.new, pair->byte_count, next.name);
	MemoryContextSwitchTo(oldcontext);

	compare_this(feed);
	feed->next = feed->this;
	feed->this = next;
}

static int
compare_pairs(const void *a, const void *b)
{
	const SmPublished *left = ((const Pair *) a)->old;
	const SmPublished *right = ((const Pair *) b)->old;

	if (left == NULL || right == NULL)
		return (left != NULL) - (right != NULL);
	return strcmp(left->name, right->name);
}

/* SmTakeContent: compare a file of the batch, which is sorted by name. */
static void
take_content(void *arg, const char *name, Datum content, bool isnull)
{
	SmFeed	   *feed = arg;
	SmPublished named = {.name = name};
	Pair		key = {.old = &named};
	Pair	   *pair = bsearch(&key, feed->batch, feed->nfiles, sizeof(Pair), compare_pairs);

	if (pair)
		compare_file(feed, pair, isnull ? NULL : (struct varlena *) DatumGetPointer(content));
}

/* Compare the files of the batch, whose old contents are read together. */
static void
flush_batch(SmFeed *feed, const SmTarget *target)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(feed->batch_context);
	ArrayBuildState *names = NULL;

	qsort(feed->batch, feed->nfiles, sizeof(Pair), compare_pairs);
	for (int i = 0; i < feed->nfiles; i++)
	{
		if (feed->batch[i].old == NULL)
			compare_file(feed, &feed->batch[i], NULL);
		else
			names = accumArrayResult(names, CStringGetTextDatum(feed->batch[i].old->name), false,
									 TEXTOID, CurrentMemoryContext);
	}
	if (names)
		sm_target_read_contents(target, makeArrayResult(names, CurrentMemoryContext),
								take_content, feed);
	MemoryContextSwitchTo(oldcontext);
	MemoryContextReset(feed->batch_context);
	feed->nfiles = 0;
	feed->nbytes = 0;
}

void
sm_feed_flush(SmFeed *feed, const SmTarget *target)
{
	flush_batch(feed, target);
	compare_this(feed);
}

void
sm_feed_put(SmFeed *feed, const SmTarget *target, const SmPublished *old, Datum content,
			int64 byte_count)
{
	Pair		pair = {.old = old,.byte_count = byte_count};
	struct varlena *new = (struct varlena *) DatumGetPointer(content);
	int64		nbytes = (new ? VARSIZE_ANY(new) : 0) + (old ? old->byte_count : 0);

	if (feed->nfiles == BATCH_FILES ||
		(feed->nfiles > 0 && feed->nbytes + nbytes > BATCH_BYTES))
		flush_batch(feed, target);
	if (new)
	{
		pair.new = MemoryContextAlloc(feed->batch_context, VARSIZE_ANY(new));
		memcpy(pair.new, new, VARSIZE_ANY(new));
	}
	feed->batch[feed->nfiles++] = pair;
	feed->nbytes += nbytes;
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
	MemoryContext context;
} Url;

/*
 * Insert a row for a URL, if its entries differ.  A URL that the section lists more
 * than once counts as added or removed if it is listed more or less often than
 * before, in whichever files.
 */
static void
put_url(SmBatch *rows, Datum *values, const Url *url)
{
	bool		nulls[CHANGE_NCOLUMNS] = {false};
	const char *action = url->count > 0 ? "added" : url->count < 0 ? "removed" : "changed";
	MemoryContext oldcontext;

	if (url->loc == NULL || (url->count == 0 && url->difference == 0))
		return;
	oldcontext = MemoryContextSwitchTo(url->context);
	values[CHANGE_LOC] = PointerGetDatum(url->loc);
	values[CHANGE_ACTION] = CStringGetTextDatum(action);
	values[CHANGE_LASTMOD] = PointerGetDatum(url->lastmod);
	nulls[CHANGE_LASTMOD] = url->lastmod == NULL || url->count < 0;
	sm_batch_put(rows, values, nulls);
	MemoryContextSwitchTo(oldcontext);
}

static bool
is_url(const Url *url, const text *loc)
{
	return url->loc && VARSIZE_ANY_EXHDR(url->loc) == VARSIZE_ANY_EXHDR(loc) &&
		memcmp(VARDATA_ANY(url->loc), VARDATA_ANY(loc), VARSIZE_ANY_EXHDR(loc)) == 0;
}

static void
begin_url(Url *url, text *loc)
{
	MemoryContext oldcontext;

	MemoryContextReset(url->context);
	oldcontext = MemoryContextSwitchTo(url->context);
	url->loc = DatumGetTextPCopy(PointerGetDatum(loc));
	url->count = 0;
	url->difference = 0;
	url->lastmod = NULL;
	MemoryContextSwitchTo(oldcontext);
}

/* Prepare a batch of rows for the feed. */
static void
init_rows(SmBatch *rows, const RangeVar *feed)
{
	StringInfoData names;
	StringInfoData values;

	initStringInfo(&names);
	initStringInfo(&values);
	for (int i = 0; i < CHANGE_NCOLUMNS; i++)
	{
		appendStringInfo(&names, "%s%s", i > 0 ? ", " : "", change_columns[i].name);
		appendStringInfo(&values, "%spg_catalog.unnest($%d)", i > 0 ? ", " : "", i + 1);
	}
	sm_batch_init(rows, psprintf("INSERT INTO %s (%s) SELECT %s", sm_table_sql_name(feed),
								 names.data, values.data), false);
	for (int i = 0; i < CHANGE_NCOLUMNS; i++)
		sm_batch_add_column(rows, change_columns[i].type);
}

void
sm_feed_write(SmFeed *feed, const SmTarget *target, const char *section)
{
	Relation	rel = open_feed(feed->relid, RowExclusiveLock);
	RangeVar   *name = sm_table_name(rel);
	SmBatch		rows;
	Datum		row[CHANGE_NCOLUMNS];
	Url			url = {0};
	const Datum *values;

	init_rows(&rows, name);
	row[CHANGE_BASE_URL] = CStringGetTextDatum(target->base_url);
	row[CHANGE_AT] = TimestampTzGetDatum(target->run);
	row[CHANGE_SECTION] = CStringGetTextDatum(section);
	url.context = AllocSetContextCreate(target->context, "sitemap feed url",
										ALLOCSET_SMALL_SIZES);

	sm_sort_perform(&feed->sort);
	while ((values = sm_sort_next(&feed->sort)) != NULL)
	{
		text	   *loc = DatumGetTextPP(values[ENTRY_LOC]);
		uint64		digest = (uint64) DatumGetInt64(values[ENTRY_DIGEST]);

		if (!is_url(&url, loc))
		{
			put_url(&rows, row, &url);
			begin_url(&url, loc);
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
		{
			MemoryContext oldcontext = MemoryContextSwitchTo(url.context);

			url.lastmod = DatumGetTextPCopy(values[ENTRY_LASTMOD]);
			MemoryContextSwitchTo(oldcontext);
		}
	}
	put_url(&rows, row, &url);
	sm_batch_flush(&rows);
	sm_table_check_name(feed->relid, name, "feed");
	sm_sort_end(&feed->sort);
	relation_close(rel, NoLock);
}
