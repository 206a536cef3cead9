/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pool.h"

#include "base/mem.h"
#include "base/str.h"

#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SPIN_MAX = 10000, SPIN_MIN = 500, PAUSES = 16, THREADS_MAX = 256 };

struct thread_pool {
    /* Unclaimed chunks. A claim decrements it. A thread with a claimed chunk may read fn, context and chunks, which do
     * not change until the thread has counted the chunk as done. */
    _Alignas(64) atomic_uint remaining;
    _Alignas(64) atomic_uint done;
    _Alignas(64) atomic_uint region; /* counts regions; helpers sleep on it */
    atomic_uint sleeping;
    atomic_bool caller_sleeps, busy, ends;
    pool_fn fn;
    void *context;
    uint32_t chunks;
    unsigned threads; /* including the caller */
    pid_t owner;
    pthread_t *helpers;
};

static void futex_wait(atomic_uint *word, unsigned value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(atomic_uint *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void pause_briefly(void)
{
    for (int i = 0; i < PAUSES; ++i)
#if defined(__x86_64__)
        __builtin_ia32_pause();
#else
        atomic_signal_fence(memory_order_seq_cst);
#endif
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Runs chunks until none is unclaimed. */
static void work(struct thread_pool *pool)
{
    unsigned left = atomic_load_explicit(&pool->remaining, memory_order_acquire);
    while (left) {
        if (!atomic_compare_exchange_weak_explicit(&pool->remaining, &left, left - 1, memory_order_acquire,
                                                   memory_order_acquire))
            continue;
        unsigned chunks = pool->chunks;
        assert(left <= chunks);
        pool->fn(pool->context, chunks - left);
        if (atomic_fetch_add(&pool->done, 1) + 1 == chunks && atomic_load(&pool->caller_sleeps))
            futex_wake(&pool->done);
        left = atomic_load_explicit(&pool->remaining, memory_order_acquire);
    }
}

/* Waits for a region after `seen`: spins for at most *spin ns, then sleeps. *spin is shortened when spinning found no
 * region, and lengthened when it did. */
static void await_region(struct thread_pool *pool, unsigned seen, uint64_t *spin)
{
    uint64_t end = now() + *spin;
    do {
        if (atomic_load_explicit(&pool->region, memory_order_acquire) != seen) {
            *spin = *spin * 2 < SPIN_MAX ? *spin * 2 : SPIN_MAX;
            return;
        }
        pause_briefly();
    } while (now() < end);
    *spin = *spin / 2 > SPIN_MIN ? *spin / 2 : SPIN_MIN;
    atomic_fetch_add(&pool->sleeping, 1);
    while (atomic_load(&pool->region) == seen)
        futex_wait(&pool->region, seen);
    atomic_fetch_sub(&pool->sleeping, 1);
}

static void *helper(void *argument)
{
    struct thread_pool *pool = argument;
    uint64_t spin = SPIN_MAX;
    for (unsigned seen = 0; !atomic_load(&pool->ends);) {
        unsigned region = atomic_load_explicit(&pool->region, memory_order_acquire);
        if (region == seen)
            await_region(pool, seen, &spin);
        seen = atomic_load_explicit(&pool->region, memory_order_acquire);
        work(pool);
    }
    return NULL;
}

unsigned pool_processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    uint64_t own = count > 0 ? (uint64_t)count : 1, ranks = 1;
    long all = sysconf(_SC_NPROCESSORS_ONLN);
    const char *text = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (!text || !str_integer(text, UINT32_MAX, &ranks) || ranks < 2 || all < 1)
        return (unsigned)own;
    uint64_t share = (uint64_t)all / ranks ? (uint64_t)all / ranks : 1;
    return (unsigned)(share < own ? share : own);
}

unsigned pool_threads_for(int64_t option)
{
    return option <= 0 ? pool_processors() : option < THREADS_MAX ? (unsigned)option : THREADS_MAX;
}

struct thread_pool *pool_create(unsigned threads)
{
    struct thread_pool *pool = mem_try(sizeof(*pool));
    if (!pool)
        return NULL;
    *pool = (struct thread_pool){ .threads = 1, .owner = getpid() };
    if (threads > THREADS_MAX)
        threads = THREADS_MAX;
    pool->helpers = mem_zero(threads, sizeof(*pool->helpers));
    while (pool->threads < threads && pthread_create(&pool->helpers[pool->threads - 1], NULL, helper, pool) == 0)
        ++pool->threads;
    return pool;
}

void pool_signal(struct thread_pool *pool, int signal)
{
    for (unsigned i = 0; pool && pool->owner == getpid() && i + 1 < pool->threads; ++i)
        pthread_kill(pool->helpers[i], signal);
}

void pool_destroy(struct thread_pool *pool)
{
    if (!pool)
        return;
    assert(pool->owner != getpid() || !atomic_load(&pool->busy)); /* no region is running */
    /* A forked child has the memory but not the threads. */
    if (pool->owner == getpid()) {
        atomic_store(&pool->ends, true);
        atomic_fetch_add(&pool->region, 1);
        futex_wake(&pool->region);
        for (unsigned i = 0; i + 1 < pool->threads; ++i)
            pthread_join(pool->helpers[i], NULL);
    }
    free(pool->helpers);
    free(pool);
}

unsigned pool_threads(const struct thread_pool *pool)
{
    return pool ? pool->threads : 1;
}

/* Waits until helpers have finished their last chunks. */
static void await_done(struct thread_pool *pool, uint32_t chunks)
{
    uint64_t end = now() + SPIN_MAX;
    while (atomic_load_explicit(&pool->done, memory_order_acquire) != chunks) {
        pause_briefly();
        if (now() < end)
            continue;
        atomic_store(&pool->caller_sleeps, true);
        for (unsigned done; (done = atomic_load(&pool->done)) != chunks;)
            futex_wait(&pool->done, done);
        atomic_store(&pool->caller_sleeps, false);
        return;
    }
}

void pool_run(struct thread_pool *pool, uint32_t chunks, pool_fn fn, void *context)
{
    if (!pool || pool->threads == 1 || chunks < 2 || atomic_exchange(&pool->busy, true)) {
        for (uint32_t i = 0; i < chunks; ++i)
            fn(context, i);
        return;
    }
    assert(!atomic_load(&pool->remaining)); /* of the region before */
    pool->fn = fn;
    pool->context = context;
    pool->chunks = chunks;
    atomic_store_explicit(&pool->done, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->remaining, chunks, memory_order_release);
    atomic_fetch_add(&pool->region, 1);
    if (atomic_load(&pool->sleeping))
        futex_wake(&pool->region);
    work(pool);
    await_done(pool, chunks);
    atomic_store(&pool->busy, false);
}
