/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors as strided pieces and contiguous runs of variables, enumerated in the order of the flattened tensor. */
#ifndef GRAPH_VIEW_VIEW_H
#define GRAPH_VIEW_VIEW_H

#include "graph/store/store.h"

struct composite;
struct wide;
struct recent_walk;

/* view_keep.c: kept views: the pieces of a tensor, one block of memory for each view, on the store's list. */

/* t must be valid. */
const struct view *view_keep(pop_tensor t);
/* NULL, and *run, when t (which must have elements) is one run: nothing is kept then. */
const struct view *view_keep_unless_run(pop_tensor t, struct run *run);
bool view_single_run(const struct view *view, struct run *run);

/* view_runs.c: enumeration of a tensor: strided pieces and maximal runs, in flat order. */

/* Strided pieces of t in flat order; as few as its structure gives (one for nearly all views). */
bool tensor_each_piece(pop_tensor t, piece_fn fn, void *context);
/* Walks over t so that its pieces are kept (recent_walks.c), for who asks for so many parts of it next. */
void tensor_keep_walk(pop_tensor t, size_t parts);
/* Pieces of elements [begin, end) of a view in flat order; neighbours may not be joined. */
bool view_each_piece_in(pop_store *store, const struct piece *flat, uint64_t begin, uint64_t end, piece_fn fn,
                        void *context);
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

/* Debug name of the variable that t begins with, "" when it has none. */
const char *tensor_debug_name(pop_tensor t);

/* tensor_nodes.c: nodes of the store: composites, wide views and additions to composites, in the order in which
 * they were made. */
struct composite *composite_of(const pop_store *store, uint32_t source);
/* Adds strided elements of a source (piece->variable) to the end, merged with the last child where they continue it. */
void composite_add(pop_store *store, struct composite *composite, const struct piece *piece);
/* Frees a composite that the store does not have. */
void composite_free(pop_store *store, struct composite *composite);
/* Transfers a composite to the store; returns its source. */
uint32_t composite_keep(pop_store *store, struct composite *composite);
/* Removes a composite that was made in the same call, unless another node refers to it. */
void composite_drop_unused(pop_store *store, uint32_t source);
/* Call before adding to a stored composite, so that a release can undo the addition. */
void composite_open(pop_store *store, uint32_t source);
/* All variables of a source are between these. */
void source_bounds(const pop_store *store, uint32_t source, uint32_t *low, uint32_t *high);
/* The child that holds an element. */
size_t composite_find(struct composite *composite, uint64_t element);
struct wide *wide_keep(pop_store *store, uint32_t source, unsigned digits);
struct tensor_nodes *tensor_nodes_create(void);
void tensor_nodes_destroy(struct tensor_nodes *nodes);
/* Undoes one pop_tensor_retain; false when t was not retained, or needs no node. */
bool tensor_nodes_let_go(const pop_tensor *t);
size_t tensor_nodes_count(const struct tensor_nodes *nodes);
size_t tensor_nodes_mark(const struct tensor_nodes *nodes);
/* Nodes that a retained value needs stay. */
void tensor_nodes_release(struct tensor_nodes *nodes, size_t mark);

/* recent_walks.c: pieces of the views that were walked over lately: an operation asks about the same tensors several
 * times (regions, tiles, then what it keeps of them), and a walk takes longer than reading its pieces again. */

/* Walks of fewer pieces are not kept: they are quick. */
enum { RECENT_WALK_MIN = 128 };
/* The walk over a view of a composite; NULL: not known. */
struct recent_walk *recent_walk_find(pop_store *store, const struct piece *flat);
bool recent_walk_each_piece(struct recent_walk *walk, piece_fn fn, void *context);
/* Strided pieces of elements [begin, end), of which there are some. */
bool recent_walk_each_piece_in(pop_store *store, struct recent_walk *walk, uint64_t begin, uint64_t end, piece_fn fn,
                               void *context);
/* Begins a walk that replaces the oldest one; NULL when all of them are being walked over. */
struct recent_walk *recent_walk_begin(pop_store *store, const struct piece *flat);
void recent_walk_add(struct recent_walk *walk, const struct piece *piece);
/* The walk is kept if it is whole and neither small nor large. */
void recent_walk_end(pop_store *store, struct recent_walk *walk, bool whole);
void recent_walks_free(struct recent_walks *walks);

#endif
