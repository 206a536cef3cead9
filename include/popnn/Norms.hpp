// SPDX-License-Identifier: Apache-2.0
// Common to all norms: parameters and costs (popnn/norms.h).
#ifndef POPNN_NORMS_HPP
#define POPNN_NORMS_HPP

#include <poplin/Norms.hpp>
#include <popnn/norms.h>

namespace popnn
{

using poplin::createNormBeta;
using poplin::createNormGamma;
using poplin::createNormParams;

// Floating-point operations.
inline uint64_t getNormFwdFlops(std::size_t statisticsSize, std::size_t numActsElements, bool computeStats = true)
{
    return popnn_norm_fwd_flops(computeStats ? statisticsSize : 0, numActsElements);
}
inline uint64_t getNormBwdFlops(std::size_t statisticsSize, std::size_t numActsElements)
{
    return popnn_norm_bwd_flops(statisticsSize, numActsElements);
}
inline uint64_t getNormWuFlops(std::size_t paramsSize, std::size_t numActsElements)
{
    return popnn_norm_wu_flops(paramsSize, numActsElements);
}

} // namespace popnn
#endif
