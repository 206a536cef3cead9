// SPDX-License-Identifier: Apache-2.0
// Losses with their gradients, accuracy, and the largest elements of rows (popnn/loss.h).
#ifndef POPNN_LOSS_HPP
#define POPNN_LOSS_HPP

#include <poplar/Program.hpp>
#include <popnn/loss.h>
#include <poputil/detail/call.hpp>

#include <utility>

namespace popnn
{

// Loss functions.
enum LossType { SUM_SQUARED_LOSS, CROSS_ENTROPY_LOSS };

namespace detail
{

inline poplar::program::Program program(poplar::Graph &graph, pop_program made)
{
    struct Made : poplar::program::Program {
        explicit Made(pop_program from) : Program(from)
        {
        }
    };
    poputil::detail::check(graph.c());
    return Made(made);
}

} // namespace detail

inline poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                         const poplar::Tensor &expected, const poplar::Tensor &loss,
                                         const poplar::Tensor &deltas, const poplar::Tensor &deltasScale,
                                         const poplar::Tensor &modelOutputScaling, LossType lossType,
                                         const poplar::DebugContext &debugContext = {})
{
    return detail::program(
        graph, popnn_calc_loss_scaled_at(poplar::detail::where(debugContext), graph.c(), modelOutputs.c(), expected.c(),
                                         loss.c(), deltas.c(), deltasScale.c(), modelOutputScaling.c(),
                                         static_cast<popnn_loss_type>(lossType), poplar::detail::name(debugContext)));
}
inline poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                         const poplar::Tensor &expected, const poplar::Tensor &loss,
                                         const poplar::Tensor &deltas, LossType lossType,
                                         const poplar::DebugContext &debugContext = {})
{
    return calcLoss(graph, modelOutputs, expected, loss, deltas, poplar::Tensor(), poplar::Tensor(), lossType,
                    debugContext);
}
// Also adds the number of rows whose largest output is that of the label to numCorrect, which the program sets to 0
// before the first batch.
inline poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                         const poplar::Tensor &expected, const poplar::Tensor &loss,
                                         const poplar::Tensor &deltas, const poplar::Tensor &deltasScale,
                                         const poplar::Tensor &modelOutputScaling, const poplar::Tensor &numCorrect,
                                         LossType lossType, const poplar::DebugContext &debugContext = {})
{
    return detail::program(graph, popnn_calc_loss_and_accuracy_scaled_at(
                                      poplar::detail::where(debugContext), graph.c(), modelOutputs.c(), expected.c(),
                                      loss.c(), deltas.c(), deltasScale.c(), modelOutputScaling.c(), numCorrect.c(),
                                      static_cast<popnn_loss_type>(lossType), poplar::detail::name(debugContext)));
}
inline poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                         const poplar::Tensor &expected, const poplar::Tensor &loss,
                                         const poplar::Tensor &deltas, const poplar::Tensor &numCorrect,
                                         LossType lossType, const poplar::DebugContext &debugContext = {})
{
    return calcLoss(graph, modelOutputs, expected, loss, deltas, poplar::Tensor(), poplar::Tensor(), numCorrect,
                    lossType, debugContext);
}
inline poplar::program::Program calcAccuracy(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                             const poplar::Tensor &expected, const poplar::Tensor &numCorrect,
                                             const poplar::DebugContext &debugContext = {})
{
    return detail::program(graph,
                           popnn_calc_accuracy_at(poplar::detail::where(debugContext), graph.c(), modelOutputs.c(),
                                                  expected.c(), numCorrect.c(), poplar::detail::name(debugContext)));
}

inline poplar::Tensor argMax(poplar::Graph &graph, const poplar::Tensor &input, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(),
                                 popnn_arg_max_at(poplar::detail::where(debugContext), graph.c(), input.c(),
                                                  prog.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}
inline poplar::Tensor argMin(poplar::Graph &graph, const poplar::Tensor &input, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(),
                                 popnn_arg_min_at(poplar::detail::where(debugContext), graph.c(), input.c(),
                                                  prog.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}
// Values and indices.
inline std::pair<poplar::Tensor, poplar::Tensor> maxAndArgMax(poplar::Graph &graph, const poplar::Tensor &input,
                                                              poplar::program::Sequence &prog,
                                                              const poplar::DebugContext &debugContext = {})
{
    const popnn_extreme found = popnn_max_and_arg_max_at(poplar::detail::where(debugContext), graph.c(), input.c(),
                                                         prog.cToGrow(graph.c()), poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
    return std::make_pair(poplar::Tensor(found.value), poplar::Tensor(found.index));
}
inline std::pair<poplar::Tensor, poplar::Tensor> minAndArgMin(poplar::Graph &graph, const poplar::Tensor &input,
                                                              poplar::program::Sequence &prog,
                                                              const poplar::DebugContext &debugContext = {})
{
    const popnn_extreme found = popnn_min_and_arg_min_at(poplar::detail::where(debugContext), graph.c(), input.c(),
                                                         prog.cToGrow(graph.c()), poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
    return std::make_pair(poplar::Tensor(found.value), poplar::Tensor(found.index));
}
inline poplar::Tensor topK(poplar::Graph &graph, const poplar::Tensor &input, poplar::Tensor &indices, unsigned K,
                           bool sort, poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    pop_tensor places;
    const pop_tensor values = popnn_top_k_at(poplar::detail::where(debugContext), graph.c(), input.c(), &places, K,
                                             sort, prog.cToGrow(graph.c()), poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
    poplar::Tensor result;
    poputil::detail::put({ { &result, values }, { &indices, places } });
    return result;
}

} // namespace popnn
#endif
