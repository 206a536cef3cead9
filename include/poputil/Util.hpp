// SPDX-License-Identifier: Apache-2.0
// Regions and their distribution, indices, copies of tensors (poputil/util.h).
#ifndef POPUTIL_UTIL_HPP
#define POPUTIL_UTIL_HPP

#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>
#include <poputil/detail/call.hpp>
#include <poputil/util.h>

#include <algorithm>
#include <climits>
#include <string>
#include <utility>

namespace poputil
{

// ---- regions ----
inline void mergeAdjacentRegions(std::vector<poplar::Interval> &regions)
{
    detail::Intervals c(regions);
    regions.resize(poputil_merge_adjacent_regions(c.list.data(), c.list.size()));
    for (std::size_t i = 0; i < regions.size(); ++i)
        regions[i] = poplar::Interval(c.list[i].begin, c.list[i].end);
}
inline void mergeAdjacentRegions(std::vector<std::vector<poplar::Interval>> &mapping)
{
    for (std::vector<poplar::Interval> &regions : mapping)
        mergeAdjacentRegions(regions);
}

namespace detail
{

inline std::vector<std::vector<std::vector<poplar::Interval>>> takePartitions(poputil_partitions &partitions)
{
    struct Release {
        poputil_partitions *partitions;
        ~Release()
        {
            poputil_partitions_free(partitions);
        }
    } release = { &partitions };
    std::vector<std::vector<poplar::Interval>> lists = poplar::detail::takeLists(partitions.regions);
    std::vector<std::vector<std::vector<poplar::Interval>>> result(partitions.count);
    for (std::size_t i = 0; i < partitions.count; ++i)
        for (std::size_t k = partitions.first[i]; k < partitions.first[i + 1]; ++k)
            result[i].push_back(std::move(lists[k]));
    return result;
}

} // namespace detail

// At most maxPartitions balanced partitions, in whole grains.
inline std::vector<std::vector<poplar::Interval>> splitRegions(const std::vector<poplar::Interval> &regions,
                                                               unsigned grainSize, unsigned maxPartitions,
                                                               unsigned minElementsPerPartition = 0,
                                                               unsigned maxElementsPerPartition = UINT_MAX,
                                                               unsigned maxElementsPerRegion = UINT_MAX)
{
    pop_interval_lists partitions;
    poputil_split_regions(detail::Intervals(regions).c(), grainSize, maxPartitions, minElementsPerPartition,
                          maxElementsPerPartition, maxElementsPerRegion, &partitions);
    return poplar::detail::takeLists(partitions);
}
// Each list is one contiguous region in memory.
inline std::vector<std::vector<std::vector<poplar::Interval>>>
splitRegions(const std::vector<std::vector<poplar::Interval>> &regions, unsigned grainSize, unsigned maxPartitions,
             unsigned minElementsPerPartition = 0, unsigned maxElementsPerPartition = UINT_MAX,
             unsigned maxElementsPerRegion = UINT_MAX)
{
    poplar::detail::IntervalLists lists(regions);
    const pop_interval_lists borrowed = lists.c();
    poputil_partitions partitions;
    poputil_split_regions_lists(&borrowed, grainSize, maxPartitions, minElementsPerPartition, maxElementsPerPartition,
                                maxElementsPerRegion, &partitions);
    return detail::takePartitions(partitions);
}
inline std::vector<std::vector<poplar::Interval>>
splitRegionsBetweenWorkers(const poplar::Target &target, const std::vector<poplar::Interval> &regions,
                           unsigned grainSize, unsigned minElementsPerPartition = 0,
                           unsigned maxElementsPerPartition = UINT_MAX, unsigned maxElementsPerRegion = UINT_MAX)
{
    pop_interval_lists partitions;
    poputil_split_regions_between_workers(&target.c(), detail::Intervals(regions).c(), grainSize,
                                          minElementsPerPartition, maxElementsPerPartition, maxElementsPerRegion,
                                          &partitions);
    return poplar::detail::takeLists(partitions);
}
inline std::vector<std::vector<std::vector<poplar::Interval>>>
splitRegionsBetweenWorkers(const poplar::Target &target, const std::vector<std::vector<poplar::Interval>> &regions,
                           unsigned grainSize, unsigned minElementsPerPartition = 0,
                           unsigned maxElementsPerPartition = UINT_MAX, unsigned maxElementsPerRegion = UINT_MAX)
{
    poplar::detail::IntervalLists lists(regions);
    const pop_interval_lists borrowed = lists.c();
    poputil_partitions partitions;
    poputil_split_regions_lists_between_workers(&target.c(), &borrowed, grainSize, minElementsPerPartition,
                                                maxElementsPerPartition, maxElementsPerRegion, &partitions);
    return detail::takePartitions(partitions);
}
inline std::size_t intervalSequenceNumElements(const std::vector<poplar::Interval> &intervals)
{
    return poputil_interval_sequence_num_elements(detail::Intervals(intervals).c());
}
inline std::size_t intervalSequenceNumElements(const std::vector<std::vector<poplar::Interval>> &lists)
{
    std::size_t elements = 0;
    for (const std::vector<poplar::Interval> &intervals : lists)
        elements += intervalSequenceNumElements(intervals);
    return elements;
}

// Concatenates all lists.
inline std::vector<poplar::Interval> flattenIntervals(const std::vector<std::vector<poplar::Interval>> &intervals)
{
    std::vector<poplar::Interval> flat;
    for (const std::vector<poplar::Interval> &list : intervals)
        flat.insert(flat.end(), list.begin(), list.end());
    return flat;
}
// For elements concatenated in the order of intervals: the intervals that restore the original order.
inline std::vector<poplar::Interval> calculateUnshufflingIntervals(const std::vector<poplar::Interval> &intervals)
{
    std::vector<std::pair<std::size_t, poplar::Interval>> places; // sorted by first element
    std::size_t begin = 0;
    for (const poplar::Interval &interval : intervals) {
        places.emplace_back(interval.begin(), poplar::Interval(begin, begin + interval.size()));
        begin += interval.size();
    }
    std::sort(places.begin(), places.end());
    std::vector<poplar::Interval> back;
    for (const std::pair<std::size_t, poplar::Interval> &place : places)
        back.push_back(place.second);
    return back;
}

// ---- indices ----
template <typename T> std::vector<T> unflattenIndex(const std::vector<T> &shape, std::size_t index)
{
    const std::vector<std::size_t> dims = detail::sizes(shape);
    std::vector<std::size_t> indices(dims.size());
    poputil_unflatten_index(poplar::detail::shape(dims), index, indices.data());
    return std::vector<T>(indices.begin(), indices.end());
}
template <typename T> std::size_t flattenIndex(const std::vector<T> &shape, const std::vector<T> &indices)
{
    const std::vector<std::size_t> dims = detail::sizes(shape), places = detail::sizes(indices);
    return poputil_flatten_index(poplar::detail::shape(dims), poplar::detail::shape(places));
}
// Sizes of partitions that differ by at most one.
inline std::vector<int> balancedPartition(int rangeUpperBound, int splitCount)
{
    std::vector<std::size_t> parts(static_cast<std::size_t>(splitCount));
    poputil_balanced_partition(static_cast<std::size_t>(rangeUpperBound), parts.size(), parts.data());
    return std::vector<int>(parts.begin(), parts.end());
}

// ---- tensors ----
inline poplar::Tensor
duplicate(poplar::Graph &graph, const poplar::Tensor &in, poplar::program::Sequence &p,
          const poplar::DebugContext &debugContext = {},
          poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
{
    return detail::give(graph.c(), poputil_duplicate_at(poplar::detail::where(debugContext), graph.c(), in.c(),
                                                        p.cToGrow(graph.c()), static_cast<pop_clone_method>(method),
                                                        poplar::detail::name(debugContext)));
}
inline poplar::Tensor
cloneN(poplar::Graph &graph, const poplar::Tensor &t, unsigned N, const poplar::DebugContext &debugContext = {},
       poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
{
    return detail::give(graph.c(),
                        poputil_clone_n_at(poplar::detail::where(debugContext), graph.c(), t.c(), N,
                                           static_cast<pop_clone_method>(method), poplar::detail::name(debugContext)));
}

// Splits each dimension n from startDim on into n / factor and factor, and moves all n / factor before all factors.
// {4,6,5} with {2,3} gives {2,2,2,3,5}.
inline poplar::Tensor factorDims(const poplar::Tensor &t, const std::vector<std::size_t> &factors,
                                 unsigned startDim = 0)
{
    const unsigned count = static_cast<unsigned>(factors.size());
    std::vector<std::size_t> shape;
    std::vector<unsigned> from, to;
    for (unsigned i = 0; i < count; ++i) {
        const std::size_t size = t.dim(startDim + i);
        if (!factors[i] || size % factors[i])
            throw poplibs_error("dimension " + std::to_string(startDim + i) + " of " + t.shapeToString() +
                                " is not a multiple of " + std::to_string(factors[i]));
        shape.push_back(size / factors[i]);
        shape.push_back(factors[i]);
        from.push_back(startDim + 2 * i);
        to.push_back(startDim + i);
    }
    return t.reshapePartial(startDim, startDim + count, shape).dimShufflePartial(from, to);
}
// The inverse for numDims dimensions.
inline poplar::Tensor unfactorDims(const poplar::Tensor &t, unsigned numDims, unsigned startDim = 0)
{
    std::vector<std::size_t> shape;
    std::vector<unsigned> from, to;
    for (unsigned i = 0; i < numDims; ++i) {
        shape.push_back(t.dim(startDim + i) * t.dim(startDim + numDims + i));
        from.push_back(startDim + i);
        to.push_back(startDim + 2 * i);
    }
    return t.dimShufflePartial(from, to).reshapePartial(startDim, startDim + 2 * numDims, shape);
}

// Metadata elements of 8-bit floats, of shape {1}.
inline poplar::Tensor createConstantMetadataTensor(poplar::Graph &graph, poplar::QuarterMetadata::Format format,
                                                   int scale, detail::Where where = detail::Where::here())
{
    return detail::give(graph.c(), poputil_create_constant_metadata_tensor_at(
                                       where, graph.c(), static_cast<pop_quarter_format>(format), scale));
}
inline poplar::Tensor createVariableMetadataTensor(poplar::Graph &graph, poplar::QuarterMetadata::Format format,
                                                   int scale, detail::Where where = detail::Where::here())
{
    return detail::give(graph.c(), poputil_create_variable_metadata_tensor_at(
                                       where, graph.c(), static_cast<pop_quarter_format>(format), scale));
}

// ---- numbers ----
inline bool checkAccuracyWhenCast(const poplar::Target &target, double input, poplar::Type inputType,
                                  poplar::Type outputType, double tolerance)
{
    if (!(inputType == poplar::FLOAT && outputType == poplar::HALF) &&
        !(inputType == poplar::HALF && outputType == poplar::FLOAT))
        throw poplibs_error("checkAccuracyWhenCast: casts between float and half alone are checked, not from " +
                            inputType.toString() + " to " + outputType.toString());
    return poputil_check_accuracy_when_cast(&target.c(), input, inputType.c(), outputType.c(), tolerance);
}
inline double castToDeviceHalfValue(const poplar::Target &target, double input)
{
    return poputil_cast_to_device_half_value(&target.c(), input);
}

} // namespace poputil
#endif
