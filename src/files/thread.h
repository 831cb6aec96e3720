/*
 * thread.h
 *	  Work that a thread does beside the backend.
 */
#ifndef SM_THREAD_H
#define SM_THREAD_H

typedef struct SmThread SmThread;

/*
 * Does a part of the work.  Returns true after the last part.  It calls no function
 * of PostgreSQL, and what it reads and writes is in the memory context of its
 * SmThread, or outlives that.
 */
typedef bool (*SmThreadStep) (void *arg);

/*
 * Prepare for work in the current memory context.  Before the context is freed, also
 * after an error, a thread that still works finishes its present part and ends.
 */
extern SmThread *sm_thread_create(void);

/*
 * Begin the work in a thread.  If beside is false, or no thread can be created, the
 * backend does all of the work in this call.
 */
extern void sm_thread_begin(SmThread *thread, bool beside, SmThreadStep step, void *arg);

/* Wait for the end of the work. */
extern void sm_thread_end(SmThread *thread);

#endif
