// SPDX-License-Identifier: Apache-2.0
// Planning convolutions and matrix products in advance, into one cache.
#ifndef POPLIN_CONV_PREPLAN_HPP
#define POPLIN_CONV_PREPLAN_HPP

#include <poplin/MatMul.hpp>
#include <poplin/detail/conv_planning.hpp>

namespace poplin
{

// Plans convolutions and products into a cache, on all processors of the host.
template <typename Convs = std::set<ConvPlanParams>, typename Products = std::set<MatMulPlanParams>>
void preplan(const typename poplar::detail::Same<Convs>::type &convs,
             const typename poplar::detail::Same<Products>::type &matmuls, PlanningCache &cache,
             poputil::detail::Where where = poputil::detail::Where::here())
{
    preplanConvolutions<Convs>(convs, cache, where);
    preplanMatMuls<Products>(matmuls, cache);
}

} // namespace poplin
#endif
