// SPDX-License-Identifier: Apache-2.0
// Layouts of tensors in memory (poputil/var_structure.h).
#ifndef POPUTIL_VAR_STRUCTURE_HPP
#define POPUTIL_VAR_STRUCTURE_HPP

#include <poputil/detail/call.hpp>
#include <poputil/var_structure.h>

#include <functional>
#include <utility>

namespace poputil
{

typedef std::pair<unsigned, unsigned> GroupingInfo; // a dimension, and the size of its groups of contiguous elements

inline unsigned detectInnermostGrouping(const poplar::Graph &graph, const poplar::Tensor &t,
                                        detail::Where where = detail::Where::here())
{
    unsigned group = poputil_detect_innermost_grouping_at(where, graph.c(), t.c());
    detail::check(graph.c());
    return group;
}
inline std::vector<GroupingInfo> detectDimGroupings(const poplar::Graph &graph, const poplar::Tensor &t,
                                                    detail::Where where = detail::Where::here())
{
    std::vector<poputil_dim_grouping> list(16);
    std::size_t count = poputil_detect_dim_groupings_at(where, graph.c(), t.c(), list.data(), list.size());
    if (count > list.size()) {
        list.resize(count);
        poputil_detect_dim_groupings_at(where, graph.c(), t.c(), list.data(), list.size());
    }
    detail::check(graph.c());
    std::vector<GroupingInfo> groupings;
    for (std::size_t i = 0; i < count; ++i)
        groupings.push_back(GroupingInfo(list[i].dim, list[i].size));
    return groupings;
}
// Each partition is one contiguous region.
inline poplar::Tensor createPartitionableTensor(poplar::Graph &graph, const poplar::Type &type,
                                                const std::vector<std::size_t> &shape,
                                                const std::vector<std::size_t> &nPartitions,
                                                const poplar::DebugContext &debugContext = {})
{
    return detail::give(graph.c(),
                        poputil_create_partitionable_tensor_at(
                            poplar::detail::where(debugContext), graph.c(), type.c(), poplar::detail::shape(shape),
                            poplar::detail::shape(nPartitions), poplar::detail::name(debugContext)));
}
// Calls f with the index and the slice of each partition.
inline void
iterateTensorPartitions(const poplar::Tensor &t, const std::vector<std::size_t> &nPartitions,
                        const std::function<void(const std::vector<std::size_t> &i, const poplar::Tensor &s)> &f,
                        detail::Where where = detail::Where::here())
{
    struct Visit {
        const std::function<void(const std::vector<std::size_t> &i, const poplar::Tensor &s)> &f;
        detail::Callback callback;
        static bool call(pop_shape index, pop_tensor slice, void *user)
        {
            Visit *visit = static_cast<Visit *>(user);
            return visit->callback.run([&] {
                visit->f(std::vector<std::size_t>(index.dims, index.dims + index.rank), poplar::Tensor(slice));
            });
        }
    } visit = { f, detail::Callback() };
    pop_graph *graph = pop_store_graph(t.c().store);
    poputil_iterate_tensor_partitions_at(where, graph, t.c(), poplar::detail::shape(nPartitions), Visit::call, &visit);
    visit.callback.rethrow();
    detail::check(graph);
}

} // namespace poputil
#endif
