// SPDX-License-Identifier: Apache-2.0
// LSTM over a sequence (popnn/lstm.h).
#ifndef POPNN_LSTM_HPP
#define POPNN_LSTM_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popnn/LstmDef.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/detail/recurrent.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace popnn
{
namespace lstm
{

// The order of the units that weights have by default.
inline std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder()
{
    return { BASIC_LSTM_CELL_FORGET_GATE, BASIC_LSTM_CELL_INPUT_GATE, BASIC_LSTM_CELL_CANDIDATE,
             BASIC_LSTM_CELL_OUTPUT_GATE };
}

// Members dataType, batchSize, timeSteps and layerSizes {input, output}; also available as rnn.dataType and so on.
struct LstmParams : popnn::detail::LayerParams {
    bool outputFullSequence = true;
    bool doInputWeightCalc = true; // false: the input has been multiplied with its weights already
    bool calcInputGradients = true;
    // with varTimeSteps, whether the cell state that lstmFwd returns is that of each sequence's last step; it is that
    // in any case
    bool preserveFinalState = false;
    // order of the units in weights and biases
    std::vector<BasicLstmCellUnit> cellOrder = getDefaultBasicLstmCellOrder();
    NonLinearityType activation = NonLinearityType::TANH;
    NonLinearityType recurrentActivation = NonLinearityType::SIGMOID;

    LstmParams() = default;
    // A layer whose sequences all have `steps` steps; sizes are those of input and output.
    LstmParams(poplar::Type type, std::size_t batch, std::size_t steps, std::vector<std::size_t> sizes,
               NonLinearityType function = NonLinearityType::TANH,
               NonLinearityType recurrentFunction = NonLinearityType::SIGMOID)
        : LayerParams(popnn::rnn::RnnParams(type, batch, steps, std::move(sizes))), activation(function),
          recurrentActivation(recurrentFunction)
    {
    }
    // A layer whose sequences have numbers of steps that a tensor holds.
    LstmParams(poplar::Type type, std::size_t batch, std::size_t maxSteps, const poplar::Tensor &variable,
               std::vector<std::size_t> sizes, NonLinearityType function = NonLinearityType::TANH,
               NonLinearityType recurrentFunction = NonLinearityType::SIGMOID)
        : LayerParams(popnn::rnn::RnnParams(type, batch, maxSteps, variable, std::move(sizes))), activation(function),
          recurrentActivation(recurrentFunction)
    {
    }

    // The parameters of the C interface.
    popnn_lstm_params c() const
    {
        popnn::detail::checkLayer(*this, "LSTM", "an");
        popnn_lstm_params params =
            popnn_lstm_params_make(dataType.c(), batchSize, timeSteps, layerSizes[0], layerSizes[1]);
        params.var_time_steps = varTimeSteps.c();
        params.output_full_sequence = outputFullSequence;
        params.calc_input_gradients = calcInputGradients;
        if (cellOrder.size() != BASIC_LSTM_CELL_NUM_UNITS)
            throw poputil::poplibs_error("the cell order of an LSTM names four units");
        for (std::size_t i = 0; i < BASIC_LSTM_CELL_NUM_UNITS; ++i)
            params.cell_order[i] = static_cast<popnn_lstm_unit>(cellOrder[i]);
        params.activation = static_cast<popnn_non_linearity_type>(activation);
        params.recurrent_activation = static_cast<popnn_non_linearity_type>(recurrentActivation);
        return params;
    }
};

// The state between two steps.
struct LstmState {
    poplar::Tensor output;
    poplar::Tensor cellState;

    // {2, batch, output}
    poplar::Tensor getAsTensor() const
    {
        return poplar::concat({ output.expand({ 0 }), cellState.expand({ 0 }) });
    }
    popnn_lstm_state c() const
    {
        popnn_lstm_state state = { output.c(), cellState.c() };
        return state;
    }
};

// Weights of a layer, or their gradients.
struct LstmWeights {
    poplar::Tensor inputWeights;  // {4, input, output}
    poplar::Tensor outputWeights; // {4, output, output}
    poplar::Tensor biases;        // {4, output}

    popnn_lstm_weights c() const
    {
        popnn_lstm_weights weights = { inputWeights.c(), outputWeights.c(), biases.c() };
        return weights;
    }
};

namespace detail
{

inline LstmState give(pop_graph *graph, const popnn_lstm_state &state)
{
    poputil::detail::check(graph);
    return LstmState{ poplar::Tensor(state.output), poplar::Tensor(state.cell_state) };
}
inline LstmWeights give(pop_graph *graph, const popnn_lstm_weights &weights)
{
    poputil::detail::check(graph);
    return LstmWeights{ poplar::Tensor(weights.input_weights), poplar::Tensor(weights.output_weights),
                        poplar::Tensor(weights.biases) };
}
inline popnn_lstm_forward forward(const LstmState &initial, const poplar::Tensor &intermediates,
                                  const LstmWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output)
{
    popnn_lstm_forward all = { initial.c(), intermediates.c(), input.c(), output.c(), weights.c() };
    return all;
}

} // namespace detail

inline uint64_t getBasicLstmCellFwdFlops(const LstmParams &params)
{
    popnn_lstm_params c = params.c();
    return popnn_lstm_fwd_flops(&c);
}
// Floating-point operations of backward for a whole sequence.
inline uint64_t getBasicLstmCellBwdFlops(const LstmParams &params)
{
    popnn_lstm_params c = params.c();
    return popnn_lstm_bwd_flops(&c);
}
// Floating-point operations of the weight update for a whole sequence.
inline uint64_t getBasicLstmCellWuFlops(const LstmParams &params)
{
    popnn_lstm_params c = params.c();
    return popnn_lstm_wu_flops(&c);
}

// The products of a step, with the options for planning each of them.
inline std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(LstmParams params, poplar::OptionFlags options)
{
    popnn_lstm_params c = params.c();
    poplin_fc_mat_mul list[POPNN_LSTM_MAX_MAT_MULS];
    const std::size_t count = popnn_lstm_get_mat_mul_pre_plan_parameters(
        &c, popnn::detail::given(options, "inferenceOnly"), popnn::detail::given(options, "preCalcWeights"), list);
    return popnn::detail::products(list, count, options);
}

inline poplar::Tensor createInput(poplar::Graph &graph, const LstmParams &params,
                                  const poplar::DebugContext &debugContext, const poplar::OptionFlags &options = {},
                                  poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_lstm_params c = params.c();
    return poputil::detail::give(graph.c(), popnn_lstm_create_input_at(poplar::detail::where(debugContext), graph.c(),
                                                                       &c, poplar::detail::name(debugContext),
                                                                       poplar::detail::Options(options),
                                                                       poplin::detail::cache(planningCache)));
}
inline LstmState createInitialState(poplar::Graph &graph, const LstmParams &params,
                                    const poplar::DebugContext &debugContext, const poplar::OptionFlags &options = {},
                                    poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_lstm_params c = params.c();
    return detail::give(graph.c(), popnn_lstm_create_initial_state_at(poplar::detail::where(debugContext), graph.c(),
                                                                      &c, poplar::detail::name(debugContext),
                                                                      poplar::detail::Options(options),
                                                                      poplin::detail::cache(planningCache)));
}
inline poplar::Tensor createInitialOutput(poplar::Graph &graph, const LstmParams &params,
                                          const poplar::DebugContext &debugContext,
                                          const poplar::OptionFlags &options = {},
                                          poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_lstm_params c = params.c();
    return poputil::detail::give(graph.c(), popnn_lstm_create_initial_output_at(
                                                poplar::detail::where(debugContext), graph.c(), &c,
                                                poplar::detail::name(debugContext), poplar::detail::Options(options),
                                                poplin::detail::cache(planningCache)));
}
inline poplar::Tensor createInitialCellState(poplar::Graph &graph, const LstmParams &params,
                                             const poplar::DebugContext &debugContext,
                                             const poplar::OptionFlags &options = {},
                                             poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_lstm_params c = params.c();
    return poputil::detail::give(graph.c(), popnn_lstm_create_initial_cell_state_at(
                                                poplar::detail::where(debugContext), graph.c(), &c,
                                                poplar::detail::name(debugContext), poplar::detail::Options(options),
                                                poplin::detail::cache(planningCache)));
}
inline void zeroInitialState(poplar::Graph &graph, const LstmState &initialState, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {})
{
    popnn_lstm_zero_initial_state_at(poplar::detail::where(debugContext), graph.c(), initialState.c(),
                                     prog.cToGrow(graph.c()), poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
inline LstmWeights createWeights(poplar::Graph &graph, const LstmParams &params,
                                 const poplar::DebugContext &debugContext, const poplar::OptionFlags &options = {},
                                 poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_lstm_params c = params.c();
    return detail::give(graph.c(), popnn_lstm_create_weights_at(poplar::detail::where(debugContext), graph.c(), &c,
                                                                poplar::detail::name(debugContext),
                                                                poplar::detail::Options(options),
                                                                poplin::detail::cache(planningCache)));
}
inline std::pair<poplar::Tensor, poplar::Tensor>
createWeightsKernel(poplar::Graph &graph, const LstmParams &params, const poplar::DebugContext &debugContext,
                    const poplar::OptionFlags &options = {}, poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_lstm_params c = params.c();
    popnn_lstm_weights weights = popnn_lstm_create_weights_kernel_at(
        poplar::detail::where(debugContext), graph.c(), &c, poplar::detail::name(debugContext),
        poplar::detail::Options(options), poplin::detail::cache(planningCache));
    poputil::detail::check(graph.c());
    return std::make_pair(poplar::Tensor(weights.input_weights), poplar::Tensor(weights.output_weights));
}
inline poplar::Tensor createWeightsBiases(poplar::Graph &graph, const LstmParams &params,
                                          const poplar::DebugContext &debugContext,
                                          const poplar::OptionFlags &options = {},
                                          poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_lstm_params c = params.c();
    return poputil::detail::give(graph.c(), popnn_lstm_create_weights_biases_at(
                                                poplar::detail::where(debugContext), graph.c(), &c,
                                                poplar::detail::name(debugContext), poplar::detail::Options(options),
                                                poplin::detail::cache(planningCache)));
}

// Returns the output and the last cell state.
inline std::pair<poplar::Tensor, poplar::Tensor>
lstmFwd(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog, const LstmState &stateInit,
        const LstmWeights &weights, const poplar::Tensor &in, poplar::Tensor *intermediates,
        const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
        poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_lstm_params c = params.c();
    pop_tensor kept = pop_tensor(), cell = pop_tensor();
    pop_tensor output = popnn_lstm_fwd_at(poplar::detail::where(debugContext), graph.c(), &c, stateInit.c(), in.c(),
                                          weights.c(), intermediates ? &kept : nullptr, &cell, prog.cToGrow(graph.c()),
                                          poplar::detail::name(debugContext), poplar::detail::Options(options),
                                          poplin::detail::cache(planningCache));
    poputil::detail::check(graph.c());
    std::pair<poplar::Tensor, poplar::Tensor> result;
    poputil::detail::put({ { &result.first, output }, { &result.second, cell }, { intermediates, kept } });
    return result;
}
// The argument order of release 1.2.
inline std::pair<poplar::Tensor, poplar::Tensor>
lstmFwd(poplar::Graph &graph, const LstmParams &params, const LstmState &stateInit, const poplar::Tensor &in,
        const LstmWeights &weights, poplar::Tensor *intermediates, poplar::program::Sequence &prog,
        const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
        poplin::matmul::PlanningCache *planningCache = nullptr)
{
    return lstmFwd(graph, params, prog, stateInit, weights, in, intermediates, debugContext, options, planningCache);
}

// Returns the gradient of the initial state. lastStepStateGrad (may be null): the gradient of the state after the last
// step.
inline LstmState lstmBwd(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                         const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates,
                         const LstmWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output,
                         const poplar::Tensor &outputGrad, const LstmState *lastStepStateGrad,
                         poplar::Tensor *inputGrad, poplar::Tensor *bwdIntermediates,
                         const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                         poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_lstm_params c = params.c();
    popnn_lstm_forward forward = detail::forward(fwdStateInit, fwdIntermediates, weights, input, output);
    const popnn_lstm_state last = lastStepStateGrad ? lastStepStateGrad->c() : popnn_lstm_state();
    pop_tensor dx = pop_tensor(), kept = pop_tensor();
    popnn_lstm_state state = popnn_lstm_bwd_at(
        poplar::detail::where(debugContext), graph.c(), &c, prog.cToGrow(graph.c()), &forward, outputGrad.c(),
        lastStepStateGrad ? &last : nullptr, inputGrad ? &dx : nullptr, bwdIntermediates ? &kept : nullptr,
        poplar::detail::name(debugContext), poplar::detail::Options(options), poplin::detail::cache(planningCache));
    poputil::detail::check(graph.c());
    LstmState gradient;
    poputil::detail::put({ { &gradient.output, state.output },
                           { &gradient.cellState, state.cell_state },
                           { inputGrad, dx },
                           { bwdIntermediates, kept } });
    return gradient;
}
// Without one.
inline LstmState lstmBwd(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                         const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates,
                         const LstmWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output,
                         const poplar::Tensor &outputGrad, std::nullptr_t, poplar::Tensor *inputGrad,
                         poplar::Tensor *bwdIntermediates, const poplar::DebugContext &debugContext = {},
                         const poplar::OptionFlags &options = {},
                         poplin::matmul::PlanningCache *planningCache = nullptr)
{
    return lstmBwd(graph, params, prog, fwdStateInit, fwdIntermediates, weights, input, output, outputGrad,
                   static_cast<const LstmState *>(nullptr), inputGrad, bwdIntermediates, debugContext, options,
                   planningCache);
}
// With the gradient of the last cell state alone.
inline LstmState lstmBwd(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                         const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates,
                         const LstmWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output,
                         const poplar::Tensor &outputGrad, const poplar::Tensor *lastCellStateGrad,
                         poplar::Tensor *inputGrad, poplar::Tensor *bwdIntermediates,
                         const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                         poplin::matmul::PlanningCache *planningCache = nullptr)
{
    LstmState last;
    if (lastCellStateGrad)
        last.cellState = *lastCellStateGrad;
    return lstmBwd(graph, params, prog, fwdStateInit, fwdIntermediates, weights, input, output, outputGrad,
                   lastCellStateGrad ? &last : nullptr, inputGrad, bwdIntermediates, debugContext, options,
                   planningCache);
}

inline LstmWeights lstmWU(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                          const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates,
                          const poplar::Tensor &bwdIntermediates, const LstmWeights &weights,
                          const poplar::Tensor &input, const poplar::Tensor &output,
                          const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                          poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_lstm_params c = params.c();
    popnn_lstm_forward forward = detail::forward(fwdStateInit, fwdIntermediates, weights, input, output);
    return detail::give(graph.c(),
                        popnn_lstm_wu_at(poplar::detail::where(debugContext), graph.c(), &c, prog.cToGrow(graph.c()),
                                         &forward, bwdIntermediates.c(), poplar::detail::name(debugContext),
                                         poplar::detail::Options(options), poplin::detail::cache(planningCache)));
}

inline LstmState lstmBwdWithWU(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                               const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates,
                               const LstmWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output,
                               const poplar::Tensor &outputGrad, const LstmState *lastStepStateGrad,
                               poplar::Tensor *inputGrad, LstmWeights &weightsGrad,
                               const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                               poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_lstm_params c = params.c();
    popnn_lstm_forward forward = detail::forward(fwdStateInit, fwdIntermediates, weights, input, output);
    const popnn_lstm_state last = lastStepStateGrad ? lastStepStateGrad->c() : popnn_lstm_state();
    pop_tensor dx = pop_tensor();
    popnn_lstm_weights dw;
    popnn_lstm_state state = popnn_lstm_bwd_with_wu_at(
        poplar::detail::where(debugContext), graph.c(), &c, prog.cToGrow(graph.c()), &forward, outputGrad.c(),
        lastStepStateGrad ? &last : nullptr, inputGrad ? &dx : nullptr, &dw, poplar::detail::name(debugContext),
        poplar::detail::Options(options), poplin::detail::cache(planningCache));
    poputil::detail::check(graph.c());
    LstmState gradient;
    poputil::detail::put({ { &gradient.output, state.output },
                           { &gradient.cellState, state.cell_state },
                           { inputGrad, dx },
                           { &weightsGrad.inputWeights, dw.input_weights },
                           { &weightsGrad.outputWeights, dw.output_weights },
                           { &weightsGrad.biases, dw.biases } });
    return gradient;
}
// Without one.
inline LstmState lstmBwdWithWU(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                               const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates,
                               const LstmWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output,
                               const poplar::Tensor &outputGrad, std::nullptr_t, poplar::Tensor *inputGrad,
                               LstmWeights &weightsGrad, const poplar::DebugContext &debugContext = {},
                               const poplar::OptionFlags &options = {},
                               poplin::matmul::PlanningCache *planningCache = nullptr)
{
    return lstmBwdWithWU(graph, params, prog, fwdStateInit, fwdIntermediates, weights, input, output, outputGrad,
                         static_cast<const LstmState *>(nullptr), inputGrad, weightsGrad, debugContext, options,
                         planningCache);
}
// With the gradient of the last cell state alone.
inline LstmState lstmBwdWithWU(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                               const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates,
                               const LstmWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output,
                               const poplar::Tensor &outputGrad, const poplar::Tensor *lastCellStateGrad,
                               poplar::Tensor *inputGrad, LstmWeights &weightsGrad,
                               const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                               poplin::matmul::PlanningCache *planningCache = nullptr)
{
    LstmState last;
    if (lastCellStateGrad)
        last.cellState = *lastCellStateGrad;
    return lstmBwdWithWU(graph, params, prog, fwdStateInit, fwdIntermediates, weights, input, output, outputGrad,
                         lastCellStateGrad ? &last : nullptr, inputGrad, weightsGrad, debugContext, options,
                         planningCache);
}

} // namespace lstm
} // namespace popnn
#endif
