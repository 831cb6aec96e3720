/*
 * rows.h
 *	  The statements of sitemap_run on the table of jobs.
 *
 * They find, lock and store rows; what the values mean is computed in C.  Each is prepared at
 * most once in a call.  Operators and functions are qualified, so no search_path matters, and
 * triggers of the table run under that of the caller.
 */
#ifndef SM_JOBS_ROWS_H
#define SM_JOBS_ROWS_H

#include "jobs/job.h"
#include "server/statement.h"

/* Which row a statement means: it is no longer there when another call has started the job. */
typedef struct SmJobKey
{
	char	   *base_url;
	char	   *section;
	TimestampTz started;		/* -infinity for NULL */
} SmJobKey;

/* How to read the row of a key; the statements that do. */
typedef enum SmRowAccess
{
	SM_ROW_READ,
	SM_ROW_LOCK,
	SM_ROW_LOCK_FREE,			/* unless somebody else has locked it */
	SM_ROW_NACCESSES
} SmRowAccess;

/* Private statements after these. */
enum
{
	SM_ROWS_SITE = SM_ROW_NACCESSES,
	SM_ROWS_WRITE,
	SM_ROWS_NSTATEMENTS
};

typedef struct SmJobRows
{
	SmTable		table;			/* open while statements run */
	MemoryContext context;		/* of the call */
	SmStatement *statements[SM_ROWS_NSTATEMENTS];
} SmJobRows;

/* The key of a row, in the current memory context. */
extern SmJobKey sm_rows_key(const SmJob *job);

/*
 * Read or lock the row of a key.  Returns whether it is there.  Like all rows, it is valid as
 * long as SPI stays connected.
 */
extern bool sm_rows_find(SmJobRows *rows, const SmJobKey *key, SmRowAccess access, SmJob *job);

/* The jobs of a site.  n: set to their number. */
extern SmJob *sm_rows_site(SmJobRows *rows, char *base_url, int *n);

/*
 * Write the columns of sitemap_run to the locked row of a key, and read what triggers have
 * made of it.  Raises an error unless one row was written.
 */
extern void sm_rows_write(SmJobRows *rows, const SmJobKey *key, SmJob *job);

#endif
