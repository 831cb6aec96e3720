/*
 * finding.c
 *	  The problems that an audit finds, in any order, become its result, in the order
 *	  of the rows, each with the loc of its row.
 *
 * Problems between rows are found after the last row, so all problems are sorted by row.
 * Each then gets its loc from a copy of all locs, which is in the order of the rows.
 *
 * Example: the locs /x, ftp://a/ and /x#top of rows 1 to 3; the problems "2 loc_invalid"
 * and, after the last row, "3 loc_duplicate".  The result is
 *
 *	  2 ftp://a/ loc_invalid,  3 /x#top loc_duplicate
 *
 * The sort and the copy each use up to work_mem, and beyond that a temporary file.
 */
#include "postgres.h"

#include "audit/finding.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "server/encoding.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Columns of the sort of problems. */
enum
{
	PROBLEM_ROW,
	PROBLEM_NAME,
	PROBLEM_DETAIL,
	PROBLEM_NCOLUMNS
};

/* The copy of locs has one column: a block of locs, each after its LocHeader. */
#define BLOCK_SIZE	8192

typedef struct LocHeader
{
	int64		row_number;
	size_t		len;
} LocHeader;

/* Columns of the result. */
enum
{
	RESULT_ROW,
	RESULT_LOC,
	RESULT_PROBLEM,
	RESULT_DETAIL,
	RESULT_NCOLUMNS
};

void
sm_findings_begin(SmFindings *findings)
{
	static const Oid problem_types[] = {
		[PROBLEM_ROW] = INT8OID,[PROBLEM_NAME] = INT8OID,[PROBLEM_DETAIL] = TEXTOID
	};
	static const Oid block_types[] = {TEXTOID};

	sm_sort_begin(&findings->problems, PROBLEM_NCOLUMNS, problem_types, PROBLEM_NCOLUMNS);
	findings->block_desc = sm_sort_desc(lengthof(block_types), block_types);
	findings->blocks = tuplestore_begin_heap(false, false, work_mem);
	initStringInfo(&findings->block);
}

void
sm_findings_add(SmFindings *findings, int64 row_number, SmProblemName name, const char *detail)
{
	Datum	   *values = sm_sort_row(&findings->problems);
	text	   *detail_text = cstring_to_text(detail);

	values[PROBLEM_ROW] = Int64GetDatum(row_number);
	values[PROBLEM_NAME] = Int64GetDatum(name);
	values[PROBLEM_DETAIL] = PointerGetDatum(detail_text);
	sm_sort_put(&findings->problems);
	pfree(detail_text);			/* a row can have many problems */
}

static void
end_block(SmFindings *findings)
{
	text	   *block = cstring_to_text_with_len(findings->block.data, findings->block.len);
	Datum		value = PointerGetDatum(block);
	bool		is_null = false;

	tuplestore_putvalues(findings->blocks, findings->block_desc, &value, &is_null);
	pfree(block);
	resetStringInfo(&findings->block);
}

void
sm_findings_add_loc(SmFindings *findings, int64 row_number, SmSpan loc)
{
	LocHeader	header = {.row_number = row_number,.len = loc.len};

	if (loc.s == NULL)
		return;
	if (findings->block.len > 0 && findings->block.len + loc.len > BLOCK_SIZE)
		end_block(findings);
	appendBinaryStringInfo(&findings->block, (const char *) &header, sizeof(header));
	appendBinaryStringInfo(&findings->block, loc.s, (int) loc.len);
}

/* Reads the locs in the order of their rows. */
typedef struct LocReader
{
	SmFindings *findings;
	TupleTableSlot *slot;		/* has the block */
	SmSpan		rest;			/* of the block */
	int64		row_number;		/* of the loc that was read last, 0 for none */
	SmSpan		loc;
} LocReader;

/* Read the next loc; false at the end. */
static bool
next_loc(LocReader *reader)
{
	LocHeader	header;

	if (reader->rest.len == 0)
	{
		text	   *block;

		if (!tuplestore_gettupleslot(reader->findings->blocks, true, false, reader->slot))
			return false;
		slot_getallattrs(reader->slot);
		block = (text *) DatumGetPointer(reader->slot->tts_values[0]);
		reader->rest = sm_span(VARDATA_ANY(block), VARSIZE_ANY_EXHDR(block));
	}
	memcpy(&header, reader->rest.s, sizeof(header));
	reader->row_number = header.row_number;
	reader->loc = sm_span(reader->rest.s + sizeof(header), header.len);
	reader->rest.s += sizeof(header) + header.len;
	reader->rest.len -= sizeof(header) + header.len;
	return true;
}

void
sm_findings_put(SmFindings *findings, Tuplestorestate *result, TupleDesc desc)
{
	LocReader	reader = {.findings = findings};
	MemoryContext row_context = AllocSetContextCreate(CurrentMemoryContext, "sitemap_audit row",
													  ALLOCSET_DEFAULT_SIZES);
	const Datum *problem;

	if (findings->block.len > 0)
		end_block(findings);
	reader.slot = MakeSingleTupleTableSlot(findings->block_desc, &TTSOpsMinimalTuple);

	sm_sort_perform(&findings->problems);
	while ((problem = sm_sort_next(&findings->problems)) != NULL)
	{
		int64		row_number = DatumGetInt64(problem[PROBLEM_ROW]);
		text	   *loc = NULL;
		Datum		values[RESULT_NCOLUMNS];
		bool		nulls[RESULT_NCOLUMNS] = {false};
		MemoryContext oldcontext;

		while (row_number != SM_WHOLE_SET && reader.row_number < row_number &&
			   next_loc(&reader))
			;

		MemoryContextReset(row_context);
		oldcontext = MemoryContextSwitchTo(row_context);
		/* several problems can have the same row */
		if (reader.row_number == row_number)
			loc = sm_to_text(reader.loc);

		values[RESULT_ROW] = problem[PROBLEM_ROW];
		nulls[RESULT_ROW] = row_number == SM_WHOLE_SET;
		values[RESULT_LOC] = PointerGetDatum(loc);
		nulls[RESULT_LOC] = loc == NULL;
		values[RESULT_PROBLEM] =
			CStringGetTextDatum(sm_problem_names[DatumGetInt64(problem[PROBLEM_NAME])]);
		values[RESULT_DETAIL] = problem[PROBLEM_DETAIL];
		tuplestore_putvalues(result, desc, values, nulls);
		MemoryContextSwitchTo(oldcontext);
	}
	ExecDropSingleTupleTableSlot(reader.slot);
	tuplestore_end(findings->blocks);
	sm_sort_end(&findings->problems);
}
