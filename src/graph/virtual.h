/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual graphs: handles on the same store that number a subset of its tiles from 0. */
#ifndef GRAPH_VIRTUAL_H
#define GRAPH_VIRTUAL_H

#include "graph/build.h"

unsigned graph_num_tiles(const pop_graph *graph);
/* The physical tile of one of the graph's; false and invalid_tile_mapping when it has no such tile. */
bool graph_tile(pop_graph *graph, pop_where where, const char *api, const char *path, unsigned tile,
                uint32_t *physical);

/* A handle that sees these tiles of its parent, num_ipus groups of them; parent_tiles is taken over. */
pop_graph *virtual_create(pop_graph *parent, unsigned *parent_tiles, unsigned num_ipus, unsigned tiles_per_ipu);

#endif
