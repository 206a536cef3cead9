/* SPDX-License-Identifier: Apache-2.0 */
/* Enumeration of a tensor: strided pieces and maximal runs, in flat order. */
#ifndef GRAPH_VIEW_RUNS_H
#define GRAPH_VIEW_RUNS_H

#include "graph/tensor.h"
#include "graph/view.h"

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
/* Variables that t names, each once, in first-met order; *list is malloc'ed. */
size_t tensor_variables(pop_tensor t, uint32_t **list);
/* Maximal runs of one piece, and of a kept view in flat order. */
bool piece_each_run(const struct piece *piece, run_fn fn, void *context);
bool view_each_run(const struct view *view, run_fn fn, void *context);

#endif
