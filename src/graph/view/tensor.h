/* SPDX-License-Identifier: Apache-2.0 */
/* Inside tensors: the unpacked form that view calls work on, the composites that concatenation makes, and the walk that
 * turns a view into strided pieces of variables.
 *
 * A view is an offset into a source and digits (extent, stride).  A source is a variable, or a composite: the flat
 * concatenation of children, each of which is again strided elements of a source.  docs/concepts/tensors.md has the
 * picture. */
#ifndef GRAPH_VIEW_TENSOR_H
#define GRAPH_VIEW_TENSOR_H

#include "graph/store/store.h"

/* No view has more digits than this: each has an extent of 2 or more (or is the only one of its dimension), and their
 * product is below 2^63. */
enum { MAX_RANK = 64, MAX_DIGITS = 64 };
#define MAX_ELEMENTS ((uint64_t)INT64_MAX)

/* Bits of pop_tensor.form. */
enum { FORM_WIDE = 1, FORM_EMPTY = 2 };

/* The bit of a source that marks a composite; the rest is its index. */
#define COMPOSITE UINT32_C(0x80000000)

/* What the nodes of a store have in common; tensor_nodes.c keeps them in the order in which they were made. */
struct node {
    struct node *previous, *following;
    size_t serial;
    uint32_t retained; /* values that a caller retained */
    uint32_t users;    /* children of composites and wide views that are of this one */
    uint8_t kind;
    bool waiting;
};

/* A view that does not fit the value. */
struct wide {
    struct node node;
    uint32_t source;
    uint64_t offset;
    uint8_t run[MAX_RANK];
    struct digit digit[];
};

/* Strided elements of a source that is part of a composite: its elements are in the composite from begin on. */
struct node_child {
    uint64_t begin, offset;
    uint32_t source, digits;
    size_t first; /* its digits, outermost first, in the composite's pool */
};
struct addition;
struct composite {
    struct node node;
    VEC(struct node_child) children;
    VEC(struct digit) pool;
    uint64_t total;
    unsigned depth; /* composites below this one */
    uint32_t index;
    uint32_t low, high;         /* variables below it are among these */
    size_t found;               /* cache of the last child found: walks need it again, or the next one */
    uint64_t stamp;             /* unique in the store for a composite and its current children; from 1 */
    uint64_t mapped;            /* the stamp when all of its children were found to be mapped, 0: not known */
    struct addition *additions; /* additions that a release can undo, the latest first */
};

/* A view being worked on. */
struct unpacked {
    pop_store *store;
    uint32_t source;
    uint32_t made; /* a composite of this call's own, 0 when there is none */
    uint8_t type;
    unsigned rank, digits;
    uint64_t offset;
    uint8_t run[MAX_RANK];
    struct digit digit[MAX_DIGITS + 2];
};

/* A view as flat strided elements of its source: piece.variable is the source. */
struct flat {
    struct piece piece;
    struct digit digit[MAX_DIGITS + 2];
};

static inline uint64_t composite_end(const struct composite *composite, size_t child)
{
    return child + 1 < composite->children.count ? composite->children.data[child + 1].begin : composite->total;
}

/* ---- view_walk.c ---- */
/* A view of a child's elements, as digits of the child's source; owner says which digit of the view each comes from. */
struct composed {
    uint64_t offset;
    unsigned digits;
    struct digit digit[MAX_DIGITS + 2];
    uint8_t owner[MAX_DIGITS + 2];
};

#endif
