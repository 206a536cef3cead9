/* SPDX-License-Identifier: Apache-2.0 */
/* A thread pool that runs the chunks of one parallel region at a time. The caller takes part and can finish a region
 * alone, so it never waits for a helper that is not scheduled. Helpers spin for a few microseconds after a region, then
 * sleep. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdint.h>

typedef void (*pool_fn)(void *context, uint32_t chunk);
struct thread_pool;

/* threads includes the caller: 1 creates no thread. If a thread cannot be created, the pool has fewer. */
struct thread_pool *pool_create(unsigned threads);
/* Sends a signal to the pool's threads. */
void pool_signal(struct thread_pool *pool, int signal);
void pool_destroy(struct thread_pool *pool);
unsigned pool_threads(const struct thread_pool *pool); /* 1 for NULL */
/* Calls fn for 0 .. chunks-1, in ascending order of their start, and returns when all are done.  From within a chunk
 * (or with a NULL pool): runs them all on the calling thread. */
void pool_run(struct thread_pool *pool, uint32_t chunks, pool_fn fn, void *context);
/* Processors that this process may use: no more than its share where mpirun started several on this machine. */
unsigned pool_processors(void);
/* The number of threads for a value of target.hostThreads: 0 is one for each processor, 256 the maximum. */
unsigned pool_threads_for(int64_t option);

#endif
