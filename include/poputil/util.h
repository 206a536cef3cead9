/* SPDX-License-Identifier: Apache-2.0 */
/* Regions and how they are shared out, indices, and small things around tensors. */
#ifndef POPUTIL_UTIL_H
#define POPUTIL_UTIL_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* For the most elements of a partition or region: no limit. */
#define POPUTIL_NO_LIMIT ((unsigned)-1)

/* Partitions of lists of intervals, owned by whoever received them; {0} is none.  Partition i is the lists first[i] up
 * to first[i + 1] of regions. */
typedef struct poputil_partitions {
    size_t count;
    size_t *first;
    pop_interval_lists regions;
} poputil_partitions;

POP_BEGIN_DECLS

/* ---- regions ---- */

/* Sorts intervals, joins those that touch or overlap, and drops empty ones, in place.  Returns how many are left. */
POP_API size_t poputil_merge_adjacent_regions(pop_interval *regions, size_t count);
/* The same in each list. */
POP_API void poputil_merge_adjacent_regions_lists(pop_interval_lists *lists);

/* Shares regions out to at most max_partitions partitions, as evenly as whole grains allow: partition i of n gets the
 * grains [i G / n, (i + 1) G / n) of the G grains of all regions together, in their order.  There are fewer partitions
 * where each would have less than min_elements_per_partition, and more than max_partitions where one would have more
 * than max_elements_per_partition (then that limit counts). No piece has more than max_elements_per_region.  Regions
 * without elements give no partitions.  A grain of 0 is 1.  The caller frees partitions. */
POP_API void poputil_split_regions(pop_interval_list regions, unsigned grain_size, unsigned max_partitions,
                                   unsigned min_elements_per_partition, unsigned max_elements_per_partition,
                                   unsigned max_elements_per_region, pop_interval_lists *partitions);
/* The same where each list is one contiguous region in memory (as pop_graph_get_sorted_contiguous_regions gives them):
 * the lists of a partition are parts of the given lists, max_elements_per_region limits each. */
POP_API void poputil_split_regions_lists(const pop_interval_lists *regions, unsigned grain_size,
                                         unsigned max_partitions, unsigned min_elements_per_partition,
                                         unsigned max_elements_per_partition, unsigned max_elements_per_region,
                                         poputil_partitions *partitions);
/* For the workers of a tile: one partition each, or a multiple of that where max_elements_per_partition wants more. */
POP_API void poputil_split_regions_between_workers(const pop_target *target, pop_interval_list regions,
                                                   unsigned grain_size, unsigned min_elements_per_partition,
                                                   unsigned max_elements_per_partition,
                                                   unsigned max_elements_per_region, pop_interval_lists *partitions);
POP_API void poputil_split_regions_lists_between_workers(const pop_target *target, const pop_interval_lists *regions,
                                                         unsigned grain_size, unsigned min_elements_per_partition,
                                                         unsigned max_elements_per_partition,
                                                         unsigned max_elements_per_region,
                                                         poputil_partitions *partitions);
POP_API void poputil_partitions_free(poputil_partitions *partitions);

/* Elements of all intervals together. */
POP_API size_t poputil_interval_sequence_num_elements(pop_interval_list intervals);
POP_API size_t poputil_interval_sequence_num_elements_lists(const pop_interval_lists *lists);

/* ---- indices ---- */

/* The place of an element in the flattened tensor (row-major), and back: indices has room for shape.rank entries. */
POP_API size_t poputil_flatten_index(pop_shape shape, pop_shape indices);
POP_API void poputil_unflatten_index(pop_shape shape, size_t index, size_t *indices);
/* [0, range) in count parts whose sizes differ by at most one, the larger ones first: 11 in 4 is 3, 3, 3, 2.  sizes has
 * room for count entries. */
POP_API void poputil_balanced_partition(size_t range, size_t count, size_t *sizes);

/* ---- tensors ---- */

#define poputil_duplicate(...) poputil_duplicate_at(POP_HERE, __VA_ARGS__)
/* A clone with a copy of t's values, which is added to a sequence. */
POP_API pop_tensor poputil_duplicate_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence,
                                        pop_clone_method method, const char *name);
#define poputil_clone_n(...) poputil_clone_n_at(POP_HERE, __VA_ARGS__)
/* n clones, with a new outer dimension of n. */
POP_API pop_tensor poputil_clone_n_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned n,
                                      pop_clone_method method, const char *name);

/* ---- numbers ---- */

/* Whether a value of one floating-point type survives the cast to another: finite, and no further away than the
 * tolerance times itself.  Values that are no value of input_type are rounded to it first.  Other types always do. */
POP_API bool poputil_check_accuracy_when_cast(const pop_target *target, double input, pop_type input_type,
                                              pop_type output_type, double tolerance);
/* The half that is nearest to a value (infinity beyond the largest). */
POP_API double poputil_cast_to_device_half_value(const pop_target *target, double input);

POP_END_DECLS
#endif
