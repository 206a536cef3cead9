/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcast of tensors to each other's shape by NumPy's rules: missing outer dimensions are 1, and a dimension of 1
 * is repeated. The results are views: nothing is copied. Shapes that do not match are a poplar_error in the graph of
 * the first tensor that has one, and the tensors stay unchanged. */
#ifndef POPUTIL_BROADCAST_H
#define POPUTIL_BROADCAST_H

#include <poplar/graph.h>

POP_BEGIN_DECLS

#define poputil_expand_to_match_ranks(...) poputil_expand_to_match_ranks_at(POP_HERE, __VA_ARGS__)
/* Adds outer dimensions of 1 to the tensor of lower rank. */
POP_API void poputil_expand_to_match_ranks_at(pop_where where, pop_tensor *a, pop_tensor *b);
#define poputil_broadcast_to_match_shape(...) poputil_broadcast_to_match_shape_at(POP_HERE, __VA_ARGS__)
/* Broadcasts *a to a shape that is at least as large in each dimension. Returns false and leaves *a unchanged when
 * it does not match. */
POP_API bool poputil_broadcast_to_match_shape_at(pop_where where, pop_tensor *a, pop_shape shape);
#define poputil_broadcast_to_match(...) poputil_broadcast_to_match_at(POP_HERE, __VA_ARGS__)
/* Broadcasts both, or all three, to the maximum of each dimension. Returns false when shapes do not match. */
POP_API bool poputil_broadcast_to_match_at(pop_where where, pop_tensor *a, pop_tensor *b);
/* Broadcasts all three to the maximum of each dimension. Returns false when shapes do not match. */
#define poputil_broadcast_to_match_three(...) poputil_broadcast_to_match_three_at(POP_HERE, __VA_ARGS__)
POP_API bool poputil_broadcast_to_match_three_at(pop_where where, pop_tensor *a, pop_tensor *b, pop_tensor *c);
/* Whether poputil_broadcast_to_match would succeed; records no error. */
POP_API bool poputil_can_broadcast_to_match(pop_tensor a, pop_tensor b);

POP_END_DECLS
#endif
