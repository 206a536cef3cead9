/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory (docs/decisions/0012-out-of-host-memory.md).  When malloc fails, the block comes from a reserve that is
 * set aside when the library is loaded, and the failure is counted: the current operation completes, then the public
 * call, or the next pass of the compiler, reports that the host is out of memory. Allocations whose size the user chose
 * (storage, constants, buffers) use mem_try, which returns NULL instead of using the reserve. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

void *mem_alloc(size_t bytes);                  /* not zeroed; never NULL */
void *mem_zero(size_t count, size_t bytes);     /* zeroed; never NULL; overflow is checked */
void *mem_grow(void *old, size_t bytes);        /* realloc; never NULL */
char *mem_string(const char *text);             /* copy; NULL gives "" */
void *mem_copy(const void *from, size_t bytes); /* copy; never NULL */
void *mem_try(size_t bytes);                    /* zeroed, 64-byte aligned; NULL on failure; free with mem_free */
void *mem_try_grow(void *old, size_t bytes);    /* realloc; NULL on failure, old unchanged */
void *mem_lines(size_t count, size_t bytes);    /* zeroed, on cache lines of its own, for one thread; never NULL */
void *mem_try_zero(size_t count, size_t bytes); /* calloc: untouched pages take no memory; NULL on failure */
void mem_trim(void);                            /* gives pages that no block uses back to the system */
void mem_free(void *block);                     /* blocks of the functions above or of malloc; NULL is allowed */

/* Callers cannot distinguish blocks of the reserve, so free must accept both. */
#define free(block) mem_free(block)

/* Number of failed allocations in this process: a public call compares it at its start and end. */
extern _Atomic size_t mem_failed;
static inline size_t mem_failures(void)
{
    return atomic_load_explicit(&mem_failed, memory_order_relaxed);
}
/* For tests: makes the call-th allocation from now on fail (0: none), and with onwards all later ones. Returns the
 * remaining count of the previous request. */
size_t mem_fail(size_t call, bool onwards);

#define MEM_NEW(type) ((type *)mem_zero(1, sizeof(type)))

/* Bump allocator for objects of equal lifetime; zero-initialised is empty. */
struct arena {
    struct arena_block *block;
    struct arena_adopted *adopted;
    size_t used, size;
};
void *arena_alloc(struct arena *arena, size_t bytes); /* 16-byte aligned, not zeroed */
/* Zeroed; untouched pages of large blocks take no memory. Overflow is checked. */
void *arena_zero(struct arena *arena, size_t count, size_t bytes);
/* Frees *block with the arena. The pointer is read at that time, so a growing array may move its data; block itself
 * must be in the arena or outlive it. */
void arena_adopt(struct arena *arena, void **block);
#define arena_adopt_vec(arena, v) arena_adopt(arena, (void **)&(v)->data)
#define ARENA_NEW(arena, type)    ((type *)arena_zero(arena, 1, sizeof(type)))
char *arena_string(struct arena *arena, const char *text);
void arena_free(struct arena *arena);

#endif
