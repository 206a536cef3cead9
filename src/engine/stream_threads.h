/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that run callbacks of streams (streamCallbacks.multiThreadMode).  A callback may block for any time, so these
 * are other threads than the pool's; each is started when a job finds none idle. */
#ifndef ENGINE_STREAM_THREADS_H
#define ENGINE_STREAM_THREADS_H

#include <stdatomic.h>
#include <stdbool.h>

struct stream_threads;
enum job_state { JOB_NONE = 0, JOB_QUEUED, JOB_RUNS, JOB_DONE };
/* The caller keeps it where it is until it is JOB_NONE again.  Only stream_threads.c touches state and next. */
struct job {
    void (*fn)(void *context);
    void *context;
    enum job_state state;
    struct job *next;
};

/* At most `most` threads.  NULL when the host is out of memory. */
struct stream_threads *stream_threads_create(unsigned max);
/* No job may be queued or run.  NULL is allowed. */
void stream_threads_destroy(struct stream_threads *pool);
/* Sends a signal to each of the threads. */
void stream_threads_signal(struct stream_threads *pool, int signal);
/* Queues a job.  It is not run before a thread is free for it, which may be never. */
void stream_threads_start(struct stream_threads *pool, struct job *job);
/* Takes back what no thread has begun; false when there is no such job. */
bool stream_threads_cancel(struct stream_threads *pool, struct job *job);
/* Until the job, which a thread has begun, is over: JOB_NONE then.  False, and it runs on, once *stop is set; stop may
 * be NULL. */
bool stream_threads_wait(struct stream_threads *pool, struct job *job, const atomic_bool *stop);
/* Runs fn on a thread and waits for it; on the calling thread when none is free, so that jobs which block do not hold
 * it back. */
void stream_threads_run(struct stream_threads *pool, void (*fn)(void *context), void *context);

#endif
