/* SPDX-License-Identifier: Apache-2.0 */
/* Indices of elements, sums of intervals, balanced partitions of a range. */
#include <poputil/util.h>

size_t poputil_flatten_index(pop_shape shape, pop_shape indices)
{
    size_t flat = 0;
    for (size_t i = 0; i < shape.rank && i < indices.rank; ++i)
        flat = flat * shape.dims[i] + indices.dims[i];
    return flat;
}

void poputil_unflatten_index(pop_shape shape, size_t index, size_t *indices)
{
    for (size_t i = shape.rank; i-- > 0;) {
        indices[i] = shape.dims[i] ? index % shape.dims[i] : 0;
        index = shape.dims[i] ? index / shape.dims[i] : 0;
    }
}

size_t poputil_interval_sequence_num_elements(pop_interval_list intervals)
{
    size_t elements = 0;
    for (size_t i = 0; i < intervals.count; ++i)
        elements += intervals.list[i].end - intervals.list[i].begin;
    return elements;
}

size_t poputil_interval_sequence_num_elements_lists(const pop_interval_lists *lists)
{
    return lists->count ? poputil_interval_sequence_num_elements(
                              (pop_interval_list){ lists->first[lists->count], lists->intervals })
                        : 0;
}

void poputil_balanced_partition(size_t range, size_t count, size_t *sizes)
{
    for (size_t i = 0; i < count; ++i)
        sizes[i] = range / count + (i < range % count);
}
