// SPDX-License-Identifier: Apache-2.0
// Sorting along a dimension (popops/sort.h).
#ifndef POPOPS_SORT_HPP
#define POPOPS_SORT_HPP

#include <poplar/Program.hpp>
#include <popops/sort.h>
#include <poputil/detail/call.hpp>

namespace popops
{

inline poplar::Tensor sort(poplar::Graph &graph, const poplar::Tensor &t, unsigned dim, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(),
                                 popops_sort_at(poplar::detail::where(debugContext), graph.c(), t.c(), dim,
                                                prog.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}
inline void sortInPlace(poplar::Graph &graph, const poplar::Tensor &t, unsigned dim, poplar::program::Sequence &prog,
                        const poplar::DebugContext &debugContext = {})
{
    popops_sort_in_place_at(poplar::detail::where(debugContext), graph.c(), t.c(), dim, prog.cToGrow(graph.c()),
                            poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
// The values in the order of their sorted keys.
inline poplar::Tensor sortKeyValue(poplar::Graph &graph, const poplar::Tensor &k, const poplar::Tensor &v, unsigned dim,
                                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_sort_key_value_at(poplar::detail::where(debugContext), graph.c(),
                                                                     k.c(), v.c(), dim, prog.cToGrow(graph.c()),
                                                                     poplar::detail::name(debugContext)));
}
inline void sortKeyValueInPlace(poplar::Graph &graph, const poplar::Tensor &k, const poplar::Tensor &v, unsigned dim,
                                poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    popops_sort_key_value_in_place_at(poplar::detail::where(debugContext), graph.c(), k.c(), v.c(), dim,
                                      prog.cToGrow(graph.c()), poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}

} // namespace popops
#endif
