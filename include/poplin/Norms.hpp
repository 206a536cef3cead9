// SPDX-License-Identifier: Apache-2.0
// Statistics of channels and the algebra of normalisations (poplin/norms.h).
#ifndef POPLIN_NORMS_HPP
#define POPLIN_NORMS_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/norms.h>
#include <poputil/detail/call.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace poplin
{

// ---- parameters ----
inline poplar::Tensor createNormGamma(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Type &type,
                                      const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(),
                                 poplin_create_norm_gamma_at(poplar::detail::where(debugContext), graph.c(), acts.c(),
                                                             type.c(), poplar::detail::name(debugContext)));
}
inline poplar::Tensor createNormGamma(poplar::Graph &graph, const poplar::Tensor &acts,
                                      const poplar::DebugContext &debugContext = {})
{
    return createNormGamma(graph, acts, acts.elementType(), debugContext);
}
inline poplar::Tensor createNormBeta(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Type &type,
                                     const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(),
                                 poplin_create_norm_beta_at(poplar::detail::where(debugContext), graph.c(), acts.c(),
                                                            type.c(), poplar::detail::name(debugContext)));
}
inline poplar::Tensor createNormBeta(poplar::Graph &graph, const poplar::Tensor &acts,
                                     const poplar::DebugContext &debugContext = {})
{
    return createNormBeta(graph, acts, acts.elementType(), debugContext);
}
inline std::pair<poplar::Tensor, poplar::Tensor> createNormParams(poplar::Graph &graph, const poplar::Tensor &acts,
                                                                  const poplar::DebugContext &debugContext = {})
{
    pop_tensor gamma, beta;
    poplin_create_norm_params_at(poplar::detail::where(debugContext), graph.c(), acts.c(),
                                 poplar::detail::name(debugContext), &gamma, &beta);
    poputil::detail::check(graph.c());
    return std::make_pair(poplar::Tensor(gamma), poplar::Tensor(beta));
}

// ---- forward: the mean and the inverse of the standard deviation; activations without scale; normalised ones ----
inline std::pair<poplar::Tensor, poplar::Tensor>
normStatistics(poplar::Graph &graph, const poplar::Tensor &actsUngrouped, float eps, poplar::program::Sequence &prog,
               bool unbiasedVarEstimate, bool stableAlgo = false, const poplar::Type &partialsType = poplar::FLOAT,
               const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    pop_tensor mean, inverse;
    poplin_norm_statistics_at(poplar::detail::where(debugContext), graph.c(), actsUngrouped.c(), eps,
                              prog.cToGrow(graph.c()), unbiasedVarEstimate, stableAlgo, partialsType.c(),
                              poplar::detail::name(debugContext), poplar::detail::Options(options), &mean, &inverse);
    poputil::detail::check(graph.c());
    return std::make_pair(poplar::Tensor(mean), poplar::Tensor(inverse));
}
inline poplar::Tensor normWhiten(poplar::Graph &graph, const poplar::Tensor &acts, const poplar::Tensor &mean,
                                 const poplar::Tensor &iStdDev, poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(
        graph.c(), poplin_norm_whiten_at(poplar::detail::where(debugContext), graph.c(), acts.c(), mean.c(),
                                         iStdDev.c(), prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                         poplar::detail::Options(options)));
}
inline poplar::Tensor normalise(poplar::Graph &graph, const poplar::Tensor &actsWhitened, const poplar::Tensor &gamma,
                                const poplar::Tensor &beta, poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(
        graph.c(), poplin_normalise_at(poplar::detail::where(debugContext), graph.c(), actsWhitened.c(), gamma.c(),
                                       beta.c(), prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                       poplar::detail::Options(options)));
}

// ---- backward: of gamma and beta, of the whitened activations, of the activations ----
inline std::pair<poplar::Tensor, poplar::Tensor>
normParamGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened, const poplar::Tensor &gradsIn,
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
inline poplar::Tensor normGradients(poplar::Graph &graph, const poplar::Tensor &gradsIn, const poplar::Tensor &gamma,
                                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                    const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(graph.c(), poplin_norm_gradients_at(poplar::detail::where(debugContext), graph.c(),
                                                                     gradsIn.c(), gamma.c(), prog.cToGrow(graph.c()),
                                                                     poplar::detail::name(debugContext),
                                                                     poplar::detail::Options(options)));
}
inline poplar::Tensor normStatisticsGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened,
                                              const poplar::Tensor &gradsIn, const poplar::Tensor &invStdDev,
                                              poplar::program::Sequence &prog,
                                              const poplar::Type &partialsType = poplar::FLOAT,
                                              const poplar::DebugContext &debugContext = {},
                                              const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(graph.c(), poplin_norm_statistics_gradients_at(
                                                poplar::detail::where(debugContext), graph.c(), actsWhitened.c(),
                                                gradsIn.c(), invStdDev.c(), prog.cToGrow(graph.c()), partialsType.c(),
                                                poplar::detail::name(debugContext), poplar::detail::Options(options)));
}

// ---- statistics that replicas share ----

// Reduces tensors over groups of replicas.
typedef std::function<std::vector<poplar::Tensor>(poplar::Graph &, const std::vector<poplar::Tensor> &,
                                                  poplar::program::Sequence &, unsigned groupSize,
                                                  const poplar::DebugContext &, const poplar::OptionFlags &)>
    DistributedNormReduceCallback;

namespace detail
{

// Statistics are of each replica by itself: the group's batch is that of the activations; poplibs_error otherwise.
inline void checkOneReplica(poplar::Graph &graph, const poplar::Tensor &acts, unsigned normBatchSize, const char *api,
                            const poplar::DebugContext &debugContext)
{
    const std::size_t batch = acts.valid() && acts.rank() ? acts.dim(0) : normBatchSize;
    if (normBatchSize == batch)
        return;
    const std::string text = "normBatchSize is " + std::to_string(normBatchSize) + " and the activations' batch " +
                             std::to_string(batch) + ": they must be equal, as statistics are those of one replica";
    pop_graph_fail(graph.c(), POP_POPLAR_ERROR, poplar::detail::where(debugContext), api, text.c_str());
    poputil::detail::check(graph.c());
}

} // namespace detail

// The statistics of normBatchSize images, which must be all of actsUngrouped: groups are of one replica, with nothing
// to reduce, and the callback is not called.
inline std::pair<poplar::Tensor, poplar::Tensor>
distributedNormStatistics(poplar::Graph &replicatedGraph, const poplar::Tensor &actsUngrouped, float eps,
                          poplar::program::Sequence &prog, bool unbiasedVarEstimate,
                          DistributedNormReduceCallback allReduceCallback, unsigned normBatchSize,
                          bool stableAlgo = false, const poplar::Type &partialsType = poplar::FLOAT,
                          const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    (void)allReduceCallback;
    detail::checkOneReplica(replicatedGraph, actsUngrouped, normBatchSize, "distributedNormStatistics", debugContext);
    return normStatistics(replicatedGraph, actsUngrouped, eps, prog, unbiasedVarEstimate, stableAlgo, partialsType,
                          debugContext, options);
}
inline poplar::Tensor distributedNormStatisticsGradients(
    poplar::Graph &replicatedGraph, const poplar::Tensor &actsWhitened, const poplar::Tensor &gradsIn,
    const poplar::Tensor &invStdDev, poplar::program::Sequence &prog, DistributedNormReduceCallback reduceCallback,
    unsigned normBatchSize, const poplar::Type &partialsType = poplar::FLOAT,
    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    (void)reduceCallback;
    detail::checkOneReplica(replicatedGraph, actsWhitened, normBatchSize, "distributedNormStatisticsGradients",
                            debugContext);
    return normStatisticsGradients(replicatedGraph, actsWhitened, gradsIn, invStdDev, prog, partialsType, debugContext,
                                   options);
}

} // namespace poplin
#endif
