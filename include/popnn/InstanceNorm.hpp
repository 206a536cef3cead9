// SPDX-License-Identifier: Apache-2.0
// Instance norm (popnn/norms.h): a group norm with as many groups as channels. All calls except the statistics are
// those of group norm.
#ifndef POPNN_INSTANCE_NORM_HPP
#define POPNN_INSTANCE_NORM_HPP

#include <popnn/GroupNorm.hpp>

namespace popnn
{
namespace in
{

// The mean and the inverse of the standard deviation.
inline std::pair<poplar::Tensor, poplar::Tensor>
instanceNormStatistics(poplar::Graph &graph, const poplar::Tensor &acts, float eps, poplar::program::Sequence &prog,
                       bool unbiasedVarEstimate, bool stableAlgo = false,
                       const poplar::Type &partialsType = poplar::FLOAT, const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {})
{
    pop_tensor mean, inverse;
    popnn_instance_norm_statistics_at(poplar::detail::where(debugContext), graph.c(), acts.c(), eps,
                                      prog.cToGrow(graph.c()), unbiasedVarEstimate, stableAlgo, partialsType.c(),
                                      poplar::detail::name(debugContext), poplar::detail::Options(options), &mean,
                                      &inverse);
    poputil::detail::check(graph.c());
    return std::make_pair(poplar::Tensor(mean), poplar::Tensor(inverse));
}
// Returns (acts - mean) * invStdDev.
inline poplar::Tensor instanceNormWhiten(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &mean,
                                         const poplar::Tensor &invStdDev, poplar::program::Sequence &prog,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {})
{
    return gn::groupNormWhiten(graph, acts, mean, invStdDev, prog, debugContext, options);
}
// The normalised activations, and the whitened ones, which the gradients need.
inline std::pair<poplar::Tensor, poplar::Tensor>
instanceNormalise(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gamma,
                  const poplar::Tensor &beta, const poplar::Tensor &mean, const poplar::Tensor &invStdDev,
                  poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                  const poplar::OptionFlags &options = {})
{
    return gn::groupNormalise(graph, acts, gamma, beta, mean, invStdDev, prog, debugContext, options);
}
// Gradients of gamma and beta, from whitened activations, or from activations that are whitened here.
inline std::pair<poplar::Tensor, poplar::Tensor>
instanceNormParamGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened, const poplar::Tensor &gradsIn,
                           poplar::program::Sequence &prog, const poplar::Type &partialsType = poplar::FLOAT,
                           const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return gn::groupNormParamGradients(graph, actsWhitened, gradsIn, prog, partialsType, debugContext, options);
}
inline std::pair<poplar::Tensor, poplar::Tensor>
instanceNormParamGradients(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gradsIn,
                           const poplar::Tensor &mean, const poplar::Tensor &iStdDev, poplar::program::Sequence &prog,
                           const poplar::Type &partialsType = poplar::FLOAT,
                           const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return gn::groupNormParamGradients(graph, acts, gradsIn, mean, iStdDev, prog, partialsType, debugContext, options);
}
// Gradients of the activations, in the same two forms.
inline poplar::Tensor instanceNormGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened,
                                            const poplar::Tensor &gradsIn, const poplar::Tensor &invStdDev,
                                            const poplar::Tensor &gamma, poplar::program::Sequence &prog,
                                            const poplar::Type &partialsType = poplar::FLOAT,
                                            const poplar::DebugContext &debugContext = {},
                                            const poplar::OptionFlags &options = {})
{
    return gn::groupNormGradients(graph, actsWhitened, gradsIn, invStdDev, gamma, prog, partialsType, debugContext,
                                  options);
}
inline poplar::Tensor
instanceNormGradients(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gradsIn,
                      const poplar::Tensor &mean, const poplar::Tensor &invStdDev, const poplar::Tensor &gamma,
                      poplar::program::Sequence &prog, const poplar::Type &partialsType = poplar::FLOAT,
                      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return gn::groupNormGradients(graph, acts, gradsIn, mean, invStdDev, gamma, prog, partialsType, debugContext,
                                  options);
}
// gamma += scale * gammaDelta, beta += scale * betaDelta.
inline void instanceNormParamUpdate(poplar::Graph &graph, const poplar::Tensor &gammaDelta,
                                    const poplar::Tensor &betaDelta, float scale, poplar::Tensor &gamma,
                                    poplar::Tensor &beta, poplar::program::Sequence &prog,
                                    const poplar::DebugContext &debugContext = {},
                                    const poplar::OptionFlags &options = {})
{
    gn::groupNormParamUpdate(graph, gammaDelta, betaDelta, scale, gamma, beta, prog, debugContext, options);
}
inline void instanceNormParamUpdate(poplar::Graph &graph, const poplar::Tensor &gammaDelta,
                                    const poplar::Tensor &betaDelta, const poplar::Tensor &scale, poplar::Tensor &gamma,
                                    poplar::Tensor &beta, poplar::program::Sequence &prog,
                                    const poplar::DebugContext &debugContext = {},
                                    const poplar::OptionFlags &options = {})
{
    gn::groupNormParamUpdate(graph, gammaDelta, betaDelta, scale, gamma, beta, prog, debugContext, options);
}

// Floating-point operations.
inline uint64_t getFwdFlops(uint64_t numChannels, uint64_t actsPerChannel, bool computeEstimates)
{
    return popnn_norm_fwd_flops(computeEstimates ? numChannels : 0, numChannels * actsPerChannel);
}
// Floating-point operations of the activations' gradients.
inline uint64_t getBwdFlops(uint64_t numChannels, uint64_t actsPerChannel)
{
    return popnn_norm_bwd_flops(numChannels, numChannels * actsPerChannel);
}
// Floating-point operations of the parameters' gradients and update.
inline uint64_t getWuFlops(uint64_t numChannels, uint64_t actsPerChannel)
{
    return popnn_norm_wu_flops(numChannels, numChannels * actsPerChannel);
}

} // namespace in
} // namespace popnn
#endif
