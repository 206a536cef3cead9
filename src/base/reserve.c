/* SPDX-License-Identifier: Apache-2.0 */
#include "base/reserve.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* Enough for what one pass of the compiler, or one call, allocates after the failure. RESERVE_READY bytes are committed
 * from the start, for systems that do not overcommit memory. */
#define RESERVE_SIZE  ((size_t)1 << 30)
#define RESERVE_READY ((size_t)4 << 20)
enum { CLASSES = 64 };

/* Header of a block; a payload of 2^class bytes follows. */
struct spare {
    size_t class;
    struct spare *next; /* next free block of the class */
};

_Atomic size_t mem_failed;
uintptr_t reserve_begin, reserve_end;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t used, live;
static bool writable; /* the whole reserve is committed */
static struct spare *spares[CLASSES];

static size_t address_space(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? (size_t)limit.rlim_cur : SIZE_MAX;
}

__attribute__((constructor)) static void reserve_at_start(void)
{
    size_t size =
        address_space() / 8 < RESERVE_SIZE ? address_space() / 8 / RESERVE_READY * RESERVE_READY : RESERVE_SIZE;
    void *range = size ? mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) : MAP_FAILED;
    if (range == MAP_FAILED || mprotect(range, RESERVE_READY, PROT_READ | PROT_WRITE) != 0)
        return;
    reserve_begin = (uintptr_t)range;
    reserve_end = reserve_begin + size;
}

static void *exhausted(size_t bytes)
{
    fprintf(stderr, "tremula: out of host memory (%zu bytes), and the reserve of %zu bytes cannot hold them\n", bytes,
            reserve_end - reserve_begin);
    abort();
}

/* A new block of the class from the unused part; NULL when the reserve is exhausted. */
static struct spare *split_block(size_t class)
{
    assert(used <= reserve_end - reserve_begin);
    size_t bytes = sizeof(struct spare) + ((size_t)1 << class), size = reserve_end - reserve_begin;
    if (class >= 48 || bytes > size - used)
        return NULL;
    if (!writable && used + bytes > RESERVE_READY) {
        if (mprotect((void *)reserve_begin, size, PROT_READ | PROT_WRITE) != 0)
            return NULL;
        writable = true;
    }
    struct spare *block = (struct spare *)(reserve_begin + used);
    used += bytes;
    return block;
}

void *reserve_alloc(size_t bytes)
{
    atomic_fetch_add(&mem_failed, 1);
    size_t class = 4;
    while (class < CLASSES - 1 && (size_t)1 << class < bytes)
        ++class;
    pthread_mutex_lock(&lock);
    struct spare *block = spares[class];
    if (block)
        spares[class] = block->next;
    else
        block = split_block(class);
    if (block) {
        block->class = class;
        ++live;
    }
    pthread_mutex_unlock(&lock);
    return block ? block + 1 : exhausted(bytes);
}

size_t reserve_size(const void *block)
{
    return (size_t)1 << ((const struct spare *)block - 1)->class;
}

void *reserve_grow(void *block, size_t bytes)
{
    assert((uintptr_t)block > reserve_begin && (uintptr_t)block < reserve_end);
    size_t had = reserve_size(block);
    if (bytes <= had)
        return block;
    void *grown = memcpy(reserve_alloc(bytes), block, had);
    reserve_free(block);
    return grown;
}

void reserve_free(void *memory)
{
    struct spare *block = (struct spare *)memory - 1;
    pthread_mutex_lock(&lock);
    assert(live && (uintptr_t)block >= reserve_begin && (uintptr_t)block < reserve_end);
    block->next = spares[block->class];
    spares[block->class] = block;
    if (--live == 0) { /* reset the reserve and return its pages to the system */
        madvise((void *)reserve_begin, used, MADV_DONTNEED);
        memset(spares, 0, sizeof(spares));
        used = 0;
    }
    pthread_mutex_unlock(&lock);
}

size_t reserve_blocks(void)
{
    pthread_mutex_lock(&lock);
    size_t blocks = live;
    pthread_mutex_unlock(&lock);
    return blocks;
}
