/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory (docs/decisions/0012-out-of-host-memory.md).  What malloc does not give comes from a reserve that is set
 * aside when the library is loaded, and is counted as a failure: the current call completes, and its entry, or the next
 * pass of the compiler, reports that the host is out of memory.  Allocations whose size a user chose (storage,
 * constants, buffers) use mem_try, and are refused without that. */
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
void *mem_try(size_t bytes);                    /* zeroed, 64-byte aligned; NULL when it cannot be had; mem_free it */
void *mem_try_grow(void *old, size_t bytes);    /* realloc; NULL, and old as it was, when it cannot be had */
void *mem_try_zero(size_t count,
                   size_t bytes); /* calloc: rows that nobody touches cost no memory; NULL when it cannot be had */
void mem_free(void *block);       /* what the functions above gave, or malloc; NULL is allowed */

/* Blocks of the reserve look like any other, so free, wherever this header is seen, takes both. */
#define free(block) mem_free(block)

/* How often malloc has failed so far in this process: a call notes it when it begins, and compares. */
extern _Atomic size_t mem_failed;
static inline size_t mem_failures(void)
{
    return atomic_load_explicit(&mem_failed, memory_order_relaxed);
}
/* For tests: makes the call-th allocation from now on fail (0: none any more), and with onwards all after it.
 * Returns what was left of the last request. */
size_t mem_fail(size_t call, bool onwards);

#define MEM_NEW(type) ((type *)mem_zero(1, sizeof(type)))

/* Bump allocation for things that live and die together; zero is empty. */
struct arena {
    struct arena_block *block;
    struct arena_adopted *adopted;
    size_t used, size;
};
void *arena_alloc(struct arena *arena, size_t bytes); /* 16-byte aligned, not zeroed */
/* Zeroed; pages of large blocks that nobody touches cost no memory.  Overflow is checked. */
void *arena_zero(struct arena *arena, size_t count, size_t bytes);
/* Frees *block with the arena, whatever it points to by then: the data of an array that grows.  block stays valid until
 * then: it is in the arena, or outlives it. */
void arena_adopt(struct arena *arena, void **block);
#define arena_adopt_vec(arena, v) arena_adopt(arena, (void **)&(v)->data)
#define ARENA_NEW(arena, type)    ((type *)arena_zero(arena, 1, sizeof(type)))
char *arena_string(struct arena *arena, const char *text);
void arena_free(struct arena *arena);

#endif
