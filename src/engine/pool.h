/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that share out the chunks of one region of work at a time.  The caller takes part and can finish a region
 * alone, so that a helper that the system does not schedule costs nothing; helpers spin for a few microseconds after a
 * region, then sleep. */
#ifndef ENGINE_POOL_H
#define ENGINE_POOL_H

#include <stdint.h>

typedef void (*pool_fn)(void *context, uint32_t chunk);
struct thread_pool;

/* threads counts the caller: 1 makes no thread.  Threads that cannot be had are done without. */
struct thread_pool *pool_create(unsigned threads);
/* Sends a signal to the threads that the pool made. */
void pool_signal(struct thread_pool *pool, int signal);
void pool_destroy(struct thread_pool *pool);
unsigned pool_threads(const struct thread_pool *pool); /* 1 for NULL */
/* Calls fn for 0 .. chunks-1, in ascending order of their start, and returns when all are done.  From within a chunk
 * (or with a NULL pool): runs them all on the calling thread. */
void pool_run(struct thread_pool *pool, uint32_t chunks, pool_fn fn, void *context);
/* Processors that this process may use: no more than its share where mpirun started several on this machine. */
unsigned pool_processors(void);

#endif
