/* SPDX-License-Identifier: Apache-2.0 */
/* Regions and their distribution, indices, and utilities for tensors. */
#ifndef POPUTIL_UTIL_H
#define POPUTIL_UTIL_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <poplar/quarter.h>

/* No limit for the elements of a partition or region. */
#define POPUTIL_NO_LIMIT ((unsigned)-1)

/* Partitions of lists of intervals, owned by the receiver; {0} has none. Partition i consists of the lists first[i]
 * to first[i + 1] - 1 of regions. */
typedef struct poputil_partitions {
    size_t count;               /* number of partitions */
    size_t *first;              /* count + 1 positions in the lists of regions */
    pop_interval_lists regions; /* the lists of all partitions, one after another */
} poputil_partitions;

POP_BEGIN_DECLS

/* ---- regions ---- */

/* Sorts intervals, joins those that touch or overlap, and removes empty ones, in place. Returns the remaining
 * number. */
POP_API size_t poputil_merge_adjacent_regions(pop_interval *regions, size_t count);
/* poputil_merge_adjacent_regions for each list. */
POP_API void poputil_merge_adjacent_regions_lists(pop_interval_lists *lists);

/* Divides regions into at most max_partitions partitions, as evenly as whole grains allow: partition i of n gets
 * grains [i G / n, (i + 1) G / n) of the G grains of all regions together, in their order. The number is reduced so
 * that each has at least min_elements_per_partition, and increased, even beyond max_partitions, so that none has
 * more than max_elements_per_partition. No region has more than max_elements_per_region. Empty regions give no
 * partitions. A grain of 0 counts as 1. The caller frees partitions. */
POP_API void poputil_split_regions(pop_interval_list regions, unsigned grain_size, unsigned max_partitions,
                                   unsigned min_elements_per_partition, unsigned max_elements_per_partition,
                                   unsigned max_elements_per_region, pop_interval_lists *partitions);
/* Divides lists of regions as poputil_split_regions does regions, when each list is one contiguous region in memory (as
 * from pop_graph_get_sorted_contiguous_regions): the lists of a partition are parts of the given lists, and
 * max_elements_per_region limits each list. */
POP_API void poputil_split_regions_lists(const pop_interval_lists *regions, unsigned grain_size,
                                         unsigned max_partitions, unsigned min_elements_per_partition,
                                         unsigned max_elements_per_partition, unsigned max_elements_per_region,
                                         poputil_partitions *partitions);
/* For the workers of a tile: one partition each, or a multiple of that when max_elements_per_partition requires
 * more. */
POP_API void poputil_split_regions_between_workers(const pop_target *target, pop_interval_list regions,
                                                   unsigned grain_size, unsigned min_elements_per_partition,
                                                   unsigned max_elements_per_partition,
                                                   unsigned max_elements_per_region, pop_interval_lists *partitions);
/* Lists of regions for the workers of a tile, as poputil_split_regions_lists. */
POP_API void poputil_split_regions_lists_between_workers(const pop_target *target, const pop_interval_lists *regions,
                                                         unsigned grain_size, unsigned min_elements_per_partition,
                                                         unsigned max_elements_per_partition,
                                                         unsigned max_elements_per_region,
                                                         poputil_partitions *partitions);
POP_API void poputil_partitions_free(poputil_partitions *partitions); /* Frees partitions and makes them empty. */

/* Total number of elements in intervals. */
POP_API size_t poputil_interval_sequence_num_elements(pop_interval_list intervals);
/* Total number of elements in all lists. */
POP_API size_t poputil_interval_sequence_num_elements_lists(const pop_interval_lists *lists);

/* ---- indices ---- */

/* The row-major index of an element in the flattened tensor, and the inverse: indices must have shape.rank entries. */
POP_API size_t poputil_flatten_index(pop_shape shape, pop_shape indices);
/* The indices of an element of the flattened tensor; indices receives shape.rank entries. */
POP_API void poputil_unflatten_index(pop_shape shape, size_t index, size_t *indices);
/* Divides [0, range) into count parts whose sizes differ by at most one, larger ones first: 11 in 4 is 3, 3, 3, 2.
 * sizes must have count entries. */
POP_API void poputil_balanced_partition(size_t range, size_t count, size_t *sizes);

/* ---- tensors ---- */

#define poputil_duplicate(...) poputil_duplicate_at(POP_HERE, __VA_ARGS__)
/* Returns a clone and adds a copy of t's values to a sequence. */
POP_API pop_tensor poputil_duplicate_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence,
                                        pop_clone_method method, const char *name);
#define poputil_clone_n(...) poputil_clone_n_at(POP_HERE, __VA_ARGS__)
/* Returns n clones, as a new outer dimension of n. */
POP_API pop_tensor poputil_clone_n_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned n,
                                      pop_clone_method method, const char *name);

/* Metadata elements of 8-bit floats (poplar/metadata.h), of shape {1} instead of {}. */
#define poputil_create_constant_metadata_tensor(...) poputil_create_constant_metadata_tensor_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor poputil_create_constant_metadata_tensor_at(pop_where where, pop_graph *graph,
                                                              pop_quarter_format format, int scale);
#define poputil_create_variable_metadata_tensor(...) poputil_create_variable_metadata_tensor_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor poputil_create_variable_metadata_tensor_at(pop_where where, pop_graph *graph,
                                                              pop_quarter_format format, int scale);

/* ---- numbers ---- */

/* Whether a cast from FLOAT to HALF preserves a value: the result is finite and the error below tolerance times the
 * value's size, so never for 0. The value is rounded to FLOAT first. Always true for other types. */
POP_API bool poputil_check_accuracy_when_cast(const pop_target *target, double input, pop_type input_type,
                                              pop_type output_type, double tolerance);
/* The half nearest to a value (infinity above the largest). */
POP_API double poputil_cast_to_device_half_value(const pop_target *target, double input);

POP_END_DECLS
#endif
