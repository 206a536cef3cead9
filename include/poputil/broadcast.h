/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors seen in one another's shape, by NumPy's rules: missing outer dimensions are 1, and a dimension of 1 is
 * repeated.  These are views: nothing is copied.  Shapes that do not match are a poplar_error in the graph of the first
 * tensor that has one, and nothing changes. */
#ifndef POPUTIL_BROADCAST_H
#define POPUTIL_BROADCAST_H

#include <poplar/graph.h>

POP_BEGIN_DECLS

#define poputil_expand_to_match_ranks(...) poputil_expand_to_match_ranks_at(POP_HERE, __VA_ARGS__)
/* Gives the tensor of lower rank outer dimensions of 1. */
POP_API void poputil_expand_to_match_ranks_at(pop_where where, pop_tensor *a, pop_tensor *b);
#define poputil_broadcast_to_match_shape(...) poputil_broadcast_to_match_shape_at(POP_HERE, __VA_ARGS__)
/* a in a shape that is at least as large in every dimension.  False, and a as it was, when it does not fit. */
POP_API bool poputil_broadcast_to_match_shape_at(pop_where where, pop_tensor *a, pop_shape shape);
#define poputil_broadcast_to_match(...) poputil_broadcast_to_match_at(POP_HERE, __VA_ARGS__)
/* Both, or all three, in the shape that has the largest of each dimension. */
POP_API bool poputil_broadcast_to_match_at(pop_where where, pop_tensor *a, pop_tensor *b);
#define poputil_broadcast_to_match_three(...) poputil_broadcast_to_match_three_at(POP_HERE, __VA_ARGS__)
POP_API bool poputil_broadcast_to_match_three_at(pop_where where, pop_tensor *a, pop_tensor *b, pop_tensor *c);
/* Whether poputil_broadcast_to_match would do it; no error is recorded. */
POP_API bool poputil_can_broadcast_to_match(pop_tensor a, pop_tensor b);

POP_END_DECLS
#endif
