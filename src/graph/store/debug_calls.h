/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of libraries that built parts of a graph, with their arguments: the libraries' layers of debug.cbor. */
#ifndef GRAPH_STORE_DEBUG_CALLS_H
#define GRAPH_STORE_DEBUG_CALLS_H

#include "base/vec.h"

#include <poplar/debug.h>

/* words[first, first + count) holds the values: TENSOR, TENSORS: for each its type, its rank, its dimensions; SHAPE,
 * DIMS: the numbers; TYPE: the type; TEXT, WRITTEN: an interned text; OPTIONS: pairs of interned texts; others: the
 * bits.  next: index + 1 of the call's next argument or result, 0 for none. */
struct debug_value {
    uint32_t name; /* interned */
    uint8_t kind;  /* enum pop_log_kind */
    uint32_t count, next;
    uint64_t first;
};

struct debug_call {
    uint32_t id, parent; /* contexts */
    const char *layer, *api;
    uint32_t name;               /* interned */
    uint32_t where;              /* index of store->wheres */
    uint32_t arguments, results; /* index + 1 of values, 0 for none */
};

struct debug_calls {
    VEC(struct debug_call) calls; /* ids ascend */
    VEC(struct debug_value) values;
    VEC(uint64_t) words;
};

/* The contexts of what a graph holds: that of variable i is variables + i, and so on.  0: not numbered yet. */
struct debug_contexts {
    uint64_t variables, sets, programs;
};

/* count ids in a row; returns the first. */
uint64_t debug_new_ids(uint64_t count);
/* The name of an argument from its expression: "log_type(out_type)" is out_type.  length: of it. */
const char *debug_argument_name(const char *expression, size_t *length);
void debug_calls_free(struct debug_calls *calls);

void store_number_contexts(pop_store *store);

#endif
