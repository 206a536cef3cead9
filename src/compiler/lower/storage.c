/* SPDX-License-Identifier: Apache-2.0 */
/* storage: where each used variable is in the host's storage block. */
#include "compiler/lower/lower.h"

#include <assert.h>

const struct storage_result *pass_storage(struct compiler *c, const struct check_result *check)
{
    const pop_store *store = c->store;
    struct storage_result *storage = ARENA_NEW(&c->arena, struct storage_result);
    storage->offset = arena_alloc(&c->arena, store->variables.count * sizeof(*storage->offset));
    uint64_t at = STORAGE_PADDING; /* what empty edges point at */
    for (uint32_t v = 0; v < store->variables.count; ++v) {
        storage->offset[v] = NO_STORAGE;
        if (!check->variable_use[v])
            continue;
        uint64_t bytes;
        if (__builtin_mul_overflow(store->variables.data[v].elements, variable_element_bytes(c, v), &bytes) ||
            bytes > IMAGE_BYTES_MAX || at + bytes > IMAGE_BYTES_MAX - 2 * STORAGE_PADDING) {
            compiler_fail(c, POP_GRAPH_MEMORY_ALLOCATION_ERROR, store->variables.data[v].where, variable_name(c, v),
                          "variable '%s' of %llu elements is larger than an address can reach", variable_name(c, v),
                          (unsigned long long)store->variables.data[v].elements);
            return NULL;
        }
        assert(at % STORAGE_ALIGNMENT == 0);
        storage->offset[v] = at;
        at = align_up(at + bytes + STORAGE_PADDING, STORAGE_ALIGNMENT);
    }
    c->image->storage_bytes = at;
    return storage;
}
