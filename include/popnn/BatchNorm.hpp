// SPDX-License-Identifier: Apache-2.0
// Batch norm (popnn/norms.h).
#ifndef POPNN_BATCH_NORM_HPP
#define POPNN_BATCH_NORM_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/Norms.hpp>
#include <popnn/norms.h>
#include <poputil/detail/call.hpp>

#include <utility>

namespace popnn
{
namespace bn
{

// The mean and the inverse of the standard deviation.
inline std::pair<poplar::Tensor, poplar::Tensor>
batchNormStatistics(poplar::Graph &graph, const poplar::Tensor &acts, float eps, poplar::program::Sequence &prog,
                    bool unbiasedVarEstimate, bool stableAlgo = false, const poplar::Type &partialsType = poplar::FLOAT,
                    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    pop_tensor mean, inverse;
    poplin_norm_statistics_at(poplar::detail::where(debugContext), graph.c(), acts.c(), eps, prog.cToGrow(graph.c()),
                              unbiasedVarEstimate, stableAlgo, partialsType.c(), poplar::detail::name(debugContext),
                              poplar::detail::Options(options), &mean, &inverse);
    poputil::detail::check(graph.c());
    return std::make_pair(poplar::Tensor(mean), poplar::Tensor(inverse));
}
// Returns (acts - mean) * invStdDev.
inline poplar::Tensor batchNormWhiten(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &mean,
                                      const poplar::Tensor &invStdDev, poplar::program::Sequence &prog,
                                      const poplar::DebugContext &debugContext = {},
                                      const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(
        graph.c(), poplin_norm_whiten_at(poplar::detail::where(debugContext), graph.c(), acts.c(), mean.c(),
                                         invStdDev.c(), prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                         poplar::detail::Options(options)));
}
// The normalised activations, and the whitened ones, which the gradients need.
inline std::pair<poplar::Tensor, poplar::Tensor>
batchNormalise(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gamma,
               const poplar::Tensor &beta, const poplar::Tensor &mean, const poplar::Tensor &invStdDev,
               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
               const poplar::OptionFlags &options = {})
{
    pop_tensor whitened;
    pop_tensor made = popnn_batch_normalise_at(
        poplar::detail::where(debugContext), graph.c(), acts.c(), gamma.c(), beta.c(), mean.c(), invStdDev.c(),
        prog.cToGrow(graph.c()), poplar::detail::name(debugContext), poplar::detail::Options(options), &whitened);
    poputil::detail::check(graph.c());
    return std::make_pair(poplar::Tensor(made), poplar::Tensor(whitened));
}
// acts * combinedMultiplicand + addend, for inference.
inline poplar::Tensor batchNormalise(poplar::Graph &graph, const poplar::Tensor &acts,
                                     const poplar::Tensor &combinedMultiplicand, const poplar::Tensor &addend,
                                     poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(
        graph.c(), poplin_normalise_at(poplar::detail::where(debugContext), graph.c(), acts.c(),
                                       combinedMultiplicand.c(), addend.c(), prog.cToGrow(graph.c()),
                                       poplar::detail::name(debugContext), poplar::detail::Options(options)));
}

// Gradients of gamma and beta, from whitened activations, or from activations that are whitened here.
inline std::pair<poplar::Tensor, poplar::Tensor>
batchNormParamGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened, const poplar::Tensor &gradsIn,
                        poplar::program::Sequence &prog, const poplar::Type &partialsType = poplar::FLOAT,
                        const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    pop_tensor gamma, beta;
    poplin_norm_param_gradients_at(poplar::detail::where(debugContext), graph.c(), actsWhitened.c(), gradsIn.c(),
                                   prog.cToGrow(graph.c()), partialsType.c(), poplar::detail::name(debugContext),
                                   poplar::detail::Options(options), &gamma, &beta);
    poputil::detail::check(graph.c());
    return std::make_pair(poplar::Tensor(gamma), poplar::Tensor(beta));
}
inline std::pair<poplar::Tensor, poplar::Tensor>
batchNormParamGradients(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gradsIn,
                        const poplar::Tensor &mean, const poplar::Tensor &iStdDev, poplar::program::Sequence &prog,
                        const poplar::Type &partialsType = poplar::FLOAT, const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {})
{
    return batchNormParamGradients(graph, batchNormWhiten(graph, acts, mean, iStdDev, prog, debugContext, options),
                                   gradsIn, prog, partialsType, debugContext, options);
}

// Gradients of the activations, in the same two forms.
inline poplar::Tensor batchNormGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened,
                                         const poplar::Tensor &gradsIn, const poplar::Tensor &invStdDev,
                                         const poplar::Tensor &gamma, poplar::program::Sequence &prog,
                                         const poplar::Type &partialsType = poplar::FLOAT,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(
        graph.c(),
        popnn_batch_norm_gradients_at(poplar::detail::where(debugContext), graph.c(), actsWhitened.c(), gradsIn.c(),
                                      invStdDev.c(), gamma.c(), prog.cToGrow(graph.c()), partialsType.c(),
                                      poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
inline poplar::Tensor
batchNormGradients(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &gradsIn,
                   const poplar::Tensor &mean, const poplar::Tensor &invStdDev, const poplar::Tensor &gamma,
                   poplar::program::Sequence &prog, const poplar::Type &partialsType = poplar::FLOAT,
                   const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return batchNormGradients(graph, batchNormWhiten(graph, acts, mean, invStdDev, prog, debugContext, options),
                              gradsIn, invStdDev, gamma, prog, partialsType, debugContext, options);
}

// gamma += scale * gammaDelta, beta += scale * betaDelta.
inline void batchNormParamUpdate(poplar::Graph &graph, const poplar::Tensor &gammaDelta,
                                 const poplar::Tensor &betaDelta, float scale, poplar::Tensor &gamma,
                                 poplar::Tensor &beta, poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    popnn_norm_param_update_at(poplar::detail::where(debugContext), graph.c(), gammaDelta.c(), betaDelta.c(), scale,
                               gamma.c(), beta.c(), prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                               poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void batchNormParamUpdate(poplar::Graph &graph, const poplar::Tensor &gammaDelta,
                                 const poplar::Tensor &betaDelta, const poplar::Tensor &scale, poplar::Tensor &gamma,
                                 poplar::Tensor &beta, poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    popnn_norm_param_update_tensor_at(poplar::detail::where(debugContext), graph.c(), gammaDelta.c(), betaDelta.c(),
                                      scale.c(), gamma.c(), beta.c(), prog.cToGrow(graph.c()),
                                      poplar::detail::name(debugContext), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}

// With statistics over normBatchSize images of several replicas (poplin/Norms.hpp).
inline std::pair<poplar::Tensor, poplar::Tensor>
distributedBatchNormStatistics(poplar::Graph &replicatedGraph, const poplar::Tensor acts, float eps,
                               poplar::program::Sequence &prog, bool unbiasedVarEstimate,
                               poplin::DistributedNormReduceCallback reduceCallback, unsigned normBatchSize,
                               bool stableAlgo = false, const poplar::Type &partialsType = poplar::FLOAT,
                               const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return poplin::distributedNormStatistics(replicatedGraph, acts, eps, prog, unbiasedVarEstimate, reduceCallback,
                                             normBatchSize, stableAlgo, partialsType, debugContext, options);
}
inline poplar::Tensor distributedBatchNormGradients(poplar::Graph &replicatedGraph, const poplar::Tensor &actsWhitened,
                                                    const poplar::Tensor &gradsIn, const poplar::Tensor &invStdDev,
                                                    const poplar::Tensor &gamma, poplar::program::Sequence &prog,
                                                    poplin::DistributedNormReduceCallback reduceCallback,
                                                    unsigned normBatchSize,
                                                    const poplar::Type &partialsType = poplar::FLOAT,
                                                    const poplar::DebugContext &debugContext = {},
                                                    const poplar::OptionFlags &options = {})
{
    poplin::detail::NormReducer reducer{ reduceCallback, replicatedGraph, prog, debugContext, options, nullptr };
    const pop_tensor made = popnn_distributed_batch_norm_gradients_at(
        poplar::detail::where(debugContext), replicatedGraph.c(), actsWhitened.c(), gradsIn.c(), invStdDev.c(),
        gamma.c(), prog.cToGrow(replicatedGraph.c()), reducer.function(), &reducer, reducer.images(normBatchSize),
        partialsType.c(), poplar::detail::name(debugContext), poplar::detail::Options(options));
    reducer.check();
    return poplar::Tensor(made);
}

inline poplar::Tensor
distributedBatchNormGradients(poplar::Graph &replicatedGraph, const poplar::Tensor &acts, const poplar::Tensor &gradsIn,
                              const poplar::Tensor &mean, const poplar::Tensor &invStdDev, const poplar::Tensor &gamma,
                              poplar::program::Sequence &prog, poplin::DistributedNormReduceCallback reduceCallback,
                              unsigned normBatchSize, const poplar::Type &partialsType = poplar::FLOAT,
                              const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return distributedBatchNormGradients(
        replicatedGraph, batchNormWhiten(replicatedGraph, acts, mean, invStdDev, prog, debugContext, options), gradsIn,
        invStdDev, gamma, prog, reduceCallback, normBatchSize, partialsType, debugContext, options);
}

} // namespace bn
} // namespace popnn
#endif
