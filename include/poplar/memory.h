/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory for libraries that build graphs, and injection of allocation failures for tests.
 *
 * When the host is out of memory, calls complete with memory of a reserve and then report it: a graph gets the error
 * "out of host memory" (POP_SYSTEM_RUNTIME_ERROR) and stays as valid as after any other error, calls that return a
 * status return it.  docs/concepts/memory.md says more. */
#ifndef POPLAR_MEMORY_H
#define POPLAR_MEMORY_H

#include <poplar/visibility.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* realloc to count objects of `bytes` bytes; old NULL: a new block, not zeroed. Never returns NULL: when malloc fails,
 * the block comes from the reserve, and calls on every graph fail until that error is taken. Free it with
 * pop_memory_free. */
POP_API void *pop_memory_resize(void *old, size_t count, size_t bytes);
/* Frees a block of pop_memory_resize or malloc; NULL is allowed. */
POP_API void pop_memory_free(void *block);

/* For tests: the call-th allocation of Tremula's libraries from now on fails (1: the next; 0: none), and with onwards
 * all later ones. Returns the remaining count of the previous request, so that a large request counts a program's
 * allocations. */
POP_API size_t pop_memory_fail(size_t call, bool onwards);
/* Number of allocations from the reserve; failed allocations that have a fallback are not counted. */
POP_API size_t pop_memory_failures(void);
/* Blocks of the reserve in use: 0 once everything that uses them has been destroyed. */
POP_API size_t pop_memory_reserve_in_use(void);

#ifdef __cplusplus
}
#endif

#endif
