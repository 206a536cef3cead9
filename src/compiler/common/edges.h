/* SPDX-License-Identifier: Apache-2.0 */
/* Walking the edges of vertices, and the tiles that a range of a variable lies on. */
#ifndef COMPILER_COMMON_EDGES_H
#define COMPILER_COMMON_EDGES_H

#include "compiler/common/compiler.h"
#include "graph/view_keep.h"

/* Each edge of a vertex, newest first:  for (uint32_t e = vertex->edge; e != NO_EDGE; e = edges[e].next) */

/* Runs of what an edge is connected to, the rows of a list in order; none for state. */
bool edge_each_run(const pop_store *store, const struct edge *edge, run_fn fn, void *context);
/* True, and *run, when a RUN or VIEW edge is one run or empty. */
static inline bool edge_single_run(const pop_store *store, const struct edge *edge, struct run *run)
{
    if (edge->form != EDGE_RUN)
        return view_single_run(store->views.data[edge->variable], run);
    *run = (struct run){ edge->variable, edge_offset(edge), edge->count };
    return true;
}
/* Elements of a RUN or VIEW edge, or of state data. */
static inline uint64_t edge_elements(const pop_store *store, const struct edge *edge)
{
    return edge->form == EDGE_VIEW ? store->views.data[edge->variable]->elements : edge->count;
}

/* First element of [begin, end) that no tile has, or end. */
uint64_t tile_map_gap(const struct tile_map *map, uint64_t begin, uint64_t end);

/* Vertices of a set tile by tile: while (tile_walk_next(&walk)) for each group g of the set, vertices
 * order->vertices[walk.first[g] .. walk.last[g]). */
struct tile_walk {
    const struct order_result *order;
    const struct used_set *set;
    uint32_t tile;
    uint64_t *first, *last; /* by group of the set */
    size_t *span;           /* the same: its next one */
};
void tile_walk_begin(struct tile_walk *walk, const struct order_result *order, const struct used_set *set);
bool tile_walk_next(struct tile_walk *walk);
void tile_walk_end(struct tile_walk *walk);

#endif
