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

/* Strided pieces of t in flat order; as few as its structure gives (one for nearly all views). */
bool tensor_each_piece(pop_tensor t, piece_fn fn, void *context);
/* Maximal contiguous runs of t in flat order: neighbours that continue each other are merged. */
bool tensor_each_run(pop_tensor t, run_fn fn, void *context);
/* The same for who stops after few: tensor_each_run refuses, with an error in the graph, to go through more than 2^24
 * runs. */
bool tensor_first_runs(pop_tensor t, run_fn fn, void *context);
/* The same for flat elements [begin, end) of t, in time that does not depend on what lies before begin. */
bool tensor_each_run_in(pop_tensor t, uint64_t begin, uint64_t end, run_fn fn, void *context);
/* True, and *run, when t is one run (or empty: count 0).  No allocation, a few ns. */
bool tensor_single_run(pop_tensor t, struct run *run);
/* Variables that t names, each once, in first-met order; *list is malloc'ed. */
size_t tensor_variables(pop_tensor t, uint32_t **list);

/* A view that keeps its own pieces: vertices, programs, handles hold these.  Belongs to the store, lives as long as it.
 */
struct view {
    uint8_t type; /* pop_type */
    uint8_t rank;
    uint32_t piece_count;
    uint64_t elements;
    const struct piece *pieces;
    const uint64_t *shape; /* rank entries */
    struct view *next;     /* of the store's list */
};
/* t must be valid. */
const struct view *view_keep(pop_tensor t);
bool view_each_run(const struct view *view, run_fn fn, void *context); /* maximal, in flat order */
bool view_single_run(const struct view *view, struct run *run);

/* Runs of a piece list, for edges that keep pieces by themselves. */
bool pieces_each_run(const struct piece *pieces, size_t count, run_fn fn, void *context);

/* The whole of a variable as a tensor of a shape; used by the graph when it adds a variable. */
pop_tensor tensor_of_variable(pop_store *store, uint32_t variable, pop_type type, const size_t *shape, size_t rank,
                              uint64_t offset);

/* Gives back the memory of walks that are kept for the next one over the same tensor. */
void view_cache_free(pop_store *store);

/* Nodes (concatenations, reshapes that strides cannot express, views too wide for the value): owned by the store. */
struct tensor_nodes;
struct tensor_nodes *tensor_nodes_create(void);
void tensor_nodes_destroy(struct tensor_nodes *nodes);
size_t tensor_nodes_count(const struct tensor_nodes *nodes);
size_t tensor_nodes_mark(const struct tensor_nodes *nodes);
/* Nodes that a retained value needs stay. */
void tensor_nodes_release(struct tensor_nodes *nodes, size_t mark);

#endif
