/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/model/arena.h"

#include <poplar/memory.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 16, ALIGNMENT = 16 };

struct onnx_arena_block {
    struct onnx_arena_block *next;
    size_t used, size;
};

void *onnx_new(onnx_arena *arena, size_t count, size_t size)
{
    size_t header = (sizeof(struct onnx_arena_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct onnx_arena_block *block = arena->blocks;
    if (!block || block->size - block->used < bytes) {
        size_t capacity = bytes > BLOCK_BYTES / 4 ? bytes : BLOCK_BYTES;
        struct onnx_arena_block *fresh = pop_memory_resize(NULL, 1, header + capacity);
        fresh->used = 0;
        fresh->size = capacity;
        if (block && capacity == bytes) { /* a large object leaves the block with space where it is */
            fresh->next = block->next;
            block->next = fresh;
        } else {
            fresh->next = block;
            arena->blocks = fresh;
        }
        block = fresh;
    }
    char *place = (char *)block + header + block->used;
    block->used += bytes;
    return memset(place, 0, bytes);
}

void *onnx_keep(onnx_arena *arena, const void *data, size_t count, size_t size)
{
    void *copy = onnx_new(arena, count, size);
    return count && size ? memcpy(copy, data, count * size) : copy;
}

char *onnx_keep_text(onnx_arena *arena, const char *text)
{
    return onnx_keep(arena, text ? text : "", text ? strlen(text) + 1 : 1, 1);
}

void onnx_arena_free(onnx_arena *arena)
{
    struct onnx_arena_block *next;
    for (struct onnx_arena_block *block = arena->blocks; block; block = next) {
        next = block->next;
        pop_memory_free(block);
    }
    arena->blocks = NULL;
}
