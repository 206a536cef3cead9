/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *must(void *memory, size_t bytes)
{
    if (memory || !bytes)
        return memory;
    fprintf(stderr, "tremula: out of host memory (%zu bytes)\n", bytes);
    abort();
}

void *mem_alloc(size_t bytes)
{
    return must(malloc(bytes ? bytes : 1), bytes);
}

void *mem_zero(size_t count, size_t bytes)
{
    return must(calloc(count ? count : 1, bytes ? bytes : 1), count);
}

void *mem_grow(void *old, size_t bytes)
{
    return must(realloc(old, bytes ? bytes : 1), bytes);
}

void *mem_copy(const void *from, size_t bytes)
{
    void *to = mem_alloc(bytes);
    if (bytes)
        memcpy(to, from, bytes);
    return to;
}

char *mem_string(const char *text)
{
    return text ? mem_copy(text, strlen(text) + 1) : mem_copy("", 1);
}

/* Blocks from MANY_PAGES on begin and end with a large page. */
enum { LARGE_PAGE = 2 << 20, MANY_PAGES = 4 * LARGE_PAGE };

void *mem_try(size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    size_t alignment = bytes < MANY_PAGES ? 64 : LARGE_PAGE, rounded = (bytes + !bytes + alignment - 1) & ~(alignment - 1);
    void *memory = aligned_alloc(alignment, rounded);
    if (!memory)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (alignment == LARGE_PAGE)
        madvise(memory, rounded, MADV_HUGEPAGE); /* a tenth of the time to read it all; without them it works as well */
#endif
    memset(memory, 0, rounded);
    return memory;
}

struct arena_block {
    struct arena_block *next;
    _Alignas(16) unsigned char data[];
};

void *arena_alloc(struct arena *arena, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (!arena->block || arena->used + bytes > arena->size) {
        size_t size = arena->size * 2 < 4096 ? 4096 : arena->size * 2 > (1u << 20) ? (1u << 20) : arena->size * 2;
        if (size < bytes)
            size = bytes;
        struct arena_block *block = mem_alloc(sizeof(*block) + size);
        block->next = arena->block;
        arena->block = block;
        arena->size = size;
        arena->used = 0;
    }
    void *memory = arena->block->data + arena->used;
    arena->used += bytes;
    return memory;
}

char *arena_string(struct arena *arena, const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(arena_alloc(arena, bytes), text, bytes);
}

void arena_free(struct arena *arena)
{
    for (struct arena_block *block = arena->block, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    *arena = (struct arena){ 0 };
}
