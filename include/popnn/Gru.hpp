// SPDX-License-Identifier: Apache-2.0
// GRU over a sequence (popnn/gru.h).
#ifndef POPNN_GRU_HPP
#define POPNN_GRU_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popnn/GruDef.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/detail/recurrent.hpp>

#include <utility>
#include <vector>

namespace popnn
{
namespace gru
{

// The order of the units that weights have by default.
inline std::vector<BasicGruCellUnit> getDefaultBasicGruCellOrder()
{
    return { BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE, BASIC_GRU_CELL_CANDIDATE };
}

// Members dataType, batchSize, timeSteps and layerSizes {input, output}; also available as rnn.dataType and so on.
struct GruParams : popnn::detail::LayerParams {
    bool outputFullSequence = true;
    bool calcInputGradients = true;
    // order of the units in weights and biases
    std::vector<BasicGruCellUnit> cellOrder = getDefaultBasicGruCellOrder();
    bool resetAfter = false;
    NonLinearityType activation = NonLinearityType::TANH;
    NonLinearityType recurrentActivation = NonLinearityType::SIGMOID;

    GruParams() = default;
    // A layer whose sequences all have `steps` steps; sizes are those of input and output.
    GruParams(poplar::Type type, std::size_t batch, std::size_t steps, std::vector<std::size_t> sizes,
              NonLinearityType function = NonLinearityType::TANH,
              NonLinearityType recurrentFunction = NonLinearityType::SIGMOID)
        : LayerParams(popnn::rnn::RnnParams(type, batch, steps, std::move(sizes))), activation(function),
          recurrentActivation(recurrentFunction)
    {
    }
    // A layer whose sequences have numbers of steps that a tensor holds.
    GruParams(poplar::Type type, std::size_t batch, std::size_t maxSteps, const poplar::Tensor &variable,
              std::vector<std::size_t> sizes, NonLinearityType function = NonLinearityType::TANH,
              NonLinearityType recurrentFunction = NonLinearityType::SIGMOID)
        : LayerParams(popnn::rnn::RnnParams(type, batch, maxSteps, variable, std::move(sizes))), activation(function),
          recurrentActivation(recurrentFunction)
    {
    }

    // The parameters of the C interface.
    popnn_gru_params c() const
    {
        popnn::detail::checkLayer(*this, "GRU", "a");
        popnn_gru_params params =
            popnn_gru_params_make(dataType.c(), batchSize, timeSteps, layerSizes[0], layerSizes[1]);
        params.var_time_steps = varTimeSteps.c();
        params.output_full_sequence = outputFullSequence;
        params.calc_input_gradients = calcInputGradients;
        if (cellOrder.size() != BASIC_GRU_CELL_NUM_UNITS)
            throw poputil::poplibs_error("the cell order of a GRU names three units");
        for (std::size_t i = 0; i < BASIC_GRU_CELL_NUM_UNITS; ++i)
            params.cell_order[i] = static_cast<popnn_gru_unit>(cellOrder[i]);
        params.reset_after = resetAfter;
        params.activation = static_cast<popnn_non_linearity_type>(activation);
        params.recurrent_activation = static_cast<popnn_non_linearity_type>(recurrentActivation);
        return params;
    }
};

// Weights of a layer, or their gradients.
struct GruWeights {
    poplar::Tensor inputWeights;  // {3, input, output}
    poplar::Tensor outputWeights; // {3, output, output}
    poplar::Tensor biases;        // {3, output}, or {3, 2, output} with resetAfter

    popnn_gru_weights c() const
    {
        popnn_gru_weights weights = { inputWeights.c(), outputWeights.c(), biases.c() };
        return weights;
    }
};

namespace detail
{

inline GruWeights give(pop_graph *graph, const popnn_gru_weights &weights)
{
    poputil::detail::check(graph);
    return GruWeights{ poplar::Tensor(weights.input_weights), poplar::Tensor(weights.output_weights),
                       poplar::Tensor(weights.biases) };
}
inline popnn_gru_forward forward(const poplar::Tensor &initial, const poplar::Tensor &intermediates,
                                 const GruWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output)
{
    popnn_gru_forward all = { initial.c(), intermediates.c(), input.c(), output.c(), weights.c() };
    return all;
}

} // namespace detail

namespace detail
{

// The parameters with the numbers of steps that a call gives.
inline GruParams limited(const GruParams &params, const poplar::Tensor &realTimeSteps)
{
    if (params.varTimeSteps.valid())
        throw poputil::poplibs_error("real time steps are given for a GRU whose parameters have variable ones");
    if (!params.outputFullSequence)
        throw poputil::poplibs_error("real time steps need outputFullSequence");
    GruParams with = params;
    with.varTimeSteps = realTimeSteps;
    return with;
}

} // namespace detail

inline uint64_t getBasicGruCellFwdFlops(const GruParams &params)
{
    popnn_gru_params c = params.c();
    return popnn_gru_fwd_flops(&c);
}
// Floating-point operations of backward for a whole sequence.
inline uint64_t getBasicGruCellBwdFlops(const GruParams &params)
{
    popnn_gru_params c = params.c();
    return popnn_gru_bwd_flops(&c);
}
// Floating-point operations of the weight update for a whole sequence.
inline uint64_t getBasicGruCellWuFlops(const GruParams &params)
{
    popnn_gru_params c = params.c();
    return popnn_gru_wu_flops(&c);
}

// The products of a step, with the options for planning each of them.
inline std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(GruParams params, poplar::OptionFlags options)
{
    popnn_gru_params c = params.c();
    poplin_fc_mat_mul list[POPNN_GRU_MAX_MAT_MULS];
    return popnn::detail::products(
        list, popnn_gru_get_mat_mul_pre_plan_parameters(&c, popnn::detail::given(options, "inferenceOnly", true), list),
        options);
}

inline poplar::Tensor createInput(poplar::Graph &graph, const GruParams &params,
                                  const poplar::DebugContext &debugContext, const poplar::OptionFlags &options = {},
                                  poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_gru_params c = params.c();
    return poputil::detail::give(graph.c(), popnn_gru_create_input_at(poplar::detail::where(debugContext), graph.c(),
                                                                      &c, poplar::detail::name(debugContext),
                                                                      poplar::detail::Options(options),
                                                                      poplin::detail::cache(planningCache)));
}
inline poplar::Tensor createInitialState(poplar::Graph &graph, const GruParams &params,
                                         const poplar::DebugContext &debugContext,
                                         const poplar::OptionFlags &options = {},
                                         poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_gru_params c = params.c();
    return poputil::detail::give(graph.c(), popnn_gru_create_initial_state_at(
                                                poplar::detail::where(debugContext), graph.c(), &c,
                                                poplar::detail::name(debugContext), poplar::detail::Options(options),
                                                poplin::detail::cache(planningCache)));
}
inline GruWeights createWeights(poplar::Graph &graph, const GruParams &params, const poplar::DebugContext &debugContext,
                                const poplar::OptionFlags &options = {},
                                poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_gru_params c = params.c();
    return detail::give(graph.c(), popnn_gru_create_weights_at(poplar::detail::where(debugContext), graph.c(), &c,
                                                               poplar::detail::name(debugContext),
                                                               poplar::detail::Options(options),
                                                               poplin::detail::cache(planningCache)));
}
inline std::pair<poplar::Tensor, poplar::Tensor>
createWeightsKernel(poplar::Graph &graph, const GruParams &params, const poplar::DebugContext &debugContext,
                    const poplar::OptionFlags &options = {}, poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_gru_params c = params.c();
    popnn_gru_weights weights = popnn_gru_create_weights_kernel_at(
        poplar::detail::where(debugContext), graph.c(), &c, poplar::detail::name(debugContext),
        poplar::detail::Options(options), poplin::detail::cache(planningCache));
    poputil::detail::check(graph.c());
    return std::make_pair(poplar::Tensor(weights.input_weights), poplar::Tensor(weights.output_weights));
}
inline poplar::Tensor createWeightsBiases(poplar::Graph &graph, const GruParams &params,
                                          const poplar::DebugContext &debugContext,
                                          const poplar::OptionFlags &options = {},
                                          poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_gru_params c = params.c();
    return poputil::detail::give(graph.c(), popnn_gru_create_weights_biases_at(
                                                poplar::detail::where(debugContext), graph.c(), &c,
                                                poplar::detail::name(debugContext), poplar::detail::Options(options),
                                                poplin::detail::cache(planningCache)));
}

// Returns the output: {steps, batch, output}, or that of the last step.
inline poplar::Tensor gruFwd(poplar::Graph &graph, const GruParams &params, const poplar::Tensor &stateInit,
                             const poplar::Tensor &in, const GruWeights &weights, poplar::Tensor *intermediates,
                             poplar::program::Sequence &fwdProg, const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_gru_params c = params.c();
    pop_tensor kept = pop_tensor();
    pop_tensor output = popnn_gru_fwd_at(poplar::detail::where(debugContext), graph.c(), &c, stateInit.c(), in.c(),
                                         weights.c(), intermediates ? &kept : nullptr, fwdProg.cToGrow(graph.c()),
                                         poplar::detail::name(debugContext), poplar::detail::Options(options),
                                         poplin::detail::cache(planningCache));
    poputil::detail::check(graph.c());
    poplar::Tensor result;
    poputil::detail::put({ { &result, output }, { intermediates, kept } });
    return result;
}
// With numbers of steps that the call gives, {batch} or {1} UNSIGNED_INT: later ones give 0.
inline poplar::Tensor gruFwd(poplar::Graph &graph, const GruParams &params, const poplar::Tensor &stateInit,
                             const poplar::Tensor &in, const poplar::Tensor &realTimeSteps, const GruWeights &weights,
                             poplar::Tensor *intermediates, poplar::program::Sequence &fwdProg,
                             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                             poplin::matmul::PlanningCache *planningCache = nullptr)
{
    return gruFwd(graph, detail::limited(params, realTimeSteps), stateInit, in, weights, intermediates, fwdProg,
                  debugContext, options, planningCache);
}

// Returns the gradient of the initial state.
inline poplar::Tensor gruBwd(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                             const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                             const GruWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output,
                             const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad,
                             poplar::Tensor *bwdIntermediates, const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_gru_params c = params.c();
    popnn_gru_forward forward = detail::forward(fwdOutputInit, fwdIntermediates, weights, input, output);
    pop_tensor dx = pop_tensor(), kept = pop_tensor();
    pop_tensor state = popnn_gru_bwd_at(poplar::detail::where(debugContext), graph.c(), &c, prog.cToGrow(graph.c()),
                                        &forward, outputGrad.c(), inputGrad ? &dx : nullptr,
                                        bwdIntermediates ? &kept : nullptr, poplar::detail::name(debugContext),
                                        poplar::detail::Options(options), poplin::detail::cache(planningCache));
    poputil::detail::check(graph.c());
    poplar::Tensor result;
    poputil::detail::put({ { &result, state }, { inputGrad, dx }, { bwdIntermediates, kept } });
    return result;
}
// With numbers of steps that the call gives, {batch} or {1} UNSIGNED_INT: later ones give 0.
inline poplar::Tensor gruBwd(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                             const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                             const GruWeights &weights, const poplar::Tensor &input,
                             const poplar::Tensor &realTimeSteps, const poplar::Tensor &output,
                             const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad,
                             poplar::Tensor *bwdIntermediates, const poplar::DebugContext &debugContext,
                             const poplar::OptionFlags &options, poplin::matmul::PlanningCache *planningCache)
{
    return gruBwd(graph, detail::limited(params, realTimeSteps), prog, fwdOutputInit, fwdIntermediates, weights, input,
                  output, outputGrad, inputGrad, bwdIntermediates, debugContext, options, planningCache);
}

inline GruWeights gruWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                        const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                        const poplar::Tensor &bwdIntermediates, const GruWeights &weights, const poplar::Tensor &input,
                        const poplar::Tensor &output, const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {}, poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_gru_params c = params.c();
    popnn_gru_forward forward = detail::forward(fwdOutputInit, fwdIntermediates, weights, input, output);
    return detail::give(graph.c(),
                        popnn_gru_wu_at(poplar::detail::where(debugContext), graph.c(), &c, prog.cToGrow(graph.c()),
                                        &forward, bwdIntermediates.c(), poplar::detail::name(debugContext),
                                        poplar::detail::Options(options), poplin::detail::cache(planningCache)));
}

inline poplar::Tensor gruBwdWithWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                                   const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                                   const GruWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output,
                                   const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad, GruWeights &weightsGrad,
                                   const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {},
                                   poplin::matmul::PlanningCache *planningCache = nullptr)
{
    popnn_gru_params c = params.c();
    popnn_gru_forward forward = detail::forward(fwdOutputInit, fwdIntermediates, weights, input, output);
    pop_tensor dx = pop_tensor();
    popnn_gru_weights dw;
    pop_tensor state =
        popnn_gru_bwd_with_wu_at(poplar::detail::where(debugContext), graph.c(), &c, prog.cToGrow(graph.c()), &forward,
                                 outputGrad.c(), inputGrad ? &dx : nullptr, &dw, poplar::detail::name(debugContext),
                                 poplar::detail::Options(options), poplin::detail::cache(planningCache));
    poputil::detail::check(graph.c());
    poplar::Tensor result;
    poputil::detail::put({ { &result, state },
                           { inputGrad, dx },
                           { &weightsGrad.inputWeights, dw.input_weights },
                           { &weightsGrad.outputWeights, dw.output_weights },
                           { &weightsGrad.biases, dw.biases } });
    return result;
}
// With numbers of steps that the call gives, {batch} or {1} UNSIGNED_INT: later ones give 0.
inline poplar::Tensor gruBwdWithWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                                   const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                                   const GruWeights &weights, const poplar::Tensor &input,
                                   const poplar::Tensor &realTimeSteps, const poplar::Tensor &output,
                                   const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad, GruWeights &weightsGrad,
                                   const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                                   poplin::matmul::PlanningCache *planningCache)
{
    return gruBwdWithWU(graph, detail::limited(params, realTimeSteps), prog, fwdOutputInit, fwdIntermediates, weights,
                        input, output, outputGrad, inputGrad, weightsGrad, debugContext, options, planningCache);
}

// ---- attention: the update gate is multiplied by 1 - attention ----
// A tensor of attention scores, {batch, steps}.
inline poplar::Tensor createAttention(poplar::Graph &graph, const GruParams &params,
                                      const poplar::DebugContext &debugContext, const poplar::OptionFlags &options = {})
{
    popnn_gru_params c = params.c();
    return poputil::detail::give(
        graph.c(), popnn_gru_create_attention_at(poplar::detail::where(debugContext), graph.c(), &c,
                                                 poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
inline poplar::Tensor auGruFwd(poplar::Graph &graph, const GruParams &params, const poplar::Tensor &stateInit,
                               const poplar::Tensor &in, const GruWeights &weights, poplar::Tensor *intermediates,
                               const poplar::Tensor &attScores, poplar::program::Sequence &fwdProg,
                               const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                               poplin::PlanningCache *planningCache = nullptr)
{
    popnn_gru_params c = params.c();
    pop_tensor kept = pop_tensor();
    pop_tensor output = popnn_au_gru_fwd_at(poplar::detail::where(debugContext), graph.c(), &c, stateInit.c(), in.c(),
                                            weights.c(), intermediates ? &kept : nullptr, attScores.c(),
                                            fwdProg.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                            poplar::detail::Options(options), poplin::detail::cache(planningCache));
    poputil::detail::check(graph.c());
    poplar::Tensor result;
    poputil::detail::put({ { &result, output }, { intermediates, kept } });
    return result;
}
// With numbers of steps that the call gives.
inline poplar::Tensor auGruFwd(poplar::Graph &graph, const GruParams &params, const poplar::Tensor &stateInit,
                               const poplar::Tensor &in, const poplar::Tensor &realTimeSteps, const GruWeights &weights,
                               poplar::Tensor *intermediates, const poplar::Tensor &attScores,
                               poplar::program::Sequence &fwdProg, const poplar::DebugContext &debugContext = {},
                               const poplar::OptionFlags &options = {}, poplin::PlanningCache *planningCache = nullptr)
{
    return auGruFwd(graph, detail::limited(params, realTimeSteps), stateInit, in, weights, intermediates, attScores,
                    fwdProg, debugContext, options, planningCache);
}
// Returns the gradient of the initial state.
inline poplar::Tensor auGruBwd(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                               const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                               const GruWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output,
                               const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad,
                               poplar::Tensor *bwdIntermediates, const poplar::Tensor &attentions,
                               poplar::Tensor *attentionsGrad, const poplar::DebugContext &debugContext,
                               const poplar::OptionFlags &options, poplin::PlanningCache *planningCache)
{
    popnn_gru_params c = params.c();
    popnn_gru_forward forward = detail::forward(fwdOutputInit, fwdIntermediates, weights, input, output);
    pop_tensor dx = pop_tensor(), kept = pop_tensor(), da = pop_tensor();
    pop_tensor state = popnn_au_gru_bwd_at(
        poplar::detail::where(debugContext), graph.c(), &c, prog.cToGrow(graph.c()), &forward, outputGrad.c(),
        inputGrad ? &dx : nullptr, bwdIntermediates ? &kept : nullptr, attentions.c(), attentionsGrad ? &da : nullptr,
        poplar::detail::name(debugContext), poplar::detail::Options(options), poplin::detail::cache(planningCache));
    poputil::detail::check(graph.c());
    poplar::Tensor result;
    poputil::detail::put({ { &result, state }, { inputGrad, dx }, { bwdIntermediates, kept }, { attentionsGrad, da } });
    return result;
}
inline poplar::Tensor auGruBwd(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                               const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                               const GruWeights &weights, const poplar::Tensor &input,
                               const poplar::Tensor &realTimeSteps, const poplar::Tensor &output,
                               const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad,
                               poplar::Tensor *bwdIntermediates, const poplar::Tensor &attentions,
                               poplar::Tensor *attentionsGrad, const poplar::DebugContext &debugContext,
                               const poplar::OptionFlags &options, poplin::PlanningCache *planningCache)
{
    return auGruBwd(graph, detail::limited(params, realTimeSteps), prog, fwdOutputInit, fwdIntermediates, weights,
                    input, output, outputGrad, inputGrad, bwdIntermediates, attentions, attentionsGrad, debugContext,
                    options, planningCache);
}
// The gradients of the weights do not depend on the attention beyond what auGruBwd has kept.
inline GruWeights auGruWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                          const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                          const poplar::Tensor &bwdIntermediates, const GruWeights &weights,
                          const poplar::Tensor &input, const poplar::Tensor &output,
                          const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                          poplin::PlanningCache *planningCache)
{
    popnn_gru_params c = params.c();
    popnn_gru_forward forward = detail::forward(fwdOutputInit, fwdIntermediates, weights, input, output);
    return detail::give(graph.c(),
                        popnn_gru_wu_at(poplar::detail::where(debugContext), graph.c(), &c, prog.cToGrow(graph.c()),
                                        &forward, bwdIntermediates.c(), poplar::detail::name(debugContext),
                                        poplar::detail::Options(options), poplin::detail::cache(planningCache)));
}
inline poplar::Tensor auGruBwdWithWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                                     const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                                     const GruWeights &weights, const poplar::Tensor &input,
                                     const poplar::Tensor &output, const poplar::Tensor &outputGrad,
                                     poplar::Tensor *inputGrad, GruWeights &weightsGrad,
                                     const poplar::Tensor &attentions, poplar::Tensor *attentionsGrad,
                                     const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                                     poplin::PlanningCache *planningCache)
{
    popnn_gru_params c = params.c();
    popnn_gru_forward forward = detail::forward(fwdOutputInit, fwdIntermediates, weights, input, output);
    pop_tensor dx = pop_tensor(), da = pop_tensor();
    popnn_gru_weights dw;
    pop_tensor state = popnn_au_gru_bwd_with_wu_at(
        poplar::detail::where(debugContext), graph.c(), &c, prog.cToGrow(graph.c()), &forward, outputGrad.c(),
        inputGrad ? &dx : nullptr, &dw, attentions.c(), attentionsGrad ? &da : nullptr,
        poplar::detail::name(debugContext), poplar::detail::Options(options), poplin::detail::cache(planningCache));
    poputil::detail::check(graph.c());
    poplar::Tensor result;
    poputil::detail::put({ { &result, state },
                           { inputGrad, dx },
                           { &weightsGrad.inputWeights, dw.input_weights },
                           { &weightsGrad.outputWeights, dw.output_weights },
                           { &weightsGrad.biases, dw.biases },
                           { attentionsGrad, da } });
    return result;
}
inline poplar::Tensor auGruBwdWithWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                                     const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                                     const GruWeights &weights, const poplar::Tensor &input,
                                     const poplar::Tensor &realTimeSteps, const poplar::Tensor &output,
                                     const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad,
                                     GruWeights &weightsGrad, const poplar::Tensor &attentions,
                                     poplar::Tensor *attentionsGrad, const poplar::DebugContext &debugContext,
                                     const poplar::OptionFlags &options, poplin::PlanningCache *planningCache)
{
    return auGruBwdWithWU(graph, detail::limited(params, realTimeSteps), prog, fwdOutputInit, fwdIntermediates, weights,
                          input, output, outputGrad, inputGrad, weightsGrad, attentions, attentionsGrad, debugContext,
                          options, planningCache);
}

} // namespace gru
} // namespace popnn
#endif
