// SPDX-License-Identifier: Apache-2.0
// Statistics of channels, and the computations of normalisations (poplin/norms.h).
#ifndef POPLIN_NORMS_HPP
#define POPLIN_NORMS_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/norms.h>
#include <poputil/detail/call.hpp>

#include <exception>
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

// ---- forward: mean and inverse standard deviation; whitened activations; scaled and shifted activations ----
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

// ---- backward: gradients of gamma and beta, of the whitened activations, of the activations ----
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

// ---- statistics over several replicas ----

// Callback that reduces tensors over groups of replicas.
typedef std::function<std::vector<poplar::Tensor>(poplar::Graph &, const std::vector<poplar::Tensor> &,
                                                  poplar::program::Sequence &, unsigned groupSize,
                                                  const poplar::DebugContext &, const poplar::OptionFlags &)>
    DistributedNormReduceCallback;

namespace detail
{

// Passes the caller's callback to the C interface; an exception that it throws is rethrown after the C function has
// returned.
struct NormReducer {
    const DistributedNormReduceCallback &callback;
    poplar::Graph &graph;
    poplar::program::Sequence &prog;
    const poplar::DebugContext &debugContext;
    const poplar::OptionFlags &options;
    std::exception_ptr thrown;

    poplin_norm_reduce function() const
    {
        return callback ? &reduce : nullptr;
    }
    // The images of the whole batch: without a callback the replica's own alone.
    unsigned images(unsigned normBatchSize) const
    {
        return callback ? normBatchSize : 0;
    }
    void check() const
    {
        if (thrown)
            std::rethrow_exception(thrown);
        poputil::detail::check(graph.c());
    }

  private:
    void call(pop_tensor *tensors, std::size_t count, unsigned groupSize)
    {
        const std::vector<poplar::Tensor> reduced = callback(
            graph, std::vector<poplar::Tensor>(tensors, tensors + count), prog, groupSize, debugContext, options);
        if (reduced.size() != count)
            throw poputil::poplibs_error("the reduce callback of a norm returned " + std::to_string(reduced.size()) +
                                         " tensors for " + std::to_string(count));
        for (std::size_t i = 0; i < count; ++i)
            tensors[i] = reduced[i].c();
    }
    static void reduce(void *context, pop_graph *, pop_tensor *tensors, std::size_t count, pop_program,
                       unsigned groupSize, const char *)
    {
        NormReducer &self = *static_cast<NormReducer *>(context);
        if (self.thrown)
            return;
        try {
            self.call(tensors, count, groupSize);
        } catch (...) {
            self.thrown = std::current_exception();
        }
    }
};

} // namespace detail

// As normStatistics, for a batch of normBatchSize images that is distributed over normBatchSize / batch replicas with
// consecutive indices: a multiple of the replica's own batch (poplibs_error). The callback sums over these replicas; it
// is not called, and the norm is that of the replica's images, where normBatchSize is not more than these. A null
// callback counts as one that is not called.
inline std::pair<poplar::Tensor, poplar::Tensor>
distributedNormStatistics(poplar::Graph &replicatedGraph, const poplar::Tensor &actsUngrouped, float eps,
                          poplar::program::Sequence &prog, bool unbiasedVarEstimate,
                          DistributedNormReduceCallback allReduceCallback, unsigned normBatchSize,
                          bool stableAlgo = false, const poplar::Type &partialsType = poplar::FLOAT,
                          const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    detail::NormReducer reducer{ allReduceCallback, replicatedGraph, prog, debugContext, options, nullptr };
    pop_tensor mean, inverse;
    poplin_distributed_norm_statistics_at(poplar::detail::where(debugContext), replicatedGraph.c(), actsUngrouped.c(),
                                          eps, prog.cToGrow(replicatedGraph.c()), unbiasedVarEstimate,
                                          reducer.function(), &reducer, reducer.images(normBatchSize), stableAlgo,
                                          partialsType.c(), poplar::detail::name(debugContext),
                                          poplar::detail::Options(options), &mean, &inverse);
    reducer.check();
    return std::make_pair(poplar::Tensor(mean), poplar::Tensor(inverse));
}
inline poplar::Tensor distributedNormStatisticsGradients(
    poplar::Graph &replicatedGraph, const poplar::Tensor &actsWhitened, const poplar::Tensor &gradsIn,
    const poplar::Tensor &invStdDev, poplar::program::Sequence &prog, DistributedNormReduceCallback reduceCallback,
    unsigned normBatchSize, const poplar::Type &partialsType = poplar::FLOAT,
    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    detail::NormReducer reducer{ reduceCallback, replicatedGraph, prog, debugContext, options, nullptr };
    const pop_tensor made = poplin_distributed_norm_statistics_gradients_at(
        poplar::detail::where(debugContext), replicatedGraph.c(), actsWhitened.c(), gradsIn.c(), invStdDev.c(),
        prog.cToGrow(replicatedGraph.c()), reducer.function(), &reducer, reducer.images(normBatchSize),
        partialsType.c(), poplar::detail::name(debugContext), poplar::detail::Options(options));
    reducer.check();
    return poplar::Tensor(made);
}

} // namespace poplin
#endif
