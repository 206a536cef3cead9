/* SPDX-License-Identifier: Apache-2.0 */
/* storage: where each used variable lies in the host's storage block.
 * In: variable_use.  Out: storage, image->storage_bytes.  Errors: more bytes than an address has. */
#include "compiler/common/compiler.h"

bool pass_storage(struct compiler *c)
{
    const pop_store *store = c->store;
    c->storage = mem_alloc(store->variables.count * sizeof(*c->storage));
    uint64_t at = STORAGE_PADDING; /* what empty edges point at */
    for (uint32_t v = 0; v < store->variables.count; ++v) {
        c->storage[v] = NO_STORAGE;
        if (!c->variable_use[v])
            continue;
        uint64_t bytes;
        if (__builtin_mul_overflow(store->variables.data[v].elements, variable_element_bytes(c, v), &bytes) ||
            bytes > UINT64_MAX / 4 - at)
            return compiler_fail(c, POP_GRAPH_MEMORY_ALLOCATION_ERROR, store->variables.data[v].where,
                                 variable_name(c, v),
                                 "variable '%s' of %llu elements is larger than an address can reach",
                                 variable_name(c, v), (unsigned long long)store->variables.data[v].elements);
        c->storage[v] = at;
        at = align_up(at + bytes + STORAGE_PADDING, STORAGE_ALIGNMENT);
    }
    c->image->storage_bytes = at;
    return true;
}
