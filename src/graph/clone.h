/* SPDX-License-Identifier: Apache-2.0 */
/* Where the elements of a clone lie in its new variable. */
#ifndef GRAPH_CLONE_H
#define GRAPH_CLONE_H

#include "graph/tensor.h"

struct layout {
    VEC(struct piece) pieces; /* of the new variable, in the flat order of the tensor; their digits follow each other in digits */
    VEC(struct digit) digits;
    struct tile_map map;
    uint64_t elements; /* of the new variable */
};

/* Each element of t (aliases too) is a new one, in row-major order. */
void layout_row_major(struct layout *layout, pop_tensor t);
/* The elements in the order in which they lie in memory, each once; by_tile: all of one tile together. */
void layout_in_memory_order(struct layout *layout, pop_tensor t, bool by_tile);
/* n copies of it in one variable, such that the copies of each contiguous region of a tile stand together. */
void layout_repeat_regions(struct layout *layout, size_t n);
void layout_free(struct layout *layout);

#endif
