/* SPDX-License-Identifier: Apache-2.0 */
/* Padding: views of a tensor with elements added (or, for negative padding, removed) on both sides of its
 * dimensions. */
#ifndef POPOPS_PAD_H
#define POPOPS_PAD_H

#include <poplar/graph.h>

/* The values of padding elements. */
typedef enum popops_padding_type {
    POPOPS_PADDING_EDGE = 0, /* the outermost element, repeated */
    POPOPS_PADDING_REFLECT,  /* the elements inside of the outermost one, mirrored: at most extent - 1 of them */
    POPOPS_PADDING_CONSTANT  /* zeros */
} popops_padding_type;
/* Where the elements of a constant padding are mapped. */
typedef enum popops_padding_mapping {
    POPOPS_PADDING_MAPPING_NONE = 0, /* not mapped: the caller does it */
    POPOPS_PADDING_MAPPING_ZERO,     /* on tile 0 */
    POPOPS_PADDING_MAPPING_EDGE      /* to the tile of the nearest element of the tensor */
} popops_padding_mapping;

/* The number of elements added before and after each dimension; one entry for each dimension. */
typedef struct popops_paddings {
    size_t count;          /* number of dimensions */
    const ptrdiff_t *list; /* elements for each dimension; a negative number removes some */
} popops_paddings;
/* Paddings, for an argument or an initialiser: POPOPS_PADDINGS(0, 1). */
#define POPOPS_PADDINGS(...)                                                                                           \
    ((popops_paddings){ sizeof((const ptrdiff_t[]){ 0, __VA_ARGS__ }) / sizeof(ptrdiff_t) - 1,                         \
                        (const ptrdiff_t[]){ 0, __VA_ARGS__ } + 1 })

POP_BEGIN_DECLS

/* All calls return a view of t and of new constants; no program is added.  poplar_error if the number of paddings is
 * not the rank, and if more elements are removed than there are. */
#define popops_pad(...) popops_pad_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_pad_at(pop_where where, pop_graph *graph, pop_tensor t, popops_paddings lower,
                                 popops_paddings upper, double value, popops_padding_mapping mapping);
#define popops_pad_tensor(...) popops_pad_tensor_at(POP_HERE, __VA_ARGS__)
/* Pads with the element of a tensor of t's type, whose mapping does not change. */
POP_API pop_tensor popops_pad_tensor_at(pop_where where, pop_graph *graph, pop_tensor t, popops_paddings lower,
                                        popops_paddings upper, pop_tensor value, popops_padding_mapping mapping);
#define popops_pad_dim(...) popops_pad_dim_at(POP_HERE, __VA_ARGS__)
/* Pads one dimension with a number. */
POP_API pop_tensor popops_pad_dim_at(pop_where where, pop_graph *graph, pop_tensor t, ptrdiff_t lower, ptrdiff_t upper,
                                     unsigned dim, double value, popops_padding_mapping mapping);
#define popops_pad_dim_tensor(...) popops_pad_dim_tensor_at(POP_HERE, __VA_ARGS__)
/* Pads one dimension with the element of a tensor. */
POP_API pop_tensor popops_pad_dim_tensor_at(pop_where where, pop_graph *graph, pop_tensor t, ptrdiff_t lower,
                                            ptrdiff_t upper, unsigned dim, pop_tensor value,
                                            popops_padding_mapping mapping);
#define popops_pad_with(...) popops_pad_with_at(POP_HERE, __VA_ARGS__)
/* Pads with elements of t itself (EDGE, REFLECT).  poplar_error for CONSTANT, and for EDGE of a dimension of extent
 * 0. */
POP_API pop_tensor popops_pad_with_at(pop_where where, pop_tensor t, popops_paddings lower, popops_paddings upper,
                                      popops_padding_type type);
#define popops_pad_dim_with(...) popops_pad_dim_with_at(POP_HERE, __VA_ARGS__)
/* Pads one dimension with elements of t itself. */
POP_API pop_tensor popops_pad_dim_with_at(pop_where where, pop_tensor t, ptrdiff_t lower, ptrdiff_t upper, unsigned dim,
                                          popops_padding_type type);

POP_END_DECLS
#endif
