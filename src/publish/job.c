/*
 * job.c
 *	  The parts of sitemap_status that PL/pgSQL cannot do.
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

PG_FUNCTION_INFO_V1(_sitemap_read_columns);
PG_FUNCTION_INFO_V1(_sitemap_lock_jobs);
PG_FUNCTION_INFO_V1(_sitemap_publisher);

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
