// SPDX-License-Identifier: Apache-2.0
// The simple recurrent layer (popnn/recurrent.h).
#ifndef POPNN_RECURRENT_HPP
#define POPNN_RECURRENT_HPP

#include <poplar/Program.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/detail/recurrent.hpp>
#include <popnn/recurrent.h>

#include <tuple>

namespace popnn
{
namespace rnn
{

namespace detail
{

inline popnn_rnn_params params(const poplar::Type &type, const poplar::Type &partialsType, std::size_t steps,
                               std::size_t batch, std::size_t input, std::size_t output,
                               NonLinearityType activation = NonLinearityType::TANH)
{
    popnn_rnn_params made = popnn_rnn_params_make(type.c(), batch, steps, input, output);
    made.partials_type = partialsType.c();
    made.activation = static_cast<popnn_non_linearity_type>(activation);
    return made;
}
inline popnn_rnn_params forInference(popnn_rnn_params made, bool inferenceOnly)
{
    made.inference_only = inferenceOnly;
    return made;
}
// Sizes derived from tensors: a sequence of states, and weights of the input.
inline std::size_t dim(const poplar::Tensor &t, unsigned i)
{
    return pop_tensor_valid(t.c()) && i < t.rank() ? t.dim(i) : 1;
}
inline popnn_rnn_weights weights(const poplar::Tensor &input, const poplar::Tensor &feedback,
                                 const poplar::Tensor &biases)
{
    popnn_rnn_weights made = { input.c(), feedback.c(), biases.c() };
    return made;
}

} // namespace detail

// ---- plans and costs ----
inline std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(std::size_t numSteps, std::size_t batchSize, std::size_t inputSize, std::size_t outputSize,
                           const poplar::Type &dType, const poplar::Type &partialsType = poplar::FLOAT,
                           bool inferenceOnly = false, bool hasFeedforwardWeights = true)
{
    const popnn_rnn_params params = detail::params(dType, partialsType, numSteps, batchSize, inputSize, outputSize);
    poplin_fc_mat_mul list[POPNN_RNN_MAX_MAT_MULS];
    const std::size_t count =
        popnn_rnn_get_mat_mul_pre_plan_parameters(&params, inferenceOnly, hasFeedforwardWeights, list);
    return popnn::detail::products(list, count, { { "partialsType", partialsType.toString() } });
}
inline uint64_t getFwdFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize, unsigned outputSize,
                            bool weightInput = true)
{
    const popnn_rnn_params params =
        detail::params(poplar::FLOAT, poplar::FLOAT, sequenceSize, batchSize, inputSize, outputSize);
    return popnn_rnn_fwd_flops(&params, weightInput);
}
inline uint64_t getBwdFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize, unsigned outputSize,
                            bool calcInputGrad = true)
{
    const popnn_rnn_params params =
        detail::params(poplar::FLOAT, poplar::FLOAT, sequenceSize, batchSize, inputSize, outputSize);
    return popnn_rnn_bwd_flops(&params, calcInputGrad);
}
inline uint64_t getWuFlops(unsigned sequenceSize, unsigned batchSize, unsigned inputSize, unsigned outputSize)
{
    const popnn_rnn_params params =
        detail::params(poplar::FLOAT, poplar::FLOAT, sequenceSize, batchSize, inputSize, outputSize);
    return popnn_rnn_wu_flops(&params);
}

// ---- tensors. inferenceOnly: layout and plan of the products without regard to the other passes ----
inline poplar::Tensor createInput(poplar::Graph &graph, unsigned numSteps, unsigned batchSize, unsigned inputSize,
                                  unsigned outputSize, const poplar::Type &dType,
                                  const poplar::Type &partialsType = poplar::FLOAT, bool inferenceOnly = false,
                                  const poplar::DebugContext &debugContext = {},
                                  poplin::matmul::PlanningCache *planningCache = nullptr)
{
    const popnn_rnn_params params = detail::forInference(
        detail::params(dType, partialsType, numSteps, batchSize, inputSize, outputSize), inferenceOnly);
    return poputil::detail::give(graph.c(), popnn_rnn_create_input_at(poplar::detail::where(debugContext), graph.c(),
                                                                      &params, poplar::detail::name(debugContext),
                                                                      poplin::detail::cache(planningCache)));
}
inline poplar::Tensor createWeightsInput(poplar::Graph &graph, unsigned sequenceSize, unsigned batchSize,
                                         unsigned inputSize, unsigned outputSize, const poplar::Type &dType,
                                         const poplar::Type &partialsType = poplar::FLOAT, bool inferenceOnly = false,
                                         const poplar::DebugContext &debugContext = {},
                                         poplin::matmul::PlanningCache *planningCache = nullptr)
{
    const popnn_rnn_params params = detail::forInference(
        detail::params(dType, partialsType, sequenceSize, batchSize, inputSize, outputSize), inferenceOnly);
    return poputil::detail::give(graph.c(),
                                 popnn_rnn_create_weights_input_at(poplar::detail::where(debugContext), graph.c(),
                                                                   &params, poplar::detail::name(debugContext),
                                                                   poplin::detail::cache(planningCache)));
}
inline poplar::Tensor createWeightsFeedback(poplar::Graph &graph, unsigned batchSize, unsigned outputSize,
                                            const poplar::Type &dType, const poplar::Type &partialsType = poplar::FLOAT,
                                            bool inferenceOnly = false, const poplar::DebugContext &debugContext = {},
                                            poplin::matmul::PlanningCache *planningCache = nullptr)
{
    const popnn_rnn_params params =
        detail::forInference(detail::params(dType, partialsType, 1, batchSize, 1, outputSize), inferenceOnly);
    return poputil::detail::give(graph.c(),
                                 popnn_rnn_create_weights_feedback_at(poplar::detail::where(debugContext), graph.c(),
                                                                      &params, poplar::detail::name(debugContext),
                                                                      poplin::detail::cache(planningCache)));
}
// States are the same for inference and training, and do not depend on plans.
inline poplar::Tensor createFwdState(poplar::Graph &graph, const poplar::Type &dType, unsigned batchSize,
                                     unsigned outputSize, poplar::program::Sequence &prog, bool initState,
                                     bool inferenceOnly, const poplar::DebugContext &debugContext = {},
                                     poplin::matmul::PlanningCache *planningCache = nullptr)
{
    (void)inferenceOnly, (void)planningCache;
    const popnn_rnn_params params = detail::params(dType, poplar::FLOAT, 1, batchSize, 1, outputSize);
    return poputil::detail::give(graph.c(),
                                 popnn_rnn_create_fwd_state_at(poplar::detail::where(debugContext), graph.c(), &params,
                                                               prog.cToGrow(graph.c()), initState,
                                                               poplar::detail::name(debugContext)));
}
inline poplar::Tensor createBwdState(poplar::Graph &graph, const poplar::Type &dType, unsigned batchSize,
                                     unsigned outputSize, poplar::program::Sequence &prog,
                                     const poplar::DebugContext &debugContext = {},
                                     poplin::matmul::PlanningCache *planningCache = nullptr)
{
    (void)planningCache;
    const popnn_rnn_params params = detail::params(dType, poplar::FLOAT, 1, batchSize, 1, outputSize);
    return poputil::detail::give(graph.c(), popnn_rnn_create_bwd_state_at(poplar::detail::where(debugContext),
                                                                          graph.c(), &params, prog.cToGrow(graph.c()),
                                                                          poplar::detail::name(debugContext)));
}
// The output of each step that rnnFwdSequence returned.
inline poplar::Tensor getOutputFromFwdState(const poplar::Tensor &fwdState)
{
    return fwdState;
}

// ---- forward ----
inline poplar::Tensor forwardWeightInput(poplar::Graph &graph, const poplar::Tensor &actIn,
                                         const poplar::Tensor &weights, poplar::program::Sequence &prog,
                                         const poplar::Type &partialsType = poplar::FLOAT, bool inferenceOnly = false,
                                         const poplar::DebugContext &debugContext = {},
                                         poplin::matmul::PlanningCache *planningCache = nullptr)
{
    const popnn_rnn_params params =
        detail::forInference(detail::params(actIn.elementType(), partialsType, detail::dim(actIn, 0),
                                            detail::dim(actIn, 1), detail::dim(actIn, 2), detail::dim(weights, 1)),
                             inferenceOnly);
    return poputil::detail::give(graph.c(), popnn_rnn_forward_weight_input_at(poplar::detail::where(debugContext),
                                                                              graph.c(), &params, actIn.c(),
                                                                              weights.c(), prog.cToGrow(graph.c()),
                                                                              poplar::detail::name(debugContext),
                                                                              poplin::detail::cache(planningCache)));
}
inline poplar::Tensor forwardIterate(poplar::Graph &graph, const poplar::Tensor &feedFwdIn,
                                     const poplar::Tensor &initState, const poplar::Tensor &feedbackWeights,
                                     const poplar::Tensor &biases, poplar::program::Sequence &prog,
                                     NonLinearityType nonLinearityType,
                                     const poplar::Type &partialsType = poplar::FLOAT, bool inferenceOnly = false,
                                     const poplar::DebugContext &debugContext = {},
                                     poplin::matmul::PlanningCache *planningCache = nullptr)
{
    const popnn_rnn_params params =
        detail::forInference(detail::params(feedFwdIn.elementType(), partialsType, detail::dim(feedFwdIn, 0),
                                            detail::dim(feedFwdIn, 1), 1, detail::dim(feedFwdIn, 2), nonLinearityType),
                             inferenceOnly);
    return poputil::detail::give(
        graph.c(),
        popnn_rnn_forward_iterate_at(poplar::detail::where(debugContext), graph.c(), &params, feedFwdIn.c(),
                                     initState.c(), feedbackWeights.c(), biases.c(), prog.cToGrow(graph.c()),
                                     poplar::detail::name(debugContext), poplin::detail::cache(planningCache)));
}
// With weightedIn, the weighted input, prevLayerActs and feedFwdWeights are ignored.
inline poplar::Tensor rnnFwdSequence(poplar::Graph &graph, poplar::program::Sequence &prog,
                                     const poplar::Tensor &fwdStateInit, const poplar::Tensor *weightedIn,
                                     const poplar::Tensor &biases, const poplar::Tensor &feedFwdWeights,
                                     const poplar::Tensor &feedbackWeights, const poplar::Tensor &prevLayerActs,
                                     const NonLinearityType &nonLinearityType,
                                     const poplar::Type &partialsType = poplar::FLOAT, bool inferenceOnly = false,
                                     const poplar::DebugContext &debugContext = {},
                                     poplin::matmul::PlanningCache *planningCache = nullptr)
{
    poplar::Tensor weighted = weightedIn ? *weightedIn
                                         : forwardWeightInput(graph, prevLayerActs, feedFwdWeights, prog, partialsType,
                                                              inferenceOnly, debugContext, planningCache);
    return forwardIterate(graph, weighted, fwdStateInit, feedbackWeights, biases, prog, nonLinearityType, partialsType,
                          inferenceOnly, debugContext, planningCache);
}

// ---- backward: returns the gradient of the step's input, and the state for the previous step ----
inline std::pair<poplar::Tensor, poplar::Tensor>
backwardGradientStep(poplar::Graph &graph, const poplar::Tensor &nextLayerGrad, const poplar::Tensor &bwdState,
                     const poplar::Tensor &actOut, const poplar::Tensor &weightsInput,
                     const poplar::Tensor &weightsFeedback, poplar::program::Sequence &prog,
                     NonLinearityType nonLinearityType, const poplar::Type &partialsType = poplar::FLOAT,
                     const poplar::DebugContext &debugContext = {},
                     poplin::matmul::PlanningCache *planningCache = nullptr)
{
    const popnn_rnn_params params =
        detail::params(actOut.elementType(), partialsType, 1, detail::dim(actOut, 0), detail::dim(weightsInput, 0),
                       detail::dim(actOut, 1), nonLinearityType);
    pop_tensor dx;
    pop_tensor state = popnn_rnn_backward_gradient_step_at(
        poplar::detail::where(debugContext), graph.c(), &params, nextLayerGrad.c(), bwdState.c(), actOut.c(),
        detail::weights(weightsInput, weightsFeedback, poplar::Tensor()), prog.cToGrow(graph.c()), &dx,
        poplar::detail::name(debugContext), poplin::detail::cache(planningCache));
    poputil::detail::check(graph.c());
    return std::make_pair(poplar::Tensor(dx), poplar::Tensor(state));
}
// A step backward without the input's gradient.
inline poplar::Tensor backwardGradientStep(poplar::Graph &graph, const poplar::Tensor &nextLayerGrad,
                                           const poplar::Tensor &bwdState, const poplar::Tensor &actOut,
                                           const poplar::Tensor &weightsFeedback, poplar::program::Sequence &prog,
                                           NonLinearityType nonLinearityType,
                                           const poplar::Type &partialsType = poplar::FLOAT,
                                           const poplar::DebugContext &debugContext = {},
                                           poplin::matmul::PlanningCache *planningCache = nullptr)
{
    const popnn_rnn_params params = detail::params(actOut.elementType(), partialsType, 1, detail::dim(actOut, 0), 1,
                                                   detail::dim(actOut, 1), nonLinearityType);
    return poputil::detail::give(graph.c(), popnn_rnn_backward_gradient_step_at(
                                                poplar::detail::where(debugContext), graph.c(), &params,
                                                nextLayerGrad.c(), bwdState.c(), actOut.c(),
                                                detail::weights(poplar::Tensor(), weightsFeedback, poplar::Tensor()),
                                                prog.cToGrow(graph.c()), nullptr, poplar::detail::name(debugContext),
                                                poplin::detail::cache(planningCache)));
}
// Adds a step's gradients of weights and biases to three tensors.
inline void paramDeltaUpdate(poplar::Graph &graph, const poplar::Tensor &bwdState, const poplar::Tensor &actIn,
                             const poplar::Tensor &prevOut, poplar::Tensor &weightsInputDeltasAcc,
                             poplar::Tensor &weightsFeedbackDeltasAcc, poplar::Tensor &biasDeltasAcc,
                             poplar::program::Sequence &prog, const poplar::Type &partialsType = poplar::FLOAT,
                             const poplar::DebugContext &debugContext = {},
                             poplin::matmul::PlanningCache *planningCache = nullptr)
{
    const popnn_rnn_params params = detail::params(actIn.elementType(), partialsType, 1, detail::dim(actIn, 0),
                                                   detail::dim(actIn, 1), detail::dim(bwdState, 1));
    popnn_rnn_param_delta_update_at(
        poplar::detail::where(debugContext), graph.c(), &params, bwdState.c(), actIn.c(), prevOut.c(),
        detail::weights(weightsInputDeltasAcc, weightsFeedbackDeltasAcc, biasDeltasAcc), prog.cToGrow(graph.c()),
        poplar::detail::name(debugContext), poplin::detail::cache(planningCache));
    poputil::detail::check(graph.c());
}
// The gradients of the input, of its weights, of the feedback's weights, of the biases; null tensors for those not
// requested. outGradient is {batch, steps, output}; the other sequences begin with the steps.
inline std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor, poplar::Tensor>
rnnBwdSequence(poplar::Graph &graph, bool doWU, bool ignoreInputGradientCalc, poplar::program::Sequence &prog,
               const poplar::Tensor &fwdStateInit, const poplar::Tensor &fwdState, const poplar::Tensor &biases,
               const poplar::Tensor &feedFwdWeights, const poplar::Tensor &feedbackWeights,
               const poplar::Tensor &outGradient, const poplar::Tensor &actIn, const NonLinearityType &nonLinearityType,
               const poplar::Type &partialsType = poplar::FLOAT, const poplar::DebugContext &debugContext = {},
               poplin::matmul::PlanningCache *planningCache = nullptr)
{
    const popnn_rnn_params params =
        detail::params(actIn.elementType(), partialsType, detail::dim(actIn, 0), detail::dim(actIn, 1),
                       detail::dim(actIn, 2), detail::dim(feedFwdWeights, 1), nonLinearityType);
    pop_tensor dx = pop_tensor();
    popnn_rnn_weights deltas = popnn_rnn_weights();
    popnn_rnn_bwd_sequence_at(poplar::detail::where(debugContext), graph.c(), &params, prog.cToGrow(graph.c()),
                              fwdStateInit.c(), fwdState.c(), detail::weights(feedFwdWeights, feedbackWeights, biases),
                              outGradient.c(), actIn.c(), ignoreInputGradientCalc ? nullptr : &dx,
                              doWU ? &deltas : nullptr, poplar::detail::name(debugContext),
                              poplin::detail::cache(planningCache));
    poputil::detail::check(graph.c());
    return std::make_tuple(poplar::Tensor(dx), poplar::Tensor(deltas.input_weights),
                           poplar::Tensor(deltas.feedback_weights), poplar::Tensor(deltas.biases));
}

} // namespace rnn
} // namespace popnn
#endif
