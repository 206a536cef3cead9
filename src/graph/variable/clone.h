/* SPDX-License-Identifier: Apache-2.0 */
/* Where the elements of a clone are in its new variable. */
#ifndef GRAPH_VARIABLE_CLONE_H
#define GRAPH_VARIABLE_CLONE_H

#include "graph/view/tensor.h"

struct clone_layout {
    VEC(struct piece)
    pieces; /* of the new variable, in the flat order of the tensor; their digits follow each other in digits */
    VEC(struct digit) digits;
    struct tile_map map;
    uint64_t elements; /* of the new variable */
};

#endif
