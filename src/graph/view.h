/* SPDX-License-Identifier: Apache-2.0 */
/* What a tensor is made of, for the parts of the library that need to know: strided pieces and contiguous runs of
 * variables, enumerated in the order of the flattened tensor and never stored per element; and kept views, which
 * outlive temporary nodes. */
#ifndef GRAPH_VIEW_H
#define GRAPH_VIEW_H

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

/* A piece that is kept; view_piece (graph/piece_shapes.h) makes a struct piece of it. */
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

/* Nodes (concatenations, reshapes that strides cannot express, views too wide for the value): owned by the store. */
struct tensor_nodes;

/* view_keep.c: kept views: the pieces of a tensor, one block of memory for each view, on the store's list. */

/* t must be valid. */
const struct view *view_keep(pop_tensor t);
/* NULL, and *run, when t (which must have elements) is one run: nothing is kept then. */
const struct view *view_keep_unless_run(pop_tensor t, struct run *run);
bool view_single_run(const struct view *view, struct run *run);

/* view_runs.c: enumeration of a tensor: strided pieces and maximal runs, in flat order. */

/* Pieces of a view over a composite in flat order, neighbours joined. */
bool walk_joined(pop_store *store, const struct piece *flat, piece_fn fn, void *context);
/* Strided pieces of t in flat order; as few as its structure gives (one for nearly all views). */
bool tensor_each_piece(pop_tensor t, piece_fn fn, void *context);
/* Maximal contiguous runs of t in flat order: neighbours that continue each other are merged. */
bool tensor_each_run(pop_tensor t, run_fn fn, void *context);
/* Runs for a function that stops after few; tensor_each_run refuses, with an error in the graph, to visit more than
 * 2^26.
 */
bool tensor_first_runs(pop_tensor t, run_fn fn, void *context);
/* Runs of the flat elements [begin, end) of t, in time that does not depend on what is before begin. */
bool tensor_each_run_in(pop_tensor t, uint64_t begin, uint64_t end, run_fn fn, void *context);
/* Adds a piece's runs to a count; false, with an error, when there are more than 2^26. */
bool runs_count(pop_store *store, const struct piece *piece, uint64_t *runs);
/* True, and *run, when t is one run (or empty: count 0).  No allocation, a few ns. */
bool tensor_single_run(pop_tensor t, struct run *run);
/* Maximal runs of one piece, and of a kept view in flat order. */
bool piece_each_run(const struct piece *piece, run_fn fn, void *context);
bool view_each_run(const struct view *view, run_fn fn, void *context);

/* view_cache.c: cache of the pieces of recently enumerated views. */

/* Calls fn for each strided piece of a view; keeps the pieces for the next call on it. */
bool view_each_piece(pop_store *store, const struct piece *flat, piece_fn fn, void *context);
/* Pieces of elements [begin, end) of any view in flat order; neighbours may not be joined. */
bool view_each_piece_in(pop_store *store, const struct piece *flat, uint64_t begin, uint64_t end, piece_fn fn,
                        void *context);
/* Gives back the memory of walks that are kept for the next one over the same tensor. */
void view_cache_free(pop_store *store);

#endif
