/*
 * thread.c
 *	  Work that a thread does beside the backend.
 *
 * The thread blocks all signals.  What it reads and writes is in the memory context
 * of its SmThread, or outlives that context.  A callback joins the thread before the
 * context is freed, after an error too.
 */
#include "postgres.h"

#include "files/thread.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "miscadmin.h"
#include "port/atomics.h"
#include "utils/memutils.h"

/* nanoseconds between two looks for a cancel request while a thread works */
#define WAIT_NSECS			(100 * 1000 * 1000)

struct SmThread
{
	MemoryContextCallback callback;
	SmThreadStep step;
	void	   *arg;
	bool		is_running;		/* there is a thread that was not joined yet */
	pthread_t	thread;
	pthread_mutex_t mutex;
	pthread_cond_t ended;
	bool		has_ended;		/* under mutex */
	pg_atomic_uint32 stop;		/* the result is no longer needed */
};

static void *
run(void *arg)
{
	SmThread   *thread = arg;

	while (!thread->step(thread->arg) && pg_atomic_read_u32(&thread->stop) == 0)
		;
	pthread_mutex_lock(&thread->mutex);
	thread->has_ended = true;
	pthread_cond_signal(&thread->ended);
	pthread_mutex_unlock(&thread->mutex);
	return NULL;
}

/* Create the thread. Returns false if that is not possible. */
static bool
start(SmThread *thread)
{
	sigset_t	all;
	sigset_t	before;

	/*
	 * signals are for the backend; a thread inherits the mask of its creator
	 */
	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
		return false;
	thread->has_ended = false;
	thread->is_running = pthread_create(&thread->thread, NULL, run, thread) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return thread->is_running;
}

static void
join(SmThread *thread)
{
	pthread_join(thread->thread, NULL);
	thread->is_running = false;
}

/* Called before the memory context of the thread is freed. */
static void
destroy(void *arg)
{
	SmThread   *thread = arg;

	if (thread->is_running)
	{
		pg_atomic_write_u32(&thread->stop, 1);
		join(thread);
	}
	pthread_cond_destroy(&thread->ended);
	pthread_mutex_destroy(&thread->mutex);
}

SmThread *
sm_thread_create(void)
{
	SmThread   *thread = palloc0(sizeof(SmThread));

	pthread_mutex_init(&thread->mutex, NULL);
	pthread_cond_init(&thread->ended, NULL);
	pg_atomic_init_u32(&thread->stop, 0);
	thread->callback.func = destroy;
	thread->callback.arg = thread;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &thread->callback);
	return thread;
}

void
sm_thread_begin(SmThread *thread, bool beside, SmThreadStep step, void *arg)
{
	Assert(!thread->is_running);
	thread->step = step;
	thread->arg = arg;
	if (beside && start(thread))
		return;
	while (!step(arg))
		CHECK_FOR_INTERRUPTS();
}

void
sm_thread_end(SmThread *thread)
{
	bool		has_ended = false;

	if (!thread->is_running)
		return;
	while (!has_ended)
	{
		struct timespec until;

		CHECK_FOR_INTERRUPTS();
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += WAIT_NSECS;
		if (until.tv_nsec >= 1000000000)
		{
			until.tv_sec++;
			until.tv_nsec -= 1000000000;
		}
		pthread_mutex_lock(&thread->mutex);
		if (!thread->has_ended)
			pthread_cond_timedwait(&thread->ended, &thread->mutex, &until);
		has_ended = thread->has_ended;
		pthread_mutex_unlock(&thread->mutex);
	}
	join(thread);
}
