// SPDX-License-Identifier: Apache-2.0
// The largest or smallest elements of each line (popops/top_k.h).
#ifndef POPOPS_TOP_K_HPP
#define POPOPS_TOP_K_HPP

#include <poplar/Program.hpp>
#include <popops/SortOrder.hpp>
#include <popops/top_k.h>
#include <poputil/detail/call.hpp>

#include <string>
#include <utility>

namespace popops
{

// What topK gives: how many elements, which, in which order.
struct TopKParams {
    unsigned k;
    bool largest;
    SortOrder sortOrder;
    bool stableSort; // whether the order of equal keys is that of their indices

    // All parts.
    TopKParams(unsigned count, bool largestOnes, SortOrder order, bool stable = false) noexcept
        : k(count), largest(largestOnes), sortOrder(order), stableSort(stable)
    {
    }
};

inline std::ostream &operator<<(std::ostream &out, const TopKParams &params)
{
    return out << "{k=" << std::to_string(params.k) << ",largest=" << (params.largest ? "true" : "false")
               << ",sortOrder=" << params.sortOrder << ",stableSort=" << (params.stableSort ? "true" : "false") << '}';
}

namespace detail
{

inline popops_top_k_params topKParams(const TopKParams &params)
{
    popops_top_k_params c = { params.k, params.largest, static_cast<popops_sort_order>(params.sortOrder),
                              params.stableSort };
    return c;
}

} // namespace detail

inline poplar::Tensor createTopKInput(poplar::Graph &graph, const poplar::Type &type,
                                      const std::vector<std::size_t> &shape, const TopKParams &params,
                                      const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(),
                                 popops_create_top_k_input_at(poplar::detail::where(debugContext), graph.c(), type.c(),
                                                              poplar::detail::shape(shape), detail::topKParams(params),
                                                              poplar::detail::name(debugContext)));
}
inline poplar::Tensor topK(poplar::Graph &graph, poplar::program::Sequence &prog, const poplar::Tensor &t,
                           const TopKParams &params, const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_top_k_at(poplar::detail::where(debugContext), graph.c(),
                                                            prog.cToGrow(graph.c()), t.c(), detail::topKParams(params),
                                                            poplar::detail::name(debugContext)));
}
// The k best keys, and the values that belong to them.
inline std::pair<poplar::Tensor, poplar::Tensor> topKKeyValue(poplar::Graph &graph, poplar::program::Sequence &prog,
                                                              const poplar::Tensor &keys, const poplar::Tensor &values,
                                                              const TopKParams &params,
                                                              const poplar::DebugContext &debugContext = {})
{
    pop_tensor chosen;
    const pop_tensor best =
        popops_top_k_key_value_at(poplar::detail::where(debugContext), graph.c(), prog.cToGrow(graph.c()), keys.c(),
                                  values.c(), detail::topKParams(params), &chosen, poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
    return std::pair<poplar::Tensor, poplar::Tensor>(poplar::Tensor(best), poplar::Tensor(chosen));
}
// The k best elements, and their indices.
inline std::pair<poplar::Tensor, poplar::Tensor> topKWithPermutation(poplar::Graph &graph,
                                                                     poplar::program::Sequence &prog,
                                                                     const poplar::Tensor &t, const TopKParams &params,
                                                                     const poplar::DebugContext &debugContext = {})
{
    pop_tensor indices;
    const pop_tensor best =
        popops_top_k_with_permutation_at(poplar::detail::where(debugContext), graph.c(), prog.cToGrow(graph.c()), t.c(),
                                         detail::topKParams(params), &indices, poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
    return std::pair<poplar::Tensor, poplar::Tensor>(poplar::Tensor(best), poplar::Tensor(indices));
}

} // namespace popops
#endif
