/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory.  Small allocations that cannot be had end the process with one line (docs/decisions/0002-host-memory.md);
 * allocations whose size a user chose (storage, constants, buffers) use mem_try and are reported as errors. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *mem_alloc(size_t bytes);                    /* not zeroed; never NULL */
void *mem_zero(size_t count, size_t bytes);       /* zeroed; never NULL; overflow is checked */
void *mem_grow(void *old, size_t bytes);          /* realloc; never NULL */
char *mem_string(const char *text);               /* copy; NULL gives "" */
void *mem_copy(const void *from, size_t bytes);   /* copy; never NULL */
void *mem_try(size_t bytes);                      /* zeroed, 64-byte aligned; NULL when it cannot be had; free() it */

#define MEM_NEW(type) ((type *)mem_zero(1, sizeof(type)))

/* Bump allocation for things that live and die together; zero is empty. */
struct arena {
    struct arena_block *block;
    size_t used, size;
};
void *arena_alloc(struct arena *arena, size_t bytes); /* 16-byte aligned, not zeroed */
char *arena_string(struct arena *arena, const char *text);
void arena_free(struct arena *arena);

#endif
