/*
 * statement.h
 *	  Statements on a user's table: all that we run on a target, feed, queue or table of
 *	  jobs.
 *
 * The table is found once, by its OID, and is open and locked while its statements run.
 * The lock does not keep others from renaming the table's schema, and then another table
 * can get the old name.  So each statement is written with the present name, and the name
 * is checked once more while PostgreSQL analyses the statement.
 *
 * In the text of a statement, @table stands for the table's name.  Each FROM, INSERT, UPDATE
 * or DELETE that names the table must be followed by a parameter of the same query level,
 * because the check is made where the parser meets a parameter.  Values are parameters, and
 * literals of text have a cast: to analyse an untyped literal can run the CHECK of a domain,
 * which is code of the table's owner.
 */
#ifndef SM_STATEMENT_H
#define SM_STATEMENT_H

#include "executor/spi.h"
#include "nodes/params.h"
#include "server/table.h"

/* What a statement does, and which rows it sees. */
typedef enum SmAccess
{
	SM_WRITE,					/* reads or writes */
	SM_READ,					/* only reads, perhaps while a query runs */
	SM_READ_NEWEST				/* the same with the newest snapshot, even in
								 * a transaction that keeps its snapshot */
} SmAccess;

/* Set a parameter.  number: 1 for $1. */
extern void sm_set_parameter(ParamListInfo params, int number, Oid type, Datum value,
							 bool isnull);

/* The parameters $1 to $n, of type text.  NULL is NULL. */
extern ParamListInfo sm_text_parameters(int n, const char *const *values);

/*
 * Run a statement.  Returns how many rows it changed, or returned: in SPI_tuptable, or to
 * dest unless that is NULL.  SPI must be connected.  The current memory context stays.
 */
extern uint64 sm_table_execute(const SmTable *table, const char *statement,
							   ParamListInfo params, SmAccess access, DestReceiver *dest);

/* What the parser needs to check a statement. */
typedef struct SmGuard
{
	SmTable		table;
	ParamListInfo params;
	List	   *checked;		/* entries of range tables that are the table */
	int			nchecked;
} SmGuard;

/*
 * Prepare a statement whose plan is kept.  It has the table's present name as long as the
 * plan lives.  Whenever PostgreSQL analyses it again, the name is checked.  guard: what
 * table and params are set in; it must live as long as the plan.
 */
extern SPIPlanPtr sm_table_prepare(SmGuard *guard, const char *statement);

/* Run a prepared statement, such a one or another. */
extern void sm_execute_plan(SPIPlanPtr plan, const SPIExecuteOptions *options);

#endif
