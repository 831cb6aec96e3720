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
 * In the text of a statement, @table stands for the table's name; no other name of a user's
 * is written into it.  Each FROM, INSERT, UPDATE or DELETE that names the table must be
 * followed by a parameter or a column of the same query level or of a level inside, because
 * the check is made where the parser meets one.  Values are parameters, and literals of text
 * have a cast: to analyse an untyped literal can run the CHECK of a domain, which is code of
 * the table's owner.
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

/* What a statement returned. */
typedef struct SmResult
{
	uint64		count;			/* of the rows that it returned or changed */
	SPITupleTable *rows;		/* NULL if it returns none, or to a receiver */
} SmResult;

/*
 * Run a statement once.  dest: the receiver of its rows, or NULL.  SPI must be connected.  The
 * current memory context stays.
 */
extern SmResult sm_table_execute(const SmTable *table, const char *sql, ParamListInfo params,
								 SmAccess access, DestReceiver *dest);

/* A statement that is run again and again, and whose plan is kept. */
typedef struct SmStatement SmStatement;

/*
 * Make a statement in the current memory context, with which it is freed.  The table must live
 * as long, but need not be open all the time.  options: CURSOR_OPT_CUSTOM_PLAN to plan the
 * statement with its values each time, else 0.  A generic plan that was made for a small table
 * stays while the table grows, so a statement with a WHERE needs custom plans.
 */
extern SmStatement *sm_table_prepare(const SmTable *table, const char *sql, int options);

/*
 * Run a statement, which is analysed if this has not been done with the table's present name.
 * The parameters must have the same types each time; NULL for none.  The current memory context
 * stays.
 */
extern SmResult sm_statement_execute(SmStatement *statement, ParamListInfo params,
									 SmAccess access);

/* Free a statement before its memory context; it must not be running. */
extern void sm_statement_free(SmStatement *statement);

#endif
