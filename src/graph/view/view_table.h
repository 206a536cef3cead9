/* SPDX-License-Identifier: Apache-2.0 */
/* Views over composites whose flat order steps from child to child (transposes, regrouped channels): a walk in flat
 * order would find single elements.  A table says where each element is; it is filled in the order of the composites,
 * many elements at a time, and read in flat order. */
#ifndef GRAPH_VIEW_VIEW_TABLE_H
#define GRAPH_VIEW_VIEW_TABLE_H

#include "graph/view/tensor.h"

/* A table has 8 bytes for each element: no views of more elements than this. */
#define TABLE_ELEMENTS ((uint64_t)1 << 23)

/* Strided pieces of elements [begin, end of the view) in flat order: runs, equal runs at equal steps, and equal
 * rows of those.  False also when the view has no table (*made is false then, and fn was not called). */
bool table_each_piece(pop_store *store, const struct piece *flat, uint64_t begin, piece_fn fn, void *context,
                      bool *made);

#endif
