/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of kept pieces: views of a graph have millions of pieces that differ in variable and offset alone. */
#ifndef GRAPH_STORE_PIECE_SHAPES_H
#define GRAPH_STORE_PIECE_SHAPES_H

#include "graph/store/piece.h"

struct piece_shape {
    uint64_t elements;
    uint64_t offset; /* of all its pieces: the bits above the lowest 32 */
    uint32_t digits;
    const struct digit *digit; /* in the arena */
};
struct piece_shapes {
    VEC(struct piece_shape) list; /* all different */
    uint32_t *slots;              /* open-addressing hash table: index of list + 1, or 0 for free */
    size_t slot_count;            /* a power of two */
    size_t last;                  /* the latest: pieces that follow each other mostly have one */
    struct arena digits;
};

/* Index of the shape of a piece, which is added if it is new. */
uint32_t piece_shapes_add(struct piece_shapes *shapes, const struct piece *piece);
void piece_shapes_free(struct piece_shapes *shapes);

static inline struct piece view_piece(const struct view *view, size_t index)
{
    const struct kept_piece *kept = &view->pieces[index];
    const struct piece_shape *shape = &view->shapes->list.data[kept->shape];
    return (struct piece){ kept->variable, shape->digits, shape->offset + kept->offset, shape->elements, shape->digit };
}

#endif
