/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of tensors in memory, and tensors with contiguous partitions. */
#ifndef POPUTIL_VAR_STRUCTURE_H
#define POPUTIL_VAR_STRUCTURE_H

#include <poplar/graph.h>

/* The number of contiguous elements of a dimension. */
typedef struct poputil_dim_grouping {
    unsigned dim, size; /* the dimension, and the number of its elements that are contiguous */
} poputil_dim_grouping;

POP_BEGIN_DECLS

#define poputil_detect_innermost_grouping(...) poputil_detect_innermost_grouping_at(POP_HERE, __VA_ARGS__)
/* The largest divisor g of the innermost dimension such that each group of g of its elements is contiguous in memory
 * and, if mapped, on one tile. 1 for a tensor without elements; poplar_error for rank 0. */
POP_API unsigned poputil_detect_innermost_grouping_at(pop_where where, pop_graph *graph, pop_tensor t);
#define poputil_detect_dim_groupings(...) poputil_detect_dim_groupings_at(POP_HERE, __VA_ARGS__)
/* The order of dimensions in memory, from the innermost outwards, with the number of contiguous elements of each:
 * {4, 6} in row-major order gives (1, 6), (0, 4). Writes at most capacity groupings, returns their total number. */
POP_API size_t poputil_detect_dim_groupings_at(pop_where where, pop_graph *graph, pop_tensor t,
                                               poputil_dim_grouping *groupings, size_t capacity);
#define poputil_detect_first_dim_grouping(...) poputil_detect_first_dim_grouping_at(POP_HERE, __VA_ARGS__)
/* Whether t has a grouping; *grouping is the first one of poputil_detect_dim_groupings. Takes less time than to find
 * all of them. */
POP_API bool poputil_detect_first_dim_grouping_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                  poputil_dim_grouping *grouping);

#define poputil_create_partitionable_tensor(...) poputil_create_partitionable_tensor_at(POP_HERE, __VA_ARGS__)
/* Creates an unmapped tensor in which each partition, as in poputil_iterate_tensor_partitions, is a single
 * contiguous region. partitions has a number for each dimension; poplar_error when one is 0 or their count differs
 * from the rank. */
POP_API pop_tensor poputil_create_partitionable_tensor_at(pop_where where, pop_graph *graph, pop_type type,
                                                          pop_shape shape, pop_shape partitions, const char *name);
/* Receives the index of a partition (a number for each dimension) and its slice; returns false to stop. */
typedef bool (*poputil_partition_visitor)(pop_shape index, pop_tensor slice, void *user);
#define poputil_iterate_tensor_partitions(...) poputil_iterate_tensor_partitions_at(POP_HERE, __VA_ARGS__)
/* Calls visit for each partition in row-major order. A dimension of s in n partitions is split after every ceil(s /
 * n) elements; the last partitions may be smaller or empty. */
POP_API void poputil_iterate_tensor_partitions_at(pop_where where, pop_graph *graph, pop_tensor t, pop_shape partitions,
                                                  poputil_partition_visitor visit, void *user);

POP_END_DECLS
#endif
