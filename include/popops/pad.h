/* SPDX-License-Identifier: Apache-2.0 */
/* Padding: views of a tensor with more (or, for negative padding, less) on both sides of its dimensions. */
#ifndef POPOPS_PAD_H
#define POPOPS_PAD_H

#include <poplar/graph.h>

typedef enum popops_padding_type {
    POPOPS_PADDING_CONSTANT = 0, /* zeros */
    POPOPS_PADDING_EDGE,         /* the outermost element, again and again */
    POPOPS_PADDING_REFLECT       /* what is on the other side of the outermost element: at most extent - 1 of it */
} popops_padding_type;
/* Where a constant's elements are. */
typedef enum popops_padding_mapping {
    POPOPS_PADDING_MAPPING_NONE = 0, /* nowhere: the caller maps them */
    POPOPS_PADDING_MAPPING_ZERO,     /* on tile 0 */
    POPOPS_PADDING_MAPPING_EDGE      /* on the tile of the tensor's element that is nearest */
} popops_padding_mapping;

/* How much is put before and after each dimension; as many as the tensor has dimensions. */
typedef struct popops_paddings {
    size_t count;
    const ptrdiff_t *list;
} popops_paddings;
#define POPOPS_PADDINGS(...)                                                                                           \
    ((popops_paddings){ sizeof((const ptrdiff_t[]){ 0, __VA_ARGS__ }) / sizeof(ptrdiff_t) - 1,                         \
                        (const ptrdiff_t[]){ 0, __VA_ARGS__ } + 1 })

POP_BEGIN_DECLS

/* All give a view of t and of new constants: nothing runs.  poplar_error for as many paddings as are not the rank, and
 * where more is cut off than there is. */
#define popops_pad(...) popops_pad_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_pad_at(pop_where where, pop_graph *graph, pop_tensor t, popops_paddings lower,
                                 popops_paddings upper, double value, popops_padding_mapping mapping);
#define popops_pad_tensor(...) popops_pad_tensor_at(POP_HERE, __VA_ARGS__)
/* With the element of a tensor, of t's type; it stays where it is. */
POP_API pop_tensor popops_pad_tensor_at(pop_where where, pop_graph *graph, pop_tensor t, popops_paddings lower,
                                        popops_paddings upper, pop_tensor value, popops_padding_mapping mapping);
#define popops_pad_dim(...) popops_pad_dim_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_pad_dim_at(pop_where where, pop_graph *graph, pop_tensor t, ptrdiff_t lower, ptrdiff_t upper,
                                     unsigned dim, double value, popops_padding_mapping mapping);
#define popops_pad_dim_tensor(...) popops_pad_dim_tensor_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_pad_dim_tensor_at(pop_where where, pop_graph *graph, pop_tensor t, ptrdiff_t lower,
                                            ptrdiff_t upper, unsigned dim, pop_tensor value,
                                            popops_padding_mapping mapping);
#define popops_pad_with(...) popops_pad_with_at(POP_HERE, __VA_ARGS__)
/* With elements of t itself (EDGE, REFLECT); poplar_error for CONSTANT, and for an edge of a dimension of extent 0. */
POP_API pop_tensor popops_pad_with_at(pop_where where, pop_tensor t, popops_paddings lower, popops_paddings upper,
                                      popops_padding_type type);
#define popops_pad_dim_with(...) popops_pad_dim_with_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_pad_dim_with_at(pop_where where, pop_tensor t, ptrdiff_t lower, ptrdiff_t upper, unsigned dim,
                                          popops_padding_type type);

POP_END_DECLS
#endif
