// SPDX-License-Identifier: Apache-2.0
// CTC losses and their gradients (popnn/ctc_loss.h).
#ifndef POPNN_CTC_LOSS_HPP
#define POPNN_CTC_LOSS_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popnn/CTCPlan.hpp>
#include <popnn/ctc_loss.h>
#include <poputil/detail/call.hpp>

#include <utility>

namespace popnn
{
namespace ctc
{

// Finds the splits with the lowest estimated cycles; among equals those with the least memory.
inline Plan plan(const poplar::Graph &graph, const poplar::Type &inType, const poplar::Type &outType,
                 unsigned batchSize, unsigned maxTime, unsigned maxLabelLength, unsigned numClasses,
                 const poplar::OptionFlags &options = {}, poputil::detail::Where where = poputil::detail::Where::here())
{
    const popnn_ctc_plan made = popnn_ctc_loss_plan_at(where, graph.c(), inType.c(), outType.c(), batchSize, maxTime,
                                                       maxLabelLength, numClasses, poplar::detail::Options(options));
    poputil::detail::check(graph.c());
    return Plan(made);
}

inline poplar::Tensor createDataInput(poplar::Graph &graph, const poplar::Type &type, std::size_t batchSize,
                                      std::size_t maxTime, std::size_t numClasses, const Plan &plan,
                                      const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(
        graph.c(), popnn_ctc_create_data_input_at(poplar::detail::where(debugContext), graph.c(), type.c(), batchSize,
                                                  maxTime, numClasses, plan.c(), poplar::detail::name(debugContext)));
}
inline poplar::Tensor createLabelsInput(poplar::Graph &graph, const poplar::Type &type, std::size_t batchSize,
                                        std::size_t maxLabelLength, const Plan &plan,
                                        const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(
        graph.c(), popnn_ctc_create_labels_input_at(poplar::detail::where(debugContext), graph.c(), type.c(), batchSize,
                                                    maxLabelLength, plan.c(), poplar::detail::name(debugContext)));
}

namespace detail
{

// Loss and gradient.
inline std::pair<poplar::Tensor, poplar::Tensor> both(const poplar::Graph &graph, const popnn_ctc_result &result)
{
    poputil::detail::check(graph.c());
    return std::make_pair(poplar::Tensor(result.loss), poplar::Tensor(result.gradient));
}

} // namespace detail

inline std::pair<poplar::Tensor, poplar::Tensor> calcLossAndGradientLogProbabilities(
    poplar::Graph &graph, const poplar::Type &outType, const poplar::Tensor &logProbs, const poplar::Tensor &labels,
    const poplar::Tensor &dataLengths, const poplar::Tensor &labelLengths, poplar::program::Sequence &prog,
    const unsigned blankClass, const Plan &plan, const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {})
{
    return detail::both(graph, popnn_ctc_loss_and_gradient_log_probabilities_at(
                                   poplar::detail::where(debugContext), graph.c(), outType.c(), logProbs.c(),
                                   labels.c(), dataLengths.c(), labelLengths.c(), prog.cToGrow(graph.c()), blankClass,
                                   plan.c(), poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
// The loss and its gradient for logits: computes their log-softmax first.
inline std::pair<poplar::Tensor, poplar::Tensor>
calcLossAndGradientLogits(poplar::Graph &graph, const poplar::Type &outType, const poplar::Tensor &logits,
                          const poplar::Tensor &labels, const poplar::Tensor &dataLengths,
                          const poplar::Tensor &labelLengths, poplar::program::Sequence &prog,
                          const unsigned blankClass, const Plan &plan, const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {})
{
    return detail::both(graph, popnn_ctc_loss_and_gradient_logits_at(
                                   poplar::detail::where(debugContext), graph.c(), outType.c(), logits.c(), labels.c(),
                                   dataLengths.c(), labelLengths.c(), prog.cToGrow(graph.c()), blankClass, plan.c(),
                                   poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
// The loss alone, of log-probabilities.
inline poplar::Tensor calcCTCLossLogProbabilities(poplar::Graph &graph, const poplar::Type &outType,
                                                  const poplar::Tensor &logProbs, const poplar::Tensor &labels,
                                                  const poplar::Tensor &dataLengths, const poplar::Tensor &labelLengths,
                                                  poplar::program::Sequence &prog, const unsigned blankClass,
                                                  const Plan &plan, const poplar::DebugContext &debugContext = {},
                                                  const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(graph.c(),
                                 popnn_ctc_loss_log_probabilities_at(
                                     poplar::detail::where(debugContext), graph.c(), outType.c(), logProbs.c(),
                                     labels.c(), dataLengths.c(), labelLengths.c(), prog.cToGrow(graph.c()), blankClass,
                                     plan.c(), poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
// The loss alone, of logits.
inline poplar::Tensor calcCTCLossLogits(poplar::Graph &graph, const poplar::Type &outType, const poplar::Tensor &logits,
                                        const poplar::Tensor &labels, const poplar::Tensor &dataLengths,
                                        const poplar::Tensor &labelLengths, poplar::program::Sequence &prog,
                                        const unsigned blankClass, const Plan &plan,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(
        graph.c(),
        popnn_ctc_loss_logits_at(poplar::detail::where(debugContext), graph.c(), outType.c(), logits.c(), labels.c(),
                                 dataLengths.c(), labelLengths.c(), prog.cToGrow(graph.c()), blankClass, plan.c(),
                                 poplar::detail::name(debugContext), poplar::detail::Options(options)));
}

} // namespace ctc
} // namespace popnn
#endif
