/*
 * publish.c
 *	  sitemap_publish: a query → the files of a set, in a table of the user's.
 *
 * A lock on the table, held to the end of the transaction, has runs on one
 * target queue up, while readers go on; all that we look at is looked at after
 * it is ours.  The table is kept open, so that nothing in this session, such as
 * a trigger, publishes into it at the same time.  Nothing is written while the
 * query runs, since that may be parallel: files that differ from the target's
 * wait in a tuplestore until it is known that the set may be published.
 *
 * The statements on the target run through SPI as the caller's own, with the
 * caller's privileges, policies and triggers.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "argument.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "commands/tablecmds.h"
#include "common/string.h"
#include "core/decimal.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "files.h"
#include "fmgr.h"
#include "funcapi.h"
#include "gzip.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "set.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(sitemap_publish);

/* The arguments around those of sitemap_files. */
#define ARG_TARGET		0
#define ARG_QUERY		1
#define ARG_MAX_SHRINK	14

/* Conflicts with itself, writers and VACUUM, not with readers. */
#define TARGET_LOCK		ShareRowExclusiveLock

#define TARGET_HINT \
	"Create the target with CREATE TABLE ... OF sitemap_file (PRIMARY KEY (name))."

/* the section that the target's index belongs to, and is named after */
#define INDEX_SECTION	"sitemap"

/* for an index that is compressed where the section is not */
#define INDEX_COMPRESSION	6

/* A file that the target has. */
typedef struct Published
{
	char	   *section;		/* "" for NULL, as the other texts */
	char	   *name;			/* never NULL */
	char	   *kind;
	char	   *loc;
	char	   *digest;
	bool		is_index;
	int			url_count;
	int64		byte_count;
	TimestampTz lastmod;		/* the earliest there is for NULL */
	bool		has_content;
	bool		kept;			/* belongs to the new set, too */
} Published;

typedef struct PublishState
{
	SmFileSink	sink;			/* must be first */
	Relation	rel;			/* the target */
	RangeVar   *name;			/* its name, with the schema */
	char	   *target;			/* the same as statements have it */
	const SmOptions *options;
	MemoryContext context;		/* for all of the call */

	Published  *published;		/* sorted by name */
	int			npublished;
	int64		urls_before;	/* of the section */
	int			nothers;		/* files of other sections, indexes left out */
	char	   *needed_name;	/* what another section's file is to be named
								 * when the index takes its name, or NULL */
	const char *freed_name;		/* the one that it had, from then on */

	SmGzip	   *gzip;			/* NULL for no compression */
	TimestampTz now;			/* lastmod of what changes */
	int64		urls_after;
	int			nfiles;
	char	   *first_name;
	Tuplestorestate *changed;	/* rows of sitemap_file, to be written */
	TupleDesc	changed_desc;
	SPIPlanPtr	insert;
	SPIPlanPtr	update;

	Tuplestorestate *result;
	TupleDesc	result_desc;
} PublishState;

static void
put_result(PublishState *state, const char *name, const char *action, int url_count,
		   int64 byte_count)
{
	Datum		values[4];
	bool		nulls[4] = {false};

	values[0] = CStringGetTextDatum(name);
	values[1] = CStringGetTextDatum(action);
	values[2] = Int32GetDatum(url_count);
	values[3] = Int64GetDatum(byte_count);
	tuplestore_putvalues(state->result, state->result_desc, values, nulls);
}

static Relation
open_relation(Oid relid, LOCKMODE lockmode)
{
	Relation	rel = try_relation_open(relid, lockmode);

	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the target table does not exist")));
	return rel;
}

/* Is it a table that the caller may publish in? */
static void
check_target(Relation rel)
{
	const AclMode needed = ACL_SELECT | ACL_INSERT | ACL_UPDATE | ACL_DELETE;
	Oid			relid = RelationGetRelid(rel);

	if (pg_class_aclmask(relid, GetUserId(), needed, ACLMASK_ALL) != needed)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for table %s", RelationGetRelationName(rel)),
				 errdetail("To publish in a table takes the privileges SELECT, INSERT, UPDATE and DELETE.")));
	if (rel->rd_rel->relkind != RELKIND_RELATION &&
		rel->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a table", RelationGetRelationName(rel)),
				 errhint(TARGET_HINT)));

	/* an index must not leave out what a policy hides */
	if (check_enable_rls(relid, InvalidOid, false) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot publish in table \"%s\", whose row security applies to you",
						RelationGetRelationName(rel)),
				 errhint("Publish as its owner, or as a role with BYPASSRLS.")));
}

static void
check_columns(Relation rel)
{
	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
	{
		const SmFileColumn *column = &sm_file_columns[i];
		AttrNumber	attnum = get_attnum(RelationGetRelid(rel), column->name);
		Oid			type;

		if (attnum == InvalidAttrNumber)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("the target table \"%s\" has no column \"%s\"",
							RelationGetRelationName(rel), column->name),
					 errhint(TARGET_HINT)));
		type = get_atttype(RelationGetRelid(rel), attnum);
		if (type != column->type)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of the target table \"%s\" must be of type %s, not %s",
							column->name, RelationGetRelationName(rel),
							format_type_be(column->type), format_type_be(type)),
					 errhint(TARGET_HINT)));
	}
}

/* Lock the target, with its partitions or children, and see that it will do. */
static void
open_target(PublishState *state, Oid relid)
{
	/* not the lock at once: nobody may lock a table that he may not write to */
	Relation	rel = open_relation(relid, AccessShareLock);

	check_target(rel);
	relation_close(rel, AccessShareLock);

	/* it may have been dropped while we waited, or altered */
	rel = open_relation(relid, TARGET_LOCK);
	check_target(rel);
	check_columns(rel);
	if (!RelationUsesLocalBuffers(rel))
		PreventCommandIfReadOnly("sitemap_publish()");
	CheckTableNotInUse(rel, "publish in");
	find_all_inheritors(relid, TARGET_LOCK, NULL);

	state->rel = rel;
	state->name = makeRangeVar(get_namespace_name(RelationGetNamespace(rel)),
							   pstrdup(RelationGetRelationName(rel)), -1);
	state->target = quote_qualified_identifier(state->name->schemaname, state->name->relname);
	/* later than what any run before has written */
	state->now = GetCurrentTimestamp();
}

/*
 * Statements find the target by its name.  No lock on a table keeps its schema
 * from being renamed, after which the name can be that of another table.
 */
static void
check_name(const PublishState *state)
{
	AcceptInvalidationMessages();
	if (RangeVarGetRelid(state->name, AccessShareLock, true) != RelationGetRelid(state->rel))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the schema of the target table \"%s\" was renamed",
						RelationGetRelationName(state->rel)),
				 errhint("Publish again.")));
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(((const Published *) a)->name, ((const Published *) b)->name);
}

static Published *
find_published(const PublishState *state, const char *name)
{
	Published	key = {.name = unconstify(char *, name)};

	return bsearch(&key, state->published, state->npublished, sizeof(Published), compare_names);
}

/* A column of a row that SPI fetched, in the memory context of the call; "" for NULL. */
static char *
text_column(const PublishState *state, HeapTuple tuple, int column)
{
	char	   *value = SPI_getvalue(tuple, SPI_tuptable->tupdesc, column);

	return MemoryContextStrdup(state->context, value ? value : "");
}

/* The same for other types. */
static Datum
column_value(HeapTuple tuple, int column, Datum if_null)
{
	bool		isnull;
	Datum		value = SPI_getbinval(tuple, SPI_tuptable->tupdesc, column, &isnull);

	return isnull ? if_null : value;
}

/*
 * Read what the target has, apart from contents, in an order and with the active
 * snapshot or a new one.  The result is in the memory context of the call.
 */
static Published *
read_files(const PublishState *state, const char *order, bool active_snapshot, int *nfiles)
{
	char	   *query = psprintf("SELECT section, name, kind, loc, digest, url_count, byte_count,"
								 " lastmod, content IS NOT NULL FROM %s ORDER BY %s",
								 state->target, order);
	Published  *files;

	if (SPI_execute(query, active_snapshot, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the target");

	*nfiles = (int) Min(SPI_processed, INT_MAX);
	files = MemoryContextAllocZero(state->context, (Size) *nfiles * sizeof(Published));
	for (int i = 0; i < *nfiles; i++)
	{
		HeapTuple	tuple = SPI_tuptable->vals[i];
		Published  *file = &files[i];

		file->section = text_column(state, tuple, 1);
		file->name = text_column(state, tuple, 2);
		file->kind = text_column(state, tuple, 3);
		file->loc = text_column(state, tuple, 4);
		file->digest = text_column(state, tuple, 5);
		file->is_index = strcmp(file->kind, SM_KIND_INDEX) == 0;
		file->url_count = DatumGetInt32(column_value(tuple, 6, Int32GetDatum(0)));
		file->byte_count = DatumGetInt64(column_value(tuple, 7, Int64GetDatum(0)));
		file->lastmod = DatumGetTimestampTz(column_value(tuple, 8, TimestampTzGetDatum(DT_NOBEGIN)));
		file->has_content = DatumGetBool(column_value(tuple, 9, BoolGetDatum(false)));

		if (SPI_getvalue(tuple, SPI_tuptable->tupdesc, 2) == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NOT_NULL_VIOLATION),
					 errmsg("the target table \"%s\" has a file without a name",
							RelationGetRelationName(state->rel))));
	}
	SPI_freetuptable(SPI_tuptable);
	return files;
}

/* The same, in the order of strcmp, as find_published takes it; each name is there once. */
static Published *
read_target(const PublishState *state, bool active_snapshot, int *nfiles)
{
	Published  *files = read_files(state, "name COLLATE pg_catalog.\"C\"", active_snapshot, nfiles);

	for (int i = 1; i < *nfiles; i++)
		if (compare_names(&files[i - 1], &files[i]) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNIQUE_VIOLATION),
					 errmsg("the target table \"%s\" has more than one file named \"%s\"",
							RelationGetRelationName(state->rel), files[i].name),
					 errhint("Give it a primary key: PRIMARY KEY (name).")));
	return files;
}

/* Is a row of the target as it was, apart from its content? */
static bool
is_same(const Published *a, const Published *b)
{
	return strcmp(a->section, b->section) == 0 &&
		strcmp(a->name, b->name) == 0 &&
		strcmp(a->kind, b->kind) == 0 &&
		strcmp(a->loc, b->loc) == 0 &&
		strcmp(a->digest, b->digest) == 0 &&
		a->url_count == b->url_count &&
		a->byte_count == b->byte_count &&
		a->lastmod == b->lastmod &&
		a->has_content == b->has_content;
}

/*
 * A transaction that keeps its snapshot may not see what another run has done
 * since, and would publish beside it.
 */
static void
check_serializable(PublishState *state)
{
	Published  *latest;
	int			nlatest;
	bool		same;

	PushActiveSnapshot(GetLatestSnapshot());
	latest = read_target(state, true, &nlatest);
	PopActiveSnapshot();

	same = nlatest == state->npublished;
	for (int i = 0; same && i < nlatest; i++)
		same = is_same(&latest[i], &state->published[i]);
	if (!same)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent update of the target table \"%s\"",
						RelationGetRelationName(state->rel))));
}

static bool
is_own(const PublishState *state, const Published *file)
{
	return !file->is_index && strcmp(file->section, state->options->section) == 0;
}

/* Find out what the target has. */
static void
read_published(PublishState *state)
{
	state->published = read_target(state, false, &state->npublished);
	if (IsolationUsesXactSnapshot())
		check_serializable(state);

	for (int i = 0; i < state->npublished; i++)
	{
		if (is_own(state, &state->published[i]))
			state->urls_before += state->published[i].url_count;
		else if (!state->published[i].is_index)
			state->nothers++;
	}
}

/* A name that the file must not have, since a file of another section does. */
pg_noreturn static void
name_is_taken(const PublishState *state, const char *section, const char *name,
			  const char *other)
{
	ereport(ERROR,
			(errcode(ERRCODE_DUPLICATE_OBJECT),
			 errmsg("section \"%s\" cannot have a file named \"%s\"", section, name),
			 errdetail("In the target table \"%s\", section \"%s\" has a file of that name.",
					   RelationGetRelationName(state->rel), other),
			 errhint("Publish one of the sections under another name.")));
}

/* Is a file of the target the very same? */
static bool
is_unchanged(const Published *old, const SmFile *file, const char *section)
{
	return old->has_content &&
		strcmp(old->kind, sm_kind_name(file->kind)) == 0 &&
		strcmp(old->section, section) == 0 &&
		strcmp(old->digest, file->digest) == 0 &&
		strcmp(old->loc, file->loc) == 0 &&
		old->url_count == file->url_count &&
		old->byte_count == file->byte_count;
}

/* Take a file; if the target's is another, it waits for write_changed. */
static void
put_published(SmFileSink *self, const SmFile *file)
{
	PublishState *state = (PublishState *) self;
	const char *section = file->kind == SM_INDEX ? INDEX_SECTION : state->options->section;
	Published  *old = find_published(state, file->name);
	TimestampTz lastmod = state->now;
	Datum		values[SM_FILE_NCOLUMNS];
	bool		nulls[SM_FILE_NCOLUMNS];

	if (file->kind != SM_INDEX)
	{
		if (state->nfiles++ == 0)
			state->first_name = MemoryContextStrdup(state->context, file->name);
		state->urls_after += file->url_count;
		if (state->needed_name && strcmp(file->name, state->needed_name) == 0)
			name_is_taken(state, section, file->name, INDEX_SECTION);
	}

	if (old)
	{
		if (!old->is_index && strcmp(old->section, section) != 0)
			name_is_taken(state, section, file->name, old->section);
		old->kept = true;
		if (is_unchanged(old, file, section))
		{
			put_result(state, file->name, "unchanged", file->url_count, file->byte_count);
			return;
		}

		/* the same document is no news; and time goes forward, clocks may not */
		if (strcmp(old->digest, file->digest) == 0 && !TIMESTAMP_NOT_FINITE(old->lastmod))
			lastmod = old->lastmod;
		else if (!TIMESTAMP_IS_NOEND(old->lastmod))
			lastmod = Max(lastmod, old->lastmod);
	}

	sm_file_values(file, section, values, nulls);
	values[SM_FILE_LASTMOD] = TimestampTzGetDatum(lastmod);
	nulls[SM_FILE_LASTMOD] = false;
	if (state->gzip)
		values[SM_FILE_CONTENT] = PointerGetDatum(sm_gzip(state->gzip, VARDATA(file->document),
														  file->byte_count));
	tuplestore_putvalues(state->changed, state->changed_desc, values, nulls);
	put_result(state, file->name,
			   old || (state->freed_name && strcmp(file->name, state->freed_name) == 0) ?
			   "updated" : "inserted", file->url_count, file->byte_count);
}

/* Run a prepared statement that changes one row of the target. */
static void
change_row(const PublishState *state, SPIPlanPtr plan, Datum *values, const char *nulls,
		   const char *name)
{
	if (SPI_execute_plan(plan, values, nulls, false, 0) < 0)
		elog(ERROR, "could not change the target");
	if (SPI_processed != 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("file \"%s\" could not be changed in the target table \"%s\"",
						name, RelationGetRelationName(state->rel)),
				 errdetail("The statement changed " UINT64_FORMAT " rows instead of one, which may be the doing of a trigger, a rule, or a function of the query.",
						   SPI_processed)));
}

static SPIPlanPtr
prepare(const char *statement, int ntypes, Oid *types)
{
	SPIPlanPtr	plan = SPI_prepare(statement, ntypes, types);

	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	return plan;
}

/* Prepare the statements that write a whole row: $1 is the first column, and so on. */
static void
prepare_writes(PublishState *state)
{
	Oid			types[SM_FILE_NCOLUMNS];
	StringInfoData columns;
	StringInfoData parameters;
	StringInfoData settings;

	initStringInfo(&columns);
	initStringInfo(&parameters);
	initStringInfo(&settings);
	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
	{
		const char *comma = i > 0 ? ", " : "";

		types[i] = sm_file_columns[i].type;
		appendStringInfo(&columns, "%s%s", comma, sm_file_columns[i].name);
		appendStringInfo(&parameters, "%s$%d", comma, i + 1);

		/* it stays, and a cluster that is sharded by it takes it for a change */
		if (i != SM_FILE_NAME)
			appendStringInfo(&settings, "%s%s = $%d", comma, sm_file_columns[i].name, i + 1);
	}
	state->insert = prepare(psprintf("INSERT INTO %s (%s) VALUES (%s)",
									 state->target, columns.data, parameters.data),
							SM_FILE_NCOLUMNS, types);
	state->update = prepare(psprintf("UPDATE %s SET %s WHERE name OPERATOR(pg_catalog.=) $%d",
									 state->target, settings.data, SM_FILE_NAME + 1),
							SM_FILE_NCOLUMNS, types);
}

/* Write the files that waited. */
static void
write_changed(PublishState *state)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(state->changed_desc, &TTSOpsMinimalTuple);

	tuplestore_rescan(state->changed);
	while (tuplestore_gettupleslot(state->changed, true, false, slot))
	{
		char		nulls[SM_FILE_NCOLUMNS];
		char	   *name;

		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(slot);
		for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
			nulls[i] = slot->tts_isnull[i] ? 'n' : ' ';
		name = TextDatumGetCString(slot->tts_values[SM_FILE_NAME]);
		change_row(state, find_published(state, name) ? state->update : state->insert,
				   slot->tts_values, nulls, name);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_clear(state->changed);
}

/* Refuse a set that lost too much. */
static void
check_shrink(const PublishState *state, double max_shrink)
{
	int64		lost = state->urls_before - state->urls_after;

	if (lost <= sm_decimal_share(state->urls_before, max_shrink))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("section \"%s\" would shrink from " INT64_FORMAT " URLs to " INT64_FORMAT,
					state->options->section, state->urls_before, state->urls_after),
			 errdetail("max_shrink allows it to lose %g%%. Nothing was changed in the target table \"%s\".",
					   max_shrink * 100.0, RelationGetRelationName(state->rel)),
			 errhint("If the pages are really gone, publish with max_shrink => 1.")));
}

/*
 * Is there to be an index?  Where a set's only file has the name of the index,
 * and so its URL, there need not.
 */
static bool
needs_index(const PublishState *state, const char *index_name)
{
	const char *name = state->first_name;

	if (state->options->index == SM_INDEX_NEVER || state->nfiles + state->nothers == 0)
		return false;
	if (state->options->index == SM_INDEX_ALWAYS || state->nfiles + state->nothers > 1)
		return true;
	for (int i = 0; state->nfiles == 0 && i < state->npublished; i++)
		if (!state->published[i].is_index && !is_own(state, &state->published[i]))
			name = state->published[i].name;
	return strcmp(name, index_name) != 0;
}

/*
 * The options that the target's index is made with.  As long as there are other
 * sections, its URL stays: that of the index, or of the file in its place.
 */
static SmOptions *
index_options(const PublishState *state)
{
	SmOptions  *options = palloc_object(SmOptions);

	*options = *state->options;
	options->section = INDEX_SECTION;
	options->kind = SM_URLSET;
	for (int i = 0; state->nothers > 0 && i < state->npublished; i++)
	{
		const Published *file = &state->published[i];

		if (!file->is_index && strcmp(file->name, INDEX_SECTION ".xml") != 0 &&
			strcmp(file->name, INDEX_SECTION ".xml.gz") != 0)
			continue;
		if (!pg_str_endswith(file->name, ".gz"))
			options->compression = 0;
		else if (options->compression == 0)
			options->compression = INDEX_COMPRESSION;
	}
	return options;
}

/*
 * The only file of another section may have the name that the index will need.
 * Find the name that it is to have then, the one that it would have beside
 * others; NULL if there is no such file.
 */
static char *
find_needed_name(PublishState *state, const SmOptions *options)
{
	Published  *file = find_published(state, sm_index_name(options, 1));
	Published  *other;
	char	   *name;

	if (file == NULL || file->is_index || is_own(state, file) ||
		state->options->index == SM_INDEX_NEVER)
		return NULL;
	name = sm_part_name(options);
	other = find_published(state, name);
	if (other)
		name_is_taken(state, file->section, name, other->section);
	return name;
}

/* Give it that name. */
static void
make_way_for_index(PublishState *state, const char *index_name)
{
	Oid			types[] = {TEXTOID, TEXTOID, TEXTOID};
	Published  *file = find_published(state, index_name);
	char	   *loc = file->loc;
	Datum		values[3];

	if (pg_str_endswith(file->loc, file->name))
		loc = psprintf("%.*s%s", (int) (strlen(file->loc) - strlen(file->name)), file->loc,
					   state->needed_name);
	values[0] = CStringGetTextDatum(file->name);
	values[1] = CStringGetTextDatum(state->needed_name);
	values[2] = CStringGetTextDatum(loc);
	change_row(state,
			   prepare(psprintf("UPDATE %s SET name = $2, loc = $3 WHERE name OPERATOR(pg_catalog.=) $1",
								state->target), 3, types),
			   values, NULL, file->name);
	put_result(state, state->needed_name, "inserted", file->url_count, file->byte_count);

	state->freed_name = index_name;
	file->name = state->needed_name;
	qsort(state->published, state->npublished, sizeof(Published), compare_names);
}

/* Remove files of the target, indexes or those of the section, that the new set has not. */
static void
delete_rest(PublishState *state, bool indexes, const char *except)
{
	Oid			types[] = {TEXTOID};
	SPIPlanPtr	plan = prepare(psprintf("DELETE FROM %s WHERE name OPERATOR(pg_catalog.=) $1",
										state->target), 1, types);

	for (int i = 0; i < state->npublished; i++)
	{
		Published  *file = &state->published[i];
		Datum		values[1];

		if (file->kept || file->is_index != indexes ||
			(!indexes && !is_own(state, file)) ||
			(except && strcmp(file->name, except) == 0))
			continue;
		values[0] = CStringGetTextDatum(file->name);
		change_row(state, plan, values, NULL, file->name);
		put_result(state, file->name, "deleted", file->url_count, file->byte_count);
	}
}

/*
 * List all files that the target has by now in its index, but for an old one of
 * the section whose name the index is about to take.
 */
static void
write_index(PublishState *state, const SmOptions *options, const char *index_name)
{
	SmIndex    *index = sm_index_create(options->protocol, options->stylesheet);
	int			nfiles;
	Published  *files;

	/* numbers in their order; nothing that a locale or search_path changes */
	files = read_files(state, "section COLLATE pg_catalog.\"C\", pg_catalog.length(name),"
					   " name COLLATE pg_catalog.\"C\"", false, &nfiles);
	for (int i = 0; i < nfiles; i++)
	{
		const Published *file = &files[i];

		if (!file->is_index && file->loc[0] != '\0' && strcmp(file->name, index_name) != 0)
			sm_index_add(index, file->loc,
						 TIMESTAMP_IS_NOBEGIN(file->lastmod) ? NULL : &file->lastmod);
	}

	state->gzip = options->compression > 0 ? sm_gzip_create(options->compression) : NULL;
	sm_put_index(index, options, &state->sink);
	write_changed(state);
}

/*
 * Write what the query made.  Names become free before they are taken: the one
 * that the index needs, from a file of another section or an old one of this; and
 * the index is made of what is there when all else is done.  Old indexes go last,
 * since its own may be one of them, and is kept if it was written.
 */
static void
write_set(PublishState *state, const SmOptions *options)
{
	char	   *index_name = sm_index_name(options, 1);
	bool		with_index = needs_index(state, index_name);

	prepare_writes(state);
	if (with_index && state->needed_name)
		make_way_for_index(state, index_name);
	write_changed(state);
	delete_rest(state, false, with_index ? index_name : NULL);
	if (with_index)
		write_index(state, options, index_name);
	delete_rest(state, true, NULL);
}

static double
max_shrink_argument(FunctionCallInfo fcinfo)
{
	double		max_shrink;

	sm_require_argument(fcinfo, ARG_MAX_SHRINK, "max_shrink");
	max_shrink = PG_GETARG_FLOAT8(ARG_MAX_SHRINK);
	/* this is false for NaN, too */
	if (!(max_shrink >= 0.0 && max_shrink <= 1.0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid max_shrink %g", max_shrink),
				 errdetail("It must be from 0 to 1.")));
	return max_shrink;
}

Datum
sitemap_publish(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext context;
	MemoryContext oldcontext;
	PublishState *state;
	SmOptions  *options;
	double		max_shrink = max_shrink_argument(fcinfo);
	bool		beside_others;

	sm_require_argument(fcinfo, ARG_TARGET, "target");
	InitMaterializedSRF(fcinfo, 0);

	context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_publish",
									ALLOCSET_DEFAULT_SIZES);
	oldcontext = MemoryContextSwitchTo(context);
	state = palloc0_object(PublishState);
	state->sink.put = put_published;
	state->options = sm_read_options(fcinfo, ARG_QUERY);
	state->context = context;
	state->changed = tuplestore_begin_heap(true, false, work_mem);
	state->result = rsinfo->setResult;
	state->result_desc = rsinfo->setDesc;
	if (state->options->compression > 0)
		state->gzip = sm_gzip_create(state->options->compression);
	state->changed_desc = CreateTemplateTupleDesc(SM_FILE_NCOLUMNS);
	for (int i = 0; i < SM_FILE_NCOLUMNS; i++)
		TupleDescInitEntry(state->changed_desc, i + 1, sm_file_columns[i].name,
						   sm_file_columns[i].type, -1, 0);
	TupleDescFinalize(state->changed_desc);

	PreventCommandDuringRecovery("sitemap_publish()");
	open_target(state, PG_GETARG_OID(ARG_TARGET));
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	read_published(state);
	SPI_finish();

	options = index_options(state);
	state->needed_name = find_needed_name(state, options);
	beside_others = state->options->index == SM_INDEX_ALWAYS ||
		(state->options->index == SM_INDEX_AUTO && state->nothers > 0);

	/* at READ COMMITTED, pages as a run that we waited for may have seen them */
	PushActiveSnapshot(GetTransactionSnapshot());
	sm_make_set(state->options,
				beside_others && strcmp(state->options->section, INDEX_SECTION) == 0,
				&state->sink, "sitemap_publish");
	PopActiveSnapshot();
	/* the query may have changed the role */
	check_target(state->rel);
	check_shrink(state, max_shrink);

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	check_name(state);
	write_set(state, options);
	check_name(state);
	SPI_finish();

	relation_close(state->rel, NoLock);
	tuplestore_end(state->changed);
	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
	return (Datum) 0;
}
