/* SPDX-License-Identifier: Apache-2.0 */
/* Cache of the pieces of recently enumerated views. */
#ifndef GRAPH_VIEW_CACHE_H
#define GRAPH_VIEW_CACHE_H

#include "graph/tensor.h"
#include "graph/view.h"

/* Calls fn for each strided piece of a view; keeps the pieces for the next call on it. */
bool view_each_piece(pop_store *store, const struct piece *flat, piece_fn fn, void *context);
/* Pieces of elements [begin, end) of any view in flat order; neighbours may not be joined. */
bool view_each_piece_in(pop_store *store, const struct piece *flat, uint64_t begin, uint64_t end, piece_fn fn,
                        void *context);
/* Gives back the memory of walks that are kept for the next one over the same tensor. */
void view_cache_free(pop_store *store);

#endif
