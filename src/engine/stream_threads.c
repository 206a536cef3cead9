/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/stream_threads.h"

#include "base/mem.h"

#include <pthread.h>
#include <signal.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { POLL_NANOSECONDS = 20000000 }; /* interval for polling a stop flag, which has no condition variable */

struct stream_threads {
    pthread_mutex_t lock;
    pthread_cond_t queued, done;
    struct job *first, **last; /* queued, oldest first */
    pthread_t *threads;
    unsigned count, max; /* number of threads, and its maximum */
    unsigned jobs;       /* queued or running */
    bool ends;
    pid_t owner;
};

static struct job *take_first(struct stream_threads *pool)
{
    struct job *job = pool->first;
    pool->first = job->next;
    if (!pool->first)
        pool->last = &pool->first;
    job->state = JOB_RUNS;
    return job;
}

static void *serve(void *argument)
{
    struct stream_threads *pool = argument;
    pthread_mutex_lock(&pool->lock);
    while (pool->first || !pool->ends) {
        if (!pool->first) {
            pthread_cond_wait(&pool->queued, &pool->lock);
            continue;
        }
        struct job *job = take_first(pool);
        pthread_mutex_unlock(&pool->lock);
        job->fn(job->context);
        pthread_mutex_lock(&pool->lock);
        job->state = JOB_DONE;
        --pool->jobs;
        pthread_cond_broadcast(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

struct stream_threads *stream_threads_create(unsigned max)
{
    struct stream_threads *pool = mem_try(sizeof(*pool));
    pthread_t *threads = pool ? mem_try(max * sizeof(*threads)) : NULL;
    if (!threads) {
        mem_free(pool);
        return NULL;
    }
    *pool = (struct stream_threads){ .threads = threads, .max = max, .owner = getpid() };
    pool->last = &pool->first;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->queued, NULL);
    pthread_cond_init(&pool->done, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return pool;
}

void stream_threads_destroy(struct stream_threads *pool)
{
    if (!pool)
        return;
    /* A forked child has the memory but not the threads. */
    if (pool->owner == getpid()) {
        pthread_mutex_lock(&pool->lock);
        pool->ends = true;
        pthread_cond_broadcast(&pool->queued);
        pthread_mutex_unlock(&pool->lock);
        for (unsigned i = 0; i < pool->count; ++i)
            pthread_join(pool->threads[i], NULL);
        pthread_cond_destroy(&pool->queued);
        pthread_cond_destroy(&pool->done);
        pthread_mutex_destroy(&pool->lock);
    }
    mem_free(pool->threads);
    mem_free(pool);
}

void stream_threads_signal(struct stream_threads *pool, int signal)
{
    if (!pool || pool->owner != getpid())
        return;
    pthread_mutex_lock(&pool->lock);
    for (unsigned i = 0; i < pool->count; ++i)
        pthread_kill(pool->threads[i], signal);
    pthread_mutex_unlock(&pool->lock);
}

/* Whether a thread is free, now or because it was started. */
static bool has_free(struct stream_threads *pool)
{
    if (pool->jobs >= pool->count && pool->count < pool->max &&
        pthread_create(&pool->threads[pool->count], NULL, serve, pool) == 0)
        ++pool->count;
    return pool->jobs < pool->count;
}

static void queue(struct stream_threads *pool, struct job *job)
{
    job->state = JOB_QUEUED;
    job->next = NULL;
    *pool->last = job;
    pool->last = &job->next;
    ++pool->jobs;
    pthread_cond_signal(&pool->queued);
}

void stream_threads_start(struct stream_threads *pool, struct job *job)
{
    pthread_mutex_lock(&pool->lock);
    has_free(pool);
    queue(pool, job);
    pthread_mutex_unlock(&pool->lock);
}

bool stream_threads_cancel(struct stream_threads *pool, struct job *job)
{
    if (pool->owner != getpid()) { /* a forked child: no thread would ever finish the job */
        job->state = JOB_NONE;
        return true;
    }
    pthread_mutex_lock(&pool->lock);
    bool waits = job->state == JOB_QUEUED;
    if (waits) {
        struct job **at = &pool->first;
        while (*at != job)
            at = &(*at)->next;
        *at = job->next;
        if (!job->next)
            pool->last = at;
        job->state = JOB_NONE;
        --pool->jobs;
    }
    pthread_mutex_unlock(&pool->lock);
    return waits;
}

bool stream_threads_wait(struct stream_threads *pool, struct job *job, const atomic_bool *stop)
{
    pthread_mutex_lock(&pool->lock);
    while (job->state != JOB_DONE && !(stop && atomic_load(stop))) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += POLL_NANOSECONDS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&pool->done, &pool->lock, &until);
    }
    bool over = job->state == JOB_DONE;
    if (over)
        job->state = JOB_NONE;
    pthread_mutex_unlock(&pool->lock);
    return over;
}

void stream_threads_run(struct stream_threads *pool, void (*fn)(void *context), void *context)
{
    struct job job = { .fn = fn, .context = context };
    pthread_mutex_lock(&pool->lock);
    bool free_thread = has_free(pool);
    if (free_thread)
        queue(pool, &job);
    pthread_mutex_unlock(&pool->lock);
    if (free_thread)
        stream_threads_wait(pool, &job, NULL);
    else
        fn(context);
}
