// SPDX-License-Identifier: Apache-2.0
// Plans of convolutions and matrix products ahead of their use, into one cache.
#ifndef POPLIN_CONV_PREPLAN_HPP
#define POPLIN_CONV_PREPLAN_HPP

#include <poplin/MatMul.hpp>
#include <poplin/detail/conv_planning.hpp>

namespace poplin {

inline void preplan(const std::set<ConvPlanParams> &convs, const std::set<MatMulPlanParams> &matmuls, PlanningCache &cache,
                    poputil::detail::Where where = poputil::detail::Where::here())
{
    preplanConvolutions(convs, cache, where);
    preplanMatMuls(matmuls, cache);
}

} // namespace poplin
#endif
