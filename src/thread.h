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
 * Prepare for work in the current memory context.  Before that is freed, after an
 * error too, work that goes on is stopped after its present part.
 */
extern SmThread *sm_thread_create(void);

/*
 * Begin the work.  Unless beside is true and a thread can be created, the backend
 * does it at once.
 */
extern void sm_thread_begin(SmThread *thread, bool beside, SmThreadStep step, void *arg);

/* Wait for the end of the work. */
extern void sm_thread_end(SmThread *thread);

#endif
