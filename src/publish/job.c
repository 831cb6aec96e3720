/*
 * job.c
 *	  The parts of sitemap_run that PL/pgSQL cannot do: to catch every error of a step
 *	  and say whether this session was canceled, and to use the locks of sections.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "publish/target.h"
#include "server/error.h"
#include "server/lock.h"
#include "server/table.h"
#include "utils/builtins.h"
#include "utils/guc.h"

PG_FUNCTION_INFO_V1(_sitemap_try);
PG_FUNCTION_INFO_V1(_sitemap_lock_jobs);
PG_FUNCTION_INFO_V1(_sitemap_require_commit);
PG_FUNCTION_INFO_V1(_sitemap_lock_section);
PG_FUNCTION_INFO_V1(_sitemap_is_running);

/* A step of sitemap_run, and the row of the job that it returns. */
typedef struct Step
{
	const char *statement;
	ParamListInfo params;		/* the row of the job as it was and as it was
								 * published, and a text */
	NullableDatum job;
} Step;

static void
run_step(void *arg)
{
	Step	   *step = arg;
	SPIExecuteOptions options = {.params = step->params};
	int			result;

	SPI_connect();
	result = SPI_execute_extended(step->statement, &options);
	if (result < 0)
		elog(ERROR, "SPI_execute_extended failed: %s", SPI_result_code_string(result));
	if (SPI_tuptable && SPI_tuptable->numvals > 0)
	{
		Datum		job = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1,
										&step->job.isnull);

		if (SPI_gettypeid(SPI_tuptable->tupdesc, 1) != step->params->params[0].ptype)
			elog(ERROR, "the statement does not return the row of a job");
		if (step->job.isnull)
			ereport(ERROR,
					(errcode(ERRCODE_TRIGGERED_ACTION_EXCEPTION),
					 errmsg("the row of the job was not updated"),
					 errdetail("A trigger or a rule of the table of jobs prevents that.")));
		step->job.value = SPI_datumTransfer(job, false, -1);
	}
	/* an error at the commit could not be caught */
	AfterTriggerSetState(makeNode(ConstraintsSetStmt));
	SPI_finish();
}

/*
 * Run a step of sitemap_run, one or more statements of which the last returns the row of a
 * job, or no row, in a subtransaction.  Returns that row, and what an error says.
 */
Datum
_sitemap_try(PG_FUNCTION_ARGS)
{
	Step		step = {.statement = text_to_cstring(PG_GETARG_TEXT_PP(0)),
	.params = makeParamList(3),.job.isnull = true};
	ErrorData  *error;
	const char *texts[5] = {0};
	Datum		values[7];
	bool		nulls[7];
	TupleDesc	desc;

	for (int i = 0; i < step.params->numParams; i++)
	{
		step.params->params[i].value = PG_GETARG_DATUM(i + 1);
		step.params->params[i].isnull = false;	/* the function is STRICT */
		step.params->params[i].pflags = PARAM_FLAG_CONST;
		step.params->params[i].ptype = get_fn_expr_argtype(fcinfo->flinfo, i + 1);
	}
	error = sm_try(run_step, &step);
	if (error)
	{
		texts[0] = unpack_sql_state(error->sqlerrcode);
		texts[1] = error->message;
		texts[2] = error->detail;
		texts[3] = error->hint;
		texts[4] = error->context;
	}

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = step.job.value;
	nulls[0] = error || step.job.isnull;
	for (size_t i = 0; i < lengthof(texts); i++)
	{
		nulls[i + 1] = texts[i] == NULL;
		values[i + 1] = texts[i] ? CStringGetTextDatum(texts[i]) : (Datum) 0;
	}
	values[6] = BoolGetDatum(error && sm_is_cancel(error));
	nulls[6] = false;
	return HeapTupleGetDatum(heap_form_tuple(desc, values, nulls));
}

/*
 * Lock the table of jobs to the end of the transaction, and return its name.  Raises an
 * error unless the current user owns the table: a job can have changed the role, and others
 * the owner.
 */
Datum
_sitemap_lock_jobs(PG_FUNCTION_ARGS)
{
	SmTable		table = {.relid = PG_GETARG_OID(0),.what = "table of jobs"};
	int			level = NewGUCNestLevel();
	Oid			owner;

	/* lock_timeout is for the jobs; here, it would end the call */
	(void) set_config_option("lock_timeout", "0", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	sm_table_open(&table, AccessShareLock);
	AtEOXact_GUC(true, level);
	owner = table.rel->rd_rel->relowner;
	relation_close(table.rel, NoLock);
	if (owner != GetUserId())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of table %s", table.sql_name),
				 errdetail("The owner of the table or the current user has changed during the call.")));
	PG_RETURN_TEXT_P(cstring_to_text(table.sql_name));
}

/* Raise an error unless the procedure that makes the call can commit. */
Datum
_sitemap_require_commit(PG_FUNCTION_ARGS)
{
	if (!SPI_inside_nonatomic_context())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_TERMINATION),
				 errmsg("sitemap_run() cannot run inside a transaction block or a function"),
				 errdetail("It commits after each job."),
				 errhint("Send CALL as a statement of its own, with autocommit.")));
	PG_RETURN_VOID();
}

/* The lock of the section in arguments 0 to 2: target, base_url and section. */
static LOCKTAG
section_argument(FunctionCallInfo fcinfo)
{
	return sm_lock_tag(SM_LOCK_SECTION, PG_GETARG_OID(0), text_to_cstring(PG_GETARG_TEXT_PP(1)),
					   text_to_cstring(PG_GETARG_TEXT_PP(2)));
}

/*
 * Lock a section to the end of the transaction.  Argument 3: whether to wait.  Returns false
 * if the section is not free.  Nobody can lock a section without the right to publish it;
 * the run will say that the right is missing, or the target.
 */
Datum
_sitemap_lock_section(PG_FUNCTION_ARGS)
{
	LOCKTAG		lock = section_argument(fcinfo);

	if (!sm_may_publish(PG_GETARG_OID(0)))
		PG_RETURN_BOOL(true);
	PG_RETURN_BOOL(LockAcquire(&lock, ExclusiveLock, false, !PG_GETARG_BOOL(3)) != LOCKACQUIRE_NOT_AVAIL);
}

/* Does another session publish a section? */
Datum
_sitemap_is_running(PG_FUNCTION_ARGS)
{
	LOCKTAG		lock = section_argument(fcinfo);
	int			nholders;

	(void) GetLockConflicts(&lock, ExclusiveLock, &nholders);
	PG_RETURN_BOOL(nholders > 0);
}
