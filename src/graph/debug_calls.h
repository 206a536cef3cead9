/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of libraries that built parts of a graph, with their arguments: what debug.cbor says of the libraries' layers. */
#ifndef GRAPH_DEBUG_CALLS_H
#define GRAPH_DEBUG_CALLS_H

#include "base/vec.h"

#include <poplar/debug.h>

/* words[first, first + count) holds the values: TENSOR, TENSORS: for each its type, its rank, its dimensions; SHAPE: the dimensions; TYPE: the type;
 * TEXT: an interned name; OPTIONS: pairs of interned names; others: the bits.  next: index + 1 of the call's next argument or result, 0 for none. */
struct debug_value {
    const char *name;
    uint8_t kind; /* enum pop_debug_kind */
    uint32_t count, next;
    uint64_t first;
};

struct debug_call {
    uint32_t id, parent; /* contexts */
    const char *layer, *api;
    uint32_t name;  /* interned */
    uint32_t where; /* index of store->wheres */
    uint32_t arguments, results; /* index + 1 of values, 0 for none */
};

struct debug_calls {
    VEC(struct debug_call) calls; /* ids ascend */
    VEC(struct debug_value) values;
    VEC(uint64_t) words;
};

/* The contexts of what a graph holds: that of variable i is variables + i, and so on.  0: not numbered yet. */
struct debug_contexts { uint64_t variables, sets, programs; };

/* count ids in a row; returns the first. */
uint64_t debug_new_ids(uint64_t count);
void debug_calls_free(struct debug_calls *calls);

#endif
