/* SPDX-License-Identifier: Apache-2.0 */
/* What a tensor is made of: strided pieces and contiguous runs of variables, never stored per element; and kept views,
 * which outlive temporary nodes. */
#ifndef GRAPH_STORE_PIECE_H
#define GRAPH_STORE_PIECE_H

#include "base/vec.h"

#include <poplar/tensor.h>

struct digit {
    uint64_t extent;
    int64_t stride; /* elements of the variable; 0 repeats, negative reverses */
};

/* Elements of one variable: offset + sum(i_k * digit[k].stride), i_0 outermost; no digits is one element.  Digits are
 * normal: no extent is 1 (or 0), and neighbours that could be one digit are one. */
struct piece {
    uint32_t variable;
    uint32_t digits;
    uint64_t offset;
    uint64_t elements;
    const struct digit *digit; /* valid for the call, or as long as the kept view */
};
struct run {
    uint32_t variable;
    uint64_t offset, count; /* elements */
};

/* A callback that returns false ends the enumeration; the functions return false when it was ended. */
typedef bool (*piece_fn)(const struct piece *piece, void *context);
typedef bool (*run_fn)(const struct run *run, void *context);

/* A piece that is kept; view_piece (graph/store/piece_shapes.h) makes a struct piece of it. */
struct kept_piece {
    uint32_t variable;
    uint32_t offset; /* low bits */
    uint32_t shape;  /* its digits and high bits: index of the store's shapes */
};
struct piece_shapes;

/* A view that keeps its own pieces: vertices, programs, handles hold these.  Belongs to the store, lives as long as it.
 */
struct view {
    uint8_t type; /* pop_type */
    uint8_t rank;
    uint32_t piece_count;
    uint64_t elements;
    const struct kept_piece *pieces;
    const struct piece_shapes *shapes;
    const uint64_t *shape; /* rank entries */
    struct view *next;     /* of the store's list */
};

static inline bool digits_equal(const struct digit *a, const struct digit *b, unsigned count)
{
    for (unsigned i = 0; i < count; ++i)
        if (a[i].extent != b[i].extent || a[i].stride != b[i].stride)
            return false;
    return true;
}

/* Nodes (concatenations, reshapes that strides cannot express, views too wide for the value): owned by the store. */
struct tensor_nodes;

#endif
