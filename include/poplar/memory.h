/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory for libraries that build graphs, and a test of what they do without it.
 *
 * When the host has no memory, calls complete with memory of a reserve and then report it: a graph gets the error "out
 * of host memory" (POP_SYSTEM_RUNTIME_ERROR) and stays as valid as after any other error, calls that return a status
 * return it.  docs/memory.md says more. */
#ifndef POPLAR_MEMORY_H
#define POPLAR_MEMORY_H

#include <poplar/visibility.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* realloc to count things of bytes each; old NULL: a new block, not zeroed.  Never NULL: where malloc has none, the
 * block is the reserve's, and the calls on every graph fail until that error is taken.  Give it back with
 * pop_memory_free. */
POP_API void *pop_memory_resize(void *old, size_t count, size_t bytes);
/* Frees a block of pop_memory_resize or malloc; NULL is allowed. */
POP_API void pop_memory_free(void *block);

/* For tests: the call-th allocation of Tremula's libraries from now on fails (1: the next; 0: none any more), and with
 * onwards all after it. Returns how many calls an earlier request was still away: a request that is too far counts what
 * a program allocates. */
POP_API size_t pop_memory_fail(size_t call, bool onwards);
/* How often the reserve was used; an allocation that failed and could be done without is not counted. */
POP_API size_t pop_memory_failures(void);
/* Blocks of the reserve that are in use: 0 when all that was made without memory has been destroyed. */
POP_API size_t pop_memory_reserve_in_use(void);

#ifdef __cplusplus
}
#endif

#endif
