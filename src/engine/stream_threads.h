/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that run callbacks of streams (streamCallbacks.multiThreadMode).  A callback may block for any time, so these
 * are separate from the thread pool; one is started when a job finds none idle. */
#ifndef ENGINE_STREAM_THREADS_H
#define ENGINE_STREAM_THREADS_H

#include <stdatomic.h>
#include <stdbool.h>

struct stream_threads;
enum job_state { JOB_NONE = 0, JOB_QUEUED, JOB_RUNS, JOB_DONE };
/* Owned by the caller, who must not move it until its state is JOB_NONE again.  Only stream_threads.c touches state and
 * next. */
struct job {
    void (*fn)(void *context);
    void *context;
    enum job_state state;
    struct job *next;
};

/* At most max threads. NULL when the host is out of memory. */
struct stream_threads *stream_threads_create(unsigned max);
/* Precondition: no job is queued or running. NULL is allowed. */
void stream_threads_destroy(struct stream_threads *pool);
/* Sends a signal to each of the threads. */
void stream_threads_signal(struct stream_threads *pool, int signal);
/* Queues a job, which runs when a thread is free. */
void stream_threads_start(struct stream_threads *pool, struct job *job);
/* Removes a job that no thread has begun; false when it has begun. */
bool stream_threads_cancel(struct stream_threads *pool, struct job *job);
/* Waits until a job that has begun ends (state JOB_NONE). Returns false, and leaves it running, once *stop is set; stop
 * may be NULL. */
bool stream_threads_wait(struct stream_threads *pool, struct job *job, const atomic_bool *stop);
/* Runs fn on a thread and waits for it; on the calling thread when none is free, so that blocked jobs do not delay it.
 */
void stream_threads_run(struct stream_threads *pool, void (*fn)(void *context), void *context);

#endif
