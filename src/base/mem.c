/* SPDX-License-Identifier: Apache-2.0 */
#include <malloc.h> /* before mem.h, which redefines free */

#include "base/reserve.h"

#include <poplar/memory.h>

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

/* Injected failure: 0 none, n fails the n-th allocation from now on. */
static _Atomic size_t countdown;
static atomic_bool fails_on;

size_t mem_fail(size_t call, bool onwards)
{
    atomic_store(&fails_on, onwards);
    return atomic_exchange(&countdown, call);
}

/* Whether failure injection (mem_fail) makes this call fail. */
static bool refused(void)
{
    size_t left = atomic_load_explicit(&countdown, memory_order_relaxed);
    if (!left)
        return false;
    if (left == 1)
        return atomic_load(&fails_on) || atomic_compare_exchange_strong(&countdown, &left, 0);
    atomic_fetch_sub(&countdown, 1);
    return false;
}

void *mem_alloc(size_t bytes)
{
    void *memory = refused() ? NULL : malloc(bytes ? bytes : 1);
    return memory ? memory : reserve_alloc(bytes);
}

void *mem_zero(size_t count, size_t bytes)
{
    void *memory = refused() ? NULL : calloc(count ? count : 1, bytes ? bytes : 1);
    if (memory)
        return memory;
    size_t all = bytes && count > SIZE_MAX / bytes ? SIZE_MAX : count * bytes;
    return memset(reserve_alloc(all), 0, all);
}

void *mem_grow(void *old, size_t bytes)
{
    if (reserve_owns(old))
        return reserve_grow(old, bytes);
    void *memory = refused() ? NULL : realloc(old, bytes ? bytes : 1);
    if (memory)
        return memory;
    size_t had = old ? malloc_usable_size(old) : 0;
    memory = reserve_alloc(bytes);
    if (old)
        memcpy(memory, old, had < bytes ? had : bytes);
    (free)(old);
    return memory;
}

void *mem_try_grow(void *old, size_t bytes)
{
    if (!reserve_owns(old))
        return refused() ? NULL : realloc(old, bytes ? bytes : 1);
    void *memory = refused() ? NULL : malloc(bytes ? bytes : 1);
    if (!memory)
        return NULL;
    size_t had = reserve_size(old);
    memcpy(memory, old, had < bytes ? had : bytes);
    reserve_free(old);
    return memory;
}

void *mem_try_zero(size_t count, size_t bytes)
{
    return refused() ? NULL : calloc(count ? count : 1, bytes ? bytes : 1);
}

void mem_free(void *block)
{
    if (reserve_owns(block))
        reserve_free(block);
    else
        (free)(block);
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

/* Makes whole pages of our own read as zeros: the kernel clears each when it is first touched, and untouched
 * pages take no memory. */
static void clear_pages(void *memory, size_t bytes)
{
#ifdef __linux__
    madvise(memory, bytes, MADV_HUGEPAGE); /* reads all of it in a tenth of the time */
    if (madvise(memory, bytes, MADV_DONTNEED) == 0)
        return;
#endif
    memset(memory, 0, bytes);
}

void *mem_try(size_t bytes)
{
    if (bytes > SIZE_MAX / 2 || refused())
        return NULL;
    size_t alignment = bytes < MANY_PAGES ? 64 : LARGE_PAGE,
           rounded = (bytes + !bytes + alignment - 1) & ~(alignment - 1);
    void *memory = aligned_alloc(alignment, rounded);
    if (!memory)
        return NULL;
    if (alignment == LARGE_PAGE)
        clear_pages(memory, rounded);
    else
        memset(memory, 0, rounded);
    return memory;
}

void *mem_lines(size_t count, size_t bytes)
{
    enum { FEW = 1 << 13 }; /* of a larger block few lines are shared with others */
    void *memory = bytes && count <= FEW / bytes ? mem_try(count * bytes) : NULL; /* whole lines */
    return memory ? memory : mem_zero(count, bytes);
}

struct arena_block {
    struct arena_block *next;
    _Alignas(16) unsigned char data[];
};

void *arena_alloc(struct arena *arena, size_t bytes)
{
    assert(arena->used <= arena->size);
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

struct arena_adopted {
    struct arena_adopted *next;
    void **block, *own;
};

static struct arena_adopted *adopt(struct arena *arena, void **block)
{
    struct arena_adopted *adopted = arena_alloc(arena, sizeof(*adopted));
    *adopted = (struct arena_adopted){ .next = arena->adopted, .block = block };
    arena->adopted = adopted;
    return adopted;
}

void arena_adopt(struct arena *arena, void **block)
{
    assert(block);
    adopt(arena, block);
}

void *arena_zero(struct arena *arena, size_t count, size_t bytes)
{
    enum { LARGE = 4096 };
    if (bytes && count <= LARGE / bytes)
        return memset(arena_alloc(arena, count * bytes), 0, count * bytes);
    struct arena_adopted *adopted = adopt(arena, NULL);
    adopted->block = &adopted->own;
    adopted->own = mem_zero(count, bytes);
    return adopted->own;
}

char *arena_string(struct arena *arena, const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(arena_alloc(arena, bytes), text, bytes);
}

void arena_free(struct arena *arena)
{
    for (struct arena_adopted *adopted = arena->adopted; adopted; adopted = adopted->next)
        mem_free(*adopted->block);
    for (struct arena_block *block = arena->block, *next; block; block = next) {
        next = block->next;
        mem_free(block);
    }
    *arena = (struct arena){ 0 };
}

void mem_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void *pop_memory_resize(void *old, size_t count, size_t bytes)
{
    return mem_grow(old, bytes && count > SIZE_MAX / bytes ? SIZE_MAX : count * bytes);
}

void pop_memory_free(void *block)
{
    mem_free(block);
}

size_t pop_memory_fail(size_t call, bool onwards)
{
    return mem_fail(call, onwards);
}

size_t pop_memory_failures(void)
{
    return mem_failures();
}

size_t pop_memory_reserve_in_use(void)
{
    return reserve_blocks();
}
