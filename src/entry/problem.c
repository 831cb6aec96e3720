/*
 * problem.c
 *	  Describes problems, as errors or in one WARNING at the end.
 */
#include "postgres.h"

#include "entry/problem.h"

#include "server/encoding.h"

const char *const sm_problem_names[SM_NPROBLEMS] = {
#define NAME(symbol, name) name,
	SM_PROBLEMS_LIST(NAME)
};

/* The line of problems->place.  Lines end in LF, CR or both. */
static int64
line_of(const SmProblems *problems)
{
	const char *end = problems->place;
	int64		line = 1;

	for (const char *s = problems->begin; s < end; s++)
		if (*s == '\n' || (*s == '\r' && (s + 1 == end || s[1] != '\n')))
			line++;
	return line;
}

/* The current row's key in parentheses, or "". */
static const char *
describe_key(const SmProblems *problems)
{
	SmSpan		key;

	if (problems->key_type == NULL)
		return "";
	key = sm_without_secret(sm_span_of(sm_key_to_text(problems->key_type, problems->key)));
	return psprintf(" (key %s)", sm_clip(pnstrdup(key.s, key.len)));
}

/* A sentence that identifies the current row; NULL if nothing is known of it. */
static const char *
describe_row(const SmProblems *problems)
{
	char	   *loc = problems->loc.s ? sm_for_message(sm_without_secret(problems->loc)) : NULL;

	if (problems->row_number == 0)
		return loc ? psprintf("The loc is \"%s\".", loc) : NULL;
	if (loc == NULL)
		return psprintf("It is row " UINT64_FORMAT "%s.", problems->row_number,
						describe_key(problems));
	return psprintf("Row " UINT64_FORMAT "%s has the loc \"%s\".",
					problems->row_number, describe_key(problems), loc);
}

pg_noreturn static void
raise_problem(SmProblems *problems, const SmProblem *problem)
{
	const char *row = problems->in_document ? NULL : describe_row(problems);
	const char *where = !problems->in_document ? "" : problems->place ?
		psprintf("invalid sitemap, line " INT64_FORMAT ": ", line_of(problems)) : "invalid sitemap: ";

	ereport(ERROR,
			(errcode(problem->sqlerrcode),
			 errmsg_internal("%s%s", where, problem->message),
			 row ? errdetail_internal("%s", row) : 0,
			 problem->hint ? errhint("%s", problem->hint) : 0));
}

/* Add a line to the detail of the WARNING. */
static void
add_reason(SmProblems *problems, const SmProblem *problem)
{
	StringInfo	reasons = &problems->reasons;
	int			begin;

	problems->nreasons++;
	if (reasons->len > 0)
		appendStringInfoChar(reasons, '\n');
	begin = reasons->len;
	if (!problems->in_document)
		appendStringInfo(reasons, "row " UINT64_FORMAT "%s", problems->row_number,
						 describe_key(problems));
	else if (problems->place)
		appendStringInfo(reasons, "line " INT64_FORMAT, line_of(problems));
	if (problems->loc.s)
		appendStringInfo(reasons, ", loc \"%s\"", sm_for_message(sm_without_secret(problems->loc)));
	appendStringInfo(reasons, "%s%s.", reasons->len > begin ? ": " : "", problem->message);
	reasons->data[begin] = pg_toupper((unsigned char) reasons->data[begin]);
}

/* SmProblemCallback: the row, or an optional element of it, is skipped and counted. */
static bool
skip_problem(SmProblems *problems, const SmProblem *problem)
{
	bool		skips_row = false;

	problems->nproblems++;
	switch (problem->name)
	{
		case SM_URL_ELEMENT_INVALID:
		case SM_LOC_NULL:
		case SM_LOC_INVALID:
		case SM_LOC_TOO_LONG:
		case SM_LOC_OUTSIDE:
		case SM_ENTRY_TOO_LARGE:
			skips_row = true;
			problems->nrows++;
			break;
		case SM_DOCUMENT_INVALID:
			break;				/* only its reader knows what is lost */
		default:
			problems->nelements++;
	}
	if (sm_problems_are_described(problems))
		add_reason(problems, problem);
	return !skips_row;
}

void
sm_problems_init_skip(SmProblems *problems)
{
	memset(problems, 0, sizeof(*problems));
	problems->callback = skip_problem;
	initStringInfo(&problems->reasons);
}

bool
sm_report_problem(SmProblems *problems, SmProblemName name, int sqlerrcode, const char *hint,
				  char *message)
{
	SmProblem	problem = {
		.name = name,.sqlerrcode = sqlerrcode,.message = message,.hint = hint
	};
	bool		goes_on;

	if (problems->callback == NULL)
		raise_problem(problems, &problem);
	goes_on = problems->callback(problems, &problem);
	if (message)
		pfree(message);			/* a row can have many problems */
	return goes_on;
}

void
sm_problems_warn(const SmProblems *problems, const char *function)
{
	uint64		rest = problems->nproblems - problems->nreasons;
	const char *row = problems->in_document ? "entry" : "row";
	const char *rows = problems->in_document ? "entries" : "rows";
	StringInfoData what;

	if (problems->nreasons == 0)
		return;

	initStringInfo(&what);
	if (problems->nrows > 0)
		appendStringInfo(&what, "left out " UINT64_FORMAT " %s", problems->nrows,
						 problems->nrows == 1 ? row : rows);
	if (problems->nelements > 0)
		appendStringInfo(&what, "%s" UINT64_FORMAT " optional %s",
						 what.len > 0 ? " and " : "left out ", problems->nelements,
						 problems->nelements == 1 ? "element" : "elements");
	if (problems->rest_lost)
		appendStringInfo(&what, "%sthe rest of the document",
						 what.len > 0 ? " and " : "left out ");
	if (what.len == 0)
		appendStringInfoString(&what, "read an invalid document");
	ereport(WARNING,
			(errmsg("%s %s", function, what.data),
			 rest > 0 ?
			 errdetail_internal("%s\nAnd " UINT64_FORMAT " more.", problems->reasons.data, rest) :
			 errdetail_internal("%s", problems->reasons.data)));
}
