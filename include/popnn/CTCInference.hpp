// SPDX-License-Identifier: Apache-2.0
// Decoding with CTC by a beam search (popnn/ctc_inference.h).
#ifndef POPNN_CTC_INFERENCE_HPP
#define POPNN_CTC_INFERENCE_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popnn/CTCPlan.hpp>
#include <popnn/ctc_inference.h>
#include <poputil/detail/call.hpp>

#include <tuple>

namespace popnn
{
namespace ctc_infer
{

inline ctc::Plan plan(const poplar::Graph &graph, const poplar::Type &inType, unsigned batchSize, unsigned maxTime,
                      unsigned numClasses, unsigned beamwidth, const poplar::OptionFlags &options = {},
                      poputil::detail::Where where = poputil::detail::Where::here())
{
    const popnn_ctc_plan made = popnn_ctc_infer_plan_at(where, graph.c(), inType.c(), batchSize, maxTime, numClasses,
                                                        beamwidth, poplar::detail::Options(options));
    poputil::detail::check(graph.c());
    return ctc::Plan(made);
}

inline poplar::Tensor createDataInput(poplar::Graph &graph, const poplar::Type &type, std::size_t batchSize,
                                      std::size_t maxTime, std::size_t numClasses, const ctc::Plan &plan,
                                      const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popnn_ctc_infer_create_data_input_at(
                                                poplar::detail::where(debugContext), graph.c(), type.c(), batchSize,
                                                maxTime, numClasses, plan.c(), poplar::detail::name(debugContext)));
}

namespace detail
{

// Log-probabilities {batch, topPaths}, lengths {batch, topPaths}, labels {batch, topPaths, time}.
inline std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor> all(const poplar::Graph &graph,
                                                                      const popnn_ctc_paths &paths)
{
    poputil::detail::check(graph.c());
    return std::make_tuple(poplar::Tensor(paths.probabilities), poplar::Tensor(paths.lengths),
                           poplar::Tensor(paths.labels));
}

} // namespace detail

inline std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor> beamSearchDecoderLogProbabilities(
    poplar::Graph &graph, const poplar::Tensor &logProbs, const poplar::Tensor &dataLengths,
    poplar::program::Sequence &prog, unsigned blankClass, unsigned beamwidth, unsigned topPaths, const ctc::Plan &plan,
    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return detail::all(graph, popnn_ctc_beam_search_log_probabilities_at(
                                  poplar::detail::where(debugContext), graph.c(), logProbs.c(), dataLengths.c(),
                                  prog.cToGrow(graph.c()), blankClass, beamwidth, topPaths, plan.c(),
                                  poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
// The search for logits: computes their log-softmax first.
inline std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor>
beamSearchDecoderLogits(poplar::Graph &graph, const poplar::Tensor &logits, const poplar::Tensor &dataLengths,
                        poplar::program::Sequence &prog, unsigned blankClass, unsigned beamwidth, unsigned topPaths,
                        const ctc::Plan &plan, const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {})
{
    return detail::all(graph, popnn_ctc_beam_search_logits_at(
                                  poplar::detail::where(debugContext), graph.c(), logits.c(), dataLengths.c(),
                                  prog.cToGrow(graph.c()), blankClass, beamwidth, topPaths, plan.c(),
                                  poplar::detail::name(debugContext), poplar::detail::Options(options)));
}

} // namespace ctc_infer
} // namespace popnn
#endif
