/*
 * job.c
 *	  The parts of sitemap_run that PL/pgSQL cannot do: to catch every error of a step
 *	  and say whether this session was canceled, and to use the locks of sections.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/twophase.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/tstoreReceiver.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "publish/target.h"
#include "server/argument.h"
#include "server/error.h"
#include "server/lock.h"
#include "server/statement.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/rls.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(_sitemap_try);
PG_FUNCTION_INFO_V1(_sitemap_read);
PG_FUNCTION_INFO_V1(_sitemap_read_columns);
PG_FUNCTION_INFO_V1(_sitemap_lock_jobs);
PG_FUNCTION_INFO_V1(_sitemap_require_commit);
PG_FUNCTION_INFO_V1(_sitemap_publisher);

/* A step, and the row of the job that it returns. */
typedef struct Step
{
	bool		is_start;		/* the first statement chooses the job, whose
								 * section must not be locked */
	bool		locks_section;	/* before the first statement */
	SmTable		jobs;
	Datum	   *statements;		/* texts */
	int			nstatements;
	const char *look;			/* returns a row if the job is still that of
								 * this call */
	ParamListInfo params;		/* the row of the job as it was and as it was
								 * published, a text, and jobs of the list */
	NullableDatum job;
	NullableDatum number;		/* of the job that is started, among those of
								 * the list; NULL if none can be, and 1 if an
								 * error prevents the choice */
} Step;

/* Open a table of jobs, locked to the end of the transaction. */
static void
open_jobs(SmTable *table, Oid relid, LOCKMODE lockmode)
{
	table->relid = relid;
	table->what = "table of jobs";
	table->hint = "Create the table with CREATE TABLE ... OF sitemap_job (PRIMARY KEY (base_url, section)).";
	sm_table_open(table, lockmode);
	sm_table_check_kind(table);
}

/*
 * The same for sitemap_run, whose caller owns the table.  A job can have changed the role, and
 * others the owner.
 */
static void
open_own_jobs(SmTable *table, Oid relid, LOCKMODE lockmode)
{
	int			level = NewGUCNestLevel();

	/* lock_timeout is for the jobs; here, it would end the call */
	(void) set_config_option("lock_timeout", "0", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	open_jobs(table, relid, lockmode);
	AtEOXact_GUC(true, level);
	if (table->rel->rd_rel->relowner != GetUserId())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of table %s", sm_qualified_name(relid)),
				 errdetail("The owner of the table or the current user has changed during the call.")));
}

/*
 * Lock the section of a job to the end of the transaction.  Returns false if it is not free.
 * Nobody can lock a section without the right to publish it; the run will say that the right
 * is missing, or the target.
 */
static bool
lock_section(Datum job, bool wait)
{
	const SmArguments *args = sm_row_arguments(job);
	Oid			target;
	LOCKTAG		lock;

	if (!sm_has_argument(args, "target"))
		return true;
	target = DatumGetObjectId(sm_argument(args, "target"));
	if (!sm_may_publish(target))
		return true;
	lock = sm_lock_tag(SM_LOCK_SECTION, target, sm_text_argument(args, "base_url"),
					   sm_text_argument(args, "section"));
	return LockAcquire(&lock, ExclusiveLock, false, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

/* Run a statement of a step. */
static SmResult
run_statement_of(Step *step, const char *statement)
{
	return sm_table_execute(&step->jobs, statement, step->params, SM_WRITE, NULL);
}

/*
 * Convert a row of the table of jobs to type sitemap_job.  _sitemap_job_columns has checked
 * the table's columns when the call began, but somebody can have changed them since.
 * PostgreSQL's convert_tuples_by_name would also require the same type modifiers, and so
 * refuse timestamptz(0).
 */
static Datum
convert_row(const Step *step, HeapTupleHeader row)
{
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row),.t_data = row};
	TupleDesc	desc = RelationGetDescr(step->jobs.rel);
	TupleDesc	job_desc = lookup_rowtype_tupdesc_copy(step->params->params[0].ptype, -1);
	Datum	   *values = palloc_array(Datum, job_desc->natts);
	bool	   *nulls = palloc_array(bool, job_desc->natts);

	for (int i = 0; i < job_desc->natts; i++)
	{
		const char *name = SPI_fname(job_desc, i + 1);
		Oid			type = SPI_gettypeid(job_desc, i + 1);
		int			number = SPI_fnumber(desc, name);

		if (number <= 0 || SPI_gettypeid(desc, number) != type)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("the table of jobs \"%s\" has no column \"%s\" of type %s",
							step->jobs.name, name, format_type_be(type)),
					 errhint("%s", step->jobs.hint)));
		values[i] = heap_getattr(&tuple, number, desc, &nulls[i]);
	}
	return HeapTupleGetDatum(heap_form_tuple(job_desc, values, nulls));
}

/*
 * Take the row of the job that a statement returned.  The first statement of a start, which
 * chooses the job, also returns its number.
 */
static void
take_row(Step *step, const SPITupleTable *rows, bool is_choice)
{
	bool		isnull = true;
	Oid			type = rows ? SPI_gettypeid(rows->tupdesc, 1) : InvalidOid;
	Datum		job = rows ? SPI_getbinval(rows->vals[0], rows->tupdesc, 1, &isnull) : 0;

	if (!isnull && type == step->jobs.rel->rd_rel->reltype)
		job = convert_row(step, DatumGetHeapTupleHeader(job));
	else if (isnull || type != step->params->params[0].ptype)
		elog(ERROR, "the statement does not return the row of a job");
	step->job.value = SPI_datumTransfer(job, false, -1);
	step->job.isnull = false;
	if (is_choice)
	{
		if (SPI_gettypeid(rows->tupdesc, 2) != INT8OID)
			elog(ERROR, "the statement does not return the number of a job");
		step->number.value = SPI_getbinval(rows->vals[0], rows->tupdesc, 2, &isnull);
		sm_set_parameter(step->params, 1, step->params->params[0].ptype, step->job.value, false);
	}
}

static void
run_statements(Step *step)
{
	for (int i = 0; i < step->nstatements; i++)
	{
		bool		is_choice = i == 0 && step->is_start;

		SmResult	result = run_statement_of(step, TextDatumGetCString(step->statements[i]));

		step->job.isnull = true;
		if (result.count > 0)
			take_row(step, result.rows, is_choice);
		else if (i == step->nstatements - 1 && run_statement_of(step, step->look).count > 0)
			ereport(ERROR,
					(errcode(ERRCODE_TRIGGERED_ACTION_EXCEPTION),
					 errmsg("the row of the job was not updated"),
					 errdetail("A trigger or a rule of the table of jobs prevents that.")));
		else
		{
			step->number.isnull = is_choice;
			return;
		}
		if (is_choice && !lock_section(step->job.value, false))
		{
			step->job.isnull = true;
			return;
		}
	}
}

static void
run_step(void *arg)
{
	Step	   *step = arg;

	SPI_connect();
	if (step->locks_section)
		(void) lock_section(step->params->params[0].value, true);
	run_statements(step);
	/* an error at the commit could not be caught */
	AfterTriggerSetState(makeNode(ConstraintsSetStmt));
	SPI_finish();
}

/*
 * Run a step of sitemap_run, "start", "run", "finish" or "fail", in a subtransaction: statements
 * on the table of jobs that return the row of the job.  Returns the row of the last, or NULL if
 * the job is not that of this call any more; and what an error says.
 */
Datum
_sitemap_try(PG_FUNCTION_ARGS)
{
	const char *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	bool		is_run = strcmp(name, "run") == 0;
	Step		step = {
		.is_start = strcmp(name, "start") == 0,
		.locks_section = is_run || strcmp(name, "finish") == 0,
		.look = text_to_cstring(PG_GETARG_TEXT_PP(3)),
		.params = makeParamList(4),
		.job.isnull = true,
		.number.value = Int64GetDatum(1)
	};
	ErrorData  *error;
	const char *texts[5] = {0};
	Datum		values[8];
	bool		nulls[8];
	TupleDesc	desc;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(2), TEXTOID, -1, false, TYPALIGN_INT,
					  &step.statements, NULL, &step.nstatements);
	/* no argument is NULL, since the function is STRICT */
	for (int i = 1; i <= step.params->numParams; i++)
		sm_set_parameter(step.params, i, get_fn_expr_argtype(fcinfo->flinfo, i + 3),
						 PG_GETARG_DATUM(i + 3), false);

	/*
	 * This is the lock that the statements take.  After a weaker one, they
	 * would have to wait for a session that waits for a stronger lock.
	 */
	open_own_jobs(&step.jobs, PG_GETARG_OID(0), is_run ? AccessShareLock : RowExclusiveLock);
	error = sm_try(run_step, &step, true);
	relation_close(step.jobs.rel, NoLock);
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
	values[1] = step.number.value;
	nulls[1] = step.number.isnull;
	for (size_t i = 0; i < lengthof(texts); i++)
	{
		nulls[i + 2] = texts[i] == NULL;
		values[i + 2] = texts[i] ? CStringGetTextDatum(texts[i]) : (Datum) 0;
	}
	values[7] = BoolGetDatum(error && sm_is_cancel(error));
	nulls[7] = false;
	return HeapTupleGetDatum(heap_form_tuple(desc, values, nulls));
}

/* Return what a statement reads from a table, whose OID is its parameter $1. */
static void
return_rows(ReturnSetInfo *result, const SmTable *table, const char *statement)
{
	ParamListInfo params = makeParamList(1);
	DestReceiver *dest = CreateDestReceiver(DestTuplestore);

	sm_set_parameter(params, 1, OIDOID, ObjectIdGetDatum(table->relid), false);
	SetTuplestoreDestReceiverParams(dest, result->setResult, CurrentMemoryContext, false,
									result->setDesc, "the columns are not those that the call expects");
	SPI_connect();
	sm_table_execute(table, statement, params, SM_READ_NEWEST, dest);
	SPI_finish();
	dest->rDestroy(dest);
}

/* Read a table of jobs by a statement, for its owner, who is about to start jobs. */
Datum
_sitemap_read(PG_FUNCTION_ARGS)
{
	SmTable		jobs = {0};

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	open_own_jobs(&jobs, PG_GETARG_OID(0), RowExclusiveLock);
	return_rows((ReturnSetInfo *) fcinfo->resultinfo, &jobs, text_to_cstring(PG_GETARG_TEXT_PP(1)));
	relation_close(jobs.rel, NoLock);
	return (Datum) 0;
}

/*
 * Read the columns of a table that the call names in its AS, with the rights of the table's
 * owner, as ANALYZE does, if the caller may read the table.  The owner can have put functions
 * into the predicate of an index or into casts of a column's type, and they would get the
 * rights of the caller.  The call gives only names, since an expression in it would get the
 * rights of the owner.  Row security does not apply to an owner.
 */
Datum
_sitemap_read_columns(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	SmTable		table = {0};
	StringInfoData statement;
	Oid			user;
	int			context;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	initStringInfo(&statement);
	for (int i = 0; i < result->setDesc->natts; i++)
		appendStringInfo(&statement, "%s%s", i == 0 ? "SELECT " : ", ",
						 quote_identifier(NameStr(TupleDescAttr(result->setDesc, i)->attname)));
	appendStringInfoString(&statement, " FROM @table");

	open_jobs(&table, PG_GETARG_OID(0), AccessShareLock);
	GetUserIdAndSecContext(&user, &context);
	if (pg_class_aclcheck(table.relid, user, ACL_SELECT) == ACLCHECK_OK &&
		check_enable_rls(table.relid, user, true) != RLS_ENABLED)
		SetUserIdAndSecContext(table.rel->rd_rel->relowner, context | SECURITY_RESTRICTED_OPERATION);
	return_rows(result, &table, statement.data);
	SetUserIdAndSecContext(user, context);
	relation_close(table.rel, NoLock);
	return (Datum) 0;
}

/* Lock a table of jobs as a SELECT does, by its OID. */
Datum
_sitemap_lock_jobs(PG_FUNCTION_ARGS)
{
	SmTable		jobs = {0};

	open_jobs(&jobs, PG_GETARG_OID(0), AccessShareLock);
	relation_close(jobs.rel, NoLock);
	PG_RETURN_VOID();
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

/*
 * The backend that holds the lock of a section: its process, or 0 for a prepared transaction.
 * A transaction that has ended since GetLockConflicts saw it is neither.
 */
Datum
_sitemap_publisher(PG_FUNCTION_ARGS)
{
	LOCKTAG		lock = sm_lock_tag(SM_LOCK_SECTION, PG_GETARG_OID(0),
								   text_to_cstring(PG_GETARG_TEXT_PP(1)),
								   text_to_cstring(PG_GETARG_TEXT_PP(2)));
	int			nholders;
	VirtualTransactionId *holder = GetLockConflicts(&lock, ExclusiveLock, &nholders);
	PGPROC	   *proc;
	VirtualTransactionId current = {0};
	bool		more;

	if (nholders == 0)
		PG_RETURN_NULL();
	proc = sm_vxid_proc(*holder);
	if (proc)
		GET_VXID_FROM_PGPROC(current, *proc);
	if (VirtualTransactionIdEquals(current, *holder))
		PG_RETURN_INT32(proc->pid);
	if (VirtualTransactionIdIsRecoveredPreparedXact(*holder) || TransactionIdIsValid(TwoPhaseGetXidByVirtualXID(*holder, &more)))
		PG_RETURN_INT32(0);
	PG_RETURN_NULL();
}
